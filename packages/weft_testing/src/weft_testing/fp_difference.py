"""How two arrays that should be equal differ, in the words of `weft_graph.extend.FP_CHANGES`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np

__all__ = ["WRONG", "fp_differences"]

WRONG: Final = "wrong"
"""What no rule could declare: another value."""

_NEAR: Final = {"float32": 2e-5, "float64": 1e-11}
"""How far apart results may be, relative to their size, to differ by rounding."""
_ULPS: Final = 8
"""By how many units in the last place of an input a result may be wrong."""
_NOISE: Final = 1e-12
"""What the truth, computed with more digits, may be wrong by."""


def fp_differences(
    left: np.ndarray,
    right: np.ndarray,
    inputs: Sequence[np.ndarray],
    *,
    truth: np.ndarray | None = None,
    scale: float = 0.0,
) -> Iterator[tuple[str, np.ndarray]]:
    """The names of what differs between two arrays of one dtype, each with where it does.

    Parameters
    ----------
    left, right
        What both sides of a rule are.
    inputs
        What they were computed from. If these broadcast to the shape of the results, elements
        belong to elements.
    truth
        What `left` is when it is computed with more digits. Without it, digits that one side
        loses can't be told from wrong ones.
    scale
        The size of what was summed on the way: errors are seen in relation to it.

    Examples
    --------
    >>> names = [name for name, where in fp_differences(np.array([0.0]), np.array([-0.0]), [])]
    >>> names
    ['zero sign']
    """
    if left.dtype.kind == "c":
        for part in (np.real, np.imag):
            for name, where in _of_floats(
                part(left), part(right), np.abs(left), inputs, None, scale
            ):
                yield WRONG if name in (WRONG, "digits") else "complex", where
    elif left.dtype.kind == "f":
        yield from _of_floats(left, right, np.abs(left), inputs, truth, scale)
    elif not np.array_equal(left, right):
        yield WRONG, left != right


def _of_floats(
    left: np.ndarray,
    right: np.ndarray,
    size: np.ndarray,
    inputs: Sequence[np.ndarray],
    truth: np.ndarray | None,
    scale: float,
) -> Iterator[tuple[str, np.ndarray]]:
    with np.errstate(all="ignore"):
        for name, where in _masks(left, right, size, _Origin.of(inputs, left.shape), truth, scale):
            if where.any():
                yield name, where


class _Origin(NamedTuple):
    """What results depend on: a NaN, else an infinity; and the largest finite number."""

    nan: np.ndarray
    inf: np.ndarray
    largest: np.ndarray

    @classmethod
    def of(cls, inputs: Sequence[np.ndarray], shape: tuple[int, ...]) -> _Origin:
        floats = [v for v in inputs if v.dtype.kind in "fc"]
        try:
            fits = np.broadcast_shapes(*(v.shape for v in inputs)) == shape
        except ValueError:
            fits = False
        nan = _joined(np.logical_or, [np.isnan(v) for v in floats], shape, fits)
        inf = _joined(np.logical_or, [np.isinf(v) for v in floats], shape, fits)
        sizes = [np.where(np.isfinite(v), np.abs(v), 0.0) for v in floats]
        return cls(nan, inf & ~nan, _joined(np.maximum, sizes, shape, fits))


def _joined(
    join: np.ufunc, parts: Sequence[np.ndarray], shape: tuple[int, ...], fits: bool
) -> np.ndarray:
    """All `parts` in one array of this shape: by element if it fits, else from all elements."""
    total = np.zeros(shape, bool if join is np.logical_or else float)
    for part in parts:
        total = join(total, part if fits else join.reduce(part, axis=None, initial=0))
    return total


def _masks(
    left: np.ndarray,
    right: np.ndarray,
    size: np.ndarray,
    origin: _Origin,
    truth: np.ndarray | None,
    scale: float,
) -> Iterator[tuple[str, np.ndarray]]:
    nan, inf, largest = origin
    near, tiny = _NEAR[left.dtype.name], np.finfo(left.dtype).tiny
    differ = ~((left == right) | (np.isnan(left) & np.isnan(right)))
    zeros = (left == 0) & (right == 0)
    yield "zero sign", zeros & (np.signbit(left) != np.signbit(right))
    finite = np.isfinite(left) & np.isfinite(right)
    gap = np.abs(np.where(finite, left - right, 0.0))
    close = finite & (gap <= near * np.maximum(np.maximum(size, np.abs(right)), scale) + tiny)
    yield "rounding", differ & close
    rest = differ & ~close
    right_is_right = _is_truer(left, right, truth, near)
    noise = gap <= _ULPS * np.finfo(left.dtype).eps * largest
    yield "rounding", rest & finite & ~right_is_right & noise
    yield "digits", rest & finite & right_is_right
    yield WRONG, rest & finite & ~right_is_right & ~noise
    rest = rest & ~finite
    yield "nan", rest & nan
    yield "inf", rest & inf
    rest = rest & ~nan & ~inf
    undefined = np.isnan(right) & (np.False_ if truth is None else np.isnan(truth))
    yield "domain", rest & (undefined | (np.isnan(left) & right_is_right))
    yield "overflow", rest & np.isinf(left) & np.isfinite(right) & right_is_right
    yield "smaller domain", rest & ~np.isnan(left) & np.isnan(right) & ~undefined
    yield "smaller domain", rest & np.isfinite(left) & np.isinf(right)
    infinite = np.isinf(left) & np.isinf(right)
    yield WRONG, rest & (infinite | (np.isfinite(right) & ~right_is_right))


def _is_truer(
    left: np.ndarray, right: np.ndarray, truth: np.ndarray | None, near: float
) -> np.ndarray | np.bool:
    """Whether `right` is at least as close to the truth as `left`, as far as one can tell."""
    if truth is None:
        return np.True_
    right = right.astype(truth.dtype)
    far = np.abs(left - truth)
    far = np.where(np.isfinite(far), far, 0.0)
    slack = near * np.abs(truth) + _NOISE
    truer: np.ndarray = (
        ~np.isfinite(truth) | ~np.isfinite(right) | (np.abs(right - truth) <= far + slack)
    )
    return truer
