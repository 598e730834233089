"""What is said to a person: diagnostics, the exceptions that carry them, and refusals.

In: a code, a message, a place, notes and a hint.  Out: one rendered text, the same shape for every
family of error.  Decides how an error looks and what a crash file holds.  Leaves to others when to
raise, and what each code means (`certile.codes`).

Families: `KernelError`, the kernel is wrong; `ArgumentError`, the call is wrong;
`UnsupportedError`, this target cannot; `InternalError`, this package is wrong.  A `Refusal` is no
error: it is the recorded reason why something optional was not done.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Literal, Self

from certile.codes import lookup
from certile.records import record
from certile.source import Loc, caret

__all__ = [
    "ArgumentError",
    "CertileError",
    "Diagnostic",
    "InternalError",
    "KernelError",
    "Refusal",
    "RefusalKind",
    "UnsupportedError",
    "shown_number",
    "with_article",
]

# An i64 or u64 and what lies a little beyond are worth reading in full.
_MOST_SHOWN_BITS = 128

RefusalKind = Literal["admission", "rewrite", "plan", "target", "guard"]


@record
class Diagnostic:
    """One complaint: what is, where it came from (notes), and an edit that helps (hint).

    Without a hint the catalogue's fix for the code is shown, if the code is catalogued.
    """

    code: str
    message: str
    loc: Loc = Loc.UNKNOWN
    notes: tuple[str, ...] = ()
    hint: str | None = None

    def render(self, severity: str = "error") -> str:
        """Return the text a person reads: headline, place, caret, notes, hint."""
        lines = [f"{severity}[{self.code}]: {self.message}"]
        if self.loc.known:
            lines.append(f"  --> {self.loc.describe()}")
            lines.extend(caret(self.loc).splitlines())
        lines.extend(f"      = {note}" for note in self.notes)
        hint = self.hint or _catalogued_fix(self.code)
        if hint:
            lines.append(f"      = hint: {hint}")
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.render()


class CertileError(Exception):
    """The base of everything this package raises on purpose.

    Built from a `Diagnostic`, or from its parts.  `str()` is the rendered diagnostic.
    """

    def __init__(
        self,
        code: str | Diagnostic,
        message: str = "",
        *,
        loc: Loc = Loc.UNKNOWN,
        notes: Iterable[str] = (),
        hint: str | None = None,
    ) -> None:
        if isinstance(code, Diagnostic):
            self.diagnostic = code
        else:
            self.diagnostic = Diagnostic(code, message, loc, tuple(notes), hint)
        # The diagnostic is the only argument, so that the exception survives pickling.
        super().__init__(self.diagnostic)

    @property
    def code(self) -> str:
        """The catalogued code, for example "K001"."""
        return self.diagnostic.code

    @property
    def loc(self) -> Loc:
        """The place the diagnostic points at."""
        return self.diagnostic.loc

    def noted(self, note: str) -> Self:
        """Return the same error with one more note, to be raised in its place."""
        made = type(self)(replace(self.diagnostic, notes=(*self.diagnostic.notes, note)))
        made.__cause__ = self.__cause__
        return made

    def __str__(self) -> str:
        return self.diagnostic.render()


class KernelError(CertileError, ValueError):
    """The kernel itself is wrong; the place is in the kernel."""


class ArgumentError(KernelError, TypeError):
    """A call is wrong: an argument, an option or a setting."""


class UnsupportedError(CertileError, NotImplementedError):
    """The request is meaningful, but this target or version cannot do it."""


class InternalError(CertileError, RuntimeError):
    """A fault of this package; never the caller's."""

    def write_crash(
        self,
        stages: Mapping[str, str],
        directory: Path,
        settings: Mapping[str, object] | None = None,
    ) -> Path:
        """Write `certile-crash-<hash>.zip` into `directory` and return its path.

        It holds the rendered error, one text per stage in order, the settings given and the
        versions in use.  Equal content gives an equal name and equal bytes.
        """
        # Only a crash needs it, and every import of the package would pay for it.
        import zipfile

        files = {"error.txt": str(self) + "\n"}
        for number, (name, text) in enumerate(stages.items()):
            files[f"stages/{number:02d}-{name}"] = text
        files["settings.json"] = _json({key: str(v) for key, v in (settings or {}).items()})
        files["versions.json"] = _json(_versions())
        path = directory / f"certile-crash-{_digest(files)}.zip"
        directory.mkdir(parents=True, exist_ok=True)
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, text in files.items():
                # A fixed date: the default is the clock, and then no two files are equal.
                archive.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), text)
        return path


@record
class Refusal:
    """Why a rewrite, a plan, a target or the guard declined; a recorded value, not an error.

    `claim` is what would have to hold, `missing` what was not shown, `obligation` the name of the
    failed proof obligation if there was one.  `text` is the sentence shown to people; it is made
    from the other fields when left empty.
    """

    kind: RefusalKind
    rule: str
    claim: str
    missing: str
    obligation: str | None = None
    loc: Loc = Loc.UNKNOWN
    text: str = ""

    def __post_init__(self) -> None:
        if not self.text:
            text = f"{self.rule}: cannot show that {self.claim}: {self.missing}"
            object.__setattr__(self, "text", text)

    def to_json(self) -> dict[str, object]:
        """Return the refusal as plain data, the form that `--json` prints."""
        return {
            "kind": self.kind,
            "rule": self.rule,
            "claim": self.claim,
            "missing": self.missing,
            "obligation": self.obligation,
            "loc": {"file": self.loc.file, "line": self.loc.line, "column": self.loc.column},
            "text": self.text,
        }

    def __str__(self) -> str:
        return f"{self.text} ({self.loc})" if self.loc.known else self.text


def shown_number(value: object) -> str:
    """Return a number as a message shows it: one of hundreds of digits by its length only."""
    if isinstance(value, int) and value.bit_length() > _MOST_SHOWN_BITS:
        return f"an integer of {value.bit_length()} bits"
    return repr(value)


def with_article(name: object) -> str:
    """Return a type's name behind "a" or "an", as it is read aloud: an f32, a u8, an ndarray."""
    text = str(name)
    spelled = text[:1] == "f" and text[1:2].isdigit()
    vowel = spelled or text[:1] in "aeioAEIO" or text == "ndarray"
    return f"{'an' if vowel else 'a'} {text}"


def _catalogued_fix(code: str) -> str | None:
    entry = lookup(code)
    return None if entry is None else entry.fix


def _versions() -> dict[str, str]:
    """Collect the versions that a replay needs; a package that is absent is left out."""
    # As above: 10 ms of an import that hardly any process needs.
    import platform
    from importlib import metadata

    versions = {"python": platform.python_version(), "platform": platform.platform()}
    for package in ("certile", "numpy", "llvmlite", "ml-dtypes", "torch", "mlx"):
        try:
            versions[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return versions


def _digest(files: Mapping[str, str]) -> str:
    digest = hashlib.sha256()
    for name, text in files.items():
        digest.update(f"{name}\0{text}\0".encode())
    return digest.hexdigest()[:12]


def _json(value: Mapping[str, str]) -> str:
    return json.dumps(value, indent=2, sort_keys=True) + "\n"
