"""Graphs whose shapes depend on values: JAX gives what Python gives, gradients too.

Every length is unknown when the graph is built.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import weft_tensor as wt
from weft_graph import function, grad
from weft_testing import assert_same_outcome, outcome

n = wt.scalar("n", "int64")
m = wt.scalar("m", "int64")
x = wt.vector("x")
X = wt.matrix("X")
v = wt.vector("v", "int64")

XS = np.array([0.5, -1.5, 2.5, -0.25, 3.0, 2.5])
MATRIX = np.arange(12.0).reshape(4, 3) - 3.5
SIZES = [(size,) for size in (0, 1, 3, -1)]
VECTORS = [(XS,), (-XS[:4],), (XS[:1],), (XS[:0],)]
FULL = VECTORS[:3]
CUTS = [(XS, cut) for cut in (0, 2, 5, 100, -1, -100)]
MATRICES = [(MATRIX,), (-MATRIX[:2],)]
COUNTS = [(XS, np.array(c)) for c in ([1, 0, 2, 0, 0, 3], [0] * 6, [1] * 6, [1, -1, 1, 1, 1, 1])]

CASES: dict[str, tuple[Sequence[Any], Any, Sequence[tuple[Any, ...]]]] = {
    "arange(x.shape[0])": ([x], wt.arange(x.shape[0]) * x, VECTORS),
    "arange(n)": ([n], wt.arange(n), SIZES),
    "arange(n // 2 + 1)": ([n], wt.arange(n // 2 + 1), SIZES),
    "arange(x.shape[0] + 1)": ([x], wt.arange(x.shape[0] + 1), VECTORS),
    "cumsum(arange(n))": ([n], wt.cumsum(wt.arange(n)), SIZES),
    "zeros(2 * x.shape[0])": ([x], wt.zeros(x.shape[0] * 2), VECTORS),
    "zeros((n, m))": ([n, m], wt.zeros((n, m)), [(2, 3), (0, 3), (2, -1)]),
    "zeros(n) + 1": ([n], wt.zeros(n) + 1.0, SIZES),
    "eye(n)": ([n], wt.eye(n), SIZES),
    "tri(n)": ([n], wt.tri(n), SIZES),
    "linspace": ([n], wt.linspace(0.0, 1.0, n), SIZES),
    "random normal": ([n], wt.random.normal(wt.random.key(7), size=n), SIZES),
    "random (n, x)": (
        [x, n],
        wt.random.normal(wt.random.key(n), x, 2.0, size=(n, x.shape[0])),
        [(XS, 2), (XS, 0), (XS[:4], 2), (XS, -1)],
    ),
    "broadcast_to": ([x, n], wt.broadcast_to(x, (n, x.shape[0])), [(XS, 2), (XS, 0), (XS, -1)]),
    "reshape (n, m)": ([X, n, m], X.reshape(n, m), [(MATRIX, 2, 6), (MATRIX, 5, 5)]),
    "reshape (n, -1)": ([X, n], X.reshape(n, -1), [(MATRIX, 2), (MATRIX, 12), (MATRIX, 5)]),
    "reshape v": ([X, v], X.reshape(v[0], v[1]), [(MATRIX, np.array(s)) for s in ((2, 6), (5, 5))]),
    "reshape to its size": ([X], X.reshape(X.shape[0] * X.shape[1]), MATRICES),
    "reshape transposed": ([X], X.reshape(X.shape[1], X.shape[0]), MATRICES),
    "x[n]": ([x, n], x[n], CUTS),
    "x[:n]": ([x, n], x[:n], CUTS),
    "x[n:]": ([x, n], x[n:], CUTS),
    "x[n:n + 2]": ([x, n], x[n : n + 2], CUTS),
    "x[:x.shape[0] // 2]": ([x], x[: x.shape[0] // 2], VECTORS),
    "x[:n].set(0)": ([x, n], x[:n].set(0.0), CUTS),
    "x[x > 0]": ([x], x[x > 0], VECTORS),
    "x[x > 0].sum()": ([x], x[x > 0].sum(), VECTORS),
    "x[x > 0].mean()": ([x], x[x > 0].mean(), VECTORS),
    "x[x > 0].max()": ([x], x[x > 0].max(), VECTORS),
    "exp(x[x > 0]).sum()": ([x], wt.exp(x[x > 0]).sum(), VECTORS),
    "X[X[:, 0] > 2].sum(0)": ([X], X[X[:, 0] > 2].sum(0), MATRICES),
    "x[x > 0].set(0)": ([x], x[x > 0].set(0.0), VECTORS),
    "nonzero": ([x], wt.nonzero(x > 0)[0], VECTORS),
    "cumsum of chosen": ([x], wt.cumsum(x[x > 0]), VECTORS),
    "unique": ([x], wt.unique(x), VECTORS),
    "bincount": ([v], wt.bincount(v), [(np.array(c),) for c in ([1, 3, 1], [0], [5], [-1])]),
    "repeat by n": ([x, n], wt.repeat(x, n), [(XS, 2), (XS, 0), (XS, -1)]),
    "repeat by counts": ([x, v], wt.repeat(x, v), COUNTS),
    "tile": ([x, n], wt.tile(x, n), [(XS, 2), (XS, 0), (XS, -1)]),
    "pad": ([x, n], wt.pad(x, (n, 1)), [(XS, 2), (XS, 0), (XS, -1)]),
    "pad reflect": ([x, n], wt.pad(x, n, "reflect"), [(XS, 2), (XS, 0), (XS, -1)]),
    "split": ([x], wt.split(x, 2), [(XS,), (XS[:4],), (XS[:3],)]),
    "split at n": ([x, n], wt.split(x, [n]), CUTS),
    "roll": ([x, n], wt.roll(x, n), CUTS),
    "sort": ([x], wt.sort(x), VECTORS),
    "median": ([x], wt.median(x), FULL),
    "cumprod": ([x], wt.cumprod(x), VECTORS),
    "diag": ([x, n], wt.diag(x, n), [(XS, 0), (XS, 2), (XS, -1)]),
    "diagonal": ([X, n], wt.diagonal(X, n), [(MATRIX, k) for k in (0, 1, -2, 9)]),
    "trace": ([X], wt.trace(X), MATRICES),
    "block_diag": ([X], wt.block_diag(X, X.T), MATRICES),
    "kron": ([X, x], wt.kron(X, x), [(MATRIX, XS), (MATRIX, XS[:1])]),
    "compress": (
        [X, x],
        wt.compress(x > 0, X, 0),
        [(MATRIX, XS[:4]), (MATRIX, XS), (MATRIX, XS[:0])],
    ),
    "X[mask]": ([X], X[X > 0], MATRICES),
    "x[x > 0].set(a vector)": ([x], x[x > 0].set(wt.cumsum(x[x > 0])), VECTORS),
    "x[x > 0].inc(1)": ([x], x[x > 0].inc(1.0), VECTORS),
    "x[x > 0].prod()": ([x], x[x > 0].prod(), VECTORS),
    "two masks": ([x], x[x > 0].sum() * wt.exp(x[x < 0]).max(), [(XS,), (-XS,), (XS[:1],)]),
    "len(x[x > 0])": ([x], x[x > 0].shape[0] * x.sum(), VECTORS),
    "how often": ([x], wt.unique(x, return_counts=True)[1], VECTORS),
    "which one": ([x], wt.unique(x, return_inverse=True)[1], VECTORS),
    "repeat rows": (
        [X, v],
        wt.repeat(X, v, 0),
        [(MATRIX, np.array(c)) for c in ([1, 0, 2, 1], [2])],
    ),
    "cumsum of x[:n]": ([x, n], wt.cumsum(x[:n]), CUTS),
    "X[:n].T @ X[:n]": ([X, n], X[:n].T @ X[:n], [(MATRIX, k) for k in (0, 2, -1)]),
    "array_split": ([x], wt.array_split(x, 4), VECTORS),
    "zeros(sort(x)[-1])": ([x], wt.zeros(wt.sort(x)[-1].astype("int64")) + x[0], FULL),
    "chosen of chosen": ([x], x[x > 0][x[x > 0] > 1], VECTORS),
    "mask of x[:n]": ([x, n], x[:n][x[:n] > 0], CUTS),
    "mask of another length": ([x, v], x[wt.gt(v, 0)], [*COUNTS[:3], (XS, np.array([1, 2]))]),
}


COMPILES: dict[str, int] = {
    "arange(x.shape[0])": 4,
    "arange(n)": 3,
    "arange(n // 2 + 1)": 3,
    "arange(x.shape[0] + 1)": 4,
    "cumsum(arange(n))": 3,
    "zeros(2 * x.shape[0])": 4,
    "zeros((n, m))": 2,
    "zeros(n) + 1": 3,
    "eye(n)": 3,
    "tri(n)": 3,
    "linspace": 3,
    "random normal": 3,
    "random (n, x)": 3,
    "broadcast_to": 2,
    "reshape (n, m)": 1,
    "reshape (n, -1)": 2,
    "reshape v": 1,
    "reshape to its size": 2,
    "reshape transposed": 2,
    "x[n]": 1,
    "x[:n]": 4,
    "x[n:]": 4,
    "x[n:n + 2]": 3,
    "x[:x.shape[0] // 2]": 4,
    "x[:n].set(0)": 4,
    "x[x > 0]": 4,
    "x[x > 0].sum()": 4,
    "x[x > 0].mean()": 4,
    "x[x > 0].max()": 3,
    "exp(x[x > 0]).sum()": 4,
    "X[X[:, 0] > 2].sum(0)": 2,
    "x[x > 0].set(0)": 4,
    "nonzero": 4,
    "cumsum of chosen": 4,
    "unique": 4,
    "bincount": 3,
    "repeat by n": 2,
    "repeat by counts": 2,
    "tile": 2,
    "pad": 2,
    "pad reflect": 2,
    "split": 2,
    "split at n": 4,
    "roll": 1,
    "sort": 4,
    "median": 3,
    "cumprod": 4,
    "diag": 3,
    "diagonal": 3,
    "trace": 2,
    "block_diag": 2,
    "kron": 2,
    "compress": 2,
    "X[mask]": 2,
    "x[x > 0].set(a vector)": 4,
    "x[x > 0].inc(1)": 4,
    "x[x > 0].prod()": 4,
    "two masks": 1,
    "len(x[x > 0])": 4,
    "how often": 8,
    "which one": 4,
    "repeat rows": 2,
    "cumsum of x[:n]": 4,
    "X[:n].T @ X[:n]": 3,
    "array_split": 4,
    "zeros(sort(x)[-1])": 6,
    "chosen of chosen": 4,
    "mask of x[:n]": 4,
    "mask of another length": 1,
}
"""How often JAX compiles, gradients included: for each shape of inputs and of lengths once."""


def with_gradient(inputs: Sequence[Any], made: Any) -> list[Any]:
    """What `made` is, and its gradient where there is one."""
    outputs = list(made) if isinstance(made, list) else [made]
    wrt = [i for i in inputs if i.type.differentiable]
    if wrt and outputs[0].type.differentiable:
        weighted = wt.sin(outputs[0]) * 1.5
        outputs += grad(weighted.sum(), wrt, disconnected_inputs="ignore")
    return outputs


@pytest.mark.cases(4)
@pytest.mark.parametrize("name", CASES)
def test_equals_python(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """In values and errors; values whose lengths have been there compile nothing."""
    monkeypatch.setenv("WEFT_CACHE_DIR", "off")
    inputs, made, cases = CASES[name]
    outputs = with_gradient(inputs, made)
    reference = function(inputs, outputs, mode="py")
    compiled: Any = function(inputs, outputs, mode="jax")
    expected = [outcome(reference, values) for values in cases]
    good = [(v, e) for v, e in zip(cases, expected, strict=True) if not isinstance(e, Exception)]
    for values, wanted in [*good, *good]:
        assert_same_outcome(outcome(compiled, values), wanted)
    assert compiled.compile_stats.compiles == COMPILES[name]
    for values, wanted in zip(cases, expected, strict=True):
        assert_same_outcome(outcome(compiled, values), wanted)
