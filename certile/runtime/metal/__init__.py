"""Launch Metal kernels: on an Apple GPU through PyObjC, through MLX and PyTorch, or on a stand-in.

In: compiled programs and described arguments.  Out: launchers, and batches of launches.  Decides
how text becomes a pipeline, how arrays become buffers, and what a launch has to wait for.  Leaves
Apple's interface to `pyobjc`, behind the small protocol of `protocol`; `fake` implements it by
running the text on a CPU.  Nothing here has run on Apple hardware.
"""
