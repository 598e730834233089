"""Programs that have to be rewritten, each as reductions in plain terms.

Their names say what people call them; the compiler does not know any of these names.
"""

from tests.rewrites.grammar import Chain, Fold

WEIGHT = "(exp (sub x r0))"
OFF = "(sub x (div r0 n))"
OFF_Y = "(sub y (div r1 n))"


def chain(*folds, stored=None, row=None):
    made = tuple(Fold(*fold.split(" ", 1)) for fold in folds)
    return Chain(0, made, stored or tuple(f"r{k}" for k in range(len(made))), row)


INSTANCES = {
    "softmax": chain("max x", f"sum {WEIGHT}", row=f"(div {WEIGHT} r1)"),
    "log_softmax": chain("max x", f"sum {WEIGHT}", row="(sub (sub x r0) (log r1))"),
    "logsumexp": chain("max x", f"sum {WEIGHT}", stored=("r0", "(add (log r1) r0)")),
    "weighted sum": chain(
        "max x", f"sum {WEIGHT}", f"sum (mul {WEIGHT} y)", stored=("r0", "r1", "(div r2 r1)")
    ),
    "entropy": chain("max x", f"sum {WEIGHT}", f"sum (mul {WEIGHT} x)"),
    "doubled": chain("max x", "sum (exp (sub (mul x 2.0) (mul r0 2.0)))"),
    "variance": chain("sum x", f"sum (mul {OFF} {OFF})", stored=("(div r0 n)", "(div r1 n)")),
    "standardised": chain(
        "sum x", f"sum (mul {OFF} {OFF})", row=f"(mul {OFF} (rsqrt (add (div r1 n) 1e-05)))"
    ),
    "third moment": chain("sum x", f"sum (mul (mul {OFF} {OFF}) {OFF})"),
    "covariance": chain("sum x", f"sum (mul {OFF} y)"),
    "covariance of both": chain(
        "sum x", "sum y", f"sum (mul {OFF} {OFF_Y})", stored=("r0", "r1", "(div r2 n)")
    ),
    "correlation": chain(
        *("sum x", "sum y", f"sum (mul {OFF} {OFF})", f"sum (mul {OFF_Y} {OFF_Y})"),
        f"sum (mul {OFF} {OFF_Y})",
    ),
    "divergence": chain(
        *("max x", "max y", f"sum {WEIGHT}", "sum (exp (sub y r1))"),
        f"sum (mul {WEIGHT} (sub (sub x r0) (sub y r1)))",
    ),
    "cooled": chain("max x", "sum (exp (div (sub x r0) 0.7))"),
    "absmax-scaled": chain("absmax x", "sum (mul x (div 127.0 r0))"),
    "squares by the size": chain("absmax x", "sum (mul (div x r0) (div x r0))"),
}
