"""From a row program and a target sheet to a plan: which worker owns what, and what it costs."""
