"""The CPU at run time: the JIT engine, the worker pool and the description of this machine.

In: LLVM IR text and launch blocks.  Out: running kernels.  Decides how a kernel is compiled for
the host, loaded, and spread over its cores.  Leaves to others what the kernel computes, and which
arrays it gets.
"""
