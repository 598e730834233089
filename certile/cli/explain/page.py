"""`certile explain --html`: everything about one compile on one page.

In: a subject and what was heard of its compile.  Out: one HTML text that loads nothing.  Decides
what stands on the page and how long texts are folded; lines of Tile IR are tied to the lines of
Python they were written at (later stages do not keep places).  Leaves the look to
`certile.cli.explain.page_style` and the map of lanes to `certile.cli.explain.lane_picture`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from certile.cli.explain.lane_map import lane_map
from certile.cli.explain.lane_picture import lane_svg, legend
from certile.cli.explain.page_style import SCRIPT, STYLE
from certile.cli.explain.stages import Explained, Stage
from certile.cli.subject import Subject
from certile.diagnostics import Refusal
from certile.ir.printer import located_lines
from certile.plan.mapping import Mapping
from certile.plan.record import Candidate, Form, GroupPlan, Rejection
from certile.plan.text import groups_text
from certile.source import Loc

__all__ = ["html_page"]

# Lines of a text that are shown, and that may be unfolded; more are in the stage's own file.
_SHOWN, _KEPT = 300, 3000
# Rows of a table that are shown before the rest is folded.
_ROWS = 12
_HOW = (
    "Point at a line of Python or of tile IR, or move to it with Tab: "
    "the lines of one place light up."
)
_SECTIONS = (("plans", "Plans"), ("stages", "Stages"), ("refusals", "Refusals"))

# Text, and the lines of source that it was written at, as the page counts them.
Line = tuple[str, tuple[int, ...]]


def html_page(subject: Subject, found: Explained, target: str, dtype: str) -> str:
    """Return the page."""
    shape = "x".join(map(str, subject.shape))
    title = f"{subject.name} {shape} {dtype} for {target}"
    links = "".join(f'<li><a href="#{name}">{text}</a></li>' for name, text in _SECTIONS)
    return "\n".join(
        [
            '<!doctype html><html lang="en"><head><meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{escape(title)}</title><style>{STYLE}</style></head><body>",
            f"<header><h1>{escape(title)}</h1>",
            f'<nav aria-label="Sections"><ul>{links}</ul></nav></header><main>',
            '<section id="plans"><h2>Plans</h2>',
            *(part for number, plan in enumerate(found.plans) for part in _plan(number, plan)),
            '</section><section id="stages"><h2>Stages</h2>',
            f'<p class="faint">{_HOW}</p><div class="stages">',
            *(_stage(stage, _lines(stage, subject)) for stage in found.stages if _is_shown(stage)),
            '</div></section><section id="refusals"><h2>Refusals</h2>',
            *(map(_refusal, found.refusals) if found.refusals else ("<p>None.</p>",)),
            f"</section></main><script>{SCRIPT}</script></body></html>",
            "",
        ]
    )


# Plans.


def _plan(number: int, plan: GroupPlan) -> Iterator[str]:
    yield f"<h3>Launch {number}</h3>"
    yield f'<p class="facts">{escape("; ".join(_facts(plan)))}</p>'
    if plan.declined is not None:
        reason = escape(plan.declined.reason)
        yield f'<p class="refusal">declined ({escape(plan.refused_as)}): {reason}</p>'
    owned = lane_map(plan)
    if owned is not None:
        yield f"<p>{legend(owned)}</p>"
        region = '<div class="scroll" tabindex="0" role="region" aria-label="Map of lanes">'
        yield f"{region}{lane_svg(owned)}</div>"
    best = sorted(plan.candidates, key=lambda made: made.score)
    yield _table(
        f"{len(plan.forms)} forms of the program",
        ("form", "keeps", "inputs", "best in ns", "reason"),
        [_form(each) for each in plan.forms],
        [each.best is not None and each.best.mapping is plan.mapping for each in plan.forms],
    )
    terms = tuple(plan.score_terms)
    yield _table(
        f"{plan.considered} candidates, the best first",
        ("S", "Q", "V", "score", *terms),
        [_candidate(each, terms) for each in best],
        [each.mapping == plan.mapping for each in best],
    )
    yield _table(
        f"{len(plan.rejected)} rejected",
        ("S", "Q", "V", "rule", "value", "limit", "reason"),
        [_rejection(each) for each in plan.rejected],
    )


def _facts(plan: GroupPlan) -> Iterator[str]:
    programs = "1 program" if plan.programs == 1 else f"{plan.programs} programs"
    yield f"{programs} on {plan.sheet.name}, {plan.options.policy} policy"
    mapping = plan.mapping
    if mapping is None:
        return
    yield f"{mapping.family} family"
    if mapping.family == "subgroup":
        yield ", ".join(_letters(mapping))
        yield f"{plan.shared_bytes} shared bytes, {plan.barriers} barrier sites"
        yield f"{plan.stripe_scalars} scalars a worker, {plan.rounds} rounds"
    if plan.group is not None:
        yield f"{plan.workers} threads a program, {plan.rounds} rounds"
        yield f"{plan.shared_bytes} shared bytes, {plan.barriers} barrier sites"
    yield groups_text(plan)
    if plan.score is not None:
        yield f"score {plan.score:g}"


def _letters(mapping: Mapping) -> Iterator[str]:
    yield f"S = {mapping.subgroups_per_program}"
    yield f"Q = {mapping.programs_per_group}"
    yield f"V = {mapping.lane_elements}"
    yield f"U = {mapping.unroll}"
    if mapping.accumulators > 1:
        yield f"A = {mapping.accumulators}"
    if mapping.block > 1:
        yield f"B = {mapping.block}"


def _candidate(made: Candidate, terms: Sequence[str]) -> tuple[object, ...]:
    mapping = made.mapping
    letters = (mapping.subgroups_per_program, mapping.programs_per_group, mapping.lane_elements)
    return (*letters, made.score, *(made.terms.get(name, "") for name in terms))


def _form(made: Form) -> tuple[object, ...]:
    whose = "derived" if made.derived else "as written"
    inputs = "cached" if made.cache_inputs else ""
    cost = "" if made.best is None else made.best.kernel_score
    return (whose, made.materialization, inputs, cost, made.reason)


def _rejection(no: Rejection) -> tuple[object, ...]:
    wide = "" if no.lane_elements is None else no.lane_elements
    where = (no.subgroups_per_program, no.programs_per_group, wide)
    return (*where, no.rule, no.value, no.limit, no.reason)


def _table(
    caption: str,
    head: Sequence[str],
    rows: Sequence[Sequence[object]],
    chosen: Sequence[bool] = (),
) -> str:
    """Return a table whose later rows are folded; nothing where there are no rows."""
    if not rows:
        return ""
    marks = [*chosen, *[False] * (len(rows) - len(chosen))]
    shown = [_table_row(row, mark) for row, mark in zip(rows, marks, strict=True)]
    names = "".join(f'<th scope="col">{escape(name)}</th>' for name in head)
    top = f"<thead><tr>{names}</tr></thead>"
    first = f"<table>{top}<tbody>{''.join(shown[:_ROWS])}</tbody></table>"
    rest = shown[_ROWS:]
    if rest:
        more = f"<table>{top}<tbody>{''.join(rest)}</tbody></table>"
        first += f"<details><summary>{len(rest)} more</summary>{more}</details>"
    return f"<h3>{escape(caption)}</h3>{first}"


def _table_row(row: Sequence[object], chosen: bool) -> str:
    cells = []
    for value in row:
        is_number = isinstance(value, int | float)
        text = f"{value:g}" if isinstance(value, float) else str(value)
        cells.append(f"{'<td class=number>' if is_number else '<td>'}{escape(text)}</td>")
    return f"{'<tr class=chosen>' if chosen else '<tr>'}{''.join(cells)}</tr>"


# Stages.


def _is_shown(stage: Stage) -> bool:
    """Whether a stage is a text of its own; what the tables say is not repeated."""
    return stage.name not in ("why", "launch") and not stage.file.endswith(".json")


def _lines(stage: Stage, subject: Subject) -> list[Line]:
    """Return the lines of a stage with the lines of source behind each."""
    if stage.name == "python":
        return [(text, (number,)) for number, text in enumerate(stage.text.splitlines(), 1)]
    if stage.name == "tile":
        located = located_lines(subject.kernel)
        return [(text, _source_lines(places, subject)) for text, places in located]
    return [(text, ()) for text in stage.text.splitlines()]


def _source_lines(places: Sequence[Loc], subject: Subject) -> tuple[int, ...]:
    """Return the lines of the subject's text, from 1, that places or their callers are on."""
    last = subject.first_line + len(subject.source.splitlines())
    found = set()
    for place in places:
        at: Loc | None = place
        while at is not None:
            if at.file == subject.file and subject.first_line <= at.line < last:
                found.add(at.line - subject.first_line + 1)
            at = at.caller
    return tuple(sorted(found))


def _stage(stage: Stage, lines: Sequence[Line]) -> str:
    name = escape(stage.name)
    made = [_line(stage, number, line) for number, line in enumerate(lines[:_KEPT], 1)]
    text = f'<pre tabindex="0" aria-label="{name}">{"".join(made[:_SHOWN])}</pre>'
    if rest := made[_SHOWN:]:
        summary = f"<summary>{len(rest)} more lines</summary>"
        folded = f'<pre tabindex="0" aria-label="{name}, the rest">{"".join(rest)}</pre>'
        text += f"<details>{summary}{folded}</details>"
    if len(lines) > _KEPT:
        text += f'<p class="faint">{len(lines) - _KEPT} lines are in {escape(stage.file)} only.</p>'
    return f'<article id="stage-{name}"><h3>{escape(stage.file)}</h3>{text}</article>'


def _line(stage: Stage, number: int, line: Line) -> str:
    """Return a line; only lines of a known place are marked and can be reached by Tab."""
    text, places = line
    if not places:
        return f"{escape(text)}\n"
    at = " ".join(map(str, places))
    anchor = f"{stage.name}-{number}"
    return f'<span class="line" tabindex="0" id="{anchor}" data-at="{at}">{escape(text)}</span>'


# Refusals.


def _refusal(refusal: Refusal) -> str:
    needed = f"<br>To show: {escape(refusal.claim)}. Missing: {escape(refusal.missing)}."
    if refusal.obligation:
        needed += f" Obligation: {escape(refusal.obligation)}."
    where = f" <span class='faint'>({escape(str(refusal.loc))})</span>" if refusal.loc.known else ""
    return f'<div class="refusal">{escape(refusal.text)}{where}{needed}</div>'
