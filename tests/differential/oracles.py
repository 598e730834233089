"""Operations in float64 NumPy, with how far a legal plan may be from them."""

import numpy as np

UNIT = 2.0**-24


def arguments(name, x, rng):
    """Arguments of an operation on the rows of `x`; outputs start as NaN or -1."""
    rows, length = x.shape
    row = np.full(rows, np.nan, np.float32)
    match name:
        case "softmax":
            return {"x": x, "y": np.full_like(x, np.nan)}
        case "layer_norm":
            weight, bias = (rng.standard_normal(length).astype(np.float32) for _ in range(2))
            return {"x": x, "y": np.full_like(x, np.nan), "weight": weight, "bias": bias}
        case "cross_entropy":
            return {"x": x, "labels": rng.integers(0, length, rows), "y": row}
        case "sum":
            return {"x": x, "y": row}
        case "argmax":
            return {"x": x, "y": np.full(rows, -1, np.int64)}
    raise ValueError(name)


def empty_arguments(name, shapes):
    """Arguments that nobody reads: of the right shapes and dtypes."""
    integers = {"labels": np.int64, "y": np.int64 if name == "argmax" else np.float32}
    return {view: np.zeros(s, integers.get(view, np.float32)) for view, s in shapes.items()}


def check(name, given, result, depth):
    """Assert that `result` is what a tree of `depth` levels may give for the arguments."""
    x = given["x"].astype(np.float64)
    assert not np.isnan(result).any()
    match name:
        case "softmax":
            e = np.exp(x - x.max(1, keepdims=True))
            want = e / e.sum(1, keepdims=True)
            # exp is within 2 ulp and its argument is rounded; 12 bounds |x - max| here.
            assert np.abs(result / want - 1).max() <= (depth + 8 + 12) * UNIT
        case "layer_norm":
            off = x - x.mean(1, keepdims=True)
            scale = np.sqrt((off * off).mean(1, keepdims=True) + 1e-5)
            want = off / scale * given["weight"] + given["bias"]
            # Of the mean, seen through the division; of the other steps, relative.
            of_mean = depth * np.abs(x).mean(1, keepdims=True) / scale * np.abs(given["weight"])
            bound = UNIT * (of_mean * 2 + (depth + 12) * (np.abs(want) + np.abs(given["bias"])))
            assert (np.abs(result - want) <= bound).all()
        case "cross_entropy":
            top = x.max(1)
            total = np.log(np.exp(x - top[:, None]).sum(1))
            chosen = x[np.arange(x.shape[0]), given["labels"]]
            want = total + top - chosen
            bound = UNIT * (depth + 24 + 4 * (np.abs(total) + np.abs(top) + np.abs(chosen)))
            assert (np.abs(result - want) <= bound).all()
        case "sum":
            assert (np.abs(result - x.sum(1)) <= depth * UNIT * np.abs(x).sum(1)).all()
        case "argmax":
            np.testing.assert_array_equal(result, x.argmax(1))


def exact(name, given):
    """The result on one-hot rows and small integers, where every legal order gives these bits."""
    x = given["x"]
    match name:
        case "softmax":
            return (x == x.max(1, keepdims=True)).astype(np.float32)
        case "cross_entropy":
            return x.max(1) - x[np.arange(x.shape[0]), given["labels"]]
        case "sum":
            return x.astype(np.float64).sum(1).astype(np.float32)
        case "argmax":
            return x.argmax(1)
    return None
