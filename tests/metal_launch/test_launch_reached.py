"""Every line and every branch of the launch path is driven by the tests of this folder."""

import json
import os
import subprocess
import sys

import pytest

from tests.house.sources import ROOT

# Runs where this test does not: in the tests that it measures.
_INSIDE = "LAUNCH_TESTS_MEASURED"


@pytest.mark.skipif(_INSIDE in os.environ, reason="it would measure itself")
def test_every_branch_of_the_launch_path_is_driven(tmp_path):
    held, report = tmp_path / "coverage", tmp_path / "report.json"
    (tmp_path / "coveragerc").write_text(
        "[run]\nbranch = true\n"
        f"data_file = {held}\n"
        "include = */certile/runtime/metal/*\n"
        "[report]\nexclude_also =\n    if TYPE_CHECKING:\n    \\.\\.\\.$\n"
    )
    settings = f"--rcfile={tmp_path / 'coveragerc'}"
    tests = ("tests/metal_launch", "--ignore=tests/metal_launch/test_launch_script.py", "-q")
    environment = {**os.environ, _INSIDE: "1"}
    plugins = ("-p", "no:cacheprovider", "-p", "no:xdist")
    commands = (
        ("run", settings, "-m", "pytest", *tests, *plugins),
        ("json", settings, "-o", str(report)),
    )
    for command in commands:
        done = subprocess.run(
            [sys.executable, "-m", "coverage", *command],
            cwd=ROOT,
            env={k: v for k, v in environment.items() if not k.startswith("PYTEST_")},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    files = json.loads(report.read_text())["files"]
    assert len(files) > 12
    missed = {
        name: (found["missing_lines"], found["missing_branches"])
        for name, found in files.items()
        if found["missing_lines"] or found["missing_branches"]
    }
    assert not missed
