"""Truth values in the bits of bytes, and taken out of them again."""

from __future__ import annotations

from operator import index as whole

from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.control.effects import check_and_raise
from weft_tensor.ops.creation.creation import zeros
from weft_tensor.ops.elementwise.arithmetic import maximum, mod
from weft_tensor.ops.elementwise.comparison import ge, neq, where
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.reduction.standard import sum
from weft_tensor.ops.shape.concatenate import concatenate
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.shape.reshape import expand_dims, reshape, with_axis
from weft_tensor.ops.shape.transpose import moveaxis

__all__ = ["packbits", "unpackbits"]


def packbits(a: TensorLike, axis: int | None = None, bitorder: str = "big") -> TensorVariable:
    """Whether elements are not zero, eight in each uint8. See `numpy.packbits`.

    What is missing behind the last is 0. Of the flattened `a` without `axis`. Raises TypeError for
    what are no integers or bools, ValueError for another `bitorder` than "big" (the first is the
    highest bit) and "little".

    >>> packbits([True, False, True]).eval()
    array([160], dtype=uint8)
    """
    x = as_tensor(a)
    if x.dtype[0] not in "biu":
        raise TypeError(f"packbits takes integers or bools, not {x!r}")
    weights = _weights(bitorder, "packbits")
    rows, along = _rows(x, axis)
    *others, n = lengths_of(rows)
    flags = concatenate([neq(rows, 0), zeros((*others, mod(-n, 8)), "bool")], -1)
    bits = reshape(flags, (*others, (n + 7) // 8, 8))
    return moveaxis(sum(where(bits, weights, zeros((), "uint8")), -1, "uint8"), -1, along)


def unpackbits(
    a: TensorLike, axis: int | None = None, count: int | None = None, bitorder: str = "big"
) -> TensorVariable:
    """The bits of each uint8, one after another, as uint8. See `numpy.unpackbits`.

    The first `count` of them, with 0 behind if there are fewer; a negative one leaves as many away.
    As `packbits` otherwise. ValueError, at the call where that is known only there, if fewer than
    none would be left.

    >>> unpackbits(as_tensor([160], "uint8"), count=3).eval()
    array([1, 0, 1], dtype=uint8)
    """
    x = as_tensor(a)
    if x.dtype != "uint8":
        raise TypeError(f"unpackbits takes uint8, not {x!r}")
    weights = _weights(bitorder, "unpackbits")
    rows, along = _rows(x, axis)
    *others, n = lengths_of(rows)
    bits = neq(expand_dims(rows, rows.ndim) & weights, 0).astype("uint8")
    result = reshape(bits, (*others, 8 * n))
    if count is not None:
        limit = whole(count)
        if limit < 0:
            message = f"unpackbits: count={limit} leaves away more than there is of {x!r}"
            result = check_and_raise(result, ge(8 * n, -limit), ValueError, message)
        else:
            more = zeros((*others, maximum(limit - 8 * n, 0)), "uint8")
            result = concatenate([result, more], -1)
        result = index(result, (..., slice(None, limit)))
    return moveaxis(result, -1, along)


def _weights(bitorder: str, name: str) -> TensorVariable:
    """The number that each bit alone stands for."""
    if bitorder not in ("big", "little"):
        raise ValueError(f"bitorder of {name} is 'big' or 'little', not {bitorder!r}")
    weights = [1 << k for k in range(8)]
    return as_tensor(weights[::-1] if bitorder == "big" else weights, "uint8")


def _rows(x: TensorVariable, axis: int | None) -> tuple[TensorVariable, int]:
    """`x` with the axis last, and where it was."""
    x, along = with_axis(x, axis)
    return moveaxis(x, along, -1), along
