"""Codes A…: a call, an argument or a launch is wrong.

In: literals.  Out: `ARGUMENTS`.  Decides their wording.  Leaves raising to the stages.
"""

from certile.codes.entry import Code

__all__ = ["ARGUMENTS"]

ARGUMENTS: tuple[Code, ...] = (
    Code(
        "A001",
        "Arguments that do not match the parameters",
        (
            "An argument is missing, given twice, or given to a parameter that the kernel does not "
            "have. Defaults and keywords work as for any Python function."
        ),
        "kernel(x)  # y is missing",
        "give one argument for each parameter",
    ),
    Code(
        "A002",
        "An argument of a wrong kind",
        (
            "A parameter takes an array, a number or a compile-time value, by its annotation or by "
            "what the kernel does with it. The argument is something else."
        ),
        "kernel(x, [1.0, 2.0])",
        "pass what the parameter takes; annotate compile-time values with ct.constexpr",
    ),
    Code(
        "A003",
        "An element type that the parameter does not take",
        ("The parameter is annotated with element types, and the array has another."),
        "kernel(x.astype('f8'), y)  # x: ct.View[ct.f32, 2]",
        "convert the array, or widen the annotation",
    ),
    Code(
        "A004",
        "A rank that the parameter does not take",
        ("The parameter is annotated with a rank, and the array has another."),
        "kernel(x[0], y)  # x: ct.View[ct.f32, 2]",
        "reshape the array, or drop the rank from the annotation",
    ),
    Code(
        "A005",
        "An output that overlaps another argument",
        (
            "A view that the kernel stores to shares memory with another argument, and the two are "
            "not the very same view. Which value a load would see then depends on the order of "
            "instances, so nothing is launched."
        ),
        "kernel(x[:-1], x[1:])",
        "pass a copy, or the same view for input and output",
    ),
    Code(
        "A006",
        "Arrays on different devices",
        ("The arrays of one call live on different devices, and a launch runs on one."),
        "kernel(x_on_gpu, y_on_cpu)",
        "move the arrays to one device first",
    ),
    Code(
        "A007",
        "A number that the parameter does not take",
        (
            "The parameter is a run-time scalar with a dtype or a Python type, and the number is "
            "out of range for it or of another kind."
        ),
        "kernel(x, y, n=2.5)  # n: ct.i32",
        "pass a number that fits, or change the annotation",
    ),
    Code(
        "A008",
        "A compile-time value that cannot be hashed",
        (
            "A ct.constexpr parameter is part of the compiled kernel's identity, so its value must "
            "have a hash: numbers, strings, dtypes, tuples of them, functions."
        ),
        "kernel(x, y, sizes=[1, 2])  # sizes: ct.constexpr",
        "pass a tuple instead of a list, or another value with a hash",
    ),
    Code(
        "A009",
        "An unknown target or option",
        (
            "A target is cpu, reference, metal-sim, metal, cuda or null; the options of a kernel "
            "are math and rewrites. Nothing is guessed from another word."
        ),
        'with ct.target("gpu"): ...',
        "use one of the words that the documentation lists",
    ),
    Code(
        "A010",
        "A prepared call with other arguments",
        (
            "A prepared call is bound to element types, shapes, strides and alignment. The arrays "
            "given to it differ in one of them."
        ),
        "prepared = kernel.prepare(x, y)\nprepared(x[:3], y[:3])",
        "prepare the call again for these arguments, or call the kernel itself",
    ),
    Code(
        "A011",
        "Outputs that the op cannot make",
        (
            "ct.op allocates the outputs it is told about, from the shape and element type of an "
            "input. The description names no parameter, or `out=` does not fit it."
        ),
        'ct.op(kernel, outputs={"z": ct.like("x")})  # there is no z',
        "describe each output by a parameter of the kernel and an input it is like",
    ),
    Code(
        "A012",
        "A call of a batch that has ended",
        (
            "The calls of a batch run when its block ends. One that is added later would never "
            "run, and its outputs would keep what they hold."
        ),
        "with batch() as calls: ...\ncalls.call(kernel, x, y)",
        "add the call inside the block",
    ),
    Code(
        "A201",
        "not an array",
        (
            "An argument stands where an operation takes an array, but it is none: lists, scalars "
            "and lazy objects have no memory that a kernel could read."
        ),
        "ops.sum([1.0, 2.0])",
        "pass an array of NumPy, PyTorch or MLX, or an object with __dlpack__",
    ),
    Code(
        "A202",
        "element type that kernels lack",
        (
            "The element type of an array is none that kernels compute with (complex "
            "numbers, objects, text, structures), or its bytes are in the other order. Such "
            "an array is never reinterpreted."
        ),
        "kernel(np.zeros(4, complex), y)",
        "convert the array to one of the element types in the documentation",
    ),
    Code(
        "A203",
        "strides between elements",
        (
            "The strides of an array are no whole number of elements, as in one field of a "
            "structured array, so an index cannot be turned into an address."
        ),
        'kernel(records["field"], y)',
        "pass a copy of the array",
    ),
    Code(
        "A204",
        "output that cannot be stored to",
        (
            "A kernel stores to this argument, but the array is read-only, takes part in "
            "automatic differentiation, or is expanded so that elements share memory."
        ),
        "kernel(x, np.broadcast_to(row, (8, 4)))",
        "pass an array of its own memory that may be written",
    ),
    Code(
        "A205",
        "array in memory that the host cannot address",
        (
            "An array that is exchanged through DLPack lies on another device than the CPU. "
            "Kernels for a GPU are called with tensors of PyTorch, which say on which stream "
            "they are used."
        ),
        "kernel(cupy_array, y)",
        "copy the array to the CPU, or pass a tensor of PyTorch",
    ),
)
