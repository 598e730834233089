"""A kept program that was derived: its certificate is checked again whenever it is loaded."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

import certile as ct
from certile.cli.subject import facts_of
from certile.frontend.spec import Shaped
from certile.ir.dtypes import f32
from certile.plan.options import Options
from certile.runtime import programs
from certile.runtime.cache import default_cache
from certile.runtime.cpu.device import machine_sheet
from certile.runtime.programs import Request, kept, obtain

WIDE = 1 << 20


@ct.tile_kernel
def normalised(x: ct.View, y: ct.View):
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
    for r in ct.parallel(rows):
        v = x[r, cols]
        e = ct.exp(v - ct.reduce(v, cols, ct.maximum))
        y[r, cols] = e / ct.reduce(e, cols, ct.add)


@ct.tile_kernel
def distances(x: ct.View, y: ct.View):
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
    for r in ct.parallel(rows):
        v = x[r, cols]
        away = ct.exp(ct.reduce(v, cols, ct.minimum) - v)
        y[r, cols] = away / ct.reduce(away, cols, ct.add)


@ct.tile_kernel
def read_for_each(x: ct.View, y: ct.View):
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
    for r in ct.parallel(rows):
        top = ct.reduce(x[r, cols], cols, ct.maximum)
        s = ct.reduce(ct.exp(x[r, cols] - top), cols, ct.add)
        y[r, cols] = ct.exp(x[r, cols] - top) / s


def request_for(kernel, columns):
    """A request for one row on a CPU whose second cache holds a MiB."""
    shapes = {"x": (1, columns), "y": (1, columns)}
    made = kernel.tile_ir({name: Shaped(f32, shape) for name, shape in shapes.items()})
    caches = (32 * 1024, 1 << 20)
    sheet = replace(machine_sheet(), cache_bytes=caches)
    return Request(made, facts_of(made, shapes), (1,), sheet, Options())


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    """The entry of a derived program, the key it has, and the request; in a folder of its own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CERTILE_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        request = request_for(normalised, WIDE)
        (launch,) = obtain(request).launches
        assert launch.derivation is not None
        yield request, json.loads(default_cache().get(request.identity()))


def put(request, document):
    default_cache().put(request.identity(), json.dumps(document).encode())


def changed(document, **texts):
    derivation = document["launches"][0]["derivation"] | texts
    return {**document, "launches": [document["launches"][0] | {"derivation": derivation}]}


def derivation(document):
    return document["launches"][0]["derivation"]


def test_a_derived_program_is_kept_and_taken_again(stored):
    request, document = stored
    put(request, document)
    program = kept(request.identity(), request.kernel)
    assert program is not None
    assert json.loads(derivation(document)["certificate"])["schema"] == "certile.rewrite/1"
    assert "fallback" in derivation(document)["kernel"]


def test_a_program_derived_from_merged_loads_is_taken_again(tmp_path, monkeypatch):
    monkeypatch.setenv("CERTILE_CACHE_DIR", str(tmp_path))
    request = request_for(read_for_each, WIDE)
    (launch,) = obtain(request).launches
    assert launch.derivation is not None
    assert kept(request.identity(), request.kernel) is not None


def _edited(document):
    certificate = json.loads(derivation(document)["certificate"])
    certificate["laws"][0]["certificate"]["obligations"][5]["steps"].pop()
    return changed(document, certificate=json.dumps(certificate))


def _truncated(document):
    return changed(document, certificate=derivation(document)["certificate"][:-40])


def _another_merge(document):
    text = derivation(document)["kernel"]
    assert '"add"' in text
    return changed(document, kernel=text.replace('"add"', '"sub"', 1))


def _another_constant(document):
    text = derivation(document)["kernel"]
    assert 'fn="div"' in text
    return changed(document, kernel=text.replace('fn="div"', 'fn="mul"', 1))


def _no_kernel(document):
    return changed(document, kernel=derivation(document)["kernel"][:200])


def _no_text(document):
    return changed(document, kernel=3)


def _no_derivation_field(document):
    launch = {k: v for k, v in document["launches"][0].items() if k != "derivation"}
    return {**document, "launches": [launch]}


@pytest.mark.parametrize(
    "change",
    [
        *(_edited, _truncated, _another_merge, _another_constant, _no_kernel, _no_text),
        _no_derivation_field,
    ],
)
def test_a_changed_entry_is_refused_and_compiled_anew(stored, change):
    request, document = stored
    put(request, change(document))
    assert kept(request.identity(), request.kernel) is None
    (launch,) = obtain(request).launches
    assert launch.derivation is not None
    assert json.loads(default_cache().get(request.identity())) == document


def test_a_right_derivation_of_another_kernel_is_refused(stored, caplog):
    request, document = stored
    other = request_for(distances, WIDE)
    (launch,) = obtain(other).launches
    foreign = {"kernel": launch.derivation.kernel, "certificate": launch.derivation.certificate}
    put(request, changed(document, **foreign))
    assert kept(request.identity(), request.kernel) is None
    assert "compiled anew: the certificate is of another kernel" in caplog.text


def test_a_narrow_row_is_planned_as_written(stored):
    request = request_for(normalised, 512)
    (launch,) = obtain(request).launches
    assert launch.derivation is None
    assert derivation(json.loads(default_cache().get(request.identity()))) is None


PROCESS = """
import sys
import numpy as np
import certile as ct

@ct.tile_kernel
def normalised(x: ct.View, y: ct.View):
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
    for r in ct.parallel(rows):
        v = x[r, cols]
        e = ct.exp(v - ct.reduce(v, cols, ct.maximum))
        y[r, cols] = e / ct.reduce(e, cols, ct.add)

x = np.ones((2, int(sys.argv[1])), np.float32)
y = np.empty_like(x)
normalised(x, y)
assert (y == 1 / x.shape[1]).all()
print(any(name.startswith(("certile.proof", "certile.search")) for name in sys.modules))
"""


def test_a_kept_program_as_written_loads_no_checker(tmp_path):
    script = tmp_path / "main.py"
    script.write_text(PROCESS)
    environment = {"CERTILE_CACHE_DIR": str(tmp_path / "cache"), "PATH": ""}
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, str(script), "512"],
            capture_output=True,
            text=True,
            check=True,
            env=environment,
        )
    assert done.stdout == "False\n"


def test_a_derived_program_that_is_kept_gives_the_same(stored, monkeypatch):
    request, document = stored
    put(request, document)
    monkeypatch.setattr(programs, "_code", {})
    x = np.random.default_rng(0).standard_normal((1, WIDE)).astype(np.float32)
    x[0, 7] = 3e38
    y = np.empty_like(x)
    with np.errstate(all="ignore"):
        normalised(x, y)
        wanted = np.exp(x.astype(np.float64) - x.max())
    np.testing.assert_allclose(y, wanted / wanted.sum(), rtol=1e-5)
