"""The marginal likelihood of a Gaussian process at 200 points, value and gradient."""

from __future__ import annotations

import ctypes
import math
from types import SimpleNamespace
from typing import Any

import numpy as np

from tools.bench.bounds import usual
from tools.bench.fused import FAST
from tools.bench.workload import PYTENSOR, WEFT, Call, Workload, by_mode, compiled_pytensor, jitted

SIZE = 200


def data() -> tuple[Any, ...]:
    """Points, values, and the logarithms of amplitude, length and noise."""
    rng = np.random.default_rng(0)
    x = np.sort(rng.uniform(0.0, 10.0, size=SIZE))
    y = np.sin(x) + rng.normal(0.0, 0.3, size=SIZE)
    return x, y, np.array(0.1), np.array(0.2), np.array(-1.1)


def likelihood(m: Any, lib: Any, x: Any, y: Any, log_e: Any, log_l: Any, log_s: Any) -> Any:
    """The log-density but for a constant; `lib` has a library's linear algebra."""
    squares = (x[:, None] - x) ** 2
    kernel = m.exp(2.0 * log_e - 0.5 * squares * m.exp(-2.0 * log_l))
    root = lib.cholesky(kernel + m.exp(2.0 * log_s) * np.eye(SIZE))
    z = lib.solve_triangular(root, y, lower=True)
    return -0.5 * m.sum(z**2) - m.sum(m.log(m.diag(root)))


def with_numpy() -> Call:
    from scipy.linalg import cho_factor, cho_solve

    def call(x: Any, y: Any, log_e: Any, log_l: Any, log_s: Any) -> list[Any]:
        squares, noise = (x[:, None] - x) ** 2, np.exp(2.0 * log_s)
        scale = np.exp(-2.0 * log_l)
        kernel = np.exp(2.0 * log_e - 0.5 * scale * squares)
        root = cho_factor(kernel + noise * np.eye(SIZE), lower=True, check_finite=False)
        inverse = cho_solve(root, np.eye(SIZE), check_finite=False)
        a = inverse @ y
        by_kernel = 0.5 * (np.outer(a, a) - inverse)
        pulled = by_kernel * kernel
        return [
            -0.5 * y @ a - np.log(np.diag(root[0])).sum(),
            2.0 * pulled.sum(),
            (pulled * squares).sum() * scale,
            2.0 * noise * np.trace(by_kernel),
        ]

    return call


def lapack(name: str, integers: int) -> Any:
    """A LAPACK function of SciPy's on one matrix, for Numba: uplo, n, A, (n,) info."""
    from numba.extending import get_cython_function_address

    address = get_cython_function_address("scipy.linalg.cython_lapack", name)
    kind = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * integers)
    return kind(address)


def with_numba() -> Call:
    """Half of the symmetric matrix, Cholesky and inverse in place by LAPACK itself."""
    import numba

    factorise, invert = lapack("dpotrf", 5), lapack("dpotri", 5)

    @numba.njit(fastmath=FAST)
    def machine(x, y, log_e, log_l, log_s):  # type: ignore[no-untyped-def]  # for Numba
        n = x.size
        noise, scale = math.exp(2.0 * log_s), math.exp(-2.0 * log_l)
        # The lower half by rows is the upper half by columns, as LAPACK counts.
        kernel, inverse = np.empty((n, n)), np.empty((n, n))
        for i in range(n):
            for j in range(i + 1):
                d = x[i] - x[j]
                kernel[i, j] = math.exp(2.0 * log_e - 0.5 * scale * (d * d))
            for j in range(i + 1):
                inverse[i, j] = kernel[i, j]
            inverse[i, i] += noise
        letter = np.full(1, 85, np.uint8)  # "U"
        order, info = np.full(1, n, np.int32), np.zeros(1, np.int32)
        a, b, c, d = letter.ctypes, order.ctypes, inverse.ctypes, info.ctypes
        factorise(a.data, b.data, c.data, b.data, d.data)
        if info[0]:
            raise np.linalg.LinAlgError("the matrix is not positive definite")
        half = 0.0
        for i in range(n):
            half += math.log(inverse[i, i])
        invert(a.data, b.data, c.data, b.data, d.data)
        weights = np.zeros(n)
        for i in range(n):
            total, w = 0.0, y[i]
            for j in range(i):
                total += inverse[i, j] * y[j]
                weights[j] += inverse[i, j] * w
            weights[i] += total + inverse[i, i] * w
        by_e = by_l = by_s = fit = 0.0
        for i in range(n):
            fit += weights[i] * y[i]
            trace = 0.5 * (weights[i] * weights[i] - inverse[i, i])
            by_s += trace
            by_e += trace * kernel[i, i]
            for j in range(i):
                d2 = (x[i] - x[j]) * (x[i] - x[j])
                pulled = (weights[i] * weights[j] - inverse[i, j]) * kernel[i, j]
                by_e += pulled
                by_l += pulled * d2
        return -0.5 * fit - half, 2.0 * by_e, by_l * scale, 2.0 * noise * by_s

    return lambda x, y, *logs: list(map(np.array, machine(x, y, *[v[()] for v in logs])))


def with_jax() -> Call:
    import jax
    import jax.numpy as jnp
    from jax.scipy.linalg import solve_triangular

    algebra = SimpleNamespace(cholesky=jnp.linalg.cholesky, solve_triangular=solve_triangular)

    def loss(x: Any, y: Any, *logs: Any) -> Any:
        return likelihood(jnp, algebra, x, y, *logs)

    both = jax.value_and_grad(loss, argnums=(2, 3, 4))

    def flat(*values: Any) -> tuple[Any, ...]:
        value, slopes = both(*values)
        return (value, *slopes)

    return jitted(flat)


def with_weft(mode: str) -> Call:
    import weft.tensor as wt

    x, y = wt.dvector("x", shape=(SIZE,)), wt.dvector("y", shape=(SIZE,))
    logs = [wt.dscalar(name) for name in ("log_e", "log_l", "log_s")]
    value = likelihood(wt, wt.linalg, x, y, *logs)
    return wt.function([x, y, *logs], [value, *wt.grad(value, logs)], mode=mode)


def with_pytensor(mode: str) -> Call:
    import pytensor
    import pytensor.tensor as pt

    x, y = pt.vector("x", shape=(SIZE,)), pt.vector("y", shape=(SIZE,))
    logs = [pt.dscalar(name) for name in ("log_e", "log_l", "log_s")]
    value = likelihood(pt, pt.linalg, x, y, *logs)
    return compiled_pytensor([x, y, *logs], [value, *pytensor.grad(value, logs)], mode)


WORKLOADS = (
    Workload(
        "gp",
        "Gaussian process at 200 points: marginal likelihood and its gradient",
        {
            "numpy": with_numpy,
            "numba": with_numba,
            "jax": with_jax,
            **by_mode(with_weft, WEFT),
            **by_mode(with_pytensor, PYTENSOR),
        },
        data,
        bounds=usual(numba=1.1, cold=0.1),
        quick=False,
    ),
)
