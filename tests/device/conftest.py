"""What the tests of this folder share: PyTorch, where it has a device."""

import pytest


@pytest.fixture
def torch():
    """PyTorch; a test that asks for it is skipped where it finds no CUDA device."""
    import torch

    if not torch.cuda.is_available():
        pytest.skip("no CUDA device")
    return torch
