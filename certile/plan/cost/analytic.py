"""The analytic policy: counted rounds and collectives, weighed by three coefficients.

In: coefficients, and the facts of a candidate.  Out: a score.  Decides nothing of a machine: its
terms are dimensionless priors.  Leaves times to the service policy.
"""

from __future__ import annotations

from math import isfinite

from certile.diagnostics import ArgumentError
from certile.plan.cost.policy import CandidateFacts, Score
from certile.plan.options import Options
from certile.records import record


@record
class AnalyticPolicy:
    """alpha * rounds + beta * reductions * S + gamma / Q; the kernel's, times the waves of 64.

    Dimensionless priors, not measured times.  A reduction in a loop counts once a repetition.
    """

    alpha: float = 1.0
    beta: float = 2.0
    gamma: float = 16.0

    def __post_init__(self) -> None:
        for name, value in (("alpha", self.alpha), ("beta", self.beta), ("gamma", self.gamma)):
            if not isfinite(value) or value < 0:
                raise ArgumentError("P001", f"{name} is {value}; a coefficient is finite and >= 0")

    def score(self, facts: CandidateFacts) -> Score:
        """The analytic score of one candidate."""
        mapping = facts.mapping
        terms = {
            "rounds": self.alpha * facts.rounds,
            "collectives": self.beta * facts.reductions * mapping.subgroups_per_program,
            "setup": self.gamma / mapping.programs_per_group,
        }
        program = sum(terms.values())
        return Score(program, program * facts.waves, terms)


def analytic(options: Options) -> AnalyticPolicy:
    """The analytic policy with the coefficients a caller gave."""
    return AnalyticPolicy(options.alpha, options.beta, options.gamma)
