"""Numbers of Python's in a dtype: whether they fit into it, and what to say if they do not."""

from __future__ import annotations

from reprlib import repr as brief
from typing import Final

import numpy as np

from weft_tensor.types.dtypes import DTYPES

__all__ = ["advice", "as_numbers"]

_TAKES: Final = {
    "b": "True or False",
    "i": "integers",
    "u": "integers",
    "f": "real numbers",
    "c": "numbers",
}
"""What a dtype of this kind takes."""


def as_numbers(array: np.ndarray, dtype: str) -> np.ndarray:
    """Numbers of Python's, of which NumPy has made `array`, in `dtype`.

    The array itself, where numbers of its kind need not fit. Raises TypeError for a number that
    does not, as integers that change and others that become infinite.

    >>> as_numbers(np.array([1, 2]), "uint8")
    array([1, 2], dtype=uint8)
    >>> as_numbers(np.array([200, 300]), "uint8")
    Traceback (most recent call last):
    TypeError: 300 does not fit into it, which takes integers from 0 to 255
    """
    kind = np.dtype(dtype).kind
    if not array.size:  # an empty list is of no dtype
        return array.astype(dtype)
    if array.dtype.kind == "O":
        wide = [n for n in array.flat if type(n) is int and not -(2**63) <= n < 2**64]
        if wide:
            raise _misfit(wide[0], dtype)
    if not np.can_cast(array.dtype, dtype, "same_kind") and (array.dtype.kind, kind) != ("i", "u"):
        return array
    with np.errstate(over="ignore"):
        narrowed = array.astype(dtype)
    if array.dtype.kind in "iu":
        lost = (narrowed != array) | ((narrowed < 0) != (array < 0))
    else:
        lost = np.isfinite(narrowed) != np.isfinite(array)
    if lost.any():
        raise _misfit(array[lost][0].item(), dtype)
    return narrowed


def _misfit(number: object, dtype: str) -> TypeError:
    takes = ""
    if np.dtype(dtype).kind in "iu":
        info = np.iinfo(dtype)
        takes = f", which takes integers from {info.min} to {info.max}"
    return TypeError(f"{brief(number)} does not fit into it{takes}")


def advice(value: object, source: np.dtype | str, dtype: str) -> str:
    """What to do with `value`, of the dtype `source` as an array, for an input of `dtype`.

    >>> advice([1.5], "float64", "int64")
    'give it integers, or give the input the dtype float64'
    """
    if hasattr(value, "toarray"):
        return (
            "a sparse matrix is given by .toarray(), as sparse.coo_array(S), or to an input that "
            "sparse.matrix makes"
        )
    takes = f"give it {_TAKES[np.dtype(dtype).kind]}"
    explicit = f"convert it explicitly, with .astype({dtype!r})"
    array_like = hasattr(value, "astype")
    if str(source) in DTYPES:
        return f"{explicit if array_like else takes}, or give the input the dtype {source}"
    if not array_like:
        listed = isinstance(value, (list, tuple))
        return takes if listed else f"{takes}, not a {type(value).__name__}"
    return f"{takes}; if it holds such, {explicit}" if np.dtype(source).kind in "Of" else takes
