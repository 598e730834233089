"""Codes K…: the kernel, as written, is wrong.

In: literals.  Out: `KERNEL`.  Decides their wording.  Leaves raising to the stages.
"""

from certile.codes.entry import Code

__all__ = ["KERNEL"]

KERNEL: tuple[Code, ...] = (
    Code(
        "K001",
        "A language function outside a kernel",
        (
            "Functions such as ct.exp or ct.axis describe what a kernel does. Outside a function "
            "marked with ct.tile_kernel there is nothing that they could describe."
        ),
        "ct.exp(1.0)",
        "call it inside a function marked with @ct.tile_kernel, or use math or NumPy",
    ),
    Code(
        "K002",
        "The truth value of a tile",
        (
            "`if`, `while`, `and`, `or`, `not` and a chained comparison ask Python for one answer, "
            "but a tile holds one for each element, known only when the kernel runs."
        ),
        "y[r, cols] = v if v > 0 else 0.0",
        "use ct.where, & | ~ and two comparisons, or declare the argument as ct.constexpr",
    ),
    Code(
        "K003",
        "A tile as a Python number or sequence",
        (
            "int(), float(), len(), iteration and Python indexing need values while the kernel is "
            "compiled; the elements of a tile or a view exist only when it runs."
        ),
        "int(v)",
        "use ct.cast, ct.gather or a loop over an axis; ct.constexpr for compile-time numbers",
    ),
    Code(
        "K004",
        "A value of a serial loop after the loop",
        (
            "The body of a serial loop runs once for each coordinate, so a value made in it is not "
            "one value after the loop. What an iteration hands on is said with ct.carry."
        ),
        "for k in ct.serial(cols): last = x[r, k]\ny[r] = last",
        "use ct.carry for what an iteration hands on",
    ),
    Code(
        "K005",
        "A value of a parallel loop outside it",
        (
            "Each instance of a parallel loop has values of its own; outside the loop there is no "
            "instance whose value is meant."
        ),
        "for r in ct.parallel(rows): v = x[r, cols]\nct.exp(v)",
        "store the value in the loop and load it where it is needed",
    ),
    Code(
        "K006",
        "Work outside any parallel loop",
        (
            "Memory is read and written by instances of a parallel loop; a serial loop orders the "
            "work of one instance. Neither stands at the top of a kernel."
        ),
        "v = x[0, cols]",
        'put it into `for r in ct.parallel(rows)`; one instance is ct.axis("one", 1)',
    ),
    Code(
        "K007",
        "A loop that is left early",
        (
            "The body of a loop is recorded once and stands for every coordinate, so `break` and "
            "`return` inside it cannot mean some of them only."
        ),
        "for k in ct.serial(cols): break",
        "let the body run to its end; use ct.where for what depends on the coordinate",
    ),
    Code(
        "K008",
        "A carried value shared by instances",
        (
            "A value made with ct.carry outside a parallel loop is assigned inside it. Its "
            "instances have no order, so there is no next iteration to carry to."
        ),
        "acc = ct.carry(0.0)\nfor r in ct.parallel(rows): acc.value = x[r]",
        "make the carry inside the parallel loop, or use ct.reduce",
    ),
    Code(
        "K009",
        "A carried value that changes its type",
        (
            "What a serial loop carries has one dtype and one set of axes, those it began with. A "
            "wider dtype or another axis cannot be assigned to it."
        ),
        "acc = ct.carry(0.0)\nacc.value = acc.value + x[r, cols]",
        "begin with the type that the loop computes, by ct.zeros(axes, dtype) or dtype=",
    ),
    Code(
        "K010",
        "Not a value to compute with",
        (
            "An operand is neither a tile, nor an extent, nor a number: a view that was not "
            "loaded, an axis, a carried value without .value, an array or another Python object."
        ),
        "ct.exp(x)",
        "load views, take .value of carried values, pass arrays as arguments",
    ),
    Code(
        "K011",
        "A dtype the function does not take",
        (
            "The function is not defined for the dtype: bits of a float, a condition that is no "
            "bool, an index that is no integer, a bitcast to another width."
        ),
        "ct.where(v, 1.0, 0.0)",
        "convert the operand first, by ct.cast or a comparison",
    ),
    Code(
        "K012",
        "A number that the dtype cannot hold",
        (
            "A Python number takes the dtype of the tile beside it. This one is out of range for "
            "that dtype, or has a fraction where the dtype has none."
        ),
        "ct.cast(v, ct.u8) + 300",
        "use a number in range, or cast the tile to a wider dtype first",
    ),
    Code(
        "K013",
        "An axis the tile does not span",
        (
            "A reduction, a gather, a relabel or a broadcast names an axis that is not among the "
            "axes of its tile, or names one twice."
        ),
        "ct.reduce(x[r, cols], rows, ct.add)",
        "name an axis of the tile, or broadcast the tile to it first",
    ),
    Code(
        "K014",
        "A stored value with an axis too many",
        (
            "The value has elements along an axis that the place it is stored to does not span, so "
            "several elements would go to one place."
        ),
        "y[r] = x[r, cols]",
        "reduce the value over that axis, or relabel it to an axis of the place",
    ),
    Code(
        "K015",
        "A wrong number of indices",
        (
            "A view or placed memory takes exactly one index, and one entry of a shape, for each "
            "of its dimensions; there are no implied ones."
        ),
        "x[r]  # x has rank 2",
        "give one entry a dimension; ct.constexpr can choose between ranks",
    ),
    Code(
        "K016",
        "Not an index",
        (
            "An index is an axis, a coordinate, an extent or an integer tile, counted from 0. "
            "Slices, None, floats, negative numbers and the axis of a running loop are not."
        ),
        "x[r, 0:4]",
        "index with an axis for a whole dimension, or with the loop's variable",
    ),
    Code(
        "K017",
        "Two loops over one axis",
        (
            "A loop over an axis runs inside another loop over the same axis, or one loop names "
            "it twice. An axis has one coordinate at a time."
        ),
        "for r in ct.parallel(rows):\n    for q in ct.serial(rows): ...",
        "make a second axis of the same extent",
    ),
    Code(
        "K018",
        "Axes that cannot stand for each other",
        (
            "A relabel moves a tile from one axis to another. The two differ in extent, or the "
            "tile spans the second already."
        ),
        "ct.relabel(v, cols, other)",
        "relabel to a fresh axis of the same extent",
    ),
    Code(
        "K019",
        "A loop over something else than axes",
        (
            "ct.parallel takes one or more axes, ct.serial one axis and a positive step. Ranges "
            "and extents are not axes."
        ),
        "for r in ct.parallel(x.shape[0]): ...",
        "make an axis with ct.axis(name, extent) and loop over it",
    ),
    Code(
        "K020",
        "Not a law to reduce by",
        (
            "A reduction is by a law that says what an empty axis gives and whether elements may "
            "be regrouped. A plain function says neither, so it needs an order and a start."
        ),
        "ct.reduce(v, cols, lambda a, b: a - b)",
        'use ct.add and its like, or policy="fold_left" with init= for a plain function',
    ),
    Code(
        "K021",
        "A fold function that does more than combine",
        (
            "A plain function given to ct.reduce is recorded once and applied to every element. It "
            "may combine its two arguments and constants, in their own dtype, and nothing else."
        ),
        'ct.reduce(v, cols, lambda a, b: a + b * x[r, 0], policy="fold_left", init=0.0)',
        "prepare everything else in the tile that is reduced",
    ),
    Code(
        "K022",
        "An unknown option",
        (
            "A policy, a scope, a bounds option or a resource is named by one of a few words. "
            "This word is none of them."
        ),
        'ct.reduce(v, cols, ct.add, policy="fast")',
        "use one of the words that the documentation of the function lists",
    ),
    Code(
        "K023",
        "A fill that cannot be used",
        (
            'A fill is one value for elements that are masked off. It needs bounds="zero", and it '
            "has no axes of its own."
        ),
        "x.tile((r, cols), fill=0.0)",
        'say bounds="zero", and give a number or a scalar tile',
    ),
    Code(
        "K024",
        "A store that would lose the kind of number",
        (
            "A store rounds floats to the width of its view by itself, and converts integers. It "
            "does not drop fractions or turn numbers into truth values unasked."
        ),
        "labels[r] = x[r, 0]  # f32 into i32",
        "convert with ct.cast, or compare to get a bool",
    ),
    Code(
        "K025",
        "An extent without a value",
        (
            "The kernel's code makes an extent a number, by int(), range(), a comparison or "
            "arithmetic, but the kernel is looked at without arguments whose shape would tell."
        ),
        "certile prove kernels.py:uses_an_extent_as_a_number",
        "use the extent in ct.axis and beside tiles only, or give a shape",
    ),
    Code(
        "K026",
        "A signature that no call can fit",
        (
            "A kernel is a Python function with a fixed list of parameters. Each is annotated with "
            "a view, a dtype, int, float, bool or ct.constexpr, or not at all."
        ),
        "@ct.tile_kernel\ndef kernel(*views): ...",
        "list the parameters one by one, with the annotations of the language",
    ),
    Code(
        "K027",
        "A kernel that returns a value",
        ("A kernel gives its results by storing to views; what its function returns is lost."),
        "return v",
        "add a parameter for the result and store to it; ct.op makes a function of the kernel",
    ),
    Code(
        "K028",
        "Not an axis",
        (
            "An axis is made by ct.axis from a name and an extent that is not negative. A number, "
            "a tile or a view is no axis."
        ),
        "ct.zeros(4, ct.f32)",
        'make one with ct.axis("name", extent)',
    ),
    Code(
        "K029",
        "Operands or start values that do not fit the law",
        (
            "A law reduces a fixed number of tiles together, and its state has a fixed number of "
            "components, each of which takes one scalar start value."
        ),
        "ct.reduce((a, b), cols, ct.add)",
        "give one tile an operand and one scalar a component of the law",
    ),
    Code(
        "K030",
        "Not a dtype",
        (
            "A dtype is one of the language's, its name, or the dtype object of NumPy, PyTorch or "
            "MLX. Other types are refused by name and never read as something near."
        ),
        'ct.cast(v, "complex64")',
        "use bool, i8-i64, u8-u64, f16, bf16, f32 or f64, and f8e4m3 or f8e5m2 for arrays",
    ),
    Code(
        "K031",
        "A kernel launched inside a kernel",
        (
            "Inside a kernel there are no arrays to launch another one with. A plain Python "
            "function, without the decorator, can be shared by kernels."
        ),
        "other(x, y)  # in the body of another kernel",
        "move what they share into a plain function and call that",
    ),
    Code(
        "K032",
        "Something of an earlier run",
        (
            "A tile, a view, a memory or an extent was kept in a global, a default argument or a "
            "container and is used when the code of this kernel, or of another one, runs. They "
            "live as long as the run that made them; so does an axis with the extent of a view."
        ),
        "kept.append(v)  # and in the next run: kept[0] + v",
        "make it again in each run",
    ),
    Code(
        "K033",
        "A layout that cannot place a memory",
        (
            "A layout says where each element of a memory lives. Its extents must be those of the "
            "memory's axes, and it must be proved that every coordinate has an offset, that no "
            "offset leaves the storage, and that no two coordinates share one. What is unknown is "
            "not proved."
        ),
        "ct.memory((rows, cols), ct.f32, layout=ct.layouts.strided((8, 8), (8, 0)))",
        "look at layout.prove(): it shows the coordinates that collide",
    ),
    Code(
        "K034",
        "A kernel that stores nothing",
        ("A kernel has an effect only by storing to views. This one has none at all."),
        "def kernel(x: ct.View): ct.axis('rows', x.shape[0])",
        "store a result to a view",
    ),
    Code(
        "K035",
        "Fast math where it may not be",
        (
            'math="fast" lets a target assume that no value is NaN or infinite and that sums may '
            "be regrouped. A kernel that tests for them, or fixes an order, would change meaning."
        ),
        '@ct.tile_kernel(math="fast")  # and ct.isnan(v) in the body',
        'use math="precise" for this kernel',
    ),
    Code(
        "K036",
        "A method or operator that tiles lack",
        (
            "A tile has a dtype and axes. What arrays of NumPy and PyTorch do by methods, by "
            "indices and by @, a kernel does by functions of the language."
        ),
        "y[r] = x[r, cols].sum()",
        "use ct.reduce, ct.cast or another function of the language",
    ),
    Code(
        "K040",
        "A law that lacks a part",
        (
            "A class under ct.law has a state, a dict of component names and dtypes, and the "
            "static methods identity(), lift(x), merge(a, b) and finalize(s)."
        ),
        '@ct.law\nclass Total:\n    state = {"total": "acc"}  # and no methods',
        "add the part that the message names, as a static method without self",
    ),
    Code(
        "K041",
        "A law whose methods do not fit its state",
        (
            "The methods of a law are recorded once, on symbols. Each returns one value a "
            "component of the state, in its dtype or one that it holds exactly, and combines "
            "nothing but its arguments and constants."
        ),
        'state = {"total": "acc"}  # and in merge: return a.totals + b.totals',
        "return the components of the state, in order or as a dict, and convert with ct.cast",
    ),
    Code(
        "K042",
        "A law that its own elements contradict",
        (
            "Before a law of the author's is used with a tree, it is tried on short generated "
            "lists: the identity must change nothing, and grouping (and order, unless the law "
            "says commutative = False) must not matter. The message shows lists where it does."
        ),
        "merge = staticmethod(lambda a, b: (a.total + b.total) / 2)",
        "carry what the merge needs in the state, such as a count beside a mean",
    ),
    Code(
        "K043",
        "A law that is not proved to be what its author says",
        (
            "A law whose class has spec or step is proved before it is used with a tree. The "
            "message names the obligation that was not proved, says it as an equation, and shows "
            "lists on which its sides differ, or that none were found. The first word of the "
            "obligation tells what is wrong: nil the identity, one the lift, cat the merge, "
            "unordered a merge that does not commute, finalize the result."
        ),
        "spec = staticmethod(lambda xs: ct.list.sum(xs))  # and finalize gives a mean",
        "make the method that the obligation is of agree with spec or step",
    ),
    Code(
        "K037",
        "A selection of a number of elements that it cannot have",
        (
            "ct.topk keeps what it selects in registers: 1 to 64 elements, no more than the axis "
            "has. How many is the extent of the axis that they span, a known integer. The state "
            "of ct.top_values(k) and ct.bottom_values(k) is 1 to 16 values."
        ),
        'ct.topk(v, ct.axis("top", 100), cols)',
        "select fewer elements, or use ct.sort and store the elements wanted",
    ),
    Code(
        "K038",
        "A loop with a policy that is no reduction",
        (
            "A policy lets the turns of a serial loop be regrouped. Each carried value is then a "
            "fold: a turn merges into it, by one law, what reads no carried value, and the body "
            "only loads beside that. A loop that stores, that holds a loop in order, or whose "
            "turns read what earlier ones made has an order that no policy can take away."
        ),
        (
            "c = ct.carry(0.0)\n"
            'for k in ct.serial(cols, policy="unordered_tree"): c.value = c.value * 0.5 + x[r, k]'
        ),
        "write the turn as a merge, or leave policy= out to run the turns in order",
    ),
)
