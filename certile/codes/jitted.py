"""Codes K05…: a jitted function says what cannot be computed.

In: literals.  Out: `JITTED`.  Decides their wording.  Leaves raising to `certile.jitting`.
"""

from certile.codes.entry import Code

__all__ = ["JITTED"]

JITTED: tuple[Code, ...] = (
    Code(
        code="K050",
        title="What jitted functions do not have",
        paragraph=(
            "A jitted function is compiled, so every function, method and option in it has to be "
            "one that the compiler knows. Others are refused by name; nothing is handed to NumPy "
            "instead. The same goes for arrays that outlive the call they belong to."
        ),
        example="@certile.jit\ndef f(x): return np.fft.fft(x)",
        fix="use what docs/jit.md lists, or compute this part outside the function",
    ),
    Code(
        code="K051",
        title="What a jitted function returns",
        paragraph=(
            "A jitted function returns an array or a tuple of arrays, or nothing if it writes to "
            "an argument. Numbers, lists and dictionaries are no arrays."
        ),
        example="@certile.jit\ndef f(x): return [x + 1]",
        fix="return an array or a tuple of arrays",
    ),
    Code(
        code="K052",
        title="An index that selects by data",
        paragraph=(
            "In a jitted function an index is made of integers, slices with integer bounds, None "
            "and an ellipsis: those give views. Masks and arrays of indices select elements whose "
            "number or place depends on data."
        ),
        example="@certile.jit\ndef f(x): return x[x > 0]",
        fix="select with np.where, or index outside the function",
    ),
    Code(
        code="K053",
        title="Shapes and axes that do not fit",
        paragraph=(
            "Shapes are known while a jitted function is compiled. These do not broadcast, an axis "
            "or an index is not there, or a reshape asks for more than axes of one element."
        ),
        example="@certile.jit\ndef f(x): return x.reshape(-1)  # x of two axes",
        fix="make the shapes fit; x.shape is a tuple of integers",
    ),
)
