"""Index arrays that are inputs: taken for positive, and right if they are not."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import weft_tensor as wt
from weft_graph import Mode, function, get_value, grad, print_value
from weft_jax import JAXLinker
from weft_jax.lowering.x64 import enable_x64
from weft_jax.runtime import runtime_checks

x = wt.vector("x")
X = wt.matrix("X")
k = wt.vector("k", "int64")
K = wt.matrix("K", "int32")
VALUES = np.arange(4.0)


def test_negative_indices_are_compiled_once_more() -> None:
    f = function([x, k], x[k].inc(1.0), mode="jax")
    assert f(VALUES, [0, 2, 2]).tolist() == [1, 1, 4, 3]
    assert f.compile_stats.compiles == 1
    assert f(VALUES, [0, 1, -1]).tolist() == [1, 2, 2, 4]
    assert f.compile_stats.compiles == 2
    assert f(VALUES, [-4, -4, 3]).tolist() == [2, 1, 2, 4]
    assert f(VALUES, [1, 1, 1]).tolist() == [0, 4, 2, 3]
    assert f.compile_stats.compiles == 2


@pytest.mark.cases(0)
def test_who_looks_at_indices(monkeypatch: pytest.MonkeyPatch) -> None:
    """XLA at those of NumPy where rows are read, else the host; at those of JAX the host, once."""
    looks: list[int] = []

    def top(values: Any) -> int:
        looks.append(1)
        return int(values.max())

    monkeypatch.setattr(runtime_checks, "_top", top)
    with enable_x64(True):
        rows, places = jnp.asarray(np.ones((4, 4))), jnp.asarray(np.arange(2))
    for output, count in (
        (X[k], 0),
        (X[k].inc(1.0), 1),
        (wt.segment_sum(X, k, 4), 1),
        (X[:, k], 1),
        (X[k].inc(X[k]), 0),
    ):
        f = function([X, k], output, mode="jax")
        f(np.ones((2, 4)), np.arange(2))
        assert len(looks) == count
        f(rows[:2], places)
        f(rows[:2], places)
        assert len(looks) == count + 1
        looks.clear()


def test_what_is_read_is_compiled_once_more_too() -> None:
    f = function([X, k], X[k], mode="jax")
    rows = np.arange(8.0).reshape(4, 2)
    for places, compiles in (([0, 3], 1), ([0, -1], 2), ([-4, -1], 2), ([0, 3], 2)):
        assert f(rows, places).tolist() == [[0, 1], [6, 7]]
        assert f.compile_stats.compiles == compiles
    for places in ([4, 0], [-5, 0]):
        for g in (f, function([X, k], X[k], mode="jax")):
            with pytest.raises(IndexError, match="axis 0 with size 4"):
                g(rows, places)


@pytest.mark.cases(0)
def test_lengths_that_depend_on_indices() -> None:
    counts = wt.bincount(k, x, minlength=3)
    changed = wt.zeros(k.max() + 1)[k].inc(1.0)
    f = function([k, x], [counts, changed], mode="jax")
    for places in ([0, 2, 2, 1], [4, 0, 0, 0], [0, 0, 0, 0]):
        found = f(places, VALUES)
        np.testing.assert_array_equal(found[0], np.bincount(places, VALUES, 3))
        np.testing.assert_array_equal(found[1], np.bincount(places))
    with pytest.raises(ValueError, match="no negative numbers"):
        f([0, 1, 2, -1], VALUES)
    g = function([k], changed, mode="jax")
    for places in ([0, 2, -1], [1, -2, 1], [0, 0, 0]):
        expected = np.zeros(max(places) + 1)
        np.add.at(expected, places, 1.0)
        np.testing.assert_array_equal(g(places), expected)
    with pytest.raises(IndexError, match="axis 0 with size 1"):
        g([0, -2, 0])


CASES: dict[str, tuple[Any, Any, Any]] = {
    "rows that are read": (X, X[k] * 2.0, [np.arange(20.0).reshape(5, 4), VALUES]),
    "columns that are read": (X, X[:, K], [np.arange(20.0).reshape(4, 5), VALUES]),
    "rows": (X, X[k].inc(x), [np.ones((5, 4)), VALUES]),
    "columns": (X, X[:, k].inc(2.0), [np.ones((3, 5)), VALUES]),
    "columns that are set": (X, X[:, k].set(X[:, :1]), [np.ones((3, 5)), VALUES]),
    "places of two axes": (X, X[:, K].inc(1.0), [np.ones((3, 5)), VALUES]),
    "numbers that are used, too": (X, X[k].inc(1.0) + k.sum(), [np.ones((5, 4)), VALUES]),
    "a gradient": (X, grad(wt.square(X[k]).sum(), X), [np.arange(20.0).reshape(5, 4), VALUES]),
    "axes of two lengths": (X, X[k].inc(1.0)[:, k].inc(x[k]), [np.ones((5, 4)), VALUES]),
    "a slice behind": (X, X[k].inc(1.0)[: k[0]], [np.ones((5, 4)), VALUES]),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("places", [[0, 1, 3, 3], [2, 1, -1, 3], [0, 0, -4, -3]])
def test_results_are_those_of_python(name: str, places: list[int]) -> None:
    matrix, result, (first, second) = CASES[name]
    values = [first, second, places, np.reshape(places, (2, 2)).astype("int32")]
    by_jax, by_python = (
        function([matrix, x, k, K], result, mode=mode, on_unused_input="ignore")
        for mode in ("jax", "py")
    )
    np.testing.assert_array_equal(by_jax(*values), by_python(*values))
    np.testing.assert_array_equal(by_jax(*values), by_python(*values))


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint32", "uint64"])
def test_dtypes_of_indices(dtype: Any) -> None:
    at = wt.vector("at", dtype)
    f = function([x, at], [x[at].inc(1.0), x[at].set(0.0)], mode="jax")
    wide = np.arange(250.0)
    added, changed = f(wide, np.array([0, 100, 100], dtype))
    assert added[[0, 1, 100]].tolist() == [1, 1, 102]
    assert changed[[0, 1, 100]].tolist() == [0, 1, 0]
    with pytest.raises(IndexError, match="with size 3"):
        f(np.ones(3), np.array([3], dtype))


@pytest.mark.parametrize("bad", [[4, 0], [-1, 4], [0, -5], [2**40, -1]])
def test_what_is_out_of_bounds_is_an_error(bad: list[int]) -> None:
    f = function([x, k], x[k].inc(1.0), mode="jax")
    with pytest.raises(IndexError, match="axis 0 with size 4"):
        f(VALUES, bad)
    assert f(VALUES, [0, -1]).tolist() == [1, 1, 2, 4]


def test_no_error_comes_from_what_is_computed_in_vain() -> None:
    changed = x[k].set(1.0)
    positive = wt.check_and_raise(changed.sum(), changed.all(), ArithmeticError, "has a zero")
    f = function([x, k], positive, mode="jax")
    assert f(np.array([2.0, 0.0]), [-1]) == 3.0
    with pytest.raises(ArithmeticError, match="has a zero"):
        f(np.array([2.0, 0.0]), [-2])


def test_to_add_bools_is_to_ask_whether_any_is_true() -> None:
    given = wt.vector("given", "bool")
    f = function([given, k], given[k].inc(given[:2]), mode="jax")
    for places in ([2, 2], [-1, -1]):
        assert f([True, False, False], places).tolist() == [True, False, True]


def test_state() -> None:
    for size in (4, 100_000):
        state: Any = wt.shared(np.zeros(size))
        step = function([k], [], updates={state: state[k].inc(1.0)}, mode="jax")
        for places in ([0, 1], [1, -1], [0]):
            step(places)
        assert get_value(state)[[0, 1, 2, -1]].tolist() == [2, 2, 0, 1]
        with pytest.raises(IndexError):
            step([size])
        assert get_value(state).sum() == 5


def test_what_is_printed_is_printed_once(capsys: pytest.CaptureFixture[str]) -> None:
    f = function([x, k], print_value(x[k].inc(1.0), "changed"), mode="jax")
    assert f(VALUES, [-1]).tolist() == [0, 1, 2, 4]
    assert capsys.readouterr().out.count("changed") == 1
    looped = wt.fori_loop(0, 2, lambda i, s: print_value(s, "changed"), x[k].inc(1.0))
    assert function([x, k], looped, mode="jax")(VALUES, [-1]).tolist() == [0, 1, 2, 4]
    assert capsys.readouterr().out.count("changed") == 2


def test_indices_that_are_clipped_may_be_negative() -> None:
    f = function([x, k], x[k].inc(1.0), mode=Mode(JAXLinker(bounds="clip")))
    assert f(VALUES, [-1, 9, -9]).tolist() == [1, 1, 2, 5]


def test_arrays_on_the_device() -> None:
    f = function([x, k], x[k].inc(1.0), mode="jax")
    with enable_x64(True):
        values = jnp.asarray(VALUES)
        found = [f(values, jnp.asarray(np.array(at))) for at in ([1, 1], [-1, 1])]
    assert [r.tolist() for r in found] == [[0, 3, 2, 3], [0, 2, 2, 4]]
    assert isinstance(found[0], jax.Array)


def test_what_must_not_be_negative_is_looked_at_by_the_host() -> None:
    f = function([X, k], wt.segment_sum(X, k, 3), mode="jax")
    values = np.ones((4, 2))
    assert f(values, [0, 2, 0, 0]).tolist() == [[3, 3], [0, 0], [1, 1]]
    with pytest.raises(ValueError, match="negative"):
        f(values, [0, -1, 5, 0])
    with pytest.raises(IndexError, match="out of bounds"):
        f(values, [0, 3, 0, 0])


def test_an_array_of_jax_is_looked_at_once() -> None:
    f = function([x, k], x[k], mode="jax")
    with enable_x64(True):
        values, good, bad = map(jax.numpy.asarray, (np.arange(3.0), [0, 2], [0, 3]))
    for _ in range(2):
        assert f(values, good).tolist() == [0, 2]
        for _ in range(2):
            with pytest.raises(IndexError, match="out of bounds"):
                f(values, bad)
        with pytest.raises(IndexError, match="out of bounds"):
            f(values[:2], good)
