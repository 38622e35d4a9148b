"""Errors of functions compiled with Numba: the user's types, and the node that failed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weft_tensor as wt
from weft_graph import CheckAndRaise, LoweringError, Print, function, grad
from weft_numba import numba_funcify
from weft_testing import check_op

x = wt.vector("x")
X = wt.matrix("X")


class RefusedError(Exception):
    """A user's own."""


class Untaken(wt.TensorOp):
    """Its Numba function does not compile."""

    scale: float = 2.0

    def infer(self, *types: Any) -> Any:
        return types[0]

    def impl(self, *values: Any) -> Any:
        return values[0] * self.scale


@numba_funcify.register(Untaken)
def _(op: Untaken, **kwargs: Any) -> Any:
    return lambda x: np.no_such_function(x)  # type: ignore[attr-defined]  # what is tested


class Silent(wt.TensorOp):
    """Its registered function gives nothing."""

    def infer(self, *types: Any) -> Any:
        return types[0]


@numba_funcify.register(Silent)
def _(op: Silent, **kwargs: Any) -> Any:
    return None


class OnlyHere(wt.TensorOp):
    """Has no Python implementation, so no other backend can tell where it fails."""

    def infer(self, *types: Any) -> Any:
        return types[0]


@numba_funcify.register(OnlyHere)
def _(op: OnlyHere, **kwargs: Any) -> Any:
    def only_here(x: Any) -> Any:
        if x[0] > 0:
            raise OverflowError("too much")
        return x

    return only_here


def test_prints_and_checks_work_as_in_python(capfd: Any) -> None:
    check_op(Print("x", attrs=["shape"]), np.arange(3.0), backends=["numba"])
    check_op(CheckAndRaise(RefusedError, "no"), np.arange(3.0), np.ones(2), backends=["numba"])


@pytest.mark.cases(0)
def test_a_print_is_seen_before_what_fails_later(capsys: Any) -> None:
    shown = wt.print_value(wt.print_value(x * 2, "twice"), "and", attrs=["shape", "max"])
    refused = wt.check_and_raise(shown, (shown > 0).all(), RefusedError, "not positive")
    f = function([x], [refused.sum(), grad(refused.sum(), x)], mode="numba")
    total, slope = f([1.0, 2.0])
    assert (total, slope.tolist()) == (6.0, [2.0, 2.0])
    assert capsys.readouterr().out == "twice [2. 4.]\nand shape = (2,)\nand max = 4.0\n"
    with pytest.raises(RefusedError, match="not positive") as caught:
        f([1.0, -2.0])
    assert capsys.readouterr().out.startswith("twice [ 2. -4.]\n")
    (note,) = caught.value.__notes__
    assert "while computing CheckAndRaise(RefusedError, 'not positive')" in note
    assert "= float64 array of shape (2,)" in note
    assert note.endswith(
        'wt.check_and_raise(shown, (shown > 0).all(), RefusedError, "not positive")'
    )


def test_a_failing_op_is_named_with_the_values_at_hand() -> None:
    factor = wt.cholesky(X)
    f = function([X], [factor.sum(), X.sum()], mode="numba")
    with pytest.raises(np.linalg.LinAlgError) as caught:
        f(-np.eye(3))
    (note,) = caught.value.__notes__
    assert "while computing cholesky" in note
    assert "input 0: <X : float64[?, ?]> = float64 array of shape (3, 3)" in note
    assert note.endswith("factor = wt.cholesky(X)")


def test_shapes_that_do_not_fit_raise_what_python_raises() -> None:
    product = X @ x
    inputs, values = [X, x], (np.ones((2, 3)), np.ones(2))
    for mode in ("py", "numba"):
        with pytest.raises(ValueError, match="while computing matmul") as caught:
            function(inputs, product, mode=mode)(*values)
        assert "float64 array of shape (2, 3)" in caught.value.__notes__[0]


def test_an_index_out_of_bounds() -> None:
    with pytest.raises(IndexError, match="while computing") as caught:
        function([x], x[5] + 1, mode="numba")([1.0])
    assert "made at" in caught.value.__notes__[0]


def test_what_numba_does_not_compile_is_named_with_numbas_words_as_the_cause() -> None:
    bad = Untaken()(x + 1)
    with pytest.raises(LoweringError) as caught:
        function([x], bad * 2, mode="numba")
    assert str(caught.value).startswith(
        "Numba can't compile the implementation of Untaken(scale=2.0): "
    )
    assert "no_such_function" in str(caught.value.__cause__)
    assert caught.value.__notes__[0].endswith("bad = Untaken()(x + 1)")


def test_a_lowering_that_is_no_function() -> None:
    with pytest.raises(TypeError, match="lowering of Silent must return a function, not None"):
        function([x], Silent()(x), mode="numba")


def test_an_op_that_python_knows_nothing_of() -> None:
    f = function([x], OnlyHere()(x) + 1, mode="numba")
    assert f([-1.0]) == [0.0]
    with pytest.raises(OverflowError, match="too much") as caught:
        f([1.0])
    assert caught.value.__notes__[0].startswith("while computing OnlyHere : float64[?]")
