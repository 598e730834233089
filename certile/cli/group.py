"""The group of commands: a command line that cannot be read is answered like any other refusal.

In: command lines.  Out: exit codes.  Decides that with `--json` a wrong option, a missing argument
or an unknown command is a JSON document as well.  Leaves reading command lines to Typer.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from typer.core import TyperGroup

from certile.cli.output import shown
from certile.diagnostics import ArgumentError


class CommandGroup(TyperGroup):
    """A group that shows usage errors as JSON where JSON is asked for."""

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: Any,  # noqa: ANN401 - handed on
    ) -> Any:  # noqa: ANN401 - the signature is Typer's
        """Run a command line and leave with its exit code."""
        given = sys.argv[1:] if args is None else list(args)
        as_json = standalone_mode and "--json" in given
        try:
            result = super().main(
                given,
                prog_name,
                complete_var,
                standalone_mode and not as_json,
                windows_expand_args,
                **extra,
            )
        except Exception as error:
            # Typer brings its own copy of the class, which older ones import from another package.
            if not as_json or not hasattr(error, "format_message"):
                raise
            result = shown(ArgumentError("A313", error.format_message()), as_json=True)
        if as_json:
            sys.exit(result)
        return result
