"""The compiler does not know what it compiles: without the operations it makes the same text.

Two processes with different hash seeds compile the same programs, one from a copy of the package
in which the folder of the operations does not exist.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import certile

SCRIPT = Path(__file__).with_name("anonymous.py")
PACKAGE = Path(certile.__file__).parent
# An editable installation would find elsewhere what a copy lacks.
START = """
import runpy, sys
sys.meta_path[:] = [f for f in sys.meta_path if not f.__module__.startswith("__editable__")]
runpy.run_path(sys.argv[1], run_name="__main__")
"""


def compiled(root, seed):
    """What the script prints, with the package found in `root`."""
    environment = {**os.environ, "PYTHONPATH": str(root), "PYTHONHASHSEED": seed}
    done = subprocess.run(
        [sys.executable, "-P", "-W", "error", "-c", START, str(SCRIPT)],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
        env=environment | {"CERTILE_CACHE": "off"},
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def whole():
    return compiled(PACKAGE.parent, "1")


@pytest.fixture(scope="module")
def without(tmp_path_factory):
    root = tmp_path_factory.mktemp("without")
    left_out = shutil.ignore_patterns("ops", "__pycache__")
    shutil.copytree(PACKAGE, root / "certile", ignore=left_out)
    found = compiled(root, "2")
    assert Path(found["package"]).is_relative_to(root)
    return found


def test_the_operations_are_there_and_are_not(whole, without):
    assert (whole["ops"], without["ops"]) == (True, False)


def test_programs_compile_and_run_without_operations(without):
    assert all(set(texts) == {"cpu", "cuda", "metal"} for texts in without["texts"])
    assert all("entry" in texts["cpu"] or "define" in texts["cpu"] for texts in without["texts"])


def test_the_text_is_the_same_byte_for_byte(whole, without):
    assert whole["texts"] == without["texts"]
    assert whole["result"] == without["result"]
    # Only f64 has no Metal text.
    metal = [texts["metal"] for texts in whole["texts"]]
    assert sum(text != "U310" for text in metal) >= len(metal) * 3 // 4


def test_compiling_imports_no_operation(whole):
    assert whole["loaded"] == []
