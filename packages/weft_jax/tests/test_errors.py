"""Errors of functions compiled with JAX: the user's types, and the node that failed."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np
import pytest

import weft_tensor as wt
from weft_graph import CheckAndRaise, LoweringError, Print, function, grad
from weft_jax import jax_funcify, wrap_jax
from weft_testing import check_op

x = wt.vector("x")
X = wt.matrix("X")
n = wt.scalar("n", "int64")


class RefusedError(Exception):
    """A user's own, which says more than it was told."""

    def __init__(self, message: str) -> None:
        super().__init__(f"refused: {message}")


def note_of(error: BaseException) -> str:
    """The note, which must be the only one."""
    (note,) = error.__notes__
    assert note.startswith("while computing")
    return str(note)


class Branching(wt.TensorOp):
    """Its JAX function asks for a value that is not known while it is traced."""

    def infer(self, *types: Any) -> Any:
        return types[0]

    def impl(self, *values: Any) -> Any:
        return values[0] if values[0].sum() > 0 else -values[0]


@jax_funcify.register(Branching)
def _(op: Branching, **kwargs: Any) -> Any:
    return op.impl


class Picky(wt.TensorOp):
    """Refuses in JAX what Python takes."""

    def infer(self, *types: Any) -> Any:
        return types[0]

    def impl(self, *values: Any) -> Any:
        return values[0]


@jax_funcify.register(Picky)
def _(op: Picky, **kwargs: Any) -> Any:
    def picky(x: Any) -> Any:
        raise KeyError(f"no lengths of {len(x)}")

    return picky


class Silent(wt.TensorOp):
    """Its registered function gives nothing."""

    def infer(self, *types: Any) -> Any:
        return types[0]


@jax_funcify.register(Silent)
def _(op: Silent, **kwargs: Any) -> Any:
    return None


def test_prints_and_checks_work_as_in_python() -> None:
    check_op(Print("x", attrs=["shape"]), np.arange(3.0), backends=["jax"])
    check_op(CheckAndRaise(RefusedError, "no"), np.arange(3.0), np.ones(2), backends=["jax"])


def test_prints_come_in_order_and_at_every_call(capsys: Any) -> None:
    shown = wt.print_value(wt.print_value(x * 2, "twice"), "and", attrs=["shape", "max"])
    f = function([x], [shown.sum(), grad(shown.sum(), x)], mode="jax")
    for _repetition in range(2):
        assert f([1.0, 2.0])[1].tolist() == [2.0, 2.0]
        assert capsys.readouterr().out == "twice [2. 4.]\nand shape = (2,)\nand max = 4.0\n"


@pytest.mark.parametrize("size", [n, x.shape[0]], ids=["input", "length"])
def test_a_printed_number_that_is_a_size_is_printed_once_a_call(size: Any, capsys: Any) -> None:
    shown = wt.print_value(size, "size")
    f = function([x, n], [wt.zeros(shown), shown + 1, x], mode="jax")
    for _repetition in range(2):
        zeros, more, _same = f([1.0, 2.0, 3.0], 3)
        assert (zeros.shape, more) == ((3,), 4)
        assert capsys.readouterr().out == "size 3\n"


def test_a_check_raises_the_users_own_error_with_the_node() -> None:
    refused = wt.check_and_raise(x, x > 0, RefusedError, "not positive")
    f = function([x], [refused.sum(), grad(refused.sum(), x)], mode="jax")
    assert f([1.0])[0] == 1.0
    for _repetition in range(2):
        with pytest.raises(RefusedError) as caught:
            f([1.0, -2.0])
        assert str(caught.value) == "refused: not positive"
        note = note_of(caught.value)
        assert "while computing CheckAndRaise(RefusedError, 'not positive')" in note
        assert "input 0: <x : float64[?]> = float64 array of shape (2,)" in note
        assert note.endswith('wt.check_and_raise(x, x > 0, RefusedError, "not positive")')


@pytest.mark.parametrize("v", [x, n, wt.vector("k", "int8")], ids=["floats", "one", "bytes"])
def test_a_check_that_nothing_is_negative_sees_numbers_of_all_dtypes(v: Any) -> None:
    f = function([v], wt.check_and_raise(v, v >= 0, RefusedError, "negative") * 2, mode="jax")
    low, high = (-3, 3) if not v.ndim else ([1, -3], [1, 3])
    np.testing.assert_array_equal(f(high), 2 * np.array(high))
    with pytest.raises(RefusedError):
        f(low)
    if v is x:
        with pytest.raises(RefusedError):
            f([np.nan])


def test_a_failing_op_is_named_with_the_shapes_at_hand() -> None:
    factor = wt.cholesky(X)
    f = function([X], [factor.sum(), X.sum()], mode="jax")
    with pytest.raises(np.linalg.LinAlgError) as caught:
        f(-np.eye(3))
    note = note_of(caught.value)
    assert "while computing cholesky" in note
    assert "input 0: <X : float64[?, ?]> = float64 array of shape (3, 3)" in note
    assert note.endswith("factor = wt.cholesky(X)")


def test_shapes_that_do_not_fit_raise_what_python_raises() -> None:
    product = X @ x
    for mode in ("py", "jax"):
        with pytest.raises(ValueError, match="while computing matmul") as caught:
            function([X, x], product, mode=mode)(np.ones((2, 3)), np.ones(2))
        note = note_of(caught.value)
        assert "input 0: <X : float64[?, ?]> = float64 array of shape (2, 3)" in note


def test_an_index_out_of_bounds() -> None:
    picked = x[n]
    f = function([x, n], picked + 1, mode="jax")
    with pytest.raises(IndexError, match="while computing") as caught:
        f([1.0], 5)
    note = note_of(caught.value)
    assert "input 1: <n : int64> = int64 5" in note
    assert note.endswith("picked = x[n]")


def test_a_size_that_is_none_is_named() -> None:
    empty = wt.zeros((n,))
    f = function([n], empty, mode="jax")
    with pytest.raises(ValueError, match="negative") as caught:
        f(-1)
    assert any(note.endswith("empty = wt.zeros((n,))") for note in caught.value.__notes__)


def test_what_jax_can_not_trace_is_named_with_jaxs_words_as_the_cause() -> None:
    bad = Branching()(x + 1)
    f = function([x], bad * 2, mode="jax")
    with pytest.raises(LoweringError) as caught:
        f([1.0, 2.0])
    assert str(caught.value).startswith("JAX can't compile the implementation of Branching: ")
    assert "Attempted boolean conversion of traced array" in str(caught.value.__cause__)
    note = note_of(caught.value)
    assert "input 0: <add : float64[?]> = float64 array of shape (2,)" in note
    assert note.endswith("bad = Branching()(x + 1)")


def test_what_a_lowering_raises_itself_stays() -> None:
    f = function([x], Picky()(x), mode="jax")
    with pytest.raises(KeyError, match="no lengths of 2") as caught:
        f([1.0, 2.0])
    note = note_of(caught.value)
    assert note.startswith("while computing Picky : float64[?]")


def test_a_lowering_that_is_no_function() -> None:
    with pytest.raises(TypeError, match="lowering of Silent must return a function, not None"):
        function([x], Silent()(x), mode="jax")


def test_what_fails_while_xla_runs_is_named() -> None:
    def failing(value: Any) -> Any:
        raise KeyError("no such thing")

    spec: Any = jax.ShapeDtypeStruct

    @wrap_jax
    def called_back(value: Any) -> Any:
        return jax.pure_callback(failing, spec(value.shape, value.dtype), value)

    called = called_back(x)
    f = function([x], called * 2, mode="jax")
    with pytest.raises(Exception, match="no such thing") as caught:
        f([1.0])
    assert note_of(caught.value).endswith("called = called_back(x)")


def test_errors_do_not_stay_with_the_function() -> None:
    refused = wt.assert_op(x, x > 0)
    f = function([x], refused, mode="jax")
    caught = []
    for _repetition in range(2):
        with pytest.raises(AssertionError) as info:
            f([-1.0])
        caught.append(info.value)
    assert caught[0] is not caught[1]
    assert len(caught[1].__notes__) == 1
