"""The independent recogniser: reductions of a TIRx function, proved on the function itself."""

from certile.tirx.recognition.recognised import Recognised, recognise
from certile.tirx.recognition.translation import Reduction

__all__ = ["Recognised", "Reduction", "recognise"]
