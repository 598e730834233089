"""Every element type has a name in other packages, and arrays of its size."""

import subprocess
import sys

import numpy as np
import pytest

from certile.ir.array_types import BEYOND_NUMPY, FULL_NAMES, MLX_NAMES, numpy_dtype, plain_dtype
from certile.ir.dtypes import BY_NAME


def test_every_type_has_a_name_of_its_own():
    assert set(FULL_NAMES) == set(MLX_NAMES) == set(BY_NAME)
    assert len(set(FULL_NAMES.values())) == len(BY_NAME)


@pytest.mark.parametrize("dtype", BY_NAME.values(), ids=str)
def test_arrays_have_the_size_and_the_name(dtype):
    held, plain = numpy_dtype(dtype.name), plain_dtype(dtype.name)
    assert held.name == FULL_NAMES[dtype.name]
    assert held.itemsize == plain.itemsize == dtype.size
    # What travels as bits is read back as it was.
    assert (held == plain) == (dtype.name not in BEYOND_NUMPY)
    assert plain.type in (np.bool_, *np.sctypeDict.values())


def test_the_package_of_other_types_is_imported_when_one_is_wanted():
    code = (
        "import sys\n"
        "from certile.ir.array_types import numpy_dtype\n"
        "numpy_dtype('f32')\n"
        "assert 'ml_dtypes' not in sys.modules\n"
        "numpy_dtype('bf16')\n"
        "assert 'ml_dtypes' in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
