"""Facts about tensors: each line of the tables, and the values of random expressions."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import weft_tensor as wt
from weft_graph import Fact, Mode, ask, assume, function
from weft_tensor import facts
from weft_tensor.extend import SCALARS

PLAIN = Mode("py", books=[])
NAN, INF = float("nan"), float("inf")


def adjoint(v: Any) -> Any:
    return np.swapaxes(v, -1, -2).conj()


def is_definite(v: Any) -> bool:
    return bool(np.allclose(v, adjoint(v)) and (np.linalg.eigvalsh(v) > 0).all())


CHECKS: dict[Fact, Any] = {
    facts.not_nan: lambda v: not np.isnan(v).any(),
    facts.finite: lambda v: np.isfinite(v).all(),
    facts.integer: lambda v: (np.trunc(v) == v)[np.isfinite(v)].all(),
    facts.no_negative_zero: lambda v: not (np.signbit(v) & (v == 0)).any(),
    facts.nonzero: lambda v: (v != 0).all(),
    facts.nonnegative: lambda v: not (v < 0).any(),
    facts.positive: lambda v: not (v <= 0).any(),
    facts.nonpositive: lambda v: not (v > 0).any(),
    facts.negative: lambda v: not (v >= 0).any(),
    facts.lower_triangular: lambda v: np.allclose(np.triu(v, 1), 0),
    facts.upper_triangular: lambda v: np.allclose(np.tril(v, -1), 0),
    facts.diagonal: lambda v: np.allclose(np.triu(v, 1), 0) and np.allclose(np.tril(v, -1), 0),
    facts.symmetric: lambda v: np.allclose(v, adjoint(v), rtol=1e-6),
    facts.positive_definite: is_definite,
    facts.orthogonal: lambda v: np.allclose(v @ adjoint(v), np.eye(v.shape[-1])),
}


def assert_sound(x: Any, value: Any, checked: Any = tuple(CHECKS)) -> None:
    for fact in checked:
        answer = ask(x, fact)
        if answer is None or (fact in facts.MATRICES and not np.isfinite(value).all()):
            continue
        if answer is False and (fact in facts.ELEMENTWISE and np.isnan(value).all()):
            continue  # no element is a number, or there is none: every fact about them holds
        if fact in facts.MATRICES and value.ndim < 2:
            assert answer is False
            continue
        assert bool(CHECKS[fact](value)) is answer, (fact, answer, value)


def known(x: Any, *those: Fact) -> list[bool | None]:
    return [ask(x, fact) for fact in those]


def test_every_fact_has_a_check() -> None:
    assert set(CHECKS) == {*facts.ELEMENTWISE, *facts.MATRICES}


x, y = wt.vector("x"), wt.vector("y")
A = wt.matrix("A", shape=("n", "n"))


@pytest.mark.parametrize(
    ("expression", "fact"),
    [
        (wt.exp(x), facts.nonnegative),
        (wt.exp(x), facts.no_negative_zero),
        (-wt.exp(x), facts.nonpositive),
        (wt.square(x) + 1, facts.positive),
        (2 * (wt.square(x) + 1), facts.positive),
        (x * x, facts.nonnegative),
        (x**2, facts.nonnegative),
        (wt.abs(x).sum(), facts.nonnegative),
        (wt.sqrt(1 + wt.softplus(x)), facts.positive),
        (wt.maximum(x, 1e-3), facts.positive),
        (wt.minimum(x, 0), facts.nonpositive),
        (wt.exp(x) / (1 + wt.exp(x)), facts.nonnegative),
        (wt.where(x > 0, 2.0, y * y + 3), facts.positive),
        (wt.square(x)[1:].reshape((2, 2)).T, facts.nonnegative),
        (wt.concatenate([wt.exp(x), wt.exp(y)]), facts.nonnegative),
        (x.shape[0], facts.nonnegative),
        (x.shape[0] // 2 + 1, facts.nonnegative),
        (x.shape[0] // wt.constant(2, "int8") + 1, facts.nonnegative),
        (x.shape[0] + y.shape[0], facts.nonnegative),
        (x.shape[0] // 3 + y.shape[0] // 2, facts.nonnegative),
        (wt.floor(x).astype("float32") * 3, facts.integer),
        (wt.tanh(wt.vector("k", dtype="int64").astype("float64")), facts.finite),
        (wt.sigmoid(assume(x, not_nan=True)), facts.finite),
        (wt.log(assume(x, positive=True, finite=True)), facts.finite),
        (wt.abs(assume(x, nonzero=True)), facts.positive),
        (wt.mod(wt.vector("k", dtype="int64"), 5), facts.nonnegative),
        (wt.log1p(assume(x, positive=True)), facts.positive),
        ((x > 0).sum(), facts.nonnegative),
        (wt.where(x > 0, x, 0.0), facts.nonnegative),
        (wt.where(x > wt.exp(y), x, y**2), facts.nonnegative),
        (wt.tril(A), facts.lower_triangular),
        (wt.triu(A, 1) + wt.triu(A), facts.upper_triangular),
        (wt.triu(A).T, facts.lower_triangular),
        (wt.tril(A) @ wt.tril(A), facts.lower_triangular),
        (wt.eye(3) * wt.matrix("B"), facts.diagonal),
        (wt.eye(x.shape[0]), facts.positive_definite),
        (wt.eye(x.shape[0]), facts.orthogonal),
        (A + A.T, facts.symmetric),
        (A @ A.T, facts.symmetric),
        (wt.exp(A.T @ A), facts.symmetric),
        (wt.cholesky(A), facts.lower_triangular),
        (wt.cholesky(A) @ wt.cholesky(A).T, facts.positive_definite),
        (2 * wt.inv(assume(A, positive_definite=True)), facts.positive_definite),
        (assume(A, diagonal=True), facts.symmetric),
        (wt.inv(assume(A, orthogonal=True)).T, facts.orthogonal),
        (wt.solve_triangular(wt.tril(A), wt.eye(A.shape[0]), lower=True), facts.lower_triangular),
        (wt.linalg.eigh(A)[1], facts.orthogonal),
        (wt.linalg.svd(wt.matrix("B"))[2], facts.orthogonal),
        (wt.linalg.svd(A, full_matrices=False)[1], facts.nonnegative),
        (wt.linalg.svdvals(A), facts.nonnegative),
        (wt.linalg.qr(wt.matrix("B"), "complete")[0], facts.orthogonal),
        (wt.linalg.qr(A)[0], facts.orthogonal),
        (wt.linalg.qr(A)[1].T, facts.lower_triangular),
        (wt.zeros((3, 3))[np.tril_indices(3)].set(wt.exp(0.5)), facts.lower_triangular),
        (wt.tril(A)[[2, 1], [0, 1]].inc(1.0), facts.lower_triangular),
        (wt.zeros((3, 3))[np.triu_indices(3)].set(2.0), facts.upper_triangular),
    ],
)
def test_known(expression: Any, fact: Fact) -> None:
    assert ask(expression, fact) is True


@pytest.mark.parametrize(
    ("expression", "fact"),
    [
        (wt.exp(x), facts.positive),  # exp(-1000) is 0
        (wt.exp(x), facts.not_nan),
        (assume(x, positive=True) * assume(y, positive=True), facts.positive),  # underflow
        (wt.square(wt.vector("k", dtype="int64")), facts.nonnegative),  # overflow
        (x.shape[0] * y.shape[0] + 1, facts.nonnegative),  # overflow
        (wt.vector("b", dtype="bool").shape[0] + 1, facts.nonnegative),  # overflow
        ((x.shape[0] // 2).astype("int32") + 1, facts.nonnegative),  # overflow
        (-wt.vector("k", dtype="uint8"), facts.nonpositive),
        (wt.exp(x).sum(), facts.positive),
        (x**INF, facts.nonnegative),
        (x**3, facts.nonnegative),
        (wt.where(x > 0, 0.0, x), facts.nonnegative),
        (wt.where(x > y, x, 0.0), facts.nonnegative),
        (1 / assume(x, nonnegative=True), facts.nonnegative),  # 1 / -0.0 is -inf
        (wt.maximum(x, 0.0), facts.no_negative_zero),
        (assume(x, finite=True) + assume(y, finite=True), facts.finite),
        (assume(x, not_nan=True) - assume(y, not_nan=True), facts.not_nan),
        (wt.ceil(wt.exp(x) - 0.5), facts.no_negative_zero),
        (wt.tril(A, 1), facts.lower_triangular),
        (A @ A, facts.symmetric),
        (A @ A.T, facts.positive_definite),
        (wt.eye(3, k=1), facts.diagonal),
        (wt.zeros((3, 3))[[0, 1], [0, 2]].set(1.0), facts.lower_triangular),
        (wt.zeros((3, 3))[[0, 1], [0, -1]].set(1.0), facts.lower_triangular),
        (A[np.tril_indices(3)].set(1.0), facts.lower_triangular),
        (wt.zeros((3, 3))[[1, 2]].set(1.0), facts.lower_triangular),
        (wt.tril(wt.matrix("B")) + wt.matrix("C"), facts.lower_triangular),
        (wt.matrix("B", shape=(1, 1)) * wt.ones((2, 2)) * wt.eye(1), facts.diagonal),
    ],
)
def test_unknown(expression: Any, fact: Fact) -> None:
    assert ask(expression, fact) is None


class Least(wt.TensorOp):
    """The smallest element, or 1: what it says of itself has all that words can say."""

    facts = "real positive if positive; any keeps finite; not_nan if not_nan finite or nonzero"

    def kind(self, x: Any) -> Any:
        return wt.Reduction(None, "minimum", finish=lambda r: wt.minimum(r, 1))


@pytest.mark.parametrize(
    ("assumed", "expected"),
    [
        ({"positive": True}, [True, None, True]),
        ({"finite": True}, [None, True, True]),
        ({"nonzero": True}, [None, None, True]),
        ({"not_nan": True}, [None, None, None]),
    ],
)
def test_an_op_says_facts_in_words(assumed: Any, expected: list[bool | None]) -> None:
    node = Least()(assume(wt.vector("v"), **assumed))
    assert known(node, facts.positive, facts.finite, facts.not_nan) == expected


def test_integers_have_the_facts_that_are_said_of_them() -> None:
    k = wt.vector("k", dtype="int64")
    assert ask(Least()(assume(k, positive=True)), facts.positive) is True
    assert ask(wt.abs(assume(k, nonzero=True)), facts.nonzero) is True
    assert ask(wt.abs(k), facts.nonnegative) is None  # of the least integer it is negative


def test_powers_of_complex_numbers_have_no_sign() -> None:
    assert ask(wt.vector("z", dtype="complex128") ** 2, facts.nonnegative) is None


def test_constants() -> None:
    v = wt.constant(np.array([1.0, 0.0, NAN]))
    assert known(v, facts.nonnegative, facts.positive, facts.finite) == [None, False, False]
    assert ask(wt.constant(-0.0), facts.no_negative_zero) is False
    assert known(wt.constant(-0.0), facts.nonnegative, facts.nonpositive) == [True, True]
    assert ask(wt.constant(INF), facts.integer) is True
    assert ask(wt.constant(2.5), facts.integer) is False
    definite = wt.constant(np.array([[2.0, 1.0], [1.0, 2.0]]))
    assert known(definite, facts.positive_definite, facts.diagonal) == [True, False]
    assert ask(wt.constant(np.array([[1.0, 2.0], [2.0, 1.0]])), facts.positive_definite) is False
    turn = wt.constant(np.array([[0.6, -0.8], [0.8, 0.6]]))
    assert known(turn, facts.orthogonal, facts.symmetric) == [True, False]


def test_types() -> None:
    assert ask(wt.vector("b", dtype="uint8"), facts.nonnegative) is True
    assert ask(wt.vector("k", dtype="int32"), facts.integer) is True
    assert ask(wt.vector("k", dtype="int32"), facts.finite) is True
    assert ask(x, facts.symmetric) is False
    assert ask(wt.matrix("B", shape=(2, 3)), facts.symmetric) is False
    assert ask(wt.matrix("B", dtype="complex128"), facts.positive) is None


def test_contradictions() -> None:
    with pytest.raises(ValueError, match=r"can't assume positive=True of .*: it is .* nonpositive"):
        assume(-wt.exp(x), positive=True)
    with pytest.raises(ValueError, match=r"can't assume diagonal=True .* not diagonal"):
        assume(x, diagonal=True)
    with pytest.raises(ValueError, match=r"positive=True and negative=True: .* excludes"):
        assume(x, positive=True, negative=True)


SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, INF, -INF, NAN, 5e-324, -5e-324, 1e308, -1e308, 1000.0]
SPECIAL += [-1000.0, -0.3, 2.0**53, 1e-200, -1e-200]
WHOLE = [0, 1, -1, 7, 3_100_000_000, -(2**63)]
ASSUMABLE = (
    facts.positive,
    facts.negative,
    facts.nonnegative,
    facts.nonpositive,
    facts.nonzero,
    facts.finite,
    facts.not_nan,
    facts.no_negative_zero,
    facts.integer,
)
ROWS = sorted(SCALARS)
DRAWN = [name for name in ROWS if settings().max_examples > 20 or not SCALARS[name].summation]
"""In the quick run without what loops for each number, which takes a minute for some."""


@st.composite
def leaves(draw: Any) -> tuple[Any, Any]:
    """An input, with what was assumed of it, and values for which that is right."""
    dtype = draw(st.sampled_from(["float64", "float64", "float32", "int64", "uint8", "bool"]))
    numbers = np.array(SPECIAL) if dtype.startswith("float") else np.array(WHOLE)
    with np.errstate(all="ignore"):
        pool = numbers.astype(dtype)
    v = wt.vector(dtype=dtype, shape=(3,))
    picked = draw(st.lists(st.sampled_from(ASSUMABLE), max_size=2))
    assumed = v
    for fact in picked:
        kept = [n for n in pool if CHECKS[fact](np.array(n))]
        if not kept or ask(assumed, fact) is False:
            continue
        pool = np.array(kept, dtype)
        assumed = assume(assumed, **{fact.name: True})
    values = draw(st.lists(st.sampled_from(list(range(len(pool)))), min_size=3, max_size=3))
    return assumed, (v, pool[values])


def applied(op: Any, *inputs: Any) -> Any:
    try:
        made = op(*inputs)
    except (TypeError, ValueError):
        return inputs[0]
    is_refused = getattr(op, "name", "") == "pow" and made.dtype.startswith("int")
    return inputs[0] if is_refused else made  # integers to negative powers are


OTHERS = [
    lambda v: v.sum(),
    lambda v: v.sum(v.ndim - 1) if v.ndim else v,
    lambda v: wt.prod(v),
    lambda v: wt.cumsum(v, 0) if v.ndim else v,
    lambda v: wt.cumprod(v, 0) if v.ndim else v,
    lambda v: wt.max(v),
    lambda v: v.astype("float32"),
    lambda v: v.astype("float64"),
    lambda v: v.astype("int32"),
    lambda v: v[None],
    lambda v: v[..., :0] if v.ndim else v,
    lambda v: v[..., -1] if v.ndim and v.type.shape[-1] != 0 else v,
    lambda v: wt.concatenate([v, v]) if v.ndim else v,
    lambda v: wt.stack([v, v]),
    lambda v: v * 2.0,
    lambda v: v + 1.0,
    lambda v: v - 1,
    lambda v: wt.maximum(v, 0),
    lambda v: v**2,
    lambda v: v**-1.0,
    lambda v: v.T,
    lambda v: wt.dot(v, v) if v.ndim == 1 else v,
]


@st.composite
def expressions(draw: Any) -> tuple[Any, dict[Any, Any]]:
    """An expression of up to eight steps, and values for its inputs."""
    pool: list[Any] = []
    values: dict[Any, Any] = {}
    for _ in range(draw(st.integers(1, 3))):
        leaf, (v, value) = draw(leaves())
        pool.append(leaf)
        values[v] = value
    for _ in range(draw(st.integers(1, 8))):
        if draw(st.booleans()):
            made = applied(draw(st.sampled_from(OTHERS)), draw(st.sampled_from(pool)))
        else:
            op = wt.Elemwise(draw(st.sampled_from(DRAWN)))
            made = applied(op, *[draw(st.sampled_from(pool)) for _ in range(op.scalar.arity)])
        pool.append(made)
    return pool, values


@settings(max_examples=4 * settings().max_examples, deadline=None, derandomize=True)
@given(expressions())
def test_answers_are_right(drawn: Any) -> None:
    pool, values = drawn
    outputs = [v for v in pool if not v.is_complex]
    with np.errstate(all="ignore"):
        results = function(list(values), outputs, mode=PLAIN)(*values.values())
    for v, result in zip(outputs, results, strict=True):
        assert_sound(v, result, facts.ELEMENTWISE)


@pytest.mark.parametrize("name", ROWS)
@pytest.mark.parametrize("dtype", ["float64", "int64"])
def test_answers_for_every_row(name: str, dtype: str, few: Any, in_quick_run: bool) -> None:
    """All pairs of special values, under everything that could be assumed of each input.

    Where Python sums up for seconds far out, the quick run has less large ones.
    """
    op = wt.Elemwise(name)
    numbers = np.array(SPECIAL if dtype == "float64" else WHOLE, dtype)
    is_slow = op.scalar.arity > 3 or name.startswith("hyp1f1_")  # loops for each number
    if is_slow:
        numbers = numbers[:: len(numbers) // 2]
    if in_quick_run and "_of_real" in name:
        numbers = numbers[~(abs(numbers) > 1e10) | np.isinf(numbers)]
    facts_of_inputs = [f for f in ASSUMABLE if ask(wt.vector(dtype=dtype), f) is None]
    for kinds in product(few(facts_of_inputs, 2), repeat=min(op.scalar.arity, 2)):
        if is_slow and len(set(kinds)) > 1:
            continue
        chosen = [*kinds, *kinds[:1] * (op.scalar.arity - 2)]
        inputs = [wt.vector(dtype=dtype) for _ in chosen]
        assumed = [assume(v, **{f.name: True}) for v, f in zip(inputs, chosen, strict=True)]
        pools = [[n for n in numbers if CHECKS[f](np.array(n))] for f in chosen]
        if op.scalar.arity > 2 or op.scalar.summation:
            pools = [few(pool, 4) for pool in pools]
        try:
            result = op(*assumed)
            with np.errstate(all="ignore"):
                value = op.impl(*[g.ravel() for g in np.meshgrid(*pools)]).astype(result.dtype)
        except (TypeError, ValueError):  # not for integers, or not for negative ones
            continue
        assert_sound(result, value, facts.ELEMENTWISE)


RNG = np.random.default_rng(5)
TURN = np.linalg.qr(RNG.normal(size=(3, 3)))[0]
MATRIX_LEAVES = [
    (assume(wt.matrix(fact.name, shape=(3, 3)), **{fact.name: True}), value)
    for fact, value in [
        (facts.lower_triangular, np.tril(RNG.normal(size=(3, 3)))),
        (facts.upper_triangular, np.triu(RNG.normal(size=(3, 3)))),
        (facts.diagonal, np.diag([0.5, 2.0, -1.0])),
        (facts.symmetric, np.ones((3, 3)) + np.diag([1.0, -2.0, 3.0])),
        (facts.positive_definite, TURN @ np.diag([0.5, 1.0, 3.0]) @ TURN.T),
        (facts.orthogonal, TURN),
    ]
]
MATRIX_STEPS: list[Any] = [
    lambda v, w: v + w,
    lambda v, w: v - w,
    lambda v, w: v * w,
    lambda v, w: v @ w,
    lambda v, w: v.T,
    lambda v, w: v @ v.T,
    lambda v, w: v + v.T,
    lambda v, w: 2.0 * v,
    lambda v, w: v / 4.0,
    lambda v, w: v * wt.constant([1.0, 2.0, 3.0]),
    lambda v, w: v + wt.eye(3),
    lambda v, w: wt.tril(v),
    lambda v, w: wt.triu(v),
    lambda v, w: wt.tril(v, 1),
    lambda v, w: wt.triu(v, -1),
    lambda v, w: wt.square(v),
    lambda v, w: wt.cos(v),
    lambda v, w: wt.where(v > w, v, 0.0),
    lambda v, w: wt.inv(v + 5.0 * wt.eye(3)),
    lambda v, w: wt.solve_triangular(wt.eye(3) + wt.tril(v, -1), w, lower=True),
    lambda v, w: wt.cholesky(v @ v.T + wt.eye(3)),
    lambda v, w: v[None][0],
    lambda v, w: wt.broadcast_to(v, (2, 3, 3))[1],
    lambda v, w: wt.constant(RNG.normal(size=(3, 3)).round(1)) * v,
]


@pytest.mark.cases(8)
@pytest.mark.parametrize("step", range(len(MATRIX_STEPS)))
def test_answers_for_every_step(step: int) -> None:
    for (v, a), (w, b) in product(MATRIX_LEAVES, repeat=2):
        for second in (w, v):
            result = MATRIX_STEPS[step](v, second)
            values = {v.inputs[0]: a, second.inputs[0]: b if second is w else a}
            assert_sound(result, result.eval(values), facts.MATRICES)


STEPS = st.tuples(st.sampled_from(MATRIX_STEPS), st.integers(0, 20), st.integers(0, 20))


@settings(max_examples=3 * settings().max_examples, deadline=None, derandomize=True)
@given(
    st.lists(st.sampled_from(MATRIX_LEAVES), min_size=1, max_size=2, unique_by=str),
    st.lists(STEPS, min_size=1, max_size=6),
)
def test_answers_about_matrices(leaves: Any, steps: Any) -> None:
    pool = [leaf for leaf, _ in leaves]
    inputs, values = [v.inputs[0] for v in pool], [value for _, value in leaves]
    for step, i, j in steps:
        pool.append(step(pool[i % len(pool)], pool[j % len(pool)]))
    with np.errstate(all="ignore"):
        results = function(inputs, pool, mode=PLAIN)(*values)
    for v, result in zip(pool, results, strict=True):
        if np.abs(result).max() < 1e6:
            assert_sound(v, result, facts.MATRICES)
