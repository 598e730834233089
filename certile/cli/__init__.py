"""The command line `certile`: a package for each command of many modules, and what they share.

`main` declares the commands and `options` their flags; `subject` is what a command looks at,
`operations` what the package knows of an operation, `output` how an answer is given.
"""
