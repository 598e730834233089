"""The compiler's result: launches in order, each a machine kernel, and the workspace they share.

A launch's grid and scalars are expressions over what the caller passes (extents, strides, scalar
arguments), evaluated on the host when arguments are bound.  Row programs need one launch a
`parallel` and no workspace; programs that merge partial results in a second launch, or choose
between launches on the host, have their fields here.
"""

from __future__ import annotations

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


@record
class Program:
    """The launches of a kernel, in order, and the workspace between them."""

    name: str
    launches: tuple[Launch, ...]
    workspace: tuple[Workspace, ...] = ()
