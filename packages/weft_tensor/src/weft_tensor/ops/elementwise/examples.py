"""Inputs with which every scalar function is tested."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from weft_tensor.ops.elementwise.table import Interval, Scalar, loop_dtypes

__all__ = ["example_inputs"]

_SHAPES = (((), ()), ((3,), (3,)), ((2, 1), (3,)), ((2, 3), ()), ((0, 3), (1,)))
_SPECIAL = (np.nan, np.inf, -np.inf, 0.0, -0.0, 1e-300, 1e300, 0.5, -2.5)


def example_inputs(row: Scalar) -> Iterator[list[np.ndarray]]:
    """Of all dtypes that the row is defined for, shapes that broadcast, and special values.

    >>> from weft_tensor.extend import SCALARS
    >>> [x.shape for x in next(example_inputs(SCALARS["add"]))]
    [(), ()]
    """
    rng = np.random.default_rng(7)

    def draw(shapes: Sequence[tuple[int, ...]], dtypes: Sequence[str]) -> list[np.ndarray]:
        triples = zip(row.domain, shapes, dtypes, strict=True)
        return [_drawn(rng, interval, shape, dtype) for interval, shape, dtype in triples]

    floating = _accepts(row, ("float64",) * row.arity)
    few = row.arity > 3  # of which each number takes long
    for shapes in _SHAPES[:2] + _SHAPES[-1:] if few else _SHAPES:
        padded = (shapes * 2)[: row.arity]
        yield draw(padded, ["float64" if floating else "int64"] * row.arity)
    for dtype in ("bool", "int8", "int32", "int64", "uint8", "uint32", "float32", "complex128"):
        if _accepts(row, (dtype,) * row.arity):
            yield draw(((3,),) * row.arity, [dtype] * row.arity)
    if row.arity == 2 and _accepts(row, ("int32", "float32")):
        yield draw(((3,), (3,)), ("int32", "float32"))
    special = np.array(_SPECIAL)
    if floating and not few:  # else combinations are too many
        yield (
            [special] if row.arity == 1 else list(np.meshgrid(*[special] * row.arity, sparse=True))
        )
    if row.arity == 2 and _accepts(row, ("bool", "float64")):
        yield [np.array([[False], [True]]), special]
    if row.arity == 2 and row.summation is None and _accepts(row, ("uint64", "int64")):
        # of waves with such phases SciPy has no right digit
        yield [np.array([[0], [1], [2**64 - 1]], "uint64"), np.array([-(2**63), -1, 1, 2**63 - 1])]


def _accepts(row: Scalar, dtypes: tuple[str, ...]) -> bool:
    try:
        loop_dtypes(row.name, dtypes)
    except TypeError:
        return False
    return True


def _drawn(
    rng: np.random.Generator, interval: Interval, shape: tuple[int, ...], dtype: str
) -> np.ndarray:
    """Numbers from the interval, as far as the dtype has them; never 0 for integers."""
    low, high = interval
    if dtype == "bool":
        return rng.integers(0, 2, shape).astype(bool)
    if dtype[0] in "iu":
        smallest = 1 if low >= 0 or dtype[0] == "u" else -5
        values = rng.integers(smallest, 6, shape)
        return np.where(values == 0, 1, values).astype(dtype)
    sample: np.ndarray = rng.uniform(low, high, shape)
    if dtype.startswith("complex"):
        sample = sample + 1j * rng.uniform(0.1, 0.5, shape)
    return np.asarray(sample, dtype)
