"""Workloads from statistics: logistic regression, value and gradient."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tools.bench.bounds import usual
from tools.bench.workload import PYTENSOR, WEFT, Call, Workload, by_mode, compiled_pytensor, jitted


def drawn() -> tuple[Any, ...]:
    """10^4 cases with 50 properties each, drawn."""
    rng = np.random.default_rng(0)
    X, b = rng.normal(size=(10_000, 50)), rng.normal(size=50)
    y = (rng.random(10_000) < 1.0 / (1.0 + np.exp(-(X @ b)))).astype("float64")
    return X, y, 0.1 * b


def breast_cancer() -> tuple[Any, ...]:
    """569 tumours with 30 standardised properties and an intercept."""
    from sklearn.datasets import load_breast_cancer

    X, y = load_breast_cancer(return_X_y=True)
    X = np.column_stack([np.ones(len(X)), (X - X.mean(0)) / X.std(0)])
    return X, y.astype("float64"), np.linspace(-0.5, 0.5, X.shape[1])


def with_numpy() -> Call:
    def call(X: Any, y: Any, b: Any) -> list[Any]:
        z = X @ b
        value = (np.logaddexp(0.0, z) - y * z).sum() + 0.5 * b @ b
        return [value, X.T @ (1.0 / (1.0 + np.exp(-z)) - y) + b]

    return call


def with_numba() -> Call:
    import numba

    @numba.njit(fastmath={"reassoc", "nsz", "arcp", "contract", "afn"}, cache=True)
    def machine(X, y, b):  # type: ignore[no-untyped-def]  # for Numba
        z = X @ b
        value = 0.5 * (b @ b)
        for k in range(z.size):
            e = math.exp(-abs(z[k]))
            value += math.log(1.0 + e) + max(z[k], 0.0) - y[k] * z[k]
            z[k] = (1.0 if z[k] >= 0.0 else e) / (1.0 + e) - y[k]
        return value, X.T @ z + b

    def call(X: Any, y: Any, b: Any) -> list[Any]:
        value, slope = machine(X, y, b)
        return [np.array(value), slope]

    return call


def loss_jax(X: Any, y: Any, b: Any) -> Any:
    import jax.numpy as jnp

    z = X @ b
    return jnp.sum(jnp.logaddexp(0.0, z) - y * z) + 0.5 * b @ b


def with_jax() -> Call:
    import jax

    return jitted(jax.value_and_grad(loss_jax, argnums=2))


def loss_weft() -> tuple[list[Any], Any]:
    """The inputs X, y and b, and the loss."""
    import weft.tensor as wt

    X = wt.dmatrix("X", shape=("n", "p"))
    y, b = wt.dvector("y", shape=("n",)), wt.dvector("b", shape=("p",))
    z = X @ b
    return [X, y, b], wt.sum(wt.softplus(z) - y * z) + 0.5 * (b @ b)


def with_weft(mode: str) -> Call:
    import weft.tensor as wt

    inputs, loss = loss_weft()
    return wt.function(inputs, [loss, wt.grad(loss, inputs[2])], mode=mode)


def with_pytensor(mode: str) -> Call:
    import pytensor
    import pytensor.tensor as pt

    X, y, b = pt.dmatrix("X"), pt.dvector("y"), pt.dvector("b")
    z = X @ b
    loss = pt.sum(pt.softplus(z) - y * z) + 0.5 * (b @ b)
    outputs = [loss, pytensor.grad(loss, b)]
    return compiled_pytensor([X, y, b], outputs, mode)


PEERS = {
    "numpy": with_numpy,
    "numba": with_numba,
    "jax": with_jax,
    **by_mode(with_weft, WEFT),
    **by_mode(with_pytensor, PYTENSOR),
}
WORKLOADS = (
    Workload(
        "logistic",
        "logistic regression, 10^4 x 50, value and gradient",
        PEERS,
        drawn,
        bounds=usual(numba=1.2, cold=0.1),
    ),
    Workload(
        "breast-cancer",
        "logistic regression on the breast cancer data, value and gradient",
        PEERS,
        breast_cancer,
        bounds=usual(numba=1.2, cold=0.1),
    ),
)
