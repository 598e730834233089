"""How an operation of Machine IR prints where every thread holds one scalar.

In: an operation.  Out: lines in the emitter's writer.  `thread_table` holds every operation that
C-like targets print alike; barriers and what lanes exchange are added by each target.
"""

from typing import TypeVar

from certile.codegen.packs import Pack
from certile.codegen.table import Table
from certile.codegen.threads.emitter import ThreadEmitter
from certile.codegen.threads.registers import has_known_bounds, indexed_arrays
from certile.codegen.threads.spelling import NARROW
from certile.ir.machine import (
    ArrayLoad,
    ArrayStore,
    Ask,
    Compute,
    Constant,
    Convert,
    For,
    If,
    Load,
    Parameter,
    Reinterpret,
    SharedLoad,
    SharedStore,
    Special,
    Store,
    Value,
    operations,
)

__all__ = ["thread_table"]

E = TypeVar("E", bound=ThreadEmitter)

# A loop of at most so many rounds is written to be unrolled.
SHORT_ROUNDS = 4


def thread_table(target: str, kind: type[E]) -> Table[E]:
    """The table of a target whose state is `kind`, without barriers and what lanes exchange."""
    table: Table[E] = Table(target)
    table.on(Constant)(_constant)
    table.on(Parameter)(_parameter)
    table.on(Special)(_special)
    table.on(Compute)(_compute)
    table.on(Convert)(_convert)
    table.on(Reinterpret)(_reinterpret)
    table.on(Load)(_load)
    table.on(Ask)(lambda *_: None)
    table.on(Store)(_store)
    table.on(ArrayLoad)(_array_load)
    table.on(ArrayStore)(_array_store)
    table.on(SharedLoad)(_shared_load)
    table.on(SharedStore)(_shared_store)
    table.on(For)(_for)
    table.on(If)(_if)
    return table


def _constant(emitter: ThreadEmitter, operation: Constant) -> None:
    text = emitter.spelling.literal(operation.value, operation.result.dtype)
    emitter.inline(operation.result, text)


def _parameter(emitter: ThreadEmitter, operation: Parameter) -> None:
    name = emitter.scalars[operation.parameter]
    text = emitter.expressions.load(name, operation.parameter.dtype)
    emitter.inline(operation.result, text)


def _special(emitter: ThreadEmitter, operation: Special) -> None:
    emitter.inline(operation.result, operation.kind)


def _compute(emitter: ThreadEmitter, operation: Compute) -> None:
    args = [emitter.of(value) for value in operation.args]
    dtype = operation.args[-1].dtype
    if operation.fn in ("floordiv", "mod") and (short := _unsigned_division(emitter, operation)):
        emitter.define(operation.result, short)
        return
    plain = operation.exact or (operation.result in emitter.indices and dtype.bits >= 32)
    text = emitter.expressions.compute(operation.fn, dtype, args, plain=plain)
    emitter.define(operation.result, text)


def _unsigned_division(emitter: ThreadEmitter, operation: Compute) -> str | None:
    """A division whose operands are known to be positive, in 32 bits where they fit."""
    facts, spelling = emitter.facts, emitter.spelling
    a, b = operation.args
    if a.dtype.is_float or facts.range(a)[0] < 0 or facts.range(b)[0] <= 0:
        return None
    fits = max(facts.range(a)[1], facts.range(b)[1]) < 2**32
    kind = spelling.unsigned[32 if fits else 64]
    sign = "/" if operation.fn == "floordiv" else "%"
    quotient = f"({kind}){emitter.of(a)} {sign} ({kind}){emitter.of(b)}"
    return f"({spelling.carried(a.dtype)})({quotient})"


def _convert(emitter: ThreadEmitter, operation: Convert) -> None:
    source, target = operation.value.dtype, operation.result.dtype
    value = emitter.of(operation.value)
    if target.name in NARROW and source.name == "f32":
        emitter.unrounded[operation.result] = value
    emitter.define(operation.result, emitter.expressions.convert(value, source, target))


def _reinterpret(emitter: ThreadEmitter, operation: Reinterpret) -> None:
    source, target = operation.value.dtype, operation.result.dtype
    text = emitter.expressions.reinterpret(emitter.of(operation.value), source, target)
    emitter.define(operation.result, text)


def _load(emitter: ThreadEmitter, operation: Load) -> None:
    pack = emitter.packs.get(operation)
    if pack is None:
        emitter.before_load(operation.buffer)
        element = emitter.element(operation.buffer, operation.address)
        text = emitter.expressions.load(element, operation.buffer.dtype)
    else:
        text = _item(emitter, pack, operation)
    emitter.define(operation.result, emitter.guarded(operation.mask, operation.fill, text))


def _item(emitter: ThreadEmitter, pack: Pack, operation: Load) -> str:
    """The value of an element of a pack, which is read where its first load stands."""
    if pack not in emitter.loaded_packs:
        emitter.before_load(operation.buffer)
        name = f"pack{len(emitter.loaded_packs)}"
        emitter.loaded_packs[pack] = name
        mask = None if operation.mask is None else emitter.of(operation.mask)
        text = emitter.read_pack(pack, mask)
        emitter.writer.line(f"const {emitter.pack_type(pack)} {name} = {text};")
    name, index = emitter.loaded_packs[pack], pack.accesses.index(operation)
    return emitter.pack_value(name, index, operation.buffer.dtype)


def _store(emitter: ThreadEmitter, operation: Store) -> None:
    pack = emitter.packs.get(operation)
    if pack is not None:
        if operation is pack.last:
            _store_pack(emitter, pack)
        return
    emitter.before_store(operation.buffer)
    value = emitter.expressions.store(_to_store(emitter, operation.value), operation.buffer.dtype)
    target = emitter.element(operation.buffer, operation.address)
    emitter.write(target, value, operation.mask, once=not operation.address.varying)


def _store_pack(emitter: ThreadEmitter, pack: Pack) -> None:
    """Write a pack where its last store stands: every element is known there."""
    stores = [access for access in pack.accesses if isinstance(access, Store)]
    buffer, mask = stores[0].buffer, stores[0].mask
    emitter.before_store(buffer)
    values = [_to_store(emitter, store.value) for store in stores]
    condition = "" if mask is None else f"if ({emitter.of(mask)}) "
    emitter.writer.line(f"{condition}{emitter.write_pack(pack, values)};")


def _to_store(emitter: ThreadEmitter, value: Value) -> str:
    """A value that a store rounds: what was rounded to its type is stored from before that."""
    return emitter.unrounded.get(value) or emitter.of(value)


def _array_load(emitter: ThreadEmitter, operation: ArrayLoad) -> None:
    place = f"{emitter.places[operation.array]}[{emitter.of(operation.slot)}]"
    emitter.define(operation.result, place)


def _array_store(emitter: ThreadEmitter, operation: ArrayStore) -> None:
    place = f"{emitter.places[operation.array]}[{emitter.of(operation.slot)}]"
    emitter.write(place, emitter.of(operation.value), None, once=False)


def _shared_load(emitter: ThreadEmitter, operation: SharedLoad) -> None:
    emitter.before_load(operation.array)
    place = f"{emitter.places[operation.array]}[{emitter.of(operation.index)}]"
    text = emitter.expressions.load(place, operation.array.dtype)
    emitter.define(operation.result, emitter.guarded(operation.mask, operation.fill, text))


def _shared_store(emitter: ThreadEmitter, operation: SharedStore) -> None:
    emitter.before_store(operation.array)
    place = f"{emitter.places[operation.array]}[{emitter.of(operation.index)}]"
    value = emitter.expressions.store(_to_store(emitter, operation.value), operation.array.dtype)
    emitter.write(place, value, operation.mask, once=not operation.index.varying)


def _for(emitter: ThreadEmitter, operation: For) -> None:
    for init, param, result in zip(
        operation.inits, operation.params, operation.results, strict=True
    ):
        # The variable is the carried value in the loop and its result after it.
        name = emitter.fresh(param)
        emitter.inline(result, name)
        kind = emitter.spelling.carried(param.dtype)
        emitter.writer.line(f"{kind} {name} = {emitter.of(init)};")
    index = f"i{len(emitter.names)}"
    emitter.inline(operation.index, index)
    if _wants_slots_in_registers(emitter, operation) or _is_short(emitter, operation):
        emitter.writer.line("#pragma unroll")
    kind = emitter.spelling.carried(operation.index.dtype)
    start, stop, step = (
        emitter.of(value) for value in (operation.start, operation.stop, operation.step)
    )
    head = f"for ({kind} {index} = {start}; {index} < {stop}; {index} += {step})"
    with emitter.unordered(operation.body), emitter.writer.block(head):
        emitter.again(operation.body)
        emitter.block(operation.body)
        _carry_on(emitter, operation)


def _carry_on(emitter: ThreadEmitter, loop: For) -> None:
    """Assign the carried values at once: what an assignment would overwrite too early is saved."""
    names = [emitter.of(param) for param in loop.params]
    onward = [emitter.of(value) for value in loop.yields]
    for position, value in enumerate(onward):
        if value in names[:position]:
            onward[position] = f"{value}_before_{position}"
            kind = emitter.spelling.carried(loop.params[position].dtype)
            emitter.writer.line(f"const {kind} {onward[position]} = {value};")
    for name, value in zip(names, onward, strict=True):
        if name != value:
            emitter.writer.line(f"{name} = {value};")


def _wants_slots_in_registers(emitter: ThreadEmitter, loop: For) -> bool:
    """Whether slots depend on the loop: registers have no run-time index, so it is unrolled."""
    if not has_known_bounds(loop, emitter.facts):
        return False
    used = indexed_arrays(loop.body, emitter.facts)
    return bool(used) and used <= emitter.registers


def _is_short(emitter: ThreadEmitter, loop: For) -> bool:
    """Whether a loop has few rounds and no loop inside: unrolled, its loads wait together."""
    ends = [emitter.facts.integer(value) for value in (loop.start, loop.stop, loop.step)]
    first, last, step = ends
    if first is None or last is None or not step:
        return False
    inside = any(isinstance(operation, For) for operation in operations(loop.body))
    return not inside and -(-(last - first) // step) <= SHORT_ROUNDS


def _if(emitter: ThreadEmitter, operation: If) -> None:
    # A barrier in one branch orders nothing for the other, nor for who comes by neither.
    with emitter.unordered(*operation.blocks()):
        head = f"if ({emitter.of(operation.condition)})"
        with emitter.unordered(*operation.blocks()), emitter.writer.block(head):
            emitter.block(operation.then)
        if operation.otherwise.operations:
            with emitter.writer.block("else"):
                emitter.block(operation.otherwise)
