"""From a row program and a target sheet to a plan: which worker owns what, and what it costs.

`choose` takes the best of `forms`.  The spaces of the maps are `subgroup`, `group`, `columns` and
`flat`; `work` is what a program does, `cost` the policies that price it, `ownership` the arithmetic
of who owns an element, `rounding` how far results may be from exact ones.  The outcome is a
`record`, which `text` and `document` write out.
"""
