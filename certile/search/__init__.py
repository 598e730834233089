"""The search for proofs and for counterexamples: nothing here is trusted.

In: a law and its meaning.  Out: a certificate that `certile.proof.check` accepts, or the obligation
that could not be proved with a counterexample when one was found.
"""

from certile.search.laws import Counterexample, Unproved, prove, refute

__all__ = ["Counterexample", "Unproved", "prove", "refute"]
