"""Hypothesis strategies shared by several tests."""

from hypothesis import strategies as st

from certile.reference.generate import generate


def programs():
    """Random row programs; the choices shrink towards small ones."""
    return st.randoms(use_true_random=False).map(generate)
