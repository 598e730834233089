"""Codes V…: the verifier found a fault of this package.

In: literals.  Out: `VERIFIER`.  Decides their wording.  Leaves raising to `certile.ir.verify`, to
`verify` of single nodes, and to the parser of Tile IR.
"""

from certile.codes.entry import REPORT, Code

__all__ = ["VERIFIER"]


def _fault(code: str, title: str, paragraph: str, fix: str = REPORT) -> Code:
    """A code that no kernel can cause."""
    return Code(code=code, title=title, paragraph=paragraph, example="", fix=fix)


VERIFIER: tuple[Code, ...] = (
    _fault(
        "V001",
        "A node's type is not the one its parts give",
        "The dtype or the axes that a Tile IR node declares differ from those computed from its "
        "operands.",
    ),
    _fault(
        "V002",
        "A node has a wrong number of operands",
        "A function, an access or a reduction lists more or fewer operands than it takes.",
    ),
    _fault(
        "V003",
        "Operands have dtypes that do not fit",
        "Operands were not promoted, an index is not i64, a mask is not bool, or a carried value "
        "changes its type.",
    ),
    _fault(
        "V004",
        "Axes do not fit",
        "An axis is reduced twice, a stored value spans an axis that its place does not, or a "
        "start value spans a reduced axis.",
    ),
    _fault("V005", "A serial loop has no positive step", "The step of a serial loop is below 1."),
    _fault(
        "V006",
        "A value is read outside its scope",
        "A load, a carried value or the result of a loop is read before it happens or outside the "
        "region that holds it.",
    ),
    _fault(
        "V007",
        "A loop's coordinate is read outside the loop",
        "The coordinate of a parallel or serial region has a value only inside that region.",
    ),
    _fault(
        "V008",
        "An effect stands outside every parallel region",
        "The body of a kernel lists launches only.",
    ),
    _fault(
        "V009",
        "A name is unknown or declared twice",
        "A buffer, a scalar or a length does not belong to the kernel, or two parameters share a "
        "name.",
    ),
    _fault("V010", "An effect is listed twice", "An effect happens once, where it is listed."),
    _fault(
        "V011",
        "A result does not exist",
        "A result is read by a number that its reduction or loop does not have.",
    ),
    _fault(
        "V012",
        "A constant does not fit its dtype",
        "The Python value of a constant is of another kind than its dtype, or out of its range.",
    ),
    _fault(
        "V013",
        "An axis belongs to a loop and to a tile",
        "Inside a region its axes are coordinates, so no tile there may span them and no inner "
        "region may repeat them.",
    ),
    _fault(
        "V014",
        "A reduction's operand is not of the accumulation dtype",
        "Operands are cast to the accumulation dtype before the reduction, and start values have "
        "the dtypes of the state.",
    ),
    _fault(
        "V015",
        "A policy does not fit its law",
        "A law without an identity can only fold from a start value, and a law that is not "
        "commutative cannot be permuted.",
    ),
    _fault(
        "V020",
        "A text is not Tile IR",
        "The parser reads what the printer writes, and nothing else.",
        "compare the line with the printed form of a similar kernel",
    ),
    _fault(
        "V901",
        "Loaded code lacks a function",
        "A module was compiled and loaded, but it exports no function of the name that the launch "
        "asks for.",
    ),
    _fault(
        "V902",
        "LLVM refuses generated code",
        "The CPU code generator printed a module that LLVM cannot parse or verify.",
    ),
    _fault(
        "V903",
        "Machine code does not link",
        "The linker refused the object that LLVM made of a generated module.",
    ),
)
