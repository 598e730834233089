"""Marks of tests whose tools set-up installs on some systems only; elsewhere they are skipped.

Whatever set-up installs everywhere is imported plainly: where it is missing the tests fail.
"""

import sys

import pytest

nvrtc = pytest.mark.skipif(sys.platform != "linux", reason="set-up installs NVRTC on Linux only")
