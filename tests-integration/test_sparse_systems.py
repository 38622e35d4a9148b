"""`wt.sparse.linalg`: least squares and systems of dense, sparse and other matrices, as SciPy's."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pytest
import scipy.sparse
import scipy.sparse.linalg
from sparse_examples import SIDE, SPARSE, SQUARE, SYMMETRIC, near

import weft.tensor as wt
from weft_testing import check_grad

OURS: Any = wt.sparse.linalg
theirs: Any = scipy.sparse.linalg
MODES: Final = ["py", "numba", "jax"]


@pytest.mark.cases("py-lsqr-shape0-0.7", "py-lsmr-shape1-0.0", "jax-lsqr-shape2-0.0")
@pytest.mark.parametrize("damp", [0.0, 0.7])
@pytest.mark.parametrize("shape", [(9, 5), (5, 9), (6, 6)])
@pytest.mark.parametrize("name", ["lsqr", "lsmr"])
@pytest.mark.parametrize("mode", MODES)
def test_least_squares_are_scipys(mode: str, name: str, shape: Any, damp: float) -> None:
    a, b, y = wt.matrix("a"), wt.vector("b"), wt.scalar("y")
    m, n = shape
    found = getattr(OURS, name)(a, b, y, atol=1e-12, btol=1e-12)
    wide = a.T @ wt.linalg.solve(a @ a.T + y**2 * wt.eye(m), b)
    direct = wt.linalg.solve(a.T @ a + y**2 * wt.eye(n), a.T @ b) if m >= n else wide
    slopes = [wt.grad((x**3).sum(), v) for x in (found.x, direct) for v in (a, b)]
    matrix, side = SQUARE[:m, :n], SQUARE[10, :m]
    *values, one, two, three, four = wt.function([a, b, y], [*found, *slopes], mode=mode)(
        matrix, side, damp
    )
    expected = getattr(theirs, name)(matrix, side, damp, atol=1e-12, btol=1e-12)
    for k, (mine, other) in enumerate(zip(values, expected, strict=False)):
        if k < 5 or m != n:  # steps after the last have but rounding to estimate conditions of
            near(mine, other, 1e-8)
    near(one, three, 1e-7)
    near(two, four, 1e-7)


@pytest.mark.cases(0)
def test_least_squares_from_elsewhere_and_in_vain(few: Any) -> None:
    matrix, side = SQUARE[:4, :7], SQUARE[9, :4]
    start = SQUARE[8, :7]
    for name in few(("lsqr", "lsmr"), 1):
        solve, other = getattr(OURS, name), getattr(theirs, name)
        found = solve(matrix, side, x0=start).x.eval()
        near(found, other(matrix, side, x0=start)[0], 1e-6)
        assert solve(SPARSE, np.zeros(40)).istop.eval() == 0
        option = "iter_lim" if name == "lsqr" else "maxiter"
        stopped = solve(SPARSE, np.ones(40), **{option: 2})
        assert (stopped.istop.eval(), stopped.itn.eval()) == (7, 2)
        near(solve([[2]], [1]).x.eval(), [0.5])
        single = solve(matrix.astype("float32"), side.astype("float32")).x.eval()
        assert single.dtype == "float32"
        near(single, np.linalg.lstsq(matrix, side)[0], 1e-4)
    singular = np.ones((5, 3))
    near(OURS.lsqr(singular, np.arange(5.0)).x.eval(), np.full(3, 2 / 3), 1e-7)
    check_grad(
        lambda b, x: OURS.lsqr(matrix, b, 0.5, atol=1e-13, btol=1e-13, x0=x).x, [side, start]
    )


SPREAD: Final = np.diag(np.linspace(1, 50, 6)) + 0.1 * SYMMETRIC[:6, :6]
KINDS: Final[dict[str, Any]] = {
    "dense": SPREAD,
    "sparse": scipy.sparse.csr_array(SPREAD),
    "ours": wt.sparse.coo_array(SPREAD),
    "operator": OURS.aslinearoperator(SPREAD),
    "function": lambda v: wt.as_tensor(SPREAD) @ v,
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["cg", "bicgstab", "gmres", "minres"])
def test_systems_of_all_kinds_of_matrices(name: str, kind: str) -> None:
    x, info = getattr(OURS, name)(KINDS[kind], SIDE, rtol=1e-12)
    assert info.eval() == 0
    near(x.eval(), np.linalg.solve(SPREAD, SIDE))


@pytest.mark.cases("py-gmres", "jax-bicgstab")
@pytest.mark.parametrize("name", ["cg", "bicgstab", "gmres"])
@pytest.mark.parametrize("mode", MODES)
def test_what_is_near_to_the_inverse_makes_fewer_steps(mode: str, name: str) -> None:
    solve = getattr(OURS, name)
    b, scale = wt.vector("b"), wt.scalar("scale")
    skew = 0 if name == "cg" else np.triu(SQUARE[:6, :6]) * 0.1
    matrix = SPREAD + skew
    restart = {"restart": 2} if name == "gmres" else {}
    near_inverse = np.linalg.inv(SPREAD + skew / 2)
    many, _ = solve(matrix, SIDE, rtol=1e-10, maxiter=3, **restart)
    outputs = []
    for M in (near_inverse, lambda v: wt.as_tensor(near_inverse) @ v):
        x, info = solve(lambda v: scale * (matrix @ v), b, rtol=1e-12, M=M, **restart)
        _, done = solve(matrix, SIDE, rtol=1e-10, maxiter=3, M=M, **restart)
        outputs += [x, info, wt.grad(x.sum(), scale), *wt.grad((x**2).sum(), [b]), done]
    values = wt.function([b, scale], outputs, mode=mode)(SIDE, 2.0)
    expected = np.linalg.solve(2 * matrix, SIDE)
    for x, info, slope, by_b, done in (values[:5], values[5:]):
        near(x, expected)
        assert info == done == 0
        near(slope, -expected.sum() / 2)
        near(by_b, np.linalg.solve(2 * matrix.T, 2 * expected))
    assert np.abs(matrix @ many.eval() - SIDE).max() > 1e-8


@pytest.mark.parametrize("mode", MODES)
def test_indefinite_systems_with_what_is_near_to_the_inverse(mode: str) -> None:
    """Of a matrix of which M knows the sizes, the signs are left: two steps."""
    steep = np.diag([1e-3, 1.0, -50.0, 900.0, 2e4, -7e5])
    a, b = wt.matrix("a"), wt.vector("b")
    M = np.diag(1 / np.abs(np.diag(steep)))
    x, info = OURS.minres(a, b, rtol=1e-10, M=M, maxiter=3)
    direct = wt.linalg.solve(a, b)
    slopes = [wt.grad(wt.tanh(v).sum(), w) for v in (x, direct) for w in (a, b)]
    found = wt.function([a, b], [x, direct, info, *slopes], mode=mode)(steep, SIDE)
    assert found[2] == 0
    assert OURS.minres(steep, SIDE, rtol=1e-10, maxiter=3)[1].eval() == 3
    for k, other in ((0, 1), (3, 5), (4, 6)):
        near(found[k], found[other], 1e-7)


@pytest.mark.parametrize("mode", MODES)
def test_indefinite_systems(mode: str) -> None:
    a, b, shift = wt.matrix("a"), wt.vector("b"), wt.scalar("shift")
    x, info = OURS.minres(a, b, 0.1 * b, rtol=1e-13, shift=shift)
    direct = wt.linalg.solve(a - shift * wt.eye(6), b)
    slopes = [wt.grad((v**3).sum(), w) for v in (x, direct) for w in (a, b, shift)]
    found = wt.function([a, b, shift], [x, direct, info, *slopes], mode=mode)(
        SYMMETRIC[:6, :6], SIDE, 0.5
    )
    assert found[2] == 0
    for k in (0, 3, 4, 5):
        near(found[k], found[k + (3 if k else 1)], 1e-7)
