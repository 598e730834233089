"""The program `certile` as the tests of this folder call it, and laws that they give to it."""

from typer.testing import CliRunner

from certile.cli.main import app

# What begins a file of laws: the base of a sum, one without a specification, and a false one.
LAWS = """
import certile as ct


class _Sum:
    state = {"total": "acc"}
    identity = staticmethod(lambda: 0.0)
    lift = staticmethod(lambda x: x)
    merge = staticmethod(lambda a, b: a.total + b.total)
    finalize = staticmethod(lambda s: s.total)


@ct.law
class Plain(_Sum):
    pass


@ct.law
class Wrong(_Sum):
    spec = staticmethod(ct.list.max)
"""


def run(*arguments: str) -> tuple[int, str, str]:
    """Run a command in this process; its exit code, what it printed, and what it complained of."""
    done = CliRunner().invoke(app, list(arguments))
    return done.exit_code, done.stdout, done.stderr
