"""The building part of what names TVM: targets, passes, and what TVM makes of a function.

In: a function of TVM that is scheduled already.  Out: a `Built`: a module, or the text of a device
function with the order of its parameters.  Decides which passes run: those that lower, and none
that simplifies, since TVM's fold and narrow as they go.  Everything of a target is said that TVM
would otherwise guess.
"""

from __future__ import annotations

import threading
from typing import Any

from certile.records import record
from certile.tirx.externs import TirxTarget
from certile.tirx.tvm import api, fault

__all__ = ["Built", "build", "target_of"]

_PIPELINE = "certile"
# TVM's calling convention of the device part of a function.
_DEVICE_LAUNCH = 2
# Passes are registered by a name, for one build at a time.
_building = threading.Lock()


@record
class Built:
    """What TVM built: a module, the text of its device part, and the device's parameters in order.

    Without a device `text` is the LLVM module and `parameters` is empty.
    """

    module: Any
    text: str
    entry: str
    parameters: tuple[str, ...]


def target_of(target: TirxTarget, architecture: str) -> Any:  # noqa: ANN401 - a target of TVM
    """A target with everything said that TVM would otherwise guess."""
    host = {"kind": "llvm", "mcpu": host_processor()}
    described: dict[TirxTarget, dict[str, Any]] = {
        "llvm": {"kind": "llvm", "mcpu": architecture or host["mcpu"]},
        "metal": {
            "kind": "metal",
            "thread_warp_size": 32,
            "max_threads_per_block": 1024,
            "host": host,
        },
        "cuda": {"kind": "cuda", "arch": architecture or "sm_90", "host": host},
    }
    return api().root.target.Target(described[target])


def host_processor() -> str:
    """LLVM's name of the processor of this machine."""
    return str(api().root.get_global_func("tvm.codegen.llvm.GetHostCPUName")())


def build(func: Any, target: TirxTarget, architecture: str = "") -> Built:  # noqa: ANN401 - TVM's
    """Build a function that is scheduled already; nothing of it is simplified or rearranged.

    Raises M030 for a function of a GPU that is bound to no threads, which TVM would build as code
    of the host.
    """
    device: list[Any] = []
    with _building:
        _register(device)
        built = api().tirx.build(func, target_of(target, architecture), pipeline=_PIPELINE)
    if target == "llvm":
        entry = str(func.attrs["global_symbol"])
        return Built(built, str(built.inspect_source("ll")), entry, ())
    if len(built.imports) != 1 or len(device) != 1:
        raise fault(f"a function for {target} without one bound launch")
    made = device[0]
    names = tuple(str(parameter.name).removesuffix("_ptr") for parameter in made.params)
    text = str(built.imports[0].inspect_source())
    return Built(built, text, str(made.attrs["global_symbol"]), names)


def _register(device: list[Any]) -> None:
    """Register passes that only lower: TVM's own also simplify, which rounds and narrows."""
    root, tirx = api().root, api().tirx
    lower = tirx.transform

    @root.transform.module_pass(opt_level=0)  # type: ignore[untyped-decorator]
    def scheduled(module: Any, _context: Any) -> Any:  # noqa: ANN401 - modules of TVM
        before = [lower.LowerTIRxOpaque(), lower.VerifyMemory(), lower.AnnotateEntryFunc()]
        split = root.ir.transform.Sequential([*before, lower.SplitHostDevice()])(module)
        device.extend(each for each in split.functions.values() if _on_device(each))
        return lower.MakePackedAPI()(split)

    def host() -> Any:  # noqa: ANN401 - a pass of TVM
        return lower.LowerTVMBuiltin()

    tirx.compilation_pipeline.register_tir_pipeline(
        _PIPELINE, lambda: (scheduled, host, lower.LowerIntrin)
    )


def _on_device(func: Any) -> bool:  # noqa: ANN401 - a function of TVM
    """Whether a function is what a launch starts."""
    return int(func.attrs.get("calling_conv", 0)) == _DEVICE_LAUNCH
