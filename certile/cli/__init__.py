"""The command line `certile`."""
