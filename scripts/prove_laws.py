"""Prove the built-in laws and the chains of `certile.ops`; write certificates into the package.

    python scripts/prove_laws.py            write certile/proof/certificates/*.json
    python scripts/prove_laws.py --check    exit with 1 if one of them would change

Run it after a change of a law, of its meaning, of a step of the checker, or of a kernel of
`certile.ops` in which one reduction reads another.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path

from certile.frontend.spec import Shaped
from certile.ir.dtypes import f32
from certile.ir.laws import BUILTIN
from certile.ir.meanings import ACTIONS, MEANINGS
from certile.ir.tile import Kernel
from certile.ir.walk import parallel_regions
from certile.ops.kernels import BARE_OPS, bare
from certile.search import Unproved, prove
from certile.search.derivations import SHIPPED, digest, document
from certile.search.fusion import Chain, Fused, derive
from certile.search.regions import derived

FOLDER = Path(__file__).resolve().parent.parent / "certile" / "proof" / "certificates"
# The number of columns is in no chain.
_SHAPE = (4, 4096)


def certificates() -> dict[str, str]:
    """The text of each certificate by the name of its law; exits with what was refused."""
    texts = {}
    for name, meaning in (MEANINGS | ACTIONS).items():
        proved = prove(BUILTIN[name], meaning)
        if isinstance(proved, Unproved):
            sys.exit(proved.text())
        texts[name] = json.dumps(proved, separators=(",", ":")) + "\n"
    return texts


def kernels() -> Iterator[Kernel]:
    """The kernels of the package, and those with arguments that give them other chains."""
    for op in BARE_OPS:
        yield bare(op, _SHAPE).kernel
    losses = bare("cross_entropy", _SHAPE)
    smooth = {**losses.arguments, "smoothing": 0.1}
    yield losses.function.tile_ir(smooth)
    yield losses.function.tile_ir({**smooth, "weight": Shaped(f32, _SHAPE[1:])})


def chains() -> str:
    """The derivation of each chain in the package's kernels, by its digest."""
    made: dict[str, Fused | Unproved] = {}

    def once(chain: Chain) -> Fused | Unproved:
        name = digest(chain)
        if name not in made:
            made[name] = derive(chain)
        return made[name]

    for kernel in kernels():
        for region in parallel_regions(kernel):
            derived(kernel, region, once)
    documents = {name: document(each) for name, each in made.items() if isinstance(each, Fused)}
    return json.dumps(documents, sort_keys=True, separators=(",", ":")) + "\n"


def main() -> int:
    """Write or compare; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="compare and write nothing")
    only_check = parser.parse_args().check
    changed = []
    FOLDER.mkdir(exist_ok=True)
    texts = {f"{name}.json": text for name, text in certificates().items()}
    for name, text in (texts | {SHIPPED: chains()}).items():
        path = FOLDER / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            changed.append(name)
            if not only_check:
                path.write_text(text, encoding="utf-8")
    print("changed:", ", ".join(changed) or "none")
    return int(only_check and bool(changed))


if __name__ == "__main__":
    sys.exit(main())
