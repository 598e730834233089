"""Kernels as a person calls them: the decorator, the call, and calls prepared ahead.

In: a Python function in the tile language, then arrays and numbers.  Out: effects on the arrays.
Decides the path of a call: one look-up by the signatures of the arguments, a test for overlaps, one
launch.  Leaves the first call of a signature to `certile.runtime.dispatch`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NoReturn, overload

import numpy as np

from certile.diagnostics import ArgumentError, CertileError
from certile.frontend.signature import KernelSignature
from certile.frontend.spec import (
    KernelSpec,
    MathMode,
    RewriteMode,
    Shaped,
    typed_key,
)
from certile.frontend.trace import trace, unwrapped
from certile.ir.array_types import NUMPY_DTYPES
from certile.ir.dtypes import BY_NAME
from certile.ir.tile import Kernel
from certile.ir.walk import specialise
from certile.plan.options import Options, options_of
from certile.runtime import arrays
from certile.runtime.arrays import ArrayInfo
from certile.runtime.bind import ByAddress, CpuLauncher, Launcher
from certile.runtime.dispatch import Dispatcher, Pattern, Site, is_array
from certile.runtime.target import chosen
from certile.runtime.torch_modes import modes
from certile.settings import call_state, current

if TYPE_CHECKING:
    from certile.frontend.state import Specialised
    from certile.plan.cost.policy import CostPolicy
    from certile.plan.record import GroupPlan

__all__ = ["Bound", "Prepared", "TileKernel", "frozen_of", "tile_kernel"]

# What decides how a call runs: the thread's target, the settings, the arguments' signatures.
Key = tuple[str | None, tuple[object, ...], tuple[Hashable, ...]]

_UNPLANNED = Options()

# Signatures that a kernel remembers; a program that meets more of them starts afresh.
_MOST_SITES = 4096


class TileKernel:
    """A kernel in the tile language; calling it launches it on the arguments.

    Arrays are of NumPy, PyTorch or MLX, or objects with `__dlpack__`, of any strides.  A
    view that the kernel stores to is an output.  Errors are raised before anything is written.
    """

    def __init__(
        self,
        function: Callable[..., object],
        math: MathMode | None,
        rewrites: RewriteMode | None,
        planned: Options = _UNPLANNED,
    ) -> None:
        functools.update_wrapper(self, function)
        self.name: str = getattr(function, "__name__", type(function).__name__)
        self.function = function
        self.signature = KernelSignature(function)
        self.math = math
        self.rewrites = rewrites
        self._unplanned = planned
        self._dispatcher = Dispatcher(function, self.signature, math, rewrites)
        self._sites: dict[Key, Site] = {}
        # The site of the last call: comparing keys is cheaper than hashing one.
        self._last: tuple[Key | None, Site | None] = (None, None)
        self._count = self.signature.positional_count
        kinds = [parameter.kind for parameter in self.signature.parameters]
        # How to probe each argument where some are compile-time values; None: by its type.
        self._probers = tuple(_probe_constant if kind == "constant" else None for kind in kinds)
        self._typed = not any(self._probers)

    def __reduce__(self) -> str:
        """Pickle as functions are, by name; so a deep copy is the kernel itself."""
        return unwrapped(self.function).__qualname__

    @property
    def compilations(self) -> int:
        """How many different compiled kernels the calls so far have needed."""
        return self._dispatcher.compilations

    def __call__(self, *args: object, **keywords: object) -> None:
        """Launch the kernel; it has run when the call returns.

        Raises `ArgumentError` for arguments that do not fit, `KernelError` for a kernel that is
        wrong, `UnsupportedError` for what the target cannot do.
        """
        if keywords or len(args) != self._count:
            args = self.signature.bind(self.name, args, keywords)
        key, words = self._probe(args)
        before, site = self._last
        if site is None or key != before or not site.captures.hold():
            site = self._found(key, args, words)
        # As in `_pattern`, without the cost of a call.
        pattern: Pattern = ()
        for first, second, low, high in site.pairs:
            if low < words[first] - words[second] < high:
                pattern = _pattern(site, words)
                break
        launcher = site.launchers.get(pattern)
        if launcher is None:
            launcher = self._launcher(site, args, pattern, self._unplanned)
        launcher(words)

    def __getitem__(self, grid: object) -> NoReturn:
        """Refuse a launch grid, which other languages write so: the loops of a kernel are it."""
        hint = f"call {self.name}(…) itself: its ct.parallel loops say how many instances run"
        raise ArgumentError("A001", f"kernel {self.name} takes no launch grid", hint=hint)

    def prepare(
        self,
        *args: object,
        plan: Options | Mapping[str, Any] | None = None,
        **keywords: object,
    ) -> Prepared:
        """Return a call that is checked, compiled and bound to these arguments.

        `plan` holds options of the planner, by the names of `certile plan`'s flags.  Raises as a
        call does, and `ArgumentError` A009 for an option that the planner does not have.
        """
        options = options_of(plan, self._unplanned)
        bound = self.signature.bind(self.name, args, keywords)
        key, words = self._probe(bound)
        known = self._sites.get(key) if options == self._unplanned else None
        if known is None or not known.captures.hold():
            known = self._site(key, bound, words, options)
        pattern = _pattern(known, words)
        launcher = known.launchers.get(pattern) or self._launcher(known, bound, pattern, options)
        return Prepared(self, key, known, launcher, bound, words, options)

    def bind(self, arguments: Mapping[str, object], plan: Options = _UNPLANNED) -> Bound:
        """Return the kernel bound to arguments of one layout, arrays given as `ArrayInfo` or so.

        For callers that describe arrays themselves: calling the result with one word an argument,
        an address or a number, checks overlaps and launches.  `plan` is what the planner is asked.
        """
        values = self.signature.bind(self.name, (), dict(arguments))
        site, _ = self._dispatcher.site(values, plan)
        return Bound(self, site, values, plan)

    def tile_ir(self, arguments: Mapping[str, object], *, generic: bool = False) -> Kernel:
        """Return the kernel's Tile IR for arguments that need not exist.

        A `Shaped` stands for an array of that dtype and shape, and an array for its own;
        everything else is as in a call.
        With `generic` extents stay open, so that only the ranks of the shapes count; raises
        `KernelError` K025 then where the code needs the number of one.
        """
        return self.traced(arguments, generic=generic)[0]

    def traced(
        self, arguments: Mapping[str, object], *, generic: bool = False
    ) -> tuple[Kernel, tuple[Specialised, ...]]:
        """Return `tile_ir`, and the extents that the kernel's code took as numbers."""
        given = self.signature.bind(self.name, (), dict(arguments))
        values = [
            value if parameter.kind == "constant" else _shaped(value)
            for parameter, value in zip(self.signature.parameters, given, strict=True)
        ]
        named = zip(self.signature.names, values, strict=True)
        shapes = {name: value.shape for name, value in named if isinstance(value, Shaped)}
        described = [
            (value.dtype, len(value.shape)) if isinstance(value, Shaped) else None
            for value in values
        ]
        specs = self.signature.specs(values, described)
        now = current()
        spec = KernelSpec(specs, self.math or now.math, self.rewrites or now.rewrites)
        made = trace(self.function, spec, None if generic else shapes)
        return (made.kernel if generic else specialise(made.kernel, shapes)), made.specialised

    def __repr__(self) -> str:
        return f"<tile kernel {self.name}>"

    def _probe(self, args: Sequence[object]) -> tuple[Key, list[Any]]:
        """Return what decides how the call runs, and one word an argument."""
        signatures: list[Hashable] = []
        words: list[Any] = []
        try:
            # As in `arrays.probe_into`, without the cost of a call.
            if (
                modes.forward._current_level >= 0
                or modes.dispatch._is_in_torch_dispatch_mode
                or modes.is_tracing()
            ):
                arrays.require_plain(args)
            if self._typed:
                for value in args:
                    signature, word = _PROBERS[type(value)](value)
                    signatures.append(signature)
                    words.append(word)
            else:
                # `strict` costs a tenth of a microsecond; `bind` gives a value a parameter.
                for prober, value in zip(self._probers, args):  # noqa: B905
                    signature, word = (prober or _PROBERS[type(value)])(value)
                    signatures.append(signature)
                    words.append(word)
        except CertileError:
            # The slow path names the parameter.
            self._dispatcher.site(args, self._unplanned)
            raise
        return (chosen.name, call_state(), tuple(signatures)), words

    def _found(self, key: Key, args: Sequence[object], words: Sequence[Any]) -> Site:
        """Return the site of a key, from an earlier call or made for this one."""
        site = self._sites.get(key)
        if site is None or not site.captures.hold():
            site = self._site(key, args, words, self._unplanned)
        self._last = (key, site)
        return site

    def _site(
        self, key: Key, args: Sequence[object], words: Sequence[Any], options: Options
    ) -> Site:
        """Make the site of a signature, with the launcher that this call needs."""
        site, call = self._dispatcher.site(args, options)
        self._dispatcher.launcher(site, call, _pattern(site, words))
        if options == self._unplanned:
            if len(self._sites) >= _MOST_SITES:
                self._sites.clear()
            self._sites[key] = site
        return site

    def _launcher(
        self, site: Site, args: Sequence[object], pattern: Pattern, options: Options
    ) -> Launcher:
        _, call = self._dispatcher.site(args, options)
        return self._dispatcher.launcher(site, call, pattern)


def _shaped(value: object) -> object:
    """Return the dtype and shape of an array, and any other value itself."""
    if not is_array(value):
        return value
    info = value if isinstance(value, ArrayInfo) else arrays.describe(value)
    return Shaped(BY_NAME[info.dtype], info.shape)


class Bound:
    """A kernel bound to one layout of described arguments."""

    __slots__ = ("_kernel", "_options", "_site", "_values", "names")

    def __init__(
        self, kernel: TileKernel, site: Site, values: Sequence[object], options: Options
    ) -> None:
        self.names = kernel.signature.names
        self._kernel = kernel
        self._site = site
        self._values = values
        self._options = options

    def __call__(self, words: Sequence[Any]) -> None:
        """Launch on these addresses and numbers, one an argument in the order of `names`."""
        site = self._site
        for first, second, low, high in site.pairs:
            if low < words[first] - words[second] < high:
                pattern = _pattern(site, words)
                break
        else:
            pattern = ()
        launcher = site.launchers.get(pattern)
        if launcher is None:
            at_words = [
                value._replace(address=word) if isinstance(value, ArrayInfo) else value
                for value, word in zip(self._values, words, strict=True)
            ]
            launcher = self._kernel._launcher(self._site, at_words, pattern, self._options)
        launcher(words)

    @property
    def pairs(self) -> tuple[tuple[int, int, int, int], ...]:
        """Which arguments may not overlap: (first, second, low, high), by position.

        They overlap when the first address less the second lies strictly between low and high.
        """
        return self._site.pairs

    def by_address(self) -> ByAddress | None:
        """Return the quickest launcher, for arguments that share no memory.

        It brings the numbers bound here.  None where the target has no such launcher.
        """
        launcher = self._site.launchers.get(())
        if launcher is None:
            launcher = self._kernel._launcher(self._site, self._values, (), self._options)
        words = [v.address if isinstance(v, ArrayInfo) else v for v in self._values]
        return launcher.with_numbers(words) if isinstance(launcher, CpuLauncher) else None

    @property
    def plans(self) -> tuple[GroupPlan, ...]:
        """The plan of each launch, once one was compiled."""
        return self._site.plans


class Prepared:
    """A call that is ready: `prepared()` runs it again on the same memory.

    `prepared(x2, y2)` runs it on others of the same dtypes, shapes, strides and alignment.  It
    keeps its arguments alive and does not follow later changes of what the kernel's code reads, nor
    of where an argument lies: after `x += 1` an array of MLX has another buffer, and the call still
    reads the one before.
    """

    __slots__ = ("_held", "_options", "_run", "_signatures", "_site", "kernel")

    def __init__(
        self,
        kernel: TileKernel,
        key: Key,
        site: Site,
        launcher: Launcher,
        arguments: Sequence[object],
        words: Sequence[Any],
        options: Options,
    ) -> None:
        self.kernel = kernel
        self._signatures = key[2]
        self._site = site
        self._run = launcher.frozen(words)
        self._held = (*words, *map(arrays.holder, arguments))
        self._options = options

    def __call__(self, *args: object, **keywords: object) -> None:
        """Run the call; raises `ArgumentError` A010 for arguments that it was not prepared for."""
        if args or keywords:
            self._run_on(args, keywords)
        else:
            self._run()

    @property
    def plans(self) -> tuple[GroupPlan, ...]:
        """The plan of each launch, in order."""
        return self._site.plans

    def _run_on(self, args: tuple[object, ...], keywords: dict[str, object]) -> None:
        kernel = self.kernel
        bound = kernel.signature.bind(kernel.name, args, keywords)
        key, words = kernel._probe(bound)
        if key[2] != self._signatures:
            self._require_layout(bound)
        pattern = _pattern(self._site, words)
        launcher = self._site.launchers.get(pattern)
        if launcher is None:
            launcher = kernel._launcher(self._site, bound, pattern, self._options)
        launcher(words)

    def _require_layout(self, bound: Sequence[object]) -> None:
        """Accept other signatures, such as another alignment, that mean the same to the code."""
        other, _ = self.kernel._dispatcher.site(bound, self._options)
        before = self._site.layout
        names = self.kernel.signature.names
        changed = [name for name in names if other.layout.get(name) != before.get(name)]
        if changed:
            message = f"argument {changed[0]} differs in value, dtype, shape, strides or alignment"
            raise ArgumentError("A010", message)


def frozen_of(prepared: Prepared) -> Callable[[], object]:
    """What runs a prepared call, for those who collect calls; it does not hold the arrays."""
    return prepared._run


@overload
def tile_kernel(function: Callable[..., object], /) -> TileKernel:
    """Make a kernel of a Python function, with the default options."""


@overload
def tile_kernel(
    *,
    math: MathMode | None = None,
    rewrites: RewriteMode | None = None,
    policy: CostPolicy | str | None = None,
) -> Callable[[Callable[..., object]], TileKernel]:
    """Return a decorator that makes kernels with these options."""


def tile_kernel(
    function: Callable[..., object] | None = None,
    /,
    *,
    math: MathMode | None = None,
    rewrites: RewriteMode | None = None,
    policy: CostPolicy | str | None = None,
) -> TileKernel | Callable[[Callable[..., object]], TileKernel]:
    """Make a kernel of a Python function; used as `@tile_kernel` or `@tile_kernel(math="fast")`.

    `math` is "precise" (the default, or CERTILE_MATH), "fast" or "portable"; `rewrites` is
    "proved" (the default, or CERTILE_REWRITES) or "off".  `policy` is the cost policy that plans
    calls: "service" (the default), "analytic" or a `CostPolicy` of the caller's.  Raises
    `ArgumentError` A009 for other options and `KernelError` K026 for a signature that no call could
    fit.
    """
    if math not in (None, "precise", "fast", "portable"):
        raise ArgumentError("A009", f"math={math!r}", hint='use "precise", "fast" or "portable"')
    if rewrites not in (None, "proved", "off"):
        raise ArgumentError("A009", f"rewrites={rewrites!r}", hint='use "proved" or "off"')
    planned = _UNPLANNED if policy is None else options_of({"policy": policy}, _UNPLANNED)
    if function is not None:
        return TileKernel(function, math, rewrites, planned)
    return lambda decorated: TileKernel(decorated, math, rewrites, planned)


def _pattern(site: Site, words: Sequence[Any]) -> Pattern:
    """Return the pairs of arguments that overlap, with the distances of their addresses."""
    pattern: Pattern = ()
    for first, second, low, high in site.pairs:
        distance = words[first] - words[second]
        if low < distance < high:
            pattern = (*pattern, (first, second, distance))
    return pattern


def _probe_constant(value: object) -> tuple[Hashable, Any]:
    kind = type(value)
    if kind is int or kind is bool or kind is str or value is None:
        return (kind, value), None
    try:
        return typed_key(value), None
    except TypeError:
        # Never equal to another, so that the slow path is taken and names the parameter.
        return object(), None


# The narrowest of the widths that tell dtypes apart, by the number of bits of an integer.
_WIDTHS = tuple(
    next(width for width in (0, 1, 7, 8, 15, 16, 31, 32, 63, 64) if bits <= width)
    for bits in range(65)
)


def _probe_int(value: int) -> tuple[Hashable, Any]:
    """Class an integer by the dtypes that hold it, which is what a declared scalar depends on.

    One that f64 may not hold is a class of its own.
    """
    number = int(value)
    bits = (number if number >= 0 else ~number).bit_length()
    width = _WIDTHS[bits] if bits <= 64 else None if bits <= 1023 else number
    return (type(value), number < 0, width), value


def _probe_other(value: Any) -> tuple[Hashable, Any]:  # noqa: ANN401 - any argument
    return (type(value),), value


_FOR_NUMBERS: dict[type, Callable[[Any], tuple[Hashable, Any]]] = {
    bool: _probe_other,
    int: _probe_int,
    float: _probe_other,
    type(None): _probe_other,
    **{
        dtype.type: _probe_int if dtype.kind in "iu" else _probe_other
        for dtype in NUMPY_DTYPES.values()
    },
}


def _probe_new(value: Any) -> tuple[Hashable, Any]:  # noqa: ANN401 - any argument
    """Probe a value of a type that was not met before, and remember how."""
    if isinstance(value, np.generic):
        # A number of a package's own, such as bfloat16; whether it fits is the signature's matter.
        _PROBERS[type(value)] = _probe_other
        return _probe_other(value)
    probed: tuple[Hashable, Any] = arrays.probe(value)
    _PROBERS[type(value)] = arrays.prober(type(value))
    return probed


class _Probers(dict[type, Callable[[Any], tuple[Hashable, Any]]]):
    """How to probe a value, by its type."""

    def __missing__(self, kind: type) -> Callable[[Any], tuple[Hashable, Any]]:
        return _probe_new


_PROBERS = _Probers(_FOR_NUMBERS)
