"""Codes U…: meaningful, but not on this target or in this version.

In: literals.  Out: `UNSUPPORTED`.  Decides their wording.  Leaves raising to the stages.
"""

from certile.codes.entry import Code

__all__ = ["UNSUPPORTED"]

UNSUPPORTED: tuple[Code, ...] = (
    Code(
        "U021",
        "memory indexed by a value that depends on data",
        (
            "Memory that a kernel places is private to a program, and programs run side by side in "
            "lanes. Where these want different elements each looks through the whole memory, which "
            "is done for small memories only."
        ),
        "row = ct.memory(cols, ct.f32, 'worker'); row[label] = 1.0, with 4096 columns",
        "index the memory by coordinates, or gather from a tile",
    ),
    Code(
        "U022",
        "layout with a long table",
        "A layout that lists its offsets is generated as a choice among all entries.",
        "ct.memory(cols, ct.f32, layout=ct.layouts.Table((4096,), offsets, 4096))",
        "write the layout by digits or by bits",
    ),
    Code(
        "U030",
        "element-wise function that the CPU target lacks",
        "This function has no vector form for this type on CPUs.",
        "a kernel with an element-wise function that the CPU's emitter does not list",
        "compute it in f32, or use another target",
    ),
    Code(
        "U031",
        "group of several subgroups on a CPU",
        "A CPU plan has one subgroup, a vector, in a group; it has no barriers or group memory.",
        "emit(kernel_of_two_subgroups_a_group, CPU_AVX2)",
        "plan with a sheet of the target that the kernel is printed for",
    ),
    Code(
        "U032",
        "target without a code generator",
        "This target plans but does not print code.",
        "certile explain sum --shape 3x4096 --target cpu --sheet null",
        "choose cpu, metal-sim or cuda",
    ),
    Code(
        "U201",
        "array whose elements are not in plain memory",
        (
            "The elements of this array are not simply what its address and strides say: "
            "masked arrays, sparse, quantised or negated tensors, tensors of a function "
            "transform, subclasses with their own meaning."
        ),
        "kernel(torch.eye(4).to_sparse(), y)",
        "convert it to a plain dense array first",
    ),
    Code(
        "U301",
        "subgroup width that a target does not have",
        (
            "A plan was made for subgroups of one width and printed for a device whose subgroups "
            "have another. On NVIDIA GPUs a subgroup is a warp of 32 threads."
        ),
        "emit(kernel_of_subgroups_of_16_lanes, METAL)",
        "plan with a sheet of the target that the kernel is printed for",
    ),
    Code(
        "U302",
        "CUDA toolchain that is not installed",
        (
            "CUDA kernels are compiled by NVRTC, which comes with the optional packages of the "
            "extra `cuda`. Compiling needs no GPU; launching needs one and its driver."
        ),
        "kernel(x_on_gpu, y_on_gpu)",
        "install the extra: pip install 'certile[cuda]'",
    ),
    Code(
        "U401",
        "A call that a target cannot run",
        (
            "The target compiles kernels but cannot launch this call: no device of its kind is "
            "driven by this version, or it binds no memory that is laid out like an argument."
        ),
        "with ct.target('metal'): kernel(x, y)",
        "run on another target; metal-sim runs Metal kernels on a CPU",
    ),
    Code(
        "U310",
        "dtype that a GPU lacks",
        (
            "The kernel holds values of a type that the target's sheet does not list. Metal has no "
            "64-bit floating-point type."
        ),
        "certile run sum --shape 4x4 --dtype f64 --target metal-sim",
        "compute in f32, or run on another target",
    ),
    Code(
        "U311",
        "function that Metal lacks",
        (
            "The kernel calls a function that Metal's library does not have and that was not "
            "replaced by its expansion."
        ),
        "emit(kernel, replace(METAL, native_functions=None))",
        "leave the function out of native_functions of the sheet",
    ),
    Code(
        "U312",
        "more arguments than Metal binds",
        (
            "Buffers and run-time scalars, strides among them, are bound one an index, and a "
            "compute function has 31 indices."
        ),
        "with ct.target('metal-sim'): kernel(*sixteen_views_of_rank_four)",
        "pass contiguous arrays: a stride that is 1 or 0 is no argument",
    ),
    Code(
        "U313",
        "more private memory than a thread has",
        (
            "The kernel keeps arrays that belong to one thread, such as a whole row in memory that "
            "ct.memory places, and they are larger than the target's threads have room for."
        ),
        "row = ct.memory(ct.axis('cols', 1 << 20), ct.f32, 'worker')",
        "keep less of a row, store it to a view, or run the kernel on a CPU",
    ),
)
