"""The derivation that a kept program was compiled from, as text beside its code.

In: a plan with a rewritten kernel, or what an earlier process stored of one.  Out: the texts to
store, and whether they prove that the rewritten kernel may run for the one asked for.  Decides
that nothing stored is believed: the kernel is parsed, and the checker reads both kernels again.
Leaves files to `certile.runtime.programs`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from certile.diagnostics import KernelError
from certile.ir.tile import Kernel
from certile.records import record

if TYPE_CHECKING:
    from certile.plan.record import GroupPlan

__all__ = ["Derivation", "derivation_of"]


@record
class Derivation:
    """The rewritten kernel as Tile IR text, and the certificate of the rewrite as JSON text."""

    kernel: str
    certificate: str

    def refusal(self, before: Kernel) -> str | None:
        """Return None if the rewritten kernel may run for `before`, else why it may not."""
        # Most kept programs were compiled as written, and need neither parser nor checker.
        from certile.ir.parser import parse_kernel
        from certile.proof.check.regions import check_rewrite

        try:
            after = parse_kernel(self.kernel)
        except (KernelError, ValueError, KeyError, TypeError, RecursionError) as error:
            return f"the rewritten kernel cannot be read: {error}"
        return check_rewrite(before, after, self.certificate)


def derivation_of(plan: GroupPlan) -> Derivation | None:
    """Return what a plan was derived by, as text; None for a kernel planned as written."""
    if plan.derivation is None:
        return None
    from certile.ir.printer import print_kernel
    from certile.search.regions import certificate_text

    rewrite = plan.derivation
    return Derivation(print_kernel(rewrite.kernel), certificate_text(rewrite.certificate))
