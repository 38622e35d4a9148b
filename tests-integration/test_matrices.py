"""wt.linalg on each backend: values of NumPy and SciPy, derivatives, batches, errors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
import pytest
import scipy.linalg

import weft.tensor as wt
from weft import Mode, function, grad
from weft_testing import check_grad

linalg = wt.linalg
BACKENDS = ["py", "numba", "jax"]
RNG = np.random.default_rng(7)
SQUARE = RNG.normal(size=(4, 4))
TALL = RNG.normal(size=(5, 3))
WIDE = RNG.normal(size=(3, 5))
COMPLEX = SQUARE + 1j * RNG.normal(size=(4, 4))
TALL_COMPLEX = TALL + 1j * RNG.normal(size=(5, 3))
STACK = RNG.normal(size=(2, 3, 4, 3))
POSITIVE = SQUARE @ SQUARE.T + np.eye(4)
FLAT = np.outer([1.0, 2.0, 3.0], [1.0, -1.0])
VECTOR = RNG.normal(size=4)
MATRICES = [SQUARE, TALL, WIDE, COMPLEX, TALL_COMPLEX, STACK, SQUARE.astype("float32")]


def variable(value: Any) -> Any:
    array = np.asarray(value)
    return wt.tensor("x", str(array.dtype), [None] * array.ndim)


def run(f: Callable[..., Any], values: Any, mode: str = "py") -> Any:
    inputs = [variable(v) for v in values]
    made = f(*inputs)
    outputs = list(made) if isinstance(made, (list, tuple)) else made
    return function(inputs, outputs, mode=Mode(mode))(*values)


def same(found: Any, expected: Any) -> None:
    expected = np.asarray(expected)
    assert found.shape == expected.shape
    assert found.dtype == expected.dtype
    exact = expected.dtype in (np.float32, np.complex64)
    size = max(1.0, float(np.abs(expected[np.isfinite(expected)]).max(initial=0.0)))
    tolerance = (1e-4 if exact else 1e-10) * size
    np.testing.assert_allclose(found, expected, rtol=0, atol=tolerance)


def adjoint(x: Any) -> Any:
    return np.swapaxes(x.conj(), -1, -2)


def adjoint_of(x: Any) -> Any:
    return x.conj().mT if x.is_complex else x.mT


ALIKE: list[tuple[str, Callable[..., Any], tuple[Any, ...]]] = [
    *(("svdvals", lambda m, x: m.svdvals(x), (x,)) for x in MATRICES),
    ("svd values", lambda m, x: m.svd(x, compute_uv=False, hermitian=True), (POSITIVE,)),
    ("eigvalsh", lambda m, x: m.eigvalsh(x), (SQUARE,)),
    ("eigvalsh", lambda m, x: m.eigvalsh(x, "U"), (COMPLEX,)),
    *(("r", lambda m, x: m.qr(x, "r"), (x,)) for x in MATRICES),
    *(("qr", lambda m, x: list(m.qr(x)), (x,)) for x in (SQUARE, TALL, WIDE, COMPLEX)),
    *(("pinv", lambda m, x: m.pinv(x), (x,)) for x in (*MATRICES, FLAT)),
    *(("rank", lambda m, x: m.matrix_rank(x), (x,)) for x in (*MATRICES[:-1], FLAT, VECTOR)),
    ("rank", lambda m, x: m.matrix_rank(x, tol=0.5, hermitian=True), (POSITIVE,)),
    *(
        ("cond", lambda m, x, p=p: m.cond(x, p), (x,))
        for x in (SQUARE, np.zeros((2, 2)), COMPLEX)
        for p in (None, 2, -2, 1, -1, np.inf, "fro")
    ),
    *(("norm", lambda m, x: m.norm(x), (x,)) for x in (*MATRICES[:-1], VECTOR)),
    *(
        ("norm", lambda m, x, p=p, k=k: m.norm(x, p, axis=(0, -1), keepdims=k), (x,))
        for x in (SQUARE, TALL_COMPLEX)
        for p in (None, "fro", "nuc", 1, -1, 2, -2, np.inf, -np.inf)
        for k in (False, True)
    ),
    *(
        ("norm", lambda m, x, p=p: m.norm(x, p, axis=1), (TALL_COMPLEX,))
        for p in (None, 0, 1, 2, 3, -1.5, np.inf, -np.inf)
    ),
    ("norm", lambda m, x: m.norm(x, keepdims=True), (SQUARE,)),
    ("norm", lambda m, x: m.norm(x, 1), (SQUARE,)),
    ("norm", lambda m, x: m.norm(x), (np.arange(4),)),
    ("vector_norm", lambda m, x: m.vector_norm(x, axis=(0, 2), ord=1), (STACK,)),
    ("vector_norm", lambda m, x: m.vector_norm(x, keepdims=True), (STACK,)),
    ("matrix_norm", lambda m, x: m.matrix_norm(x, ord=1, keepdims=True), (STACK,)),
    ("trace", lambda m, x: m.trace(x), (STACK,)),
    ("trace", lambda m, x: m.trace(x, offset=1, dtype="float32"), (STACK,)),
    ("diagonal", lambda m, x: m.diagonal(x, offset=-1), (STACK,)),
    ("tensorinv", lambda m, x: m.tensorinv(x), (RNG.normal(size=(4, 6, 8, 3)),)),
    ("tensorinv", lambda m, x: m.tensorinv(x, ind=1), (RNG.normal(size=(24, 8, 3)),)),
    (
        "tensorsolve",
        lambda m, a, b: m.tensorsolve(a, b, axes=(0, 2)),
        (RNG.normal(size=(3, 6, 4, 2)), RNG.normal(size=(6, 2))),
    ),
    (
        "lstsq",
        lambda m, a, b: [m.lstsq(a, b)[0], m.lstsq(a, b)[3]],
        (TALL, RNG.normal(size=(5, 2))),
    ),
    ("lstsq", lambda m, a, b: m.lstsq(a, b)[0], (WIDE, RNG.normal(size=3))),
    ("lstsq", lambda m, a, b: m.lstsq(a, b, rcond=None)[0], (FLAT, RNG.normal(size=3))),
    ("lstsq", lambda m, a: m.lstsq(a, [1.0, 2.0], rcond=-1)[0], (np.diag([2.0, 1e-20]),)),
]


@pytest.mark.cases("jax", "py")
@pytest.mark.parametrize("mode", BACKENDS)
def test_values_are_numpys(mode: str, few: Any) -> None:
    """All together: one function is compiled in less time than one each."""
    inputs: list[Any] = []
    outputs: list[Any] = []
    values: list[Any] = []
    expected: list[Any] = []
    for _, f, given in few(ALIKE, 15):
        own = [variable(v) for v in given]
        for target, made in ((outputs, f(linalg, *own)), (expected, f(np.linalg, *given))):
            target += list(made) if isinstance(made, (list, tuple)) else [made]
        inputs += own
        values += given
    found = function(inputs, outputs, mode=Mode(mode))(*values)
    for actual, wanted in zip(found, expected, strict=True):
        same(actual, wanted)


@pytest.mark.parametrize("mode", BACKENDS)
@pytest.mark.parametrize("x", [*MATRICES, TALL[:, :0], TALL[:1, :1]], ids=lambda x: str(x.shape))
def test_factors_multiply_to_the_matrix(x: Any, mode: str) -> None:
    def parts(v: Any) -> list[Any]:
        return [*linalg.svd(v), *linalg.svd(v, False), *linalg.qr(v, "complete"), *linalg.qr(v)]

    u, s, v, a, b, c, q, r, q2, r2 = run(parts, [x], mode)
    k = s.shape[-1]
    same((u[..., :k] * s[..., None, :].astype(x.dtype)) @ v[..., :k, :], x)
    same((a * b[..., None, :].astype(x.dtype)) @ c, x)
    same(q @ r, x)
    same(q2 @ r2, x)
    for unitary in (u, adjoint(v), a, adjoint(c), q, q2):
        ones = np.broadcast_to(
            np.eye(unitary.shape[-1], dtype=x.dtype), (*x.shape[:-2], *[unitary.shape[-1]] * 2)
        )
        same(adjoint(unitary) @ unitary, ones)


@pytest.mark.parametrize("mode", BACKENDS)
@pytest.mark.parametrize("x", [SQUARE, COMPLEX, STACK[..., :3, :]], ids=["real", "complex", "many"])
def test_eigenvectors(x: Any, mode: str) -> None:
    halves: list[tuple[Literal["L", "U"], Any]] = [
        ("L", np.tril(x) + adjoint(np.tril(x, -1))),
        ("U", np.triu(x) + adjoint(np.triu(x, 1))),
    ]
    for half, whole in halves:
        n = np.arange(x.shape[-1])
        whole[..., n, n] = whole[..., n, n].real
        w, v = run(lambda m, half=half: list(linalg.eigh(m, half)), [x], mode)
        same((v * w[..., None, :].astype(x.dtype)) @ adjoint(v), whole)
        same(w, np.linalg.eigvalsh(x, half))
    symmetric = x + adjoint(x)
    u, s, v = run(lambda m: list(linalg.svd(m, hermitian=True)), [symmetric], mode)
    same((u * s[..., None, :].astype(x.dtype)) @ v, symmetric)
    same(s, np.linalg.svdvals(symmetric))


@pytest.mark.parametrize("size", [1e-200, 1e-150, 1.0, 1e160])
def test_small_and_large_numbers_in_qr(size: float, few: Any) -> None:
    x = RNG.normal(size=(6, 5, 4))
    x[1, :, 2] = 0.0
    x[2] = 0.0
    x[3, 1:] = 0.0
    x[4, :, 0] *= 1e-100
    kinds: list[Literal["reduced", "complete"]] = ["reduced", "complete"]
    for mode in few(("py", "numba"), 1):
        for complete in kinds:
            q, r = run(lambda v, c=complete: list(linalg.qr(v, c)), [x * size], mode)
            expected = np.linalg.qr(x * size, complete)
            same(q @ (r / size), x)
            same(adjoint(q) @ q, np.broadcast_to(np.eye(q.shape[-1]), (6, *[q.shape[-1]] * 2)))
            same(r / size, expected[1] / size)
    x[5, 2, 2] = np.nan
    q, r = run(lambda v: list(linalg.qr(v)), [x], "numba")
    assert np.isnan(r[5]).any()
    assert np.isfinite(r[:5]).all()


def from_svd(full: bool) -> Callable[[Any], list[Any]]:
    """What does not depend on signs, phases and bases of singular vectors."""

    def parts(x: Any) -> list[Any]:
        u, s, v = linalg.svd(x, full)
        k = wt.shape(s)[-1]
        left, right = u[..., :k], v[..., :k, :]
        made = [s, (left * wt.exp(s).expand_dims(-2)) @ right]
        made.append((left * wt.arange(k)) @ adjoint_of(left))
        if full:
            made.append(u[..., k:] @ adjoint_of(u[..., k:]))
            made.append(adjoint_of(v[..., k:, :]) @ v[..., k:, :])
        return made

    return parts


def from_eigh(half: str) -> Callable[[Any], list[Any]]:
    def parts(x: Any) -> list[Any]:
        w, v = linalg.eigh(x, half)
        return [w, linalg.eigvalsh(x, half), (v * wt.exp(w).expand_dims(-2)) @ adjoint_of(v)]

    return parts


def from_qr(x: Any) -> list[Any]:
    q, r = linalg.qr(x, "complete")
    k = wt.minimum(*wt.shape(x)[-2:])
    return [q[..., :k], r, q[..., k:] @ adjoint_of(q[..., k:]), *linalg.qr(x)]


@pytest.mark.parametrize("x", MATRICES[:-1], ids=lambda x: f"{x.dtype}{x.shape}")
def test_derivatives_of_factors(x: Any) -> None:
    for full in (True, False):
        check_grad(from_svd(full), [x], rtol=1e-6)
    check_grad(from_qr, [x], rtol=1e-6)
    check_grad(linalg.svdvals, [x], rtol=1e-6)
    check_grad(linalg.pinv, [x], rtol=1e-6)
    if x.shape[-1] == x.shape[-2]:
        for half in "LU":
            check_grad(from_eigh(half), [x], rtol=1e-6)


@pytest.mark.cases(0)
def test_derivatives_of_norms_and_solutions() -> None:
    for p in (None, "nuc", 1, -1, 2, -2, np.inf):
        check_grad(lambda x, p=p: linalg.norm(x, p, axis=(-2, -1)), [STACK], rtol=1e-6)
        check_grad(lambda x, p=p: linalg.cond(x, None if p == "nuc" else p), [SQUARE], rtol=1e-6)
    for p in (None, 1, 3, np.inf):
        check_grad(lambda x, p=p: linalg.norm(x, p, axis=0), [TALL_COMPLEX], rtol=1e-6)
    for a, b in ((TALL, TALL[:, :2] + 1), (WIDE, VECTOR[:3]), (TALL_COMPLEX, TALL)):
        check_grad(lambda x, y: list(linalg.lstsq(x, y)[:2]), [a, b], rtol=1e-6)
    check_grad(lambda x: linalg.cho_solve(linalg.cho_factor(x @ x.mT), VECTOR), [SQUARE])
    check_grad(lambda x: linalg.tensorinv(x, 1), [SQUARE])


def test_where_values_are_equal_their_own_derivatives_are_right() -> None:
    x = wt.dmatrix("x")
    for values in (linalg.svdvals(x), linalg.eigvalsh(x), linalg.svd(x)[1], linalg.eigh(x)[0]):
        slope = grad(wt.sum(values**2), x).eval({x: 2.0 * np.eye(3)})
        np.testing.assert_allclose(slope, 4.0 * np.eye(3), atol=1e-12)
    assert grad(linalg.norm(x), x).eval({x: np.zeros((2, 2))}).tolist() == [[0.0] * 2] * 2
    _, v = linalg.eigh(x)
    with np.errstate(all="ignore"):
        slope = grad(wt.sum((v * wt.arange(3)) @ v.mT * SQUARE[:3, :3]), x).eval({x: np.eye(3)})
    assert not np.isfinite(slope).all()


@pytest.mark.parametrize("mode", BACKENDS)
def test_vectors_of_equal_values_may_turn_where_nothing_depends_on_it(mode: str) -> None:
    def slope(x: Any) -> Any:
        u, _, v = linalg.svd(x, False)
        return grad(wt.sum(SQUARE * (u @ v)), x)

    wanted = (SQUARE - SQUARE.T) / 4  # of the nearest orthogonal matrix, at twice the identity
    np.testing.assert_allclose(run(slope, [2 * np.eye(4)], mode), wanted, atol=1e-14)


@pytest.mark.cases("jax", "py")
@pytest.mark.parametrize("mode", BACKENDS)
def test_batches_are_computed_at_once(mode: str) -> None:
    x = wt.dmatrix("x")
    made = [*linalg.svd(x), *linalg.qr(x), linalg.pinv(x), linalg.norm(x, 2)]
    stack = wt.dtensor3("stack")
    many = wt.vectorize_graph(made, {x: stack})
    for one, all_ in zip(
        function([x], made, mode=Mode(mode))(STACK[0, 1]),
        function([stack], many, mode=Mode(mode))(STACK[0]),
        strict=True,
    ):
        np.testing.assert_allclose(all_[1], one, atol=1e-12)


@pytest.mark.parametrize("mode", ["py", "numba"])
def test_what_is_not_finite_is_refused(mode: str) -> None:
    x = wt.dmatrix("x")
    bad = np.full((3, 3), np.nan)
    for made, message in (
        (linalg.svd(x)[0], "SVD did not converge"),
        (linalg.svdvals(x), "SVD did not converge"),
        (linalg.eigh(x)[0], "Eigenvalues did not converge"),
        (linalg.eigvalsh(x), "Eigenvalues did not converge"),
    ):
        with pytest.raises(np.linalg.LinAlgError, match=message) as caught:
            function([x], made, mode=Mode(mode))(bad)
        assert "while computing" in caught.value.__notes__[0]


def test_on_jax_it_gives_nan() -> None:
    x = wt.dmatrix("x")
    made = [linalg.svd(x)[0], linalg.svdvals(x), linalg.eigh(x)[0], linalg.eigvalsh(x)]
    for value in function([x], made, mode="jax")(np.full((3, 3), np.nan)):
        assert np.isnan(value).all()


def test_wrong_arguments() -> None:
    x, v = wt.dmatrix("x"), wt.dvector("v")
    cases: list[tuple[Callable[[], Any], type[Exception], str]] = [
        (lambda: linalg.eigh(x, "M"), ValueError, "UPLO must be 'L' or 'U', not 'M'"),
        (lambda: linalg.qr(x, "raw"), ValueError, "mode must be 'reduced', 'complete' or 'r'"),
        (lambda: linalg.eigh(np.ones((2, 3))), ValueError, "eigh needs square matrices"),
        (lambda: linalg.svd(v), ValueError, "svd needs a matrix or a stack of them"),
        (lambda: linalg.pinvh(v), ValueError, "pinvh needs a matrix or a stack of them"),
        (lambda: linalg.subspace_angles(v, x), ValueError, "subspace_angles needs a matrix"),
        (lambda: linalg.norm(x, 3), ValueError, "ord of matrices is None"),
        (lambda: linalg.norm(v, "fro"), ValueError, "vectors have no norm 'fro'"),
        (lambda: linalg.norm(STACK, 2), ValueError, "one or two axes, not 4"),
        (lambda: linalg.norm(x, axis=(0, -2)), ValueError, "the two axes are the same"),
        (lambda: linalg.pinv(x, 0.1, rtol=0.1), ValueError, "rcond or rtol, not both"),
        (lambda: linalg.matrix_rank(x, 0.1, rtol=0.1), ValueError, "tol or rtol, not both"),
        (lambda: linalg.lstsq(np.ones((2, 3)), np.ones(3)), np.linalg.LinAlgError, "do not fit"),
        (lambda: linalg.tensorinv(x, 0), ValueError, "ind must be positive"),
    ]
    for call, error, message in cases:
        with pytest.raises(error, match=message):
            call()


def test_numpys_functions_make_them() -> None:
    x = wt.dmatrix("x")
    for name in ("svd", "qr", "eigh", "lstsq"):
        arguments = (x, VECTOR) if name == "lstsq" else (x,)
        parts = getattr(np.linalg, name)(*arguments)
        for made, wanted in zip(
            parts, getattr(np.linalg, name)(SQUARE, *arguments[1:]), strict=True
        ):
            if name != "lstsq" or wanted.size:
                same(made.eval({x: SQUARE}), np.asarray(wanted))
    names = "cond eigvalsh matrix_norm matrix_rank norm pinv svdvals trace diagonal"
    for name in names.split():
        f = getattr(np.linalg, name)
        same(f(x).eval({x: SQUARE}), f(SQUARE))


def test_cho_solve_is_scipys() -> None:
    for lower in (True, False):
        expected = scipy.linalg.cho_solve(scipy.linalg.cho_factor(POSITIVE, lower), VECTOR)
        found = run(
            lambda a, b, x=lower: linalg.cho_solve(linalg.cho_factor(a, x), b), [POSITIVE, VECTOR]
        )
        same(found, expected)


def test_condition_of_tiny_and_huge_matrices() -> None:
    x = wt.dmatrix("x")
    f = function([x], [linalg.cond(x, p) for p in (1, "fro", "nuc", np.inf)], mode="py")
    for size in (1e-200, 1e200):
        np.testing.assert_allclose(f(size * SQUARE), f(SQUARE), rtol=1e-12)
