"""Ordinary expressions of which none should take much longer than with its best peer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from tools.bench.cliff_expressions import (
    autocovariance,
    counted,
    counts,
    distances,
    eliminated,
    energies,
    groups,
    hitting,
    increasing,
    laplacian,
    least_distances,
    moving,
    pooled,
    robust,
    softmax,
    stencil,
    variation,
    warping,
    weighed,
    windows,
)
from tools.bench.functions import drawn

__all__ = ["CLIFFS", "Cliff"]

Data = Callable[[], tuple[Any, ...]]


class Cliff(NamedTuple):
    """An expression of a module of NumPy's names and of values."""

    of: Callable[..., Any]
    data: Data
    slope: bool = False
    """Whether its derivative by the first value is meant, which NumPy has not."""
    unknown: Sequence[str] = ()
    """Peers that can't do it."""


def as_type(dtype: str, *shapes: Any) -> Data:
    """Numbers of another dtype: integers from -100 to 100, or what that makes of them."""

    def draw() -> tuple[Any, ...]:
        return tuple((v * 30).clip(-100, 100).astype(dtype) for v in drawn(*shapes)())

    return draw


def positive(*shapes: Any) -> Data:
    """Numbers above 0."""
    return lambda: tuple(abs(v) + 0.1 for v in drawn(*shapes)())


def laid(order: Callable[[Any], Any], *shapes: Any) -> Data:
    """Arrays that lie in memory in some other way."""
    return lambda: tuple(map(order, drawn(*shapes)()))


def with_places(shape: Any, high: int, count: int = 100_000) -> Data:
    """An array, and places below `high`."""

    def draw() -> tuple[Any, ...]:
        (x,) = drawn(shape)()
        return x, np.random.default_rng(1).integers(0, high, count)

    return draw


def stack(n: int, count: int = 1000) -> Data:
    """Positive definite matrices, and vectors."""

    def draw() -> tuple[Any, ...]:
        x, y = drawn((count, n, n), (count, n, 1))()
        return x @ x.transpose(0, 2, 1) + np.eye(n), y

    return draw


LONG, LINE, SQUARE = drawn(1_000_000), drawn(100_000), drawn((1000, 1000))
POINTS, THIN = drawn((300, 3)), drawn((100_000, 3))
PAIR, CURVES = drawn(100_000, 100_000), drawn(5000, 4)


CLIFFS: dict[str, Cliff] = {
    "x**3": Cliff(lambda m, x: x**3, LONG),
    "x**4": Cliff(lambda m, x: x**4, LONG),
    "x**7": Cliff(lambda m, x: x**7, LINE),
    "x**-2": Cliff(lambda m, x: x**-2.0, LINE),
    "x**2.5": Cliff(lambda m, x: x**2.5, positive(100_000)),
    "x**y": Cliff(lambda m, x, y: x**y, positive(100_000, 100_000)),
    "x**y of mixed sign": Cliff(lambda m, x, i: x**i, with_places(100_000, 9, 100_000)),
    "splines by powers": Cliff(lambda m, x, b: m.exp((x[:, None] ** m.arange(4)) @ b), CURVES),
    "slope of powers": Cliff(
        lambda m, x, b: m.sum(m.exp((x[:, None] ** m.arange(4)) @ b)), CURVES, slope=True
    ),
    "integers**3": Cliff(lambda m, x: x**3, as_type("int64", 100_000)),
    "exp2": Cliff(lambda m, x: m.exp2(x), LINE),
    "exp, underflow": Cliff(lambda m, x: m.exp(x), lambda: (drawn(100_000)()[0] - 800,)),
    "sum(exp)": Cliff(lambda m, x: m.sum(m.exp(x)), LONG),
    "tanh": Cliff(lambda m, x: m.tanh(x), LINE),
    "log1p(abs)": Cliff(lambda m, x: m.log1p(abs(x)), LINE),
    "sin + cos": Cliff(lambda m, x: m.sin(x) + m.cos(x), LINE),
    "x % 0.3": Cliff(lambda m, x: x % 0.3, LINE),
    "cos(tanh)": Cliff(lambda m, x: m.cos(m.tanh(x)), LINE),
    "one number everywhere": Cliff(lambda m, x: m.full(x.shape, 0.3), SQUARE),
    "arctan2": Cliff(lambda m, x, y: m.arctan2(x, y), PAIR),
    "stencil 5 x 5": Cliff(stencil, SQUARE),
    "moving sums": Cliff(moving, LINE),
    "laplacian": Cliff(laplacian, SQUARE),
    "second differences": Cliff(lambda m, x: x[2:] - 2 * x[1:-1] + x[:-2], LONG),
    "sum, columns in memory": Cliff(lambda m, x: m.sum(x), laid(np.asfortranarray, (1000, 1000))),
    "sum over 0, columns": Cliff(
        lambda m, x: m.sum(x, axis=0), laid(np.asfortranarray, (1000, 1000))
    ),
    "sum over 1, transposed": Cliff(lambda m, x: m.sum(x, axis=1), laid(np.transpose, (999, 1000))),
    "sum over 0 of a column": Cliff(lambda m, x: m.sum(x, axis=0), drawn((1_000_000, 1))),
    "column times row, summed": Cliff(lambda m, x, y: m.sum(x * y), drawn((1000, 1), (1, 1000))),
    "column minus row, largest": Cliff(
        lambda m, x, y: m.max(m.exp(x - y), axis=1), drawn((1000, 1), (1, 1000))
    ),
    "every second": Cliff(lambda m, x: x[::2] * 2.0 + 1.0, LONG),
    "every third column": Cliff(lambda m, x: m.sum(x[:, ::3]), SQUARE),
    "backwards": Cliff(lambda m, x: x[::-1] * 2.0, LONG),
    "one column": Cliff(lambda m, x: x[:, 7] * 2.0, SQUARE),
    "x + x.T": Cliff(lambda m, x: x + x.T, SQUARE),
    "transposed twice": Cliff(lambda m, x: m.sum(m.exp(x.T), axis=0), SQUARE),
    "thin, sum over 1": Cliff(lambda m, x: m.sum(x, axis=1), THIN),
    "thin, largest": Cliff(lambda m, x: m.max(x, axis=1), THIN),
    "thin, norms": Cliff(lambda m, x: m.sqrt(m.sum(x * x, axis=1)), THIN),
    "thin, transposed, tanh": Cliff(lambda m, x: m.tanh(x.T) + 1.0, THIN),
    "max pool, float32": Cliff(pooled, as_type("float32", (1000, 1000))),
    "wide, sum over 0": Cliff(lambda m, x: m.sum(x, axis=0), drawn((3, 100_000))),
    "two columns": Cliff(lambda m, x, y: m.stack([x, y], axis=1), PAIR),
    "mirrored at the ends": Cliff(lambda m, x: m.pad(x, 5, mode="reflect"), SQUARE),
    "x[idx]": Cliff(lambda m, x, i: x[i], with_places(100_000, 100_000)),
    "X[:, idx]": Cliff(lambda m, x, i: x[:, i], with_places((1000, 1000), 1000, 300)),
    "X[idx]": Cliff(lambda m, x, i: x[i], with_places((1000, 1000), 1000, 300)),
    "X[idx, idx]": Cliff(lambda m, x, i: x[i, i], with_places((1000, 1000), 1000)),
    "x[x < 0]": Cliff(lambda m, x: x[x < 0], LINE, unknown=("jax",)),
    "nonzero": Cliff(lambda m, x: m.nonzero(x > 1)[0], LINE, unknown=("jax",)),
    "where": Cliff(lambda m, x, y: m.where(x < y, x, y * 2), PAIR),
    "roll": Cliff(lambda m, x: m.roll(x, 3), LONG),
    "roll along 1": Cliff(lambda m, x: m.roll(x, 3, axis=1), SQUARE),
    "repeat": Cliff(lambda m, x: m.repeat(x, 3), LINE),
    "tile": Cliff(lambda m, x: m.tile(x, 3), LINE),
    "concatenate 20": Cliff(lambda m, *x: m.concatenate(x), drawn(*[1000] * 20)),
    "stack 10": Cliff(lambda m, *x: m.stack(x, axis=1), drawn(*[1000] * 10)),
    "pad": Cliff(lambda m, x: m.pad(x, 2), SQUARE),
    "bincount": Cliff(counts, with_places(100_000, 100)),
    "means of segments": Cliff(
        lambda m, x, i: counts(m, x, i) / (counts(m, abs(x) * 0 + 1, i) + 1),
        with_places(100_000, 100),
    ),
    "polyval": Cliff(
        lambda m, x, c: m.polyval(c, x), lambda: (drawn(100_000)()[0], np.arange(1.0, 9.0))
    ),
    "log density of numbers": Cliff(
        lambda m, x, mu, s: -0.5 * ((x - mu) / s) ** 2 - m.log(s),
        lambda: (np.float64(1.3), np.float64(0.2), np.float64(0.7)),
    ),
    "boolean algebra": Cliff(
        lambda m, x, y: m.sum((x > 0) & (y < 0.5) | ~(x + y > 1), axis=0),
        drawn((500, 1000), (500, 1000)),
    ),
    "differences of bytes": Cliff(
        lambda m, x, y: m.sum(abs(x.astype("int32") - y.astype("int32")), axis=1),
        as_type("int8", (50, 100, 200), (50, 100, 200)),
    ),
    "argsort": Cliff(lambda m, x: m.argsort(x), LINE),
    "sort": Cliff(lambda m, x: m.sort(x), LINE),
    "sort along 0": Cliff(lambda m, x: m.sort(x, axis=0), drawn((1000, 100))),
    "cumsum": Cliff(lambda m, x: m.cumsum(x), LINE),
    "cumsum along 0": Cliff(lambda m, x: m.cumsum(x, axis=0), SQUARE),
    "triu": Cliff(lambda m, x: m.triu(x), SQUARE),
    "median": Cliff(lambda m, x: m.median(x), LINE),
    "argmax over 1": Cliff(lambda m, x: m.argmax(x, axis=1), SQUARE),
    "prod over 0": Cliff(lambda m, x: m.prod(x, axis=0), SQUARE),
    "hitting times": Cliff(hitting, drawn((2000, 100))),
    "any over 1": Cliff(lambda m, x: m.any(x > 3, axis=1), SQUARE),
    "largest and least": Cliff(lambda m, x: m.max(x) - m.min(x), LONG),
    "std over 0": Cliff(lambda m, x: m.std(x, axis=0), SQUARE),
    "distances": Cliff(distances, POINTS),
    "outer, small": Cliff(lambda m, x, y: m.outer(x, y), drawn(10, 10)),
    "matmul 3 x 3": Cliff(lambda m, x, y: x @ y, drawn((3, 3), (3, 3))),
    "matmul, thin": Cliff(lambda m, x, y: x @ y, drawn((100_000, 3), (3, 3))),
    "matmul, stack of 3 x 3": Cliff(lambda m, x, y: x @ y, drawn((1000, 3, 3), (1000, 3, 3))),
    "matrix, many vectors": Cliff(lambda m, x, y: x @ y, drawn((4, 4), (300, 4, 1))),
    "solve and slogdet, stack of 3": Cliff(energies, stack(3, 5000)),
    "sum of outer products": Cliff(
        lambda m, x, y: m.sum(x[:, :, None] * y[:, None, :], axis=0), drawn((5000, 8), (5000, 6))
    ),
    "traces of products": Cliff(
        lambda m, x, y: m.trace(x @ y, axis1=1, axis2=2), drawn((5000, 3, 3), (5000, 3, 3))
    ),
    "solve, stack of 4": Cliff(lambda m, x, y: m.linalg.solve(x, y), stack(4)),
    "inv, stack of 3": Cliff(lambda m, x, y: m.linalg.inv(x), stack(3)),
    "det, stack of 2": Cliff(lambda m, x, y: m.linalg.det(x), stack(2)),
    "cholesky, stack of 5": Cliff(lambda m, x, y: m.linalg.cholesky(x), stack(5)),
    "dot, float32": Cliff(lambda m, x, y: m.dot(x, y), as_type("float32", 100_000, 100_000)),
    "sum(exp), float32": Cliff(lambda m, x: m.sum(m.exp(x / 50)), as_type("float32", 100_000)),
    "sum, int32": Cliff(lambda m, x: m.sum(x), as_type("int32", 1_000_000)),
    "mod, int64": Cliff(lambda m, x: x % 7, as_type("int64", 100_000)),
    "sum of bytes": Cliff(lambda m, x: m.sum(x), as_type("int8", 1_000_000)),
    "count": Cliff(lambda m, x: m.sum(x > 0), LONG),
    "complex product": Cliff(lambda m, x, y: x * y, as_type("complex128", 100_000, 100_000)),
    "complex modulus": Cliff(lambda m, x: abs(x), as_type("complex128", 100_000)),
    "complex exp": Cliff(lambda m, x, y: abs(m.exp(1j * x) * y + 0.5), PAIR),
    "scalars": Cliff(lambda m, *x: sum(x), drawn(*[()] * 10)),
    "short": Cliff(lambda m, x, y: m.sum(m.exp(x) * y), drawn(100, 100)),
    "softmax, float32": Cliff(softmax, lambda: (drawn((10_000, 20))()[0].astype("float32"),)),
    "softmax of 10": Cliff(softmax, drawn((10_000, 10))),
    "clip, int16": Cliff(lambda m, x: m.clip(x, -20, 20), as_type("int16", 500_000)),
    "three axes moved": Cliff(lambda m, x: m.transpose(x, (2, 0, 1)) * 1.5, drawn((60, 70, 80))),
    "autocovariance": Cliff(autocovariance, LINE),
    "cross products": Cliff(lambda m, x, y: m.cross(x, y), drawn((50_000, 3), (50_000, 3))),
    "quadratic forms, stack of 3": Cliff(lambda m, x, y: m.sum(y * m.linalg.solve(x, y)), stack(3)),
    "slope of windows": Cliff(
        lambda m, x: m.sum(m.tanh(windows(m, x)[:, ::3])), drawn(20_000), slope=True
    ),
    "loop: time warping": Cliff(warping, drawn(200), unknown=("numpy",)),
    "loop: increasing subsequence": Cliff(increasing, drawn(500), unknown=("numpy",)),
    "loop: counts": Cliff(counted, LINE, unknown=("numpy",)),
    "loop: tridiagonal": Cliff(
        eliminated,
        lambda: (abs(drawn(1000)()[0]) + 2.0, *drawn(1000)()),
        unknown=("numpy",),
    ),
    "200 terms, and their slope": Cliff(groups, positive(400), unknown=("jax",)),
    "slope of x[idx]": Cliff(
        lambda m, x, i: m.sum(x[i] ** 2), with_places(100_000, 1000), slope=True
    ),
    "slope of X[:, idx]": Cliff(
        lambda m, x, i: m.sum(x[:, i] ** 2), with_places((1000, 1000), 1000, 300), slope=True
    ),
    "slope of a mean where": Cliff(
        lambda m, x: (
            m.mean(x[x > 0])
            if m.__name__ != "jax.numpy"
            else m.sum(m.where(x > 0, x, 0.0)) / m.sum(x > 0)
        ),
        LINE,
        slope=True,
    ),
    "slope of sorted rows": Cliff(
        lambda m, x: m.sum(m.sort(x, axis=1)[:, -10:] ** 2), drawn((300, 200)), slope=True
    ),
    "slope of percentiles": Cliff(
        lambda m, x: m.sum(m.percentile(x, np.array([10.0, 50.0, 90.0]), axis=0)),
        drawn((400, 30)),
        slope=True,
    ),
    "slope of sort": Cliff(lambda m, x: m.sum(m.sort(x)[:10]), LINE, slope=True),
    "slope of least distances": Cliff(least_distances, drawn((2000, 4), (20, 4)), slope=True),
    "slope of cumsum": Cliff(lambda m, x: m.sum(m.cumsum(x) ** 2), LINE, slope=True),
    "slope of cumprod along 0": Cliff(
        lambda m, x: m.sum(m.cumprod(1 + x / 1000, axis=0)), drawn((2000, 50)), slope=True
    ),
    "slope of max over 1": Cliff(lambda m, x: m.sum(m.max(x, axis=1)), SQUARE, slope=True),
    "slope of roll": Cliff(lambda m, x: m.sum(m.roll(x, 2) * x), LINE, slope=True),
    "slope of stencil": Cliff(lambda m, x: m.sum(stencil(m, x) ** 2), SQUARE, slope=True),
    "slope of prod over 0": Cliff(
        lambda m, x: m.sum(m.prod(x, axis=0)), drawn((30, 1000)), slope=True
    ),
    "slope of total variation": Cliff(variation, SQUARE, slope=True),
    "slope of huber of differences": Cliff(robust, SQUARE, slope=True),
    "weighed by boxes of sums": Cliff(weighed, SQUARE),
    "slope of norms": Cliff(lambda m, x: m.sum(m.sqrt(m.sum(x * x, axis=1))), THIN, slope=True),
    "slope of distances": Cliff(
        lambda m, x: m.sum(m.exp(-(distances(m, x) + 1.0))), POINTS, slope=True
    ),
    "slope of det, stack of 3": Cliff(lambda m, x, y: m.sum(m.linalg.det(x)), stack(3), slope=True),
    "slope of solve, stack of 4": Cliff(
        lambda m, x, y: m.sum(m.linalg.solve(x, y)), stack(4), slope=True
    ),
}
