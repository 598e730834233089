"""`certile doctor`: what this machine can do, found out by doing it."""
