"""Slices in loops whose ends differ from step to step: windows of one length, and masks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weft_tensor as wt
from weft_graph import function, grad
from weft_jax import JAX, DynamicShapeInLoopError, as_jax

X, V, A = wt.vector("x"), wt.vector("v"), wt.matrix("a")
N, M = X.shape[0], A.shape[0]


def steps(body: Any, first: Any = X, begin: Any = 0) -> Any:
    return wt.fori_loop(begin, first.shape[0], body, first)


def each(of: Any) -> Any:
    return wt.map(of, wt.arange(N))


def factor(a: Any) -> Any:
    """Cholesky's, number by number."""

    def row(i: Any, found: Any) -> Any:
        def column(j: Any, found: Any) -> Any:
            rest = a[i, j] - (found[i, :j] * found[j, :j]).sum()
            return found[i, j].set(rest / found[j, j])

        found = wt.fori_loop(0, i, column, found)
        return found[i, i].set(wt.sqrt(a[i, i] - (found[i, :i] ** 2).sum()))

    return wt.fori_loop(0, a.shape[0], row, wt.zeros_like(a))


def orthogonal(a: Any) -> Any:
    """By Gram and Schmidt, column by column."""

    def column(k: Any, found: Any) -> Any:
        v = a[:, k]
        v = v - found[:, :k] @ (found[:, :k].T @ v)
        return found[:, k].set(v / wt.sqrt((v * v).sum()))

    return wt.fori_loop(0, a.shape[1], column, wt.zeros_like(a))


def eliminated(a: Any) -> Any:
    def step(k: Any, a: Any) -> Any:
        return a[k + 1 :].inc(-(a[k + 1 :, k] / a[k, k])[:, None] * a[k])

    return wt.fori_loop(0, a.shape[0] - 1, step, a)


CASES = {
    "beginnings": steps(lambda i, s: s[:i].inc(1.0)),
    "sieve": steps(lambda i, s: s[i * i :: i].set(0.5), begin=2),
    "ends of themselves": steps(lambda i, s: s[i:].set(s[i:] * s[i])),
    "ends of others": steps(lambda i, s: s[i + 1 :].inc(-s[i] * V[i + 1 :])),
    "products of beginnings": steps(lambda i, s: s[i].set((s[:i] * V[:i]).sum())),
    "from behind": each(lambda k: X[-k - 1 :].sum()),
    "by k": each(lambda k: X[:: k + 1].sum() + X[k::-1].sum() + X[-1 : -k - 2 : -2].max()),
    "lags": each(lambda k: (X[k:] * X[: N - k] - X[k:].mean()).sum()),
    "lags of matrices": each(lambda k: A[k:, 0] @ A[: M - k, 1:3]),
    "differences at lags": steps(lambda k, s: s[: N - k].inc(0.1 * V[k:])),
    "means": each(lambda k: X[: k + 1].mean()),
    "lengths": each(lambda k: X[k:].shape[0] * X[k]),
    "in branches": each(lambda k: wt.ifelse(k > 1, X[:k].sum(), X[k])),
    "inner loop": steps(lambda i, s: wt.fori_loop(0, i, lambda j, s: s[j:i].inc(0.1), s)),
    "rows": steps(lambda i, a: a[i, i:].set(2 * a[i, i:] + a[i, 0]), A),
    "columns": steps(lambda i, a: a[i:, i].maximum(a[i:, 0]), A),
    "while": wt.while_loop(
        lambda s: s[0] < N, lambda s: (s[0] + 1, s[1][: s[0]].mul(1.5)), (wt.as_tensor(1), X)
    )[1],
    "windows": wt.map(lambda k: (X[k : k + 3] * V[:3]).sum(), wt.arange(N - 2)),
    "autoregression": wt.fori_loop(2, N, lambda i, s: s[i].set((s[i - 2 : i] * V[:2]).sum()), X),
}
VALUES_ALONE = {
    "factor": factor(A @ A.T + 3 * wt.eye(M)),
    "orthogonal": orthogonal(A),
    "eliminated": eliminated(A + 5 * wt.eye(M)),
    "windows of a length": wt.fori_loop(
        0, N - 2, lambda i, s: s[i : i + V[:2].shape[0]].inc(X[i + 1 : i + 3]), X
    ),
}


def values(n: int) -> tuple[Any, ...]:
    rng = np.random.default_rng(n)
    return rng.uniform(0.5, 1.5, n), rng.normal(size=n), rng.normal(size=(n, n))


@pytest.mark.cases(6)
@pytest.mark.parametrize("name", [*CASES, *VALUES_ALONE])
def test_slices_of_other_lengths_in_each_step(name: str) -> None:
    made = {**CASES, **VALUES_ALONE}[name]
    outputs = [made + 0 * (X.sum() + V.sum() + A.sum())]
    if name in CASES:
        total = (made**2).sum() + X.sum() + A.sum()
        outputs += [grad(total, X), grad(total, A)]
    f, g = (function([X, V, A], outputs, mode=mode) for mode in ("py", "jax"))
    for n in (5, 3):
        for expected, found in zip(f(*values(n)), g(*values(n)), strict=True):
            np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-12)


def test_as_jax_has_them_too() -> None:
    """In 32 bits also where constants were seen in 64 before."""
    function([X], CASES["beginnings"], mode="jax")(np.ones(3))
    found = as_jax(function([X], CASES["beginnings"], mode="py"))(np.ones(3, "float32"))
    np.testing.assert_allclose(found, [3.0, 2.0, 1.0])


@pytest.mark.cases(3)
@pytest.mark.parametrize(
    "made",
    [
        each(lambda k: X[k : k + 3].sum()),  # beyond the end
        each(lambda k: X[k - 1 : k + 2].sum()),  # -1 counts from the end
        each(lambda k: (X[:k] * wt.concatenate([X, X])[:k]).sum()),
        each(lambda k: (X[k:] * X[: wt.minimum(k + 1, 1)]).sum()),  # one, and more
        steps(lambda k, a: a[k:, k:].inc(1.0), A),
    ],
)
def test_what_is_not_done_is_an_error_that_says_so(made: Any) -> None:
    inputs = [X, A]
    made = made + 0 * (X.sum() + A.sum())
    with pytest.raises(DynamicShapeInLoopError, match="JAX compiles"):
        function(inputs, made, mode="jax")(*values(4)[::2])
    expected = function(inputs, made, mode="py")(*values(4)[::2])
    found = function(inputs, made, mode=JAX(dynamic_loops="host"))(*values(4)[::2])
    np.testing.assert_allclose(found, expected)


def test_errors_of_slices_are_pythons() -> None:
    for made, error in [
        (each(lambda k: X[::k].sum()), "slice step cannot be zero"),
        (each(lambda k: X[:k].max()), "no elements|zero-size"),
    ]:
        for mode in ("py", "jax"):
            with pytest.raises(ValueError, match=error):
                function([X], made, mode=mode)(np.ones(3))
