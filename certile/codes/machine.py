"""Codes M…: machine IR breaks one of its rules.

In: literals.  Out: `MACHINE`.  Decides their wording.  Leaves raising to the stages.
"""

from certile.codes.entry import REPORT, Code

__all__ = ["MACHINE"]


def _fault(code: str, title: str, paragraph: str) -> Code:
    return Code(code, title, paragraph, "", REPORT)


MACHINE: tuple[Code, ...] = (
    _fault(
        "M001",
        "A value is read where it is not defined",
        "Every value is defined once, by the operation that lists it, and read only after that, in "
        "the same block or in one inside it.",
    ),
    _fault(
        "M002",
        "The types of an operation do not fit",
        "Operands and results of an operation have the types that the function table or the "
        "operation itself gives them.",
    ),
    _fault(
        "M003",
        "A varying value stands where one value a subgroup is needed",
        "Loop bounds, conditions, slots and address bases are uniform, and a result varies between "
        "lanes exactly when its operands let it. What differs between lanes is a mask or a select.",
    ),
    _fault(
        "M004",
        "A barrier stands where subgroups may part ways",
        "Every subgroup of a group arrives at a barrier or none does, so the loops and branches "
        "round it may not depend on the subgroup's number or on what a subgroup computed.",
    ),
    _fault(
        "M005",
        "A masked read has no fill",
        "Where the mask of a load is false nothing is read, and the fill says what the result is.",
    ),
    _fault(
        "M006",
        "A lane number is out of range",
        "A shuffle exchanges lanes of one subgroup, so its mask is below the number of lanes.",
    ),
    _fault(
        "M007",
        "A constant index leaves its array",
        "Slots of private arrays and indices of shared arrays stay below their length.",
    ),
    _fault(
        "M008",
        "A buffer, array or parameter is not used as the kernel declares it",
        "Everything an operation names is listed by the kernel, and a buffer that is stored to is "
        "marked as written.",
    ),
    _fault(
        "M009",
        "The kernel itself is malformed",
        "Lanes, subgroups and programs a group are positive, lanes are a power of two, and names "
        "are unique.",
    ),
    _fault(
        "M010",
        "Machine IR was built against its rules",
        "The builder refuses operands whose types disagree, values out of scope and loads without "
        "a fill at once, because the place that built them is then still known.",
    ),
    _fault(
        "M011",
        "The machine interpreter cannot run a kernel",
        "The interpreter runs verified kernels on one-dimensional arrays of the declared types and "
        "needs a value for every scalar parameter.",
    ),
    _fault(
        "M012",
        "A toolchain refuses generated text",
        "Text that code generation printed does not compile, or the driver refuses what was "
        "compiled. The toolchain's own words are in the notes.",
    ),
    _fault(
        "M013",
        "A Metal device fails",
        "Metal reports a fault inside itself, an access outside of memory, or an object that is "
        "not valid, while a generated kernel is made ready or runs. Its words are in the notes.",
    ),
    _fault(
        "M020",
        "Lowering met what its plan excludes",
        "Admission or the planner let through a program that the chosen map cannot express.",
    ),
    _fault(
        "M021",
        "A kept tile is read by a worker that may not own the element",
        "The ownership audit should have declined the subgroup map for this program.",
    ),
    Code(
        "M022",
        "A simulated launch is not clean",
        "The Metal text of a kernel was run on a CPU and showed a race, an access outside its "
        "buffer, a read of memory without a value or a divergent barrier. The interpreter ran the "
        "same call and found no fault of the kernel (K090 to K093), so its code is at fault.",
        "",
        "report it with the crash file",
    ),
    Code(
        "M030",
        "TIRx that does not fit together",
        "The exporter built something that TVM would accept and that means nothing, or would end "
        "the process: operands of different types, an index too few, an element outside its array, "
        "a function that is on no list, a launch without threads.",
        "",
        "report it with the kernel, the shapes and the target",
    ),
)
