"""Codes P…: a plan or an admission is impossible.

In: literals.  Out: `PLANNING`.  Decides their wording.  Leaves raising to the stages.
"""

from certile.codes.entry import Code

__all__ = ["PLANNING"]

PLANNING: tuple[Code, ...] = (
    Code(
        code="P001",
        title="A plan option is outside its domain",
        paragraph=(
            "An option of the planner has a value that no plan can have: V not 1, 2, 4 or 8, "
            "an unrolling outside 1 to 16, a count below 1, a coefficient that is negative or not "
            "finite, or a limit above what the target's sheet allows. It is not clamped."
        ),
        example="certile plan sum --shape 3x4096 --target metal --lane-elements 3",
        fix="give the option a value that its description lists",
    ),
    Code(
        code="P002",
        title="More widths than the search may try",
        paragraph=(
            "The planner searches every legal width or none: it does not cut the search short and "
            "call the best of what it saw the best. The request has more widths than "
            "max_thread_candidates allows."
        ),
        example="certile plan sum --shape 8x4096 --target metal --max-thread-candidates 15",
        fix="raise max_thread_candidates, or fix the width with --threads",
    ),
    Code(
        code="P003",
        title="A cost policy gave no usable score",
        paragraph=(
            "A score orders candidates, so it has to be a finite number that is not negative. A "
            "policy returned NaN, infinity or a negative number."
        ),
        example="choose(kernel, parallel, 3, sheet, policy=policy_that_returns_nan)",
        fix="make the policy return a finite, non-negative score for every legal candidate",
    ),
    Code(
        code="P004",
        title="The mapping that was asked for cannot be had",
        paragraph=(
            'A mapping was demanded (a scope other than "auto", subgroup_reductions="on", an '
            "exact number of threads or programs a group) and is not legal for this kernel or "
            "target. Only the automatic choice may fall back to the reference map."
        ),
        example='kernel.prepare(x, y, plan={"threads": 100})',
        fix="drop the demand, or change what the refusal names",
    ),
    Code(
        code="P005",
        title="The target has no such cost policy",
        paragraph=(
            "The service policy estimates times from the figures of a sheet, and the sheet in use "
            "does not say how fast memory is. The analytic policy needs no such figure."
        ),
        example="choose(kernel, parallel, 3, dataclasses.replace(sheet, bandwidth=0.0))",
        fix="use --policy analytic",
    ),
)
