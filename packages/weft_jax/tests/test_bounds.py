"""Indices out of range: errors, or brought into range with `bounds="clip"`."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np
import pytest

import weft_tensor as wt
from weft_graph import Mode, function, get_value, grad
from weft_jax import JAXLinker
from weft_jax.lowering.x64 import enable_x64
from weft_jax.runtime.runtime_checks import Flags, noting, require_within

x = wt.vector("x")
X = wt.matrix("X")
n = wt.scalar("n", "int64")
k = wt.vector("k", "int64")
VALUES = np.arange(4.0)


def clipped(inputs: Any, outputs: Any, **kwargs: Any) -> Any:
    return function(inputs, outputs, mode=Mode(JAXLinker(bounds="clip")), **kwargs)


def test_the_first_or_last_element_takes_the_place() -> None:
    f = clipped([x, n], x[n])
    assert [float(f(VALUES, i)) for i in (-9, -4, -1, 0, 3, 4, 99)] == [0, 0, 3, 0, 3, 3, 3]
    assert clipped([x], x[9])(VALUES) == 3.0
    g = clipped([X, k], X[1:, k])
    assert g(np.eye(3), [0, 7, -7]).tolist() == [[0, 0, 0], [0, 1, 0]]


def test_updates_and_gradients() -> None:
    f = clipped([x, k], [x[k].set(9.0), x[k].inc(1.0), grad(x[k].sum(), x)])
    changed, added, slope = f(VALUES, [0, 8])
    assert changed.tolist() == [9, 1, 2, 9]
    assert added.tolist() == [1, 1, 2, 4]
    assert slope.tolist() == [1, 0, 0, 1]


def test_slices_that_begin_at_variables() -> None:
    f = clipped([X, n, k], X[n : n + 2, k])
    assert f(np.arange(9.0).reshape(3, 3), 1, [2, 5]).tolist() == [[5, 5], [8, 8]]


def test_where_there_is_no_element() -> None:
    with pytest.raises(IndexError, match="with size 0"):
        clipped([x, n], x[n])(np.ones(0), 0)


def test_other_checks_stay() -> None:
    refused = wt.check_and_raise(x[n], x > 0, ArithmeticError, "negative")
    with pytest.raises(ArithmeticError, match="negative"):
        clipped([x, n], refused)([-1.0], 5)


def test_large_state_is_overwritten_in_place() -> None:
    state: Any = wt.shared(np.zeros(100_000))
    step = clipped([k], [], updates={state: state[k].inc(1.0)})
    step([0])
    old = state.op.cell.value
    step([10**6])
    assert isinstance(old, jax.Array)
    assert old.is_deleted()
    assert get_value(state)[[0, 1, -1]].tolist() == [1.0, 0.0, 1.0]


def test_indices_that_are_arguments_are_no_conditions() -> None:
    """The host looks at them: for the device there is nothing to compute."""
    error = IndexError("out of bounds")

    def traced(given: Any) -> Any:
        with noting(arguments={0: given}) as checks:
            require_within(given, 4, error)
            require_within(given, 4, error)
        assert checks.conditions == []
        assert len(checks.indices) == 1
        with noting(arguments={0: given}) as checks:
            require_within(given + 1, 4, error)
        assert len(checks.conditions) == 1
        assert not checks.indices
        return given

    jax.eval_shape(traced, np.arange(3))
    f = function([x, k], x[k].inc(1.0), mode="jax")
    assert f(VALUES, [0, -4]).tolist() == [2, 1, 2, 3]


@pytest.mark.parametrize("as_array", [np.asarray, jax.numpy.asarray])
@pytest.mark.parametrize("bad", [[4, 0], [0, -5, 0], [2**40], [-(2**40), 1]])
def test_an_argument_out_of_bounds_is_an_error(as_array: Any, bad: list[int]) -> None:
    f = function([x, k], x[k] + 1.0, mode="jax")
    with enable_x64(True):
        values, places = as_array(VALUES), as_array(np.array(bad))
    with pytest.raises(IndexError, match="axis 0 with size 4"):
        f(values, places)


def test_unsigned_and_many_dimensional_indices() -> None:
    at = wt.matrix("at", "uint8")
    f = function([x, at], x[at], mode="jax")
    assert f(VALUES, np.array([[0, 3]], "uint8")).tolist() == [[0, 3]]
    with pytest.raises(IndexError):
        f(VALUES, np.array([[0], [200]], "uint8"))
    assert f(VALUES, np.ones((0, 2), "uint8")).shape == (0, 2)


@pytest.mark.parametrize(
    ("value", "index", "place", "expected"),
    [
        (1.0, 7, 3, "axis 0 with size 1"),
        (-1.0, 7, 3, "axis 0 with size 1"),
        (-1.0, 0, 3, "negative"),
        (1.0, 0, 3, "axis 0 with size 1"),
    ],
)
def test_the_first_error_comes_out(value: float, index: int, place: int, expected: str) -> None:
    m = wt.vector("m", "int64")
    positive = wt.check_and_raise(x[k], x > 0, ArithmeticError, "negative")
    for mode in ("py", "jax"):
        f = function([x, k, m], wt.exp(positive)[m], mode=mode)
        with pytest.raises(
            (IndexError, ArithmeticError), match=expected if mode == "jax" else None
        ):
            f(np.full(1, value), [index], [place])


def test_constants_that_count_from_the_start_are_not_brought_there() -> None:
    table = wt.matrix("table", shape=(4000, 2))  # where slopes are scattered
    value = np.arange(8000.0).reshape(4000, 2)
    for indices, negatives in (([3, 0, 1], False), ([3, -4000, 1], True)):
        places = np.array(indices)
        y = table[places, 0] * table[places, 1]
        f = function([table], [y, grad(y.sum(), table)], mode="jax")
        columns = value[places]
        slopes = np.zeros_like(value)
        np.add.at(slopes, places, columns[:, ::-1])
        for result, expected in zip(f(value), (columns.prod(1), slopes), strict=True):
            np.testing.assert_array_equal(result, expected)
        assert ("stablehlo.select" in f.lower_text("stablehlo", value)) == negatives


def test_other_words() -> None:
    with pytest.raises(ValueError, match="'check' or 'clip', not 'wrap'"):
        JAXLinker(bounds="wrap")  # type: ignore[arg-type]  # the point of the test


def test_diagonals_of_cholesky_factors_are_no_condition(monkeypatch: pytest.MonkeyPatch) -> None:
    counts: list[int] = []
    flags_of = Flags.of

    def counted(checks: Any) -> Any:
        counts.append(len(checks.conditions))
        return flags_of(checks)

    monkeypatch.setattr(Flags, "of", counted)
    factor = wt.linalg.cholesky(X)
    f = function([X, x], wt.linalg.solve_triangular(factor, x, lower=True), mode="jax")
    assert f(4.0 * np.eye(3), np.ones(3)).tolist() == [0.5, 0.5, 0.5]
    assert counts == [1]
    with pytest.raises(np.linalg.LinAlgError):
        f(-np.eye(3), np.ones(3))
    assert np.isnan(f(np.full((3, 3), np.nan), np.ones(3))).all()
    g = function([X, x], wt.linalg.solve_triangular(X, x, lower=True), mode="jax")
    with pytest.raises(np.linalg.LinAlgError):
        g(np.diag([1.0, 0.0]), np.ones(2))
