"""What goes into compiled functions, and what comes out, in whatever shape it lies in memory."""

import tracemalloc
from functools import cache
from typing import Any

import numpy as np
import pytest

import weft_tensor as wt
from weft_graph import Mode, function
from weft_numba import numba_funcify


def read_only(x: Any) -> Any:
    x = x.copy()
    x.flags.writeable = False
    return x


def misaligned(x: Any) -> Any:
    memory = np.zeros(x.nbytes + 1, np.uint8)
    result = memory[1:].view(x.dtype).reshape(x.shape)
    result[...] = x
    return result


LAYOUTS: dict[str, Any] = {
    "contiguous": np.array,
    "by columns": np.asfortranarray,
    "every other": lambda x: np.repeat(x, 2, axis=1)[:, ::2],
    "backwards": lambda x: x[::-1, ::-1].copy()[::-1, ::-1],
    "repeated": lambda x: np.broadcast_to(x[:1], x.shape),
    "read-only": read_only,
    "misaligned": misaligned,
    "big-endian": lambda x: x.astype(">f8"),
}


@pytest.fixture(scope="module")
def compiled() -> Any:
    x = wt.matrix("x")
    return function([x], [x, x.T, wt.exp(x), wt.sum(x, axis=0), x[1]], mode="numba")


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_layout_of_an_array_makes_no_difference(layout: str, compiled: Any) -> None:
    x = LAYOUTS[layout](np.arange(12.0).reshape(3, 4))
    before = x.copy()
    wanted = [x, x.T, np.exp(x), np.sum(x, axis=0), x[1]]
    for result, expected in zip(compiled(x), wanted, strict=True):
        np.testing.assert_allclose(result, expected, rtol=1e-14)
        assert result.dtype == "float64"
        assert result.flags.writeable
        assert not np.shares_memory(result, x)
        result[...] = -1.0
    assert (x == before).all()


class Copied(wt.TensorOp):
    """Compiled for an array, and reading it as Numba does."""

    def infer(self, *types: Any) -> Any:
        return types[0]

    def impl(self, *values: Any) -> Any:
        return values[0].copy()


@numba_funcify.register(Copied)
def _(op: Copied, **kwargs: Any) -> Any:
    def copied(x: Any) -> Any:
        made = np.empty(x.shape)
        for i in range(x.shape[0]):
            for j in range(x.shape[1]):
                made[i, j] = x[i, j]
        return made

    return copied


@pytest.mark.cases(2)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_layout_of_a_constant_makes_no_difference(layout: str) -> None:
    """Nor does it when the code comes from disk, by a key that is the same for all layouts."""
    x = LAYOUTS[layout](np.arange(1200.0).reshape(3, 400))
    constant, s = wt.constant(x), wt.scalar("s")
    f = function([s], [Copied()(constant) * s, constant.T + s], mode=Mode("numba", books=[]))
    first, second = f(1.0)
    np.testing.assert_array_equal(first, x)
    np.testing.assert_array_equal(second, x.T + 1.0)


def large(*shape: int) -> Any:
    return np.cos(np.arange(np.prod(shape))).reshape(shape)


ARRANGED: dict[str, Any] = {
    "in C's order": large(300, 200),
    "in Fortran's order": large(200, 300).T,
    "a transpose of a part": large(400, 400)[:200, :300].T,
    "read-only": read_only(large(200, 300)).T,
    "of another dtype": large(200, 300).T.astype("float32"),
    "big-endian": large(200, 300).T.astype(">f8"),
    "small": large(4, 3).T,
    "a column": large(1, 200).T,
    "repeated": np.broadcast_to(large(300, 1), (300, 200)),
}
x, y = wt.matrix("x"), wt.matrix("y")
OF_ARRANGED: dict[str, list[Any]] = {
    "reductions": [wt.sum(x), wt.max(x, axis=0), wt.mean(wt.exp(x), axis=1)],
    "views": [x, x.T, x[1:], x.T[0], x.reshape((-1,)), x[None]],
    "results": [wt.exp(x), wt.exp(x.T), x - x.mean(0), x + x.T[:1, :1]],
    "of matrices": [x @ x.T, x.T @ x, wt.linalg.cholesky(x.T @ x + wt.eye(x.shape[1]))],
    "elements": [x[wt.arange(3)], x[0, 0], wt.sort(x, 0)],
}


@pytest.mark.cases(3)
@pytest.mark.parametrize("arrangement", ARRANGED)
@pytest.mark.parametrize("outputs", OF_ARRANGED)
def test_arrays_of_any_arrangement(outputs: str, arrangement: str) -> None:
    value = ARRANGED[arrangement]
    before = value.copy()
    f = _compiled(outputs)
    expected = function([x], OF_ARRANGED[outputs], mode="py")(value)
    for _ in range(2):
        for result, wanted in zip(f(value), expected, strict=True):
            np.testing.assert_allclose(result, wanted, rtol=1e-9, atol=1e-9, strict=True)
            assert result.flags.writeable
            assert not np.shares_memory(result, value)
    assert (value == before).all()


@cache
def _compiled(outputs: str) -> Any:
    return function([x], OF_ARRANGED[outputs], mode="numba")


def test_sums_of_arrays_in_another_order_take_no_copy() -> None:
    stack = wt.tensor3("stack")
    f = function([x, stack], [wt.sum(x, axis=0), wt.max(stack, axis=1)], mode="numba")
    arrays = large(200, 300).T, large(20, 30, 100).transpose(1, 2, 0)
    for values in (arrays, [np.ascontiguousarray(a) for a in arrays]):
        f(*values)
        tracemalloc.start()
        try:
            results = f(*values)
            _, most = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        np.testing.assert_allclose(results[0], values[0].sum(0))
        np.testing.assert_array_equal(results[1], values[1].max(1))
        assert most < values[0].nbytes / 2


def test_some_arrays_of_several_in_another_order() -> None:
    n, m = wt.matrix("n", shape=("n", "m")), wt.matrix("m", shape=("m", "n"))
    state = wt.shared(np.zeros(300))
    outputs = [n.sum() + m.sum(), (n * 2).sum(1) + n[:, 0]]
    updates: dict[Any, Any] = {state: state + m.sum(0)}
    f = function([n, m], outputs, updates=updates, mode="numba")
    wide, high = large(200, 300), large(300, 200)
    total, added = wide.sum() + high.sum(), 0.0
    for values in ((high, wide), (wide.T, wide), (high, high.T), (wide.T, high.T)):
        found, rows = f(*values)
        np.testing.assert_allclose(found, values[0].sum() + values[1].sum())
        np.testing.assert_allclose(rows, 2 * values[0].sum(1) + values[0][:, 0])
        added = added + values[1].sum(0)
        np.testing.assert_allclose(state.get_value(), added)
    assert total
    with pytest.raises(ValueError, match="dimension 'n'"):
        f(wide.T, large(200, 200).T)


def test_lengths_that_do_not_fit_in_another_order() -> None:
    f = function([x, y], (x * y).sum(0), mode="numba")
    tall = large(200, 300).T
    np.testing.assert_allclose(f(tall, tall), (tall * tall).sum(0))
    np.testing.assert_allclose(f(tall, tall[:1]), (tall * tall[:1]).sum(0))
    with pytest.raises(ValueError, match="broadcast") as caught:
        f(tall, tall[:7])
    assert any("while computing mul" in note for note in caught.value.__notes__)


@pytest.mark.cases(3)
@pytest.mark.parametrize(
    "dtype", ["bool", "int8", "int64", "uint64", "float32", "float64", "complex64", "complex128"]
)
def test_numbers_come_out_as_arrays_of_rank_0(dtype: str) -> None:
    x = wt.TensorType(dtype, ())("x")
    f = function([x], [x, wt.where(wt.eq(x, x), x, x)], mode="numba")
    largest = np.iinfo(dtype).max if dtype.startswith(("int", "uint")) else 1
    given = np.array(largest, dtype)
    for result in f(given):
        assert type(result) is np.ndarray
        assert result.dtype == dtype
        assert result == given
        assert result is not given
    assert f(given[()])[0] == given


def test_a_result_outlives_its_function() -> None:
    x = wt.vector("x")
    result = function([x], wt.exp(x), mode="numba")(np.zeros(3))
    assert result.tolist() == [1.0, 1.0, 1.0]


def test_the_step_of_an_axis_of_length_1_makes_no_difference() -> None:
    x = wt.matrix("x")
    row = np.arange(15.0).reshape(5, 3)[:1].T  # NumPy calls it contiguous, with steps of 8 and 24
    assert row.flags.c_contiguous
    assert function([x], x + 1.0, mode="numba")(row).tolist() == [[1.0], [2.0], [3.0]]


def many(count: int) -> tuple[list[Any], list[Any], list[Any]]:
    """Inputs of three types, one after another, what is computed of them, and values."""
    inputs: list[Any] = []
    values: list[Any] = []
    for k in range(count):
        inputs += [wt.vector(f"x{k}"), wt.matrix(f"X{k}", dtype="float32"), wt.scalar(f"s{k}")]
        values += [np.arange(k % 4) + 1.0, np.full((2, k % 3), k, "float32"), 0.5 * k]
    outputs: list[Any] = []
    for k, v in enumerate(inputs):
        outputs += [v * 2, v] + ([v[::-1], v.sum()] if v.ndim == 1 else [v.T] if v.ndim else [])
        outputs += [wt.constant(np.arange(float(k % 5)))] * (k % 2)
    return inputs, outputs, values


@pytest.mark.cases(0)
@pytest.mark.parametrize("count", [5, 16, 40])
def test_many_arrays_come_and_go_in_their_order(count: int) -> None:
    inputs, outputs, values = many(count)
    f = function(inputs, outputs, mode="numba")
    given = [np.asarray(value) for value in values]
    for changed in (given, [np.asfortranarray(value[..., None])[..., 0] for value in given]):
        expected = function(inputs, outputs, mode="py")(*changed)
        for result, wanted in zip(f(*changed), expected, strict=True):
            np.testing.assert_array_equal(result, wanted, strict=True)
            assert result.flags.writeable
            assert not any(np.shares_memory(result, value) for value in changed)


@pytest.mark.cases(0)
def test_many_arrays_of_which_one_does_not_fit() -> None:
    inputs = [wt.vector(f"x{k}") for k in range(40)]
    f = function(inputs, [x + inputs[0] for x in inputs], mode="numba")
    values = [np.ones(3)] * 40
    assert sum(float(result[0]) for result in f(*values)) == 80.0
    values[17] = np.ones(2)
    with pytest.raises(ValueError, match="broadcast"):
        f(*values)
    values[17] = np.ones((3, 1))
    with pytest.raises(TypeError, match="x17"):
        f(*values)


def test_many_arrays_for_nothing() -> None:
    inputs = [wt.vector(f"x{k}") for k in range(20)]
    assert function(inputs, [], mode="numba")(*[np.ones(3)] * 20) == []
    assert function([], [wt.constant(np.arange(k)) for k in range(20)], mode="numba")()[3].size == 3


@pytest.mark.cases(0)
def test_many_shared_variables() -> None:
    shared = [wt.shared(np.full(3, float(k))) for k in range(30)]
    total = wt.concatenate(shared).sum()
    step = function([], total, updates={v: v + k for k, v in enumerate(shared)}, mode="numba")
    assert float(step()) == 3 * sum(range(30))
    assert float(step()) == 6 * sum(range(30))
    assert shared[7].get_value().tolist() == [21.0] * 3


def test_many_arrays_beside_what_is_no_array() -> None:
    pairs = [wt.vector(f"x{k}") for k in range(20)]
    chosen = wt.scalar("chosen", dtype="bool")
    both = wt.ifelse(chosen, pairs, [x * 2 for x in pairs])
    f = function([chosen, *pairs], [wt.concatenate(both), *both], mode="numba")
    values = [np.full(2, float(k)) for k in range(20)]
    for condition in (True, False):
        joined, *results = f(condition, *values)
        np.testing.assert_array_equal(joined, np.concatenate(values) * (2 - condition))
        np.testing.assert_array_equal(np.concatenate(results), joined)
