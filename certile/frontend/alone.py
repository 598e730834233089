"""A law of an author's outside every kernel: what is claimed of it for one dtype.

In: a `UserLaw` and a dtype.  Out: a `Claim`, or None where the law says nothing of itself.  Decides
that its methods run as they do in a kernel.  Leaves the proof to `certile.search.authors`.
"""

from __future__ import annotations

from certile.frontend.claims import Claim, claim
from certile.frontend.law_methods import Methods
from certile.frontend.state import State
from certile.frontend.trace import Recorder, unwrapped
from certile.ir.dtypes import DType
from certile.language import active
from certile.language.laws import UserLaw


def claimed(written: UserLaw, accumulate: DType) -> Claim | None:
    """What the author says that the law means for values of `accumulate`.

    Raises `KernelError` K041 for a method that does not fit.
    """
    state = State(unwrapped(written.merge).__code__, None)
    with active.activate(Recorder(state)):
        # No line of a kernel uses the law here.
        loc = written.loc if written.loc.known else None
        methods = Methods(state, written, accumulate, loc)
        return claim(methods, methods.law())
