"""Random array programs that run on NumPy's arrays and on a jitted function's alike."""

import math

import numpy as np
from hypothesis import strategies as st

BINARY = {
    "add": lambda x, y: x + y,
    "sub": lambda x, y: x - y,
    "mul": lambda x, y: x * y,
    "div": lambda x, y: x / (2 + abs(y)),
    "maximum": np.maximum,
    "minimum": np.minimum,
}
UNARY = {
    "tanh": np.tanh,
    "exp": lambda x: np.exp(-abs(x)),
    "sqrt": lambda x: np.sqrt(abs(x)),
    "clip": lambda x: np.clip(x, -2, 3),
    "neg": lambda x: -x,
    "flip": np.flip,
    "T": lambda x: x.T,
    "copy": lambda x: x.copy(),
    "squeeze": np.squeeze,
    "end": lambda x: x[..., None],
    "front": lambda x: x[None],
}
ALONG = {
    "sum": np.sum,
    "mean": np.mean,
    "var": np.var,
    "any": lambda x, axis, keepdims: np.any(x > 1, axis=axis, keepdims=keepdims).astype("f8"),
    "argmax": lambda x, axis, keepdims: x.argmax(axis, keepdims=keepdims).astype("f8"),
    "max": lambda x, axis, keepdims: x.max(axis, keepdims=keepdims),
}


def carry_out(recipe, values):
    """Run a recipe on arrays; each step appends one."""
    values = list(values)
    for kind, name, at, *rest in recipe:
        x = values[at]
        match kind:
            case "binary":
                made = BINARY[name](x, values[rest[0]])
            case "unary":
                made = UNARY[name](x)
            case "along":
                made = ALONG[name](x, axis=rest[0], keepdims=rest[1])
            case "cumsum":
                made = np.cumsum(x, axis=rest[0])
            case "slice":
                made = x[rest[0]]
            case "assign":
                made = x.copy()
                made[rest[0]] = made[rest[0]][..., ::-1] * 0.5 + 1
                made += 2
        values.append(made)
    return tuple(values[-3:])


@st.composite
def recipes(draw):
    """Give input arrays and a recipe that NumPy carries out on them."""
    shape = draw(st.lists(st.sampled_from([1, 2, 3, 5]), min_size=0, max_size=3).map(tuple))
    if draw(st.integers(0, 9)) == 0 and shape:
        shape = (*shape[:-1], 0)
    inputs = [_array(draw, shape) for _ in range(2)]
    partial = tuple(n if draw(st.booleans()) else 1 for n in shape)
    inputs.append(_array(draw, partial[draw(st.integers(0, len(partial))) :]))
    values, recipe = list(inputs), []
    for _ in range(draw(st.integers(1, 8))):
        step = draw(_step(values))
        with np.errstate(all="ignore"):
            values.append(carry_out([step], values)[-1])
        recipe.append(step)
    return inputs, recipe


def _array(draw, shape):
    seed = draw(st.integers(0, 99))
    # Quarters: sums of them are exact in any order, so that no comparison hangs on a rounding.
    return np.random.default_rng(seed).integers(-12, 13, shape) / 4.0


@st.composite
def _step(draw, values):
    at = draw(st.integers(0, len(values) - 1))
    x = values[at]
    kinds = ["binary", "binary", "unary", "unary"]
    if x.ndim and x.size:
        kinds += ["along", "along", "cumsum", "slice", "assign"]
    match draw(st.sampled_from(kinds)):
        case "binary":
            fits = [i for i, y in enumerate(values) if _broadcast(x, y)]
            name = draw(st.sampled_from(sorted(BINARY)))
            return ("binary", name, at, draw(st.sampled_from(fits)))
        case "unary":
            return ("unary", draw(st.sampled_from(sorted(UNARY))), at)
        case "along":
            axis = draw(st.sampled_from([None, *range(-x.ndim, x.ndim)]))
            name = draw(st.sampled_from(sorted(ALONG)))
            # The place of the greatest depends on roundings where the array does.
            if name in ("argmax", "any") and at > 2:
                name = "sum"
            return ("along", name, at, axis, draw(st.booleans()))
        case "cumsum":
            return ("cumsum", "", at, draw(st.integers(0, x.ndim - 1)))
        case kind:
            index = tuple(_slice(draw, n) for n in x.shape)
            return (kind, "", at, index)


def _slice(draw, n):
    start, stop = sorted((draw(st.integers(0, n - 1)), draw(st.integers(1, n))))
    step = draw(st.sampled_from([1, 1, 2, -1]))
    return slice(stop - 1, None, -1) if step < 0 else slice(start, max(stop, start + 1), step)


def _broadcast(x, y):
    try:
        shape = np.broadcast_shapes(x.shape, y.shape)
    except ValueError:
        return False
    return math.prod(shape) <= 2000 and len(shape) <= 4
