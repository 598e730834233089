"""Codes of the ready-made operations and of the command line.

In: literals.  Out: `OPERATIONS` by letter.  Decides their wording.  Leaves raising to
`certile.ops` and `certile.cli`.
"""

from certile.codes.entry import Code

__all__ = ["OPERATIONS"]

OPERATIONS: dict[str, tuple[Code, ...]] = {
    "A": (
        Code(
            "A301",
            "axis that the array does not have",
            (
                "An operation was asked to work along an axis that is not there, along one axis "
                "twice, along several where it takes one, or along something that is no integer."
            ),
            "ops.sum(np.zeros((3, 4), np.float32), axis=2)",
            "Name an axis of the array, counted from 0, or from -1 at the end",
        ),
        Code(
            "A302",
            "element type that the operation does not take or give",
            (
                "Exponentials, norms and such are defined for real numbers; an array of bool or "
                "integers is converted only where its own framework would do so, and a result "
                "dtype has to be one that the operation gives."
            ),
            "ops.logsumexp(np.arange(4))",
            "Convert the array to f32, f16, bf16 or f64, or pass dtype=",
        ),
        Code(
            "A303",
            "shape that does not fit the first input",
            (
                "A weight or bias spans the axes that are normalised, a residual has the shape of "
                "x, labels have the shape of the logits less the axis of classes; an axis that is "
                "halved has an even extent, one that is grouped a multiple of the groups."
            ),
            "operation(x, weight=np.ones(3, np.float32))  # x has rows of 4",
            "Pass an array of the shape that the message names",
        ),
        Code(
            "A304",
            "no element to choose from",
            (
                "The greatest or least element of an axis without elements does not exist. Sums "
                "do: they are 0."
            ),
            "ops.max(np.empty((5, 0), np.float32), axis=1)",
            "Leave empty arrays out, or decide their result in your own code",
        ),
        Code(
            "A305",
            "option with a value it does not have",
            "An option takes one of a few values, or a number in a range, and was given another.",
            "certile plan sum --shape 3x4096 --dtype f31",
            "Use a value that the message names",
        ),
        Code(
            "A306",
            "out does not fit the result",
            (
                "An output that is given has exactly the shape and dtype of the result; a pair of "
                "results takes a pair of outputs."
            ),
            "ops.sum(np.ones((3, 4), np.float32), axis=1, out=np.empty(4, np.float32))",
            "Pass an array of the result's shape and dtype, or none",
        ),
        Code(
            "A307",
            "label that is no class",
            (
                "A label is neither the number of a class nor ignore_index. It is found before "
                "anything is written."
            ),
            "operation(np.zeros((1, 3), np.float32), labels=np.array([3]))",
            "Correct the label, or mark the row with ignore_index",
        ),
        Code(
            "A308",
            "name of no operation",
            (
                "A command was given a name that is neither an operation (for `prove`, a law) nor "
                "a kernel in a file, or what looks like a code and is not one. Beside the "
                "operations that `certile ops` lists, commands take forms of them under names of "
                "their own, such as residual_layer_norm or gelu_tanh; the message names those "
                "that fit."
            ),
            "certile plan summ --shape 3x4096",
            "Use a name that `certile ops` lists, a form that the message names, or FILE.py:kernel",
        ),
        Code(
            "A309",
            "kernel that a command cannot find or shape",
            (
                "The file or the kernel named FILE.py:kernel is not there, the shape of one of its "
                "views is not given, a compile-time value of it has no default, or the code of the "
                "file raises an error of its own; or a function to measure against is not there "
                "or raises one."
            ),
            "certile explain kernels.py:scale --shape 3x4096  # there is no such file",
            "Name an existing file and kernel, and give each view a shape",
        ),
        Code(
            "A310",
            "name of no target sheet",
            "The option --sheet names a sheet that does not exist.",
            "certile plan sum --shape 3x4096 --sheet m7",
            "Use a sheet that the message names",
        ),
        Code(
            "A311",
            "option that a command cannot use",
            (
                "A shape is not written as extents with an x between them, it is missing where a "
                "kernel is explained or measured, an option does not go with another, or what a "
                "command is to write to (a file, a folder, standard output) cannot be written, "
                "such as where a disk is full."
            ),
            "certile plan sum --shape 3by4096",
            "Write a shape such as 3x4096, and name a place that can be written",
        ),
        Code(
            "A312",
            "index that names no row",
            (
                "An index into a table is negative, or not below the table's length. It is found "
                "before anything is written."
            ),
            "operation(np.zeros((4, 8), np.float32), indices=np.array([4]))",
            "Correct the index; negative ones do not count from the end",
        ),
        Code(
            "A313",
            "command line that cannot be read",
            "A command, an option or an argument is unknown, missing, or of another kind.",
            "certile plan sum --shape",
            "Read `certile COMMAND --help`",
        ),
        Code(
            "A320",
            "subject of an export that is not clear",
            (
                "certile.tirx.export writes a kernel for fixed shapes. It was given something that "
                "is no kernel, no shape or no target, or nothing was said of a parameter. "
                "certile.tirx.recognise reads a function, at shapes that the function allows."
            ),
            'certile.tirx.export("sum", "3x4096", "llvm")',
            "name a kernel, give a shape for each view and a number for each scalar",
        ),
        Code(
            "A321",
            "plan that rests on what was not declared",
            (
                "Subgroup reductions need lanes that exchange values and arguments that do not "
                "overlap. A function of TVM cannot be asked about either, so the caller declares "
                "both; undeclared, one lane runs a program on its own."
            ),
            'certile.tirx.export("sum", (3, 4096), "metal", '
            'plan=Options(subgroup_reductions="on"))',
            "declare capability=True and noalias=True where it is so",
        ),
    ),
    "U": (
        Code(
            "U501",
            "element type that the operation does not serve",
            (
                "The operation is defined for this element type, but there is no kernel of it in "
                "this version."
            ),
            "operation(table, indices=np.zeros(4, np.uint64))",
            "Convert the array to an element type that the message names",
        ),
        Code(
            "U502",
            "guard that does not exist",
            (
                "A guard compares a generated kernel with the framework's own operation before it "
                "is used. This version has none."
            ),
            'ops.sum(x, guard="check")',
            "Leave guard= out",
        ),
        Code(
            "U503",
            "gradient that is not computed",
            (
                "The result of an operation on a tensor that requires gradients can be used, but "
                "not differentiated: a missing gradient is never taken for zero. A tensor with a "
                "tangent, of `torch.autograd.forward_ad`, is refused by operations and kernels."
            ),
            "ops.logsumexp(x.requires_grad_()).backward()",
            "Use the framework's own operation where gradients are needed",
        ),
        Code(
            "U504",
            "package that an option needs is missing",
            (
                "The option --plot draws with matplotlib, --against measures frameworks, and "
                "bfloat16 arrays are made by PyTorch: these packages are extras."
            ),
            "certile bench --plot times.png",
            "Install the extra that the message names, or leave the option out",
        ),
        Code(
            "U505",
            "budget that cannot be measured here",
            "A budget needs a package or a compiler that is not installed.",
            "certile bench --budgets rows",
            "Install PyTorch for the budget of rows, clang for sim, or leave the budget out",
        ),
        Code(
            "U506",
            "shape that does not fit memory",
            (
                "The arrays of a command, with those that check its results, are larger than the "
                "memory that is free."
            ),
            "certile run sum --shape 1000000x1000000",
            "Use a smaller shape; plan, explain and why take any, since they allocate nothing",
        ),
        Code(
            "U507",
            "law of an author that says nowhere what it means",
            (
                "A proof needs a claim. A class below @ct.law makes one with spec, or with step "
                "where the order of elements matters; without one there is nothing to prove, and "
                "its merge is tried on generated lists."
            ),
            "certile prove kernels.py:Running  # a class without spec and step",
            "Add spec or step to the class, or rely on the generated lists",
        ),
    ),
    "V": (
        Code(
            "V904",
            "failure that nobody foresaw",
            (
                "The command line met an exception that is none of this package's own. The crash "
                "file holds the trace."
            ),
            "",
            "Report it with the crash file",
        ),
    ),
}
