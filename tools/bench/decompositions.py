"""Factors of one matrix of 200 by 200, and of 1000 of 8 by 8."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final

import numpy as np

from tools.bench.bounds import Bound
from tools.bench.workload import WEFT, Call, Prepared, Workload, by_mode, jitted

_SHAPES: Final = {"200": (200, 200), "many": (1000, 8, 8)}


def data(shape: tuple[int, ...]) -> tuple[Any, ...]:
    """A symmetric matrix, positive definite, or as many as the shape says."""
    x = np.random.default_rng(0).normal(size=shape)
    return (x @ np.swapaxes(x, -1, -2) / shape[-1] + np.eye(shape[-1]),)


def _computed(name: str, lib: Any, triangular: Call) -> Call:
    """The factors, or the solution of a system with the Cholesky factor."""

    def solved(x: Any) -> tuple[Any, ...]:
        return (triangular(lib.cholesky(x), x[..., :1]),)

    def factors(x: Any) -> tuple[Any, ...]:
        return tuple(getattr(lib, name)(x))

    return solved if name == "cholesky_solve" else factors


def _compared(name: str, f: Call) -> Call:
    """All is computed; returned is what does not depend on the signs of vectors."""
    place = 1 if name in ("svd", "qr") else 0
    return lambda x: f(x)[place]


def with_numpy(name: str) -> Call:
    import scipy.linalg

    def triangular(a: Any, b: Any) -> Any:
        return scipy.linalg.solve_triangular(a, b, lower=True, check_finite=False)

    return _compared(name, _computed(name, np.linalg, triangular))


def with_weft(name: str, shape: tuple[int, ...], mode: str) -> Call:
    import weft.tensor as wt

    def triangular(a: Any, b: Any) -> Any:
        return wt.solve_triangular(a, b, lower=True, b_ndim=2)

    x = wt.tensor("x", "float64", [None] * len(shape))
    outputs = list(_computed(name, wt.linalg, triangular)(x))
    return _compared(name, wt.function([x], outputs, mode=mode))


def with_jax(name: str) -> Call:
    import jax

    def triangular(a: Any, b: Any) -> Any:
        return jax.lax.linalg.triangular_solve(a, b, left_side=True, lower=True)

    return _compared(name, jitted(_computed(name, jax.numpy.linalg, triangular)))


def _workload(name: str, size: str) -> Workload:
    shape = _SHAPES[size]
    peers: dict[str, Callable[[], Prepared | Call]] = {
        **by_mode(partial(with_weft, name, shape), WEFT),
        "numpy": partial(with_numpy, name),
        "jax": partial(with_jax, name),
    }
    return Workload(
        f"{name}-{size}",
        f"{name.replace('_', ' and ')} of {' x '.join(map(str, shape))}",
        peers,
        data=partial(data, shape),
        quick=False,
        bounds=(
            Bound("weft-numba", "numpy", 1.05 if len(shape) == 2 else 0.7),
            Bound("weft-jax", "jax", 1.05),
        ),
    )


WORKLOADS = [
    _workload(name, size) for name in ("cholesky_solve", "eigh", "svd", "qr") for size in _SHAPES
]
