"""Functions that repeat, cut, pad, choose and lay out elements: NumPy's, with derivatives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.linalg

import weft_tensor as wt
from weft_graph import function
from weft_testing import check_grad

VECTOR = np.array([1.5, -2.0, 0.5, 3.0])
MATRIX = np.arange(12.0).reshape(3, 4) ** 2
COUNTS = np.array([2, 0, 1, 3])
EMPTY = np.zeros((0, 3))
BOTH = ((1, 2), (0, 3))
MODES = ("edge", "wrap", "reflect", "symmetric")

CASES: dict[str, tuple[Any, Any, list[Any]]] = {
    "repeat": (lambda x: wt.repeat(x, 3), lambda x: np.repeat(x, 3), [MATRIX]),
    "repeat along": (lambda x: wt.repeat(x, 2, 1), lambda x: np.repeat(x, 2, 1), [MATRIX]),
    "repeat by n": (wt.repeat, np.repeat, [VECTOR, np.int64(2)]),
    "repeat no times": (wt.repeat, np.repeat, [VECTOR, np.int64(0)]),
    "repeat each": (wt.repeat, np.repeat, [VECTOR, COUNTS]),
    "repeat columns": (
        lambda x, c: wt.repeat(x, c, 1),
        lambda x, c: np.repeat(x, c, 1),
        [MATRIX, COUNTS],
    ),
    "tile": (lambda x: wt.tile(x, (2, 1, 3)), lambda x: np.tile(x, (2, 1, 3)), [MATRIX]),
    "tile by n": (lambda x, n: wt.tile(x, n), lambda x, n: np.tile(x, n), [MATRIX, np.int64(3)]),
    "flip": (wt.flip, np.flip, [MATRIX]),
    "flip columns": (wt.fliplr, np.fliplr, [MATRIX]),
    "flip rows": (wt.flipud, np.flipud, [MATRIX]),
    "roll": (lambda x: wt.roll(x, 5), lambda x: np.roll(x, 5), [MATRIX]),
    "roll by n": (wt.roll, np.roll, [VECTOR, np.int64(-3)]),
    "roll rows": (lambda x: wt.roll(x, -1, 0), lambda x: np.roll(x, -1, 0), [MATRIX]),
    "roll both": (
        lambda x: wt.roll(x, (1, 2), (0, 1)),
        lambda x: np.roll(x, (1, 2), (0, 1)),
        [MATRIX],
    ),
    "roll nothing": (lambda x: wt.roll(x, 1), lambda x: np.roll(x, 1), [EMPTY]),
    "split": (lambda x: wt.split(x, 2, 1), lambda x: np.split(x, 2, 1), [MATRIX]),
    "split at": (lambda x: wt.split(x, [1, 3]), lambda x: np.split(x, [1, 3]), [VECTOR]),
    "split at n": (
        lambda x, n: wt.split(x, [n]),
        lambda x, n: np.split(x, [n]),
        [VECTOR, np.int64(3)],
    ),
    "array_split": (lambda x: wt.array_split(x, 3), lambda x: np.array_split(x, 3), [VECTOR]),
    "pad": (lambda x: wt.pad(x, BOTH), lambda x: np.pad(x, BOTH), [MATRIX]),
    "pad with values": (
        lambda x: wt.pad(x, 1, constant_values=(7, 8)),
        lambda x: np.pad(x, 1, constant_values=(7, 8)),
        [MATRIX],
    ),
    "pad by n": (lambda x, n: wt.pad(x, n), lambda x, n: np.pad(x, int(n)), [MATRIX, np.int64(2)]),
    **{
        f"pad {mode}": (
            lambda x, mode=mode: wt.pad(x, (5, 6), mode),
            lambda x, mode=mode: np.pad(x, (5, 6), mode),
            [MATRIX[:2]],
        )
        for mode in MODES
    },
    "pad reflect of one": (
        lambda x: wt.pad(x, 2, "reflect"),
        lambda x: np.pad(x, 2, "reflect"),
        [VECTOR[:1]],
    ),
    "take": (lambda x: wt.take(x, [[2, 0]]), lambda x: np.take(x, [[2, 0]]), [MATRIX]),
    "take columns": (
        lambda x, i: wt.take(x, i, 1),
        lambda x, i: np.take(x, i, 1),
        [MATRIX, COUNTS],
    ),
    "compress": (
        lambda x: wt.compress(x[:, 0] > 5, x, 0),
        lambda x: np.compress(x[:, 0] > 5, x, 0),
        [MATRIX],
    ),
    "mask": (lambda x: x[x > 2], lambda x: x[x > 2], [MATRIX]),
    "mask of rows": (lambda x: x[x[:, 1] > 2], lambda x: x[x[:, 1] > 2], [MATRIX]),
    "mask, set": (lambda x: x[x > 2].set(0.0), lambda x: np.where(x > 2, 0, x), [MATRIX]),
    "unique": (wt.unique, np.unique, [VECTOR]),
    "tri": (lambda n: wt.tri(n, 4, 1), lambda n: np.tri(n, 4, 1), [np.int64(3)]),
    "diag of a vector": (lambda x: wt.diag(x, -2), lambda x: np.diag(x, -2), [VECTOR]),
    "diag of a matrix": (lambda x: wt.diag(x, 1), lambda x: np.diag(x, 1), [MATRIX]),
    "diagonal": (lambda x: wt.diagonal(x, -1), lambda x: np.diagonal(x, -1), [MATRIX]),
    "diagonal too far": (lambda x: wt.diagonal(x, 9), lambda x: np.diagonal(x, 9), [MATRIX]),
    "diagonal of stack": (
        lambda x: wt.diagonal(x[None], 0, 2, 1),
        lambda x: np.diagonal(x[None], 0, 2, 1),
        [MATRIX],
    ),
    "trace": (wt.trace, np.trace, [MATRIX]),
    "block_diag": (
        lambda x, y: wt.block_diag(x, y, x[:, :1]),
        lambda x, y: scipy.linalg.block_diag(x, y, x[:, :1]),
        [MATRIX, VECTOR],
    ),
    "kron": (wt.kron, np.kron, [MATRIX, MATRIX[:2, :2]]),
    "kron of ranks": (wt.kron, np.kron, [VECTOR, MATRIX[:2]]),
    "bincount": (wt.bincount, np.bincount, [COUNTS]),
    "bincount of none": (wt.bincount, np.bincount, [COUNTS[:0]]),
    "bincount, weighted": (
        lambda i, w: wt.bincount(i, w, minlength=6),
        lambda i, w: np.bincount(i, w, minlength=6),
        [COUNTS, VECTOR],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_equals_numpy(name: str) -> None:
    make, numpy_make, values = CASES[name]
    inputs: list[Any] = [
        wt.tensor(f"x{k}", v.dtype, (None,) * v.ndim) for k, v in enumerate(values)
    ]
    expected = numpy_make(*values)
    made = make(*inputs)
    found = function(inputs, made, mode="py")(*values)
    several = isinstance(expected, list)
    for one, other in zip(
        found if several else [found], expected if several else [expected], strict=True
    ):
        np.testing.assert_array_equal(one, other)
        assert one.dtype == other.dtype


@pytest.mark.parametrize("name", CASES)
def test_has_derivatives(name: str) -> None:
    make, _, values = CASES[name]
    first = make(*[wt.tensor(f"x{k}", v.dtype, (None,) * v.ndim) for k, v in enumerate(values)])
    first = first[0] if isinstance(first, list) else first
    if first.type.differentiable and any(v.dtype.kind == "f" and v.size for v in values):
        check_grad(make, values)


def test_bad_input_is_refused() -> None:
    x, n, counts = wt.vector("x"), wt.scalar("n", "int64"), wt.vector("c", "int64")
    refused: list[tuple[Any, dict[Any, Any], str]] = [
        (wt.repeat(x, n), {x: VECTOR, n: -1}, "repeats can't be negative"),
        (wt.repeat(x, counts), {x: VECTOR, counts: [1, -1, 1, 1]}, "repeats can't be negative"),
        (wt.repeat(x, counts), {x: VECTOR, counts: [1, 1]}, "broadcast"),
        (wt.tile(x, n), {x: VECTOR, n: -1}, "negative"),
        (wt.pad(x, n), {x: VECTOR, n: -1}, "negative"),
        (wt.split(x, 3)[0], {x: VECTOR}, "can't be cut into 3 equal parts"),
        (wt.bincount(counts), {counts: [1, -1]}, "no negative numbers"),
    ]
    for expression, values, message in refused:
        with pytest.raises(ValueError, match=message):
            expression.eval(values)
    with pytest.raises(ValueError, match="axis 0 can't be cut into 3 equal parts: its length is 4"):
        wt.split(VECTOR, 3)
    with pytest.raises(ValueError, match="'nonesuch'"):
        wt.pad(x, 1, "nonesuch")
    with pytest.raises(TypeError, match="the number of parts must be known"):
        wt.split(x, counts)


def test_methods_are_the_functions() -> None:
    x, counts = wt.matrix("x"), wt.vector("c", "int64")
    assert x.argmax(1) is wt.argmax(x, 1)
    assert x.argmin(0, keepdims=True) is wt.argmin(x, 0, keepdims=True)
    assert x.argsort(0) is wt.argsort(x, 0)
    assert x.sort() is wt.sort(x)
    assert x.cumsum(0) is wt.cumsum(x, 0)
    assert x.cumprod(1) is wt.cumprod(x, 1)
    assert x.nonzero() == wt.nonzero(x)
    assert x.take(counts, 1) is wt.take(x, counts, 1)
    assert x.compress(counts > 0, 0) is wt.compress(counts > 0, x, 0)
    assert x.repeat(counts, 0) is wt.repeat(x, counts, 0)
    assert x.diagonal(1) is wt.diagonal(x, 1)
    assert x.trace() is wt.trace(x)


def test_counts_of_numbers_whose_range_is_known_have_a_known_length() -> None:
    """From dtypes, and what is done with them, as long as nothing overflows."""
    b, i = wt.tensor("b", "uint8", (None,)), wt.lvector("i")
    wide, limited = b.astype("int64"), wt.clip(i, 0, 3)
    values = {b: np.array([0, 255, 7, 200], "uint8"), i: np.array([-9, 2, 9, 1])}
    for x, high in (
        (wide[1:] * 256 + wide[:-1], 65535),
        (wide.reshape(2, -1).T.ravel() // 16, 15),
        (limited * 4 + limited, 15),
        (i % 5, 4),
        (wt.where(i > 2, limited, 7 - limited), 7),
        (wt.maximum(wide - 250, 0), 5),
        (b + b, 255),
    ):
        assert wt.bincount(x, minlength=high + 1).type.shape == (high + 1,)
        assert wt.bincount(x, minlength=high).type.shape == (None,)
        counts = wt.bincount(x, length=high + 1)
        right = np.bincount(x.eval(values), minlength=high + 1)
        for found in (counts, wt.bincount(x, minlength=high + 1)):
            np.testing.assert_array_equal(found.eval(values), right)
    for x in (i // 2, i % i, 0 - wide, wide - 1, b.astype("int8"), wt.minimum(i, 5)):
        assert wt.bincount(x, minlength=300).type.shape == (None,)
