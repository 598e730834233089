"""The page of `certile explain --html`: its structure, its map of lanes, and what it escapes."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from certile.cli.explain.lane_map import lane_map
from certile.cli.explain.lane_picture import lane_svg
from certile.cli.explain.page import html_page
from certile.cli.explain.stages import explained, planned
from certile.cli.main import app
from certile.cli.options import FormFlags, PlanFlags
from certile.cli.subject import find
from certile.ir.printer import located_lines, print_kernel
from certile.pipeline import compile_program
from certile.plan.record import GroupPlan
from certile.reference import machine
from certile.targets import DEFAULTS

VOID = {"meta", "br", "link", "img", "input", "hr"}

COLUMNS = """
import certile as ct


@ct.tile_kernel
def column_sums(x: ct.View, y: ct.View):
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
    for c in ct.parallel(cols):
        y[c] = ct.reduce(x[rows, c], rows, ct.add)


@ct.tile_kernel
def hostile(x: ct.View, y: ct.View):
    rows, cols = ct.axis("<script>alert(1)</script>&", x.shape[0]), ct.axis('"c', x.shape[1])
    for r in ct.parallel(rows):
        y[r, cols] = x[r, cols] * 2.0  # </pre><img src=x onerror=alert(2)>
"""


class Page(HTMLParser):
    """Collects elements with their attributes and the text of each kind; checks the nesting."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.words: dict[str, list[str]] = {}
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.setdefault(self.open[-1] if self.open else "", []).append(data)

    def all(self, tag: str, **wanted: str) -> list[dict[str, str | None]]:
        return [
            attributes
            for name, attributes in self.elements
            if name == tag and all(attributes.get(key) == value for key, value in wanted.items())
        ]


def plan_of(op: str, shape: str, target: str, **flags: object) -> GroupPlan:
    subject = find(op, shape, FormFlags())
    return planned(subject, target, PlanFlags(**{"policy": "analytic", **flags}))[0]


@pytest.fixture
def kernels(tmp_path: Path) -> Path:
    path = tmp_path / "kernels.py"
    path.write_text(COLUMNS)
    return path


PLANS = [
    ("softmax", "3x4096", "metal", {}),
    ("softmax", "64x1000", "metal", {"threads": 64}),
    ("sum", "17x257", "metal", {}),
    ("sum", "3x31", "cuda", {}),
    ("rms_norm", "64x8193", "metal", {"threads": 256, "lane_elements": 4}),
    ("softmax", "64x1001", "cpu", {}),
]


@pytest.mark.parametrize(("op", "shape", "target", "flags"), PLANS)
def test_cells_follow_the_formulas_of_ownership(
    op: str, shape: str, target: str, flags: dict[str, object]
) -> None:
    plan = plan_of(op, shape, target, **flags)
    assert plan.mapping is not None
    found = lane_map(plan)
    assert found is not None
    elements, lanes = int(shape.split("x")[1]), plan.sheet.lanes
    pack, cooperating = plan.mapping.lane_elements, plan.mapping.subgroups_per_program
    workers = plan.workers
    assert (found.unit, found.count, found.pack) == ("element", elements, pack)
    full = elements // (workers * pack) * workers * pack
    for row in found.rows:
        for cell in row.cells:
            worker = (row.subgroup % cooperating) * lanes + cell.lane
            position = cell.slot - row.chunk * pack
            assert cell.number == (workers * row.chunk + worker) * pack + position
            assert 0 <= position < pack
            assert cell.tail == (cell.number >= full)
        assert row.subgroup // cooperating == row.program
    skipped = sum(row.skipped for row in found.rows if row.program == 0)
    shown = [cell.number for row in found.rows if row.program == 0 for cell in row.cells]
    assert shown == sorted(set(shown))
    assert shown[-1] == elements - 1
    assert (len(shown) == elements) == (skipped == 0)
    assert len(shown) <= 1024


@pytest.mark.parametrize(
    ("op", "shape", "flags"),
    [
        ("softmax", "3x517", {"threads": 64}),
        ("rms_norm", "3x1003", {"threads": 96, "lane_elements": 4}),
        ("silu", "3x517", {"programs_per_group": 2}),
        ("silu", "3x517", {}),
        ("silu", "1x100", {}),
    ],
)
def test_the_generated_kernel_stores_what_the_map_says(
    op: str, shape: str, flags: dict[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    subject = find(op, shape, FormFlags())
    options, sheet = PlanFlags(**flags).options(), DEFAULTS["metal"]
    compiled = compile_program(
        subject.kernel, subject.facts(sheet), subject.programs, sheet, options
    )
    (launch,) = compiled.launches
    stored: dict[int, tuple[int, int, int]] = {}

    def note(run: Any, cells: Any, index: Any, value: Any, asked: Any, operation: Any) -> None:
        if cells.name == "y":
            lanes = np.broadcast_to(True if asked is None else asked, run.shape)
            elements = np.broadcast_to(index, run.shape)
            stored.update({int(elements[tuple(w)]): tuple(map(int, w)) for w in np.argwhere(lanes)})
        write(run, cells, index, value, asked, operation)

    def never(*_: object) -> int:
        raise AssertionError

    write = machine._Run._write
    monkeypatch.setattr(machine._Run, "_write", note)
    rows, columns = subject.shape
    buffers = {name: np.ones(prod(each), np.float32) for name, each in subject.shapes.items()}
    programs = launch.launch.programs.evaluate(lambda v, d: subject.shapes[v][d], never, never)
    known = {"eps": 1e-6, "programs": programs}
    scalars = {each.name: known.get(each.name, columns) for each in launch.launch.kernel.scalars}
    assert machine.run_machine(launch.launch.kernel, buffers, scalars, programs).ok
    found = lane_map(launch.plan)
    assert found is not None
    assert launch.plan.mapping is not None
    for row in found.rows:
        for cell in row.cells:
            element = row.program * columns + cell.number
            assert stored[element] == (0, row.subgroup, cell.lane)
    assert len(stored) == rows * columns


def test_a_worker_keeps_as_many_slots_as_the_plan_says() -> None:
    plan = plan_of("softmax", "64x1000", "metal", threads=64)
    found = lane_map(plan)
    assert found is not None
    slots = {cell.slot for row in found.rows for cell in row.cells}
    assert slots == set(range(plan.stripe_scalars))


def test_programs_that_share_a_group_have_subgroups_of_their_own() -> None:
    plan = plan_of("sum", "17x257", "metal")
    found = lane_map(plan)
    assert found is not None
    assert {(row.program, row.subgroup) for row in found.rows} == {(0, 0), (1, 1)}


def test_a_lane_of_the_other_maps_has_a_program(kernels: Path) -> None:
    subject = find(f"{kernels}:column_sums", "x=512x1003,y=1003", FormFlags())
    plan = planned(subject, "cpu", PlanFlags())[0]
    assert plan.mapping is not None
    assert plan.mapping.family == "columns"
    found = lane_map(plan)
    assert found is not None
    lanes, vectors = plan.sheet.lanes, plan.mapping.group_vectors
    programs = [cell for row in found.rows for cell in row.cells]
    for row in found.rows:
        for cell in row.cells:
            assert cell.number == (row.chunk * vectors + row.subgroup) * lanes + cell.lane
    assert [cell.number for cell in programs] == list(range(1003))
    assert sum(cell.tail for cell in programs) == 1003 % lanes


def test_nothing_is_drawn_of_what_cannot_be() -> None:
    assert lane_map(plan_of("softmax", "64x4096", "metal", threads=100)) is None
    assert lane_map(plan_of("softmax", "0x64", "metal")) is None


def test_a_picture_hatches_the_tail_and_outlines_packs() -> None:
    plan = plan_of("rms_norm", "64x8193", "metal", threads=256, lane_elements=4)
    found = lane_map(plan)
    assert found is not None
    drawn = Page(lane_svg(found))
    cells = [cell for row in found.rows for cell in row.cells]
    assert [int(str(each["data-number"])) for each in drawn.all("g")] == [c.number for c in cells]
    assert len(drawn.all("rect", **{"class": "tail"})) == sum(cell.tail for cell in cells) > 0
    packs = [cell for cell in cells if cell.number % 4 == 0]
    assert len(drawn.all("rect", **{"class": "pack"})) == len(packs)
    assert (
        f"element {cells[0].number}: program 0, chunk 0, subgroup 0, lane 0, slot 0"
        in (drawn.words["title"])
    )
    assert sum(row.skipped for row in found.rows) > 0
    assert any("left out" in text for text in drawn.words["text"])


def page_of(op: str, shape: str, target: str, **flags: object) -> str:
    subject = find(op, shape, FormFlags())
    asked = PlanFlags(**{"policy": "analytic", **flags})
    return html_page(subject, explained(subject, target, asked, "f32"), target, "f32")


@pytest.mark.parametrize(("target", "suffix"), [("metal", "metal"), ("cpu", "ll"), ("cuda", "cu")])
def test_a_page_has_every_stage_and_loads_nothing(target: str, suffix: str) -> None:
    text = page_of("softmax", "3x4096", target)
    page = Page(text)
    ids = {str(attributes["id"]) for _, attributes in page.elements if "id" in attributes}
    assert {"plans", "stages", "refusals"} <= ids
    assert {f"stage-{name}" for name in ("python", "tile", "plan", "machine", "kernel")} <= ids
    assert f"90-kernel.{suffix}" in page.words["h3"]
    assert len(page.all("script")) == len(page.all("style")) == 1
    links = [attributes for _, attributes in page.elements if {"src", "href"} & attributes.keys()]
    assert [each["href"] for each in links] == ["#plans", "#stages", "#refusals"]
    assert "url(" not in text.replace("url(#tail)", "")
    assert "@import" not in text
    assert page.all("html", lang="en")
    assert len(text) < 1_000_000


def test_lines_of_one_place_carry_one_mark(kernels: Path) -> None:
    what = f"{kernels}:column_sums"
    page = Page(page_of(what, "x=9x40,y=40", "metal"))
    marked = [each for each in page.all("span") if "data-at" in each]
    assert all(each["tabindex"] == "0" for each in marked)
    subject = find(what, "x=9x40,y=40", FormFlags())
    tile = print_kernel(subject.kernel).splitlines()
    for written, made in (("ct.parallel", "tile.parallel"), ("ct.reduce", "tile.reduce")):
        line = _line_with(written, subject.source.splitlines())
        here = {str(each["id"]) for each in marked if str(line) in str(each["data-at"]).split()}
        assert {f"python-{line}", f"tile-{_line_with(made, tile)}"} <= here
        assert "tile-1" not in here


def test_lines_of_helpers_belong_to_the_call() -> None:
    page = Page(page_of("softmax", "3x4096", "metal"))
    marked = [each for each in page.all("span") if str(each.get("id")).startswith("tile-")]
    assert len(marked) > 5


def _line_with(word: str, lines: list[str]) -> int:
    return next(number for number, text in enumerate(lines, 1) if word in text)


def test_located_lines_are_the_text_of_the_printer() -> None:
    kernel = find("layer_norm", "3x64", FormFlags()).kernel
    located = located_lines(kernel)
    assert "\n".join(line for line, _ in located) + "\n" == print_kernel(kernel)
    assert all(places for line, places in located if "tile.reduce" in line)


def test_tables_list_candidates_and_rejections() -> None:
    plan = plan_of("softmax", "3x4096", "metal")
    page = Page(page_of("softmax", "3x4096", "metal"))
    assert f"{plan.considered} candidates, the best first" in page.words["h3"]
    assert len(page.all("tr", **{"class": "chosen"})) == 1
    assert plan.rejected[0].reason in page.words["td"]
    assert len(page.all("tr")) == len(plan.candidates) + len(plan.rejected) + 3


def test_a_table_lists_the_forms_of_the_program() -> None:
    plan = plan_of("softmax", "3x4096", "metal", policy="service")
    page = Page(page_of("softmax", "3x4096", "metal", policy="service"))
    assert len(plan.forms) > 1
    assert f"{len(plan.forms)} forms of the program" in page.words["h3"]
    assert len(page.all("tr", **{"class": "chosen"})) == 2


def test_a_refusal_says_what_was_to_be_shown(kernels: Path) -> None:
    page = Page(page_of("softmax", "64x65537", "metal"))
    plan = plan_of("softmax", "64x65537", "metal")
    assert plan.declined is not None
    assert any(plan.declined.reason in text for text in page.words["p"])
    refusals = plan.refusals
    shown = "".join(page.words.get("div", []))
    assert all(each.text in shown and each.missing in shown for each in refusals)


def test_hostile_names_are_text(kernels: Path) -> None:
    page = Page(page_of(f"{kernels}:hostile", "3x64", "metal"))
    assert len(page.all("script")) == 1
    assert not page.all("img")
    everything = "".join(text for texts in page.words.values() for text in texts)
    assert "<script>alert(1)</script>&" in everything
    assert "</pre><img src=x onerror=alert(2)>" in everything


def test_explain_writes_a_page(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    arguments = ["explain", "sum", "--shape", "3x64", "--target", "metal", "--out", str(tmp_path)]
    done = CliRunner().invoke(app, [*arguments, "--html", str(path)])
    assert done.exit_code == 0
    assert done.stdout.splitlines()[-1] == str(path)
    assert Page(path.read_text()).all("section", id="stages")
    done = CliRunner().invoke(app, [*arguments, "--html", str(tmp_path), "--json"])
    assert done.exit_code == 2
    assert json.loads(done.stdout)["error"]["code"] == "A311"
