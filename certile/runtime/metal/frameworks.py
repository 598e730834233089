"""Whether a framework that is loaded here drives an Apple GPU by itself.

In: the modules of the process; nothing is imported.  Out: answers.  Decides nothing.
"""

from __future__ import annotations

import sys

__all__ = ["mlx_drives_metal", "torch_drives_metal"]


def mlx_drives_metal() -> bool:
    """Whether MLX is loaded and has a Metal device."""
    metal = getattr(sys.modules.get("mlx.core"), "metal", None)
    return metal is not None and bool(metal.is_available())


def torch_drives_metal() -> bool:
    """Whether PyTorch is loaded and compiles Metal text for a device (2.7 and later)."""
    mps = getattr(sys.modules.get("torch"), "mps", None)
    return hasattr(mps, "compile_shader") and bool(sys.modules["torch"].backends.mps.is_available())
