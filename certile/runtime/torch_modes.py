"""What PyTorch is in the middle of while a call runs: forward-mode differentiation, or a trace.

In: PyTorch's own state; a tensor.  Out: whether tensors of a call have to be asked one by one, and
why one is refused.  Decides nothing else.  Signatures say nothing of either, so that known calls
must ask too: the three attributes are on the path of every call.  PyTorch is never imported here;
until a first tensor is described, they say that nothing is going on.
"""

import sys
from collections.abc import Callable
from typing import Any, Final, NoReturn, TypeAlias

from certile.diagnostics import UnsupportedError

__all__ = ["Modes", "any_on", "modes", "refuse", "watch"]

# The package is optional, so its names cannot be imported for their types.
Tensor: TypeAlias = Any
Torch: TypeAlias = Any


class _StandIn:
    """What is asked in place of PyTorch's modules, before they are there or where they lack it."""

    __slots__ = ("_current_level", "_is_in_torch_dispatch_mode")

    def __init__(self, asks: bool) -> None:
        self._current_level = 0 if asks else -1
        self._is_in_torch_dispatch_mode = asks


class Modes:
    """Where PyTorch keeps its state.

    `forward._current_level` is not negative inside `torch.autograd.forward_ad.dual_level`;
    `dispatch._is_in_torch_dispatch_mode` is true where tensors' operations pass a mode, such as
    that of `make_fx`; `is_tracing()` says whether `torch.jit.trace` records.  `host` is the device
    of the host, None before PyTorch is there.
    """

    __slots__ = ("dispatch", "forward", "host", "is_tracing")

    def __init__(self) -> None:
        self.forward: Any = _StandIn(asks=False)
        self.dispatch: Any = _StandIn(asks=False)
        # It returns False, at the cost of a call of PyTorch's own function.
        self.is_tracing: Callable[[], bool] = bool
        self.host: Any = None


modes: Final = Modes()


def watch(torch: Torch) -> None:
    """Ask this PyTorch from now on."""
    modes.host = torch.device("cpu")
    # What the public function calls, at a third of its time.
    modes.is_tracing = getattr(torch._C, "_is_tracing", torch.jit.is_tracing)
    forward, dispatch = torch.autograd.forward_ad, torch.utils._python_dispatch
    # A version that keeps its state elsewhere has tensors asked at every call.
    modes.forward = forward if hasattr(forward, "_current_level") else _StandIn(asks=True)
    known = hasattr(dispatch, "_is_in_torch_dispatch_mode")
    modes.dispatch = dispatch if known else _StandIn(asks=True)


def any_on() -> bool:
    """Whether signatures say too little of tensors now."""
    return bool(
        modes.forward._current_level >= 0
        or modes.dispatch._is_in_torch_dispatch_mode
        or modes.is_tracing()
    )


def refuse(tensor: Tensor, torch: Torch) -> None:
    """Raise `UnsupportedError` for a tensor whose result PyTorch would take for something else.

    That is U201 while a graph is recorded, and U503 for a tensor with a tangent.
    """
    if torch.jit.is_tracing():
        _refuse_trace("torch.jit.trace")
    if modes.dispatch._is_in_torch_dispatch_mode and _makes_a_graph():
        _refuse_trace("make_fx")
    # Outside of a level, and where forward mode is off, no tensor has one.
    if torch.autograd.forward_ad.unpack_dual(tensor).tangent is not None:
        raise UnsupportedError(
            "U503",
            "the tensor has a tangent, and no result would have one",
            hint="pass tensor.detach(), or use the framework's own operation",
        )


def _refuse_trace(outside: str) -> NoReturn:
    # What is recorded are PyTorch's own operations only: a result would be memory as allocated.
    hint = f"call the kernel outside {outside}"
    raise UnsupportedError("U201", "the tensor is being traced", hint=hint)


def _makes_a_graph() -> bool:
    """Whether `make_fx` records; most other modes of PyTorch watch only."""
    found = sys.modules.get("torch.fx.experimental.proxy_tensor")
    if found is None:
        return False  # nobody can have begun
    # A version that has no such function may record: nothing says that it does not.
    return getattr(found, "get_proxy_mode", bool)() is not None
