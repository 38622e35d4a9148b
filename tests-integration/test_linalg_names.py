"""Every name of wt.linalg on each backend: dtypes, stacks, sizes, layouts, and derivatives.

A row is a function of a library and of matrices. It gives what does not depend on the signs,
phases and bases that factors leave open; NumPy and SciPy, one matrix at a time, are the reference.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
import pytest
import scipy.linalg

import weft.tensor as wt
from weft import Mode, function
from weft_testing import check_grad, check_op

BACKENDS: Final = ["py", "numba", "jax"]
DTYPES: Final = ["float64", "complex128", "float32", "complex64"]
BANDS: Final = (1, 1)


class Row(NamedTuple):
    """What is computed of which matrices."""

    name: str
    of: str
    """A letter for each: Square, Positive definite, Tall, Wide, Contraction; B, right sides.

    D has the diagonals of a matrix, H those of one half.
    """
    f: Callable[..., Sequence[Any]]
    grows: bool = True
    """Whether it has a finite value for matrices that are many times as large, or as small."""
    smooth: bool = True
    """Whether it has derivatives."""
    stacks: bool = True
    """Whether more axes in front are stacks; else NumPy gives them another meaning."""


class Reference:
    """NumPy's functions, and where it has none, SciPy's."""

    def __getattr__(self, name: str) -> Any:
        for library in (np.linalg, scipy.linalg, np):
            if hasattr(library, name):
                return getattr(library, name)
        raise AttributeError(name)


def adjoint(x: Any) -> Any:
    return x.conj().mT


def whole_of(t: Any, z: Any) -> Any:
    return z @ t @ adjoint(z)


def whole(u: Any, s: Any, v: Any) -> Any:
    return (u * s[..., None, :]) @ v


def of_svd(m: Any, x: Any) -> list[Any]:
    u, s, v = m.svd(x)
    a, b, c = m.svd(x, full_matrices=False)
    k = min(u.shape[-1], v.shape[-1]) if isinstance(x, np.ndarray) else wt.shape(s)[-1]
    beside, below = u[..., k:], v[..., k:, :]
    return [s, b, whole(a, b, c), whole(a, 1 + b**2, adjoint(a)), beside @ adjoint(beside),
            adjoint(below) @ below, whole(u[..., :k], s, v[..., :k, :])]  # fmt: skip


def of_qr(m: Any, x: Any) -> list[Any]:
    q, r = m.qr(x)
    a, b = m.qr(x, mode="complete")
    return [q, r, b, q @ r, a @ adjoint(a), m.qr(x, mode="r")]


def of_eigh(m: Any, x: Any) -> list[Any]:
    (w, v), (a, b) = m.eigh(x), m.eigh(x, UPLO="U")
    return [w, a, whole(v, w, adjoint(v)), whole(b, a, adjoint(b))]


def of_eig(m: Any, x: Any) -> list[Any]:
    w, v = m.eig(x)
    a = m.eigvals(x)
    return [w.sum(-1) + 0j, (a**3).sum(-1) + 0j, whole(v, w, m.inv(v)) + 0j]


def of_schur(m: Any, x: Any) -> list[Any]:
    t, z = m.schur(x)
    return [z @ t @ adjoint(z), z @ adjoint(z)]


def of_qz(m: Any, x: Any, y: Any) -> list[Any]:
    s, t, q, z = m.qz(x, y)
    return [q @ s @ adjoint(z), q @ t @ adjoint(z)]


def of_lu(m: Any, x: Any) -> list[Any]:
    return [*m.lu(x), *m.lu(x, permute_l=True), m.lu_factor(x)[0]]


def half(x: Any, lower: bool) -> Any:
    """The diagonals below, or above, of rows of those beside the main one, and of that."""
    concatenate = np.concatenate if isinstance(x, np.ndarray) else wt.concatenate
    main, *beside = (x[..., k, :][..., None, :] for k in range(3))
    return concatenate([abs(main), *beside] if lower else [*beside, abs(main)], -2)


def of_bands(m: Any, x: Any, b: Any, lower: bool) -> list[Any]:
    bands = half(x, lower)
    factor = m.cholesky_banded(bands, lower=lower)
    used = [factor[..., 0, :], factor[..., 1, :-1], factor[..., 2, :-2]]
    if not lower:
        used = [factor[..., 2, :], factor[..., 1, 1:], factor[..., 0, 2:]]
    found = [*used, m.cho_solve_banded((factor, lower), b), m.solveh_banded(bands, b, lower=lower)]
    if not lower:  # of one row, LAPACK says 1
        return found
    return [*found, m.eigvals_banded(bands, lower=True), m.eig_banded(bands, True, True)]


def of_tridiagonal(m: Any, x: Any) -> list[Any]:
    w, v = m.eigh_tridiagonal(x[..., :-2, 0].real, x[..., 3:, 0].real)
    return [w, whole(v, w, adjoint(v))]


def of_values(x: Any) -> Any:
    return 1 / (2 + x)


def size_of(x: Any) -> Any:
    return x.shape[-1] if isinstance(x, np.ndarray) else wt.shape(x)[-1]


ROWS: Final = [
    Row("cholesky", "P", lambda m, x: [m.cholesky(x), m.cholesky(x, upper=True)]),
    Row("cho_solve", "PB", lambda m, x, b: [m.cho_solve(m.cho_factor(x), b)]),
    Row("lu", "S", of_lu),
    Row("lu of tall", "T", lambda m, x: m.lu(x)),
    Row("lu of wide", "W", lambda m, x: m.lu(x)),
    Row("lu_solve", "SB", lambda m, x, b: [m.lu_solve(m.lu_factor(x), b, trans=1)]),
    *(Row(f"qr of {k}", k, of_qr) for k in "STW"),
    *(Row(f"svd of {k}", k, of_svd) for k in "STW"),
    *(Row(f"svdvals of {k}", k, lambda m, x: [m.svdvals(x)]) for k in "TW"),
    Row("eigh", "P", of_eigh),
    Row("eigvalsh", "P", lambda m, x: [m.eigvalsh(x), m.eigvalsh(x, UPLO="U")]),
    Row("eig", "S", of_eig, grows=False),
    Row("schur", "S", of_schur, smooth=False),
    Row("hessenberg", "S", lambda m, x: [m.hessenberg(x), *m.hessenberg(x, calc_q=True)],
        smooth=False),
    Row("qz", "SP", of_qz, smooth=False),
    Row("solve", "SB", lambda m, x, b: [m.solve(x, b)]),
    Row("solve_triangular", "SB", lambda m, x, b: [
        m.solve_triangular(x, b), m.solve_triangular(x, b, trans=2, lower=True)]),
    Row("solve_banded", "DB", lambda m, x, b: [m.solve_banded(BANDS, x, b)]),
    *(Row(f"lstsq of {k}", k + k, lambda m, x, b: [m.lstsq(x, b[..., :2])[0]]) for k in "TW"),
    *(Row(f"pinv of {k}", k, lambda m, x: [m.pinv(x)]) for k in "STW"),
    Row("inv", "S", lambda m, x: [m.inv(x), m.inv(x @ adjoint(x) + np.eye(4), assume_a="pos")]),
    Row("det", "S", lambda m, x: [m.det(x)], grows=False),
    Row("slogdet", "S", lambda m, x: m.slogdet(x)),
    Row("norm", "T", lambda m, x: [
        m.matrix_norm(x, ord=p) for p in ("fro", "nuc", 1, -1, 2, -2, np.inf, -np.inf)
    ] + [m.norm(x, axis=(-2, -1))], grows=False),
    Row("vector_norm", "T", lambda m, x: [
        m.vector_norm(x, axis=-1, ord=p) for p in (1, 2, 3, np.inf)], grows=False),
    Row("cond", "S", lambda m, x: [m.cond(x, p) for p in (None, 2, -2, 1, np.inf)]),
    Row("matrix_rank", "T", lambda m, x: [m.matrix_rank(x)], smooth=False),
    Row("trace", "S", lambda m, x: [m.trace(x), m.trace(x, offset=1)]),
    Row("diagonal", "T", lambda m, x: [m.diagonal(x), m.diagonal(x, offset=-1)]),
    Row("expm", "C", lambda m, x: [m.expm(x)], grows=False),
    Row("sqrtm", "P", lambda m, x: [m.sqrtm(x)]),
    Row("logm", "P", lambda m, x: [m.logm(x)], grows=False),
    Row("matrix_power", "S", lambda m, x: [m.matrix_power(x, n) for n in (1, 3, -2)], grows=False),
    Row("multi_dot", "WTS", lambda m, x, y, z: [m.multi_dot([x, y, z])], grows=False, stacks=False),
    Row("solve_sylvester", "SPS", lambda m, x, y, q: [m.solve_sylvester(x, y, q)]),
    Row("continuous_lyapunov", "PS", lambda m, x, q: [m.solve_continuous_lyapunov(x, q)]),
    Row("discrete_lyapunov", "CS", lambda m, x, q: [m.solve_discrete_lyapunov(x, q)], grows=False),
    Row("solve_discrete_are", "SBPR", lambda m, a, b, q, r: [
        m.solve_discrete_are(a, b, q, r)], grows=False),
    Row("tensorinv", "S", lambda m, x: [m.tensorinv(x, 1)], stacks=False),
    Row("tensorsolve", "SB", lambda m, x, b: [m.tensorsolve(x, b[..., 0])], stacks=False),
    Row("kron", "SB", lambda m, x, y: [m.kron(x, y)], stacks=False),
    Row("block_diag", "SB", lambda m, x, y: [m.block_diag(x, y)]),
    Row("tril and triu", "W", lambda m, x: [m.tril(x, 1), m.triu(x, -1), m.matrix_transpose(x)]),
    Row("matmul", "WT", lambda m, x, y: [m.matmul(x, y), m.vecdot(x, adjoint(y))], grows=False),
    Row("tensordot", "WT", lambda m, x, y: [
        m.tensordot(x, y, axes=1), m.outer(x[0], y[0])], grows=False, stacks=False),
    Row("cross", "BB", lambda m, x, y: [m.cross(x, y[::-1])], grows=False, stacks=False),
    Row("circulant and hankel", "S", lambda m, x: [
        m.circulant(x[..., 0]), m.hankel(x[..., 0]), m.hankel(x[..., 0], x[..., -1])]),
    Row("companion and leslie", "T", lambda m, x: [
        m.companion(x[..., 0]), m.leslie(x[..., 0], x[..., 1:, -1])], grows=False),
    Row("khatri_rao", "TS", lambda m, x, y: [m.khatri_rao(x, y)], grows=False),
    Row("solve_toeplitz", "PB", lambda m, x, b: [m.solve_toeplitz((x[..., 0], x[..., 0]), b)]),
    Row("solve_toeplitz of a column", "PB", lambda m, x, b: [m.solve_toeplitz(x[..., 0], b)]),
    Row("functions of waves", "C", lambda m, x: [
        m.cosm(x), m.sinm(x), m.tanm(x), m.coshm(x), m.sinhm(x), m.tanhm(x)], grows=False),
    Row("expm_frechet", "CS", lambda m, x, y: m.expm_frechet(x, y), grows=False),
    *(Row(f"polar of {k}", k, lambda m, x: [*m.polar(x), *m.polar(x, "left")]) for k in "ST"),
    Row("orthogonal_procrustes", "SP", lambda m, x, y: m.orthogonal_procrustes(x, y), grows=False),
    *(Row(f"bands, {'lower' if low else 'upper'}", "HB",
          lambda m, x, b, low=low: of_bands(m, x, b, low)) for low in (True, False)),
    Row("tridiagonal", "T", lambda m, x: [
        m.eigvalsh_tridiagonal(x[..., :-2, 0].real, x[..., 3:, 0].real), *of_tridiagonal(m, x)]),
    Row("convolution_matrix", "T", lambda m, x: [
        m.convolution_matrix(x[..., 0], n, k) for n in (1, 3, 9) for k in ("full", "same", "valid")
    ]),
    Row("fiedler and diagsvd", "S", lambda m, x: [
        m.fiedler(x[..., 0].real), m.diagsvd(x[..., 0], size_of(x), size_of(x) + 2),
        m.diagsvd(x[..., 0], size_of(x) + 1, size_of(x))], smooth=False),
    Row("matmul_toeplitz", "SB", lambda m, x, b: [
        m.matmul_toeplitz((x[:, 0], x[0]), b), m.matmul_toeplitz(x[:, 0], b[:, 0])],
        grows=False, stacks=False),
    Row("solve_circulant", "SB", lambda m, x, b: [
        m.solve_circulant(x[:, 0], b), m.solve_circulant(x, b[:, 0], "lstsq", 1e-9, caxis=0)],
        grows=False, stacks=False),
    Row("fractional_matrix_power", "P", lambda m, x: [
        m.fractional_matrix_power(x, 0.3), m.fractional_matrix_power(x, -2)], grows=False),
    Row("signm", "P", lambda m, x: [m.signm(x - np.eye(1) * 1e-3 * x)], grows=False, smooth=False),
    Row("pinvh", "P", lambda m, x: [m.pinvh(x), m.pinvh(x, lower=False, rtol=1e-5)]),
    Row("solve_continuous_are", "SBPR", lambda m, a, b, q, r: [
        m.solve_continuous_are(a, b, q, r), m.solve_continuous_are(a, b, q, r, s=0.1 * b)],
        grows=False),
    Row("subspace_angles", "TT", lambda m, x, y: [
        m.subspace_angles(x[..., 0][..., None], (2 * x + y)[..., 0][..., None])], grows=False),
    Row("rq", "S", lambda m, x: [*m.rq(x), m.rq(x, mode="r")], stacks=False),
    Row("rq", "W", lambda m, x: [*m.rq(x, mode="economic"), m.rq(x, mode="r")], stacks=False),
    Row("qr_multiply", "TS", lambda m, x, y: [
        *m.qr_multiply(x, y, "left", False, True), m.qr_multiply(y, x)[0]], stacks=False),
    Row("solve_lyapunov", "PS", lambda m, x, y: [m.solve_lyapunov(x, y)], grows=False),
    Row("fiedler_companion", "T", lambda m, x: [m.fiedler_companion(x[:, 0])], stacks=False),
    Row("orth", "T", lambda m, x: [m.orth(x) @ adjoint(m.orth(x))], stacks=False),
    Row("null_space", "W", lambda m, x: [m.null_space(x) @ adjoint(m.null_space(x))],
        stacks=False),
    Row("real_forms", "S", lambda m, x: [
        m.cdf2rdf(*m.eig(x))[1] @ m.cdf2rdf(*m.eig(x))[0] @ m.inv(m.cdf2rdf(*m.eig(x))[1]),
        whole_of(*m.rsf2csf(*m.schur(x)))], smooth=False, grows=False, stacks=False),
    Row("symmetry", "S", lambda m, x: [
        1.0 * m.issymmetric(x + x.mT), 1.0 * m.ishermitian(x, rtol=1e-5), *m.bandwidth(x)],
        stacks=False, smooth=False),
    Row("ldl", "S", lambda m, x: [*m.ldl(x)[:2], *m.ldl(x, False)[:2], *m.ldl(x, True, False)[:2]]),
    Row("matrix_balance", "S", lambda m, x: m.matrix_balance(x), grows=False),
    Row("expm_cond", "C", lambda m, x: [m.expm_cond(x)], grows=False),
    Row("funm", "C", lambda m, x: [m.funm(x + np.eye(1) * x, of_values)], grows=False),
    Row("toeplitz", "BS", lambda m, x, y: [m.toeplitz(x[..., 0], y[..., 0])]),
]  # fmt: skip


def drawn(
    row: Row, dtype: str, n: int, stack: tuple[int, ...] = (), size: float = 1.0
) -> list[Any]:
    """Matrices for a row, with NumPy's own layout of memory only where there is one."""
    rng = np.random.default_rng(n)

    def normal(*shape: int) -> Any:
        real = rng.normal(size=(*stack, *shape))
        return real + 1j * rng.normal(size=real.shape) if dtype.startswith("c") else real

    def definite() -> Any:
        x = normal(n, n)
        return x @ adjoint(x) / max(n, 1) + np.eye(n)

    made: dict[str, Callable[[], Any]] = {
        "S": lambda: normal(n, n) + 2 * np.eye(n),
        "P": definite,
        "T": lambda: normal(n + 2, n),
        "W": lambda: normal(n, n + 2),
        "C": lambda: normal(n, n) / (4 * max(n, 1)),
        "B": lambda: normal(n, 3),
        "R": lambda: np.broadcast_to(np.eye(3) * 2, (*stack, 3, 3)),
        "D": lambda: normal(3, n) + 4 * np.array([[0.0], [1.0], [0.0]]),
        "H": lambda: np.concatenate([abs(normal(1, n)) + 8, normal(2, n)], -2),
    }
    return [(made[k]() * size).astype(dtype) for k in row.of]


def expected(row: Row, values: Sequence[Any]) -> list[Any]:
    """What the reference says of one matrix after another."""
    stack = values[0].shape[:-2]
    each = [
        [np.asarray(x) for x in row.f(Reference(), *[v[place] for v in values])]
        for place in np.ndindex(stack)
    ]
    return [np.stack(one).reshape((*stack, *one[0].shape)) for one in zip(*each, strict=True)]


def assert_close(name: str, found: Sequence[Any], wanted: Sequence[Any]) -> None:
    for k, (x, y) in enumerate(zip(found, wanted, strict=True)):
        where = f"{name}, result {k}"
        assert x.shape == y.shape, f"{where}: {x.shape}, not {y.shape}"
        size = float(np.abs(y).max(initial=0.0)) or 1.0
        single = x.dtype in ("float32", "complex64")
        np.testing.assert_allclose(
            x / size, y / size, rtol=0, atol=3e-4 if single else 1e-9, err_msg=where
        )


def chosen(rows: Sequence[Row], mode: str) -> list[Row]:
    """Those that the backend has."""
    return [row for row in rows if (row.name, mode) != ("qz", "jax")]


def compiled(rows: Sequence[Row], dtype: str, rank: int, mode: str) -> Callable[..., Any]:
    """One function for all rows: of matrices for each letter of each, to lists of results."""
    inputs = [[wt.tensor(k, dtype, [None] * rank) for k in row.of] for row in rows]
    made = [list(row.f(wt.linalg, *own)) for row, own in zip(rows, inputs, strict=True)]
    return function([inputs], made, mode=Mode(mode))


def layouts(x: Any) -> list[Any]:
    """The same numbers by rows, by columns, and apart from each other."""
    apart = np.repeat(np.repeat(x, 2, -1), 3, -2)[..., ::3, ::2]
    return [x, x.mT.copy().mT, apart, x[..., ::-1].copy()[..., ::-1]]


@pytest.mark.cases("complex128-py", "float32-jax")
@pytest.mark.filterwarnings("ignore:logm result may be inaccurate")
@pytest.mark.parametrize("mode", BACKENDS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_values(dtype: str, mode: str, few: Any) -> None:
    """Of many and few rows, of large and small numbers, however they lie in memory."""
    rows = chosen(few(ROWS, 5), mode)
    f = compiled(rows, dtype, 2, mode)
    wide = 120 if dtype in DTYPES[:2] else 12
    for n, size in ((4, 1.0), (1, 1.0), (4, 10.0**wide), (4, 10.0**-wide)):
        scales = [size if row.grows else 1.0 for row in rows]
        values = [drawn(row, dtype, n, (), s) for row, s in zip(rows, scales, strict=True)]
        wanted = [expected(row, own) for row, own in zip(rows, values, strict=True)]
        for kinds in zip(*[zip(*map(layouts, own), strict=True) for own in values], strict=True):
            for row, found, right in zip(rows, f(kinds), wanted, strict=True):
                assert_close(f"{row.name} of {n} rows, times {size}", found, right)


@pytest.mark.cases(2)
@pytest.mark.filterwarnings("ignore:logm result may be inaccurate")
@pytest.mark.parametrize("mode", BACKENDS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_stacks(dtype: str, mode: str, few: Any) -> None:
    """As they are given, and by `vectorize_graph`; stacks without matrices, too."""
    rows = chosen(few(ROWS, 4), mode)
    inputs = [[wt.tensor(k, dtype, [None] * 2) for k in row.of] for row in rows]
    stacks = [[wt.tensor(k, dtype, [None] * 4) for k in row.of] for row in rows]
    made: list[list[Any]] = []
    for row, own, many in zip(rows, inputs, stacks, strict=True):
        given = dict(zip(own, many, strict=True))
        made.append(list(wt.vectorize_graph(list(row.f(wt.linalg, *own)), given)))
        if row.stacks:
            made[-1] += row.f(wt.linalg, *many)
    f = function([stacks], made, mode=Mode(mode))
    values = [drawn(row, dtype, 3, (2, 2)) for row in rows]
    for row, found, own in zip(rows, f(values), values, strict=True):
        wanted = expected(row, own)
        assert_close(row.name, found, wanted * (1 + row.stacks))
    for found, one in zip(
        f([drawn(row, dtype, 3, (2, 0)) for row in rows]), f(values), strict=True
    ):
        assert [x.shape for x in found] == [(2, 0, *x.shape[2:]) for x in one]


@pytest.mark.cases(6)
@pytest.mark.parametrize("dtype", DTYPES[:2])
@pytest.mark.parametrize("row", [row for row in ROWS if row.smooth], ids=lambda row: row.name)
def test_derivatives(row: Row, dtype: str) -> None:
    """In both modes, against finite differences, of one matrix and of a stack."""

    def of(*given: Any) -> list[Any]:
        return list(row.f(wt.linalg, *given))

    check_grad(of, drawn(row, dtype, 3), rtol=1e-6)
    if row.stacks:
        check_grad(of, drawn(row, dtype, 2, (2,)), rtol=1e-6)


QR_CHANGES: Final = {"qr_delete", "qr_insert", "qr_update"}  # which test_qr_changes has
ELSEWHERE: Final = {"cholesky_inverse", "pivot_to_permutation", *QR_CHANGES}
"""And what NumPy and SciPy lack, of an Op each, which passes `check_op` by itself."""


CONSTANTS: Final = {
    name: getattr(scipy.linalg, name)
    for name in ("dft", "hadamard", "helmert", "hilbert", "invhilbert", "invpascal", "pascal")
}


@pytest.mark.parametrize("name", CONSTANTS)
def test_matrices_without_variables(name: str) -> None:
    np.testing.assert_array_equal(getattr(wt.linalg, name)(4).eval(), CONSTANTS[name](4))
    with pytest.raises(TypeError, match="no variables"):
        getattr(wt.linalg, name)(wt.lscalar("n"))


class Names:
    """`wt.linalg`, and what it is asked for."""

    def __init__(self) -> None:
        self.asked: set[str] = set()

    def __getattr__(self, name: str) -> Any:
        self.asked.add(name)
        return getattr(wt.linalg, name)


def test_each_name_is_an_op_or_in_a_row() -> None:
    names = Names()
    for row in ROWS:
        row.f(names, *[wt.tensor(k, "float64", [None] * 2) for k in row.of])
    ops = {name for name in wt.linalg.__all__ if name[0].isupper()}
    assert sorted(names.asked | ops | ELSEWHERE | set(CONSTANTS)) == sorted(wt.linalg.__all__)
    assert not names.asked & (ops | ELSEWHERE)


@pytest.mark.cases(20)
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_op(row: Row, few: Any) -> None:
    """What `check_op` asks of the Op that a row makes."""
    for dtype, n in few([("float64", 3), ("float64", 1), ("complex64", 2)], 1):
        check_op(lambda *xs: row.f(wt.linalg, *xs), *drawn(row, dtype, n), backends=[])


X: Final = wt.dmatrix("X")
ZERO: Final = np.zeros((3, 3))
BAD: Final[list[tuple[str, Any, Any]]] = [
    ("cholesky", wt.linalg.cholesky(X), -np.eye(3)),
    ("cholesky", wt.linalg.cho_solve(wt.linalg.cho_factor(X), np.ones(3)), ZERO),
    ("cholesky", wt.linalg.solve(X, np.ones(3), assume_a="pos"), -np.eye(3)),
    ("inv", wt.linalg.inv(X), ZERO),
    ("solve_triangular", wt.linalg.matrix_power(X, -2), ZERO),
    ("solve", wt.linalg.solve(X, np.ones((3, 2))), ZERO),
    ("solve_triangular", wt.linalg.solve_triangular(X, np.ones((3, 2))), ZERO),
    ("solve_triangular", wt.linalg.lu_solve(wt.linalg.lu_factor(X), np.ones(3)), ZERO),
    ("eigh", wt.linalg.eigh(X)[0], np.ones((2, 3))),
    ("eig", wt.linalg.eig(X)[0], np.ones((2, 3))),
    ("slogdet", wt.linalg.slogdet(X)[1], np.ones((2, 3))),
    ("expm", wt.linalg.expm(X), np.ones((2, 3))),
    ("sqrtm", wt.linalg.sqrtm(X), np.ones((2, 3))),
]


@pytest.mark.parametrize("mode", BACKENDS)
def test_what_only_values_tell_is_an_error(mode: str, few: Any) -> None:
    """LinAlgError, as NumPy raises it, with the function, what it was given, and the line."""
    for name, made, value in few(BAD, 4):
        with pytest.raises(np.linalg.LinAlgError) as caught:
            function([X], made, mode=Mode(mode))(value)
        (note,) = caught.value.__notes__
        assert f"while computing {name}" in note
        assert "input 0" in note
        assert "test_linalg_names.py" in note
