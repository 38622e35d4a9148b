"""Batched graphs: derivatives in all directions at once, and a log-density of many chains."""

from __future__ import annotations

from typing import Any

import numpy as np

from tools.bench.bounds import AGAIN, COMPILE, Bound
from tools.bench.regression import loss_jax, loss_weft
from tools.bench.threads import best
from tools.bench.workload import WEFT, Call, Workload, by_mode, compiled_pytensor, jitted

CHAINS, SIZE, TERMS, LAYER = 64, 50, 50, 200


def tumours() -> tuple[Any, ...]:
    """569 tumours with 30 standardised properties."""
    from sklearn.datasets import load_breast_cancer

    X, y = load_breast_cancer(return_X_y=True)
    return (X - X.mean(0)) / X.std(0), y.astype("float64"), np.linspace(-0.5, 0.5, X.shape[1])


def hessian_numpy() -> Call:
    def call(X: Any, y: Any, b: Any) -> Any:
        p = 1.0 / (1.0 + np.exp(-(X @ b)))
        return (X.T * (p * (1.0 - p))) @ X + np.eye(b.size)

    return call


def hessian_jax() -> Call:
    import jax

    return jitted(jax.hessian(loss_jax, argnums=2))


def hessian_weft(mode: str) -> Call:
    import weft.tensor as wt

    inputs, loss = loss_weft()
    return wt.function(inputs, wt.hessian(loss, inputs[2]), mode=mode)


def hessian_pytensor() -> Call:
    import pytensor.tensor as pt
    from pytensor.gradient import hessian

    X, y, b = pt.dmatrix("X"), pt.dvector("y"), pt.dvector("b")
    z = X @ b
    loss = pt.sum(pt.softplus(z) - y * z) + 0.5 * (b @ b)
    return compiled_pytensor([X, y, b], hessian(loss, b), "NUMBA")


def layer() -> tuple[Any, ...]:
    """A matrix of 200 rows and columns, and two vectors."""
    rng = np.random.default_rng(0)
    return rng.normal(size=(LAYER, LAYER)), rng.normal(size=LAYER), rng.normal(size=LAYER)


def jacobian_numpy() -> Call:
    return lambda W, x, b: (1.0 - np.tanh(W @ x + b) ** 2)[:, None] * W


def jacobian_jax() -> Call:
    import jax
    import jax.numpy as jnp

    return jitted(jax.jacrev(lambda W, x, b: jnp.tanh(W @ x + b), argnums=1))


def jacobian_weft(mode: str) -> Call:
    import weft.tensor as wt

    W, x, b = wt.dmatrix("W"), wt.dvector("x"), wt.dvector("b")
    made = wt.function([W, x, b], wt.jacobian(wt.tanh(W @ x + b), x), mode=mode)
    if any(isinstance(v.op, wt.Map) for v in made.graph.nodes):
        raise ValueError("the Jacobian loops over rows")
    return made


def many_chains() -> Call:
    """Time a log-density of 300 nodes for one chain, and batched for 64."""
    import weft.tensor as wt

    x, xs = wt.dvector("x", shape=(SIZE,)), wt.dmatrix("xs", shape=(CHAINS, SIZE))
    density: Any = 0.0
    for k in range(TERMS):
        place, scale = x[k % SIZE], x[(k + 1) % SIZE]
        density = density - wt.square((0.1 * k - place) * wt.exp(scale)) / 2 + scale
    one = wt.function([x], density, mode="numba")
    many = wt.function([xs], wt.vectorize_graph(density, {x: xs}), mode="numba")
    values = np.random.default_rng(0).normal(size=(CHAINS, SIZE))

    def call() -> dict[str, float]:
        single, whole = best([lambda: one(values[0]), lambda: many(values)])
        return {"one chain, ms": single, "64 chains, ms": whole, "64 / one": whole / single}

    return call


WORKLOADS = (
    Workload(
        "hessian",
        "logistic regression on the breast cancer data, Hessian by 30 parameters",
        {
            "numpy": hessian_numpy,
            "jax": hessian_jax,
            **by_mode(hessian_weft, WEFT),
            "pytensor-numba": hessian_pytensor,
        },
        tumours,
        bounds=(
            Bound("weft-jax", "jax", 1.2),
            Bound("weft-numba", "jax", 1.0),
            Bound("weft-numba", "pytensor-numba", 0.2, figure=COMPILE),
            Bound("weft-numba", plus=0.06, figure=AGAIN),
        ),
        quick=False,
    ),
    Workload(
        "jacobian",
        f"tanh(W x + b) of {LAYER} numbers by x, without a loop over rows",
        {"numpy": jacobian_numpy, "jax": jacobian_jax, **by_mode(jacobian_weft, WEFT)},
        layer,
        bounds=(
            Bound("weft-jax", "jax", 1.2),
            Bound("weft-numba", "jax", 1.0),
            Bound("weft-numba", plus=0.06, figure=AGAIN),
        ),
        quick=False,
    ),
    Workload(
        "chains-batched",
        f"a log-density of 300 nodes over {CHAINS} chains of {SIZE} parameters",
        {"weft-numba": many_chains},
        unit="wall time",
        bounds=(Bound("weft-numba", plus=CHAINS / 4, figure="64 / one"),),
        quick=False,
    ),
)
