"""Factors of matrices that get or lose rows and columns, on all backends."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest
import scipy.linalg

import weft.tensor as wt
from weft_testing import check_grad

OURS: Any = wt.linalg
THEIRS: Any = scipy.linalg
RNG: Final = np.random.default_rng(4)
CALLS: Final[dict[str, Callable[..., Any]]] = {
    "a row": lambda m, q, r, u: m.qr_insert(q, r, u[0, : r.shape[1]], 2),
    "rows at the end": lambda m, q, r, u: m.qr_insert(q, r, u[:2, : r.shape[1]], 5),
    "a column": lambda m, q, r, u: m.qr_insert(q, r, u[:5, 0], 0, "col"),
    "columns": lambda m, q, r, u: m.qr_insert(q, r, u[:5, :2], -1, which="col"),
    "no row": lambda m, q, r, u: m.qr_delete(q, r, 1),
    "no rows": lambda m, q, r, u: m.qr_delete(q, r, -2, 2),
    "no column": lambda m, q, r, u: m.qr_delete(q, r, 2, which="col"),
    "no columns": lambda m, q, r, u: m.qr_delete(q, r, 0, 2, "col"),
    "a product": lambda m, q, r, u: m.qr_update(q, r, u[:5, 0], u[: r.shape[1], 1]),
    "products": lambda m, q, r, u: m.qr_update(q, r, u[:5, :2], u[: r.shape[1], 2:4]),
}


def of_sizes(dtype: str, mode: str) -> list[Any]:
    x = RNG.normal(size=(5, 3)) + (1j * RNG.normal(size=(5, 3)) if dtype[0] == "c" else 0)
    u = RNG.normal(size=(6, 6)) + (1j * RNG.normal(size=(6, 6)) if dtype[0] == "c" else 0)
    return [v.astype(dtype) for v in (*THEIRS.qr(x, mode=mode), u)]


@pytest.mark.cases(12)
@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("size", ["full", "economic"])
@pytest.mark.parametrize("dtype", ["float64", "complex128"])
@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_as_in_scipy_but_for_signs(mode: str, dtype: str, size: str, name: str) -> None:
    values = of_sizes(dtype, size)
    inputs = [wt.tensor("x", dtype, v.shape) for v in values]
    q, r = wt.function(inputs, list(CALLS[name](OURS, *inputs)), mode=mode)(*values)
    wanted_q, wanted_r = CALLS[name](THEIRS, *values)
    assert (q.shape, r.shape, q.dtype) == (wanted_q.shape, wanted_r.shape, dtype)
    np.testing.assert_allclose(q @ r, wanted_q @ wanted_r, atol=1e-12)
    np.testing.assert_allclose(abs(r), abs(wanted_r), atol=1e-12)
    np.testing.assert_allclose(q.conj().T @ q, np.eye(q.shape[1]), atol=1e-12)


def test_derivatives_of_changed_factors() -> None:
    q, r, u = of_sizes("float64", "economic")
    for call in (CALLS["a row"], CALLS["no row"], CALLS["products"]):
        check_grad(lambda r, u, call=call: abs(call(OURS, q, r, u)[1]), [r, u])


def test_what_cannot_be_changed() -> None:
    q, r = np.eye(3), np.eye(3)
    with pytest.raises(ValueError, match="which is 'row' or 'col'"):
        OURS.qr_delete(q, r, 0, which="rows")
    with pytest.raises(ValueError, match="Q of known lengths"):
        OURS.qr_insert(wt.matrix("q"), r, q[0], 0)
    with pytest.raises(ValueError, match="takes matrices"):
        OURS.qr_update(q, r[0], q[0], q[0])
