"""The plan as JSON: the keys are those of the schema, and a declined plan has null fields."""

import json

import pytest

from certile.plan.classes import row_class, wave
from certile.plan.document import plan_json
from certile.plan.record import Options
from certile.targets import DEFAULTS, SHEETS
from tests.unit.plan.test_choose import chosen, reduced
from tests.unit.plan.test_facts import plan

KEYS = [
    "schema",
    "op",
    "target",
    "sheet",
    "policy",
    "dtype",
    "shape",
    "programs",
    "domains",
    "reductions",
    "materialized",
    "declined",
    "subgroups_per_program",
    "programs_per_group",
    "lane_elements",
    "unroll",
    "accumulators",
    "block",
    "threads",
    "workers",
    "blocks",
    "active_programs_last_block",
    "shared_bytes",
    "stripe_scalars",
    "rounds",
    "barriers",
    "independent_subgroups",
    "lane_utilization",
    "waves",
    "score",
    "kernel_score",
    "score_terms",
    "considered",
    "candidates",
    "rejected",
    "refusals",
]
CHOSEN = KEYS[KEYS.index("subgroups_per_program") : KEYS.index("considered")]


def document(op, programs, width, **options):
    made = plan(op, programs, width, **options)
    text = plan_json(made, op=op, target="metal", dtype="f32", shape=(programs, width))
    return json.loads(json.dumps(text, allow_nan=False))


def test_a_plan_says_everything():
    got = document("softmax", 17, 257)
    assert set(KEYS) <= set(got)
    assert got["schema"] == "certile.plan/1"
    assert got["shape"] == [17, 257]
    assert got["domains"] == [257, 257]
    assert got["materialized"] == [257]
    bounds = [each.pop("rounding") for each in got["reductions"]]
    assert got["reductions"] == [
        {"law": law, "extent": 257, "policy": "unordered_tree", "state_bytes": 4}
        for law in ("maximum", "add")
    ]
    assert [bound["constant"] for bound in bounds] == [0, 1]
    assert bounds[1]["dtype"] == "f32"
    assert bounds[1]["formula"] == f"s: g({bounds[1]['depth']}) sum |x|"
    assert got["score_terms"] == {"rounds": 12, "collectives": 12, "setup": 16}
    assert (got["score"], got["threads"], got["blocks"], got["waves"]) == (40, 96, 17, 1)
    assert got["lane_utilization"] == pytest.approx(4 * 257 / (12 * 96))
    assert len(got["candidates"]) == got["considered"] == 39
    assert got["declined"] is None
    assert (got["row_class"], got["family"]) == ("part", "subgroup")


def test_a_declined_plan_has_null_fields_and_its_reasons():
    got = document("softmax", 64, 65537)
    assert got["declined"]["code"] == "budget"
    assert all(got[key] is None for key in CHOSEN)
    last = got["rejected"][-1]
    assert (last["subgroups_per_program"], last["rule"]) == (32, "stripe")
    assert (last["value"], last["limit"]) == (65, 64)
    assert (last["lane_elements"], last["phase"]) == (None, False)
    assert got["considered"] == 0


def test_a_refused_program_has_its_refusal():
    made = chosen(reduced(policy="fold_left"))
    got = plan_json(made, op="sum", target="metal", dtype="f32", shape=(8, 4096))
    assert [r["rule"] for r in got["refusals"]] == ["reduction_type"]
    assert got["domains"] == []


@pytest.mark.parametrize(
    ("programs", "name", "representative"),
    [
        (0, "few", 7),
        (7, "few", 7),
        (8, "part", 64),
        (63, "part", 64),
        (64, "waves", 512),
        (512, "waves", 512),
        (513, "many", 4096),
        (10**9, "many", 4096),
    ],
)
def test_row_classes(programs, name, representative):
    found = row_class(programs, wave(SHEETS["metal"], Options(policy="analytic")))
    assert (found.name, found.representative) == (name, representative)


def test_a_wave_on_a_cpu_is_its_threads():
    assert wave(SHEETS["cpu-avx2"], Options()) == SHEETS["cpu-avx2"].cores
    assert wave(SHEETS["cuda-sm90"], Options(policy="service")) == 1056
    assert wave(SHEETS["cuda-sm90"], Options(policy="analytic")) == 64


@pytest.mark.parametrize("name", SHEETS)
def test_every_number_of_a_sheet_says_where_it_is_from(name):
    sheet = SHEETS[name]
    numbers = {"lanes", "max_threads", "shared_bytes", "stripe_scalars", "wave"}
    assert numbers <= set(sheet.provenance)
    assert all(source.strip() for source in sheet.provenance.values())
    assert set(sheet.provenance) <= set(sheet.__dataclass_fields__)


def test_default_sheets_are_those_that_ship():
    assert set(DEFAULTS.values()) <= set(SHEETS.values())
    assert (DEFAULTS["metal"].shared_bytes, DEFAULTS["cuda"].shared_bytes) == (32768, 49152)
