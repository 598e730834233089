"""Codes S…: settings.

In: literals.  Out: `SETTINGS`.  Decides their wording.  Leaves raising to `certile.settings`.
"""

from certile.codes.entry import Code

__all__ = ["SETTINGS"]

SETTINGS: tuple[Code, ...] = (
    Code(
        code="S001",
        title="A setting has a value that does not fit",
        paragraph=(
            "An environment variable whose name starts with CERTILE_ holds a value that its type "
            "does not allow. Nothing is compiled with a guess at what was meant."
        ),
        example="CERTILE_MATH=quick certile run sum --shape 3x4096",
        fix="set the variable to one of the values that docs/settings.md lists, or unset it",
    ),
    Code(
        code="S002",
        title="A folder of dumps that cannot be written",
        paragraph=(
            "CERTILE_DUMP asks for files, and the folder of CERTILE_DUMP_DIR takes none: it is not "
            "to be written, or its disk is full."
        ),
        example="CERTILE_DUMP=all CERTILE_DUMP_DIR=/proc certile run sum --shape 3x4096",
        fix="name another folder in CERTILE_DUMP_DIR, or unset CERTILE_DUMP",
    ),
)
