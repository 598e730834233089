"""What every test shares: hypothesis profiles and a process free of a developer's settings.

`dev` and `ci` draw the same 50 examples each time; `fuzz` draws many fresh ones and prints the
blob that reproduces a failure.  No profile has a deadline: the machines that run this are shared.
"""

import os

import pytest
from hypothesis import HealthCheck, settings

_SHARED = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}

settings.register_profile("dev", max_examples=50, derandomize=True, database=None, **_SHARED)
settings.register_profile("ci", settings.get_profile("dev"))
settings.register_profile("fuzz", max_examples=5000, derandomize=False, print_blob=True, **_SHARED)
settings.load_profile("dev")

# A setting from the shell of whoever runs the tests would change what they test.  The clang is a
# property of the machine, and stays; so does the cache folder, which each process shares.
_KEPT = ("CERTILE_CLANG", "CERTILE_CACHE_DIR")
for _name in [name for name in os.environ if name.startswith("CERTILE_")]:
    if _name not in _KEPT:
        del os.environ[_name]


@pytest.fixture
def cache_folder(tmp_path, monkeypatch):
    """Give the test an empty disk cache of its own and return its folder."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("CERTILE_CACHE_DIR", str(folder))
    return folder
