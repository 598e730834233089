"""The subgroup family: S subgroups cooperate on a program, Q programs share a group."""
