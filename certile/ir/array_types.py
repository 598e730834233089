"""What packages of arrays call our element types, and how arrays of NumPy hold them.

In: the name of an element type.  Out: the name that NumPy, ml_dtypes, PyTorch and TVM have for it,
MLX's, and NumPy's dtype.  Decides nothing.  No package is imported but NumPy; ml_dtypes is when the
dtype of a type is asked for that NumPy lacks.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final

import numpy as np

__all__ = [
    "BEYOND_NUMPY",
    "FULL_NAMES",
    "MLX_NAMES",
    "NUMPY_DTYPES",
    "numpy_dtype",
    "plain_dtype",
]

# Types that NumPy lacks, by the names that ml_dtypes gives them.  The full name of an 8-bit float
# says what the format has: kin with other codes differ.
BEYOND_NUMPY: Final = {"bf16": "bfloat16", "f8e4m3": "float8_e4m3fn", "f8e5m2": "float8_e5m2"}

# The names that all packages share, by ours; not each package has all of the types.
FULL_NAMES: Final = {
    "bool": "bool",
    **{f"i{n}": f"int{n}" for n in (8, 16, 32, 64)},
    **{f"u{n}": f"uint{n}" for n in (8, 16, 32, 64)},
    **{f"f{n}": f"float{n}" for n in (16, 32, 64)},
    **BEYOND_NUMPY,
}

MLX_NAMES: Final = FULL_NAMES | {"bool": "bool_"}

NUMPY_DTYPES: Final[dict[str, np.dtype[Any]]] = {
    ours: np.dtype(name) for ours, name in FULL_NAMES.items() if ours not in BEYOND_NUMPY
}


@cache
def numpy_dtype(name: str) -> np.dtype[Any]:
    """The NumPy dtype of an element type; those that NumPy lacks come from ml_dtypes."""
    if name in BEYOND_NUMPY:
        # Most processes hold no element of these types, and the import takes time.
        import ml_dtypes

        extension: np.dtype[Any] = np.dtype(getattr(ml_dtypes, BEYOND_NUMPY[name]))
        return extension
    return NUMPY_DTYPES[name]


def plain_dtype(name: str) -> np.dtype[Any]:
    """The dtype of NumPy's own under which elements travel: integers for what it lacks."""
    if name in BEYOND_NUMPY:
        return NUMPY_DTYPES["u16" if name == "bf16" else "u8"]
    return NUMPY_DTYPES[name]
