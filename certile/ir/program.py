"""The compiler's result: launches in order, each a machine kernel, and the workspace they share.

A launch's grid and scalars are expressions over what the caller passes (extents, strides, scalar
arguments), evaluated on the host when arguments are bound.  Most row programs need one launch a
`parallel` and no workspace; those that merge partial results in a later launch pass them on in one.
"""

from __future__ import annotations

from dataclasses import replace

from certile.ir.host import HostValue
from certile.ir.machine import MachineKernel
from certile.records import record


@record
class Launch:
    """One kernel launch: groups = ceil(programs / kernel.programs_per_group).

    `buffers[i]` names the view argument or workspace bound to `kernel.buffers[i]`; `scalars[i]`
    says where `kernel.scalars[i]` comes from.  The launch happens where `condition` is not zero;
    None is always.
    """

    kernel: MachineKernel
    buffers: tuple[str, ...]
    scalars: tuple[HostValue, ...]
    programs: HostValue
    condition: HostValue | None = None


@record
class Workspace:
    """Memory that launches of one program share: `size` bytes, an expression of the call.

    It lives from the first launch that names it to the last.
    """

    name: str
    size: HostValue
    first_launch: int
    last_launch: int

    def after(self, launches: int) -> Workspace:
        """The same of a program that runs behind so many other launches."""
        first, last = self.first_launch + launches, self.last_launch + launches
        return replace(self, first_launch=first, last_launch=last)


@record
class Program:
    """The launches of a kernel, in order, and the workspace between them."""

    name: str
    launches: tuple[Launch, ...]
    workspace: tuple[Workspace, ...] = ()
