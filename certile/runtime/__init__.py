"""From an artifact to a running kernel: arrays, memory, the disk cache, one folder a target.

In: compiled artifacts and the caller's arrays.  Out: results in place.  Decides how arrays are
read, where results live and what is kept on disk.  Leaves to others what a kernel computes.
"""
