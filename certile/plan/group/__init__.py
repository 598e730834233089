"""The group map: how many threads a program's group has, and what its steps cost."""
