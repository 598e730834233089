"""Launches that first look where their arguments lie, as LLVM IR text: a part of the pool's module.

In: the types of `pool_ir`, and `launch`.  Out: `launch_apart`, and `launch_chain` for launches that
follow each other.  Decides nothing: a table says which two arguments may not meet.  Leaves the
tables to `certile.runtime.bind`, and what is done for arguments that meet to who calls.

A chain is one foreign call.  Between two of its launches every thread of the team is done, as
`launch` waits for those inside, and the next opens the door at once: the workers have not left
their spin loop, and a thread begins with the range it had before.  So it is a barrier that nobody
waits at who sleeps, or whose core somebody else has taken.
"""

from typing import Final

__all__ = ["APART"]

APART: Final = """
; A table: the block, how many pairs, and for each pair two slots of the block's arguments and what
; the difference of their addresses may not lie between.  Whether one does.
define internal i1 @meets(ptr %table) nounwind {
entry:
  %block = load ptr, ptr %table
  %pairs.p = getelementptr i64, ptr %table, i64 1
  %pairs = load i64, ptr %pairs.p
  %args.p = getelementptr %Block, ptr %block, i64 0, i32 1
  %args = load ptr, ptr %args.p
  br label %test
test:
  %index = phi i64 [ 0, %entry ], [ %index.next, %pair ]
  %left = icmp slt i64 %index, %pairs
  br i1 %left, label %pair, label %apart
pair:
  %words = mul i64 %index, 4
  %first.at = add i64 %words, 2
  %pair.p = getelementptr i64, ptr %table, i64 %first.at
  %second.p = getelementptr i64, ptr %pair.p, i64 1
  %low.p = getelementptr i64, ptr %pair.p, i64 2
  %high.p = getelementptr i64, ptr %pair.p, i64 3
  %first.slot = load i64, ptr %pair.p
  %second.slot = load i64, ptr %second.p
  %low = load i64, ptr %low.p
  %high = load i64, ptr %high.p
  %first.p = getelementptr i64, ptr %args, i64 %first.slot
  %other.p = getelementptr i64, ptr %args, i64 %second.slot
  %first = load i64, ptr %first.p
  %second = load i64, ptr %other.p
  %distance = sub i64 %first, %second
  %above = icmp sgt i64 %distance, %low
  %below = icmp slt i64 %distance, %high
  %meet = and i1 %above, %below
  %index.next = add i64 %index, 1
  br i1 %meet, label %met, label %test
apart:
  ret i1 false
met:
  ret i1 true
}

; Run the block of a table; -1, with nothing run, where two of its arguments meet.
define i64 @launch_apart(ptr %table) nounwind {
  %meet = call i1 @meets(ptr %table)
  br i1 %meet, label %met, label %apart
apart:
  %block = load ptr, ptr %table
  %failed = call i64 @launch(ptr %block)
  ret i64 %failed
met:
  ret i64 -1
}

; A chain: how many tables, and their addresses.  Run their blocks in order, as `launch` does; -1,
; with nothing run, where two arguments of one of them meet.
define i64 @launch_chain(ptr %chain) nounwind {
entry:
  %count = load i64, ptr %chain
  br label %look
look:
  %looked = phi i64 [ 0, %entry ], [ %looked.next, %test ]
  %unseen = icmp slt i64 %looked, %count
  br i1 %unseen, label %test, label %next
test:
  %looked.next = add i64 %looked, 1
  %seen.p = getelementptr ptr, ptr %chain, i64 %looked.next
  %seen = load ptr, ptr %seen.p
  %meet = call i1 @meets(ptr %seen)
  br i1 %meet, label %met, label %look
next:
  %index = phi i64 [ 0, %look ], [ %index.next, %run ]
  %left = icmp slt i64 %index, %count
  br i1 %left, label %run, label %done
run:
  %index.next = add i64 %index, 1
  %table.p = getelementptr ptr, ptr %chain, i64 %index.next
  %table = load ptr, ptr %table.p
  %block = load ptr, ptr %table
  %failed = call i64 @launch(ptr %block)
  %ran = icmp eq i64 %failed, 0
  br i1 %ran, label %next, label %stopped
stopped:
  ret i64 %failed
done:
  ret i64 0
met:
  ret i64 -1
}
"""
