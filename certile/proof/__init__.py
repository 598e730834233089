"""Proofs: the trusted checker, the certificates shipped with the package, and how they print.

`check` is what has to be believed; `registry` keeps the certificates of the built-in laws and
`render` writes them for people.  Nothing here searches for a proof.
"""
