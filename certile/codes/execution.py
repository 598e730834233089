"""Codes K09…: what the interpreter and the bounds check find in a kernel with its arguments.

In: literals.  Out: `EXECUTION`.  Decides their wording.  Leaves raising to `reference` and
`analysis.bounds`.
"""

from certile.codes.entry import Code

__all__ = ["EXECUTION"]

EXECUTION: tuple[Code, ...] = (
    Code(
        code="K090",
        title="An index may leave its view",
        paragraph=(
            "A load or a store has an index that can be negative or past the end for the shapes of "
            "this call. Indices that follow from loops are checked exactly before anything runs; "
            "an index read from data has no known range."
        ),
        example="y[r] = x[r + 1]",
        fix='keep the index inside, or use .tile(…, bounds="zero") to mask what is outside',
    ),
    Code(
        code="K091",
        title="Two instances touch one element and one of them stores",
        paragraph=(
            "The instances of a parallel region run in any order and at the same time, so what one "
            "stores no other may load or store."
        ),
        example="for r in ct.parallel(rows): y[0] = x[r]",
        fix="give each instance elements of its own, or make the loop serial",
    ),
    Code(
        code="K092",
        title="An element without a value is used",
        paragraph=(
            "An element that a mask switched off, without a fill, or memory that was not stored "
            "to, reaches a store, a condition, an index or a reduction."
        ),
        example="y[r, cols] = ct.memory((cols,), ct.f32)[cols]",
        fix="give the load a fill, or mask the place where its value is used",
    ),
    Code(
        code="K093",
        title="One store writes an element twice",
        paragraph=(
            "Two elements of the stored tile go to one place. Their order is not defined, so the "
            "result would not be either."
        ),
        example="y[r, ct.iota(cols) // 2] = x[r, cols]",
        fix="store each place once, or reduce the elements that share it",
    ),
)
