"""Rounding: the trees that a plan's reductions merge in, and a bound for each result."""
