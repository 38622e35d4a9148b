"""Workloads that are hard to compile: a softmax, a multivariate normal, forty log-densities."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from tools.bench.bounds import Bound, usual
from tools.bench.fused import FAST
from tools.bench.workload import PYTENSOR, WEFT, Call, Workload, by_mode, compiled_pytensor, jitted

DENSITIES, CASES = 40, 200


def softmax_data() -> tuple[Any, ...]:
    """128 rows of 1,000 numbers."""
    return (np.random.default_rng(0).normal(size=(128, 1000)),)


def softmax(m: Any, x: Any) -> Any:
    """The softmax of each row, by the functions of the module `m`."""
    e = m.exp(x - m.max(x, axis=1, keepdims=True))
    return e / m.sum(e, axis=1, keepdims=True)


def softmax_numpy() -> Call:
    return lambda x: softmax(np, x)


def softmax_numba() -> Call:
    import numba

    @numba.njit(fastmath=FAST, cache=True)
    def machine(x):  # type: ignore[no-untyped-def]  # for Numba
        result = np.empty_like(x)
        for i in range(x.shape[0]):
            top, total = x[i, 0], 0.0
            for j in range(x.shape[1]):
                top = max(top, x[i, j])
            for j in range(x.shape[1]):
                result[i, j] = math.exp(x[i, j] - top)
                total += result[i, j]
            share = 1.0 / total
            for j in range(x.shape[1]):
                result[i, j] *= share
        return result

    return machine


def softmax_jax() -> Call:
    import jax.numpy as jnp

    return jitted(lambda x: softmax(jnp, x))


def softmax_weft(mode: str) -> Call:
    import weft.tensor as wt

    x = wt.dmatrix("x")
    return wt.function([x], softmax(wt, x), mode=mode)


def softmax_pytensor(mode: str) -> Call:
    import pytensor.tensor as pt

    x = pt.dmatrix("x")
    return compiled_pytensor([x], pt.special.softmax(x, axis=1), mode)


def normal_data() -> tuple[Any, ...]:
    """100 points in five dimensions, their mean, and a root of their covariances."""
    rng = np.random.default_rng(0)
    return rng.normal(size=(100, 5)), rng.normal(size=5), rng.normal(size=(5, 5))


def normal(m: Any, cholesky: Any, solve: Any, points: Any, mean: Any, factor: Any) -> Any:
    """The log-density but for a constant; the covariances are `factor @ factor.T + 1`."""
    root = cholesky(factor @ factor.T + np.eye(5))
    z = solve(root, (points - mean).T, lower=True)
    return -0.5 * m.sum(z**2) - 100.0 * m.sum(m.log(m.diag(root)))


def normal_numpy() -> Call:
    def call(points: Any, mean: Any, factor: Any) -> list[Any]:
        covariance = factor @ factor.T + np.eye(5)
        inverse = np.linalg.inv(covariance)
        residuals = points - mean
        pulled = residuals @ inverse
        _, log_det = np.linalg.slogdet(covariance)
        value = -0.5 * (pulled * residuals).sum() - 50.0 * log_det
        by_covariance = 0.5 * (pulled.T @ pulled - 100.0 * inverse)
        return [value, pulled.sum(0), 2.0 * by_covariance @ factor]

    return call


def normal_numba() -> Call:
    import numba

    @numba.njit(cache=True)
    def machine(points, mean, factor):  # type: ignore[no-untyped-def]  # for Numba
        root = np.linalg.cholesky(factor @ factor.T + np.eye(5))
        inverse = np.linalg.inv(root @ root.T)
        residuals = points - mean
        pulled = residuals @ inverse
        value = 0.0
        for i in range(5):
            value -= 100.0 * math.log(root[i, i])
        slope = np.zeros(5)
        for k in range(points.shape[0]):
            for i in range(5):
                value -= 0.5 * pulled[k, i] * residuals[k, i]
                slope[i] += pulled[k, i]
        return value, slope, (pulled.T @ pulled - 100.0 * inverse) @ factor

    def call(points: Any, mean: Any, factor: Any) -> list[Any]:
        value, *slopes = machine(points, mean, factor)
        return [np.array(value), *slopes]

    return call


def normal_jax() -> Call:
    import jax
    import jax.numpy as jnp
    from jax.scipy.linalg import solve_triangular

    def loss(*values: Any) -> Any:
        return normal(jnp, jnp.linalg.cholesky, solve_triangular, *values)

    return flat(jax.value_and_grad(loss, argnums=(1, 2)))


def flat(both: Call) -> Call:
    """Return jax.value_and_grad's function under jax.jit, with one tuple of results."""

    def call(*values: Any) -> tuple[Any, ...]:
        value, slopes = both(*values)
        return (value, *slopes)

    return jitted(call)


def normal_weft(mode: str) -> Call:
    import weft.tensor as wt

    points, mean, factor = wt.dmatrix("points"), wt.dvector("mean"), wt.dmatrix("factor")
    value = normal(wt, wt.linalg.cholesky, wt.linalg.solve_triangular, points, mean, factor)
    outputs = [value, *wt.grad(value, [mean, factor])]
    return wt.function([points, mean, factor], outputs, mode=mode)


def normal_pytensor(mode: str) -> Call:
    import pytensor
    import pytensor.tensor as pt

    points, mean, factor = pt.dmatrix("points"), pt.dvector("mean"), pt.dmatrix("factor")
    value = normal(pt, pt.linalg.cholesky, pt.linalg.solve_triangular, points, mean, factor)
    outputs = [value, *pytensor.grad(value, [mean, factor])]
    return compiled_pytensor([points, mean, factor], outputs, mode)


def gauss(m: Any, z: Any) -> Any:
    return -0.5 * m.square(z)


def student(m: Any, z: Any) -> Any:
    return -2.5 * m.log1p(m.square(z) / 4.0)


def cauchy(m: Any, z: Any) -> Any:
    return -m.log1p(m.square(z))


def logistic(m: Any, z: Any) -> Any:
    return -z - 2.0 * m.log1p(m.exp(-z))


def gumbel(m: Any, z: Any) -> Any:
    return -z - m.exp(-z)


FAMILIES: tuple[Callable[[Any, Any], Any], ...] = (gauss, student, cauchy, logistic, gumbel)
SLOPES: tuple[Callable[[Any], Any], ...] = (
    lambda z: -z,
    lambda z: -5.0 * z / (4.0 + z**2),
    lambda z: -2.0 * z / (1.0 + z**2),
    lambda z: -np.tanh(0.5 * z),
    lambda z: np.exp(-z) - 1.0,
)


def forty_data() -> tuple[Any, ...]:
    """The data of each density, then all places, then the logarithms of all scales."""
    rng = np.random.default_rng(0)
    places, logs = rng.normal(size=DENSITIES), 0.3 * rng.normal(size=DENSITIES)
    return (*rng.normal(size=(DENSITIES, CASES)), *map(np.array, places), *map(np.array, logs))


def forty(m: Any, *values: Any) -> Any:
    """The sum of forty log-densities of five families, with priors, but for a constant."""
    result = None
    for k in range(DENSITIES):
        x, place, log = values[k], values[DENSITIES + k], values[2 * DENSITIES + k]
        z = (x - place) / m.exp(log)
        term = m.sum(FAMILIES[k % len(FAMILIES)](m, z)) - CASES * log
        term = term - 0.5 * m.square(place / 10.0) - 0.5 * m.square(log)
        result = term if result is None else result + term
    return result


def forty_numpy() -> Call:
    def call(*values: Any) -> list[Any]:
        by_place, by_log = [], []
        for k in range(DENSITIES):
            x, place, log = values[k], values[DENSITIES + k], values[2 * DENSITIES + k]
            scale = np.exp(log)
            z = (x - place) / scale
            slope = SLOPES[k % len(SLOPES)](z)
            by_place.append(-slope.sum() / scale - place / 100.0)
            by_log.append(-(slope @ z) - CASES - log)
        return [forty(np, *values), *by_place, *by_log]

    return call


def forty_jax() -> Call:
    import jax
    import jax.numpy as jnp

    parameters = tuple(range(DENSITIES, 3 * DENSITIES))
    return flat(jax.value_and_grad(lambda *v: forty(jnp, *v), argnums=parameters))


def forty_inputs(lib: Any) -> list[Any]:
    """The data and the parameters as inputs of a graph."""
    numbers = range(DENSITIES)
    return [
        *[lib.dvector(f"x{k}") for k in numbers],
        *[lib.dscalar(f"place{k}") for k in numbers],
        *[lib.dscalar(f"log{k}") for k in numbers],
    ]


def forty_weft(mode: str) -> Call:
    import weft.tensor as wt

    inputs = forty_inputs(wt)
    value = forty(wt, *inputs)
    outputs = [value, *wt.grad(value, inputs[DENSITIES:])]
    return wt.function(inputs, outputs, mode=mode)


def forty_pytensor(mode: str) -> Call:
    import pytensor
    import pytensor.tensor as pt

    inputs = forty_inputs(pt)
    value = forty(pt, *inputs)
    outputs = [value, *pytensor.grad(value, inputs[DENSITIES:])]
    return compiled_pytensor(inputs, outputs, mode)


WORKLOADS = (
    Workload(
        "softmax",
        "softmax of 128 rows of 1,000 numbers",
        {
            "numpy": softmax_numpy,
            "numba": softmax_numba,
            "jax": softmax_jax,
            **by_mode(softmax_weft, WEFT),
            **by_mode(softmax_pytensor, PYTENSOR),
        },
        softmax_data,
        bounds=usual(cold=0.1),
        quick=False,
    ),
    Workload(
        "mvn",
        "multivariate normal in five dimensions, 100 points, value and gradient",
        {
            "numpy": normal_numpy,
            "numba": normal_numba,
            "jax": normal_jax,
            **by_mode(normal_weft, WEFT),
            **by_mode(normal_pytensor, PYTENSOR),
        },
        normal_data,
        bounds=usual(cold=0.1),
        quick=False,
    ),
    Workload(
        "model-1500",
        "forty log-densities, about 1,500 nodes, value and gradient",
        {
            "numpy": forty_numpy,
            "jax": forty_jax,
            **by_mode(forty_weft, WEFT),
            **by_mode(forty_pytensor, PYTENSOR),
        },
        forty_data,
        bounds=(
            Bound("weft-numba", plus=6.0, figure="compile"),
            Bound("weft-numba", plus=0.15, figure="again"),
            Bound("weft-numba", plus=1e9, figure="memory"),
            Bound("weft-jax", "jax", 1.05),
            Bound("weft-jax", "jax", 0.8, figure="compile"),
        ),
        quick=False,
    ),
)
