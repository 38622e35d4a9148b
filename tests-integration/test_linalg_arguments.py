"""What SciPy's linear algebra takes besides matrices, on each backend, and its bad input."""

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
RNG = np.random.default_rng(5)
A, SIDE = RNG.normal(size=(4, 4)), RNG.normal(size=(4, 2))
P = A @ A.T + np.eye(4)
WIDE = RNG.normal(size=(4, 6)) * [1, 9, 2, 7, 3, 1]


def adjoint(x: Any) -> Any:
    return x.conj().T


def bands(a: Any) -> Any:
    return a[:2] if isinstance(a, np.ndarray) else wt.specify_shape(a[:2], 2, None)


def of_pairs(w: Any, v: Any) -> list[Any]:
    return [w, (v * w) @ adjoint(v)]


def of_eig(m: Any, a: Any, b: Any) -> list[Any]:
    w, v = m.eig(a, b)
    return [(w**2).sum(), m.eigvals(a, b).sum(), (v * w**2) @ m.inv(v)]


def pivoted(m: Any, a: Any, mode: str) -> list[Any]:
    q, r, p = m.qr(a, mode=mode, pivoting=True)
    return [q, r, p]


CASES: Final[dict[str, Callable[[Any, Any, Any], list[Any]]]] = {
    "eigh of places": lambda m, a, b: of_pairs(*m.eigh(a, lower=False, subset_by_index=[1, 2])),
    "eigh of sizes": lambda m, a, b: of_pairs(*m.eigh(a, subset_by_value=(-1.5, 1.5))),
    "eigh of two": lambda m, a, b: of_pairs(*m.eigh(a, b, subset_by_index=[0, 2])),
    "eigh of values": lambda m, a, b: [
        m.eigh(a, eigvals_only=True), m.eigvalsh(a, b, lower=False, subset_by_index=[3, 3])],
    "eig of two": of_eig,
    "qr with pivots": lambda m, a, b: pivoted(m, a @ WIDE, "full"),
    "qr of tall with pivots": lambda m, a, b: pivoted(m, WIDE.T @ a, "economic"),
    "product with pivots": lambda m, a, b: m.qr_multiply(WIDE.T @ a, a, "left", pivoting=True),
    "pinv": lambda m, a, b: [
        *m.pinv(a, atol=1.5, return_rank=True), m.pinv(a, atol=0.1, rtol=0.4)],
    "bands of places": lambda m, a, b: of_pairs(
        *m.eig_banded(bands(a), lower=True, select="i", select_range=(1, 2))),
    "bands of sizes": lambda m, a, b: [
        m.eigvals_banded(bands(a), select="v", select_range=(-1.0, 9.0))],
    "tridiagonal": lambda m, a, b: [
        *of_pairs(*m.eigh_tridiagonal(a[0], a[1, 1:], select="i", select_range=(0, 1))),
        m.eigvalsh_tridiagonal(a[0], a[1, 1:], "v", (-1.0, 9.0))],
    "expm_frechet": lambda m, a, b: [m.expm_frechet(a, b, compute_expm=False)],
    "solve_continuous_are": lambda m, a, b: [
        m.solve_continuous_are(a, SIDE, b, 2 * np.eye(2), e=a + 5 * b, s=0.1 * SIDE),
        m.solve_continuous_are(a[:1, :1], 1.0, 2.0, 0.5)],
    "solve_discrete_are": lambda m, a, b: [
        m.solve_discrete_are(a, SIDE, b, 2 * np.eye(2), e=a + 5 * b, s=0.1 * SIDE),
        m.solve_discrete_are(a[:1, :1], 1.0, 2.0, 0.5)],
    "pinvh": lambda m, a, b: [
        m.pinvh(a), *m.pinvh(a, atol=1.2, return_rank=True), m.pinvh(a, rtol=0.3, lower=False)],
    "lstsq": lambda m, a, b: [m.lstsq(a, SIDE, cond=0.3)[0]],
    "leslie": lambda m, a, b: [m.leslie([1, 2, 3], [0.25, 0.5])],
}  # fmt: skip


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_arguments_are_those_of_scipy(mode: str, few: Any) -> None:
    a, b = wt.matrix("a"), wt.matrix("b")
    names = few(list(CASES), 4) if mode != "py" else list(CASES)
    f = wt.function([a, b], [CASES[name](OURS, a, b) for name in names], mode=mode)
    for name, found in zip(names, f(A, P), strict=True):
        for x, y in zip(found, CASES[name](THEIRS, A, P), strict=True):
            np.testing.assert_allclose(x, y, rtol=1e-7, atol=1e-9, err_msg=name)


@pytest.mark.cases(4)
@pytest.mark.parametrize("name", [name for name in CASES if name != "leslie"])
def test_derivatives_in_both_modes(name: str) -> None:
    check_grad(lambda a, b: CASES[name](OURS, a, b)[:2], [A, P], rtol=1e-5)


def test_pseudoinverses_of_equal_eigenvalues_have_slopes() -> None:
    for x in (np.eye(3), np.diag([2.0, 0.0, 0.0])):
        slope = wt.grad((OURS.pinvh(v := wt.matrix("v")) * P[:3, :3]).sum(), v).eval({v: x})
        np.testing.assert_allclose(slope + slope.T, symmetric_slope(x), atol=1e-9)


def symmetric_slope(x: Any) -> Any:
    """That of `pinv`, both halves of which count."""
    v = wt.matrix("v")
    both = wt.grad((OURS.pinv(v) * P[:3, :3]).sum(), v).eval({v: x})
    return both + both.T


def test_pivots_of_stacks_complex_numbers_and_few_columns() -> None:
    shapes = [(2, 3, 4, 5), (5, 2), (1, 1), (3, 0), (0, 3)]
    for shape in shapes:
        x = RNG.normal(size=shape) + 1j * RNG.normal(size=shape)
        q, r, p = (v.eval() for v in OURS.qr(x, pivoting=True))
        np.testing.assert_allclose(q @ r, np.take_along_axis(x, p[..., None, :], -1), atol=1e-12)
        assert (np.diff(abs(np.diagonal(r, axis1=-2, axis2=-1)), axis=-1) <= 0).all()


def test_stacks_of_directions_broadcast_with_those_of_matrices() -> None:
    x, direction = RNG.normal(size=(1, 3, 4, 4)), RNG.normal(size=(2, 1, 4, 4))
    value, change = (v.eval() for v in OURS.expm_frechet(x, direction))
    assert value.shape == change.shape == (2, 3, 4, 4)
    expected = THEIRS.expm_frechet(x[0, 2], direction[1, 0])
    for mine, other in zip((value[1, 2], change[1, 2]), expected, strict=True):
        np.testing.assert_allclose(mine, other, rtol=1e-10)


def infeasible(mode: str) -> Any:
    """P. Benner and others, arXiv 1505.04861: the closed loop has eigenvalues on the axis."""
    a = np.array([[1.0, -1, 1], [0, 1, 1], [0, 0, 1]])
    b, r = np.array([[1.0, 0], [1, 0], [0, 1]]), np.diag([-10.0, 0.1])
    q = np.diag([8.0, -1, -1.9]) - 2
    return wt.function([], OURS.solve_continuous_are(a, b, q, r), mode=mode)()


@pytest.mark.cases("py")
@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_equations_without_a_stable_solution_are_errors(mode: str) -> None:
    with pytest.raises(np.linalg.LinAlgError, match="no stable solution"):
        infeasible(mode)


@pytest.mark.cases("py")
@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_singular_diagonals_are_errors(mode: str) -> None:
    a = wt.matrix("a")
    solve = wt.function([a], OURS.solve(a, [1.0, 2.0], assume_a="diagonal"), mode=mode)
    np.testing.assert_allclose(solve(np.diag([2.0, 4.0])), [0.5, 0.5])
    with pytest.raises(np.linalg.LinAlgError, match="is singular"):
        solve(np.diag([1.0, 0.0]))


ERRORS: Final[dict[str, Callable[[], Any]]] = {
    "must have length": lambda: OURS.orthogonal_procrustes(A, A[:, :3]),
    "not both": lambda: OURS.eigh(A, subset_by_index=[0, 1], subset_by_value=[0, 1]),
    "one matrix, not stacks": lambda: OURS.eigvalsh(A[None], subset_by_value=[0, 1]),
    "need select_range": lambda: OURS.eigvals_banded(A[:2], select="i"),
    "mode must be": lambda: OURS.qr(A, mode="raw"),
}


@pytest.mark.parametrize("message", ERRORS)
def test_errors(message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ERRORS[message]()


def test_what_has_no_elements_and_complex_diagonals() -> None:
    assert OURS.pinvh(np.zeros((0, 0))).eval().shape == (0, 0)
    assert OURS.pinv(np.zeros((3, 0)), return_rank=True)[1].eval() == 0
    with pytest.raises(TypeError, match="has real diagonals"):
        OURS.eigvalsh_tridiagonal([1.0, 2.0], [1j])


@pytest.mark.parametrize("b", [None, P])
@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_eigenvectors_on_the_left(b: Any, mode: str) -> None:
    a = wt.matrix("a")
    every = OURS.eig(a, b, left=True)
    some = [*OURS.eig(a, b, left=True, right=False), OURS.eig(a, b, right=False)]
    w, u, v, *others = wt.function([a], [*every, *some], mode=mode)(A)
    beside = np.eye(4) if b is None else b
    np.testing.assert_allclose(adjoint(u) @ A, w[:, None] * (adjoint(u) @ beside), atol=1e-12)
    np.testing.assert_allclose(A @ v, beside @ v * w, atol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(u, axis=0), 1.0)
    for found, expected in zip(others, (w, u, w), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-10)
    theirs = scipy.linalg.eig(A, b, left=True)
    order = [abs(theirs[0] - value).argmin() for value in w]
    phases = (adjoint(u) * theirs[1][:, order].T).sum(1)
    np.testing.assert_allclose(abs(phases), 1.0)


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
@pytest.mark.parametrize("side", ["diag(s) @ M", "M @ diag(s)"])
def test_diagonals_of_another_length_are_errors(side: str, mode: str) -> None:
    s, m = wt.vector("s"), wt.matrix("M")
    product = wt.diag(s) @ m if side == "diag(s) @ M" else m @ wt.diag(s)
    f = wt.function([s, m], product, mode=mode)
    for length in (1, 3):
        with pytest.raises(ValueError, match=f"a vector of length {length} is not of length 4"):
            f(np.ones(length), np.ones((4, 4)))
