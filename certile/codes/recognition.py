"""Codes of the recogniser of TIRx functions.

In: literals.  Out: `RECOGNITION`.  Decides their wording.  Leaves raising to
`certile.tirx.recognition`.
"""

from certile.codes.entry import Code

__all__ = ["RECOGNITION"]

RECOGNITION: tuple[Code, ...] = (
    Code(
        "K120",
        "A loop marked as a reduction that is not shown to be one",
        (
            "An annotation certile.reduction on a loop of a TIRx function claims that the loop "
            "is a reduction. It proves nothing: initialiser, carry, update and effects are "
            "proved on the function itself. A function without such a claim is declined where "
            "a proof fails; with one, a failed proof is this error, and the message says what "
            "was not shown."
        ),
        'for j in T.serial(257, annotations={"certile.reduction": "max"}):  # and it adds',
        "make the loop what the annotation says, or remove the annotation",
    ),
)
