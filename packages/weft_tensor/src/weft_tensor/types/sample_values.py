"""Arrays to try expressions on, and whether two results are equal but for rounding."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from weft_tensor.types.symbolic_dims import Length

if TYPE_CHECKING:
    from random import Random

__all__ = ["close_arrays", "draw_array", "length_of"]

_ROUNDING: Final = {"float16": 2e-2, "float32": 1e-3, "complex64": 1e-3}
_FINE: Final = 1e-7
"""Far more than rounding, far less than what a wrong rule makes of drawn values."""

_UNKNOWN = 3


def close_arrays(before: np.ndarray, after: np.ndarray) -> bool:
    """Whether `after` is as `before`, but for rounding; anything may stand for inf and NaN.

    >>> close_arrays(np.array([1.0, np.inf]), np.array([1.0 + 1e-12, 700.0]))
    True
    """
    if before.dtype != after.dtype or before.shape != after.shape:
        return False
    if before.dtype.kind not in "fc":
        return bool(np.array_equal(before, after))
    finite = np.isfinite(before)
    old, new = before[finite], after[finite]
    with np.errstate(all="ignore"):
        scale = np.abs(old).max(initial=1.0)
        near = np.abs(new - old) <= _ROUNDING.get(str(before.dtype), _FINE) * scale
    return bool(near.all())


def length_of(length: Length, random: Random, lengths: dict[str, int]) -> int:
    """A number for the length of an axis; those of names are drawn once and kept in `lengths`.

    >>> from random import Random
    >>> from weft_tensor.types.symbolic_dims import as_length
    >>> known = {"n": 4}
    >>> length_of(as_length("2*n + 1"), Random(0), known), length_of(None, Random(0), known)
    (9, 3)
    """
    if length is None:
        return _UNKNOWN
    if isinstance(length, int):
        return length
    names = {name for monomial, _ in length.terms for name in monomial}
    for name in sorted(names - lengths.keys()):
        lengths[name] = random.randint(2, 4)
    return sum(factor * prod(lengths[name] for name in names) for names, factor in length.terms)


def draw_array(dtype: str, shape: Sequence[int], random: Random) -> np.ndarray:
    """Small numbers of both signs, or of one: that suits indices, and arguments of logarithms.

    >>> from random import Random
    >>> draw_array("int8", (2, 3), Random(1)).shape
    (2, 3)
    """
    rng = np.random.default_rng(random.getrandbits(60))
    kind = np.dtype(dtype).kind
    sample: Any
    of_one_sign = random.random() < 0.5
    if kind == "b":
        sample = rng.integers(0, 2, shape)
    elif kind in "iu":
        sample = rng.integers(0 if of_one_sign or kind == "u" else -2, 3, shape)
    else:
        sample = rng.uniform(0.05, 0.95, shape) if of_one_sign else rng.normal(size=shape)
        if kind == "c":
            sample = sample + 1j * rng.normal(size=shape)
    return np.asarray(sample).astype(dtype)
