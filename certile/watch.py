"""Watchers: what a compile tells about itself while it runs.

In: each stage's value, each rewrite, refusal and choice.  Out: nothing for the compile; a watcher
may write files, keep times or keep records.  Decides file names and the wording of a trace.
Leaves printing a value to the value (`str`), so that no stage has a branch for debugging.
"""

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from certile.diagnostics import ArgumentError, Refusal
from certile.settings import Settings
from certile.source import Loc

__all__ = [
    "SILENT",
    "DumpWatcher",
    "RecordWatcher",
    "TeeWatcher",
    "TimeWatcher",
    "TraceWatcher",
    "Watcher",
    "watcher_for",
]

T = TypeVar("T")


class Watcher:
    """The interface, and the watcher that does nothing.

    Every method returns at once and changes nothing that the compile sees; `stage` gives its
    value back, so that a pipeline reads `plan = watch.stage("plan", choose(...))`.
    """

    def stage(self, name: str, value: T) -> T:
        """Hear the result of a stage and return it unchanged."""
        return value

    def on_rule(self, rule: str, before: object, after: object, because: object, loc: Loc) -> None:
        """Hear that `rule` replaced `before` by `after`; `because` is the proof."""

    def on_refusal(self, refusal: Refusal) -> None:
        """Hear that something optional was declined, and why."""

    def on_choice(
        self, what: str, chosen: object, considered: Sequence[object] = (), reason: object = ""
    ) -> None:
        """Hear that `chosen` was taken for `what`, out of `considered`.

        `reason` is printed by whoever writes it, so that a long one costs nothing unheard.
        """


SILENT = Watcher()


@dataclass
class RecordWatcher(Watcher):
    """Keep everything, in order; for `explain`, `why` and tests."""

    stages: list[tuple[str, object]] = field(default_factory=list)
    rules: list[tuple[str, object, object, object, Loc]] = field(default_factory=list)
    refusals: list[Refusal] = field(default_factory=list)
    choices: list[tuple[str, object, tuple[object, ...], object]] = field(default_factory=list)

    def stage(self, name: str, value: T) -> T:
        """Keep the stage's value."""
        self.stages.append((name, value))
        return value

    def on_rule(self, rule: str, before: object, after: object, because: object, loc: Loc) -> None:
        """Keep the rewrite."""
        self.rules.append((rule, before, after, because, loc))

    def on_refusal(self, refusal: Refusal) -> None:
        """Keep the refusal."""
        self.refusals.append(refusal)

    def on_choice(
        self, what: str, chosen: object, considered: Sequence[object] = (), reason: object = ""
    ) -> None:
        """Keep the choice."""
        self.choices.append((what, chosen, tuple(considered), reason))


@dataclass
class TraceWatcher(Watcher):
    """Write one line for each rewrite, refusal and choice through `write`."""

    write: Callable[[str], object]

    def on_rule(self, rule: str, before: object, after: object, because: object, loc: Loc) -> None:
        """Write the rewrite, its place and its proof."""
        self.write(f"rule {rule} at {loc}: {before} -> {after}, because {because}\n")

    def on_refusal(self, refusal: Refusal) -> None:
        """Write the refusal's sentence."""
        self.write(f"refused ({refusal.kind}) {refusal}\n")

    def on_choice(
        self, what: str, chosen: object, considered: Sequence[object] = (), reason: object = ""
    ) -> None:
        """Write what was chosen and out of how many."""
        why = f", {reason}" if reason else ""
        self.write(f"chose {what}: {chosen} out of {max(1, len(considered))}{why}\n")


class DumpWatcher(Watcher):
    """Write each stage as `NN-name.ext` into a folder, and the reasons into `why.txt`.

    Numbers count the stages in the order heard, whether or not they are written, so that the
    names of two dumps with different selections agree.  `ext` is the value's `dump_suffix` if it
    has one, else `txt`.
    """

    def __init__(self, directory: Path, only: Sequence[str] = ("all",)) -> None:
        self.directory = directory
        self.files: list[tuple[int, str, Path]] = []
        self._only = frozenset(only)
        self._heard = 0
        self._trace = TraceWatcher(self._append_reason)

    def stage(self, name: str, value: T) -> T:
        """Write the stage's text when it is selected."""
        number = self._heard
        self._heard += 1
        if "all" in self._only or name in self._only:
            suffix = getattr(value, "dump_suffix", "txt")
            text = str(value)
            path = self.directory / f"{number:02d}-{name}.{suffix}"
            with _writing(self.directory):
                path.write_text(text if text.endswith("\n") else text + "\n", encoding="utf-8")
            self.files.append((number, name, path))
        return value

    def on_rule(self, rule: str, before: object, after: object, because: object, loc: Loc) -> None:
        """Add the rewrite to `why.txt`."""
        self._trace.on_rule(rule, before, after, because, loc)

    def on_refusal(self, refusal: Refusal) -> None:
        """Add the refusal to `why.txt`."""
        self._trace.on_refusal(refusal)

    def on_choice(
        self, what: str, chosen: object, considered: Sequence[object] = (), reason: object = ""
    ) -> None:
        """Add the choice to `why.txt`."""
        self._trace.on_choice(what, chosen, considered, reason)

    def _append_reason(self, line: str) -> None:
        with (
            _writing(self.directory),
            (self.directory / "why.txt").open("a", encoding="utf-8") as reasons,
        ):
            reasons.write(line)


@contextmanager
def _writing(directory: Path) -> Iterator[None]:
    """Make a folder that is about to be written to.

    Raises `ArgumentError` S002 where it, or a file in it, cannot be written.
    """
    try:
        directory.mkdir(parents=True, exist_ok=True)
        yield
    except OSError as error:
        raise ArgumentError("S002", f"{directory} cannot be written: {error.strerror}") from error


class TimeWatcher(Watcher):
    """Keep the time from one stage's result to the next.

    `write`, if given, gets one line a stage.  Times count from the creation of the watcher.
    """

    def __init__(
        self,
        write: Callable[[str], object] | None = None,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self.seconds: list[tuple[str, float]] = []
        self._write = write
        self._clock = clock
        self._last = clock()

    def stage(self, name: str, value: T) -> T:
        """Book the time since the previous stage under `name`."""
        arrived = self._clock()
        self.seconds.append((name, arrived - self._last))
        if self._write is not None:
            self._write(f"{name:<24} {1e3 * (arrived - self._last):9.3f} ms\n")
        # Read again, so that a slow terminal is not booked to the next stage.
        self._last = self._clock()
        return value


class TeeWatcher(Watcher):
    """Pass everything on to several watchers, in order."""

    def __init__(self, *watchers: Watcher) -> None:
        self.watchers = watchers

    def stage(self, name: str, value: T) -> T:
        """Pass the stage on."""
        for watcher in self.watchers:
            watcher.stage(name, value)
        return value

    def on_rule(self, rule: str, before: object, after: object, because: object, loc: Loc) -> None:
        """Pass the rewrite on."""
        for watcher in self.watchers:
            watcher.on_rule(rule, before, after, because, loc)

    def on_refusal(self, refusal: Refusal) -> None:
        """Pass the refusal on."""
        for watcher in self.watchers:
            watcher.on_refusal(refusal)

    def on_choice(
        self, what: str, chosen: object, considered: Sequence[object] = (), reason: object = ""
    ) -> None:
        """Pass the choice on."""
        for watcher in self.watchers:
            watcher.on_choice(what, chosen, considered, reason)


def watcher_for(settings: Settings, label: str) -> Watcher:
    """Return the watcher that the settings ask for; `label` names the dump's own folder.

    `SILENT` when they ask for nothing, so that the usual compile pays nothing.
    """
    watchers: list[Watcher] = []
    if settings.time:
        watchers.append(TimeWatcher(sys.stderr.write))
    if settings.trace == "rules":
        watchers.append(TraceWatcher(sys.stderr.write))
    if settings.dump:
        watchers.append(DumpWatcher(settings.dump_dir / label, settings.dump))
    if not watchers:
        return SILENT
    return watchers[0] if len(watchers) == 1 else TeeWatcher(*watchers)
