"""Calls while PyTorch differentiates, records or wraps: refused, or right, and never silently less.

A call that was made before looks at no more than the signatures of its arrays, so each case runs
with such a call and with one that is new.
"""

import itertools
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.autograd import forward_ad
from torch.fx.experimental.proxy_tensor import make_fx
from torch.utils._python_dispatch import TorchDispatchMode

import certile as ct
from certile import ops
from certile.runtime import torch_modes

# PyTorch's own, of what it imports when these are first used.
pytestmark = pytest.mark.filterwarnings("ignore:.*torch.jit:DeprecationWarning")

Tensor = Any
Call = Callable[[Tensor], Tensor]


@ct.jit
def jitted(x: Any) -> Any:
    return x * 2


@ct.tile_kernel
def kernel(x: ct.View, y: ct.View) -> None:
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
    for r in ct.parallel(rows):
        y[r, cols] = x[r, cols] * 2


def launched(x: Tensor) -> Tensor:
    y = torch.empty(x.shape)
    kernel(x, y)
    return y


# Each with what it computes.
CALLS: dict[str, tuple[Call, Call]] = {
    "operation": (lambda x: ops.softmax(x), lambda x: torch.softmax(x, -1)),
    "operation into": (
        lambda x: ops.softmax(x, out=torch.empty(x.shape)),
        lambda x: torch.softmax(x, -1),
    ),
    "jitted": (jitted, lambda x: x * 2),
    "kernel": (launched, lambda x: x * 2),
}
_fresh = itertools.count(600)


@pytest.fixture(params=["known", "new"])
def x(request: pytest.FixtureRequest) -> Tensor:
    made = torch.linspace(-1, 1, 3 * next(_fresh)).reshape(3, -1)
    if request.param == "known":
        for call, _ in CALLS.values():
            call(made)
    return made


@pytest.fixture(params=CALLS)
def call(request: pytest.FixtureRequest) -> Call:
    return CALLS[request.param][0]


@pytest.fixture(params=CALLS)
def both(request: pytest.FixtureRequest) -> tuple[Call, Call]:
    """A call, and what it computes."""
    return CALLS[request.param]


class Watching(TorchDispatchMode):  # type: ignore[misc, name-defined]  # of Any
    def __torch_dispatch__(
        self, func: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> object:
        return func(*args, **(kwargs or {}))


class Overriding(torch.Tensor):  # type: ignore[misc, name-defined]  # of Any
    """Has `__torch_function__` of `torch.Tensor`."""


class Wrapping(torch.Tensor):  # type: ignore[misc, name-defined]  # of Any
    """Holds another tensor, and no memory."""

    @staticmethod
    def __new__(cls: Any, inner: Tensor) -> Any:
        made = torch.Tensor._make_wrapper_subclass(cls, inner.shape, dtype=inner.dtype)
        made.inner = inner
        return made

    @classmethod
    def __torch_dispatch__(
        cls, func: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> object:
        return cls(func(*(a.inner if isinstance(a, cls) else a for a in args), **(kwargs or {})))


def in_a_level(call: Call, x: Tensor) -> object:
    with forward_ad.dual_level():
        return call(forward_ad.make_dual(x, torch.ones_like(x)))


def in_a_level_without_gradients(call: Call, x: Tensor) -> object:
    with torch.no_grad():
        return in_a_level(call, x)


def a_view_of_a_dual(call: Call, x: Tensor) -> object:
    with forward_ad.dual_level():
        doubled = forward_ad.make_dual(torch.stack((x, x)), torch.ones(2, *x.shape))
        return call(doubled[0])


@pytest.mark.parametrize("run", [in_a_level, in_a_level_without_gradients, a_view_of_a_dual])
def test_a_tangent_is_refused(run: Callable[[Call, Tensor], object], call: Call, x: Tensor) -> None:
    with pytest.raises(ct.UnsupportedError, match=r"U503.*has a tangent"):
        run(call, x)
    # Neither the error nor the level leaves anything behind.
    with forward_ad.dual_level():
        assert forward_ad.unpack_dual(call(x)).tangent is None
    call(x)


def test_an_output_with_a_tangent_is_refused(x: Tensor) -> None:
    with forward_ad.dual_level():
        y = forward_ad.make_dual(torch.zeros_like(x), torch.ones_like(x))
        with pytest.raises(ct.UnsupportedError, match="U503"):
            ops.softmax(x, out=y)
        with pytest.raises(ct.UnsupportedError, match=r"U503(.|\n)*argument y"):
            kernel(x, y)
        assert not y.any()


TRANSFORMS: dict[str, Callable[[Call, Tensor], object]] = {
    "jvp": lambda call, x: torch.func.jvp(call, (x,), (x,)),
    "vmap": lambda call, x: torch.func.vmap(call)(torch.stack((x, x))),
    "grad": lambda call, x: torch.func.grad(lambda a: call(a).sum())(x),
    "vjp": lambda call, x: torch.func.vjp(call, x),
    "jacfwd": lambda call, x: torch.func.jacfwd(call)(x),
    "jacrev": lambda call, x: torch.func.jacrev(call)(x),
    "functionalize": lambda call, x: torch.func.functionalize(call)(x),
    "trace": lambda call, x: torch.jit.trace(call, x, check_trace=False),
    "make_fx": lambda call, x: make_fx(call)(x),
    "make_fx of fakes": lambda call, x: make_fx(call, tracing_mode="fake")(x),
    "fake": lambda call, x: call(FakeTensorMode().from_tensor(x)),
    "overriding": lambda call, x: call(x.as_subclass(Overriding)),
    "wrapping": lambda call, x: call(Wrapping(x)),
}


@pytest.mark.parametrize("run", TRANSFORMS.values(), ids=TRANSFORMS)
def test_what_would_be_lost_or_has_no_memory_is_refused(
    run: Callable[[Call, Tensor], object], call: Call, x: Tensor
) -> None:
    with pytest.raises(ct.UnsupportedError, match="U201"):
        run(call, x)
    call(x)


def beside_a_dual(call: Call, x: Tensor) -> Tensor:
    with forward_ad.dual_level():
        forward_ad.make_dual(torch.ones(3), torch.ones(3))
        return call(x)


def detached(call: Call, x: Tensor) -> Tensor:
    with forward_ad.dual_level():
        return call(forward_ad.make_dual(x, torch.ones_like(x)).detach())


def in_inference_mode(call: Call, x: Tensor) -> Tensor:
    with forward_ad.dual_level():
        dual = forward_ad.make_dual(x, torch.ones_like(x))
        with torch.inference_mode():
            return call(dual)


def watched(call: Call, x: Tensor) -> Tensor:
    with Watching():
        return call(x)


@pytest.mark.parametrize("run", [beside_a_dual, detached, in_inference_mode, watched])
def test_what_loses_nothing_is_computed(
    run: Callable[[Call, Tensor], Tensor], both: tuple[Call, Call], x: Tensor
) -> None:
    call, same = both
    np.testing.assert_allclose(run(call, x).numpy(), same(x).numpy(), rtol=1e-5)


def test_a_function_of_autograd_brings_a_tangent_of_its_own(call: Call, x: Tensor) -> None:
    class Own(torch.autograd.Function):  # type: ignore[misc, name-defined]  # of Any
        @staticmethod
        def forward(ctx: Any, a: Tensor) -> Tensor:
            return call(a)

        @staticmethod
        def jvp(ctx: Any, tangent: Tensor) -> Tensor:
            return tangent * 3

    with forward_ad.dual_level():
        made = Own.apply(forward_ad.make_dual(x, torch.ones_like(x)))
        value, tangent = forward_ad.unpack_dual(made)
    assert torch.equal(value, call(x))
    assert torch.equal(tangent, torch.full_like(x, 3))


def test_a_version_that_hides_its_state_is_asked_at_every_call(
    monkeypatch: pytest.MonkeyPatch, call: Call, x: Tensor
) -> None:
    for name in torch_modes.Modes.__slots__:
        # To be put back.
        monkeypatch.setattr(torch_modes.modes, name, getattr(torch_modes.modes, name))
    bare = SimpleNamespace(
        _C=None,
        device=torch.device,
        jit=torch.jit,
        autograd=SimpleNamespace(forward_ad=None),
        utils=SimpleNamespace(_python_dispatch=None),
    )
    torch_modes.watch(bare)
    monkeypatch.setattr(torch_modes, "watch", lambda torch: None)
    call(x)
    for run in (in_a_level, TRANSFORMS["make_fx"]):
        with pytest.raises(ct.UnsupportedError):
            run(call, x)
    call(x)
