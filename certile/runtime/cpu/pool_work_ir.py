"""How the threads of a launch share its groups, as LLVM IR text: a part of the pool's module.

In: the types and globals of `pool_ir`.  Out: `cut`, which makes the ranges of a launch, `ticket`,
which gives a thread its index, and `join`, which lets a thread work.  Decides how work is handed
out and where a thread's scratch lies.  Leaves to `pool_ir` who comes in, and when.

The groups are cut into one range for each thread, and a thread begins with the range of its index:
what it read or wrote in one launch is in its own cache in the next, and a range is one run of
neighbours, where memory that was asked for ahead is read by whoever asked.  A thread without work
takes of the other ranges.  A chunk is one grain, so that a core that somebody else takes away holds
little of the work.
"""

from typing import Final

__all__ = ["WORK"]

WORK: Final = """
; Where a range begins, and the one before it ends: count * index / ranges.
define internal i64 @bound(i64 %count, i64 %index, i64 %ranges) nounwind {
  %product = mul i64 %count, %index
  %place = sdiv i64 %product, %ranges
  ret i64 %place
}

; Cut the block into ranges, of which nothing is taken.
define internal void @cut(ptr %team, i64 %ranges) nounwind {
  %limit.p = getelementptr %Team, ptr %team, i64 0, i32 1
  store i64 %ranges, ptr %limit.p
  %block = load ptr, ptr %team
  %count.p = getelementptr %Block, ptr %block, i64 0, i32 2
  %count = load i64, ptr %count.p
  %ranges.p = getelementptr %Team, ptr %team, i64 0, i32 3
  %lines = load ptr, ptr %ranges.p
  br label %next
next:
  %index = phi i64 [ 0, %0 ], [ %index.next, %next ]
  %begin = call i64 @bound(i64 %count, i64 %index, i64 %ranges)
  %next.p = getelementptr %Line, ptr %lines, i64 %index
  store i64 %begin, ptr %next.p
  %index.next = add i64 %index, 1
  %more = icmp slt i64 %index.next, %ranges
  br i1 %more, label %next, label %done
done:
  ret void
}

; Run chunks of one range until none is left.
define internal void @exhaust(ptr %team, i64 %index, ptr %scratch) nounwind {
  %block = load ptr, ptr %team
  %fn = load ptr, ptr %block
  %args.p = getelementptr %Block, ptr %block, i64 0, i32 1
  %args = load ptr, ptr %args.p
  %count.p = getelementptr %Block, ptr %block, i64 0, i32 2
  %count = load i64, ptr %count.p
  %limit.p = getelementptr %Team, ptr %team, i64 0, i32 1
  %ranges = load i64, ptr %limit.p
  %grain.p = getelementptr %Team, ptr %team, i64 0, i32 2
  %grain = load i64, ptr %grain.p
  %ranges.p = getelementptr %Team, ptr %team, i64 0, i32 3
  %lines = load ptr, ptr %ranges.p
  %next.p = getelementptr %Line, ptr %lines, i64 %index
  %after = add i64 %index, 1
  %end = call i64 @bound(i64 %count, i64 %after, i64 %ranges)
  br label %look
look:
  %seen = load atomic i64, ptr %next.p monotonic, align 8
  br label %try
try:
  %first = phi i64 [ %seen, %look ], [ %now, %take ]
  %left = sub i64 %end, %first
  %some = icmp sgt i64 %left, 0
  br i1 %some, label %take, label %done
take:
  %size = call i64 @llvm.smin.i64(i64 %left, i64 %grain)
  %last = add i64 %first, %size
  %pair = cmpxchg ptr %next.p, i64 %first, i64 %last monotonic monotonic
  %now = extractvalue { i64, i1 } %pair, 0
  %won = extractvalue { i64, i1 } %pair, 1
  br i1 %won, label %chunk, label %try
chunk:
  call void %fn(ptr %args, i64 %first, i64 %last, ptr %scratch)
  br label %look
done:
  ret void
}

; Run chunks of the thread's own range and then of the others, until none is left.
define internal void @consume(ptr %team, i64 %index, ptr %scratch) nounwind noinline {
  %limit.p = getelementptr %Team, ptr %team, i64 0, i32 1
  %ranges = load i64, ptr %limit.p
  br label %range
range:
  %turn = phi i64 [ 0, %0 ], [ %turn.next, %range ]
  %place = add i64 %index, %turn
  %beyond = icmp sge i64 %place, %ranges
  %wrapped = sub i64 %place, %ranges
  %chosen = select i1 %beyond, i64 %wrapped, i64 %place
  call void @exhaust(ptr %team, i64 %chosen, ptr %scratch)
  %turn.next = add i64 %turn, 1
  %more = icmp slt i64 %turn.next, %ranges
  br i1 %more, label %range, label %done
done:
  %served.p = getelementptr %Team, ptr %team, i64 0, i32 4
  store atomic i64 1, ptr %served.p monotonic, align 8
  ret void
}

; The index of a thread that is not the launcher.
define internal i64 @ticket(ptr %team) nounwind {
  %tickets.p = getelementptr %Team, ptr %team, i64 0, i32 6
  %index = atomicrmw add ptr %tickets.p, i64 1 monotonic
  ret i64 %index
}

; Find the scratch of the thread with this index, run chunks.  Without memory for scratch the chunks
; are left to others.
define internal void @join(ptr %team, i64 %index) nounwind noinline {
  %limit.p = getelementptr %Team, ptr %team, i64 0, i32 1
  %limit = load i64, ptr %limit.p
  %admitted = icmp slt i64 %index, %limit
  br i1 %admitted, label %member, label %done
member:
  %block = load ptr, ptr %team
  %scratch.p = getelementptr %Block, ptr %block, i64 0, i32 4
  %scratch = load ptr, ptr %scratch.p
  %stride.p = getelementptr %Block, ptr %block, i64 0, i32 5
  %stride = load i64, ptr %stride.p
  %given = icmp ne ptr %scratch, null
  br i1 %given, label %indexed, label %private
indexed:
  %offset = mul i64 %stride, %index
  %mine = getelementptr i8, ptr %scratch, i64 %offset
  call void @consume(ptr %team, i64 %index, ptr %mine)
  ret void
private:
  %small = icmp ule i64 %stride, $STACK_SCRATCH$
  br i1 %small, label %stack, label %heap
stack:
  %local = alloca i8, i64 %stride, align 64
  call void @consume(ptr %team, i64 %index, ptr %local)
  ret void
heap:
  %slot = alloca ptr
  %code = call i32 @posix_memalign(ptr %slot, i64 64, i64 %stride)
  %failed = icmp ne i32 %code, 0
  br i1 %failed, label %done, label %served
served:
  %taken = load ptr, ptr %slot
  call void @consume(ptr %team, i64 %index, ptr %taken)
  call void @free(ptr %taken)
  ret void
done:
  ret void
}
"""
