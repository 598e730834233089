"""Kernels in LLVM text for tests of the pool, and launch blocks with what they point to."""

import ctypes

from certile.runtime.cpu.pool import LaunchBlock, Pool

KERNELS = """
declare i64 @pthread_self()

; counts[group] += 1, by a plain load and store: a group that runs twice at once would be lost
define void @count(ptr %args, i64 %first, i64 %last, ptr %scratch) {
entry:
  %counts = load ptr, ptr %args
  br label %loop
loop:
  %i = phi i64 [ %first, %entry ], [ %next, %loop ]
  %p = getelementptr i64, ptr %counts, i64 %i
  %old = load i64, ptr %p
  %new = add i64 %old, 1
  store i64 %new, ptr %p
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %last
  br i1 %more, label %loop, label %done
done:
  ret void
}

; who[group], where[group] = thread, scratch
define void @report(ptr %args, i64 %first, i64 %last, ptr %scratch) {
entry:
  %who = load ptr, ptr %args
  %where.p = getelementptr ptr, ptr %args, i64 1
  %where = load ptr, ptr %where.p
  %self = call i64 @pthread_self()
  br label %loop
loop:
  %i = phi i64 [ %first, %entry ], [ %next, %loop ]
  %a = getelementptr i64, ptr %who, i64 %i
  store i64 %self, ptr %a
  %b = getelementptr ptr, ptr %where, i64 %i
  store ptr %scratch, ptr %b
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %last
  br i1 %more, label %loop, label %done
done:
  ret void
}

; sizes[first] = last - first
define void @size(ptr %args, i64 %first, i64 %last, ptr %scratch) {
  %sizes = load ptr, ptr %args
  %p = getelementptr i64, ptr %sizes, i64 %first
  %n = sub i64 %last, %first
  store i64 %n, ptr %p
  ret void
}

; wait until every task has begun: returns only if each has a thread of its own
define void @meet(ptr %args, i64 %first, i64 %last, ptr %scratch) {
entry:
  %arrived = load ptr, ptr %args
  %wanted.p = getelementptr i64, ptr %args, i64 1
  %wanted = load i64, ptr %wanted.p
  %before = atomicrmw add ptr %arrived, i64 1 seq_cst
  br label %wait
wait:
  %now = load atomic i64, ptr %arrived seq_cst, align 8
  %short = icmp slt i64 %now, %wanted
  br i1 %short, label %wait, label %done
done:
  ret void
}

; who[first] = thread, then wait until two tasks have begun
define void @meet_and_tell(ptr %args, i64 %first, i64 %last, ptr %scratch) {
entry:
  %arrived = load ptr, ptr %args
  %who.p = getelementptr ptr, ptr %args, i64 1
  %who = load ptr, ptr %who.p
  %self = call i64 @pthread_self()
  %p = getelementptr i64, ptr %who, i64 %first
  store i64 %self, ptr %p
  %before = atomicrmw add ptr %arrived, i64 1 seq_cst
  br label %wait
wait:
  %now = load atomic i64, ptr %arrived seq_cst, align 8
  %short = icmp slt i64 %now, 2
  br i1 %short, label %wait, label %done
done:
  ret void
}

; call a function pointer: args[0](args[1])
define void @call(ptr %args, i64 %first, i64 %last, ptr %scratch) {
  %fn = load ptr, ptr %args
  %argument.p = getelementptr ptr, ptr %args, i64 1
  %argument = load ptr, ptr %argument.p
  %ignored = call i64 %fn(ptr %argument)
  ret void
}

; out[group] = 2**-140 / 2, which flushing to zero would make 0 (or round up)
define void @subnormal(ptr %args, i64 %first, i64 %last, ptr %scratch) {
entry:
  %in = load ptr, ptr %args
  %out.p = getelementptr ptr, ptr %args, i64 1
  %out = load ptr, ptr %out.p
  br label %loop
loop:
  %i = phi i64 [ %first, %entry ], [ %next, %loop ]
  %x = load volatile float, ptr %in
  %y = fmul float %x, 0.5
  %p = getelementptr float, ptr %out, i64 %i
  store float %y, ptr %p
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %last
  br i1 %more, label %loop, label %done
done:
  ret void
}

; out[group] = counts[n - 1 - group]: what the other end of the launch before has made
define void @reverse(ptr %args, i64 %first, i64 %last, ptr %scratch) {
entry:
  %counts = load ptr, ptr %args
  %out.p = getelementptr ptr, ptr %args, i64 1
  %out = load ptr, ptr %out.p
  %n.p = getelementptr i64, ptr %args, i64 2
  %n = load i64, ptr %n.p
  br label %loop
loop:
  %i = phi i64 [ %first, %entry ], [ %next, %loop ]
  %next = add i64 %i, 1
  %from = sub i64 %n, %next
  %a = getelementptr i64, ptr %counts, i64 %from
  %made = load i64, ptr %a
  %b = getelementptr i64, ptr %out, i64 %i
  store i64 %made, ptr %b
  %more = icmp slt i64 %next, %last
  br i1 %more, label %loop, label %done
done:
  ret void
}
"""


class Call:
    """A launch block, its arguments, and what keeps them alive."""

    def __init__(
        self, fn: int, *args: object, count: int, grain: int = 1, threads: int = 4
    ) -> None:
        self._keep = args
        slots = [a if isinstance(a, int) else ctypes.addressof(a) for a in args]  # type: ignore[arg-type]
        self.args = (ctypes.c_int64 * max(1, len(slots)))(*slots)
        self.block = LaunchBlock(fn, ctypes.addressof(self.args), count, grain, 0, 0, threads)

    @property
    def address(self) -> int:
        return ctypes.addressof(self.block)

    def launch(self, team: Pool) -> int:
        return team.launch(self.address)
