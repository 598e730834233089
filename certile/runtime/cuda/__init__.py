"""CUDA at run time: the toolchain (NVRTC, no GPU needed) and the device."""
