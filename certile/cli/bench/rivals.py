"""What a kernel is measured against: a function of NumPy's, of PyTorch's, or of the caller's.

In: `module:function` or `FILE.py:function`.  Out: the function, called on arrays that it takes,
with its results by output.  Decides that it is called with the arrays which the kernel reads, or
with tensors of PyTorch of the same memory, and the numbers without a default, in the order of the
kernel's parameters, and returns what the kernel stores.  Leaves judging the results to others.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from certile.cli.bench.arrays import tensor_of
from certile.cli.subject import Subject, file_and_name, imported
from certile.diagnostics import ArgumentError, CertileError
from certile.records import record
from certile.reference import machine_numeric as numeric

__all__ = ["Rival", "found_rival"]

Array = np.ndarray[Any, Any]
Arguments = Mapping[str, Any]


@record(slots=False)
class Rival:
    """A function under the name that it was given by; `torch` is PyTorch where it takes tensors."""

    name: str
    function: Callable[..., Any]
    torch: Any = None

    def call(self, subject: Subject, arguments: Arguments) -> Callable[[], Any]:
        """Return the call on these arrays, whose memory it shares, and numbers."""
        views = {view.name for view in subject.kernel.views}
        stored = {v.name for v in subject.kernel.outputs} - {v.name for v in subject.kernel.inputs}
        parameters = subject.function.signature.python.parameters
        given = [
            self._array(arguments[name]) if name in views else arguments[name]
            for name in parameters
            if name in arguments and name not in stored
            if name in views or parameters[name].default is parameters[name].empty
        ]
        return lambda: self._called(given)

    def results(self, subject: Subject, returned: object) -> dict[str, Array] | str:
        """Return what a call returned, by output and as elements of it; or why that is not so."""
        outputs = subject.kernel.outputs
        found = list(returned) if isinstance(returned, tuple | list) else [returned]
        if len(found) != len(outputs):
            return f"returns {len(found)} results, not {len(outputs)}"
        made: dict[str, Array] = {}
        for view, result in zip(outputs, found, strict=True):
            array = self._numpy(result)
            if array.shape != subject.shapes[view.name]:
                return f"{view.name} has shape {array.shape}, not {subject.shapes[view.name]}"
            with np.errstate(all="ignore"):
                made[view.name] = array.astype(numeric.storage(view.dtype))
        return made

    def _called(self, given: Sequence[Any]) -> Any:  # noqa: ANN401 - whatever it returns
        try:
            return self.function(*given)
        except CertileError:
            raise
        except Exception as error:  # whatever a function of the user's raises is theirs to mend
            message = f"{self.name} raises {type(error).__name__}: {error}"
            hint = "it takes what the kernel reads, in order, and returns what the kernel stores"
            raise ArgumentError("A309", message, hint=hint) from error

    def _array(self, array: Any) -> Any:  # noqa: ANN401 - an array of a framework
        if self.torch is None or not isinstance(array, np.ndarray):
            return array
        return tensor_of(array, self.torch)

    def _numpy(self, result: Any) -> Array:  # noqa: ANN401 - an array of a framework
        """Return a result as NumPy holds it: what is narrower than f32 as that."""
        if self.torch is not None and isinstance(result, self.torch.Tensor):
            plain = result.detach().cpu()
            result = plain.float() if plain.is_floating_point() and plain.itemsize < 4 else plain
        return np.asarray(result)


def found_rival(text: str) -> Rival:
    """Return the function of a name; ArgumentError A309 where there is none.

    A function of PyTorch, or of a module that has imported it as `torch`, takes tensors.
    """
    of_file = file_and_name(text)
    module, name = _from_file(*of_file) if of_file else _from_module(text)
    function: Any = module
    for part in name.split("."):
        function = getattr(function, part, None)
    if not callable(function):
        raise ArgumentError("A309", f"{module.__name__} has no function called {name}")
    known = vars(module).get("torch")
    if module.__name__.partition(".")[0] == "torch":
        known = importlib.import_module("torch")
    return Rival(text, function, known)


def _from_file(path: Path, name: str) -> tuple[ModuleType, str]:
    if not name:
        raise ArgumentError("A309", f"no function of {path} is named", hint=f"write {path}:NAME")
    return imported(path), name


def _from_module(text: str) -> tuple[ModuleType, str]:
    module, colon, name = text.partition(":")
    if not colon or not name:
        hint = "write module:function, as in numpy:cumsum, or FILE.py:function"
        raise ArgumentError("A309", f"{text} names no function to measure against", hint=hint)
    try:
        return importlib.import_module(module), name
    except (ImportError, ValueError) as error:
        raise ArgumentError("A309", f"{module} cannot be imported: {error}") from error
