"""A Kalman filter: small matrices in a loop, and the derivative of the density."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tools.bench.fused import FAST
from tools.bench.recurrences import bounds
from tools.bench.workload import WEFT, Call, Workload, by_mode, jitted

OBSERVED, HIDDEN, SERIES = 2, 4, 500


def series() -> tuple[Any, ...]:
    """Observations, and the matrices of a linear Gaussian model of them."""
    rng = np.random.default_rng(0)
    moves = 0.9 * np.linalg.qr(rng.normal(size=(HIDDEN, HIDDEN)))[0]
    return rng.normal(size=(SERIES, OBSERVED)), moves, rng.normal(size=(OBSERVED, HIDDEN))


def kalman_step(lib: Any, state: Any, y: Any, moves: Any, seen: Any) -> Any:
    """One step of the filter with unit noise: the next mean and covariance, and the density."""
    mean, cov = state
    mean, cov = moves @ mean, moves @ cov @ moves.T + lib.eye(HIDDEN)
    error = y - seen @ mean
    spread = seen @ cov @ seen.T + lib.eye(OBSERVED)
    gain = lib.linalg.solve(spread, seen @ cov).T
    density = -0.5 * (
        lib.log(lib.linalg.det(spread)) + (error * lib.linalg.solve(spread, error)).sum()
    )
    return (mean + gain @ error, cov - gain @ seen @ cov), density


def kalman_numba() -> Call:
    """The filter, and the derivative of the density by steps backwards, of loops alone."""
    import numba

    loops = numba.njit(fastmath=FAST, inline="always")

    @loops
    def product(out, a, b):  # type: ignore[no-untyped-def]  # for Numba
        for i in range(a.shape[0]):
            for j in range(b.shape[1]):
                total = 0.0
                for k in range(a.shape[1]):
                    total += a[i, k] * b[k, j]
                out[i, j] = total

    @loops
    def add_product(out, a, b, sign):  # type: ignore[no-untyped-def]
        for i in range(a.shape[0]):
            for j in range(b.shape[1]):
                for k in range(a.shape[1]):
                    out[i, j] += sign * a[i, k] * b[k, j]

    @loops
    def inverse(out, a):  # type: ignore[no-untyped-def]
        det = a[0, 0] * a[1, 1] - a[0, 1] * a[1, 0]
        out[0, 0], out[1, 1] = a[1, 1] / det, a[0, 0] / det
        out[0, 1], out[1, 0] = -a[0, 1] / det, -a[1, 0] / det
        return det

    @numba.njit(fastmath=FAST)
    def machine(y, moves, seen):  # type: ignore[no-untyped-def]
        steps, m = y.shape
        n = len(moves)
        means, covs = np.zeros((steps + 1, n, 1)), np.zeros((steps + 1, n, n))
        befores, nows = np.empty((steps, n, 1)), np.empty((steps, n, n))
        errors, crosses = np.empty((steps, m, 1)), np.empty((steps, m, n))
        inverses, gains = np.empty((steps, m, m)), np.empty((steps, n, m))
        for i in range(n):
            covs[0, i, i] = 1.0
        half, spread = np.empty((n, n)), np.empty((m, m))
        density = 0.0
        for t in range(steps):
            mean, cov, error, cross = befores[t], nows[t], errors[t], crosses[t]
            product(mean, moves, means[t])
            product(half, moves, covs[t])
            product(cov, half, moves.T)
            for i in range(n):
                cov[i, i] += 1.0
            for i in range(m):
                error[i, 0] = y[t, i]
            add_product(error, seen, mean, -1.0)
            product(cross, seen, cov)
            product(spread, cross, seen.T)
            for i in range(m):
                spread[i, i] += 1.0
            density -= 0.5 * math.log(inverse(inverses[t], spread))
            for i in range(m):
                for j in range(m):
                    density -= 0.5 * error[i, 0] * inverses[t, i, j] * error[j, 0]
            product(gains[t], cross.T, inverses[t].T)
            means[t + 1], covs[t + 1] = mean, cov
            add_product(means[t + 1], gains[t], error, 1.0)
            add_product(covs[t + 1], gains[t], cross, -1.0)
        slope = np.zeros((n, n))
        of_mean, of_cov = np.zeros((n, 1)), np.zeros((n, n))
        mean, cov = np.zeros((n, 1)), np.zeros((n, n))
        of_gain, of_cross, of_error = np.empty((n, m)), np.empty((m, n)), np.empty((m, 1))
        of_inverse, of_spread, small = np.empty((m, m)), np.empty((m, m)), np.empty((m, m))
        for t in range(steps - 1, -1, -1):
            error, cross, inv, gain = errors[t], crosses[t], inverses[t], gains[t]
            product(of_gain, of_cov, cross.T)
            for i in range(n):
                for j in range(m):
                    of_gain[i, j] = of_mean[i, 0] * error[j, 0] - of_gain[i, j]
            product(of_cross, gain.T, of_cov)
            product(of_error, gain.T, of_mean)
            for i in range(m):
                for j in range(n):
                    of_cross[i, j] = -of_cross[i, j]
            add_product(of_cross, inv.T, of_gain.T, 1.0)
            product(of_inverse, of_gain.T, cross.T)
            for i in range(m):
                for j in range(m):
                    of_inverse[i, j] -= 0.5 * error[i, 0] * error[j, 0]
            add_product(of_error, inv, error, -1.0)
            product(small, inv.T, of_inverse)
            product(of_spread, small, inv.T)
            for i in range(m):
                for j in range(m):
                    of_spread[i, j] = -of_spread[i, j] - 0.5 * inv[i, j]
            add_product(of_cross, of_spread, seen, 1.0)
            mean[:], cov[:] = of_mean, of_cov
            add_product(cov, seen.T, of_cross, 1.0)
            add_product(mean, seen.T, of_error, -1.0)
            product(half, moves, covs[t])
            add_product(slope, cov.T, half, 1.0)
            add_product(slope, cov, half, 1.0)
            add_product(slope, mean, means[t].T, 1.0)
            product(half, moves.T, cov)
            product(of_cov, half, moves)
            product(of_mean, moves.T, mean)
        return density, slope

    return machine


def kalman_jax() -> Call:
    import jax
    import jax.numpy as jnp

    def density(moves: Any, y: Any, seen: Any) -> Any:
        first = jnp.zeros(HIDDEN), jnp.eye(HIDDEN)

        def step(state: Any, row: Any) -> Any:
            return kalman_step(jnp, state, row, moves, seen)

        return jax.lax.scan(step, first, y)[1].sum()

    both = jax.value_and_grad(density)
    return jitted(lambda y, moves, seen: both(moves, y, seen))


def kalman_weft(mode: str) -> Call:
    import weft.tensor as wt

    y, moves, seen = wt.dmatrices("y moves seen")
    first = wt.zeros(HIDDEN), wt.eye(HIDDEN)

    def step(state: Any, row: Any) -> Any:
        return kalman_step(wt, state, row, moves, seen)

    total = wt.loop.scan(step, first, y)[1].sum()
    return wt.function([y, moves, seen], [total, wt.grad(total, moves)], mode=mode)


WORKLOADS = (
    Workload(
        "kalman",
        f"a Kalman filter, {HIDDEN} states, {OBSERVED} observations, {SERIES} steps; its gradient",
        {"numba": kalman_numba, "jax": kalman_jax, **by_mode(kalman_weft, WEFT)},
        series,
        bounds=bounds(1.5),
    ),
)
