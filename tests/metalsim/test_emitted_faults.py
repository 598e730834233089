"""Faults in kernels as they are emitted: each is reported, or a probe's numbers are wrong.

The standing test of the checker and of the probes: a fault that neither shows fails here.  Patterns
name what a text says, not its numbered values.
"""

import functools

import pytest

from tests.metalsim.emitted import Fault, GroupSubject, Seeded, Subject

BARRIER = r"threadgroup_barrier\(mem_flags::mem_threadgroup\);"
MINUS_INFINITY = r"as_type<float>\(0xff800000U\)"
# What follows the gathered element, and the comparison of two indices of equal values.
BEFORE_FINITE = r"(\s+const float \w+ = \w+ \? \w+ : 0\.0f;\s+const bool \w+ = isfinite)"
BEFORE_WINNER = r"(\s+const bool \w+ = \w+ & \w+;\s+const bool \w+ = \w+ \| \w+;\s+const float)"


def subject(op, rows, length, **options):
    return Subject(op, rows, length, tuple(options.items()))


# Three SIMD groups to a row, four elements a lane and chunk; the last chunk is not full.
WIDE = subject("softmax", 5, 300, threads=96, lane_elements=4)
# Two rows to a threadgroup, one SIMD group each; the inputs are kept; the last group is not full.
PACKED = subject("softmax", 5, 300, threads=64, programs_per_group=2, cache_inputs=True)
# Two rows to a threadgroup, two SIMD groups each; the last row is computed a second time.
REPLAYED = subject("sum", 5, 100, threads=128, programs_per_group=2)
SINGLE = subject("sum", 3, 100, threads=32)
NORM = subject("layer_norm", 3, 200, threads=64)
GATHER = subject("cross_entropy", 4, 150, threads=64)
INDEX = subject("argmax", 3, 150, threads=64)
TWO = subject("min_max", 3, 150, threads=64, programs_per_group=1)
# A group has five rows of a matrix; each of its three SIMD groups makes the results of some.
GROUP = GroupSubject("normalised rows", 3, 37, (("threads", 96),))

FAULTS = {
    WIDE: (
        Fault("the first barrier is dropped", "races", BARRIER, ""),
        Fault("the second barrier is dropped", "races", BARRIER, "", 1),
        Fault(
            "a barrier orders nothing", "races", "mem_flags::mem_threadgroup", "mem_flags::mem_none"
        ),
        Fault("a barrier orders device memory only", "races", "mem_threadgroup", "mem_device", 1),
        Fault("a barrier that one lane reaches", "divergence", BARRIER, r"if (lane == 0) \g<0>"),
        Fault(
            "a barrier after lanes have left",
            "divergence",
            BARRIER,
            r"if (lane > 29) return; \g<0>",
        ),
        Fault(
            "a collective under a condition",
            "divergence",
            r"= simd_sum\((\w+)\);",
            r"= lane < 20 ? simd_sum(\1) : 0.0f;",
        ),
        Fault("every lane stores the partial", "races", r"if \(lane == 0\) (shared_)", r"\1"),
        Fault(
            "a SIMD group leaves its partial out",
            "uninitialised",
            r"if \(lane == 0\) (shared_partial1)",
            r"if (lane == 0 && subgroup != 1) \1",
        ),
        Fault(
            "partials are read one place further",
            "out_of_bounds",
            r"(\? shared_partial1\[\w+)\]",
            r"\1 + 1]",
        ),
        Fault(
            "partials of the other reduction", "numbers", r"\? shared_partial1", "? shared_partial0"
        ),
        Fault(
            "one partial array too short",
            "out_of_bounds",
            r"(float shared_partial0)\[3\]",
            r"\1[2]",
        ),
        Fault("too few partials are combined", "numbers", r"< 3L?;", "< 2;"),
        Fault("too many partials are combined", "out_of_bounds", r"< 3L?;", "< 4;"),
        Fault(
            "the second combination is left out",
            "numbers",
            r"= lanes_maximum\((\w+)\);",
            r"= \1;",
            1,
        ),
        Fault(
            "a load without its guard",
            "out_of_bounds",
            r"\w+ \? (\*\(device [^:]*) : float4\(float\(0\)\)",
            r"\1",
        ),
        Fault("a store without its guard", "races", r"if \(\w+\) (\*\(device float4)", r"\1"),
        Fault("the tail is lost", "numbers", r"< 300L?", "< 296"),
        Fault("the tail is one element too long", "races", r"< 300L?", "<= 300"),
        Fault("an extremum begins at zero", "numbers", MINUS_INFINITY, "0.0f", None),
        Fault("a sum begins at one", "numbers", r"= 0\.0f \+ ", "= 1.0f + "),
        Fault("a slot of the stripe is not stored", "numbers", r"own_stripe0\[2L?\] = \w+;", ""),
        Fault(
            "the stripe is one slot too short",
            "out_of_bounds",
            r"(float own_stripe0)\[4\]",
            r"\1[3]",
        ),
        Fault(
            "packs go to the neighbouring lane's place",
            "races",
            r"(p_y \+ \(?\w+ \+) lane",
            r"\1 (lane ^ 1)",
        ),
        Fault("a sum where an extremum belongs", "numbers", r"lanes_maximum\(", "simd_sum(", 1),
    ),
    PACKED: (
        Fault(
            "rows beyond the last are computed", "out_of_bounds", r"if \(v\d+\) \{", "if (true) {"
        ),
        Fault("threadgroups share a row", "races", r"= (\w+) \* 2L?;", r"= \1 * 1;"),
        Fault("both SIMD groups take one row", "races", r"\+ subgroup;", "+ 0;"),
        Fault("the last full chunk is not stored", "numbers", r"< 9L?;", "< 8;", -1),
        Fault("a chunk too many is stored", "races", r"< 9L?;", "< 10;", -1),
        Fault("a chunk too many is loaded", "out_of_bounds", r"< 9L?;", "< 11;"),
        Fault("chunks overlap by a lane", "races", r"\* 32L?;", "* 31;", -1),
        Fault(
            "kept inputs are read from the wrong slot",
            "numbers",
            r"= own_stripe0\[(i\w+)\]",
            r"= own_stripe0[\1 ^ 1]",
        ),
        Fault("lanes store in reverse", "numbers", r"(p_y\[\w+ \+) lane\]", r"\1 (31 - lane)]"),
        Fault("the sum is that of each lane", "numbers", r"= simd_sum\((\w+)\);", r"= \1;"),
    ),
    REPLAYED: (
        Fault("the replayed row lies outside", "out_of_bounds", r"(\w+) < (\w+) \? \1 : \2", r"\1"),
        Fault("the replayed row is stored", "races", r"= (\w+) & \w+;", r"= \1;"),
        Fault(
            "a program leaves its barrier out", "divergence", BARRIER, r"if (subgroup < 2) \g<0>"
        ),
        Fault(
            "programs read the first one's partials",
            "numbers",
            r"= \w+ \+ (\w+);(\s+const float \w+ = \w+ \? shared)",
            r"= \1;\2",
        ),
        Fault(
            "programs share their partials' places",
            "races",
            r"= \w+ \+ (\w+);(\s+if \(lane == 0\) shared)",
            r"= \1;\2",
        ),
        Fault(
            "rows are dealt by the wrong SIMD group",
            "races",
            r"\(uint\)subgroup % \(uint\)2",
            "(uint)subgroup % (uint)1",
        ),
    ),
    SINGLE: (
        Fault("a chunk is lost", "numbers", r"< 3L?;", "< 2;"),
        Fault("a chunk too many", "out_of_bounds", r"< 3L?;", "< 4;"),
        Fault("every lane stores the result", "races", r"if \(lane == 0\) (p_y)", r"\1"),
        Fault("the result goes to the next row", "out_of_bounds", r"p_y\[(\w+)\]", r"p_y[\1 + 1]"),
        Fault("the wrong collective", "numbers", r"simd_sum\(", "simd_max("),
        Fault("the carry is not updated", "numbers", r"(\n    v\d+ = )v\d+;", r"\g<1>0.0f;"),
    ),
    NORM: (
        Fault("the first barrier is dropped", "races", BARRIER, ""),
        Fault("the second barrier is dropped", "races", BARRIER, "", 1),
        Fault("the tail is one element short", "numbers", r"< 8L?", "< 7"),
        Fault("the divisor is off by one", "numbers", r"/ 200\.0f", "/ 199.0f", 1),
        Fault("SIMD groups overlap", "races", r"\* 32L?;", "* 16;"),
        Fault(
            "every chunk lies in one slot", "numbers", r"own_stripe0\[i\w+\] =", "own_stripe0[0] ="
        ),
    ),
    GATHER: (
        Fault(
            "the gather without its guard",
            "out_of_bounds",
            r"\w+ \? (p_logits\[\w+\]) : 0\.0f;" + BEFORE_FINITE,
            r"\1;\2",
        ),
        Fault(
            "the gather one element further",
            "numbers",
            r"\(ulong\)(\w+)\);(\s+const float \w+ = \w+ \? p_logits)",
            r"(ulong)\1 + (ulong)1);\2",
        ),
        Fault("every SIMD group stores", "races", r"subgroup == 0", "subgroup >= 0"),
        Fault(
            "two reductions share their partials",
            "races",
            r"shared_partial1(?!\[2\];)",
            "shared_partial0",
            None,
        ),
        Fault("a label one beyond is taken", "out_of_bounds", r"< 150L?;", "<= 150;"),
    ),
    INDEX: (
        Fault("the last of equals wins", "numbers", r"< (\w+);" + BEFORE_WINNER, r"> \1;\2"),
        Fault("lanes are met twice", "numbers", r"(simd_shuffle_xor\(\w+,) 16", r"\1 8"),
        Fault(
            "the index partial is not stored",
            "uninitialised",
            r"if \(lane == 0\) shared_partial1\[\w+\] = \w+;",
            "",
        ),
        Fault("the barrier is dropped", "races", BARRIER, ""),
    ),
    TWO: (
        Fault("the first barrier is dropped", "races", BARRIER, ""),
        Fault("the second barrier is dropped", "races", BARRIER, "", 1),
        Fault("a maximum of the minima", "numbers", r"lanes_minimum\(", "lanes_maximum(", 1),
        Fault("the outputs are exchanged", "numbers", r"p_high\[(\w+)\]", r"p_low[\1]"),
        Fault(
            "the tail of one of two is unguarded",
            "numbers",
            r"(= )\w+ \? (\w+) : \w+;(\s+const float \w+ = max_nan)",
            r"\1\2;\3",
        ),
    ),
    GROUP: (
        Fault("the barrier is dropped", "races", BARRIER, ""),
        Fault("lanes read before their result is there", "races", r"simdgroup_barrier\(.*\);", ""),
        Fault(
            "the barrier of lanes orders nothing",
            "races",
            "(simdgroup.*)mem_threadgroup",
            r"\1mem_none",
        ),
        Fault("two SIMD groups make one result", "races", r"\* 3L?;", "* 2;"),
        Fault("a result too many is made", "out_of_bounds", r"< 5L?;", "< 6;"),
        Fault("the last results are not made", "uninitialised", r"< 2L?;", "< 1;", -1),
        Fault(
            "every element takes the first result",
            "numbers",
            r"(= shared_kept1)\[\w+\];",
            r"\1[0];",
        ),
        Fault("elements are dealt by a wrong width", "races", r"/ \(uint\)37L?", "/ (uint)38"),
        Fault("one element too many", "races", r"< 89L?;", "< 90;"),
        Fault("a kept array is too short", "out_of_bounds", r"(float shared_kept1)\[5\]", r"\1[4]"),
    ),
}
CASES = [(where, fault) for where, faults in FAULTS.items() for fault in faults]


@functools.cache
def seeded(where):
    return Seeded(where, FAULTS[where])


def name_of(value):
    return value.name.replace(" ", "-") if isinstance(value, Fault) else f"{value.op}{value.rows}"


@pytest.mark.parametrize("where", FAULTS, ids=name_of)
def test_the_kernel_without_a_fault(where):
    for probe in where.probes:
        report, agreement = seeded(where).run(None, probe)
        assert report.ok, f"{probe}\n{report}"
        assert agreement, f"{probe}: {agreement.worst}"


@pytest.mark.parametrize(("where", "fault"), CASES, ids=name_of)
def test_a_fault_shows(where, fault):
    """The findings have the fault's category, a line of the kernel that has it, and lanes."""
    kernels = seeded(where)
    seen = set()
    for probe in where.probes:
        report, agreement = kernels.run(fault, probe)
        seen |= {finding.category for finding in report.findings}
        seen |= {"numbers"} if agreement is not None and not agreement else set()
        for finding in report.findings:
            line = kernels.text.splitlines()[finding.line - 1]
            assert finding.line, finding
            assert line.strip(), finding
            assert finding.lanes, finding
        if fault.shows in seen:
            return
    pytest.fail(f"{fault.name}: expected {fault.shows}, seen {sorted(seen) or 'nothing'}")


def test_there_are_faults_of_every_kind():
    assert len(CASES) >= 30
    kinds = {fault.shows for _, fault in CASES}
    assert kinds == {"races", "uninitialised", "out_of_bounds", "divergence", "numbers"}
