"""The trusted checker: what has to be believed for a certificate to be believed.

In: a certificate (JSON), a `Law` and its `Meaning`.  Out: None, or a sentence that says what does
not hold.  It reads the law itself, replays the steps of the certificate on the goals it made, and
imports nothing of the search that found them.  `terms`, `kinds`, `context` and `field` are the
logic, `rules` its steps, `elaborate`, `finite` and `reader` make goals of laws,
`regions` and `region_terms` read programs, `limits`, `exponents`, `sizes` and `shown` what they
may overflow in, and `certificate` reads certificates.
"""

from certile.proof.check.certificate import FUEL, check, heading
from certile.proof.check.reader import goals

__all__ = ["FUEL", "check", "goals", "heading"]
