"""Tensors made from lengths and numbers, against NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft_graph import Mode, function, grad
from weft_tensor import (
    DTYPES,
    alloc,
    arange,
    broadcast_to,
    constant,
    eye,
    fscalar,
    full,
    full_like,
    identity,
    iscalar,
    linspace,
    logspace,
    lscalar,
    lvector,
    matrix,
    ones,
    ones_like,
    random,
    reshape,
    scalar,
    sum,
    tensor,
    tile,
    vector,
    zeros,
    zeros_like,
)
from weft_tensor.extend import inferred_shapes

PY = Mode("py", books=[])
STEPS = st.integers(-4, 4).filter(lambda step: step != 0)


def as_inputs(values: Any, dtypes: Any) -> tuple[list[Any], list[Any]]:
    """Scalar inputs, and values for them."""
    inputs = [tensor(f"v{i}", dtype) for i, dtype in enumerate(dtypes)]
    return inputs, [np.array(v, d) for v, d in zip(values, dtypes, strict=True)]


def run(result: Any, inputs: Any = (), values: Any = ()) -> Any:
    """The value, of which `infer_shape` must have told the shape."""
    shapes = inferred_shapes(result)
    assert shapes is not None
    lengths = [constant(n) if isinstance(n, int) else n for n in shapes[0]]
    value, *found = function(list(inputs), [result, *lengths], mode=PY)(*values)
    assert tuple(map(int, found)) == value.shape
    for n, known in zip(value.shape, result.type.shape, strict=True):
        assert known in (None, n)
    assert str(value.dtype) == result.dtype
    return value


@given(st.integers(-9, 9), st.integers(-9, 9), STEPS)
def test_arange_of_integers(start: int, stop: int, step: int) -> None:
    expected = np.arange(start, stop, step)
    known = arange(start, stop, step)
    assert known.type.shape == expected.shape
    np.testing.assert_array_equal(run(known), expected)
    inputs, values = as_inputs((start, stop, step), ("int64", "int32", "int8"))
    np.testing.assert_array_equal(run(arange(*inputs), inputs, values), expected)
    mixed = arange(inputs[0], stop, step)
    np.testing.assert_array_equal(run(mixed, inputs[:1], values[:1]), expected)
    whole = arange(start, stop, step, dtype="float32")
    np.testing.assert_array_equal(run(whole), expected.astype("float32"))


@given(st.integers(-9, 9), st.integers(-9, 9), STEPS)
def test_arange_of_floating_numbers(start: int, stop: int, step: int) -> None:
    parts = (start / 2, stop / 4, step / 4)
    expected = np.arange(*parts)
    np.testing.assert_array_equal(run(arange(*parts)), expected)
    inputs, values = as_inputs(parts, ("float64", "float64", "float64"))
    np.testing.assert_array_equal(run(arange(*inputs), inputs, values), expected)


@pytest.mark.parametrize("dtype", [d for d in DTYPES if d[0] in "iuf"])
def test_arange_has_the_dtype_that_numpy_gives_it(dtype: str) -> None:
    n = tensor("n", dtype)
    limit: Any = np.zeros((), dtype)
    assert arange(n).dtype == np.arange(limit).dtype
    np.testing.assert_array_equal(run(arange(n), [n], [np.array(3, dtype)]), [0, 1, 2])
    down = run(arange(n, 0, -1), [n], [np.array(3, dtype)]) if dtype[0] != "u" else [3, 2, 1]
    np.testing.assert_array_equal(down, [3, 2, 1])


def test_arange_refuses_what_is_no_range() -> None:
    with pytest.raises(ValueError, match="step of arange can't be 0"):
        arange(0, 3, 0)
    with pytest.raises(TypeError, match="arange takes real scalars, not <x"):
        arange(vector("x"))
    with pytest.raises(TypeError, match="real scalars"):
        arange(1j)
    with pytest.raises(TypeError, match="real scalars"):
        arange(True)
    for stop in (np.nan, np.inf):
        with pytest.raises(ValueError, match="finite"):
            arange(0.0, stop)


def test_arange_can_be_differentiated() -> None:
    a, b = scalar("a"), scalar("b")
    gradients = grad(sum(arange(a, a + 3 * b, b)), [a, b])
    assert function([a, b], gradients, mode=PY)(1.0, 0.5) == [3.0, 3.0]


@given(st.integers(-8, 8), st.integers(-8, 8), st.integers(0, 6), st.booleans(), st.booleans())
def test_linspace(start: int, stop: int, num: int, endpoint: bool, known: bool) -> None:
    for dtype in (None, "int64", "float32"):
        expected = np.linspace(start / 2, stop / 2, num, endpoint, dtype=dtype)
        inputs, values = as_inputs((num,), ("int64",))
        size: Any = num if known else inputs[0]
        result = linspace(start / 2, stop / 2, size, endpoint, dtype=dtype)
        actual = run(result) if known else run(result, inputs, values)
        assert actual.dtype == expected.dtype
        if dtype == "int64":
            assert np.abs(actual - expected).max(initial=0) <= 1
        else:
            np.testing.assert_allclose(actual, expected, rtol=1e-6, atol=1e-7)


def test_linspace_of_arrays_and_dtypes() -> None:
    x, y = vector("x"), matrix("y")
    found = linspace(x, y, 3).eval({x: [0.0, 1.0], y: [[2.0, 3.0], [4.0, 5.0]]})
    expected = np.linspace([0.0, 1.0], [[2.0, 3.0], [4.0, 5.0]], 3)
    np.testing.assert_allclose(found, expected)
    assert linspace(-1, 1, 4, dtype=int).eval().tolist() == [-1, -1, 0, 1]
    assert linspace(1, 5, 5).dtype == "float64"
    assert linspace(fscalar("a"), 2, 5).dtype == "float32"
    assert linspace(constant(0, "int8"), fscalar("a"), 5).dtype == "float32"
    assert logspace(constant(False), fscalar("a"), 5).dtype == "float32"
    assert linspace(constant(0, "int32"), fscalar("a"), 5).dtype == "float64"
    np.testing.assert_allclose(linspace(0, 1j, 3).eval(), [0, 0.5j, 1j])
    with pytest.raises(ValueError, match="can't be negative"):
        linspace(0, 1, -1)
    a, b = scalar("a"), scalar("b")
    gradients = grad(sum(linspace(a, b, 5)), [a, b])
    assert function([a, b], gradients, mode=PY)(1.0, 2.0) == [2.5, 2.5]


@given(st.integers(0, 4), st.none() | st.integers(0, 4), st.integers(-5, 5))
def test_eye(n: int, m: int | None, k: int) -> None:
    expected = np.eye(n, m, k)
    known = eye(n, m, k)
    assert known.type.shape == expected.shape
    np.testing.assert_array_equal(run(known), expected)
    np.testing.assert_array_equal(run(eye(float(n), m, np.float32(k))), expected)
    inputs, values = as_inputs((n, n if m is None else m, k), ("int32", "float64", "float32"))
    np.testing.assert_array_equal(run(eye(*inputs), inputs, values), expected)


def test_eye_wants_whole_numbers() -> None:
    assert eye(3.0).type.shape == (3, 3)
    assert identity(2, dtype="int8").dtype == "int8"
    with pytest.raises(ValueError, match=r"3\.5 is not a whole number"):
        eye(3.5)
    n = scalar("n")
    with pytest.raises(ValueError, match=r"nan is not a whole number") as caught:
        eye(n).eval({n: np.nan})
    assert "made at" in caught.value.__notes__[0]
    for other in (1j, True, [1, 2], vector("v")):
        with pytest.raises(TypeError, match="expected a whole number, got <"):
            eye(other)


@given(st.lists(st.integers(0, 3), max_size=3), st.sampled_from(DTYPES))
def test_filled_tensors(shape: list[int], dtype: str) -> None:
    inputs, values = as_inputs(shape, ["int64"] * len(shape))
    for lengths, given_values in ((shape, ()), (inputs, values)):
        used = inputs if lengths is inputs else []
        for made, expected in (
            (zeros(lengths, dtype), np.zeros(shape, dtype)),
            (ones(lengths, dtype), np.ones(shape, dtype)),
            (full(lengths, 1, dtype), np.full(shape, 1, dtype)),
            (alloc(np.ones((), dtype), *lengths), np.ones(shape, dtype)),
        ):
            assert made.dtype == dtype
            actual = function(used, made, mode=PY)(*given_values)
            np.testing.assert_array_equal(actual, expected)
            assert actual.dtype == expected.dtype
            if lengths is shape:
                assert made.type.shape == expected.shape


@given(st.lists(st.integers(0, 3), max_size=3), st.sampled_from(DTYPES))
def test_filled_tensors_like_others(shape: list[int], dtype: str) -> None:
    x = tensor("x", dtype, [None] * len(shape))
    made = [zeros_like(x), ones_like(x), full_like(x, 1), zeros_like(x, "int16")]
    array = np.full(shape, 1, dtype)
    expected = [np.zeros_like(array), np.ones_like(array), np.full_like(array, 1)]
    expected.append(np.zeros_like(array, dtype="int16"))
    for actual, wanted in zip(function([x], made, mode=PY)(array), expected, strict=True):
        np.testing.assert_array_equal(actual, wanted)
        assert actual.dtype == wanted.dtype


def test_filling_takes_arrays_and_refuses_wrong_lengths() -> None:
    n = iscalar("n")
    assert full((2, 3), [1, 2, 3]).eval().tolist() == [[1, 2, 3], [1, 2, 3]]
    assert zeros(n).eval({n: 2}).tolist() == [0, 0]
    with pytest.raises(ValueError, match="can't be negative"):
        zeros((2, -1))
    with pytest.raises(ValueError, match="negative"):
        zeros(n).eval({n: -1})
    wrong: Any = (2.0, 3)
    with pytest.raises(TypeError, match=r"a length must be an integer scalar, not <2\.0"):
        zeros(wrong)
    with pytest.raises(TypeError, match="a length must be an integer scalar, not <x"):
        ones(vector("x"))
    with pytest.raises(ValueError, match=r"can't broadcast shape \[2\] to \[3\]"):
        full(3, [1, 2])
    assert full(3, lscalar("v")).dtype == "int64"


SHAPE = lvector("shape", shape=2)
MADE: dict[str, Callable[[Any], Any]] = {
    "zeros": lambda shape: zeros(shape),
    "full": lambda shape: full(shape, 1.5),
    "alloc": lambda shape: alloc(2.0, shape),
    "broadcast_to": lambda shape: broadcast_to(7, shape),
    "x.broadcast_to": lambda shape: constant(7).broadcast_to(shape),
    "reshape": lambda shape: reshape(arange(6), shape),
    "x.reshape": lambda shape: arange(6).reshape(shape),
    "tile": lambda reps: tile([[1]], reps),
    "normal": lambda shape: random.normal(random.key(1), size=shape),
}


@pytest.mark.parametrize("name", MADE)
def test_a_shape_is_a_number_a_sequence_an_array_or_a_vector(name: str) -> None:
    k = lscalar("k")
    for shape in ((2, 3), [2, 3], np.array([2, 3]), range(2, 4), constant([2, 3])):
        assert MADE[name](shape).eval().shape == (2, 3)
    for one in (6, np.int64(6), np.array(6), (6,), np.array([6])):
        assert MADE[name](one).eval().shape == ((1, 6) if name == "tile" else (6,))
    for v, value, last in ((k, 6, 6), (SHAPE, [2, 3], 3)):
        made = function([v], MADE[name](v), mode=PY)
        assert made(value).shape[-1] == last
    with pytest.raises(TypeError, match=r"<v : int64\[\?\]> as a shape must have a known length"):
        MADE[name](lvector("v"))
    for bad in ("n", 3.0, (2.0, 3), {"n": 3}):
        with pytest.raises(TypeError, match="a length must be an integer scalar, not"):
            MADE[name](bad)


@pytest.mark.parametrize("make", [tensor, vector, lvector])
def test_the_shape_of_an_input_may_be_one_length(make: Any) -> None:
    for shape in (3, np.int64(3), (3,), [3], np.array([3])):
        assert make("v", shape=shape).type.shape == (3,)
    assert str(make("v", shape="time").type).endswith("64[time]")
    assert str(make("v", shape="2*n + 1").type).endswith("64[2*n + 1]")
    with pytest.raises(TypeError, match="is an int, a name or None, not 1"):
        make("v", shape=(1.5,))
    with pytest.raises(TypeError, match=r"as in \('n', 3\), not 1.5"):
        make("v", shape=1.5)
    with pytest.raises(TypeError, match="is an int, a name or None, not <n : int64>"):
        make("v", shape=(lscalar("n"),))
    with pytest.raises(ValueError, match="a matrix has 2 axes, but shape=3 has 1"):
        matrix("M", shape=3)
