"""Values to evaluate expressions on: ordinary ones, those at which they go wrong, layouts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from weft_tensor import TensorType

__all__ = ["KINDS", "Arrays", "array_of", "fortran", "grid", "pool", "read_only", "strided"]

Arrays = Sequence[np.ndarray]
"""Values of several inputs."""

NAN, INF = float("nan"), float("inf")
KINDS: Final = ("ordinary", "zero", "extreme", "inf", "nan")
"""The kinds of values that are drawn for floating inputs."""

_FLOATS: Final[Mapping[str, Sequence[float]]] = {
    "ordinary": (
        *(1.0, -1.0, 2.5, -0.75, 0.3, 0.5, 3.0, -3.0, 13.0, -17.0),
        *(1e-9, -1e-9, 1e-6, -1e-6, 3e-5, -2e-3),
    ),
    "zero": (0.0, -0.0, 1.0, -1.0),
    "inf": (INF, -INF, 0.0, 1.5),
    "nan": (NAN, INF, 0.0, -1.5),
}
_EXTREME: Final[Mapping[str, Sequence[float]]] = {
    "float32": (88.9, -104.0, 1e30, -1e30, 3e38, 2e-38, -1e-42, 2.5, -0.75),
    "float64": (36.0, -38.0, 709.9, -746.0, 1e200, -1e200, 1.7e308, 3e-308, -1e-320, 2.5),
}
_OTHERS: Final[Mapping[str, Sequence[Any]]] = {
    "i": (0, 1, -1, 5, -7),
    "u": (0, 1, 2, 5),
    "b": (False, True),
    "c": (0, 1, -2.5, 1.5 - 2j, -3j, -0.25 + 0.5j, complex(INF, 1.0), complex(NAN, 0.0)),
}


def pool(dtype: str, kind: str = "ordinary") -> np.ndarray:
    """An array of the values of one kind.

    >>> pool("float32", "zero").tolist()
    [0.0, -0.0, 1.0, -1.0]
    """
    letter = np.dtype(dtype).kind
    if letter == "f":
        return np.array(_EXTREME[dtype] if kind == "extreme" else _FLOATS[kind], dtype)
    limits = []
    if letter in "iu" and kind == "extreme":
        limits = [np.iinfo(dtype).max, np.iinfo(dtype).max // 2 + 1, np.iinfo(dtype).min]
    return np.array([*_OTHERS[letter], *limits], dtype)


def grid(dtype: str, number: int, values: Sequence[float] = ()) -> list[np.ndarray]:
    """`number` arrays that broadcast to all combinations of the values of `dtype`, or of those.

    >>> [a.shape for a in grid("bool", 2)]
    [(2, 1), (2,)]
    """
    kinds: Sequence[str] = KINDS if np.dtype(dtype).kind == "f" else ("extreme",)
    if number > 2:
        kinds = kinds[1:] or kinds
    with np.errstate(invalid="ignore"):  # as integers, some are others
        own = [np.array(values).astype(dtype)]
    pools = own if values else [pool(dtype, kind) for kind in kinds]
    pooled = np.concatenate(pools)
    return [pooled.reshape(-1, *[1] * (number - 1 - i)) for i in range(number)]


def array_of(kind: TensorType, length: int, of: str, rng: np.random.Generator) -> np.ndarray:
    """An array of values of the kind `of`; its lengths that are not known are `length`.

    >>> array_of(TensorType("bool", ("2*n", None, 4)), 3, "zero", np.random.default_rng(0)).shape
    (6, 3, 4)
    """
    values = pool(kind.dtype, of)
    sample = np.asarray(rng.choice(values, _shape(kind, length)), kind.dtype)
    if of in ("extreme", "inf", "nan") and sample.size:
        sample[(0,) * sample.ndim] = values[0]
    return sample


def _shape(kind: TensorType, length: int) -> tuple[int, ...]:
    lengths = []
    for n in kind.shape:
        if isinstance(n, int):
            lengths.append(n)
        elif n is None:
            lengths.append(length)
        else:
            lengths.append(sum(factor * length ** len(names) for names, factor in n.terms))
    return tuple(lengths)


def fortran(x: np.ndarray) -> np.ndarray:
    """A copy of `x` by columns.

    >>> fortran(np.zeros((2, 3))).strides
    (8, 16)
    """
    return np.array(x, order="F")


def strided(x: np.ndarray) -> np.ndarray:
    """A copy of `x` with gaps between its elements.

    >>> strided(np.zeros(3)).strides
    (16,)
    """
    if not x.ndim:
        return np.array(x)
    wide = np.zeros([2 * n for n in x.shape], x.dtype)
    view = wide[tuple([slice(None, None, 2)] * x.ndim)]
    view[...] = x
    return view


def read_only(x: np.ndarray) -> np.ndarray:
    """A copy of `x` that can't be written to.

    >>> read_only(np.zeros(3)).flags.writeable
    False
    """
    copy = np.array(x)
    copy.flags.writeable = False
    return copy
