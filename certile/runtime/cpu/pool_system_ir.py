"""The parts of the worker pool's code that differ between systems and processors.

In: nothing.  Out: LLVM IR text for `pool_ir`, which fills in the names between dollar signs and
puts the parts together.  Decides how a thread sleeps, wakes, stays off the launcher's CPU and gets
the default floating-point environment.  Leaves to `pool_ir` when any of that happens.

A waiting part defines `sleep(i32 seen)`, `wake(i32 count)`, `prepare()`, called before workers are
started, and `place()`, called before each shared launch.
"""

from typing import Final, Literal

__all__ = ["CONDITION", "FLOATING_POINT", "FUTEX", "PAUSE", "Processor", "System"]

System = Literal["linux", "darwin", "posix"]
Processor = Literal["x86_64", "aarch64", "other"]

PAUSE: Final[dict[Processor, str]] = {
    "x86_64": "call void @llvm.x86.sse2.pause()",
    "aarch64": "call void @llvm.aarch64.hint(i32 1)",
    "other": "",
}

FLOATING_POINT: Final[dict[Processor, str]] = {
    # 8064 is MXCSR with all exceptions masked, rounding to nearest, nothing flushed; the six
    # lowest bits only record exceptions that happened.
    "x86_64": """
declare void @llvm.x86.sse.stmxcsr(ptr)
declare void @llvm.x86.sse.ldmxcsr(ptr)
declare void @llvm.x86.sse2.pause()

define internal i64 @standard_floats() nounwind {
  %slot = alloca i32
  call void @llvm.x86.sse.stmxcsr(ptr %slot)
  %former = load i32, ptr %slot
  %kept = zext i32 %former to i64
  %mode = and i32 %former, -64
  %usual = icmp eq i32 %mode, 8064
  br i1 %usual, label %done, label %change
change:
  store i32 8064, ptr %slot
  call void @llvm.x86.sse.ldmxcsr(ptr %slot)
  br label %done
done:
  ret i64 %kept
}

define internal void @restore_floats(i64 %former) nounwind {
  %word = trunc i64 %former to i32
  %mode = and i32 %word, -64
  %usual = icmp eq i32 %mode, 8064
  br i1 %usual, label %done, label %change
change:
  %slot = alloca i32
  store i32 %word, ptr %slot
  call void @llvm.x86.sse.ldmxcsr(ptr %slot)
  br label %done
done:
  ret void
}
""",
    "aarch64": """
declare i64 @llvm.aarch64.get.fpcr()
declare void @llvm.aarch64.set.fpcr(i64)
declare void @llvm.aarch64.hint(i32)

define internal i64 @standard_floats() nounwind {
  %former = call i64 @llvm.aarch64.get.fpcr()
  call void @llvm.aarch64.set.fpcr(i64 0)
  ret i64 %former
}

define internal void @restore_floats(i64 %former) nounwind {
  call void @llvm.aarch64.set.fpcr(i64 %former)
  ret void
}
""",
    "other": """
define internal i64 @standard_floats() nounwind {
  ret i64 0
}

define internal void @restore_floats(i64 %former) nounwind {
  ret void
}
""",
}

FUTEX: Final = """
@allowed = internal global [16 x i64] zeroinitializer, align 128
@avoided = internal global i32 -1, align 4

declare i64 @syscall(i64, ...)
declare i32 @sched_getcpu()
declare i32 @sched_getaffinity(i32, i64, ptr)
declare i32 @pthread_setaffinity_np(i64, i64, ptr)

; Sleep until the generation is no longer `seen`; may return early.
define internal void @sleep(i32 %seen) nounwind {
  %before = atomicrmw add ptr @sleepers, i32 1 seq_cst
  %ignored = call i64 (i64, ...) @syscall(
    i64 $SYS_FUTEX$, ptr @generation, i32 128, i32 %seen, ptr null, ptr null, i32 0)
  %after = atomicrmw sub ptr @sleepers, i32 1 seq_cst
  ret void
}

define internal void @wake(i32 %count) nounwind {
  %ignored = call i64 (i64, ...) @syscall(
    i64 $SYS_FUTEX$, ptr @generation, i32 129, i32 %count, ptr null, ptr null, i32 0)
  ret void
}

; Remember which CPUs the launcher may use; its workers may use no others.
define internal void @prepare() nounwind {
  call void @llvm.memset.p0.i64(ptr @allowed, i8 0, i64 128, i1 false)
  %ignored = call i32 @sched_getaffinity(i32 0, i64 128, ptr @allowed)
  store i32 -1, ptr @avoided
  ret void
}

; Keep workers off the launcher's CPU: on few cores the kernel likes to wake a thread there, and
; then the two take turns.  Costs system calls only when the launcher has moved.
define internal void @place() nounwind {
  %mask = alloca <16 x i64>, align 128
  %started = load i64, ptr @started
  %few = icmp sle i64 %started, $MOST_PLACED$
  br i1 %few, label %ask, label %done
ask:
  %cpu = call i32 @sched_getcpu()
  %known = load i32, ptr @avoided
  %moved = icmp ne i32 %cpu, %known
  %listed = icmp ult i32 %cpu, 1024
  %relevant = and i1 %moved, %listed
  br i1 %relevant, label %compute, label %done
compute:
  store i32 %cpu, ptr @avoided
  %all = load <16 x i64>, ptr @allowed, align 128
  store <16 x i64> %all, ptr %mask, align 128
  %index = lshr i32 %cpu, 6
  %word.p = getelementptr i64, ptr %mask, i32 %index
  %word = load i64, ptr %word.p
  %position = and i32 %cpu, 63
  %position64 = zext i32 %position to i64
  %bit = shl i64 1, %position64
  %others = xor i64 %bit, -1
  %without = and i64 %word, %others
  store i64 %without, ptr %word.p
  %rest = load <16 x i64>, ptr %mask, align 128
  %any = call i64 @llvm.vector.reduce.or.v16i64(<16 x i64> %rest)
  %somewhere = icmp ne i64 %any, 0
  br i1 %somewhere, label %each, label %done
each:
  %i = phi i64 [ 0, %compute ], [ %i.next, %one ]
  %more = icmp slt i64 %i, %started
  br i1 %more, label %one, label %done
one:
  %handle.p = getelementptr i64, ptr @handles, i64 %i
  %handle = load i64, ptr %handle.p
  %ignored = call i32 @pthread_setaffinity_np(i64 %handle, i64 128, ptr %mask)
  %i.next = add i64 %i, 1
  br label %each
done:
  ret void
}
"""

CONDITION: Final = """
@mutex = internal global [128 x i8] zeroinitializer, align 16
@changed = internal global [128 x i8] zeroinitializer, align 16

declare i32 @pthread_mutex_init(ptr, ptr)
declare i32 @pthread_mutex_lock(ptr)
declare i32 @pthread_mutex_unlock(ptr)
declare i32 @pthread_cond_init(ptr, ptr)
declare i32 @pthread_cond_wait(ptr, ptr)
declare i32 @pthread_cond_broadcast(ptr)

define internal void @sleep(i32 %seen) nounwind {
  %locked = call i32 @pthread_mutex_lock(ptr @mutex)
  %before = atomicrmw add ptr @sleepers, i32 1 seq_cst
  br label %check
check:
  %now = load atomic i32, ptr @generation seq_cst, align 4
  %same = icmp eq i32 %now, %seen
  br i1 %same, label %wait, label %done
wait:
  %ignored = call i32 @pthread_cond_wait(ptr @changed, ptr @mutex)
  br label %check
done:
  %after = atomicrmw sub ptr @sleepers, i32 1 seq_cst
  %unlocked = call i32 @pthread_mutex_unlock(ptr @mutex)
  ret void
}

define internal void @wake(i32 %count) nounwind {
  %locked = call i32 @pthread_mutex_lock(ptr @mutex)
  %ignored = call i32 @pthread_cond_broadcast(ptr @changed)
  %unlocked = call i32 @pthread_mutex_unlock(ptr @mutex)
  ret void
}

; Only the first worker finds nobody who might use the two; later ones must not reset them.
define internal void @prepare() nounwind {
  %started = load i64, ptr @started
  %first = icmp eq i64 %started, 0
  br i1 %first, label %make, label %done
make:
  %one = call i32 @pthread_mutex_init(ptr @mutex, ptr null)
  %two = call i32 @pthread_cond_init(ptr @changed, ptr null)
  br label %done
done:
  ret void
}

define internal void @place() nounwind {
  ret void
}
"""
