"""LLVM IR for CPUs: one vector a varying value."""
