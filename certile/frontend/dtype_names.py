"""What a person may write for a dtype: ours, a name, or the dtype object of a framework.

In: any object.  Out: a `DType`.  Decides the names that are understood.  Leaves promotion to
`certile.ir.dtypes`.  No framework is imported to recognise its objects: their text says enough.
"""

from __future__ import annotations

import numpy as np

from certile.ir.array_types import FULL_NAMES, MLX_NAMES
from certile.ir.dtypes import BY_NAME, DType

_OURS = {theirs: ours for table in (FULL_NAMES, MLX_NAMES) for ours, theirs in table.items()}

# Modules whose dtype objects print as `module.name`.
_PRINTED = ("torch.", "mlx.core.")

NAMES = ", ".join(BY_NAME)


def dtype_of(item: object) -> DType | None:
    """Return the dtype that `item` names, or None when it names none.

    Understood are our dtypes, names ("f32", "float32"), NumPy dtypes in native byte order and
    scalar types, and the dtype objects of torch and MLX.
    """
    if isinstance(item, DType):
        return item
    if isinstance(item, str):
        return BY_NAME.get(_OURS.get(item, item))
    if isinstance(item, np.dtype):
        return BY_NAME.get(_OURS.get(item.name, item.name)) if item.isnative else None
    if isinstance(item, type):
        # Python's own `float` is no answer to "which width?".
        known = issubclass(item, np.generic) or item.__module__.startswith("ml_dtypes")
        return dtype_of(item.__name__) if known else None
    text = str(item)
    for module in _PRINTED:
        if text.startswith(module):
            return dtype_of(text.removeprefix(module))
    return None
