"""No elements, one, bytes and bools: values, shapes and dtypes are those of NumPy and SciPy."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pytest
import scipy.linalg
import scipy.signal
import scipy.special
import scipy.stats
from against_scipy import flat, inputs_for, quietly

import weft.tensor as wt

NONE: Final = np.zeros(0)
ONE: Final = np.array([3.0])
BYTES: Final = np.array([3, 200], "uint8")
COUNTS: Final = np.array([2, 1, 2, 5, 1, 2**60 + 1])
FEW: Final = np.array([0.3, 2.0, 4.0, 4.4, 11.0])
WAVES: Final = np.random.default_rng(1).normal(size=(2, 48))

EQUAL: Final = [
    (x, y)
    for x in (
        NONE,
        ONE,
        np.array([3.0, 3.0]),
        np.zeros((0, 3)),
        np.full((2, 1), 3.0),
        np.zeros((2, 0)),
    )
    for y in (NONE, ONE, np.array([3.0, 3.0, 3.0]), np.zeros((2, 3)), np.full((2, 2), 3.0))
]
"""Pairs that are equal, that are when they are broadcast, and that can't be."""

CALLS: Final[dict[str, tuple[Any, list[tuple[Any, ...]]]]] = {
    "median": (
        lambda m, x: [m.median(x), m.median(x, 0), m.median(x, -1, keepdims=True)],
        [(x,) for x in (NONE, np.zeros((0, 2)), np.zeros((2, 0)), NONE.astype("float32"), ONE)],
    ),
    "array_equal": (lambda m, x, y: m.array_equal(x, y), EQUAL),
    "array_equiv": (lambda m, x, y: m.array_equiv(x, y), EQUAL),
    "norm": (
        lambda m, x: (
            [m.linalg.norm(x, p, axis=0) for p in (0, 1, 2, np.inf)]
            + [m.linalg.vector_norm(x, ord=np.inf)]
        ),
        [(NONE,), (np.zeros((0, 2)),), (ONE,)],
    ),
    "norms of matrices": (
        lambda m, x: [m.linalg.norm(x, p) for p in (1, 2, np.inf, "fro", "nuc")],
        [(np.zeros(s),) for s in ((0, 3), (3, 0), (0, 0))],
    ),
    "gradient": (lambda m, x: m.gradient(x, 0.5), [(np.array([1, 2j, 3], "complex64"),)]),
    "gradient of a number": (lambda m, x: list(m.gradient(x)), [(np.array(3.0),)]),
    "take": (lambda m, x, i: m.take(x, i, axis=0), [(BYTES, np.array([True, False, True]))]),
    "clip": (
        lambda m, x: [m.clip(x, *ends) for ends in ((-1, 300), (0, 256), (-1, 100), (5, None))],
        [(BYTES,)],
    ),
    "beyond bytes": (
        lambda m, x: [x / 256, x / -1, 300 / x, x // 7, m.true_divide(x, 10**30)],
        [(BYTES,), (BYTES.astype("int64"),)],
    ),
}

OF_SCIPY: Final[dict[str, tuple[Any, Any, Any, list[tuple[Any, ...]]]]] = {
    "comb": (
        lambda m, n, k: m.comb(n, k, repetition=True), wt.special, scipy.special,
        [(np.array([-2.0, -1, 0, 1, 2.5])[:, None], np.array([-1.0, 0, 1, 2]))],
    ),
    "gausspulse": (
        lambda m, t: [m.gausspulse(t), m.sawtooth(t)], wt.signal, scipy.signal,
        [(np.array([0, 1, 3], "int8"),)],
    ),
    "mode": (
        lambda m, x: list(m.mode(x)), wt.stats, scipy.stats,
        [(COUNTS,), (COUNTS.astype("int8"),), (FEW,)],
    ),
    "describe": (
        lambda m, x: list(m.describe(x)), wt.stats, scipy.stats,
        [(COUNTS[:5],), (COUNTS[:5].astype("uint8"),), (FEW,)],
    ),
    "fftconvolve": (
        lambda m, x, y: [m.fftconvolve(x, y, k) for k in ("full", "valid")],
        wt.signal, scipy.signal,
        [(NONE, FEW), (FEW, NONE), (NONE, NONE), (FEW, FEW[:2]), (ONE, ONE)],
    ),
    "fftconvolve of images": (
        lambda m, x, y: [m.fftconvolve(x, y, k) for k in ("full", "same", "valid")],
        wt.signal, scipy.signal,
        [(WAVES, WAVES[:2, :3].copy()), (WAVES, WAVES[:1, :1]), (WAVES[:1, :1], WAVES[:1, :1])],
    ),
    "csd": (
        lambda m, x, y: [*m.csd(x, y, nperseg=8), m.coherence(y, x, nperseg=8)[1]],
        wt.signal, scipy.signal, [(WAVES[0], WAVES), (WAVES, WAVES[:1])],
    ),
    "csd of columns": (
        lambda m, x, y: m.csd(x, y, nperseg=8, axis=0)[1],
        wt.signal, scipy.signal, [(WAVES.T.copy(), WAVES.T[:, :1].copy())],
    ),
    "matmul_toeplitz": (
        lambda m, c, x: [m.matmul_toeplitz(c, x), m.matmul_toeplitz((x[0, :2, 0], c), x)],
        wt.linalg, scipy.linalg, [(FEW[:3], WAVES.reshape(2, 4, 12)[:, :3, :2].copy())],
    ),
    "median_abs_deviation": (
        lambda m, x: m.median_abs_deviation(x), wt.stats, scipy.stats, [(NONE,)],
    ),
    "boxcox_normmax": (
        lambda m, x: [m.boxcox_normmax(x), m.boxcox_normmax(x, method="all")],
        wt.stats, scipy.stats, [(FEW,)],
    ),
}  # fmt: skip


def assert_alike(call: Any, ours: Any, theirs: Any, examples: Any, mode: str, rtol: float) -> None:
    functions: Any = {}
    for arrays in examples:
        inputs = inputs_for(arrays)
        kinds = tuple(x.type for x in inputs)
        if kinds not in functions:
            functions[kinds] = wt.function(inputs, flat(call(ours, *inputs)), mode=mode)
        values = quietly(functions[kinds], *arrays)
        references = flat(quietly(call, theirs, *arrays))
        assert len(values) == len(references)
        for value, reference in zip(values, references, strict=True):
            assert value.shape == np.shape(reference)
            assert value.dtype == np.asarray(reference).dtype
            np.testing.assert_allclose(value, reference, rtol, 1e-7)


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
@pytest.mark.parametrize("name", CALLS)
def test_as_in_numpy(name: str, mode: str) -> None:
    call, examples = CALLS[name]
    assert_alike(call, wt, np, examples, mode, 1e-7)


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
@pytest.mark.parametrize("name", OF_SCIPY)
def test_as_in_scipy(name: str, mode: str) -> None:
    call, ours, theirs, examples = OF_SCIPY[name]
    assert_alike(call, ours, theirs, examples, mode, 1e-6)


def test_what_fits_no_byte_is_an_error_where_results_are_bytes() -> None:
    x = wt.vector("x", dtype="uint8")
    calls: Any = (lambda: x + 256, lambda: x // 256, lambda: wt.maximum(-1, x))
    for call in calls:
        with pytest.raises(OverflowError, match="out of bounds for uint8"):
            call()


def test_toeplitz_matrices_have_the_length_of_what_they_multiply() -> None:
    with pytest.raises(ValueError, match="must have length 3"):
        wt.linalg.matmul_toeplitz([3.0, 1.0, 2.0], np.ones((2, 3)))


def test_unknown_methods() -> None:
    with pytest.raises(ValueError, match="method is one of 'pearsonr', 'mle', 'all', not 'mean'"):
        wt.stats.boxcox_normmax([1.0, 2.0], method="mean")
