"""The program `certile` as the tests of this folder call it."""

from typer.testing import CliRunner

from certile.cli.main import app


def run(*arguments: str) -> tuple[int, str, str]:
    """Run a command in this process; its exit code, what it printed, and what it complained of."""
    done = CliRunner().invoke(app, list(arguments))
    return done.exit_code, done.stdout, done.stderr
