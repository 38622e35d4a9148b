"""Matrices and sides of equations that tests of `wt.sparse.linalg` share."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import scipy.sparse

__all__ = ["EVEN", "SIDE", "SPARSE", "SQUARE", "SYMMETRIC", "near"]

rng = np.random.default_rng(7)

SQUARE: Final = rng.normal(size=(30, 30))
SYMMETRIC: Final = SQUARE + SQUARE.T
SPARSE: Final = scipy.sparse.random_array((40, 40), density=0.1, rng=rng)
EVEN: Final[Any] = (SPARSE + SPARSE.T).tocoo()
SIDE: Final = rng.normal(size=6)


def near(found: Any, expected: Any, rtol: float = 1e-9) -> None:
    np.testing.assert_allclose(found, expected, rtol=rtol, atol=rtol)
