"""Sparse matrices on all backends: against SciPy's, and derivatives against those of full ones."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse
import scipy.sparse.linalg

import weft.tensor as wt

OURS: Any = wt.sparse
THEIRS: Any = scipy.sparse
MODES = ["py", "numba", "jax"]
RANDOM = np.random.default_rng(5)
A = OURS.matrix("A")
x, data, scale = wt.vector("x"), wt.vector("data"), wt.scalar("scale")


def drawn(m: int, n: int, density: float = 0.3, seed: int = 1) -> Any:
    return THEIRS.coo_array(THEIRS.random(m, n, density, random_state=seed))


S = drawn(7, 5)
B = drawn(5, 6, seed=2)
V, W = RANDOM.normal(size=5), RANDOM.normal(size=(5, 3))
U, LEFT = RANDOM.normal(size=7), RANDOM.normal(size=(2, 7))

OUTER = U[:, None] * V


def _apart(s: Any) -> Any:
    full = s.toarray()
    return full - 0.5 * full * full.max()


def _line_norms(s: Any) -> list[Any]:
    return [np.linalg.norm(s.toarray(), ord) for ord in (1, np.inf)]


FORMULAS: dict[str, tuple[Any, Any]] = {
    "vector": (lambda a: a @ V, lambda s: s @ V),
    "matrix": (lambda a: a @ W, lambda s: s @ W),
    "variable from the left": (lambda a: wt.as_tensor(U) @ a, lambda s: U @ s),
    "from the left": (lambda a: U @ a, lambda s: U @ s),
    "matrix from the left": (lambda a: LEFT @ a, lambda s: LEFT @ s),
    "transpose": (lambda a: a.T @ U, lambda s: s.T @ U),
    "sum": (lambda a: a.sum(), lambda s: s.sum()),
    "sums of columns": (lambda a: a.sum(0), lambda s: s.sum(0)),
    "means of rows": (lambda a: a.mean(axis=1), lambda s: s.mean(axis=1)),
    "diagonal": (lambda a: a.diagonal(), lambda s: s.diagonal()),
    "trace": (lambda a: a.trace(), lambda s: s.trace()),
    "full": (lambda a: a.toarray(), lambda s: s.toarray()),
    "scaled": (lambda a: (3 * a / 2 - a).toarray(), lambda s: (0.5 * s).toarray()),
    "scaled columns": (lambda a: (a * V).toarray(), lambda s: s.toarray() * V),
    "scaled rows": (lambda a: (U[:, None] * a).toarray(), lambda s: s.toarray() * U[:, None]),
    "by a matrix": (lambda a: a.multiply(OUTER).sum(1), lambda s: (s * OUTER).sum(1)),
    "sparse sum": (lambda a: (a + a).sum_duplicates().data, lambda s: (s + s).tocsr().data),
    "full sum": (lambda a: 1 - (a + 1), lambda s: -s.toarray()),
    "sparse product": (lambda a: (a @ OURS.coo_array(B)).toarray(), lambda s: (s @ B).toarray()),
    "gram": (lambda a: (a.T @ a).toarray(), lambda s: (s.T @ s).toarray()),
    "function": (lambda a: abs(a + a).map(wt.sqrt).toarray(), lambda s: np.sqrt(2 * s.toarray())),
    "power": (lambda a: a.power(2).toarray(), lambda s: s.toarray() ** 2),
    "elements": (lambda a: a.multiply(a.T.T).toarray(), lambda s: s.multiply(s).toarray()),
    "a row": (lambda a: a[-2], lambda s: s.toarray()[-2]),
    "a column": (lambda a: a[:, 1], lambda s: s.toarray()[:, 1]),
    "rows": (lambda a: a[[2, 0, 2]].toarray(), lambda s: s.toarray()[[2, 0, 2]]),
    "a block": (lambda a: a[5:1:-2, U[:5] > 0].toarray(), lambda s: s.toarray()[5:1:-2, U[:5] > 0]),
    "some": (lambda a: a[[0, 6, 3], [4, -5, 2]], lambda s: s.toarray()[[0, 6, 3], [4, -5, 2]]),
    "one": (lambda a: a[6, 0] + a[3][2], lambda s: s.toarray()[6, 0] + s.toarray()[3, 2]),
    "largest": (lambda a: (a - 0.5 * a * a.max()).max(1), lambda s: _apart(s).max(1)),
    "smallest": (lambda a: a.min() + (-a).min(0), lambda s: s.min() - s.toarray().max(0)),
    "sine": (lambda a: a.sin().expm1().toarray(), lambda s: np.expm1(np.sin(s.toarray()))),
    "by each other": (
        lambda a: OURS.kron(a, OURS.coo_array(B)).sum(1),
        lambda s: np.kron(s.toarray(), B.toarray()).sum(1),
    ),
    "sum by each other": (
        lambda a: OURS.kronsum(a.T @ a, OURS.eye_array(2)).toarray(),
        lambda s: THEIRS.kronsum(s.T @ s, THEIRS.eye_array(2)).toarray(),
    ),
    "blocks": (
        lambda a: OURS.block_diag([a, a.T, OURS.eye_array(1)]).toarray(),
        lambda s: THEIRS.block_diag([s, s.T, THEIRS.eye_array(1)]).toarray(),
    ),
    "triangles": (
        lambda a: OURS.tril(a, -1).toarray() - OURS.matrix_transpose(OURS.triu(a, 1).mT).toarray(),
        lambda s: np.tril(s.toarray(), -1) - np.triu(s.toarray(), 1),
    ),
    "norms": (
        lambda a: wt.stack([OURS.norm(a - 0.5 * a), OURS.norm(a, 1), OURS.norm(a, wt.inf)]),
        lambda s: [np.linalg.norm(0.5 * s.toarray()), *_line_norms(s)],
    ),
    "norms of lines": (
        lambda a: wt.concatenate([OURS.norm(a, k, axis=i) for k in (1, None) for i in (0, 1)]),
        lambda s: np.concatenate(
            [np.linalg.norm(s.toarray(), k, axis=i) for k in (1, 2) for i in (0, 1)]),
    ),
    "joined": (
        lambda a: OURS.vstack([OURS.hstack([a, a]), OURS.eye_array(2, 10)]).toarray(),
        lambda s: np.vstack([np.hstack([s.toarray()] * 2), np.eye(2, 10)]),
    ),
}  # fmt: skip


@pytest.mark.cases(4)
@pytest.mark.parametrize("name", FORMULAS)
@pytest.mark.parametrize("mode", MODES)
def test_formulas_are_scipys(mode: str, name: str) -> None:
    ours, theirs = FORMULAS[name]
    f = wt.function([A], ours(A), mode=mode)
    empty = THEIRS.coo_array((7, 5))
    for given in (S, drawn(7, 5, 1.0), empty):
        np.testing.assert_allclose(f(given), theirs(given), rtol=1e-12, atol=1e-14)
    constant = wt.function([], ours(OURS.coo_array(S)), mode=mode)
    np.testing.assert_allclose(constant(), theirs(S), rtol=1e-12, atol=1e-14)


@pytest.mark.cases(3)
@pytest.mark.parametrize("name", [n for n in FORMULAS if n != "sparse sum"])
@pytest.mark.parametrize("mode", MODES)
def test_derivatives_are_those_of_full_matrices(mode: str, name: str) -> None:
    formula, _ = FORMULAS[name]
    sparse = OURS.coo_array((data, (S.row, S.col)), S.shape)
    result = wt.sin(formula(sparse)).sum()
    tangent = wt.pushforward(result, data, wt.cos(data))
    down, forward = wt.function([data], [wt.grad(result, data), tangent], mode=mode)(S.data)
    h = 1e-6
    value = wt.function([data], result, mode="py")
    units = np.eye(S.data.size)
    expected = [(value(S.data + h * u) - value(S.data - h * u)) / (2 * h) for u in units]
    np.testing.assert_allclose(down, expected, rtol=1e-5, atol=1e-7)
    np.testing.assert_allclose(forward, down @ np.cos(S.data), rtol=1e-10)


@pytest.mark.parametrize("mode", MODES)
def test_places_that_are_named_twice_are_added_up(mode: str) -> None:
    a = OURS.coo_array((data, ([1, 0, 1], [2, 0, 2])), (2, 3))
    f = wt.function([data], [a.toarray(), a @ V[:3], a.power(2).toarray()], mode=mode)
    full = np.array([[2.0, 0, 0], [0, 0, 4.0]])
    for actual, expected in zip(f([1.0, 2.0, 3.0]), (full, full @ V[:3], full**2), strict=True):
        np.testing.assert_allclose(actual, expected)


@pytest.mark.parametrize("mode", MODES)
def test_what_is_not_zero(mode: str) -> None:
    twice = THEIRS.coo_array(([1.0, 2.0, -2.0, 4.0], ([0, 1, 1, 2], [1, 0, 0, 1])), (3, 2))
    outputs = [A.count_nonzero(), A.count_nonzero(0), *A.nonzero(), *OURS.find(A)]
    found = wt.function([A], outputs, mode=mode)(twice)
    expected = [2, [0, 2], [0, 2], [1, 1], [0, 2], [1, 1], [1.0, 4.0]]
    for actual, value in zip(found, expected, strict=True):
        np.testing.assert_array_equal(actual, value)


@pytest.mark.parametrize("given", [S.tocsr(), S.tocsc(), S.tolil(), S.todok(), S.tobsr()])
def test_a_function_takes_every_format(given: Any) -> None:
    np.testing.assert_allclose(wt.function([A], A @ V)(given), S @ V)


def test_all_ways_to_make_one() -> None:
    full = S.toarray()
    rows, columns = S.tocsr(), S.tocsc()
    of_parts = OURS.csr_array((rows.data, rows.indices, rows.indptr), rows.shape)
    by_columns = OURS.csc_array((columns.data, columns.indices, columns.indptr), S.shape)
    whole = [OURS.csr_array(rows), OURS.csc_array(columns), OURS.coo_array(full)]
    for a in (*whole, of_parts, by_columns):
        np.testing.assert_array_equal(a.toarray().eval(), full)
    m = wt.matrix("m")
    np.testing.assert_array_equal(OURS.coo_array(m).T.toarray().eval({m: full}), full.T)
    indptr = wt.vector("indptr", dtype="int64")
    a = OURS.csr_array((rows.data, rows.indices, indptr), S.shape)
    np.testing.assert_array_equal(a.toarray().eval({indptr: rows.indptr}), full)
    for k in (-2, 0, 1):
        np.testing.assert_array_equal(OURS.eye_array(3, 4, k).toarray().eval(), np.eye(3, 4, k))
    laplace, of_numbers = (
        m.diags_array([1.0, -2.0, 1.0], offsets=[-1, 0, 1], shape=(4, 5)) for m in (OURS, THEIRS)
    )
    np.testing.assert_array_equal(laplace.toarray().eval(), of_numbers.toarray())
    np.testing.assert_array_equal(OURS.diags_array(V).diagonal().eval(), V)
    np.testing.assert_array_equal(OURS.eye_array(2, 2, 5).toarray().eval(), np.zeros((2, 2)))


@pytest.mark.parametrize("dtype", ["float32", "complex128", "int64"])
@pytest.mark.parametrize("mode", MODES)
def test_other_dtypes(mode: str, dtype: str) -> None:
    a = OURS.matrix("a", dtype=dtype)
    given = (10 * S).astype(dtype)
    result = wt.function([a], [a @ np.ones(5, dtype), a.sum(0)], mode=mode)(given)
    assert [r.dtype for r in result] == [dtype, dtype]
    np.testing.assert_allclose(result[0], given.toarray() @ np.ones(5), rtol=1e-6)


@pytest.mark.parametrize("mode", MODES)
def test_batches_loops_and_results(mode: str) -> None:
    def after_steps(weight: Any) -> Any:
        return wt.fori_loop(0, 3, lambda i, v: wt.tanh((weight * A.T) @ (A @ v)), wt.as_tensor(V))

    many = wt.vmap(after_steps)(x)
    f = wt.function([A, x], [many, wt.grad(many.sum(), x)], mode=mode)
    values, slopes = f(S, [0.5, 2.0])
    v = V
    for _ in range(3):
        v = np.tanh(2 * (S.T @ (S @ v)))
    np.testing.assert_allclose(values[1], v, rtol=1e-12)
    assert slopes.shape == (2,)
    doubled = wt.function([A], {"twice": A * 2.0}, mode=mode)(S)["twice"]
    np.testing.assert_array_equal(doubled.data, 2 * S.data)


@pytest.mark.parametrize("mode", MODES)
def test_systems(mode: str) -> None:
    square = THEIRS.coo_array(drawn(6, 6, 0.3) + 2 * THEIRS.eye_array(6))
    b = RANDOM.normal(size=6)
    a = OURS.coo_array((data, (square.row, square.col)), square.shape)
    solution = OURS.spsolve(a, x)
    total = wt.sin(solution).sum()
    outputs = [solution, *wt.grad(total, [data, x]), wt.pushforward(total, x, wt.cos(x))]
    f = wt.function([data, x], outputs, mode=mode)
    value, by_data, by_b, forward = f(square.data, b)
    full = square.toarray()
    np.testing.assert_allclose(value, np.linalg.solve(full, b), rtol=1e-10)
    back = np.linalg.solve(full.T, np.cos(value))
    np.testing.assert_allclose(by_b, back, rtol=1e-10)
    np.testing.assert_allclose(by_data, -back[square.row] * value[square.col], rtol=1e-10)
    np.testing.assert_allclose(forward, back @ np.cos(b), rtol=1e-10)
    many = RANDOM.normal(size=(6, 2))
    several = wt.function([data], OURS.spsolve(a, many), mode=mode)(square.data)
    np.testing.assert_allclose(several, np.linalg.solve(full, many), rtol=1e-10)


def test_a_large_positive_definite_system_needs_products_alone() -> None:
    beside = -np.ones(49)
    laplace = OURS.diags_array([beside, 2.0 * np.ones(50), beside], [-1, 0, 1], (50, 50))
    solution, info = wt.optimize.cg(lambda v: laplace @ v, np.ones(50), rtol=1e-12)
    expected = np.linalg.solve(laplace.toarray().eval(), np.ones(50))
    np.testing.assert_allclose(wt.function([], solution, mode="py")(), expected, rtol=1e-8)
    assert info.eval() == 0


WIDE = OURS.coo_array(S)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: WIDE @ np.ones(4), "other shapes: 4 and 5"),
        (lambda: np.ones(4) @ WIDE, "other shapes: 4 and 7"),
        (lambda: WIDE @ np.ones((2, 5, 1)), "takes vectors and matrices"),
        (lambda: WIDE @ WIDE, "other shapes: 7 and 5"),
        (lambda: WIDE + OURS.eye_array(7), "other shapes: 7 and 5"),
        (lambda: WIDE * np.ones(4), "other shapes: 4 and 5"),
        (lambda: WIDE.multiply(np.ones((1, 1, 5))), "at most 2 dimensions"),
        (lambda: WIDE.sum(2), "axis is 0 or 1"),
        (lambda: OURS.coo_array(np.ones(3)), "made of a matrix"),
        (lambda: OURS.coo_array(([1.0], ([0.5], [0]))), "places integers"),
        (lambda: OURS.diags_array([[1.0]], [0, 1]), "1 diagonals and 2 offsets"),
        (lambda: OURS.vstack([]), "no matrix"),
        (lambda: OURS.vstack([WIDE, WIDE.T]), "other shapes: 7 and 5"),
        (lambda: OURS.spsolve(WIDE, np.ones((5, 1, 1))), "takes a vector"),
        (lambda: WIDE[0, 0, 0], "takes two indices"),
        (lambda: WIDE[[[0]]], "indices of a sparse matrix"),
        (lambda: WIDE[None], "indices of a sparse matrix"),
        (lambda: WIDE[...], "indices of a sparse matrix"),
        (lambda: WIDE[0.5], "indices of a sparse matrix"),
        (lambda: WIDE.multiply(WIDE.T), "other shapes: 5 and 7"),
        (lambda: OURS.norm(WIDE, 2), "ord is None"),
        (lambda: OURS.block_array([[WIDE, None], [WIDE, None]]), "no matrix"),
        (lambda: OURS.diags_array(1.0), "a given shape"),
    ],
)
def test_bad_input_is_told_when_it_is_written(call: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        call()


@pytest.mark.parametrize("mode", MODES)
def test_bad_input_is_told_when_it_comes(mode: str) -> None:
    f = wt.function([A, x], A @ x, mode=mode)
    with pytest.raises(ValueError, match="other shapes"):
        f(S, np.ones(4))
    with pytest.raises(TypeError, match="SparseArray"):
        f(S.toarray(), np.ones(5))
    row = wt.vector("row", dtype="int64")
    g = wt.function([row], OURS.coo_array(([1.0], (row, [0])), (2, 2)).toarray(), mode=mode)
    with pytest.raises(ValueError, match="negative"):
        g([-1])
    with pytest.raises(IndexError):
        g([2])
    with pytest.raises(AttributeError, match=r"scipy\.sparse\.lil_array"):
        _ = OURS.lil_array


def test_formats_and_dtypes_of_scipys_makers() -> None:
    eye = OURS.eye_array(2, format="csr", dtype="float32")
    made = [
        eye,
        OURS.diags_array([[1, 2]], format="csc", dtype="float32"),
        OURS.coo_array(scipy.sparse.eye_array(2), dtype="float32"),
        OURS.csr_array(([1.0], [0], [0, 1]), dtype="float32"),
        OURS.csc_array(([1.0], [0], [0, 1]), dtype="float32"),
        OURS.vstack([eye, eye], format="csr"),
        OURS.hstack([OURS.eye_array(2)] * 2, "csc", "float32"),
        OURS.block_diag([eye, eye], format="csr"),
        OURS.block_array([[eye]], format="dia"),
        OURS.kron(eye, eye, "csr"),
        OURS.kronsum(eye, eye, "csr"),
        OURS.tril(eye, format="csr"),
        OURS.triu(eye.tocsc(), format="csr"),
    ]
    assert {a.dtype for a in made} == {"float32"}
    with pytest.raises(ValueError, match="'dense' is no format of sparse matrices"):
        OURS.eye_array(2, format="dense")


@pytest.mark.parametrize("kind", [scipy.sparse.lil_array, scipy.sparse.csc_array, np.asarray])
def test_what_is_made_of_other_libraries_matrices(kind: Any) -> None:
    s = scipy.sparse.csr_array([[1.0, 2.0], [0.0, 3.0]])
    a = kind(s.toarray())
    for name in ("kron", "kronsum"):
        made = getattr(OURS, name)(a, a).toarray().eval()
        np.testing.assert_array_equal(made, getattr(THEIRS, name)(s, s).toarray())
    for name in ("vstack", "hstack", "block_diag"):
        made = getattr(OURS, name)([a, a]).toarray().eval()
        np.testing.assert_array_equal(made, getattr(THEIRS, name)([s, s]).toarray())
    made = OURS.block_array([[a, None], [None, OURS.eye_array(1)]]).toarray().eval()
    np.testing.assert_array_equal(made, [[1, 2, 0], [0, 3, 0], [0, 0, 1]])
    for part in (
        OURS.tril(a),
        OURS.triu(a),
        OURS.matrix_transpose(a),
        OURS.linalg.matrix_power(a, 2),
    ):
        assert part.shape[0].eval() == 2
    np.testing.assert_array_equal(OURS.tril(a).toarray().eval(), [[1, 0], [0, 3]])
    np.testing.assert_array_equal(OURS.linalg.matrix_power(a, 2).toarray().eval(), [[1, 8], [0, 9]])
    assert [v.eval().tolist() for v in OURS.find(a)] == [[0, 0, 1], [0, 1, 1], [1, 2, 3]]
