"""Prove the built-in laws and write their certificates into the package.

    python scripts/prove_laws.py            write certile/proof/certificates/*.json
    python scripts/prove_laws.py --check    exit with 1 if one of them would change

Run it after a change of a law, of its meaning, or of a step of the checker.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from certile.ir.laws import BUILTIN
from certile.ir.meanings import MEANINGS
from certile.search import Refusal, prove

FOLDER = Path(__file__).resolve().parent.parent / "certile" / "proof" / "certificates"


def certificates() -> dict[str, str]:
    """The text of each certificate by the name of its law; exits with what was refused."""
    texts = {}
    for name, meaning in MEANINGS.items():
        proved = prove(BUILTIN[name], meaning)
        if isinstance(proved, Refusal):
            sys.exit(proved.text())
        texts[name] = json.dumps(proved, separators=(",", ":")) + "\n"
    return texts


def main() -> int:
    """Write or compare; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="compare and write nothing")
    only_check = parser.parse_args().check
    changed = []
    FOLDER.mkdir(exist_ok=True)
    for name, text in certificates().items():
        path = FOLDER / f"{name}.json"
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            changed.append(name)
            if not only_check:
                path.write_text(text, encoding="utf-8")
    print("changed:", ", ".join(changed) or "none")
    return int(only_check and bool(changed))


if __name__ == "__main__":
    sys.exit(main())
