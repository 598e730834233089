"""Print a Machine IR kernel as MLX takes custom kernels: a header, a body, and names of arguments.

In: a verified `MachineKernel` with 32 lanes.  Out: an `MlxText` for `mlx.core.fast.metal_kernel`,
which writes the signature itself: inputs in order, then outputs, and every attribute of a thread
that the body names.  Decides how the arguments of a kernel stand in that signature: buffers that
are only read are inputs, those that are stored to are outputs, and each scalar is an input without
dimensions.  Leaves all else to `certile.codegen.metal.emit`, whose body it shares.

What MLX's contract cannot say is refused by the caller: an output is fresh memory there, so a
kernel that reads what it stores to, or that stores to a part, has no such form.
"""

from __future__ import annotations

from certile.codegen.metal.emit import MetalEmitter, admit
from certile.codegen.metal.types import SPELLING
from certile.codegen.writer import Writer
from certile.ir.machine import MachineKernel
from certile.records import record
from certile.targets.sheet import Sheet

__all__ = ["MlxText", "emit_mlx"]

# The attributes by which MLX declares what the positions of Machine IR are.
_POSITIONS = {
    "lane": "thread_index_in_simdgroup",
    "subgroup": "simdgroup_index_in_threadgroup",
    "group": "threadgroup_position_in_grid.x",
}


@record
class MlxText:
    """One kernel in MLX's terms.

    `inputs` and `outputs` are the indices of the kernel's buffers behind `input_names` and
    `output_names`; the names of scalars follow those of inputs.  A launch has `threads` threads a
    group.
    """

    name: str
    header: str
    body: str
    inputs: tuple[int, ...]
    input_names: tuple[str, ...]
    outputs: tuple[int, ...]
    output_names: tuple[str, ...]
    threads: int
    requires_precise_math: bool


def emit_mlx(kernel: MachineKernel, sheet: Sheet) -> MlxText:
    """The kernel in MLX's form; raises `UnsupportedError` as `emit` does."""
    admit(kernel, sheet)
    emitter = _MlxEmitter(kernel)
    emitter.block(kernel.body)
    numbered = list(enumerate(kernel.buffers))
    inputs = tuple(index for index, buffer in numbered if not buffer.written)
    outputs = tuple(index for index, buffer in numbered if buffer.written)
    scalars = (_scalar(number) for number in range(len(kernel.scalars)))
    return MlxText(
        name=emitter.entry,
        header=emitter.preamble(),
        body=emitter.body_text(),
        inputs=inputs,
        input_names=(*map(_buffer, inputs), *scalars),
        outputs=outputs,
        output_names=tuple(map(_buffer, outputs)),
        threads=kernel.lanes * kernel.subgroups,
        requires_precise_math=not kernel.may_approximate,
    )


class _MlxEmitter(MetalEmitter):
    """The state of one kernel; arguments are taken from the names that MLX declares."""

    def body_text(self) -> str:
        """The statements of the function."""
        kernel, head = self.kernel, Writer()
        for index, buffer in enumerate(kernel.buffers):
            # Under our types: MLX spells a bool otherwise, and has other names for some floats.
            const = "" if buffer.written else "const "
            kind = f"device {const}{SPELLING.element(buffer.dtype)}*"
            head.line(f"{kind} {self.places[buffer]} = ({kind}){_buffer(index)};")
        for number, scalar in enumerate(kernel.scalars):
            kind = SPELLING.element(scalar.dtype)
            head.line(f"const {kind} {self.scalars[scalar]} = {_scalar(number)};")
        self.declare_shared(head)
        used = self.positions()
        for name, attribute in _POSITIONS.items():
            if name in used:
                head.line(f"const {SPELLING.carried(used[name])} {name} = {attribute};")
        self.declare_private(head)
        return head.text() + self.writer.text()


def _buffer(index: int) -> str:
    return f"argument{index}"


def _scalar(number: int) -> str:
    return f"number{number}"
