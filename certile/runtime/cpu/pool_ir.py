"""The worker pool's machine code, as LLVM IR text.

In: the operating system and processor family to write for.  Out: one module that exports `launch`,
`launch_apart`, `launch_chain`, `reset`, `set_team` and `workers`.  Decides who works and how
threads wait.  Leaves how work is handed out to `pool_work_ir`, and compiling, the Python side of a
launch block and the choice of thread counts to `pool`.

How a launch works.  `busy` admits one launcher at a time; anybody else runs its work alone.  The
launcher puts a *team* record on its own stack (block, ranges, tickets), publishes it, opens the
*door*, bumps the *generation* and wakes sleepers, if there are any.  Then it takes chunks like
everybody else.  When none is left it closes the door and waits for the workers that are inside.  A
worker that comes late finds the door closed and goes back, so a launch never waits for a thread
that is asleep, descheduled, or lost in a fork.

The door word counts the workers inside; its bit 32 says closed.  Entering is a compare-and-swap on
an open door, so after "closed and nobody inside" no worker holds the team record.  A worker takes
a ticket inside the door; the ticket is its index into the scratch of the launch, and a ticket past
the limit sends it away.  The launcher has index 0.

Every thread computes in the default floating-point environment (round to nearest, subnormals
kept), whatever its owner set, so that a result does not depend on which thread made it.

Without futexes ("posix") sleeping threads wait on a condition variable and are not moved between
cores; everything else is the same.
"""

from typing import Final

from certile.runtime.cpu.pool_apart_ir import APART
from certile.runtime.cpu.pool_system_ir import (
    CONDITION,
    FLOATING_POINT,
    FUTEX,
    PAUSE,
    Processor,
    System,
)
from certile.runtime.cpu.pool_work_ir import WORK

__all__ = ["MAX_WORKERS", "module_text"]

MAX_WORKERS: Final = 255

# Scratch that the pool has to find itself is taken from the running thread's stack up to this
# size; glibc's own thread stacks hold 8 MB, those of macOS 512 KB.
_STACK_SCRATCH: Final = 65536

# Turns of the spin loop before a worker sleeps, 50 to 100 microseconds.  Shorter loses the worker
# between the launches of a chain of small kernels, longer only heats the core.
_SPINS: Final = 2000

# With more workers than this the scheduler finds free cores by itself, and moving all of them
# would cost more system calls than a small launch takes.
_MOST_PLACED: Final = 8

# Nanoseconds: libgomp's idle threads were still spinning after 3 ms and asleep after 5 ms.
_STAYS_HOT: Final = 1_000_000

# Nanoseconds between two questions to the kernel, a few microseconds each.
_ASKED_EVERY: Final = 500_000

# Nanoseconds: a wait in the other team's barrier that only a lost core explains (a time slice is
# 3 ms or more), and how long that team is left alone then.
_LONG_WAIT: Final = 1_000_000
_RETIRED_FOR: Final = 200_000_000

# Workers leave every signal to Python's threads, except those that report their own faults:
# SIGILL 4, SIGTRAP 5, SIGBUS 7 (10 on macOS), SIGFPE 8, SIGSEGV 11.
_BLOCKED_SIGNALS: Final = ~sum(1 << (number - 1) for number in (4, 5, 7, 8, 10, 11))


def module_text(system: System, processor: Processor) -> str:
    """Return the pool's module for one operating system and processor family."""
    waiting = FUTEX if system == "linux" else CONDITION
    floats = FLOATING_POINT[processor]
    sections = (_STATE, floats, waiting, WORK, _WORKER, _TEAM, _LAUNCH, APART, _CONTROL)
    values = {
        "MAX_WORKERS": MAX_WORKERS,
        "STACK_SCRATCH": _STACK_SCRATCH,
        "SPINS": _SPINS,
        "MOST_RANGES": MAX_WORKERS + 1,
        "MOST_PLACED": _MOST_PLACED,
        "STAYS_HOT": _STAYS_HOT,
        "ASKED_EVERY": _ASKED_EVERY,
        "LONG_WAIT": _LONG_WAIT,
        "RETIRED_FOR": _RETIRED_FOR,
        "BLOCKED_SIGNALS": _BLOCKED_SIGNALS,
        "SIG_SETMASK": 3 if system == "darwin" else 2,
        "SYS_FUTEX": 98 if processor == "aarch64" else 202,
        "PAUSE": PAUSE[processor],
    }
    text = "\n".join(sections)
    for name, value in values.items():
        text = text.replace(f"${name}$", str(value))
    return text


# Each word of state has its own pair of cache lines: the launcher writes some of them while the
# workers spin on others.
_STATE: Final = """
; fn, args, count, grain, scratch, scratch stride, threads
%Block = type { ptr, ptr, i64, i64, ptr, i64, i64 }
; block, limit, grain, ranges, whether all chunks are taken | tickets
%Team = type { ptr, i64, i64, ptr, i64, [24 x i8], i64, [56 x i8] }
; the next group of a range
%Line = type { i64, [56 x i8] }

@busy = internal global i32 0, align 128
@generation = internal global i32 0, align 128
@sleepers = internal global i32 0, align 128
@door = internal global i64 4294967296, align 128
@current = internal global ptr null, align 128
@runtime = internal global ptr null, align 128
@started = internal global i64 0, align 8
@ceiling = internal global i64 $MAX_WORKERS$, align 8
@handles = internal global [$MAX_WORKERS$ x i64] zeroinitializer, align 8

declare i32 @pthread_create(ptr, ptr, ptr, ptr)
declare i32 @pthread_sigmask(i32, ptr, ptr)
declare i32 @posix_memalign(ptr, i64, i64)
declare void @free(ptr)
declare i32 @sched_yield()

; One turn of a spin loop; every 64th gives the core to whoever else wants it.
define internal void @relax(i32 %turn) nounwind {
  $PAUSE$
  %low = and i32 %turn, 63
  %due = icmp eq i32 %low, 63
  br i1 %due, label %yield, label %done
yield:
  %ignored = call i32 @sched_yield()
  br label %done
done:
  ret void
}
"""

_WORKER: Final = """
; Go through the door if it is open.
define internal i1 @enter() nounwind {
  br label %look
look:
  %seen = load atomic i64, ptr @door acquire, align 8
  %closed = icmp uge i64 %seen, 4294967296
  br i1 %closed, label %no, label %try
try:
  %more = add i64 %seen, 1
  %pair = cmpxchg ptr @door, i64 %seen, i64 %more seq_cst monotonic
  %won = extractvalue { i64, i1 } %pair, 1
  br i1 %won, label %yes, label %look
yes:
  ret i1 true
no:
  ret i1 false
}

; A worker's life: wait for a generation it has not seen, help if the door is open, repeat.
define internal ptr @worker(ptr %argument) nounwind {
start:
  %former = call i64 @standard_floats()
  %begin64 = ptrtoint ptr %argument to i64
  %begin = trunc i64 %begin64 to i32
  br label %idle
idle:
  %seen = phi i32 [ %begin, %start ], [ %news, %awake ], [ %news, %help ]
  br label %spin
spin:
  %turn = phi i32 [ 0, %idle ], [ %turn.next, %again ]
  %now = load atomic i32, ptr @generation acquire, align 4
  %changed = icmp ne i32 %now, %seen
  br i1 %changed, label %awake, label %wait
wait:
  %patient = icmp ult i32 %turn, $SPINS$
  br i1 %patient, label %again, label %rest
again:
  call void @relax(i32 %turn)
  %turn.next = add i32 %turn, 1
  br label %spin
rest:
  call void @sleep(i32 %seen)
  br label %awake
awake:
  %news = load atomic i32, ptr @generation acquire, align 4
  %inside = call i1 @enter()
  br i1 %inside, label %help, label %idle
help:
  %team = load atomic ptr, ptr @current acquire, align 8
  %ticket = call i64 @ticket(ptr %team)
  call void @join(ptr %team, i64 %ticket)
  %before = atomicrmw sub ptr @door, i64 1 release
  br label %idle
}

; Start workers until there are `want`; `busy` is held.  A refusal by the system is final: the pool
; goes on with what it has.
define internal void @ensure(i64 %want) nounwind noinline {
  %blocked = alloca [16 x i64], align 8
  %former = alloca [16 x i64], align 8
  call void @llvm.memset.p0.i64(ptr %blocked, i8 -1, i64 128, i1 false)
  store i64 $BLOCKED_SIGNALS$, ptr %blocked
  %masked = call i32 @pthread_sigmask(i32 $SIG_SETMASK$, ptr %blocked, ptr %former)
  call void @prepare()
  br label %check
check:
  %count = load i64, ptr @started
  %short = icmp slt i64 %count, %want
  br i1 %short, label %create, label %done
create:
  %seen = load atomic i32, ptr @generation monotonic, align 4
  %seen64 = zext i32 %seen to i64
  %argument = inttoptr i64 %seen64 to ptr
  %handle = getelementptr i64, ptr @handles, i64 %count
  %code = call i32 @pthread_create(ptr %handle, ptr null, ptr @worker, ptr %argument)
  %failed = icmp ne i32 %code, 0
  br i1 %failed, label %refused, label %created
refused:
  store i64 %count, ptr @ceiling
  br label %done
created:
  %more = add i64 %count, 1
  store i64 %more, ptr @started
  br label %check
done:
  %restored = call i32 @pthread_sigmask(i32 $SIG_SETMASK$, ptr %former, ptr null)
  ret void
}
"""

# Another runtime's idle threads spin for some milliseconds and then sleep.  While they spin any
# other team has to share the cores with them; once they sleep, waking them costs milliseconds
# where they wake on the launcher's core and wait for its time slice.  So the team is used while it
# is hot and only then.  It is hot for a while after it was used; beyond that the kernel is asked
# whether its first thread is running, which costs microseconds and is not asked at every launch.
_TEAM: Final = """
@master = internal global i64 0, align 8
@witness = internal global i32 -1, align 4
@members = internal global i32 0, align 4
@choice = internal global i32 0, align 4
@borrowed = internal global i64 0, align 8
@checked = internal global i64 0, align 8
@finished = internal global i64 0, align 8

declare i32 @clock_gettime(i32, ptr)
declare i64 @pread(i32, ptr, i64, i64)
declare i64 @pthread_self()

define internal i64 @now() nounwind {
  %time = alloca { i64, i64 }
  %ignored = call i32 @clock_gettime(i32 1, ptr %time)
  %pair = load { i64, i64 }, ptr %time
  %seconds = extractvalue { i64, i64 } %pair, 0
  %rest = extractvalue { i64, i64 } %pair, 1
  %whole = mul i64 %seconds, 1000000000
  %sum = add i64 %whole, %rest
  ret i64 %sum
}

; Whether this thread's team is awake; each launching thread has a team of its own, and only that
; of the thread that set the team is watched.
define internal i1 @is_team_hot() nounwind noinline {
  %self = call i64 @pthread_self()
  %owner = load i64, ptr @master
  %mine = icmp eq i64 %self, %owner
  br i1 %mine, label %recall, label %cold
recall:
  %now = call i64 @now()
  %choice = load i32, ptr @choice
  %team = icmp ne i32 %choice, 0
  br i1 %team, label %team.before, label %pool.before
team.before:
  %used = load i64, ptr @borrowed
  %idle = sub i64 %now, %used
  %recent = icmp slt i64 %idle, $STAYS_HOT$
  br i1 %recent, label %hot, label %observe
pool.before:
  %checked = load i64, ptr @checked
  %age = sub i64 %now, %checked
  %valid = icmp slt i64 %age, $ASKED_EVERY$
  br i1 %valid, label %cold, label %observe
observe:
  store i64 %now, ptr @checked
  %state = alloca i8
  %descriptor = load i32, ptr @witness
  %length = call i64 @pread(i32 %descriptor, ptr %state, i64 1, i64 0)
  %read = icmp eq i64 %length, 1
  br i1 %read, label %inspect, label %sleeping
inspect:
  ; The file says "running", or the number of the system call that the thread waits in.
  %letter = load i8, ptr %state
  %running = icmp eq i8 %letter, 114
  br i1 %running, label %awake, label %sleeping
awake:
  store i32 1, ptr @choice
  br label %hot
sleeping:
  store i32 0, ptr @choice
  br label %cold
hot:
  ret i1 true
cold:
  ret i1 false
}

; What each thread of another runtime's team runs.
define internal void @member(ptr %team) nounwind {
  %former = call i64 @standard_floats()
  %self = call i64 @pthread_self()
  %owner = load i64, ptr @master
  %launcher = icmp eq i64 %self, %owner
  br i1 %launcher, label %first, label %other
other:
  %ticket = call i64 @ticket(ptr %team)
  br label %work
first:
  br label %work
work:
  %index = phi i64 [ 0, %first ], [ %ticket, %other ]
  call void @join(ptr %team, i64 %index)
  call void @restore_floats(i64 %former)
  br i1 %launcher, label %note, label %done
note:
  %now = call i64 @now()
  store i64 %now, ptr @finished
  br label %done
done:
  ret void
}

; Run the team's work on the other runtime's threads.  Unlike the door, their barrier waits for
; everybody: when the launcher has waited there for long, and longer than it worked, one of them
; has lost its core to another process, and the pool's own workers do better for a while.
define internal void @borrow(ptr %run, ptr %team) nounwind noinline {
  %begin = call i64 @now()
  %count = load i32, ptr @members
  call void %run(ptr @member, ptr %team, i32 %count, i32 0)
  %end = call i64 @now()
  store i64 %end, ptr @borrowed
  %finished = load i64, ptr @finished
  %worked = sub i64 %finished, %begin
  %waited = sub i64 %end, %finished
  %longer = icmp sgt i64 %waited, %worked
  %long = icmp sgt i64 %waited, $LONG_WAIT$
  %lost = and i1 %longer, %long
  br i1 %lost, label %retire, label %done
retire:
  %later = add i64 %end, $RETIRED_FOR$
  store i64 %later, ptr @checked
  store i32 0, ptr @choice
  br label %done
done:
  ret void
}
"""

_LAUNCH: Final = """
; Open the door, wake whom it takes, work, close the door, wait for those inside.
define internal void @together(ptr %team, i32 %helpers) nounwind noinline {
  call void @place()
  store atomic ptr %team, ptr @current release, align 8
  store atomic i64 0, ptr @door seq_cst, align 8
  %ignored = atomicrmw add ptr @generation, i32 1 seq_cst
  %asleep = load atomic i32, ptr @sleepers seq_cst, align 4
  %any = icmp ne i32 %asleep, 0
  br i1 %any, label %rouse, label %work
rouse:
  call void @wake(i32 %helpers)
  br label %work
work:
  call void @join(ptr %team, i64 0)
  %shut = atomicrmw or ptr @door, i64 4294967296 seq_cst
  br label %wait
wait:
  %turn = phi i32 [ 0, %work ], [ %turn.next, %again ]
  %door = load atomic i64, ptr @door acquire, align 8
  %empty = icmp eq i64 %door, 4294967296
  br i1 %empty, label %done, label %again
again:
  call void @relax(i32 %turn)
  %turn.next = add i32 %turn, 1
  br label %wait
done:
  ret void
}

; Run the block with `threads` threads, more than one; `busy` is held.
define internal void @share(ptr %team, i64 %threads) nounwind noinline {
  call void @cut(ptr %team, i64 %threads)
  %runtime = load atomic ptr, ptr @runtime acquire, align 8
  %own = icmp eq ptr %runtime, null
  br i1 %own, label %pool, label %ask
ask:
  %ready.team = call i1 @is_team_hot()
  br i1 %ready.team, label %borrow, label %pool
borrow:
  call void @borrow(ptr %runtime, ptr %team)
  ret void
pool:
  %wish = sub i64 %threads, 1
  %ceiling = load i64, ptr @ceiling
  %want = call i64 @llvm.smin.i64(i64 %wish, i64 %ceiling)
  %have = load i64, ptr @started
  %missing = icmp slt i64 %have, %want
  br i1 %missing, label %start, label %ready
start:
  call void @ensure(i64 %want)
  br label %ready
ready:
  %helpers = trunc i64 %wish to i32
  call void @together(ptr %team, i32 %helpers)
  ret void
}

; Choose between sharing the work and doing it alone, in one call of the kernel.
define internal void @dispatch(ptr %team, i64 %count, i64 %threads) nounwind {
  %block = load ptr, ptr %team
  %asked.p = getelementptr %Block, ptr %block, i64 0, i32 3
  %asked = load i64, ptr %asked.p
  %positive = call i64 @llvm.smax.i64(i64 %asked, i64 1)
  %grain = call i64 @llvm.smin.i64(i64 %positive, i64 %count)
  %grain.p = getelementptr %Team, ptr %team, i64 0, i32 2
  %several = icmp slt i64 %grain, %count
  %wanted = icmp sgt i64 %threads, 1
  %both = and i1 %several, %wanted
  br i1 %both, label %claim, label %alone
claim:
  %pair = cmpxchg ptr @busy, i32 0, i32 1 acquire monotonic
  %won = extractvalue { i32, i1 } %pair, 1
  br i1 %won, label %shared, label %alone
shared:
  store i64 %grain, ptr %grain.p
  %last = sub i64 %count, 1
  %more = sdiv i64 %last, %grain
  %tasks = add i64 %more, 1
  %useful = call i64 @llvm.smin.i64(i64 %tasks, i64 %threads)
  call void @share(ptr %team, i64 %useful)
  store atomic i32 0, ptr @busy release, align 4
  ret void
alone:
  store i64 %count, ptr %grain.p
  call void @cut(ptr %team, i64 1)
  call void @join(ptr %team, i64 0)
  ret void
}

; Run a launch block.  Returns 0, or 12 (ENOMEM) when no thread had memory for its scratch.
define i64 @launch(ptr %block) nounwind {
  %count.p = getelementptr %Block, ptr %block, i64 0, i32 2
  %count = load i64, ptr %count.p
  %some = icmp sgt i64 %count, 0
  br i1 %some, label %run, label %nothing
nothing:
  ret i64 0
run:
  %threads.p = getelementptr %Block, ptr %block, i64 0, i32 6
  %threads = load i64, ptr %threads.p
  %least = call i64 @llvm.smax.i64(i64 %threads, i64 1)
  %most = call i64 @llvm.smin.i64(i64 %least, i64 $MOST_RANGES$)
  %team = alloca %Team, align 128
  %lines = alloca %Line, i64 %most, align 128
  store ptr %block, ptr %team
  %ranges.p = getelementptr %Team, ptr %team, i64 0, i32 3
  store ptr %lines, ptr %ranges.p
  %served.p = getelementptr %Team, ptr %team, i64 0, i32 4
  store i64 0, ptr %served.p
  %tickets.p = getelementptr %Team, ptr %team, i64 0, i32 6
  store i64 1, ptr %tickets.p
  %former = call i64 @standard_floats()
  call void @dispatch(ptr %team, i64 %count, i64 %most)
  call void @restore_floats(i64 %former)
  %served = load i64, ptr %served.p
  %starved = icmp eq i64 %served, 0
  %code = select i1 %starved, i64 12, i64 0
  ret i64 %code
}
"""

_CONTROL: Final = """
; Forget all workers: in a forked child none of them exists.
define void @reset() nounwind {
  store i32 0, ptr @busy
  store i32 0, ptr @sleepers
  store i64 4294967296, ptr @door
  store ptr null, ptr @runtime
  store i64 $MAX_WORKERS$, ptr @ceiling
  store i64 0, ptr @started
  ret void
}

; Use another runtime's team, `void run(void (*member)(void *), void *, unsigned threads, unsigned
; flags)`, with its number of members, from this thread, while the /proc file `witness` says
; that it is awake; null ends that.
define void @set_team(ptr %run, i32 %members, i32 %witness) nounwind {
  %self = call i64 @pthread_self()
  store i64 %self, ptr @master
  store i32 %members, ptr @members
  store i32 %witness, ptr @witness
  store i32 0, ptr @choice
  store i64 0, ptr @checked
  store atomic ptr %run, ptr @runtime release, align 8
  ret void
}

define i64 @workers() nounwind {
  %started = load i64, ptr @started
  ret i64 %started
}
"""
