"""Whether the arrays of a call are like those of the call before, by few questions.

In: the arrays of a call.  Out: what returns the addresses of later arrays that have the signatures
of these, but for alignment, and None for others.  Decides which arrays are worth it: those of one
framework, in the memory of the host.  Leaves every other to `arrays.probe_into`, which asks one
array at a time; so None is always right.

PyTorch has a class that compares tensors with known ones at once.  It is private, so it is tried on
tensors that differ in one respect each, and not used where it takes any of them for like.
"""

import functools
import sys
from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import Any, TypeAlias

import numpy as np

from certile.runtime import mlx_arrays, torch_arrays, torch_modes
from certile.runtime.buffers import address_of, from_buffer
from certile.runtime.torch_modes import modes

__all__ = ["Again", "never", "of"]

# An array of whatever framework; the packages are optional, so their names cannot be imported.
Array: TypeAlias = Any
Torch: TypeAlias = Any
Again: TypeAlias = Callable[[Sequence[Array]], list[int] | None]
# Says whether tensors are like those that it was made of; False where one is there twice.
_Check: TypeAlias = Callable[..., bool]


def never(arrays: Sequence[Array]) -> list[int] | None:
    """Return None: no array is known."""


def of(arrays: Sequence[Array]) -> Again:
    """Return what knows arrays like these again; `never` where nothing does."""
    kinds = {type(array) for array in arrays}
    again: Again = never
    if kinds == {np.ndarray}:
        again = _with_buffers(np.ndarray, arrays)
    elif len(kinds) == 1 and mlx_arrays.is_mlx(arrays[0]):
        # Elsewhere an address has to hold its array.
        again = never if mlx_arrays.drives_metal() else _with_buffers(type(arrays[0]), arrays)
    elif kinds and all(torch_arrays.is_tensor(array) and array.is_cpu for array in arrays):
        again = _of_tensors(arrays)
    return never if again(arrays) is None else again


def _with_buffers(kind: type[Any], arrays: Sequence[Array]) -> Again:
    """Return what knows C-ordered arrays that may be written, by dtype and shape."""
    known = [(array.dtype, array.shape) for array in arrays]
    count = len(known)

    def again(arrays: Sequence[Array]) -> list[int] | None:
        if len(arrays) != count:
            return None
        found: list[int] = []
        try:
            # `strict` costs a tenth of a microsecond.
            for array, (dtype, shape) in zip(arrays, known):  # noqa: B905
                if type(array) is not kind or array.shape != shape:
                    return None
                # NumPy's are mostly one object each; to compare takes as long as to ask.
                own = array.dtype
                if own is not dtype and own != dtype:
                    return None
                found.append(address_of(from_buffer(array)))
        except (TypeError, ValueError, BufferError, RuntimeError):
            return None
        return found

    return again


def _of_tensors(tensors: Sequence[Array]) -> Again:
    torch = sys.modules["torch"]
    checker = None if torch_modes.any_on() else _checker(torch)
    if checker is None:
        return never
    # An output may be an input, and a vector be there twice; a check takes a tensor once.
    places = {id(tensor): place for place, tensor in enumerate(tensors)}
    twice = [(at, places[id(t)]) for at, t in enumerate(tensors) if places[id(t)] != at]
    once = sorted(places.values())
    pick = itemgetter(*once) if twice and len(once) > 1 else None
    check, data_ptr = checker([tensors[at] for at in once]), torch.Tensor.data_ptr
    count = len(tensors)

    def again(arrays: Sequence[Array]) -> list[int] | None:
        # As in `torch_modes.any_on`, without the cost of a call.
        if (
            modes.forward._current_level >= 0
            or modes.dispatch._is_in_torch_dispatch_mode
            or modes.is_tracing()
            or len(arrays) != count
        ):
            return None
        if twice:
            for at, other in twice:
                if arrays[at] is not arrays[other]:
                    return None
            if not (check(*pick(arrays)) if pick else check(arrays[0])):
                return None
        elif not check(*arrays):
            return None
        try:
            return [*map(data_ptr, arrays)]
        except RuntimeError:  # inside a transform
            return None

    return again


@functools.cache
def _checker(torch: Torch) -> Callable[[Sequence[Array]], _Check] | None:
    """Return what makes a check of tensors; None where this version of PyTorch has none."""
    try:
        kind = torch._C._dynamo.guards.TensorGuards

        def made(tensors: Sequence[Array]) -> _Check:
            check: _Check = kind(
                *tensors,
                dynamic_dims_sizes=[list(tensor.shape) for tensor in tensors],
                dynamic_dims_strides=[list(tensor.stride()) for tensor in tensors],
            ).check
            return check

        return made if _tells_apart(made, torch) else None
    except (AttributeError, TypeError, ValueError, RuntimeError, SystemError):
        return None


def _tells_apart(made: Callable[[Sequence[Array]], _Check], torch: Torch) -> bool:
    """Whether a check takes a tensor for like one of the same kind, and for like no other."""
    like = {"dtype": torch.float32, "device": modes.host}
    with torch.inference_mode(False):
        plain = torch.zeros((2, 3), **like)
        check = made((plain,))
        others = (
            torch.zeros((2, 3), dtype=torch.int32, device=modes.host),
            torch.zeros((2, 3), dtype=torch.float32, device="meta"),
            torch.zeros((3, 2), **like),
            torch.zeros((3, 2), **like).t(),
            torch.zeros((2, 3), requires_grad=True, **like),
            torch._neg_view(plain),
            plain.to_sparse(),
            plain.as_subclass(type("_Other", (torch.Tensor,), {})),
        )
        return check(torch.ones((2, 3), **like)) and not any(map(check, others))
