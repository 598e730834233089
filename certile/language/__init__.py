"""What a kernel author imports: signatures and docstrings, without behaviour.

In: calls inside a kernel.  Out: the same calls on the active trace.  Decides names and signatures.
Leaves every meaning to `certile.frontend`.
"""
