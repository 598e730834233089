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
        "U303",
        "no CUDA device",
        (
            "A command was asked to run on an NVIDIA GPU. Arrays on one are tensors of PyTorch, "
            "which sees no device here or is not installed."
        ),
        "CUDA_VISIBLE_DEVICES=none certile run sum --shape 3x4096 --target cuda",
        "run it where PyTorch sees a GPU; CUDA text is generated and compiled anywhere",
    ),
    Code(
        "U401",
        "A call that a target cannot run",
        (
            "The kernel was compiled for a target whose device is not driven from here: of what "
            "TVM makes, functions for LLVM are called, and texts for GPUs are artifacts."
        ),
        "certile.tirx.export('sum', (3, 40), 'cuda').compile()(x, y)",
        "launch the artifact, or export for llvm",
    ),
    Code(
        "U402",
        "no Metal device",
        (
            "A call on the target `metal` needs a device: macOS on Apple silicon and the optional "
            "package PyObjC, or arrays of MLX or PyTorch, which drive the GPU themselves."
        ),
        "with ct.target('metal'): kernel(x, y)  # on Linux",
        "install certile[metal] on a Mac; elsewhere metal-sim runs Metal kernels on a CPU",
    ),
    Code(
        "U403",
        "Metal device that cannot run a kernel",
        (
            "The device or its system has less than the kernel was planned with: fewer threads a "
            "threadgroup, given the registers that the kernel needs, other SIMD groups, less "
            "threadgroup memory, or an older Metal. The launch is refused, since a smaller one "
            "would compute something else."
        ),
        "kernel.prepare(x, y, plan={'threads': 1024})",
        "plan with smaller limits, for example plan={'max_threads': 256}",
    ),
    Code(
        "U404",
        "GPU that the system withholds",
        (
            "Metal refuses the work of this process: it may not use the GPU, hung it too often, or "
            "the GPU was removed."
        ),
        "with ct.target('metal'): kernel(x, y)  # in a process that may not use the GPU",
        "run it in a session that may use the GPU",
    ),
    Code(
        "U405",
        "Launch that the system stopped",
        (
            "The system stops work that keeps the GPU for too long, some seconds where a display "
            "hangs from it. What the launch stored so far is not known."
        ),
        "with ct.target('metal'): kernel(enormous, y)",
        "launch on fewer rows at a time",
    ),
    Code(
        "U406",
        "Not enough memory on the Metal device",
        (
            "An array is larger than the device takes in one buffer, or the device has no memory "
            "left for it."
        ),
        "with ct.target('metal'): kernel(enormous, y)",
        "pass the array in parts, or free memory of the GPU",
    ),
    Code(
        "U407",
        "Framework that cannot run a Metal kernel",
        (
            "Arrays of MLX and tensors of PyTorch on `mps` are run by their frameworks, and this "
            "one does not take what the kernel needs: the version is too old, was told to "
            "compile with fast math, or was asked for a form that it does not have."
        ),
        "with metal.batch() as calls: calls.add(kernel.prepare(x_of_mlx, y_of_mlx))",
        "upgrade the framework, or pass NumPy arrays",
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
    Code(
        "U320",
        "TVM that is not installed",
        (
            "certile.tirx writes functions of TVM and lets TVM compile them. The package comes "
            "with the optional packages of the extra `tirx`, in the one version whose names it "
            "knows."
        ),
        'certile.tirx.export("sum", (3, 4096), "llvm")',
        "install the extra: pip install 'certile[tirx]'",
    ),
    Code(
        "U321",
        "what TIRx cannot say",
        (
            "TVM or the text that it prints has no form for something of this kernel on this "
            "target: a function of its library, an order of device memory among the threads of a "
            "Metal threadgroup, memory that launches pass on. It is refused and never "
            "approximated."
        ),
        "a kernel for Metal whose lanes read back what other lanes stored to a view",
        "export for another target, or use native code generation",
    ),
)
