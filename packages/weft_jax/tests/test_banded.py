"""Long banded systems, which JAX solves by rows: against SciPy, in stacks too."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.linalg

import weft_tensor as wt
from weft_graph import function

N = 300
WIDTHS = [(1, 1), (3, 3), (2, 0), (0, 2), (1, 3), (0, 0)]


@pytest.mark.parametrize("dtype", ["float64", "float32", "complex128"])
@pytest.mark.parametrize("widths", WIDTHS)
def test_long_systems(widths: tuple[int, int], dtype: str) -> None:
    random = np.random.default_rng(7)
    bands, b = wt.tensor("bands", dtype, (None, None)), wt.tensor("b", dtype, (None, None))
    f = function([bands, b], wt.linalg.solve_banded(widths, bands, b), mode="jax")
    values: Any = random.normal(size=(sum(widths) + 1, N))
    values[widths[1]] += 3 * (0 in widths)  # what is triangular is no better than its diagonal
    sides: Any = random.normal(size=(N, 2))
    if dtype == "complex128":
        values, sides = values + 0.5j * values[:, ::-1], sides * (1 - 2j)
    values, sides = values.astype(dtype), sides.astype(dtype)
    solution = f(values, sides)
    assert solution.dtype == dtype
    wanted = scipy.linalg.solve_banded(widths, values.astype("complex128"), sides)
    tolerance = 1e-3 if dtype == "float32" else 1e-9
    np.testing.assert_allclose(solution, wanted, rtol=tolerance, atol=tolerance * abs(wanted).max())


def test_stacks() -> None:
    random = np.random.default_rng(8)
    bands, b = wt.tensor3("bands"), wt.matrix("b")
    f = function([bands, b], wt.linalg.solve_banded((2, 1), bands, b), mode="jax")
    values, sides = random.normal(size=(3, 4, N)), random.normal(size=(N, 1))
    wanted = [scipy.linalg.solve_banded((2, 1), one, sides) for one in values]
    np.testing.assert_allclose(f(values, sides), wanted, rtol=1e-6)


def test_singular_ones_are_not_finite() -> None:
    bands, b = wt.matrix("bands"), wt.matrix("b")
    f = function([bands, b], wt.linalg.solve_banded((2, 1), bands, b), mode="jax")
    assert not np.isfinite(f(np.zeros((4, N)), np.ones((N, 1)))).all()
