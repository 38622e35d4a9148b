"""What is made of matrices with structure: the same values and gradients, of smaller matrices."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest

import weft.tensor as wt
from weft import Mode, function, grad

RNG: Final = np.random.default_rng(4)
D: Final = wt.vector("D", shape=(40,))
U: Final = wt.matrix("U", shape=(40, 2))
A: Final = wt.matrix("A", shape=(5, 5))
B: Final = wt.matrix("B", shape=(8, 8))
C: Final = wt.matrix("C", shape=(32, 32))
X: Final = wt.matrix("X", shape=(40, 40))
V: Final = wt.vector("V", shape=(40,))
W: Final = wt.matrix("W", shape=(40, 3))
INPUTS: Final = [D, U, A, B, C, X, V, W]


def regular(n: int) -> Any:
    return RNG.normal(size=(n, n)) / 3 + 2 * np.eye(n)


VALUES: Final = [
    RNG.uniform(1, 2, 40),
    RNG.normal(size=(40, 2)) / 3,
    *map(regular, (5, 8, 32, 40)),
    RNG.normal(size=40),
    RNG.normal(size=(40, 3)),
]

STRUCTURES: Final[dict[str, tuple[Any, int]]] = {
    "few columns": (wt.diag(wt.assume(D, positive=True)) + U @ U.T, 2),
    "one column": (0.5 * wt.outer(V, V) + wt.diag(wt.assume(D, positive=True)), 1),
    "few columns and a number": (1.5 * wt.eye(40) + U @ U.T, 2),
    "kronecker": (wt.kron(A, B), 8),
    "blocks": (wt.linalg.block_diag(B, C), 32),
    "diagonal": (wt.diag(D), 0),
    "triangular": (wt.tril(X), 0),
}
"""Matrices, and how many rows those have that are left to factor."""
ASKED: Final[dict[str, Callable[[Any], Any]]] = {
    "solve a vector": lambda m: wt.solve(m, V).sum(),
    "solve a matrix": lambda m: wt.solve(m, W)[0].sum(),
    "inverse times": lambda m: (wt.inv(m) @ W).sum(),
    "times inverse": lambda m: V @ wt.inv(m) @ V,
    "inverse": lambda m: wt.square(wt.inv(m)).sum(),
    "log det": lambda m: wt.log(wt.det(m)),
    "slogdet": lambda m: wt.slogdet(m)[1],
    "determinant": wt.det,
    "times a vector": lambda m: (m @ V).sum(),
    "a vector times": lambda m: wt.square(V @ m).sum(),
    "times a matrix": lambda m: (m @ W)[1].sum(),
}
PAIRS: Final = [(s, a) for s in STRUCTURES for a in ASKED]


def factored(f: Any) -> int:
    """The rows of the largest matrix that is factored in a function."""
    names = {"Solve", "Inverse", "Det", "SlogDet", "LUFactor", "Cholesky", "Cofactors"}
    nodes = [v for v in f.graph.nodes if type(v.op).__name__ in names]
    return max((v.inputs[0].type.shape[-1] for v in nodes), default=0)


@pytest.mark.cases("numba", "py")
@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_values_and_gradients_are_those_without_rules(mode: str, few: Any) -> None:
    for structure, asked in few(PAIRS, 3):
        cost = ASKED[asked](STRUCTURES[structure][0])
        wanted = [cost, *grad(cost, INPUTS[:6], disconnected_inputs="ignore")]
        plain = function(INPUTS, wanted, mode=Mode("py", books=[]))(*VALUES)
        for found, value in zip(function(INPUTS, wanted, mode=mode)(*VALUES), plain, strict=True):
            size = max(1.0, float(np.abs(value).max()))
            np.testing.assert_allclose(
                found, value, rtol=1e-9, atol=1e-10 * size, err_msg=f"{asked}, {structure}"
            )


@pytest.mark.parametrize("structure", STRUCTURES)
def test_only_small_matrices_are_factored(structure: str) -> None:
    matrix, rows = STRUCTURES[structure]
    for asked, make in ASKED.items():
        f = function(INPUTS, make(matrix), mode="py")
        assert factored(f) <= rows, asked


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_one_factorisation_serves_systems_inverse_and_determinant(mode: str) -> None:
    wanted = [
        *(wt.solve(X, V), wt.solve(X.T, W), wt.inv(X), wt.inv(X.T), wt.det(X)),
        *(*wt.slogdet(X), grad(V @ wt.solve(X, V) + wt.log(wt.abs(wt.det(X))), X)),
    ]
    x, v, w = VALUES[5] - 3 * np.eye(40), *VALUES[6:]
    plain = function([X, V, W], wanted, mode=Mode("py", books=[]))(x, v, w)
    f = function([X, V, W], wanted, mode=mode)
    for found, value in zip(f(x, v, w), plain, strict=True):
        np.testing.assert_allclose(found, value, rtol=1e-9, atol=1e-10)
    kinds = [type(v.op).__name__ for v in f.graph.nodes]
    assert [kinds.count(name) for name in ("LUFactor", "Solve", "Det", "SlogDet")] == [1, 0, 0, 0]
    with pytest.raises(np.linalg.LinAlgError):
        f(np.zeros((40, 40)), v, w)


def test_a_system_of_a_solution_takes_the_same_factors() -> None:
    twice = wt.solve(X, wt.solve(X.T, 2.0 * wt.solve(X, V)))
    x, v = VALUES[5] - 3 * np.eye(40), VALUES[6]
    f = function([X, V], [twice, grad(wt.sum(twice**2), X)], mode="py")
    kinds = [type(v.op).__name__ for v in f.graph.nodes]
    assert [kinds.count(name) for name in ("LUFactor", "Solve")] == [1, 0]
    wanted = np.linalg.solve(x, np.linalg.solve(x.T, 2.0 * np.linalg.solve(x, v)))
    np.testing.assert_allclose(f(x, v)[0], wanted, rtol=1e-9)


def test_a_positive_definite_matrix_has_one_factor() -> None:
    k = wt.assume(X, positive_definite=True)
    wanted = [
        V @ wt.solve(k, V),
        V @ wt.inv(k) @ V,
        wt.log(wt.det(k)),
        wt.inv(k),
        W.T @ wt.solve(k, W),
    ]
    f = function([X, V, W], wanted, mode="py")
    kinds = [type(v.op).__name__ for v in f.graph.nodes]
    assert kinds.count("Cholesky") == 1
    assert not {"Solve", "Inverse", "SlogDet", "LUFactor"} & set(kinds)
    assert kinds.count("SolveTriangular") == 2


def test_facts_hold() -> None:
    """What is known of factors, products and functions of matrices is so."""
    s = wt.assume(wt.matrix("S"), symmetric=True)
    p = wt.assume(wt.matrix("P"), positive_definite=True)
    t = wt.assume(wt.matrix("T"), upper_triangular=True)
    z = wt.zmatrix("Z")
    q = wt.linalg.qr(s).Q
    made = [
        *(part for m in (s, z) for part in wt.linalg.schur(m)),
        *wt.linalg.qz(z, z + 1),
        *(f(m) for m in (p, t) for f in (wt.linalg.expm, wt.linalg.sqrtm, wt.linalg.logm)),
        *(wt.linalg.expm(s), q @ p @ q.T, z.real @ (s @ z.real.T), wt.linalg.lu(s)[2]),
    ]
    names = ["lower_triangular", "upper_triangular", "symmetric", "positive_definite", "orthogonal"]
    x = RNG.normal(size=(4, 4))
    values = [x + x.T, x @ x.T + np.eye(4), np.triu(x) + 4 * np.eye(4), x + 1j * x[::-1]]
    inputs = [*(v.owner.inputs[0] for v in (s, p, t)), z]
    known = 0
    for m, value in zip(made, function(inputs, made, mode="py")(*values), strict=True):
        holds = {
            "lower_triangular": not np.abs(np.triu(value, 1)).max() > 1e-9,
            "upper_triangular": not np.abs(np.tril(value, -1)).max() > 1e-9,
            "symmetric": np.allclose(value, value.T),
            "positive_definite": bool((np.linalg.eigvalsh(value) > 0).all()),
            "orthogonal": np.allclose(value @ value.conj().T, np.eye(4)),
        }
        for name in names:
            if wt.ask(m, name) is True:
                known += 1
                assert holds[name], f"{name} {m}"
    assert known >= 18
