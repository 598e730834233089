"""How the recogniser says no inside itself: an exception that never leaves the package.

A requirement that is not shown carries a `Refusal` to `recognise`, which returns it.  The rules
have the names of the admission table of the compiler, so that one word means one requirement.
"""

from __future__ import annotations

from certile.diagnostics import Refusal


class NotShownError(Exception):
    """A requirement that is not shown."""

    def __init__(self, rule: str, claim: str, missing: str) -> None:
        self.refusal = Refusal("admission", rule, claim, missing)
        super().__init__(self.refusal.text)
