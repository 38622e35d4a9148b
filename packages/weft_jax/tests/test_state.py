"""State on the device: not copied where it is large, not lost where a call fails."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import weft_tensor as wt
from weft_graph import Mode, function, get_value, set_value
from weft_jax import JAXLinker, wrap_jax
from weft_jax.lowering.x64 import enable_x64

SIZE = 100_000
x = wt.vector("x")
n = wt.scalar("n", "int64")


def cell_of(state: Any) -> Any:
    return state.op.cell.value


def test_large_state_is_overwritten() -> None:
    state = wt.shared(np.zeros(SIZE))
    f = function([x], state.sum(), updates={state: state + x}, mode="jax")
    for k in range(4):
        old = cell_of(state)
        assert f(np.ones(1)) == SIZE * k
        assert not isinstance(old, jax.Array) or old.is_deleted()
    assert type(get_value(state)) is np.ndarray
    assert (get_value(state) == 4).all()
    assert f.compile_stats.compiles == 1
    set_value(state, np.ones(SIZE))
    assert f(np.ones(1)) == SIZE


def test_small_state_and_what_is_not_updated_stays() -> None:
    data, state = wt.shared(np.ones(SIZE)), wt.shared(np.zeros(SIZE))
    small = wt.shared(np.zeros(2))
    step = function([], [], updates={state: state + data}, mode="jax")
    step()
    kept = cell_of(data)
    step()
    assert (get_value(data) == 1).all()
    assert cell_of(data) is kept
    count = function([], [], updates={small: small + 1}, mode="jax")
    count()
    old = cell_of(small)
    count()
    assert old.tolist() == [1.0, 1.0]


def test_what_was_returned_stays() -> None:
    state = wt.shared(np.zeros(SIZE))
    f = function([x], [state, state + x], updates={state: state + x}, mode="jax")
    with enable_x64(True):
        one = jnp.ones(1)
    for given in (np.ones(1), one):
        set_value(state, np.zeros(SIZE))
        results = [f(given) for _ in range(4)]
        for k, (old, new) in enumerate(results):
            assert (np.asarray(old) == k).all()
            assert (np.asarray(new) == k + 1).all()


def test_state_that_is_an_argument_is_the_callers() -> None:
    state = wt.shared(np.zeros(SIZE))
    f = function([state], [], updates={state: state + 1}, mode="jax")
    with enable_x64(True):
        given = jnp.ones(SIZE)
    for _ in range(2):
        f(given)
        assert float(given[0]) == 1.0
        assert get_value(state)[0] == 2.0


class NotYetError(Exception):
    """A user's own."""


@pytest.mark.parametrize("size", [3, SIZE], ids=["small", "large"])
def test_a_check_that_fails_leaves_the_state(size: int) -> None:
    state, other = wt.shared(np.zeros(size)), wt.shared(np.zeros(size))
    checked = wt.check_and_raise(state + x, x[0] > 0, NotYetError, "wait")
    f = function([x], [], updates={state: checked, other: other + 1}, mode="jax")
    f([1.0])
    for _ in range(2):
        with pytest.raises(NotYetError, match="wait"):
            f([0.0])
        assert get_value(state)[-1] == 1.0
        assert get_value(other)[-1] == 1.0
    f([2.0])
    assert get_value(state)[-1] == 3.0
    assert f.compile_stats.compiles == 1


def test_arguments_that_do_not_fit_leave_the_state() -> None:
    state = wt.shared(np.zeros(SIZE))
    f = function([x], [], updates={state: state + x}, mode="jax")
    f([1.0])
    with pytest.raises(ValueError, match="broadcast"):
        f([1.0, 2.0])
    assert (get_value(state) == 1).all()


def test_state_of_another_length_each_time() -> None:
    state = wt.shared(np.zeros(SIZE), shape=(None,))
    f = function([x], [], updates={state: wt.concatenate([state, x])}, mode="jax")
    f([1.0])
    f([2.0])
    assert get_value(state)[-2:].tolist() == [1.0, 2.0]


def test_lengths_that_depend_on_values() -> None:
    state = wt.shared(np.zeros(SIZE))
    f = function([n], wt.arange(n), updates={state: state + wt.zeros(n).sum() + 1}, mode="jax")
    for size in (2, 3, 2):
        old = cell_of(state)
        assert f(size).tolist() == list(range(size))
        assert not isinstance(old, jax.Array) or old.is_deleted()
    assert (get_value(state) == 3).all()


def test_the_nan_guard_has_the_old_state() -> None:
    state = wt.shared(np.ones(SIZE))
    root = wt.sqrt(state - 1)
    f = function([], [], updates={state: root - 1}, mode=Mode(JAXLinker(nan_guard=True)))
    f()
    with pytest.raises(FloatingPointError, match="sqrt made NaN"):
        f()
    assert (get_value(state) == -1).all()


def test_state_that_is_lost_is_told() -> None:
    def failing(value: Any) -> Any:
        if value.sum() < 0:
            raise ArithmeticError("too small")
        return value

    spec: Any = jax.ShapeDtypeStruct

    @wrap_jax
    def called_back(value: Any) -> Any:
        return jax.pure_callback(failing, spec(value.shape, value.dtype), value)

    x = wt.vector("x", "float32")
    state = wt.shared(np.zeros(SIZE, "float32"))
    f = function([x], [], updates={state: state + called_back(x)}, mode="jax")
    f([1.0])
    with pytest.raises(Exception, match="too small") as caught:
        f([-1.0])
    assert "state, which is lost: give it a value with `set_value`" in str(caught.value.__notes__)
    with pytest.raises(Exception, match="deleted") as caught:
        f([1.0])
    assert "which is lost: give it a value" in str(caught.value.__notes__)
    set_value(state, np.ones(SIZE, "float32"))
    f([1.0])
    assert get_value(state)[0] == 2.0


def test_without_jit() -> None:
    state = wt.shared(np.zeros(SIZE))
    step = function([], [], updates={state: state + 1}, mode=Mode(JAXLinker(disable_jit=True)))
    step()
    step()
    assert (get_value(state) == 2).all()
