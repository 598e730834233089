"""The planner's facts through the program `certile`: what a row's one number does not show.

tests/unit/cli holds the chosen plan of every row.  Here: exit codes and streams, whole candidate
sets, domains, and the program as a process of its own.
"""

import json
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from certile.cli.main import app

V4 = "--lane-elements 4 --cache-inputs"
# What a declined plan leaves empty.
PLAN_FIELDS = (
    *("subgroups_per_program", "programs_per_group", "lane_elements", "unroll", "accumulators"),
    *("threads", "workers", "blocks", "active_programs_last_block", "shared_bytes"),
    *("stripe_scalars", "rounds", "barriers", "score", "kernel_score", "score_terms", "waves"),
    *("independent_subgroups", "lane_utilization"),
)


def plan(arguments, target="metal"):
    command = ["plan", *arguments.split(), "--target", target, "--policy", "analytic", "--json"]
    done = CliRunner().invoke(app, command)
    return done.exit_code, json.loads(done.stdout)


def scores(found):
    return {
        (each["subgroups_per_program"], each["programs_per_group"]): each["score"]
        for each in found["candidates"]
    }


# Row, command, domains, reduction extents, extents of kept tiles.
DOMAINS = [
    (1, "sum --shape 1x127", [1], [127], []),
    (6, "softmax --shape 1x127", [127, 127], [127, 127], [127]),
    (13, "rms_norm --shape 17x257", [257], [257], []),
    (15, "layer_norm --shape 3x4096", [4096, 4096], [4096, 4096], [4096]),
    (15, "layer_norm --shape 3x4096 --materialization expensive-only", [4096], [4096] * 2, []),
    (16, "cross_entropy --shape 7x4096", [1, 1, 1], [4096, 4096], []),
    (17, "minmax --shape 7x1024", [1, 1], [1024, 1024], []),
    (19, f"softmax --shape 1024x4096 {V4}", [4096] * 3, [4096, 4096], [4096] * 2),
    (19, f"rms_norm --shape 1024x4096 {V4}", [4096] * 2, [4096], [4096]),
    (28, "residual_layer_norm --shape 64x4096", [4096] * 3, [4096, 4096], [4096] * 2),
]


@pytest.mark.parametrize(("row", "arguments", "domains", "extents", "kept"), DOMAINS)
def test_domains_follow_from_the_program(row, arguments, domains, extents, kept):
    code, found = plan(arguments)
    assert code == 0, row
    assert found["schema"] == "certile.plan/1"
    assert sorted(found["domains"]) == domains
    assert [each["extent"] for each in found["reductions"]] == extents
    assert len(found["materialized"]) == len(kept)
    terms = found["score_terms"]
    assert found["score"] == pytest.approx(sum(terms.values()), rel=0, abs=1e-12)


# Row, command, subgroups, threads, shared bytes, stripe, rounds, score, kernel score.
WHOLE = [
    (1, "sum --shape 1x127", 1, 32, 0, 0, 5, 23, 23),
    (2, "sum --shape 17x257", 1, 256, 0, 0, 10, 14, 14),
    (3, "sum --shape 128x1024", 4, 128, 16, 0, 9, 33, 66),
    (4, "sum --shape 64x4096", 8, 256, 32, 0, 17, 49, 49),
    (6, "softmax --shape 1x127", 2, 64, 16, 2, 8, 32, 32),
    (7, "softmax --shape 17x257", 3, 96, 24, 3, 12, 40, 40),
    (9, "softmax --shape 3x4096", 10, 320, 80, 13, 52, 108, 108),
    (10, "softmax --shape 64x4096 --max-threads 256", 8, 256, 64, 16, 64, 112, 112),
    (12, "softmax --shape 64x65536", 32, 1024, 256, 64, 256, 400, 400),
    (13, "rms_norm --shape 17x257", 1, 256, 0, 0, 18, 22, 22),
    (14, "rms_norm --shape 64x4096", 10, 320, 40, 0, 26, 62, 62),
    (15, "layer_norm --shape 3x4096", 10, 320, 80, 13, 52, 108, 108),
    (15, "layer_norm --shape 17x257", 3, 96, 24, 3, 12, 40, 40),
    (16, "cross_entropy --shape 7x4096", 8, 256, 64, 0, 35, 83, 83),
    (17, "minmax --shape 7x1024", 4, 128, 32, 0, 18, 50, 50),
    (19, f"softmax --shape 1024x4096 {V4}", 11, 352, 88, 24, 60, 120, 120 * 16),
    (19, f"rms_norm --shape 1024x4096 {V4}", 16, 512, 64, 8, 24, 72, 72 * 16),
]


@pytest.mark.parametrize(
    ("row", "arguments", "figures"), [(row, text, rest) for row, text, *rest in WHOLE]
)
def test_every_figure_of_a_plan(row, arguments, figures):
    code, found = plan(arguments)
    assert (code, found["declined"]) == (0, None), row
    names = ("subgroups_per_program", "threads", "shared_bytes", "stripe_scalars", "rounds")
    assert [found[name] for name in (*names, "score", "kernel_score")] == figures
    assert found["threads"] == 32 * found["subgroups_per_program"] * found["programs_per_group"]
    assert found["considered"] == len(found["candidates"])


def test_the_choice_is_the_first_strict_minimum():
    for arguments in ("sum --shape 17x257", "softmax --shape 17x257", "rms_norm --shape 64x4096"):
        found = plan(arguments)[1]
        by_map = scores(found)
        best = min(by_map.values())
        chosen = (found["subgroups_per_program"], found["programs_per_group"])
        assert chosen == min(key for key, score in by_map.items() if score == best)


@pytest.mark.parametrize(
    ("row", "arguments", "mapping", "score"),
    [
        (7, "softmax --shape 17x257", (1, 8), 42),
        (14, "rms_norm --shape 64x4096", (8, 1), 64),
        (5, "sum --shape 3x31", (1, 3), 2 + 2 + 16 / 3),
    ],
)
def test_scores_of_plans_that_history_knows(row, arguments, mapping, score):
    assert scores(plan(arguments)[1])[mapping] == pytest.approx(score, rel=0, abs=1e-12), row


@pytest.mark.parametrize(
    ("row", "arguments", "wanted"),
    [
        (21, "sum --shape 8x64", [(1, q) for q in range(1, 9)] + [(s, 1) for s in range(2, 33)]),
        (
            21,
            "sum --shape 8x64 --max-threads 256",
            [(1, q) for q in range(1, 9)] + [(s, 1) for s in range(2, 9)],
        ),
        (22, "sum --shape 1x64", [(s, 1) for s in range(1, 33)]),
        (22, "sum --shape 7x64", [(1, q) for q in range(1, 8)] + [(s, 1) for s in range(2, 33)]),
        (30, "sum --shape 64x4096 --programs-per-group 2", [(s, 2) for s in range(1, 17)]),
        (12, "softmax --shape 64x65536", [(32, 1)]),
    ],
)
def test_the_whole_candidate_set(row, arguments, wanted):
    assert sorted(scores(plan(arguments)[1])) == sorted(wanted), row


@pytest.mark.parametrize(
    ("row", "arguments", "code", "rejected"),
    [
        (12, "softmax --shape 64x65537", "budget", 32),
        (24, "sum --shape 64x4096 --threads 100", "threads", 0),
        (24, "sum --shape 64x4096 --threads 33", "threads", 0),
        (24, "sum --shape 64x4096 --threads 2048", "threads", 0),
        (26, f"softmax --shape 64x8193 --threads 256 {V4}", "budget", 1),
        (28, "residual_layer_norm --shape 64x4096 --threads 32", "budget", 1),
        (28, "residual_layer_norm --shape 64x4096 --threads 64", "budget", 1),
    ],
)
def test_a_declined_plan_has_exit_code_3_and_no_figures(row, arguments, code, rejected):
    exit_code, found = plan(arguments)
    assert exit_code == 3, row
    assert found["declined"]["code"] == code
    assert found["declined"]["reason"]
    assert [found[name] for name in PLAN_FIELDS] == [None] * len(PLAN_FIELDS)
    assert (found["considered"], found["candidates"], len(found["rejected"])) == (0, [], rejected)
    assert {each["rule"] for each in found["rejected"]} <= {"stripe"}
    assert all(each["value"] > each["limit"] == 64 for each in found["rejected"])


def test_a_stripe_that_is_too_long_is_one_rejection_a_width():
    for arguments in ("softmax --shape 3x4096", "softmax --shape 64x4096 --max-threads 256"):
        rejected = plan(arguments)[1]["rejected"]
        assert [(r["subgroups_per_program"], r["rule"], r["value"]) for r in rejected] == [
            (1, "stripe", 128)
        ]
    every = plan("softmax --shape 64x65537")[1]["rejected"]
    assert [each["subgroups_per_program"] for each in every] == list(range(1, 33))
    assert every[-1]["value"] == 65


def test_more_widths_than_allowed_is_wrong_usage():
    code, found = plan("sum --shape 64x64 --max-thread-candidates 31")
    assert code == 2
    assert found["error"]["code"] == "P002"
    assert plan("sum --shape 64x64 --max-thread-candidates 32")[1]["considered"] == 39


def test_legal_requests_next_to_rejected_ones():
    """Rows 26 to 28."""
    for arguments, stripe in (
        (f"rms_norm --shape 64x8193 --threads 256 {V4}", 33),
        (f"softmax --shape 64x8193 --threads 512 {V4}", 34),
        ("residual_layer_norm --shape 64x4096 --threads 128", 64),
        ("residual_layer_norm --shape 64x4096 --threads 256", 32),
    ):
        code, found = plan(arguments)
        assert (code, found["stripe_scalars"], found["considered"]) == (0, stripe, 1)


def test_two_programs_a_group_save_exactly_eight():
    """Row 31."""
    for op in ("sum", "softmax", "rms_norm"):
        one = plan(f"{op} --shape 64x4096 --threads 256 --programs-per-group 1")[1]
        two = plan(f"{op} --shape 64x4096 --threads 512 --programs-per-group 2")[1]
        assert one["workers"] == two["workers"] == 256
        assert one["score"] - two["score"] == 8


def test_cross_entropy_has_two_barriers():
    """Row 16; a plan of one subgroup has none."""
    assert plan("cross_entropy --shape 7x4096")[1]["barriers"] == 2
    alone = plan("cross_entropy --shape 7x4096 --threads 32")[1]
    assert (alone["barriers"], alone["independent_subgroups"]) == (0, True)


def certile(folder, *arguments):
    done = subprocess.run(
        [sys.executable, "-m", "certile", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    return done.returncode, done.stdout, done.stderr


def test_the_program_as_a_process(tmp_path):
    """Standard output holds JSON and nothing else, also where the plan is declined."""
    common = ("--target", "metal", "--policy", "analytic", "--json")
    code, shown, complaint = certile(tmp_path, "plan", "softmax", "--shape", "3x4096", *common)
    assert (code, complaint) == (0, "")
    assert json.loads(shown) == plan("softmax --shape 3x4096")[1]
    code, shown, complaint = certile(tmp_path, "plan", "softmax", "--shape", "64x65537", *common)
    assert (code, complaint) == (3, "")
    assert json.loads(shown)["declined"]["code"] == "budget"
