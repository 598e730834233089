"""The block pool: alignment, reuse, lifetime, limits, threads, forks."""

import copy
import gc
import io
import os
import pickle
from collections.abc import Iterator
from typing import Any

import ml_dtypes
import numpy as np
import pytest
import torch

from certile.diagnostics import ArgumentError
from certile.runtime import memory
from certile.runtime.memory import BlockPool
from tests.threads import in_threads

MB = 1 << 20


@pytest.fixture(autouse=True)
def clean() -> Iterator[None]:
    memory.clear()
    yield
    memory.clear()


def test_blocks_are_aligned_and_writable() -> None:
    pool = BlockPool(64 * MB)
    block = pool.take(5 * MB + 3)
    assert block.shape == (5 * MB + 3,)
    assert block.ctypes.data % (2 * MB) == 0
    block[:] = 7
    assert block.flags.writeable
    assert int(block[-1]) == 7


def test_a_dead_block_is_used_again() -> None:
    pool = BlockPool(64 * MB)
    block = pool.take(8 * MB)
    address = block.ctypes.data
    del block
    assert pool.free_bytes == 8 * MB
    again = pool.take(7 * MB)
    assert again.ctypes.data == address
    assert pool.free_bytes == 0


def test_a_block_in_use_is_never_handed_out() -> None:
    pool = BlockPool(64 * MB)
    block = pool.take(4 * MB)
    address = block.ctypes.data
    view = block[MB : 2 * MB].reshape(1024, 1024)[::2].T
    tensor = torch.from_numpy(block).view(torch.float32)[5:]
    del block
    assert pool.take(4 * MB).ctypes.data != address
    del view
    gc.collect()
    assert pool.take(4 * MB).ctypes.data != address
    detached = tensor.detach().numpy()
    del tensor
    assert pool.take(4 * MB).ctypes.data != address
    del detached
    gc.collect()
    held = [pool.take(4 * MB) for _ in range(3)]
    assert address in {block.ctypes.data for block in held}
    assert len({block.ctypes.data for block in held}) == 3


def test_a_block_of_another_size_is_not_used() -> None:
    pool = BlockPool(256 * MB)
    small = pool.take(8 * MB)
    address = small.ctypes.data
    del small
    assert pool.take(10 * MB).ctypes.data != address
    assert pool.free_bytes == 18 * MB
    kept = pool.take(4 * MB)
    assert pool.free_bytes == 18 * MB
    del kept


def test_the_tightest_block_is_chosen() -> None:
    pool = BlockPool(256 * MB)
    blocks = [pool.take(size * MB) for size in (20, 16, 18)]
    addresses = [block.ctypes.data for block in blocks]
    del blocks
    assert pool.take(16 * MB).ctypes.data == addresses[1]


def test_limit_drops_the_oldest() -> None:
    pool = BlockPool(16 * MB)
    first, second, third = (pool.take(8 * MB) for _ in range(3))
    gone = first.ctypes.data
    stay = {second.ctypes.data, third.ctypes.data}
    del first, second, third
    assert pool.free_bytes == 16 * MB
    held = [pool.take(8 * MB) for _ in range(2)]
    assert {block.ctypes.data for block in held} == stay
    assert gone not in stay
    pool.resize(0)
    del held
    assert pool.free_bytes == 0


def test_clear_and_limit_zero() -> None:
    pool = BlockPool(64 * MB)
    kept = pool.take(8 * MB)
    kept[:] = 3
    del_me = pool.take(8 * MB)
    del del_me
    pool.clear()
    assert pool.free_bytes == 0
    assert int(kept.sum(dtype=np.int64)) == 3 * 8 * MB
    del kept
    assert pool.free_bytes == 8 * MB


def test_threads_never_share_a_block() -> None:
    pool = BlockPool(32 * MB)
    wrong: list[int] = []

    def work(mark: int) -> None:
        for _ in range(150):
            block = pool.take(2 * MB)
            block[::65536] = mark
            other = pool.take(2 * MB)
            other[::65536] = mark
            if set(block[::65536]) != {mark}:
                wrong.append(mark)
            del block, other

    in_threads(work, range(1, 7))
    assert not wrong
    assert pool.free_bytes <= 32 * MB


def test_a_lease_in_a_cycle_comes_back_during_collection() -> None:
    pool = BlockPool(64 * MB)
    for _ in range(20):
        cycle: list[Any] = [pool.take(2 * MB)]
        cycle.append(cycle)
    del cycle
    gc.collect()
    assert pool.free_bytes >= 2 * MB


def test_small_results_are_the_frameworks_own() -> None:
    assert memory.empty_numpy((256, 1023), np.dtype(np.float32)).base is None
    small = memory.empty_torch((1023, 1024), torch.float32)
    assert small.untyped_storage().resizable()
    assert memory.pool().free_bytes == 0


@pytest.mark.parametrize("dtype", [np.float32, ml_dtypes.bfloat16, np.bool_, np.int64])
@pytest.mark.parametrize("size", [memory.ALIGNED_BYTES, 3 * MB, memory.POOLED_BYTES - 64])
def test_middling_numpy_results_start_at_a_line(dtype: Any, size: int) -> None:
    kind = np.dtype(dtype)
    kept = [memory.empty_numpy((2, size // kind.itemsize // 2), kind) for _ in range(3)]
    for result in kept:
        assert result.ctypes.data % 64 == 0
        assert (result.nbytes, result.dtype, result.flags.c_contiguous) == (size, kind, True)
        assert result.flags.writeable
    assert memory.pool().free_bytes == 0


@pytest.mark.parametrize("dtype", [np.float32, ml_dtypes.bfloat16, np.bool_, np.int64])
def test_large_numpy_results_are_pooled(dtype: Any) -> None:
    kind = np.dtype(dtype)
    shape = (4, MB // kind.itemsize)
    result = memory.empty_numpy(shape, kind)
    assert (result.shape, result.dtype, result.flags.c_contiguous) == (shape, kind, True)
    assert result.ctypes.data % (2 * MB) == 0
    result[-1, -1] = 1
    address = result.ctypes.data
    del result
    assert memory.empty_numpy(shape, kind).ctypes.data == address


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.bool, torch.float64])
def test_large_torch_results_are_pooled(dtype: torch.dtype) -> None:
    shape = (2, 2 * MB // dtype.itemsize)
    result = memory.empty_torch(shape, dtype)
    assert (tuple(result.shape), result.dtype, result.is_contiguous()) == (shape, dtype, True)
    address = result.data_ptr()
    assert address % (2 * MB) == 0
    result[-1, -1] = 1
    view = result.t()[5:]
    del result
    assert memory.empty_torch(shape, dtype).data_ptr() != address
    memory.clear()
    del view
    gc.collect()
    assert memory.empty_torch(shape, dtype).data_ptr() == address


def test_limit_comes_from_the_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CERTILE_POOL_BYTES", "0")
    result = memory.empty_numpy((32 * MB,), np.dtype(np.uint8))
    del result
    assert memory.pool().free_bytes == 0
    monkeypatch.setenv("CERTILE_POOL_BYTES", "64M")
    result = memory.empty_numpy((32 * MB,), np.dtype(np.uint8))
    del result
    assert memory.pool().free_bytes == 32 * MB
    monkeypatch.setenv("CERTILE_POOL_BYTES", "nothing")
    with pytest.raises(ArgumentError, match="CERTILE_POOL_BYTES"):
        memory.empty_numpy((32 * MB,), np.dtype(np.uint8))
    monkeypatch.delenv("CERTILE_POOL_BYTES")
    assert memory.pool().free_bytes == 32 * MB


def test_what_people_do_with_a_result() -> None:
    """Results of the pool are arrays like any other, save that their memory cannot be resized."""
    array = memory.empty_numpy((2, 2 * MB), np.dtype(np.uint8))
    array[:] = 7
    for other in (pickle.loads(pickle.dumps(array)), copy.deepcopy(array), np.array(array)):
        assert np.array_equal(other, array)
        assert not np.shares_memory(other, array)
    with pytest.raises(ValueError, match="does not own its data"):
        array.resize((3, 2 * MB))
    tensor = memory.empty_torch((2, MB), torch.bfloat16)
    tensor[:] = 7
    stored = io.BytesIO()
    torch.save(tensor, stored)
    stored.seek(0)
    for other in (torch.load(stored), copy.deepcopy(tensor), tensor.clone()):
        assert torch.equal(other, tensor)
        assert other.data_ptr() != tensor.data_ptr()
    assert tensor.untyped_storage().nbytes() == 4 * MB
    assert (tensor.is_contiguous(), tensor.is_pinned(), tensor.is_leaf) == (True, False, True)
    tensor.requires_grad_()
    with pytest.raises(RuntimeError, match="not resizable"):
        tensor.detach().resize_(3, MB)
    tensor.detach().resize_(2, 5)
    tensor.data.set_(torch.ones(3, dtype=torch.bfloat16))


def test_a_tensor_keeps_its_block_through_its_storage() -> None:
    tensor = memory.empty_torch((4, MB), torch.uint8)
    address = tensor.data_ptr()
    storage = tensor.untyped_storage()
    other = torch.empty(0, dtype=torch.uint8).set_(storage)
    del tensor, storage
    gc.collect()
    assert memory.empty_torch((4, MB), torch.uint8).data_ptr() != address
    memory.clear()
    del other
    gc.collect()
    assert memory.empty_torch((4, MB), torch.uint8).data_ptr() == address


def test_shared_memory_takes_the_tensor_out_of_its_block() -> None:
    tensor = memory.empty_torch((4, MB), torch.uint8)
    tensor[:] = 3
    address = tensor.data_ptr()
    tensor.share_memory_()
    assert tensor.is_shared()
    assert int(tensor.sum()) == 3 * 4 * MB
    gc.collect()
    assert memory.empty_torch((4, MB), torch.uint8).data_ptr() == address


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_child_can_use_a_pool_that_was_busy() -> None:
    """The parent's thread that held the lock does not exist in the child."""
    pool = memory.pool()
    with pool._lock:
        child = os.fork()
        if child == 0:
            held = pool.take(2 * MB).ctypes.data
            os._exit(0 if pool.take(2 * MB).ctypes.data == held else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_fork_copies_what_is_in_use() -> None:
    pool = BlockPool(64 * MB)
    mine = pool.take(2 * MB)
    mine[:] = 1
    child = os.fork()
    if child == 0:
        mine[:] = 2
        other = pool.take(2 * MB)
        other[:] = 3
        os._exit(0 if int(mine[0]) == 2 else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert set(mine[::4096]) == {1}
