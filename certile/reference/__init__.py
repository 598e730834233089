"""The meaning of kernels: an interpreter, and the relation between a result and that meaning.

`run` executes Tile IR on NumPy arrays in place; `agrees` says whether results are ones that the
kernel allows.  Tests, gates and tuners ask these two and nothing else.
"""

from certile.reference.agrees import Agreement, Difference, agrees
from certile.reference.tile import run

__all__ = ["Agreement", "Difference", "agrees", "run"]
