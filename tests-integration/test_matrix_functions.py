"""wt.linalg on each backend: Schur forms, functions of matrices, and equations of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import scipy.linalg

import weft.tensor as wt
from weft import Mode, UndefinedGradientError, function, grad
from weft_testing import check_grad

linalg = wt.linalg
BACKENDS = ["py", "numba", "jax"]
RNG = np.random.default_rng(5)
SQUARE = RNG.normal(size=(4, 4))
COMPLEX = SQUARE + 1j * RNG.normal(size=(4, 4))
STACK = RNG.normal(size=(2, 3, 3))
POSITIVE = SQUARE @ SQUARE.T + np.eye(4)
NEGATIVE = np.array([[-1.0, 0.0], [0.0, 2.0]])


def run(f: Callable[..., Any], values: Any, mode: str) -> Any:
    inputs = [wt.tensor("x", str(np.asarray(v).dtype), [None] * np.ndim(v)) for v in values]
    made = f(*inputs)
    outputs = list(made) if isinstance(made, (list, tuple)) else made
    return function(inputs, outputs, mode=Mode(mode))(*values)


def run_each(f: Callable[..., Any], values: Any, mode: str) -> Iterator[Any]:
    """The results for each value, by one function for all of a dtype."""
    compiled: dict[str, Any] = {}
    for value in values:
        dtype = str(value.dtype)
        if dtype not in compiled:
            x = wt.tensor("x", dtype, [None] * value.ndim)
            compiled[dtype] = function([x], f(x), mode=Mode(mode))
        yield compiled[dtype](value)


def same(found: Any, expected: Any, tolerance: float = 1e-10) -> None:
    expected = np.asarray(expected)
    assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
    size = max(1.0, float(np.abs(expected).max(initial=0.0)))
    np.testing.assert_allclose(found, expected, rtol=0, atol=tolerance * size)


def adjoint(x: Any) -> Any:
    return np.swapaxes(x.conj(), -1, -2)


@pytest.mark.parametrize("mode", BACKENDS)
def test_schur_forms(mode: str) -> None:
    for x in (SQUARE, COMPLEX, STACK):
        for output in ("real", "complex"):
            t, z = run(lambda v, o=output: linalg.schur(v, o), [x], mode)
            same(z @ t @ adjoint(z), x.astype(z.dtype))
            same(z @ adjoint(z), np.broadcast_to(np.eye(x.shape[-1], dtype=z.dtype), x.shape))
            if np.iscomplexobj(t):
                assert not np.tril(t, -1).any()


@pytest.mark.parametrize("mode", ["py", "numba"])
def test_schur_forms_of_pairs(mode: str) -> None:
    for a, b in ((SQUARE, POSITIVE), (COMPLEX, SQUARE), (STACK, STACK[0])):
        for output in ("real", "complex"):
            s, t, q, z = run(lambda x, y, o=output: linalg.qz(x, y, o), [a, b], mode)
            same(q @ s @ adjoint(z), a.astype(s.dtype))
            same(q @ t @ adjoint(z), np.broadcast_to(b, a.shape).astype(s.dtype))


@pytest.mark.cases("py", "numba")
@pytest.mark.parametrize("mode", BACKENDS)
def test_eigenvectors_of_any_matrix(mode: str) -> None:
    for x in (SQUARE, COMPLEX, STACK, STACK.astype("float32"), SQUARE[:1, :1], SQUARE[:0, :0]):
        w, v = run(linalg.eig, [x], mode)
        exact = 1e-4 if x.dtype == np.float32 else 1e-10
        same(x.astype(v.dtype) @ v, v * w[..., None, :], exact)
        if x.size:
            np.testing.assert_allclose(np.abs(v**2).sum(-2), 1.0, atol=exact)
        np.testing.assert_allclose(run(linalg.eigvals, [x], mode), w, atol=10 * exact)


def test_derivatives_of_eigenvalues() -> None:
    for x in (SQUARE, COMPLEX, STACK):
        check_grad(lambda v: wt.abs(linalg.eigvals(v)), [x], rtol=1e-6)

        def invariant(v: Any) -> list[Any]:
            values, vectors = linalg.eig(v)
            sizes = wt.abs(vectors) ** 2
            whole = vectors @ (wt.exp(values).expand_dims(-1) * linalg.inv(vectors))
            return [values.real.sum(-1), sizes, whole.real]

        check_grad(invariant, [x], rtol=1e-6)


@pytest.mark.cases("py", "numba")
@pytest.mark.filterwarnings("ignore:logm result may be inaccurate")
@pytest.mark.parametrize("mode", BACKENDS)
def test_functions_of_matrices(mode: str, few: Any) -> None:
    near = np.eye(4) + 1e-9 * SQUARE
    xs = [POSITIVE, POSITIVE + 0.3j * SQUARE, 30 * SQUARE, -50 * POSITIVE, near, 0 * SQUARE]
    xs = few(xs, 3)
    for x, power in zip(xs, run_each(linalg.expm, xs, mode), strict=True):
        same(power, scipy.linalg.expm(x), 1e-11)
    xs = [POSITIVE, POSITIVE + 0.3j * SQUARE, near, 1e6 * POSITIVE, 1e-6 * POSITIVE]
    xs = few(xs, 2)
    roots, logarithms = (run_each(f, xs, mode) for f in (linalg.sqrtm, linalg.logm))
    for x, root, logarithm in zip(xs, roots, logarithms, strict=True):
        same(root @ root, x, 1e-11)
        same(root, scipy.linalg.sqrtm(x).astype(x.dtype))
        same(logarithm, scipy.linalg.logm(x).astype(x.dtype))
    stack = STACK @ adjoint(STACK) + np.eye(3)
    both = [(linalg.sqrtm, scipy.linalg.sqrtm), (linalg.logm, scipy.linalg.logm)]
    for f, expected in few(both, 1):
        same(run(f, [stack], mode), np.stack([expected(x) for x in stack]))
        assert np.isnan(run(f, [NEGATIVE], mode)).all()
        same(run(f, [NEGATIVE + 0j], mode), expected(NEGATIVE + 0j))
        assert np.isnan(run(f, [NEGATIVE * np.nan], mode)).all()
    if mode != "py":  # SciPy replaces zeros
        assert np.isnan(run(linalg.logm, [0 * NEGATIVE], mode)).all()
    assert np.isnan(run(linalg.expm, [NEGATIVE * np.nan], mode)).all()
    assert np.isnan(run(linalg.sinm, [NEGATIVE * np.nan], mode)).all()


@pytest.mark.parametrize("mode", BACKENDS)
def test_sines_of_small_matrices_keep_their_digits(mode: str) -> None:
    sizes = np.array([1e-300, 1e-20, 1e-8, 0.1, 0.4, 0.9])[:, None, None]
    x = SQUARE / abs(SQUARE).sum(1).max() * sizes
    cube = x @ x @ x
    outer = np.linalg.matrix_power(x, 5)
    for f, sign, theirs in (
        (linalg.sinhm, 1, scipy.linalg.sinhm),
        (lambda v: linalg.sinm(v * (1 + 0j)).real, -1, scipy.linalg.sinm),
        (linalg.tanhm, -2, scipy.linalg.tanhm),
    ):
        ours = run(f, [x], mode)
        few_terms = x + sign * cube / 6 + (outer / 120 if sign != -2 else 2 * outer / 15)
        np.testing.assert_allclose(ours[:3], few_terms[:3], rtol=1e-12, atol=0)
        np.testing.assert_allclose(ours[3:], [*map(theirs, x[3:])], rtol=1e-9, atol=1e-13)


@pytest.mark.parametrize("mode", BACKENDS)
def test_hyperbolic_tangents_of_large_matrices(mode: str) -> None:
    turned = np.linalg.qr(SQUARE)[0]
    values = np.array([[900.0, -20.0, 0.1, 1e-3], [3.0, 2.0, 1e-4, -1.0], [0.0, 0.0, 0.0, 0.0]])
    stack = (turned * values[:, None]) @ turned.T
    same(run(linalg.tanhm, [stack], mode), (turned * np.tanh(values)[:, None]) @ turned.T, 1e-12)
    assert run(linalg.tanhm, [np.zeros((2, 0, 0))], mode).shape == (2, 0, 0)
    assert np.isnan(run(linalg.tanhm, [NEGATIVE * np.nan], mode)).all()
    if mode == "py":
        check_grad(linalg.tanhm, [stack[1]], rtol=1e-6)


def test_derivatives_of_functions_of_matrices(few: Any) -> None:
    for x in few((POSITIVE, POSITIVE + 0.3j * SQUARE, STACK @ adjoint(STACK) + np.eye(3)), 1):
        for f in (linalg.expm, linalg.sqrtm, linalg.logm):
            check_grad(lambda v, f=f: f(v / 3), [x], rtol=1e-6)


@pytest.mark.cases("numba", "jax")
@pytest.mark.parametrize("mode", BACKENDS)
def test_the_derivative_of_the_exponential(mode: str) -> None:
    """To the precision of its own size, whatever that of the direction is."""
    m, e = wt.matrix("m"), wt.matrix("e")
    f = function([m, e], linalg.expm_frechet(m, e), mode=Mode(mode))
    for size, length in ((1.0, 1.0), (0.01, 1e-9), (10.0, 1.0), (1.0, 1e9)):
        x, direction = size * SQUARE, length * POSITIVE
        value, change = f(x, direction)
        expected, slope = scipy.linalg.expm_frechet(x, direction)
        same(value, expected, 1e-12)
        np.testing.assert_allclose(change, slope, rtol=0, atol=1e-12 * np.abs(slope).max())
    for wrong in (SQUARE * np.nan, SQUARE * np.inf):
        assert np.isnan(f(SQUARE, wrong)[1]).all()
        assert np.isnan(f(wrong, SQUARE)).all()
    for narrow in (SQUARE[:, :3], SQUARE[:3, :3]):
        with pytest.raises((ValueError, TypeError)):
            f(SQUARE, narrow)
    pair = function([m], wt.linalg.ExpmFrechet()(m), mode=Mode(mode))
    for narrow in (SQUARE, SQUARE[:, :3]):
        with pytest.raises(ValueError, match="oncatenat"):
            pair(narrow)


@pytest.mark.parametrize("x", [SQUARE / 3, COMPLEX / 3, STACK / 3])
def test_second_derivatives_of_the_exponential(x: Any) -> None:
    check_grad(lambda v: linalg.expm_frechet(v, v * v), [x], rtol=1e-6)
    check_grad(lambda v: linalg.expm_frechet(v[:1, :1], v[1:2, 1:2])[0], [SQUARE], rtol=1e-6)


@pytest.mark.cases("numba")
@pytest.mark.parametrize("mode", BACKENDS)
def test_discrete_equations_by_one_schur_form(mode: str) -> None:
    """Whether powers of a vanish or not, with the slopes of the system of n² unknowns."""
    a, q = wt.matrix("a"), wt.matrix("q")
    f, g = (
        function([a, q], [x, *grad(wt.sin(x).sum(), [a, q])], mode=Mode(mode))
        for x in (linalg.solve_discrete_lyapunov(a, q, m) for m in ("bilinear", "direct"))
    )
    for matrix in (SQUARE / 5, 3 * SQUARE, SQUARE[:1, :1], SQUARE[:0, :0]):
        values = matrix, POSITIVE[: len(matrix), : len(matrix)]
        for ours, expected in zip(f(*values), g(*values), strict=True):
            same(ours, expected, 1e-9)
    if mode != "jax":
        with pytest.raises(np.linalg.LinAlgError):
            f(np.diag([-1.0, 0.5]), np.eye(2))


@pytest.mark.cases("py", "jax")
@pytest.mark.parametrize("mode", BACKENDS)
def test_equations_of_matrices(mode: str, few: Any) -> None:
    b, q = RNG.normal(size=(2, 2)), RNG.normal(size=(4, 2))
    for a in few((SQUARE, COMPLEX), 1):
        x = run(linalg.solve_sylvester, [a, b, q], mode)  # SciPy's is wrong for some mixed dtypes
        same(x, scipy.linalg.solve_sylvester(a, b.astype(a.dtype), q))
        same(
            run(linalg.solve_continuous_lyapunov, [a, POSITIVE], mode),
            scipy.linalg.solve_continuous_lyapunov(a, POSITIVE).astype(a.dtype),
        )
        for method in few(("direct", "bilinear", None), 2):
            same(
                run(
                    lambda x, y, m=method: linalg.solve_discrete_lyapunov(x, y, m),
                    [a / 5, POSITIVE],
                    mode,
                ),
                scipy.linalg.solve_discrete_lyapunov(a / 5, POSITIVE).astype(a.dtype),
            )
    found = run(linalg.solve_sylvester, [STACK, STACK[0] + 1, STACK[1]], mode)
    same(STACK @ found + found @ (STACK[0] + 1), np.broadcast_to(STACK[1], STACK.shape))


def test_derivatives_of_equations() -> None:
    for a in (SQUARE, COMPLEX):
        check_grad(linalg.solve_sylvester, [a, SQUARE.T + 1, POSITIVE], rtol=1e-6)
        for method in ("direct", "bilinear"):
            check_grad(
                lambda x, y, m=method: linalg.solve_discrete_lyapunov(x / 5, y, m),
                [a, POSITIVE],
                rtol=1e-6,
            )


def test_errors() -> None:
    x = wt.dmatrix("x")
    with pytest.raises(ValueError, match="output must be 'real' or 'complex', not 'c128'"):
        linalg.schur(x, "c128")
    with pytest.raises(ValueError, match="method must be 'direct' or 'bilinear', not 'fast'"):
        linalg.solve_discrete_lyapunov(x, x, "fast")
    with pytest.raises(ValueError, match="logm needs square matrices"):
        linalg.logm(np.ones((2, 3)))
    with pytest.raises(UndefinedGradientError, match="schur"):
        grad(linalg.schur(x)[0].sum(), x)
    with pytest.raises(NotImplementedError, match="qz: JAX has no Schur form of pairs"):
        function([x], linalg.qz(x, x)[0], mode="jax")
    for mode in ("py", "numba"):
        for made in (linalg.eig(x)[0], linalg.eigvals(x), *linalg.schur(x), linalg.qz(x, x)[0]):
            with pytest.raises(np.linalg.LinAlgError, match=r"finite|NaN"):
                function([x], made, mode=Mode(mode))(np.full((2, 2), np.nan))
    for value in function([x], [linalg.eig(x)[0], linalg.schur(x)[0]], mode="jax")(
        np.full((2, 2), np.nan)
    ):
        assert np.isnan(value).all()


def riccati(a: Any, b: Any, q: Any, r: Any, s: Any) -> Any:
    return linalg.solve_discrete_are(a, b, q, r, s=s)


def controlled(complex_: bool) -> tuple[Any, ...]:
    """A system that its control makes stable, and what it costs."""
    a = np.array([[1.1, 0.3, 0.0], [0.0, 0.9, 0.2], [0.1, 0.0, 1.5]])
    b = np.array([[1.0, 0.0], [0.5, 0.2], [0.3, 1.0]])
    q, r, s = np.diag([1.0, 2.0, 0.5]), np.array([[2.0, 0.3], [0.3, 1.0]]), 0.1 * b
    return (a + 0.1j * a.T, b + 0.2j, q, r, s + 0.1j) if complex_ else (a, b, q, r, s)


@pytest.mark.cases("False-py", "True-numba")
@pytest.mark.parametrize("mode", BACKENDS)
@pytest.mark.parametrize("complex_", [False, True])
def test_riccati(mode: str, complex_: bool) -> None:
    given = controlled(complex_)
    x = run(riccati, given, mode)
    same(x, scipy.linalg.solve_discrete_are(*given[:4], s=given[4]))
    a, b, q, r, _ = given
    same(
        run(linalg.solve_discrete_are, [np.stack([a, a / 2]), b, q, r], mode)[1],
        scipy.linalg.solve_discrete_are(a / 2, b, q, r),
    )


@pytest.mark.parametrize("mode", BACKENDS)
def test_without_a_stable_solution(mode: str) -> None:
    x = wt.dmatrix("x")
    made = linalg.solve_discrete_are(x, [[1.0], [0.0]], np.eye(2), [[1.0]])
    f = function([x], made, mode=Mode(mode))
    if mode == "jax":
        assert np.isnan(f(2 * np.eye(2))).all()
        return
    with pytest.raises(np.linalg.LinAlgError, match="no stable solution was found"):
        f(2 * np.eye(2))


def test_derivatives_of_riccati() -> None:
    for complex_ in (False, True):
        check_grad(riccati, controlled(complex_), rtol=1e-6)


BANDS = np.array([[0.5, 1.0, -0.3, 0.2], [4.0, 5.0, -4.0, 3.0], [1.0, 0.5, 0.7, 0.0]])


def systems() -> list[tuple[dict[str, Any], Any, Any, Any]]:
    """What `solve` is told, what it reads, the whole matrix, and the right sides."""
    b, v = RNG.normal(size=(4, 2)), RNG.normal(size=4)
    hermitian = COMPLEX @ adjoint(COMPLEX) + np.eye(4)
    whole: list[tuple[Any, bool]] = [
        (kind, lower)
        for kind in ("gen", "diagonal", "sym", "her", "pos", "upper triangular")
        for lower in (False, True)
    ]
    found = []
    for kind, lower in [*whole, ("lower triangular", True), ("tridiagonal", False), (None, False)]:
        for a in (POSITIVE, hermitian):
            if kind == "sym" and a is hermitian:
                a = COMPLEX + COMPLEX.T
            exact = {
                "diagonal": np.diag(np.diag(a)),
                "tridiagonal": np.triu(np.tril(a, 1), -1),
                "upper triangular": np.triu(a),
                "lower triangular": np.tril(a),
            }.get(kind, a)
            read = a
            if kind in ("sym", "her", "pos"):
                read = np.where(np.tri(4) if lower else np.tri(4).T, a, np.nan)
            for right in (b, v):
                for turned in (False, True):
                    told = {"assume_a": kind, "lower": lower, "transposed": turned}
                    found.append((told, read, exact.T if turned else exact, right))
    return found


@pytest.mark.cases("py", "jax")
@pytest.mark.parametrize("mode", BACKENDS)
def test_systems_of_known_structure(mode: str, few: Any) -> None:
    chosen = few(systems(), 12)
    values = [v for _, read, _, right in chosen for v in (read, right)]

    def solutions(*given: Any) -> list[Any]:
        pairs = zip(given[::2], given[1::2], strict=True)
        return [linalg.solve(m, y, **case[0]) for (m, y), case in zip(pairs, chosen, strict=True)]

    for x, (_, _, exact, right) in zip(run(solutions, values, mode), chosen, strict=True):
        same(exact @ x, right.astype(x.dtype))


@pytest.mark.cases("jax", "py")
@pytest.mark.parametrize("mode", BACKENDS)
def test_banded_systems_and_toeplitz(mode: str) -> None:
    b = RNG.normal(size=(4, 2))
    for right in (b, b[:, 0]):
        found = run(lambda m, y: linalg.solve_banded((1, 1), m, y), [BANDS, right], mode)
        same(found, scipy.linalg.solve_banded((1, 1), BANDS, right))
    for c, r in (([1.0, 2.0, 3.0], [9.0, 4.0]), ([1.0, 2.0j], [1.0, 5.0, 6.0])):
        same(run(linalg.toeplitz, [c, r], mode), scipy.linalg.toeplitz(c, r))
        same(run(linalg.toeplitz, [c], mode), scipy.linalg.toeplitz(c))
    assert run(linalg.toeplitz, [STACK[0]], mode).shape == (3, 3, 3)


def test_derivatives_of_systems() -> None:
    b = RNG.normal(size=(4, 2))
    for kind in ("gen", "diagonal", "tridiagonal", "sym", "her", "pos", "upper triangular"):
        check_grad(lambda a, y, k=kind: linalg.solve(a, y, assume_a=k), [POSITIVE, b])
    check_grad(lambda m, y: linalg.solve_banded((1, 1), m, y), [BANDS * (1 + 0.5j), b])
    check_grad(linalg.toeplitz, [b[0], b[:, 0]])


@pytest.mark.parametrize("mode", BACKENDS)
def test_lu_that_refuses_what_is_not_finite(mode: str) -> None:
    x = wt.dmatrix("x")
    made = [linalg.lu(x, True, check_finite=True)[1], linalg.lu_factor(x, check_finite=True)[0]]
    for value in made:
        with pytest.raises(ValueError, match="must not contain infs or NaNs"):
            function([x], value, mode=Mode(mode))(np.full((2, 2), np.nan))


@pytest.mark.cases(2)
@pytest.mark.parametrize("mode", BACKENDS)
@pytest.mark.parametrize("dtype", ["float64", "float32", "complex128", "complex64"])
def test_eigenvalues_of_tiny_and_huge_numbers(dtype: str, mode: str) -> None:
    narrow = dtype in ("float32", "complex64")
    x = (COMPLEX if "complex" in dtype else SQUARE).astype(dtype)
    for size in (1e-20, 1e20) if narrow else (1e-300, 1e-200, 1e200, 1e300):
        w, v, values = run(
            lambda y: [*linalg.eig(y), linalg.eigvals(y)], [x * x.dtype.type(size)], mode
        )
        exact = 1e-4 if narrow else 1e-11
        np.testing.assert_allclose(x @ v, v * (w / size)[None], atol=exact)
        for found in (w, values):
            wanted = np.sort_complex(np.linalg.eigvals(x))
            np.testing.assert_allclose(np.sort_complex(found / size), wanted, atol=exact)


@pytest.mark.cases(1)
@pytest.mark.parametrize("mode", BACKENDS)
def test_signs_of_tiny_and_huge_matrices(mode: str) -> None:
    wanted = scipy.linalg.signm(SQUARE)
    for size in (1e-300, 1e-150, 1.0, 1e150, 1e300):
        np.testing.assert_allclose(run(linalg.signm, [SQUARE * size], mode), wanted, atol=1e-9)


@pytest.mark.parametrize("mode", BACKENDS)
def test_powers_of_singular_matrices(mode: str) -> None:
    powers: Any = linalg.fractional_matrix_power
    x, t = wt.tensor3("x"), wt.vector("t")
    found = function([x, t], [powers(x, t[0]), powers(x, 1.5), powers(x, t[1])], mode=Mode(mode))
    some, half, negative = found(
        np.stack([np.zeros((2, 2)), np.ones((2, 2)) + np.eye(2)]), [0.3, -1]
    )
    assert not some[0].any()
    assert np.isnan(negative[0]).all()
    wanted = [
        scipy.linalg.fractional_matrix_power(np.ones((2, 2)) + np.eye(2), p) for p in (0.3, 1.5)
    ]
    np.testing.assert_allclose([some[1], half[1]], wanted, rtol=1e-12)
    np.testing.assert_allclose(powers(np.ones((2, 2)), 0.5).eval(), np.sqrt(0.5), rtol=1e-12)


def test_errors_of_systems() -> None:
    x = wt.dmatrix("x")
    with pytest.raises(ValueError, match=r"assume_a must be one of 'general'.* not 'odd'"):
        linalg.solve(x, x, assume_a="odd")
    with pytest.raises(ValueError, match="1 diagonals below the main one and 1 above need 3 rows"):
        linalg.solve_banded((1, 1), np.ones((2, 4)), np.ones(4))
    with pytest.raises(ValueError, match="numbers of diagonals are not negative"):
        linalg.solve_banded((-1, 1), x, x)
    with pytest.raises(ValueError, match="toeplitz takes vectors"):
        linalg.toeplitz(1.0)
    singular = linalg.solve_banded((0, 0), x, [1.0, 1.0])
    for mode in ("py", "numba"):
        with pytest.raises(np.linalg.LinAlgError, match="singular"):
            function([x], singular, mode=Mode(mode))(np.zeros((1, 2)))


def test_zeros_beside_nan() -> None:
    linalg: Any = wt.linalg
    last = linalg.hankel([1.0, np.nan, 2.0]).eval()
    np.testing.assert_array_equal(last, [[1, np.nan, 2], [np.nan, 2, 0], [2, 0, 0]])
