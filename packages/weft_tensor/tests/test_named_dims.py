"""Named lengths: what they say about results, and where disagreement is found."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import weft_tensor as wt
from weft_graph import Mode, function, grad
from weft_tensor import (
    TensorType,
    cholesky,
    concatenate,
    matrix,
    outer,
    reshape,
    solve_triangular,
    sum,
    vector,
)
from weft_tensor.types.symbolic_dims import as_length

PY = Mode("py", books=[])
NAMES = {"n": 5, "m": 3, "k": 7}


def expressions() -> st.SearchStrategy[str]:
    leaves = st.sampled_from(list(NAMES)) | st.integers(0, 4).map(str)
    return st.recursive(
        leaves,
        lambda s: st.tuples(s, st.sampled_from(["+", "-", "*"]), s).map(
            lambda t: f"({t[0]} {t[1]} {t[2]})"
        ),
        max_leaves=6,
    )


@given(expressions(), expressions())
def test_expressions_have_one_normal_form(a: str, b: str) -> None:
    values = eval(f"{a} - {b}", dict(NAMES))
    difference: Any = as_length(f"n*n*n*n*n + 400*n*m*k + {a} - {b}")
    assert eval(str(difference), dict(NAMES)) == values + 5**5 + 400 * 105
    assert as_length(str(difference)) is difference
    assert as_length(f"n + {a} + {b} - ({b}) - ({a})") is as_length("n")


def test_equal_expressions_are_one_type() -> None:
    assert TensorType("float64", ("2*n + 1",)) is TensorType("float64", ("1 + n + n",))
    assert TensorType("float64", ("n",)) is not TensorType("float64", ("m",))
    assert str(TensorType("float64", ("(n + 1)*n", "n // 2", 3))) == (
        "float64[n*n + n, (n // 2), 3]"
    )
    assert as_length("(2*n) // 2") is as_length("n")
    assert as_length("7 // 2") == 3


@pytest.mark.parametrize(
    "text", ["", "n m", "n.x", "f(n)", "n / 2", "1.5", "True", "3 // 0", "n//0"]
)
def test_what_is_no_expression_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"is no length: use a name like 'n'"):
        as_length(text)


def test_negative_and_other_lengths_are_refused() -> None:
    for value in (-1, "-1", "2 - 3", "n - n - 1"):
        with pytest.raises(ValueError, match="can't be negative: -1"):
            as_length(value)
    for other in (1.5, [1]):
        with pytest.raises(TypeError, match="is an int, a name or None, not"):
            as_length(other)


def test_results_carry_names() -> None:
    X, y = matrix("X", shape=("n", "p")), vector("y", shape=("n",))
    assert str((X.T @ y).type) == "float64[p]"
    assert str((X.T @ X).type) == "float64[p, p]"
    assert str(sum(X, axis=0).type) == "float64[p]"
    assert str(concatenate([X, X, X[[0]]]).type) == "float64[2*n + 1, p]"
    assert str(outer(y, y).type) == "float64[n, n]"
    assert str((X * X + 1).type) == "float64[n, p]"
    assert str(reshape(X, (X.shape[1], X.shape[0])).type) == "float64[p, n]"
    assert str(X[:1].type) == "float64[?, p]"


def test_quotients_are_names_of_their_own() -> None:
    assert str(as_length("(n + 1) // (2*m)")) == "((n + 1) // (2*m))"
    assert str(as_length("n // -2")) == "(n // -2)"
    assert str(as_length("n // 2 // 3")) == "((n // 2) // 3)"
    assert str(as_length("6 // n")) == "(6 // n)"
    assert as_length("(n // 2) + (n // 2)") is as_length("2*(n // 2)")


def test_an_unknown_length_does_not_inherit_a_name() -> None:
    assert str((vector("x", shape=("n",)) + vector("y")).type) == "float64[?]"
    assert str((vector("x", shape=("n",)) + vector("y", shape=(3,))).type) == "float64[3]"


def test_disagreement_is_found_where_it_is_written() -> None:
    X, b = matrix("X", shape=("n", "p")), vector("b", shape=("q",))
    with pytest.raises(ValueError, match=r"of length p, .* of the second, q") as caught:
        X @ b
    (note,) = caught.value.__notes__
    assert note.startswith("while applying matmul to")
    assert "X : float64[n, p]   (made at line" in note
    assert "b : float64[q]   (made at line" in note
    assert "test_named_dims.py" in note
    with pytest.raises(ValueError, match="lengths p and q can't be broadcast"):
        X + b
    with pytest.raises(ValueError, match=r"lengths p and q|axis 1.* p, q|lengths p, q"):
        concatenate([X, matrix("Y", shape=("n", "q"))])
    with pytest.raises(ValueError, match="square matrices, got float64"):
        cholesky(X)
    with pytest.raises(ValueError, match="do not fit"):
        solve_triangular(matrix("A", shape=("n", "n")), matrix("B", shape=("p", 2)))


def test_equal_names_must_be_equal_lengths_at_the_call() -> None:
    X, y = matrix("X", shape=("n", "p")), vector("y", shape=("n",))
    compiled = function([X, y], X.T @ y, mode=PY)
    assert compiled(np.ones((3, 2)), np.ones(3)).tolist() == [3, 3]
    with pytest.raises(ValueError, match=r"dimension 'n' must .*3 in X, 4 in y"):
        compiled(np.ones((3, 2)), np.ones(4))


def test_expressions_are_compared_at_the_call() -> None:
    x, y = vector("x", shape=("n",)), vector("y", shape=("2*n + 1",))
    z = vector("z", shape=("n // 2",))
    compiled = function([x, y, z], [x.sum() + y.sum(), z], mode=PY)
    assert compiled(np.ones(2), np.ones(5), np.ones(1))[0] == 7
    with pytest.raises(ValueError, match=r"dimension '2\*n \+ 1' must .*\(5\).*4 in y"):
        compiled(np.ones(2), np.ones(4), np.ones(1))
    with pytest.raises(ValueError, match=r"n // 2.* 2 in z"):
        compiled(np.ones(2), np.ones(5), np.ones(2))


def test_names_in_expressions_alone_are_compared_with_each_other() -> None:
    x, y = vector("x", shape=("n + 1",)), vector("y", shape=("n + 1",))
    compiled = function([x, y], x + y, mode=PY)
    assert compiled(np.ones(2), np.ones(2)).tolist() == [2, 2]
    with pytest.raises(ValueError, match=r"dimension 'n \+ 1' must have one length"):
        compiled(np.ones(2), np.ones(1))


def test_a_named_length_may_be_one() -> None:
    x, y = matrix("x", shape=("n", "p")), vector("y", shape=("p",))
    compiled = function([x, y], x * y, mode=PY)
    assert compiled(np.ones((1, 1)), np.ones(1)).shape == (1, 1)


def test_names_go_through_functions() -> None:
    x, m = wt.vector("x", shape=("n",)), wt.matrix("m", shape=("n", "p"))
    shapes = {
        "3*n": [wt.repeat(x, 3), wt.tile(x, 3), wt.concatenate([x, x, x])],
        "n + 2": [wt.pad(x, 1), wt.ones(x.shape[0] + 2)],
        "n - 1": [wt.zeros(x.shape[0] - 1)],
        "n*p": [m.reshape(-1), m.ravel(), m.T.flatten()],
        "n": [wt.flip(x), x[::-1], wt.roll(x, 2), wt.sort(x), m.std(1), wt.logsumexp(m, axis=1)],
        "n, n": [wt.diag(x), wt.cov(m), wt.outer(x, x)],
        "n + 1, n + 1": [wt.diag(x, -1)],
        "p, n": [m.T, wt.rot90(m), wt.flip(m).T],
        "2*n, 2*p": [wt.tile(m, (2, 2))],
    }
    for shape, results in shapes.items():
        assert [str(r.type) for r in results] == [f"float64[{shape}]"] * len(results)
    with pytest.raises(ValueError, match=r"lengths 3\*n and n can't be broadcast"):
        wt.tile(x, 3) + x


def test_names_go_through_what_cuts_and_puts_in() -> None:
    x, m = wt.vector("x", shape=("n",)), wt.matrix("m", shape=("n", "p"))
    i, s, k = wt.vector("i", shape=("q",)), wt.matrix("s", shape=("n", "n")), wt.lscalar("k")
    longer = wt.vector("longer", shape=("2*n + 1",))
    shapes = {
        "max(n - 1, 0)": [x[1:], x[:-1], wt.diff(x), s.diagonal(1)],
        "max(n - 2, 0)": [x[1:-1], wt.diff(x, n=2), x[1:][1:], wt.split(x, [2])[1]],
        "max(n*p - 1, 0)": [wt.ediff1d(m)],
        "n + q - 1": [wt.convolve(x, i)],
        "max(n - 1, 0), p": [wt.diff(m, axis=0), wt.polyder(x)[:, None] * m[1:]],
        "n": [
            wt.diff(x, append=0.0),
            wt.pad(x, 1)[1:-1],
            wt.gradient(x),
            wt.unwrap(x),
            s.diagonal(),
            *wt.split(wt.concatenate([x, x]), 2),
        ],
        "n - 1": [wt.delete(x, 1), wt.delete(x, k), wt.delete(x, -1)],
        "n + 1": [wt.insert(x, k, 1.0), longer[::2] * 0 + wt.insert(x, 0, 2.0)],
        "n + 2, p": [wt.insert(m, [0, 1], 0.0, axis=0), wt.pad(m, ((1, 1), (0, 0)))],
        "n, p + 1": [wt.insert(m, 0, x, axis=1)],
        "n, p": [wt.gradient(m)[0], wt.roll(m, 1, 0), wt.polyadd(x, x)[:, None] + m],
    }
    for shape, results in shapes.items():
        assert [str(r.type) for r in results] == [f"float64[{shape}]"] * len(results)
    for shorter in (x[1:], wt.diff(x), wt.delete(x, 0)):
        with pytest.raises(ValueError, match=r"lengths .*n - 1.* and n can't be broadcast"):
            shorter + x


def test_lengths_that_are_at_least_zero_may_be_differences() -> None:
    x, y = vector("x", shape=("n",)), vector("y", shape=("n - 1",))
    total = wt.diff(x) + y
    assert str(total.type) == "float64[?]"
    f = function([x, y], total, mode=PY)
    assert f([1.0, 3.0], [5.0]).tolist() == [7.0]
    assert wt.diff(x).eval({x: []}).tolist() == []
    assert as_length("max(n - 1, 0)") is x[1:].type.shape[0]
    kind = TensorType("int8", ("max(n - 1, 0)", None, "(n // 2)", 3))
    assert TensorType.from_spelling(str(kind)) is kind
    assert str((wt.arange(y.shape[0], x.shape[0]) * 2).type) == "int64[1]"
    either = wt.maximum(x.shape[0] - vector("z", shape=("m",)).shape[0], 0)
    assert wt.zeros(either).type.shape == (None,)


def test_a_name_alone_is_no_dim() -> None:
    name: Any = "n"
    with pytest.raises(TypeError, match=r"not 'n': a length has a name by Dim\.named"):
        wt.Dim(name)


def test_repeats_that_can_not_be() -> None:
    with pytest.raises(ValueError, match="repeats can't be negative"):
        wt.repeat(wt.vector("x"), -1)


def test_where_names_meet_numbers_there_are_derivatives() -> None:
    A, b = matrix("A", shape=(2, 2)), vector("b", shape=("n",))
    cost = sum(A @ b + wt.solve(A, b)) + sum(wt.concatenate([wt.stack([b, A[0]]), A]))
    slopes = function([A, b], grad(cost, [A, b]), mode=PY)(np.eye(2), [3.0, 4.0])
    assert [slope.tolist() for slope in slopes] == [[[2.0, 2.0], [1.0, 1.0]], [3.0, 3.0]]
