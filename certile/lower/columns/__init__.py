"""The columns map of a CPU: neighbouring programs are the lanes, rows are walked outermost."""
