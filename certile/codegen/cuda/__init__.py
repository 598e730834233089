"""CUDA C++ from Machine IR: text that NVRTC compiles without headers."""
