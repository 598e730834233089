"""Ownership: which worker owns an element, and how far a row's is shifted to be aligned."""
