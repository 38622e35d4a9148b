"""Rules on matrices: by what they are made of, and by what is known of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft_tensor as wt
from weft_graph import Mode, Rule, RuleBook, assume, function, grad, graph_inputs
from weft_rewrites.ops.linalg import banded as of_bands
from weft_rewrites.ops.linalg import by_facts, structured
from weft_testing import check_book

A, B, D = wt.matrix("A"), wt.matrix("B"), wt.vector("D")
P, Q = wt.matrix("P", shape=(2, 2)), wt.matrix("Q", shape=(3, 3))
R = wt.matrix("R", shape=(40, 40))
F, G, H = wt.vector("F", shape=(4,)), wt.vector("G", shape=(3,)), wt.vector("H", shape=(3,))
U, V, X = wt.matrix("U", shape=(None, 2)), wt.matrix("V", shape=(2, None)), wt.matrix("X")
EIGVALS = wt.linalg.eigvals(A)
REGULAR = np.array([[2.0, 0.5, 0.1], [0.5, 1.5, 0.3], [0.1, 0.3, 1.0]])
SIDES = np.array([[0.3, -1.1], [2.7, 0.0], [-0.7, 1.3]])
ODD = np.array([[np.nan, 1.0], [np.inf, -0.0], [0.4, 0.6]])
ROTATION = np.array([[np.cos(0.7), -np.sin(0.7), 0], [np.sin(0.7), np.cos(0.7), 0], [0, 0, -1]])
DIAGONAL = np.diag([2.0, -0.5, 0.3])
PAIR = [REGULAR[:2, :2] - 0.3, ROTATION + REGULAR]
THIN = np.arange(8.0).reshape(4, 2) / 7 - 0.6
NUMBERS = np.array([2.0, 0.5, 3.0, -1.5])
WIDE = np.sin(np.arange(12.0)).reshape(6, 2)
HIGH = WIDE[:4] > 0.9
LARGE = np.sin(np.arange(1600.0) ** 2).reshape(40, 40) + 5 * np.eye(40)
LONG = np.cos(np.arange(86.0) ** 2).reshape(43, 2)
FAR = np.where(LONG > 0.99, np.inf, LONG)
MISSING = np.where(LONG > 0.999, np.nan, LONG)

Make = Callable[..., Any]


def diag(b: Any) -> Any:
    """`wt.diag(b)` as it is after the first phase."""
    i = wt.arange(b.shape[0])
    return wt.zeros((b.shape[0], b.shape[0]))[i, i].set(b)


def known(fact: str, value: Any, *makes: Make) -> list[Any]:
    """What is made of a matrix that has the fact."""
    return [(make(assume(A, **{fact: True})), [value]) for make in makes]


def solved(fact: str, value: Any) -> list[Any]:
    made = wt.Solve()(assume(A, **{fact: True}), B)
    return [(made, [value, x]) for x in (SIDES, ODD, ODD[::-1], np.sin(7 * SIDES))]


def few_columns(make: Make, *others: Any) -> list[Any]:
    """What is made of diag(d) + U @ V, of a multiple of 1 in place of diag(d), and a transpose."""
    d = assume(D, nonzero=True)
    return [
        (make(diag(d) + U @ V), [NUMBERS, THIN, THIN.T + 0.1, *others]),
        (make(2.5 * wt.eye(U.shape[0]) + U @ U.T), [THIN, *others]),
        (make((diag(d) + U @ V).T), [NUMBERS, THIN, THIN.T + 0.1, *others]),
        (make(diag(d) - -(U @ V) / 3), [NUMBERS, THIN, THIN.T + 0.1, *others]),
    ]


def kronecker(make: Make, *others: Any) -> list[Any]:
    return [(make(kron(P, Q)), [*PAIR, *others]), (make(kron(P, Q).T), [*PAIR, *others])]


def kron(a: Any, b: Any) -> Any:
    """`wt.kron(a, b)` as it is after the first phase."""
    lengths = [wt.constant(n * m) for n, m in zip(a.type.shape, b.type.shape, strict=True)]
    return wt.Reshape()(a.expand_dims((1, 3)) * b.expand_dims(1), *lengths)


def blocks(make: Make, *others: Any) -> list[Any]:
    whole = wt.concatenate(
        [
            wt.concatenate([Q, wt.zeros((3, 40))], 1),
            wt.concatenate([wt.zeros((40, 3)), R], 1),
        ],
        0,
    )
    return [(make(x), [PAIR[1], LARGE, *others]) for x in (whole, whole.T)]


def banded(make: Make, *others: Any) -> list[Any]:
    """What is made of three diagonals."""
    i = wt.arange(3)
    empty = wt.zeros((4, 4))
    whole = diag(F) + empty[i, i + 1].set(-G) + 2.0 * wt.eye(4) - empty[i + 1, i].set(H)
    return [(make(whole), [NUMBERS, WIDE[:3, 0], WIDE[3:, 1], *others])]


def of_solve(x: Any) -> Any:
    return wt.Solve()(x, X)


def products(x: Any) -> Any:
    return x @ X


def of_square(x: Any) -> Any:
    return wt.Cholesky(or_nan=True)(x @ x.T)


L = wt.cholesky(A)
NINE = wt.vector("nine", shape=(9,))
LOWER = np.tril_indices(3)
TRIANGLE = assume(wt.matrix("T", shape=(3, 3)), lower_triangular=True)
NARROW = np.tril(np.ones((3, 3))) * [1.0, 1e-9, 1.0]
SINGULAR = np.tril([1.0, 2.0, 3.0]) * [1.0, 0.0, 1.0]
LINEAR: dict[str, list[Any]] = {
    "solve(D, b) = b / diagonal(D) for diagonal D": solved("diagonal", DIAGONAL),
    "solve(R, b) = solve_triangular(R, b) for triangular R": [
        *solved("lower_triangular", np.tril(REGULAR)),
        *solved("upper_triangular", np.triu(REGULAR)),
    ],
    "solve(Q, b) = Q.T @ b for orthogonal Q": solved("orthogonal", ROTATION),
    "solve(A, b) = cho_solve(cholesky(A), b) for positive definite A": [
        *solved("positive_definite", REGULAR),
        *solved("positive_definite", -REGULAR),
    ],
    "Q.T @ Q = 1 for orthogonal Q": known(
        "orthogonal", ROTATION, lambda q: q.T @ q, lambda q: q @ q.T
    ),
    "D @ B = diagonal(D) * B for diagonal D": [
        pair
        for d in [assume(A, diagonal=True, symmetric=True)]
        for x in (SIDES, ODD)
        for pair in ((d @ B, [DIAGONAL, x]), (B.T @ d, [x, DIAGONAL]))
    ],
    "slogdet(A) by the diagonal of a triangular A, or of cholesky(A)": [
        *known("positive_definite", REGULAR, *(lambda a, k=k: wt.slogdet(a)[k] for k in (0, 1))),
        *known("upper_triangular", np.triu(-REGULAR), lambda a: wt.slogdet(a)[1]),
        *known("upper_triangular", np.triu(-REGULAR), lambda a: wt.slogdet(a)[0]),
        *known("positive_definite", -REGULAR, lambda a: wt.slogdet(a)[1]),
        *known("orthogonal", ROTATION, lambda a: wt.slogdet(a)[1]),
    ],
    "cholesky(L Lᵀ) = L * sign(diagonal(L)) for triangular L": [
        *(
            (of_square(TRIANGLE), [whole])
            for whole in (np.tril(REGULAR), np.tril(REGULAR) * [1.0, -1.0, -2.0], SINGULAR, NARROW)
        ),
        (of_square(wt.zeros((3, 3))[LOWER].set(wt.exp(NINE[:6]))), [np.arange(9.0)]),
    ],
    "cholesky of new axes in front": [(wt.cholesky(A[None]), [REGULAR])],
    "b @ inv(L L.T) @ b = sum(solve_triangular(L, b) ** 2)": [
        (
            D @ wt.linalg.cho_solve((L, True), D.expand_dims(1), 2).squeeze(1),
            [SIDES[:, 0], REGULAR],
        ),
        (
            wt.linalg.cho_solve((L, True), D.expand_dims(1), 2).squeeze(1) @ D,
            [REGULAR, SIDES[:, 0]],
        ),
        (B.T @ wt.linalg.cho_solve((L, True), B), [SIDES, REGULAR]),
        (B @ wt.linalg.cho_solve((L, True), B.T, 2), [SIDES.T, REGULAR]),
    ],
    "inverses and determinants of triangular matrices": [
        *known("lower_triangular", np.tril(REGULAR), wt.inv, wt.det),
        *known("upper_triangular", np.triu(-REGULAR), wt.inv, wt.det),
        *known("upper_triangular", np.triu(LARGE), wt.inv, lambda a: wt.slogdet(a)[1]),
    ],
    "inv(A) = cholesky_inverse(cholesky(A)) for positive definite A": [
        *known("positive_definite", REGULAR, wt.inv),
        *known("positive_definite", -REGULAR, wt.inv),
    ],
    "det(A) = prod(diagonal(cholesky(A))) ** 2 for positive definite A": [
        *known("positive_definite", REGULAR, wt.det),
        *known("positive_definite", -REGULAR, wt.det),
    ],
    "solve(diag(d) + u @ v, b), u of few columns, by Woodbury's identity": few_columns(
        of_solve, WIDE[:4]
    ),
    "det(diag(d) + u @ v) = prod(d) * det(1 + v @ (u / d)), u of few columns": few_columns(wt.det),
    "slogdet(diag(d) + u @ v) by slogdet(1 + v @ (u / d)), u of few columns": [
        *few_columns(lambda x: wt.slogdet(x)[0]),
        *few_columns(lambda x: wt.slogdet(x)[1]),
    ],
    "inv(diag(d) + u @ v), u of few columns, by Woodbury's identity": few_columns(wt.inv),
    "(diag(d) + u @ v) @ x = d * x + u @ (v @ x), u of few columns": [
        *few_columns(products, WIDE[:4]),
        *((X @ x.T, [WIDE[:4].T, *values]) for x, values in few_columns(lambda x: x)[:2]),
        *((wt.ones(4) @ x, values) for x, values in few_columns(lambda x: x)[:2]),
    ],
    "solve(kron(A, B), c) = (solve(A, solve(B, c.T).T)) in rows": kronecker(of_solve, WIDE),
    "kron(A, B) @ x = A @ x @ B.T in rows": [
        *kronecker(products, WIDE),
        (D @ kron(P, Q), [WIDE[:, 0], *PAIR]),
        (X @ kron(P, Q), [WIDE.T, *PAIR]),
    ],
    "det(kron(A, B)) = det(A) ** n * det(B) ** m": kronecker(wt.det),
    "slogdet(kron(A, B)) by slogdet(A) and slogdet(B)": [
        *kronecker(lambda x: wt.slogdet(x)[0]),
        *kronecker(lambda x: wt.slogdet(x)[1]),
    ],
    "diagonal(kron(A, B)) = kron(diagonal(A), diagonal(B))": kronecker(
        lambda x: x[wt.arange(6), wt.arange(6)]
    ),
    "inv(kron(A, B)) = kron(inv(A), inv(B))": kronecker(wt.inv),
    "solve(block_diag(A, B), c) by blocks": [
        pair for x in (LONG, FAR, MISSING) for pair in blocks(of_solve, x)
    ],
    "block_diag(A, B) @ x by blocks": [
        pair
        for x in (LONG, FAR, MISSING)
        for pair in (
            *blocks(products, x),
            *((X @ whole, [x.T, *values]) for whole, values in blocks(lambda x: x)),
            *(
                (D @ whole, [np.append(x[:42, 0], odd), *values])
                for whole, values in blocks(lambda x: x)
                for odd in (1.0, np.nan)
            ),
        )
    ],
    "det(block_diag(A, B)) = det(A) * det(B)": blocks(wt.det),
    "slogdet(block_diag(A, B)) by slogdet(A) and slogdet(B)": [
        *blocks(lambda x: wt.slogdet(x)[0]),
        *blocks(lambda x: wt.slogdet(x)[1]),
    ],
    "inv(block_diag(A, B)) = block_diag(inv(A), inv(B))": blocks(wt.inv),
    "(diag(a) + diag(b, k)) @ x by diagonals": [
        pair
        for x in (
            WIDE[:4],
            -np.abs(0 * WIDE[:4]),
            *(np.where(HIGH, v, 1) for v in (np.inf, np.nan)),
        )
        for pair in (
            *banded(products, x),
            *((D @ whole, [x[:, 0], *values]) for whole, values in banded(lambda x: x)),
            *((X @ whole, [x.T, *values]) for whole, values in banded(lambda x: x)),
        )
    ],
    "solve(diag(a) + diag(b, k), c) = solve_banded": [
        pair
        for x in (WIDE[:4], *(np.where(HIGH, v, 1) for v in (np.inf, np.nan)))
        for pair in banded(of_solve, x)
    ],
}


def examples_of(r: Rule) -> list[Any]:
    """Those to which it applies."""
    return [e for group in LINEAR.values() for e in group if r(e[0]) is not None]


BOOK = RuleBook(
    "matrices",
    [*by_facts.rules, *by_facts.wholes, *structured.rules, *structured.wholes, *of_bands.rules],
)


def test_rules_change_just_what_they_declare(few: Any) -> None:
    """But for rounding, which depends on the machine's BLAS."""
    book = RuleBook(BOOK.name, few(list(BOOK), 20))
    seen = check_book(book, examples={r.name: examples_of(r) for r in book})
    rounded = {name: changes | {"rounding"} for name, changes in seen.items()}
    assert rounded == {r.name: r.may_change | {"rounding"} for r in book}
    assert all(seen[r.name] <= r.may_change for r in book)


def test_diagonals_that_may_have_zeros_are_not_divided_by() -> None:
    """The sum may be regular all the same."""
    whole = diag(D) + U @ V
    f = function([D, U, V, B], wt.solve(whole, B), mode="py")
    rng = np.random.default_rng(0)
    u, v, b = rng.normal(size=(4, 2)), rng.normal(size=(2, 4)), rng.normal(size=(4, 2))
    expected = np.linalg.solve(np.diag([0.0, 1, 2, 3]) + u @ v, b)
    np.testing.assert_allclose(f(np.array([0.0, 1, 2, 3]), u, v, b), expected, rtol=1e-10)


@pytest.mark.parametrize(
    ("made", "values"),
    [
        (A @ wt.eye(3), [np.ones((2, 1))]),
        (wt.eye(3) @ A, [np.ones((1, 2))]),
        (wt.eye(3) @ D, [np.ones(1)]),
        (assume(P, diagonal=True) @ A, [np.eye(2), np.ones((1, 2))]),
        (wt.solve(wt.eye(3), D), [np.ones(1)]),
        (wt.solve(assume(P, diagonal=True), A), [np.eye(2), np.ones((1, 2))]),
    ],
    ids=str,
)
def test_what_is_of_one_row_is_not_repeated(made: Any, values: list[Any]) -> None:
    inputs: list[Any] = graph_inputs([made])
    inputs.sort(key=lambda v: [P, A, D].index(v))
    with pytest.raises(ValueError, match=r"reshape|mismatch|must|lengths"):
        function(inputs, made, mode="py")(*values)


@pytest.mark.parametrize("n", [1, 2, 4])
def test_sums_of_diagonals_take_as_many_steps_as_they_have_numbers(n: int) -> None:
    d, x = (wt.vector(name, shape=(n,)) for name in "dx")
    up, low = (wt.vector(name, shape=(n - 1,)) for name in "ul")
    whole = wt.diag(d) - wt.diag(up, 1) + wt.diag(low, -1)
    rng = np.random.default_rng(n)
    values = [rng.normal(size=k) for k in (n, n - 1, n - 1, n)]
    made = [whole @ x, x @ whole, wt.inv(whole) @ x]
    f = function(
        [d, up, low, x], [*made, *grad(wt.sum(wt.stack(made)), [d, up, low, x])], mode="py"
    )
    a = np.diag(values[0]) - np.diag(values[1], 1) + np.diag(values[2], -1)
    product, other, solution, *slopes = f(*values)
    np.testing.assert_allclose(product, a @ values[3], rtol=1e-12)
    np.testing.assert_allclose(other, values[3] @ a, rtol=1e-12)
    np.testing.assert_allclose(solution, np.linalg.solve(a, values[3]), rtol=1e-9)
    cotangent = np.linalg.solve(a.T, np.ones(n))
    by_whole = np.outer(np.ones(n), values[3]) + np.outer(values[3], np.ones(n))
    by_whole -= np.outer(cotangent, np.linalg.solve(a, values[3]))
    expected = [np.diag(by_whole), -np.diag(by_whole, 1), np.diag(by_whole, -1)]
    for slope, right in zip(slopes, expected, strict=False):
        np.testing.assert_allclose(slope, right, rtol=1e-9)
    assert not {wt.Matmul, wt.Solve} & f.graph.op_classes


def test_vectors_of_other_lengths_are_refused_by_sums_of_diagonals() -> None:
    refused = r"reshape|mismatch|must|fit|lengths"
    whole = wt.diag(F) + wt.diag(G, 1)
    for made in (whole @ D, D @ whole, wt.solve(whole, D)):
        for n in (1, 3, 5):
            with pytest.raises(ValueError, match=refused):
                function([F, G, D], made, mode="py")(NUMBERS, NUMBERS[:3], np.ones(n))
    f = function([F, D], (wt.diag(F) - wt.diag(D, -1)) @ F, mode="py")
    expected = (np.diag(NUMBERS) - np.diag(np.ones(3), -1)) @ NUMBERS
    np.testing.assert_allclose(f(NUMBERS, np.ones(3)), expected)
    assert wt.Matmul not in f.graph.op_classes
    with pytest.raises(ValueError, match=refused):
        f(NUMBERS, np.ones(4))


def test_one_factorisation_beside_a_constant_result() -> None:
    results = [wt.solve(A, D), wt.slogdet(A)[1], wt.zeros(())]
    f = function([A, D], results, mode="py")
    assert f(REGULAR, SIDES[:, 0])[2] == 0


def test_values_are_those_that_belong_to_the_vectors() -> None:
    x = np.random.default_rng(0).normal(size=(200, 200)) / 14
    cubes = wt.sum(EIGVALS.real**3 - 3 * EIGVALS.real * EIGVALS.imag**2)
    for mode in ("py", Mode("py", books=[])):
        found = function([A], [cubes, grad(cubes, A)], mode=mode)
        np.testing.assert_allclose(found(x)[1], 3 * (x @ x).T, atol=1e-10)
    for values in (EIGVALS.real, wt.linalg.eigvalsh(A), wt.linalg.svdvals(A)):
        f = function([A], [values, grad(wt.sum(values**2), A)], mode="py")
        assert f.graph.op_classes.isdisjoint([wt.Eigvals, wt.Eigvalsh, wt.SingularValues])


@pytest.mark.parametrize("transposed", [False, True])
def test_one_factorisation_for_all_steps_of_a_loop(transposed: bool) -> None:
    def last(a: Any, d: Any) -> Any:
        return wt.fori_loop(0, 3, lambda i, x: wt.cos(wt.solve(a.T if transposed else a, x + i)), d)

    f = function([A, D], [last(A, D), grad(last(A, D).sum(), A)], mode="py")
    assert wt.LUFactor in f.graph.op_classes
    loops: list[Any] = [v.op for v in f.graph.nodes if isinstance(v.op, wt.Recurrence)]
    in_steps = {type(v.op) for loop in loops for v in loop.body.graph.nodes}
    assert wt.SolveTriangular in in_steps
    assert not {wt.Solve, wt.LUFactor} & in_steps
    expected = SIDES[:, 0]
    for i in range(3):
        expected = np.cos(np.linalg.solve(REGULAR.T if transposed else REGULAR, expected + i))
    np.testing.assert_allclose(f(REGULAR, SIDES[:, 0])[0], expected, rtol=1e-12)


def test_a_product_of_triangles_is_not_factored_again() -> None:
    """Nor are slopes those of a factor, of which half of the digits are lost."""
    packed = NINE[:6][[0, 2, 5]].set(wt.exp(NINE[np.array([0, 2, 5])]))
    triangle = wt.zeros((3, 3))[LOWER].set(packed)
    factor = of_square(triangle)[None]
    z = wt.solve_triangular(factor, NINE[None, 6:], lower=True, b_ndim=1)
    density = -wt.sum(wt.square(z)) / 2 - wt.sum(wt.log(wt.diagonal(factor[0])))
    f = function([NINE], [density, grad(density, NINE), factor[0]], mode="py")
    assert not {wt.Cholesky, wt.Matmul} & f.graph.op_classes
    point = np.array([-9.0, 3.0, 9.0, 1.0, -2.0, -9.0, 0.5, 1.0, 2.0])
    value, slope, whole = f(point)
    x = np.linalg.solve(whole, point[6:])
    assert value == pytest.approx(-x @ x / 2 + 9, rel=1e-12)
    np.testing.assert_allclose(slope[6:], -np.linalg.solve(whole.T, x), rtol=1e-12)
    outer = np.tril(np.outer(np.linalg.solve(whole.T, x), x))
    diagonal = np.diag(outer) * np.diag(whole) - 1
    np.testing.assert_allclose(slope[[0, 2, 5]], diagonal, rtol=1e-12)
    np.testing.assert_allclose(slope[[1, 3, 4]], outer[[1, 2, 2], [0, 0, 1]], rtol=1e-12)
    assert np.isnan(f(np.where(np.arange(9) == 2, -800.0, point))[2][1:, 1]).all()


def test_the_slope_of_a_layer_is_no_sum_of_products() -> None:
    x, y = wt.tensor3("x"), wt.tensor3("y")
    f = function([x, A], grad(wt.tanh(x @ A).sum(), A), mode="py")
    products: list[Any] = [v for v in f.graph.nodes if isinstance(v.op, wt.Matmul)]
    assert {v.ndim for v in products} == {2}
    assert wt.Sum not in f.graph.op_classes
    stack = np.stack([SIDES, 2 * SIDES])
    expected = np.einsum("bij,bik->jk", stack, 1 - np.tanh(stack @ REGULAR[:2]) ** 2)
    np.testing.assert_allclose(f(stack, REGULAR[:2]), expected, rtol=1e-12)
    total = function([x, y], wt.sum(x.mT @ y, 0), mode="py")
    np.testing.assert_allclose(total(stack[:1], stack), 3 * SIDES.T @ SIDES, rtol=1e-12)
    assert total(stack[:0], stack[:0]).tolist() == np.zeros((2, 2)).tolist()
    for wrong in (stack[:, :1], np.stack([SIDES] * 3)):
        with pytest.raises(ValueError, match=r"matmul|broadcast"):
            total(wrong, stack)


def test_no_rows_have_no_fewer_columns() -> None:
    u, v, b = (wt.matrix(name, shape=(0, 0)) for name in "uvb")
    f = function([u, v, b], wt.solve(wt.eye(0) + u @ v, b), mode="py")
    assert f(*[np.zeros((0, 0))] * 3).shape == (0, 0)


def test_a_matrix_less_bools_is_no_sum_of_few_columns() -> None:
    """Whose product with others could not be rewritten: no bool has a sign."""
    a, x = wt.matrix("a"), wt.vector("x")
    f = function([a, x], [(a - (a > 0)) @ x, (wt.diag(x) - (a > 0)) @ x], mode="py")
    values = np.array([[1.5, -2.0], [0.25, 3.0]]), np.array([2.0, -1.0])
    whole, diagonal = f(*values)
    less = (values[0] > 0).astype(float)
    np.testing.assert_allclose(whole, (values[0] - less) @ values[1])
    np.testing.assert_allclose(diagonal, (np.diag(values[1]) - less) @ values[1])
