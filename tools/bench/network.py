"""Workloads from machine learning: a step of a small network, and a deep chain to compile."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tools.bench.bounds import Bound, usual
from tools.bench.fused import FAST
from tools.bench.workload import PYTENSOR, WEFT, Call, Workload, by_mode, compiled_pytensor, jitted

RATE = np.float32(0.1)
STEPS = 300


def data() -> tuple[Any, ...]:
    """A batch of 128, its labels in one-hot form, and the weights of 784-256-10, in float32."""
    rng = np.random.default_rng(0)
    labels = np.eye(10)[rng.integers(10, size=128)]
    drawn = [rng.normal(size=shape) / 28.0 for shape in ((784, 256), (256,), (256, 10), (10,))]
    batch = rng.normal(size=(128, 784))
    return tuple(a.astype("float32") for a in (batch, labels, *drawn))


def loss(m: Any, X: Any, Y: Any, W: Any, b: Any, V: Any, c: Any) -> Any:
    """The mean cross entropy, by the functions of the module `m`."""
    z = m.maximum(X @ W + b, np.float32(0.0)) @ V + c
    shifted = z - m.max(z, axis=1, keepdims=True)
    logs = m.log(m.sum(m.exp(shifted), axis=1))
    return m.mean(logs - m.sum(Y * shifted, axis=1))


def with_numpy() -> Call:
    def call(X: Any, Y: Any, W: Any, b: Any, V: Any, c: Any) -> list[Any]:
        h = np.maximum(X @ W + b, np.float32(0.0))
        z = h @ V + c
        shifted = z - z.max(1, keepdims=True)
        e = np.exp(shifted)
        sums = e.sum(1, keepdims=True)
        value = np.mean(np.log(sums[:, 0]) - (Y * shifted).sum(1))
        dz = (e / sums - Y) / np.float32(len(X))
        dh = dz @ V.T * (h > 0)
        slopes = (X.T @ dh, dh.sum(0), h.T @ dz, dz.sum(0))
        return [value, *(w - RATE * d for w, d in zip((W, b, V, c), slopes, strict=True))]

    return call


def with_numba() -> Call:
    import numba

    @numba.njit(fastmath=FAST, cache=True)
    def machine(X, Y, W, b, V, c):  # type: ignore[no-untyped-def]  # for Numba
        rate, one = RATE, np.float32(1.0)
        h = X @ W
        for i in range(h.shape[0]):
            for j in range(h.shape[1]):
                h[i, j] = max(h[i, j] + b[j], np.float32(0.0))
        z = h @ V
        share, loss = one / np.float32(z.shape[0]), np.float32(0.0)
        for i in range(z.shape[0]):
            top = z[i, 0] + c[0]
            for j in range(z.shape[1]):
                z[i, j] += c[j]
                top = max(top, z[i, j])
            total, right = np.float32(0.0), np.float32(0.0)
            for j in range(z.shape[1]):
                z[i, j] -= top
                right += Y[i, j] * z[i, j]
                z[i, j] = math.exp(z[i, j])
                total += z[i, j]
            loss += math.log(total) - right
            for j in range(z.shape[1]):
                z[i, j] = (z[i, j] / total - Y[i, j]) * share
        dh = z @ V.T
        for i in range(h.shape[0]):
            for j in range(h.shape[1]):
                dh[i, j] = dh[i, j] if h[i, j] > np.float32(0.0) else np.float32(0.0)
        new_W, new_V, new_b, new_c = X.T @ dh, h.T @ z, b.copy(), c.copy()
        for i in range(W.shape[0]):
            for j in range(W.shape[1]):
                new_W[i, j] = W[i, j] - rate * new_W[i, j]
        for i in range(V.shape[0]):
            for j in range(V.shape[1]):
                new_V[i, j] = V[i, j] - rate * new_V[i, j]
        for i in range(dh.shape[0]):
            for j in range(b.size):
                new_b[j] -= rate * dh[i, j]
            for j in range(c.size):
                new_c[j] -= rate * z[i, j]
        return loss * share, new_W, new_b, new_V, new_c

    def call(X, Y, W, b, V, c):  # type: ignore[no-untyped-def]  # for Numba
        value, *new = machine(X, Y, W, b, V, c)
        return [np.array(value), *new]

    return call


def with_jax() -> Call:
    import jax
    import jax.numpy as jnp

    both = jax.value_and_grad(lambda *values: loss(jnp, *values), argnums=(2, 3, 4, 5))

    def step(*values: Any) -> tuple[Any, ...]:
        value, slopes = both(*values)
        return (value, *(w - RATE * d for w, d in zip(values[2:], slopes, strict=True)))

    return jitted(step)


def with_weft(mode: str) -> Call:
    import weft.tensor as wt

    X, Y, W, V = wt.fmatrices("X Y W V")
    b, c = wt.fvectors("b c")
    weights = [W, b, V, c]
    value = loss(wt, X, Y, *weights)
    slopes = wt.grad(value, weights)
    new = [w - RATE * d for w, d in zip(weights, slopes, strict=True)]
    return wt.function([X, Y, *weights], [value, *new], mode=mode)


def with_pytensor(mode: str) -> Call:
    import pytensor
    import pytensor.tensor as pt

    X, Y, W, V = pt.fmatrices("X", "Y", "W", "V")
    b, c = pt.fvectors("b", "c")
    weights = [W, b, V, c]
    value = loss(pt, X, Y, *weights)
    slopes = pytensor.grad(value, weights)
    new = [w - RATE * d for w, d in zip(weights, slopes, strict=True)]
    return compiled_pytensor([X, Y, *weights], [value, *new], mode)


def chain(m: Any, x: Any) -> Any:
    """The sum of `STEPS` steps of tanh."""
    for _ in range(STEPS):
        x = m.tanh(x * 1.01 + 0.5)
    return m.sum(x)


def chain_numpy() -> Call:
    def call(x: Any) -> list[Any]:
        slope = np.ones_like(x)
        for _ in range(STEPS):
            x = np.tanh(x * 1.01 + 0.5)
            slope = slope * 1.01 * (1.0 - x**2)
        return [x.sum(), slope]

    return call


def chain_numba() -> Call:
    import numba

    @numba.njit(fastmath=FAST, cache=True)
    def machine(x):  # type: ignore[no-untyped-def]  # for Numba
        y, slope = x.copy(), np.ones_like(x)
        for _ in range(STEPS):
            for k in range(y.size):
                # LLVM knows a vector version of exp, but none of tanh.
                e = math.exp(-2.0 * abs(y[k] * 1.01 + 0.5))
                size = (1.0 - e) / (1.0 + e)
                y[k] = size if y[k] * 1.01 + 0.5 > 0.0 else -size
                slope[k] *= 1.01 * (1.0 - size * size)
        total = 0.0
        for k in range(y.size):
            total += y[k]
        return total, slope

    def call(x: Any) -> list[Any]:
        value, slope = machine(x)
        return [np.array(value), slope]

    return call


def chain_jax() -> Call:
    import jax
    import jax.numpy as jnp

    return jitted(jax.value_and_grad(lambda x: chain(jnp, x)))


def chain_weft(mode: str) -> Call:
    import weft.tensor as wt

    x = wt.dvector("x")
    value = chain(wt, x)
    return wt.function([x], [value, wt.grad(value, x)], mode=mode)


def chain_pytensor(mode: str) -> Call:
    import pytensor
    import pytensor.tensor as pt

    x = pt.dvector("x")
    value = chain(pt, x)
    return compiled_pytensor([x], [value, pytensor.grad(value, x)], mode)


WORKLOADS = (
    Workload(
        "mlp",
        "784-256-10, batch of 128, float32: a step of gradient descent",
        {
            "numpy": with_numpy,
            "numba": with_numba,
            "jax": with_jax,
            **by_mode(with_weft, WEFT),
            **by_mode(with_pytensor, PYTENSOR),
        },
        data,
        rtol=1e-4,
        bounds=usual(numba=1.1, cold=0.1),
        quick=False,
    ),
    Workload(
        "chain-300",
        "300 steps of tanh(x * 1.01 + 0.5) on 1,000 numbers, value and gradient",
        {
            "numpy": chain_numpy,
            "numba": chain_numba,
            "jax": chain_jax,
            **by_mode(chain_weft, WEFT),
            **by_mode(chain_pytensor, PYTENSOR),
        },
        lambda: (np.linspace(-1.0, 1.0, 1000),),
        bounds=(
            *usual(cold=1 / 30),
            Bound("weft-numba", plus=1.5, figure="compile"),
        ),
        quick=False,
    ),
)
