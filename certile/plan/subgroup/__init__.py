"""The subgroup family: every legal (S, Q, V) of a form, its score, and the least."""
