"""What the files of this folder share: kernels planned on request, run as Metal text, looked at.

A `Request` is a kernel at some shapes under some options.  A `Suite` plans all of its requests,
lowers and prints them as one translation unit, since clang's start is most of what a small kernel
costs, and runs each in checked mode: a race, a divergence or a bad access fails the run.
"""

from dataclasses import dataclass, field, replace

import numpy as np

from certile.cli.subject import facts_of
from certile.codegen.metal.emit import emit
from certile.ir.machine import Constant, For, If, Operation
from certile.ir.machine.verify import check_machine
from certile.lower import lower_parallel
from certile.metalsim import Library
from certile.plan.choose import choose
from certile.plan.record import Options
from certile.plan.rounding.depth import depths
from certile.reference.agrees import agrees
from certile.runtime.launching import scalar_argument
from certile.targets.metal import METAL
from tests.differential.harness import Case
from tests.metal_units import unit

ANALYTIC = Options(policy="analytic")


def asked(**options):
    """Options under the analytic policy, which plans the one form that is asked for."""
    return Options(policy="analytic", **options)


@dataclass
class Request:
    """A kernel, its arguments by name and what is asked of the planner."""

    kernel: object
    arguments: dict
    options: Options = ANALYTIC
    policy: object = None
    case: Case = field(init=False)

    def __post_init__(self):
        self.case = Case(self.kernel, self.arguments)

    @property
    def shapes(self):
        given = self.arguments.items()
        return {name: a.shape for name, a in given if isinstance(a, np.ndarray)}

    def facts(self):
        """C-ordered arrays on aligned memory."""
        return facts_of(self.case.specialised, self.shapes)

    def plan(self, sheet=METAL):
        """The plan of the one launch."""
        (region,) = self.case.regions
        return choose(
            self.case.specialised,
            region,
            self.case.programs(region),
            sheet,
            self.options,
            policy=self.policy,
            facts=self.facts(),
        )

    def lowered(self, name, sheet=METAL):
        """The plan and the verified launch, whose kernel has the name given."""
        plan = self.plan(sheet)
        (region,) = self.case.regions
        launch = lower_parallel(name, self.case.specialised, region, plan, self.facts()).launches[0]
        check_machine(launch.kernel)
        return plan, launch


@dataclass(frozen=True)
class Made:
    """A request that was planned, lowered and printed."""

    request: Request
    plan: object
    launch: object
    artifact: object

    @property
    def machine(self):
        return self.launch.kernel

    @property
    def body(self):
        """The lines of the kernel itself, without the helpers before it."""
        text = self.artifact.text
        return text[text.index("kernel void") :].splitlines()

    @property
    def mapping(self):
        """(S, Q) of the plan."""
        return self.plan.mapping.subgroups_per_program, self.plan.mapping.programs_per_group

    def stripes(self):
        """The private arrays and their slots."""
        return {array.name: array.slots for array in self.machine.arrays}


def made(entry, request):
    """Plan, lower and print a request as a kernel of the name given."""
    plan, launch = request.lowered(entry)
    return Made(request, plan, launch, emit(launch.kernel, METAL))


class Suite:
    """Requests by name, as one text."""

    def __init__(self, requests):
        named = enumerate(requests.items())
        self._build({n: made(f"k{k}_{launch_name(n)}", request) for k, (n, request) in named})

    @classmethod
    def of(cls, kernels):
        """The suite of kernels by name that are printed already, each under an entry of its own."""
        suite = cls.__new__(cls)
        suite._build(kernels)
        return suite

    def _build(self, kernels):
        self.made = kernels
        self.library = Library(unit([each.artifact for each in kernels.values()]), "checked")

    def __getitem__(self, name):
        return self.made[name]

    def run(self, name, arguments=None, seed=0):
        """Run on copies of the arguments without a finding; return all arrays by name.

        Arrays given here may have more rows than those that were planned for.
        """
        made = self.made[name]
        planned = made.request.arguments
        given = planned if arguments is None else arguments
        arrays = {n: a.copy() if isinstance(a, np.ndarray) else a for n, a in given.items()}
        report = self.launch(name, arrays, seed)
        assert report.ok, f"{name}\n{report}"
        return arrays

    def launch(self, name, arrays, seed=0):
        """Launch on the arrays, which change, and return the report."""
        made = self.made[name]
        case = made.request.case
        scalars = zip(case.scalars(made.launch), made.artifact.scalars, strict=True)
        values = [scalar_argument(value, parameter.dtype) for value, parameter in scalars]
        buffers = [arrays[buffer] for buffer in made.launch.buffers]
        groups = -(-made.plan.programs // made.artifact.programs_per_group)
        return self.library.kernel(made.artifact.entry).run(
            dict(enumerate([*buffers, *values])),
            (groups, 1, 1),
            (made.artifact.threads, 1, 1),
            seed=seed,
        )

    def judge(self, name, before, after):
        """Compare with the interpreter of Tile IR: equal bits wherever every order gives them."""
        made = self.made[name]
        kernel = made.request.case.specialised
        results = {view.name: after[view.name] for view in kernel.outputs}
        return agrees(results, kernel, before, depths(made.plan))


def launch_name(name):
    """A name as an identifier."""
    return "".join(c if c.isalnum() else "_" for c in str(name))


def normal(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def blank(*shape, dtype=np.float32):
    """An output that nobody has written: NaN, or -1 for integers."""
    return np.full(shape, np.nan if np.dtype(dtype).kind == "f" else -1, dtype)


# Machine IR.


@dataclass(frozen=True)
class Place:
    """Where an operation stands: under conditionals or not, and how often a lane comes there."""

    operation: Operation
    conditional: bool
    rounds: int


def places(block, conditional=False, rounds=1, constants=None):
    """Every operation of a block with its place; loops have constant bounds."""
    constants = {} if constants is None else constants
    for operation in block.operations:
        yield Place(operation, conditional, rounds)
        if isinstance(operation, Constant):
            constants[operation.result] = operation.value
        times = 1
        if isinstance(operation, For):
            bounds = (operation.start, operation.stop, operation.step)
            times = len(range(*(constants[value] for value in bounds)))
        inside = conditional or isinstance(operation, If)
        for inner in operation.blocks():
            yield from places(inner, inside, rounds * times, constants)


def times(machine, wanted):
    """How often a lane comes to an operation that is wanted."""
    return sum(p.rounds for p in places(machine.body) if wanted(p.operation))


# Metal text.


def conditional(lines):
    """Each line of a kernel's text, and whether it runs only where some condition holds."""
    opened = []
    for line in lines:
        text = line.strip()
        if text.startswith("}"):
            opened.pop()
        yield text, any(opened) or text.startswith("if ")
        if text.endswith("{"):
            opened.append(text.startswith(("if ", "} else")))


def unconditional(made, *calls):
    """How many lines with one of the calls always run, and that there is none of the others."""
    found = calling(made, *calls)
    assert not [text for text, under in found if under]
    return len(found)


def calling(made, *calls):
    """The lines with one of the calls, and whether each is under a condition."""
    lines = conditional(made.body)
    return [(text, under) for text, under in lines if any(call in text for call in calls)]


def with_options(request, **changes):
    """The same request under other options."""
    return Request(
        request.kernel, request.arguments, replace(request.options, **changes), request.policy
    )
