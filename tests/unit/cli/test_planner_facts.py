"""The plans of the row planner, as numbers computed by hand, through the command line.

Each row: the command, and what its JSON has to say.  The scores follow from rounds, collectives and
set-up: rounds + 2 · reductions · S + 16 / Q.
"""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from certile.cli.main import app

SHORT = {
    "S": "subgroups_per_program",
    "Q": "programs_per_group",
    "T": "threads",
    "shared": "shared_bytes",
    "stripe": "stripe_scalars",
    "last": "active_programs_last_block",
}
V4 = "--lane-elements 4 --cache-inputs"

# number, arguments after `certile plan`, expected fields in short names.
PLANS = [
    (1, "sum --shape 1x127", "S=1 Q=1 T=32 blocks=1 shared=0 rounds=5 score=23"),
    (2, "sum --shape 17x257", "S=1 Q=8 T=256 blocks=3 last=1 rounds=10 score=14"),
    (3, "sum --shape 128x1024", "S=4 Q=1 T=128 blocks=128 shared=16 rounds=9 score=33"),
    (3, "sum --shape 128x1024", "kernel_score=66"),
    (4, "sum --shape 64x4096", "S=8 Q=1 T=256 shared=32 rounds=17 score=49"),
    (5, "sum --shape 3x31", "S=1 Q=3 T=96 blocks=1 rounds=2"),
    (6, "softmax --shape 1x127", "S=2 T=64 shared=16 stripe=2 rounds=8 score=32"),
    (7, "softmax --shape 17x257", "S=3 Q=1 T=96 shared=24 stripe=3 rounds=12 score=40"),
    (9, "softmax --shape 3x4096", "S=10 T=320 shared=80 stripe=13 rounds=52 score=108"),
    (9, "softmax --shape 3x4096", "considered=31"),
    (10, "softmax --shape 64x4096 --max-threads 256", "S=8 T=256 shared=64 stripe=16 score=112"),
    (10, "softmax --shape 64x4096 --max-threads 256", "considered=7"),
    (12, "softmax --shape 64x65536", "S=32 stripe=64 score=400 considered=1"),
    (13, "rms_norm --shape 17x257", "S=1 Q=8 score=22"),
    (14, "rms_norm --shape 64x4096", "S=10 T=320 shared=40 score=62"),
    (15, "layer_norm --shape 3x4096", "S=10 stripe=13 score=108"),
    (15, "layer_norm --shape 17x257", "S=3 T=96 stripe=3 score=40"),
    (16, "cross_entropy --shape 7x4096", "S=8 T=256 shared=64 stripe=0 rounds=35 score=83"),
    (16, "cross_entropy --shape 7x4096", "barriers=2"),
    (17, "minmax --shape 7x1024", "S=4 T=128 shared=32 rounds=18 score=50"),
    (19, f"softmax --shape 1024x4096 {V4}", "S=11 T=352 stripe=24 score=120"),
    (19, f"rms_norm --shape 1024x4096 {V4}", "S=16 T=512 stripe=8 score=72"),
    (21, "sum --shape 8x64", "considered=39"),
    (21, "sum --shape 8x64 --max-threads 256", "considered=15"),
    (22, "sum --shape 1x64", "considered=32"),
    (22, "sum --shape 7x64", "considered=38"),
    (26, f"rms_norm --shape 64x8193 --threads 256 {V4}", "S=8 stripe=33"),
    (27, f"softmax --shape 64x8193 --threads 512 {V4}", "S=16 stripe=34"),
    (28, "residual_layer_norm --shape 64x4096 --threads 128", "stripe=64"),
    (28, "residual_layer_norm --shape 64x4096 --threads 256", "stripe=32"),
    (30, "sum --shape 64x4096 --programs-per-group 2", "considered=16"),
]
# number, arguments, the rule that declines it, and a value and limit to find among the rejections.
DECLINED = [
    (12, "softmax --shape 64x65537", "stripe", (65, 64)),
    (24, "sum --shape 64x4096 --threads 100", "threads", None),
    (24, "sum --shape 64x4096 --threads 33", "threads", None),
    (24, "sum --shape 64x4096 --threads 2048", "threads", None),
    (26, f"softmax --shape 64x8193 --threads 256 {V4}", "stripe", (66, 64)),
    (28, "residual_layer_norm --shape 64x4096 --threads 32", "stripe", (256, 64)),
    (28, "residual_layer_norm --shape 64x4096 --threads 64", "stripe", (128, 64)),
]


def plan(arguments: str) -> tuple[int, dict]:
    command = ["plan", *arguments.split(), "--target", "metal", "--policy", "analytic", "--json"]
    done = CliRunner().invoke(app, command)
    return done.exit_code, json.loads(done.stdout)


@pytest.mark.parametrize(("number", "arguments", "expected"), PLANS)
def test_plan(number: int, arguments: str, expected: str) -> None:
    code, found = plan(arguments)
    assert code == 0, number
    assert found["declined"] is None
    for field in expected.split():
        name, value = field.split("=")
        assert found[SHORT.get(name, name)] == int(value), (number, field)


def test_a_score_that_is_no_integer() -> None:
    assert plan("sum --shape 3x31")[1]["score"] == pytest.approx(2 + 2 + 16 / 3)


@pytest.mark.parametrize(("number", "arguments", "rule", "figures"), DECLINED)
def test_declined(number: int, arguments: str, rule: str, figures: tuple[int, int] | None) -> None:
    code, found = plan(arguments)
    assert code == 3, number
    assert found["subgroups_per_program"] is None
    assert rule in (found["declined"]["code"], *(each["rule"] for each in found["rejected"]))
    if figures is not None:
        assert figures in {(each["value"], each["limit"]) for each in found["rejected"]}


def test_one_rejection_a_width() -> None:
    rejected = plan("softmax --shape 3x4096")[1]["rejected"]
    assert [(each["subgroups_per_program"], each["value"]) for each in rejected] == [(1, 128)]


def test_too_many_widths_are_an_error() -> None:
    command = (
        "plan sum --shape 64x64 --target metal --max-thread-candidates 31 --policy analytic --json"
    )
    done = CliRunner().invoke(app, command.split())
    assert done.exit_code != 0
    assert "31" in done.stdout


def test_a_second_program_a_group_saves_eight() -> None:
    one = plan("sum --shape 64x4096 --threads 256 --programs-per-group 1")[1]
    two = plan("sum --shape 64x4096 --threads 512 --programs-per-group 2")[1]
    assert one["subgroups_per_program"] == two["subgroups_per_program"] == 8
    assert one["score"] - two["score"] == 8
