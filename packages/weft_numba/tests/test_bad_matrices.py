"""Matrices that no method takes, or that have NaN: Numba gives what Python gives, or its error."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pytest

import weft_tensor as wt

A, B = wt.matrix("A"), wt.matrix("B")
T = wt.tensor3("T")
x = wt.vector("x")
nan, inf = np.nan, np.inf
ones = np.ones
SOME: Final = np.array([1.0, nan, -inf, 0.0, -0.0, inf, nan, 1.0])

CASES: Final[dict[str, Any]] = {
    "solving": (
        lambda: ([A, x], wt.solve(A, x)),
        [
            (np.zeros((2, 2)), ones(2)),
            (ones((2, 2)), ones(2)),
            (ones((2, 3)), ones(2)),
            (np.eye(2), ones(3)),
            (np.full((2, 2), nan), ones(2)),
            (np.eye(2), SOME[:2]),
            (ones((0, 0)), ones(0)),
        ],
    ),
    "triangular": (
        lambda: ([A, x], wt.solve_triangular(A, x, lower=True)),
        [
            (np.zeros((2, 2)), ones(2)),
            (ones((2, 3)), ones(2)),
            (np.eye(2), ones(3)),
            (np.full((2, 2), nan), ones(2)),
            (ones((0, 0)), ones(0)),
        ],
    ),
    "an inverse": (
        lambda: ([A], wt.inv(A)),
        [
            (np.zeros((2, 2)),),
            (ones((2, 2)),),
            (ones((2, 3)),),
            (np.full((2, 2), nan),),
            (np.array([[inf, 0.0], [0.0, 1.0]]),),
            (ones((0, 0)),),
        ],
    ),
    "determinants": (
        lambda: ([A], [wt.det(A), *wt.slogdet(A)]),
        [(np.zeros((2, 2)),), (ones((2, 3)),), (np.full((2, 2), nan),), (ones((0, 0)),)],
    ),
    "cholesky": (
        lambda: ([A], wt.cholesky(A)),
        [
            (np.zeros((2, 2)),),
            (-np.eye(2),),
            (ones((2, 3)),),
            (np.full((2, 2), nan),),
            (np.array([[1.0, 0.0], [nan, 1.0]]),),
            (np.array([[1.0, nan], [0.0, 1.0]]),),
            (np.array([[inf, 0.0], [0.0, 1.0]]),),
            (ones((0, 0)),),
            (np.asfortranarray([[2.0, 9.0], [1.0, 2.0]]),),
        ],
    ),
    "cholesky of many": (
        lambda: ([T], wt.cholesky(T)),
        [(np.stack([np.eye(2), -np.eye(2)]),), (ones((2, 2, 3)),), (ones((0, 2, 2)),)],
    ),
    "solving many": (
        lambda: ([T, A], wt.solve(T, A)),
        [
            (np.stack([np.eye(2), ones((2, 2))]), ones((2, 1))),
            (ones((3, 2, 2)), ones((3, 2))),
            (ones((0, 2, 2)), ones((2, 1))),
        ],
    ),
}


@pytest.mark.cases(5)
@pytest.mark.parametrize("name", CASES)
def test_numba_answers_as_python_does(name: str, answers_as_python: Any) -> None:
    build, table = CASES[name]
    answers_as_python(build(), table)
