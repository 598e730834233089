"""The reductions a kernel may name besides add, mul, maximum and minimum.

In: nothing.  Out: names.  Decides which there are.  Leaves what they compute to
`certile.ir.laws`.  The four that are element-wise functions too are in `certile.language.math`.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LawName:
    """A reduction law by name, for `ct.reduce`."""

    name: str

    def __repr__(self) -> str:
        return f"ct.{self.name}"


argmax = LawName("argmax")
argmin = LawName("argmin")
logsumexp = LawName("logsumexp")
mean_var = LawName("mean_var")
