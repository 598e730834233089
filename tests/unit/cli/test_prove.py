"""`certile prove`: laws, their steps, kernels, and what is refused."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from certile.cli.main import app
from certile.cli.proving import laws as prove
from certile.ir.laws import BUILTIN
from certile.ir.meanings import meaning_of
from certile.proof.check import FUEL
from certile.proof.check import goals as obligations
from certile.proof.check.terms import Table
from certile.proof.goal_text import goal_text
from certile.proof.registry import shipped
from tests.unit.cli.command_line import LAWS

KERNELS = (
    LAWS
    + """

@ct.law
class Specified(_Sum):
    spec = staticmethod(ct.list.sum)


@ct.tile_kernel
def normalised(x: ct.View[ct.f32, 2], y: ct.View[ct.f32, 2]):
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
    for r in ct.parallel(rows):
        v = x[r, cols]
        e = ct.exp(v - ct.reduce(v, cols, ct.maximum))
        y[r, cols] = e / ct.reduce(e, cols, ct.add)


@ct.tile_kernel
def read_for_each(x: ct.View[ct.f32, 2], y: ct.View[ct.f32, 1]):
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
    for r in ct.parallel(rows):
        top = ct.reduce(x[r, cols], cols, ct.maximum)
        y[r] = ct.reduce(ct.exp(x[r, cols] - top), cols, ct.add)


@ct.tile_kernel
def steep(x: ct.View[ct.f32, 2], y: ct.View[ct.f32, 1]):
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
    for r in ct.parallel(rows):
        v = x[r, cols]
        e = ct.exp(v * ct.reduce(v, cols, ct.maximum))
        y[r] = ct.reduce(e, cols, ct.add)


@ct.tile_kernel(rewrites="off")
def fixed(x: ct.View[ct.f32, 2], y: ct.View[ct.f32, 1]):
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
    for r in ct.parallel(rows):
        v = x[r, cols]
        e = ct.exp(v - ct.reduce(v, cols, ct.maximum))
        y[r] = ct.reduce(e, cols, ct.add)


@ct.tile_kernel
def rounded(x: ct.View[ct.f32, 2], y: ct.View[ct.f32, 1]):
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
    for r in ct.parallel(rows):
        v = x[r, cols]
        y[r] = ct.reduce(ct.round(v / ct.reduce(v, cols, ct.absmax)), cols, ct.add)


@ct.tile_kernel
def partly(x: ct.View[ct.f32, 2], y: ct.View[ct.f32, 1], z: ct.View[ct.f32, 1]):
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
    for r in ct.parallel(rows):
        v = x[r, cols]
        m = ct.reduce(v, cols, ct.maximum)
        y[r] = ct.reduce(ct.exp(v - m), cols, ct.add)
        z[r] = ct.reduce(ct.exp(v * m), cols, ct.add)


@ct.tile_kernel
def half_told(x: ct.View, y: ct.View[ct.f32, 1]):
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
    for r in ct.parallel(rows):
        v = x[r, cols]
        y[r] = ct.reduce(ct.exp(v - ct.reduce(v, cols, ct.maximum)), cols, ct.add)


@ct.tile_kernel
def several(x: ct.View[ct.f32, 2], y: ct.View[ct.f32, 1], z: ct.View[..., 2]):
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
    for r in ct.parallel(rows):
        v = x[r, cols]
        y[r] = ct.reduce(v, cols, ct.absmax)
        y[r] = ct.reduce(v, cols, Plain)
        y[r] = ct.reduce(v, cols, ct.add, policy="fold_left")
        z[r, cols] = ct.scan(v, cols, ct.maximum)


@ct.tile_kernel
def peaks(x: ct.View[ct.i32, 2], y: ct.View[ct.i32, 1]):
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
    for r in ct.parallel(rows):
        y[r] = ct.reduce(x[r, cols], cols, ct.absmax) - ct.reduce(x[r, cols], cols, ct.maximum)


@ct.tile_kernel
def nothing(x: ct.View, y: ct.View):
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
    for r in ct.parallel(rows):
        y[r, cols] = x[r, cols] * int(cols.extent)


@ct.tile_kernel
def uses_an_extent_as_a_number(x: ct.View[ct.f32, 2], y: ct.View[ct.f32, 1]):
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
    for r in ct.parallel(rows):
        y[r] = ct.reduce(x[r, cols], cols, ct.add) * int(x.shape[1])
"""
)


ALTERNATING = """
import certile as ct


@ct.law
class Alternating:
    state = {"a": "acc"}
    identity = staticmethod(lambda: 0.0)
    lift = staticmethod(lambda x: x)
    merge = staticmethod(lambda a, b: a.a + 2 * b.a)
    finalize = staticmethod(lambda s: s.a)
    spec = staticmethod(lambda xs: ct.list.sum(xs))
"""


def run(*arguments: str) -> tuple[int, str, str]:
    done = CliRunner().invoke(app, ["prove", *arguments])
    return done.exit_code, done.stdout, done.stderr


@pytest.fixture
def kernels(tmp_path: Path) -> str:
    path = tmp_path / "kernels.py"
    path.write_text(KERNELS)
    return str(path)


@pytest.mark.parametrize("name", BUILTIN)
def test_a_built_in_law_is_proved(name: str) -> None:
    code, shown, _ = run(name, "--json")
    document = json.loads(shown)
    assert code == 0
    assert list(document) == ["law", "proved", "obligations", "certificate"]
    assert (document["law"], document["proved"]) == (name, True)
    assert document["certificate"] == hashlib.sha256(shipped(name).encode()).hexdigest()
    law, table = BUILTIN[name], Table(FUEL)
    goals = {of: goal_text(table, goal) for of, goal in obligations(table, law, meaning_of(law))}
    assert {each["name"]: each["goal"] for each in document["obligations"]} == goals
    assert all(each["proved"] and each["missing"] is None for each in document["obligations"])


def test_text_says_what_is_proved_and_steps_say_how() -> None:
    code, brief, _ = run("logsumexp")
    assert code == 0
    assert brief.startswith("law logsumexp\n  x: every number, both infinities and NaN\n")
    assert "  s(xs) = Sum_xs[exp(x - (if m(xs) is finite then m(xs) else 0))]\n" in brief
    assert "case m(xs) is NaN:" not in brief
    assert brief.splitlines()[-1].startswith("proved; certificate ")
    code, full, _ = run("logsumexp", "--steps")
    assert code == 0
    assert set(brief.splitlines()) < set(full.splitlines())
    assert "    case m(xs) is NaN:" in full.splitlines()


def test_the_documentation_shows_what_is_printed() -> None:
    page = (Path(__file__).parents[3] / "docs" / "proofs.md").read_text(encoding="utf-8")
    shown = page.partition("```console\n$ certile prove absmax --steps\n")[2].partition("```")[0]
    printed = run("absmax", "--steps")[1]
    parts = shown.removesuffix("...\n").split("...\n")
    assert len(parts) == 2
    assert all(part and part in printed for part in parts)


def test_latex_and_steps_are_added_to_json() -> None:
    assert run("add", "--latex")[1].startswith("\\begin{align*}\n")
    code, shown, _ = run("add", "--latex", "--steps", "--json")
    document = json.loads(shown)
    assert code == 0
    assert document["latex"] + "\n" == run("add", "--latex")[1]
    assert document["obligations"][0]["steps"] == ["both sides are 0 [simplify]"]
    code, _, complaint = run("add", "--latex", "--steps")
    assert code == 2
    assert "error[A311]" in complaint


@pytest.mark.parametrize(
    ("name", "code", "diagnostic", "said"),
    [
        ("maximun", 2, "A308", "did you mean maximum?"),
        ("nothing.py:law", 2, "A309", "there is no file"),
        ("{kernels}:missing", 2, "A309", "no kernel or law called missing"),
        ("{kernels}:Plain", 4, "U507", "law Plain says nowhere what it means"),
        ("{kernels}:nothing", 2, "A309", "the shape of x is not given"),
        ("{kernels}:uses_an_extent_as_a_number", 2, "K025", "x.shape[1]"),
    ],
)
def test_refusals(kernels: str, name: str, code: int, diagnostic: str, said: str) -> None:
    exit_code, shown, complaint = run(name.format(kernels=kernels))
    assert (exit_code, shown) == (code, "")
    assert f"error[{diagnostic}]" in complaint
    assert said in complaint
    exit_code, shown, _ = run(name.format(kernels=kernels), "--json")
    assert exit_code == code
    assert json.loads(shown)["error"]["code"] == diagnostic


def test_a_name_that_is_left_out_or_wrong_is_answered_with_those_there_are(
    kernels: str, tmp_path: Path
) -> None:
    for what in (kernels, f"{kernels}:missing"):
        code, _, complaint = run(what)
        assert (code, "error[A309]" in complaint) == (2, True)
        said = " ".join(complaint.split())
        assert f"write {kernels}:NAME, NAME one of " in said
        names = said.partition("NAME one of ")[2].split(", ")
        assert {"Specified", "Plain", "normalised", "steep"} <= set(names)
        assert "ct" not in names
    empty = tmp_path / "empty.py"
    empty.write_text("import certile as ct\n")
    assert "nothing of the file is under @ct.tile_kernel or @ct.law" in run(str(empty))[2]


def test_a_law_without_a_closed_form_is_shown_at_its_class(tmp_path: Path) -> None:
    path = tmp_path / "alternating.py"
    path.write_text(ALTERNATING)
    code, _, complaint = run(f"{path}:Alternating")
    line = ALTERNATING.splitlines().index("@ct.law") + 1
    assert code == 2
    assert "error[K041]" in complaint
    assert f"{path}:{line}:" in complaint
    assert "hint: add `closed(xs)`" in complaint
    path.write_text(ALTERNATING.replace("a.a + 2 * b.a", "(a.a, b.a)"))
    complaint = run(f"{path}:Alternating")[2]
    assert "merge of law Alternating gives 2 value(s)" in complaint
    # What a method returns is shown where it returns it.
    merge = next(k for k, text in enumerate(ALTERNATING.splitlines(), 1) if "merge = " in text)
    assert f"{path}:{merge}:" in complaint


@pytest.mark.parametrize("text", ["def (", "raise RuntimeError", "import no_such_module_anywhere"])
def test_a_file_that_does_not_run_is_no_fault_of_ours(text: str, tmp_path: Path) -> None:
    path = tmp_path / "broken.py"
    path.write_text(text)
    code, shown, complaint = run(f"{path}:law")
    assert (code, shown) == (2, "")
    assert "error[A309]" in complaint
    assert "cannot be imported" in complaint


def test_a_kernel_lists_the_laws_it_uses(kernels: str) -> None:
    code, shown, _ = run(f"{kernels}:several", "--json")
    document = json.loads(shown)
    assert code == 0
    assert (document["kernel"], document["rewrites"]) == ("several", [])
    keys = ("kind", "law", "policy", "accumulate", "proved", "held_by")
    assert [tuple(use[key] for key in keys) for use in document["laws"]] == [
        ("reduction", "absmax", "unordered_tree", "f32", True, "certificate"),
        ("reduction", "Plain", "unordered_tree", "f32", False, "generated lists"),
        ("reduction", "add", "fold_left", "f32", False, "order as written, which needs no proof"),
        ("scan", "maximum", "ordered_tree", "f32", True, "certificate"),
    ]
    code, text, _ = run(f"{kernels}:several")
    assert code == 0
    assert text.splitlines()[-1] == "nothing to rewrite: no reduction reads another"
    assert run(f"{kernels}:several", "--steps", "--latex")[0] == 2


def test_a_law_of_an_author_is_proved(kernels: str, cache_folder: Path) -> None:
    code, shown, _ = run(f"{kernels}:Specified", "--steps")
    assert code == 0
    assert shown.startswith("law Specified\n  x: every number, both infinities and NaN\n")
    assert "    both sides are 0 [simplify]" in shown.splitlines()
    code, shown, _ = run(f"{kernels}:Specified", "--json")
    document = json.loads(shown)
    assert document["proved"]
    assert document["certificate"] in run(f"{kernels}:Specified")[1]


def test_a_law_of_an_author_that_is_wrong_is_refused(kernels: str, cache_folder: Path) -> None:
    code, shown, _ = run(f"{kernels}:Wrong")
    assert code == 1
    first, *notes = shown.splitlines()
    assert first.startswith("law Wrong is not proved: finalize.0: on [")
    assert notes[0] == "  to show: Sum_xs[x] = Max_xs[x]"
    code, shown, _ = run(f"{kernels}:Wrong", "--json")
    document = json.loads(shown)
    assert code == 1
    assert (document["proved"], document["certificate"]) == (False, None)
    failed = [each["name"] for each in document["obligations"] if not each["proved"]]
    assert failed == ["finalize.0"]


def test_a_rewrite_is_a_proof_to_follow(kernels: str) -> None:
    code, text, _ = run(f"{kernels}:normalised")
    lines = text.splitlines()
    assert code == 0
    before = lines.index("as written, reductions of a list xs:")
    after = lines.index("rewritten, one reduction:")
    assert lines[before + 1 : after] == [
        "  result 0 = Max_xs[x]",
        "  result 1 = Sum_xs[exp(x - Max_xs[x])]",
    ]
    assert lines[after + 1].startswith("  nothing: m = -inf, ")
    assert [line.partition(":")[0].strip() for line in lines[after + 1 : after + 5]] == [
        *("nothing", "element", "merge", "results")
    ]
    names = [line.partition(":")[0] for line in lines[after:] if " step" in line]
    assert {"nil.m", "cat.m", "finalize.1", "bound.0"} <= set(names)
    bound = lines.index(next(line for line in lines if line.startswith("bound.0: ")))
    said = "    for each element of xs, unless x is -inf: x - m(xs) is not positive"
    assert lines[bound + 1] == said
    both = "unless m(xs) is -inf: m(xs) - m(xs++ys) is not positive; unless m(ys) is -inf: "
    assert f"    {both}m(ys) - m(xs++ys) is not positive" in lines
    left = "left to run time: a component of the final state that is not finite; then "
    assert f"{left}the row is computed again as written" in lines
    assert lines[-3].startswith("proved; certificate ")
    assert "as written: see certile plan" in lines[-1]
    full = run(f"{kernels}:normalised", "--steps")[1].splitlines()
    assert set(lines) < set(full)
    assert any(line.endswith("[simplify]") for line in full)
    latex = run(f"{kernels}:normalised", "--latex")[1]
    assert "\\begin{align*}" in latex
    assert "(finalize.1)" in latex


def test_a_row_that_is_read_for_each_reduction_is_one_operand(kernels: str) -> None:
    code, text, _ = run(f"{kernels}:read_for_each")
    assert code == 0
    assert "  result 0 = Sum_xs[exp(x - Max_xs[x])]" in text.splitlines()


def test_a_rewrite_as_a_document(kernels: str) -> None:
    code, shown, _ = run(f"{kernels}:normalised", "--shape", "3x4096", "--steps", "--json")
    (rewrite,) = json.loads(shown)["rewrites"]
    assert code == 0
    assert rewrite["proved"]
    assert len(rewrite["certificate"]) == 64
    (law,) = rewrite["laws"]
    assert law["before"] == ["result 0 = Max_xs[x]", "result 1 = Sum_xs[exp(x - Max_xs[x])]"]
    assert len(law["after"]) == 4
    assert all(each["proved"] and each["steps"] for each in law["obligations"])
    assert rewrite["refusals"] == []


def test_what_is_left_as_written_says_why(kernels: str) -> None:
    code, text, _ = run(f"{kernels}:steep")
    assert code == 3
    lines = text.splitlines()
    place = next(k for k, line in enumerate(lines) if line.startswith("left as written at line "))
    assert lines[place].endswith(": ratio is not proved")
    assert lines[place + 1].startswith("  to show: ")
    assert ") = exp(" in lines[place + 1]
    assert " against " in lines[place + 2]
    assert lines[place + 3].startswith("  what helps: a later sum ")
    code, shown, _ = run(f"{kernels}:steep", "--json")
    (rewrite,) = json.loads(shown)["rewrites"]
    assert code == 3
    assert (rewrite["proved"], rewrite["certificate"], rewrite["laws"]) == (False, None, [])
    (refusal,) = rewrite["refusals"]
    assert (refusal["kind"], refusal["obligation"]) == ("rewrite", "ratio")
    assert refusal["loc"]["line"] > 0


def test_what_is_not_looked_for_and_what_cannot_be_read_is_said(kernels: str) -> None:
    code, text, _ = run(f"{kernels}:fixed")
    assert code == 0
    assert text.splitlines()[-1] == 'nothing is rewritten: the kernel has rewrites="off"'
    code, text, _ = run(f"{kernels}:rounded")
    assert code == 3
    lines = text.splitlines()
    place = next(k for k, line in enumerate(lines) if line.startswith("left as written at line "))
    assert lines[place].endswith(": cannot show that the sum can be kept in one pass")
    assert lines[place + 1] == "  because round has no meaning over the extended reals"


def test_one_rewrite_among_refusals_is_good(kernels: str) -> None:
    code, text, _ = run(f"{kernels}:partly")
    assert (code, "left as written" in text, "rewritten, one reduction" in text) == (0, True, True)


def test_a_shape_is_asked_for_where_there_is_no_rank_and_the_hint_works(kernels: str) -> None:
    code, _, complaint = run(f"{kernels}:half_told")
    assert (code, "the shape of x is not given" in complaint) == (2, True)
    said = " ".join(complaint.split())
    shape = said.partition("as in --shape ")[2].partition(";")[0]
    assert shape == "x=3x4096"
    for given in (shape, "3x4096", "x=3x4096,y=3"):
        code, text, _ = run(f"{kernels}:half_told", "--shape", given)
        assert code == 0
        assert "proved; certificate" in text


def test_a_kernel_of_integers_and_one_without_reductions(kernels: str) -> None:
    shown = run(f"{kernels}:peaks", "--json")[1]
    held = {use["law"]: use["held_by"] for use in json.loads(shown)["laws"]}
    assert held["absmax"] == "property tests"
    assert held["maximum"] == "certificate"
    code, text, _ = run(f"{kernels}:nothing", "--shape", "3x8")
    assert code == 0
    assert "no reduction and no scan" in text
    assert run(f"{kernels}:uses_an_extent_as_a_number", "--shape", "x=3x8,y=3")[0] == 0


def _changed(name: str, change: dict[str, object], place: int) -> prove.Proof:
    certificate = json.loads(shipped(name))
    certificate["obligations"][place] |= change
    return prove.checked(BUILTIN[name], json.dumps(certificate))


def test_what_does_not_hold_is_named() -> None:
    proof = _changed("absmax", {"steps": []}, 1)
    document = prove.proof_document(proof, prove.Shown(steps=True))
    assert (document["proved"], document["certificate"]) == (False, None)
    missing = [(each["proved"], each["missing"]) for each in document["obligations"]]  # type: ignore[attr-defined]
    stopped = "the checker stopped at one.s"
    assert missing == [
        (True, None),
        (False, "one.s: 1 goals are left"),
        (False, stopped),
        (False, stopped),
    ]
    assert prove.proof_text(proof, prove.Shown()).endswith("is not proved: one.s: 1 goals are left")


def test_a_certificate_of_another_law_proves_no_obligation() -> None:
    proof = prove.checked(BUILTIN["add"], shipped("mul"))
    obligations = prove.proof_document(proof, prove.Shown())["obligations"]
    reason = "the certificate is of another law"
    assert [each["missing"] for each in obligations] == [reason] * 4  # type: ignore[attr-defined]


COLUMNS = """
import certile as ct


@ct.tile_kernel
def pooled(x: ct.View[..., 2], v: ct.View[..., 2], out: ct.View[..., 2]):
    rows, keys = ct.axis("rows", x.shape[0]), ct.axis("keys", x.shape[1])
    cols = ct.axis("cols", v.shape[1])
    for r in ct.parallel(rows):
        row = x[r, keys]
        w = ct.exp(row - ct.reduce(row, keys, ct.maximum))
        out[r, cols] = ct.reduce(w * v[keys, cols], keys, ct.add)
"""


def test_a_rewrite_with_columns_names_them(tmp_path: Path) -> None:
    path = tmp_path / "columns.py"
    path.write_text(COLUMNS)
    _, text, _ = run(f"{path}:pooled")
    assert "as written, reductions of a list xs, one for each of cols:" in text.splitlines()
    _, out, _ = run(f"{path}:pooled", "--json")
    (made,) = json.loads(out)["rewrites"]
    assert [law["columns"] for law in made["laws"]] == [["cols"]]
