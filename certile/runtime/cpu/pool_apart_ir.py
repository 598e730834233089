"""A launch that first looks where its arguments lie, as LLVM IR text: a part of the pool's module.

In: the types of `pool_ir`, and `launch`.  Out: `launch_apart`.  Decides nothing: a table says which
two arguments may not meet.  Leaves the table to `certile.runtime.bind`, and what is done for
arguments that meet to who calls.
"""

from typing import Final

__all__ = ["APART"]

APART: Final = """
; A table: the block, how many pairs, and for each pair two slots of the block's arguments and what
; the difference of their addresses may not lie between.  -1, with nothing run, where one does.
define i64 @launch_apart(ptr %table) nounwind {
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
  %failed = call i64 @launch(ptr %block)
  ret i64 %failed
met:
  ret i64 -1
}
"""
