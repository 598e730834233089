"""`certile run`: an operation on made-up data, wherever the target can be run."""
