"""A hierarchical regression of the size of the radon data, value and gradient.

Neither statsmodels nor scikit-learn has the radon data (919 houses in 85 counties of Minnesota),
so numbers of the same sizes are drawn.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tools.bench.bounds import usual
from tools.bench.fused import FAST
from tools.bench.workload import PYTENSOR, WEFT, Call, Workload, by_mode, compiled_pytensor, jitted

HOUSES, COUNTIES = 919, 85


def data() -> tuple[Any, ...]:
    """Floor, county and radon of each house; then the parameters."""
    rng = np.random.default_rng(0)
    county = rng.integers(COUNTIES, size=HOUSES)
    floor = (rng.random(HOUSES) < 0.17).astype("float64")
    a, b = rng.normal(1.5, 0.3, size=COUNTIES), rng.normal(-0.7, 0.3, size=COUNTIES)
    radon = a[county] + b[county] * floor + rng.normal(0.0, 0.7, size=HOUSES)
    hyper = [np.array(v) for v in (1.4, -0.6, -1.0, -1.1, -0.3)]
    return floor, county, radon, *hyper, rng.normal(size=COUNTIES), rng.normal(size=COUNTIES)


def density(
    m: Any,
    floor: Any,
    county: Any,
    radon: Any,
    mu_a: Any,
    mu_b: Any,
    log_a: Any,
    log_b: Any,
    log_s: Any,
    z_a: Any,
    z_b: Any,
) -> Any:
    """The log-density but for a constant, by the functions of the module `m`."""
    a, b = mu_a + m.exp(log_a) * z_a, mu_b + m.exp(log_b) * z_b
    residuals = (radon - a[county] - b[county] * floor) / m.exp(log_s)
    likelihood = -0.5 * m.sum(residuals**2) - HOUSES * log_s
    prior = -0.5 * (mu_a**2 + mu_b**2) / 100.0 - 0.5 * (m.sum(z_a**2) + m.sum(z_b**2))
    return likelihood + prior - 0.5 * (m.exp(2.0 * log_a) + m.exp(2.0 * log_b)) + log_a + log_b


def with_numpy() -> Call:
    def call(  # type: ignore[no-untyped-def]  # for Numba
        floor, county, radon, mu_a, mu_b, log_a, log_b, log_s, z_a, z_b
    ):
        values = (floor, county, radon, mu_a, mu_b, log_a, log_b, log_s, z_a, z_b)
        s_a, s_b = np.exp(log_a), np.exp(log_b)
        a, b = mu_a + s_a * z_a, mu_b + s_b * z_b
        residuals = (radon - a[county] - b[county] * floor) * np.exp(-log_s)
        pull = residuals * np.exp(-log_s)
        by_a = np.bincount(county, pull, COUNTIES)
        by_b = np.bincount(county, pull * floor, COUNTIES)
        return [
            density(np, *values),
            by_a.sum() - mu_a / 100.0,
            by_b.sum() - mu_b / 100.0,
            (by_a @ z_a) * s_a - s_a**2 + 1.0,
            (by_b @ z_b) * s_b - s_b**2 + 1.0,
            residuals @ residuals - HOUSES,
            by_a * s_a - z_a,
            by_b * s_b - z_b,
        ]

    return call


def with_numba() -> Call:
    import numba

    @numba.njit(fastmath=FAST, cache=True)
    def machine(  # type: ignore[no-untyped-def]  # for Numba
        floor, county, radon, mu_a, mu_b, log_a, log_b, log_s, z_a, z_b
    ):
        s_a, s_b, precision = np.exp(log_a), np.exp(log_b), np.exp(-2.0 * log_s)
        a, b = mu_a + s_a * z_a, mu_b + s_b * z_b
        by_a, by_b = np.zeros(z_a.size), np.zeros(z_b.size)
        squares = 0.0
        for k in range(radon.size):
            j = county[k]
            residual = radon[k] - a[j] - b[j] * floor[k]
            squares += residual * residual
            by_a[j] += residual
            by_b[j] += residual * floor[k]
        sum_a = sum_b = dot_a = dot_b = norm = 0.0
        for j in range(z_a.size):
            pull_a, pull_b = by_a[j] * precision, by_b[j] * precision
            sum_a += pull_a
            sum_b += pull_b
            dot_a += pull_a * z_a[j]
            dot_b += pull_b * z_b[j]
            norm += z_a[j] * z_a[j] + z_b[j] * z_b[j]
            by_a[j] = pull_a * s_a - z_a[j]
            by_b[j] = pull_b * s_b - z_b[j]
        squares *= precision
        value = -0.5 * squares - radon.size * log_s - 0.5 * (mu_a * mu_a + mu_b * mu_b) / 100.0
        value += -0.5 * norm - 0.5 * (s_a * s_a + s_b * s_b) + log_a + log_b
        slopes = (sum_a - mu_a / 100.0, sum_b - mu_b / 100.0)
        scales = (dot_a * s_a - s_a * s_a + 1.0, dot_b * s_b - s_b * s_b + 1.0)
        return value, *slopes, *scales, squares - radon.size, by_a, by_b

    def call(floor, county, radon, a, b, c, d, e, z_a, z_b):  # type: ignore[no-untyped-def]  # for Numba
        value, da, db, dc, dd, de, dz_a, dz_b = machine(
            floor, county, radon, a[()], b[()], c[()], d[()], e[()], z_a, z_b
        )
        array = np.array
        return [array(value), array(da), array(db), array(dc), array(dd), array(de), dz_a, dz_b]

    return call


def with_jax() -> Call:
    import jax
    import jax.numpy as jnp

    both = jax.value_and_grad(lambda *v: density(jnp, *v), argnums=tuple(range(3, 10)))

    def flat(*values: Any) -> tuple[Any, ...]:
        value, slopes = both(*values)
        return (value, *slopes)

    return jitted(flat)


def variables(lib: Any) -> list[Any]:
    """The data and the parameters as inputs of a graph."""
    names = ("mu_a", "mu_b", "log_a", "log_b", "log_s")
    given = [lib.dvector("floor"), lib.lvector("county"), lib.dvector("radon")]
    return [*given, *map(lib.dscalar, names), lib.dvector("z_a"), lib.dvector("z_b")]


def with_weft(mode: str) -> Call:
    import weft.tensor as wt

    inputs = variables(wt)
    value = density(wt, *inputs)
    return wt.function(inputs, [value, *wt.grad(value, inputs[3:])], mode=mode)


def with_pytensor(mode: str) -> Call:
    import pytensor
    import pytensor.tensor as pt

    inputs = variables(pt)
    value = density(pt, *inputs)
    return compiled_pytensor(inputs, [value, *pytensor.grad(value, inputs[3:])], mode)


WORKLOADS = (
    Workload(
        "radon",
        "hierarchical regression, 919 drawn houses in 85 counties, value and gradient",
        {
            "numpy": with_numpy,
            "numba": with_numba,
            "jax": with_jax,
            **by_mode(with_weft, WEFT),
            **by_mode(with_pytensor, PYTENSOR),
        },
        data,
        bounds=usual(numba=2.0, jax=1.0, cold=0.1),
    ),
)
