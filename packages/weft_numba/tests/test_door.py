"""What goes into compiled functions, and what comes out, in whatever shape it lies in memory."""

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


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_layout_of_a_constant_makes_no_difference(layout: str) -> None:
    """Nor does it when the code comes from disk, by a key that is the same for all layouts."""
    x = LAYOUTS[layout](np.arange(1200.0).reshape(3, 400))
    constant, s = wt.constant(x), wt.scalar("s")
    f = function([s], [Copied()(constant) * s, constant.T + s], mode=Mode("numba", books=[]))
    first, second = f(1.0)
    np.testing.assert_array_equal(first, x)
    np.testing.assert_array_equal(second, x.T + 1.0)


@pytest.mark.parametrize(
    "dtype", ["bool", "int8", "int64", "uint64", "float32", "float64", "complex64", "complex128"]
)
def test_numbers_come_out_as_arrays_of_rank_0(dtype: str) -> None:
    x = wt.TensorType(dtype, ())("x")
    f = function([x], [x, wt.where(x == x, x, x)], mode="numba")
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
