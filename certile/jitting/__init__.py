"""Functions of arrays in NumPy's terms, compiled through the tile language.

In: Python functions on arrays.  Out: `jit` and what it makes.  Decides nothing.  Leaves the work to
the modules beside it: a call is traced (`arrays`, `functions`, `reductions`) to a graph (`graph`),
cut into launches (`schedule`, `emission`), and each launch is a kernel of the language (`program`).
"""

from certile.jitting.call import JitFunction, jit

__all__ = ["JitFunction", "jit"]
