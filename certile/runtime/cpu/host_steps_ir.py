"""What the host does before and after one launch, as LLVM IR text.

In: a type of integers.  Out: one module that exports `run` and `add_up`.  Decides how integers are
compared with their bound and how losses are added.  Leaves the record that both read, and who calls
them, to `host_steps`.

`run(record)` reads integers, launches, and adds up what the launch made.  It returns how many
integers are not the one to ignore; -1, with nothing launched, where one is neither that nor from 0
to below the bound; -2 where the launch had no memory; -3, with nothing launched, where two
arguments meet that may not.  `add_up(record, counted)` is the last step alone.

Sums are f64 and compensated, in eight lanes: Knuth's two-sum finds the rounding error of each
addition exactly, and the errors are added in the end.  So the error of a sum does not grow with the
number of rows, and no sum depends on how many threads made the rows.
"""

from collections.abc import Callable
from typing import Final

__all__ = ["FIELDS", "TYPES", "module_text"]

# Our names of integer types: LLVM's, how many bytes they have, and how they are widened.
TYPES: Final = {
    "i8": ("i8", 1, "sext"),
    "i16": ("i16", 2, "sext"),
    "i32": ("i32", 4, "sext"),
    "i64": ("i64", 8, "bitcast"),
    "u8": ("i8", 1, "zext"),
    "u16": ("i16", 2, "zext"),
    "u32": ("i32", 4, "zext"),
}

# The fields of a record, eight bytes each.  A `slot` is the address of a word that holds the
# address of the first element; where it is 0 there is nothing of the kind.
FIELDS: Final = (
    "integers_slot",
    "count",
    "stride",
    "bound",
    "ignored",
    "block",
    "launch",
    "losses_slot",
    "weights_slot",
    "rows",
    "wide",
    "mean",
    "out_slot",
    "out_bytes",
    "total",
)


def module_text(integers: str) -> str:
    """Return the module for integers of one of `TYPES`, the same on every processor."""
    parts = (_HEAD, _sum("float", 4), _sum("double", 8), _ADD_UP, _run(*TYPES[integers]))
    text = "\n".join(parts)
    for index, name in enumerate(FIELDS):
        text = text.replace(f"$field {name}$", f"%Record, ptr %record, i64 0, i32 {index}")
    return text


def _run(kind: str, size: int, widen: str) -> str:
    """Return `run`, and the reading that it begins with."""

    def widened(value: str, lanes: str) -> str:
        whole, narrow = lanes.format("i64"), lanes.format(kind)
        return f"{widen} {narrow} {value} to {whole}"

    return _filled(_RUN, widened).replace("$KIND$", kind).replace("$SIZE$", str(size))


def _sum(kind: str, size: int) -> str:
    """Return `sum_KIND`."""

    def widened(value: str, lanes: str) -> str:
        whole, narrow = lanes.format("double"), lanes.format(kind)
        # A conversion from a type to itself is none, but takes any type.
        return f"{'bitcast' if kind == 'double' else 'fpext'} {narrow} {value} to {whole}"

    return _filled(_SUM, widened).replace("$KIND$", kind).replace("$SIZE$", str(size))


def _filled(text: str, widened: Callable[[str, str], str]) -> str:
    """Return a text with the steps that widen eight lanes, and one."""
    text = text.replace("$eight widened$", widened("%eight", "<8 x {}>"))
    return text.replace("$one widened$", widened("%raw", "{}"))


_HEAD: Final = f"""
%Record = type {{ {", ".join(["i64"] * len(FIELDS))} }}

declare i64 @llvm.vector.reduce.add.v8i64(<8 x i64>)
declare i64 @llvm.vector.reduce.or.v8i64(<8 x i64>)

; A sum and its error with one more number: what the addition rounded away is added to the error.
define internal {{ double, double }} @two_sum({{ double, double }} %state, double %x) nounwind {{
  %s = extractvalue {{ double, double }} %state, 0
  %c = extractvalue {{ double, double }} %state, 1
  %t = fadd double %s, %x
  %z = fsub double %t, %s
  %back = fsub double %t, %z
  %lost = fsub double %s, %back
  %missed = fsub double %x, %z
  %error = fadd double %lost, %missed
  %c.next = fadd double %c, %error
  %half = insertvalue {{ double, double }} poison, double %t, 0
  %both = insertvalue {{ double, double }} %half, double %c.next, 1
  ret {{ double, double }} %both
}}
"""

_RUN: Final = """
; How many integers are not %ignored; -1 where one is neither that nor from 0 to below %bound.
define internal i64 @read(ptr %data, i64 %n, i64 %stride, i64 %bound, i64 %ignored) nounwind {
entry:
  %dense = icmp eq i64 %stride, 1
  %eights = and i64 %n, -8
  %wide.n = select i1 %dense, i64 %eights, i64 0
  %bounds.0 = insertelement <8 x i64> poison, i64 %bound, i64 0
  %bounds = shufflevector <8 x i64> %bounds.0, <8 x i64> poison, <8 x i32> zeroinitializer
  %ignoreds.0 = insertelement <8 x i64> poison, i64 %ignored, i64 0
  %ignoreds = shufflevector <8 x i64> %ignoreds.0, <8 x i64> poison, <8 x i32> zeroinitializer
  %any = icmp sgt i64 %wide.n, 0
  br i1 %any, label %wide, label %rest
wide:
  %i = phi i64 [ 0, %entry ], [ %i.next, %wide ]
  %wrongs = phi <8 x i64> [ zeroinitializer, %entry ], [ %wrongs.next, %wide ]
  %counts = phi <8 x i64> [ zeroinitializer, %entry ], [ %counts.next, %wide ]
  %eight.p = getelementptr $KIND$, ptr %data, i64 %i
  %eight = load <8 x $KIND$>, ptr %eight.p, align $SIZE$
  %values = $eight widened$
  %outside = icmp uge <8 x i64> %values, %bounds
  %other = icmp ne <8 x i64> %values, %ignoreds
  %wrong = and <8 x i1> %outside, %other
  %wrong.wide = zext <8 x i1> %wrong to <8 x i64>
  %other.wide = zext <8 x i1> %other to <8 x i64>
  %wrongs.next = or <8 x i64> %wrongs, %wrong.wide
  %counts.next = add <8 x i64> %counts, %other.wide
  %i.next = add i64 %i, 8
  %more = icmp slt i64 %i.next, %wide.n
  br i1 %more, label %wide, label %folded
folded:
  %wrong.sum = call i64 @llvm.vector.reduce.or.v8i64(<8 x i64> %wrongs.next)
  %count.sum = call i64 @llvm.vector.reduce.add.v8i64(<8 x i64> %counts.next)
  br label %rest
rest:
  %bad.0 = phi i64 [ 0, %entry ], [ %wrong.sum, %folded ]
  %count.0 = phi i64 [ 0, %entry ], [ %count.sum, %folded ]
  br label %test
test:
  %k = phi i64 [ %wide.n, %rest ], [ %k.next, %one ]
  %bad = phi i64 [ %bad.0, %rest ], [ %bad.next, %one ]
  %count = phi i64 [ %count.0, %rest ], [ %count.next, %one ]
  %left = icmp slt i64 %k, %n
  br i1 %left, label %one, label %done
one:
  %place = mul i64 %k, %stride
  %one.p = getelementptr $KIND$, ptr %data, i64 %place
  %raw = load $KIND$, ptr %one.p, align $SIZE$
  %value = $one widened$
  %one.outside = icmp uge i64 %value, %bound
  %one.other = icmp ne i64 %value, %ignored
  %one.wrong = and i1 %one.outside, %one.other
  %one.wrong.wide = zext i1 %one.wrong to i64
  %one.other.wide = zext i1 %one.other to i64
  %bad.next = or i64 %bad, %one.wrong.wide
  %count.next = add i64 %count, %one.other.wide
  %k.next = add i64 %k, 1
  br label %test
done:
  %right = icmp eq i64 %bad, 0
  %answer = select i1 %right, i64 %count, i64 -1
  ret i64 %answer
}

define i64 @run(ptr %record) nounwind {
entry:
  %slot.p = getelementptr $field integers_slot$
  %slot = load ptr, ptr %slot.p
  %data = load ptr, ptr %slot
  %n.p = getelementptr $field count$
  %n = load i64, ptr %n.p
  %stride.p = getelementptr $field stride$
  %stride = load i64, ptr %stride.p
  %bound.p = getelementptr $field bound$
  %bound = load i64, ptr %bound.p
  %ignored.p = getelementptr $field ignored$
  %ignored = load i64, ptr %ignored.p
  %counted = call i64 @read(ptr %data, i64 %n, i64 %stride, i64 %bound, i64 %ignored)
  %wrong = icmp slt i64 %counted, 0
  br i1 %wrong, label %done, label %right
right:
  %block.p = getelementptr $field block$
  %block = load i64, ptr %block.p
  %nothing = icmp eq i64 %block, 0
  br i1 %nothing, label %done, label %work
work:
  %launch.p = getelementptr $field launch$
  %launch = load ptr, ptr %launch.p
  %failed = call i64 %launch(i64 %block)
  %ran = icmp eq i64 %failed, 0
  %met = icmp slt i64 %failed, 0
  %reason = select i1 %met, i64 -3, i64 -2
  br i1 %ran, label %after, label %done
after:
  %losses.p = getelementptr $field losses_slot$
  %losses = load i64, ptr %losses.p
  %plain = icmp eq i64 %losses, 0
  br i1 %plain, label %done, label %sums
sums:
  call void @add_up(ptr %record, i64 %counted)
  br label %done
done:
  %answer = phi i64 [ %counted, %entry ], [ %counted, %right ], [ %reason, %work ],
                    [ %counted, %after ], [ %counted, %sums ]
  ret i64 %answer
}
"""

_SUM: Final = """
define internal double @sum_$KIND$(ptr %data, i64 %n) nounwind {
entry:
  %wide.n = and i64 %n, -8
  %any = icmp sgt i64 %wide.n, 0
  br i1 %any, label %wide, label %rest
wide:
  %i = phi i64 [ 0, %entry ], [ %i.next, %wide ]
  %s = phi <8 x double> [ zeroinitializer, %entry ], [ %t, %wide ]
  %c = phi <8 x double> [ zeroinitializer, %entry ], [ %c.next, %wide ]
  %eight.p = getelementptr $KIND$, ptr %data, i64 %i
  %eight = load <8 x $KIND$>, ptr %eight.p, align $SIZE$
  %x = $eight widened$
  %t = fadd <8 x double> %s, %x
  %z = fsub <8 x double> %t, %s
  %back = fsub <8 x double> %t, %z
  %lost = fsub <8 x double> %s, %back
  %missed = fsub <8 x double> %x, %z
  %error = fadd <8 x double> %lost, %missed
  %c.next = fadd <8 x double> %c, %error
  %i.next = add i64 %i, 8
  %more = icmp slt i64 %i.next, %wide.n
  br i1 %more, label %wide, label %lanes
lanes:
  %lane = phi i64 [ 0, %wide ], [ %lane.next, %lanes ]
  %joined = phi { double, double } [ zeroinitializer, %wide ], [ %joined.next, %lanes ]
  %lane.s = extractelement <8 x double> %t, i64 %lane
  %lane.c = extractelement <8 x double> %c.next, i64 %lane
  %joined.s = call { double, double } @two_sum({ double, double } %joined, double %lane.s)
  %with.c = extractvalue { double, double } %joined.s, 1
  %with.lane = fadd double %with.c, %lane.c
  %joined.next = insertvalue { double, double } %joined.s, double %with.lane, 1
  %lane.next = add i64 %lane, 1
  %lanes.left = icmp slt i64 %lane.next, 8
  br i1 %lanes.left, label %lanes, label %rest
rest:
  %state.0 = phi { double, double } [ zeroinitializer, %entry ], [ %joined.next, %lanes ]
  br label %test
test:
  %k = phi i64 [ %wide.n, %rest ], [ %k.next, %one ]
  %state = phi { double, double } [ %state.0, %rest ], [ %state.next, %one ]
  %left = icmp slt i64 %k, %n
  br i1 %left, label %one, label %done
one:
  %one.p = getelementptr $KIND$, ptr %data, i64 %k
  %raw = load $KIND$, ptr %one.p, align $SIZE$
  %value = $one widened$
  %state.next = call { double, double } @two_sum({ double, double } %state, double %value)
  %k.next = add i64 %k, 1
  br label %test
done:
  ; An infinite sum has no error that is a number.
  %sum = extractvalue { double, double } %state, 0
  %rounded = extractvalue { double, double } %state, 1
  %whole = fadd double %sum, %rounded
  %is.number = fcmp ord double %whole, %whole
  %answer = select i1 %is.number, double %whole, double %sum
  ret double %answer
}
"""

_ADD_UP: Final = """
define internal double @sum(ptr %slot, i64 %n, i64 %wide) nounwind {
  %data = load ptr, ptr %slot
  %is.wide = icmp ne i64 %wide, 0
  br i1 %is.wide, label %double, label %float
double:
  %of.double = call double @sum_double(ptr %data, i64 %n)
  ret double %of.double
float:
  %of.float = call double @sum_float(ptr %data, i64 %n)
  ret double %of.float
}

; The sum of the losses, or their mean: over the weights that were counted, or over %counted rows.
define void @add_up(ptr %record, i64 %counted) nounwind {
entry:
  %losses.p = getelementptr $field losses_slot$
  %losses = load ptr, ptr %losses.p
  %rows.p = getelementptr $field rows$
  %rows = load i64, ptr %rows.p
  %wide.p = getelementptr $field wide$
  %wide = load i64, ptr %wide.p
  %mean.p = getelementptr $field mean$
  %mean = load i64, ptr %mean.p
  %weights.p = getelementptr $field weights_slot$
  %weights = load i64, ptr %weights.p
  %sum = call double @sum(ptr %losses, i64 %rows, i64 %wide)
  %is.mean = icmp ne i64 %mean, 0
  br i1 %is.mean, label %divide, label %write
divide:
  %by.rows = sitofp i64 %counted to double
  %weighted = icmp ne i64 %weights, 0
  br i1 %weighted, label %weigh, label %quotient
weigh:
  %weights.slot = inttoptr i64 %weights to ptr
  %by.weights = call double @sum(ptr %weights.slot, i64 %rows, i64 %wide)
  br label %quotient
quotient:
  %divisor = phi double [ %by.rows, %divide ], [ %by.weights, %weigh ]
  %ratio = fdiv double %sum, %divisor
  br label %write
write:
  %total = phi double [ %sum, %entry ], [ %ratio, %quotient ]
  %total.p = getelementptr $field total$
  store double %total, ptr %total.p
  %out.p = getelementptr $field out_slot$
  %out.slot = load ptr, ptr %out.p
  %out = load ptr, ptr %out.slot
  %bytes.p = getelementptr $field out_bytes$
  %bytes = load i64, ptr %bytes.p
  switch i64 %bytes, label %done [ i64 4, label %single
                                   i64 8, label %double ]
single:
  %narrow = fptrunc double %total to float
  store float %narrow, ptr %out, align 4
  ret void
double:
  store double %total, ptr %out, align 8
  ret void
done:
  ret void
}
"""
