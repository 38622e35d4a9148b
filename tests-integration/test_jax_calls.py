"""What a call does besides computing: arrays of NumPy and of JAX, many small arrays, state."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import weft_tensor as wt
from weft_graph import function, get_value, grad, set_value
from weft_jax.compile.xla_options import is_flat
from weft_jax.lowering.x64 import enable_x64
from weft_jax.runtime.packing import SMALL
from weft_jax.runtime.runtime_checks import Flags
from weft_tensor.extend import kinds_of

x = wt.vector("x")
y = wt.vector("y")
n = wt.scalar("n", "int64")
VALUES = np.arange(3.0)


def device(values: Any) -> Any:
    with enable_x64(True):
        return jnp.asarray(values)


def test_arrays_of_jax_give_arrays_of_jax() -> None:
    f = function([x, y], [x + y, x], mode="jax")
    for first, kind in ((device(VALUES), jax.Array), (VALUES, np.ndarray)):
        total, same = f(first, device(VALUES))
        assert isinstance(total, kind)
        assert isinstance(same, kind)
        assert total.dtype == "float64"
        np.testing.assert_array_equal(total, 2 * VALUES)
        np.testing.assert_array_equal(same, VALUES)
    assert type(f(VALUES, VALUES)[0]) is np.ndarray
    assert isinstance(f(*f(device(VALUES), device(VALUES)))[0], jax.Array)


def test_arrays_of_jax_are_checked() -> None:
    f = function([x], x * 2, mode="jax")
    assert f(jnp.ones(2, "float32")).dtype == "float64"
    with pytest.raises(TypeError, match=r"input <x : .*got an array of JAX: complex64\[2\]"):
        f(jnp.ones(2, "complex64"))
    with pytest.raises(TypeError, match=r"got an array of JAX: float32\[2, 2\]"):
        f(jnp.ones((2, 2)))
    with pytest.raises(TypeError, match="call `as_jax\\(f\\)` here"):
        jax.jit(f)(jnp.ones(2))


def test_arrays_of_jax_and_errors() -> None:
    f = function([x, n], x[n], mode="jax")
    with pytest.raises(IndexError) as caught:
        f(device(VALUES), device(5))
    assert "test_jax_calls.py" in "".join(caught.value.__notes__)


def test_arrays_of_jax_as_sizes_and_in_segments() -> None:
    f = function([n, x], [wt.arange(n), wt.unique(x).sum()], mode="jax")
    assert np.asarray(f(device(3), device([1.0, 2.0, 2.0]))[0]).tolist() == [0, 1, 2]
    assert float(f(device(3), device([1.0, 2.0, 2.0]))[1]) == 3.0


SHAPES: dict[str, list[tuple[int, ...]]] = {
    "vectors": [(3,)] * 6,
    "ranks": [(), (2, 3), (0,), (1, 1, 2), (5,), ()],
    "numbers": [()] * 5,
    "two numbers": [(), (3,), ()],
    "large": [(SMALL,), (3,), (3,), (2,), (1,), (1,)],
}


@pytest.mark.parametrize("name", SHAPES)
def test_many_small_arrays(name: str) -> None:
    shapes = SHAPES[name]
    inputs = [wt.TensorType("float64", [None] * len(s))(f"a{k}") for k, s in enumerate(shapes)]
    other = wt.vector("other", "int32")
    outputs = [v * 2 for v in inputs] + [other + 1, inputs[0].sum() > 0]
    f = function([other, *inputs], outputs, mode="jax")
    draws = np.random.default_rng(0)
    for _ in range(3):
        values = [draws.normal(size=shape) for shape in shapes]
        kept = [value.copy() for value in values]
        results = f(np.arange(4, dtype="int32"), *values)
        for value in values:
            value[...] = np.nan
        for result, before in zip(results, kept, strict=False):
            assert type(result) is np.ndarray
            assert result.shape == before.shape
            np.testing.assert_array_equal(result, before * 2)
        assert results[-2].tolist() == [1, 2, 3, 4]
        assert results[-1] == (kept[0].sum() > 0)
    on_device = f(device(np.arange(4, dtype="int32")), *map(device, kept))
    assert all(isinstance(result, jax.Array) for result in on_device)
    np.testing.assert_array_equal(on_device[1], kept[1] * 2)


def test_one_input_and_many_outputs() -> None:
    results = function([x], [x + k for k in range(5)], mode="jax")(VALUES)
    for k, result in enumerate(results):
        np.testing.assert_array_equal(result, VALUES + k)


def test_errors_of_packed_calls() -> None:
    others = [wt.vector(f"v{k}") for k in range(4)]
    f = function([x, n, *others], [x[n], *(v + x for v in others)], mode="jax")
    values = [VALUES] * 4
    assert f(VALUES, 1, *values)[0] == 1.0
    with pytest.raises(IndexError):
        f(VALUES, 3, *values)
    with pytest.raises(ValueError, match="shape"):
        f(np.ones(2), 1, *values)


def test_state_stays_on_the_device() -> None:
    state: Any = wt.shared(np.zeros(3))
    step = function([x], state.sum(), updates={state: state + x}, mode="jax")
    for k in range(3):
        assert step(np.ones(3)) == 3.0 * k
        assert isinstance(state.op.cell.value, jax.Array)
    assert type(get_value(state)) is np.ndarray
    assert get_value(state).tolist() == [3.0, 3.0, 3.0]
    set_value(state, np.ones(3))
    assert step(np.ones(3)) == 3.0


@pytest.mark.parametrize("mode", ["py", "numba"])
def test_other_backends_take_what_jax_left(mode: str) -> None:
    state = wt.shared(np.zeros(3))
    by_jax = function([], [], updates={state: state + 1}, mode="jax")
    other = function([], state * 2, updates={state: state * 10}, mode=mode)
    by_jax()
    assert other().tolist() == [2.0, 2.0, 2.0]
    by_jax()
    assert get_value(state).tolist() == [11.0, 11.0, 11.0]


def test_state_is_not_changed_where_a_call_fails() -> None:
    state = wt.shared(np.zeros(3))
    step = function([n], state[n], updates={state: state + 1}, mode="jax")
    step(0)
    with pytest.raises(IndexError):
        step(3)
    assert get_value(state).tolist() == [1.0, 1.0, 1.0]


def test_inputs_overwritten_after_a_call_do_not_reach_the_state() -> None:
    state = wt.shared(np.zeros(20_000))
    step = function([x], [], updates={state: wt.exp(x)}, mode="jax")
    values = np.zeros(20_000)
    for k in range(20):
        values[:] = k
        step(values)
        values[:] = np.nan
        np.testing.assert_allclose(get_value(state), np.exp(float(k)))


def test_large_constants_are_no_part_of_the_program() -> None:
    large = np.random.default_rng(0).normal(size=(100, 50))
    v = wt.vector("v", shape=(50,))
    others = [wt.vector(f"v{k}") for k in range(4)]
    outputs = [wt.constant(large) @ v, large[0] * v, *others]
    f = function([v, *others], outputs, mode="jax")
    values = np.arange(50.0)
    for result, expected in zip(
        f(values, *[VALUES] * 4), [large @ values, large[0] * values], strict=False
    ):
        np.testing.assert_allclose(result, expected)
    rows = wt.constant(large)[n]
    assert function([n], rows, mode="jax")(3).tolist() == large[3].tolist()


def test_gradients_of_sums_are_compiled_by_llvm_alone() -> None:
    """Rewriting leaves nothing of them but elementwise Ops."""
    f = function([x], grad(wt.exp(-x * x[:, None]).sum(), x), mode="jax")
    assert not is_flat(kinds_of(f.graph))  # sums along rows
    g = function([x], [wt.exp(-x * x).sum(), grad(wt.exp(-x * x).sum(), x)], mode="jax")
    assert is_flat(kinds_of(g.graph))
    expected = -2 * VALUES * np.exp(-(VALUES**2))
    np.testing.assert_allclose(g(VALUES)[1], expected, rtol=1e-14)


def test_diagonals_lie_within_their_matrices(monkeypatch: pytest.MonkeyPatch) -> None:
    """The indices that `diag` makes are known while JAX traces: nothing is left to check."""
    found: list[Any] = []
    flags_of = Flags.of
    monkeypatch.setattr(Flags, "of", lambda checks: found.append(flags_of(checks)))
    monkeypatch.setenv("WEFT_CACHE_DIR", "off")
    square = wt.matrix("square")
    f = function([square], wt.diag(square).sum(), mode="jax")
    assert f(np.arange(9.0).reshape(3, 3)) == 12.0
    assert found == [None]
