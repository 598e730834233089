"""The typed values every stage exchanges: Tile IR, laws, Machine IR, programs.

Nothing in this package decides anything; it fixes what can be said, and verifies that it is said
well.
"""
