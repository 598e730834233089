"""Codes U…: meaningful, but not on this target or in this version.

In: literals.  Out: `UNSUPPORTED`.  Decides their wording.  Leaves raising to the stages.
"""

from certile.codes.entry import Code

__all__ = ["UNSUPPORTED"]

UNSUPPORTED: tuple[Code, ...] = (
    Code(
        "U020",
        "construct without a reference map",
        (
            "A program that no subgroup map can run is run one program a lane, loops in the order "
            "written. This construct has no such form."
        ),
        "",
        "write the kernel with parallel, serial, loads and stores",
    ),
    Code(
        "U021",
        "kept value read at an index that depends on data",
        (
            "The program overwrites a view after it has loaded a tile from it, so the tile is kept "
            "in private memory, and private memory has no index that differs between lanes."
        ),
        "row = x[r, cols]; x[r, cols] = row * 2; y[r] = ct.gather(row, label, cols, fill=0.0)",
        "store to another view, or gather before the store",
    ),
    Code(
        "U030",
        "element-wise function that the CPU target lacks",
        "This function has no vector form for this type on CPUs.",
        "ct.exp of an f64 tile",
        "compute it in f32, or use another target",
    ),
    Code(
        "U031",
        "group of several subgroups on a CPU",
        "A CPU plan has one subgroup, a vector, in a group; it has no barriers or group memory.",
        "certile explain sum --shape 3x4096 --target cpu --sheet metal",
        "plan with a sheet of the target that the kernel is printed for",
    ),
    Code(
        "U032",
        "target without a code generator",
        "This target plans but does not print code.",
        "with ct.target('null'): kernel(x, y)",
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
        "Convert it to a plain dense array first.",
    ),
    Code(
        "U301",
        "subgroup width that a target does not have",
        (
            "A plan was made for subgroups of one width and printed for a device whose subgroups "
            "have another. On NVIDIA GPUs a subgroup is a warp of 32 threads."
        ),
        "certile explain sum --shape 3x4096 --target cuda --sheet cpu-avx512",
        "plan with a sheet of the target that the kernel is printed for",
    ),
    Code(
        "U302",
        "CUDA toolchain that is not installed",
        (
            "CUDA kernels are compiled by NVRTC, which comes with the optional packages of the "
            "extra `cuda`. Compiling needs no GPU; launching needs one and its driver."
        ),
        "with ct.target('cuda'): kernel(x, y)",
        "install the extra: pip install 'certile[cuda]'",
    ),
)
