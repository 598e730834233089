"""Arrays for calls, and calls that have to be refused."""

import numpy as np
import pytest

from certile.diagnostics import CertileError


def numbers(*shape, dtype=np.float32, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def refused(code, call, *args, **keywords):
    with pytest.raises(CertileError) as caught:
        call(*args, **keywords)
    assert caught.value.code == code
    return caught.value
