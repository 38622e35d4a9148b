"""Functions of vectors for rows, whose axes before the last broadcast."""

from __future__ import annotations

from functools import partial

from weft_tensor.batching.functions import vectorize
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.signal.convolution import convolve

__all__ = ["convolve1d"]


def convolve1d(in1: TensorLike, in2: TensorLike, mode: str = "full") -> TensorVariable:
    """The convolution along the last axes, of which those before broadcast: `signal.convolve`.

    >>> convolve1d([[1, 2, 3], [0, 0, 1]], [0, 1]).eval()
    array([[0, 1, 2, 3],
           [0, 0, 0, 1]])
    """
    result: TensorVariable = vectorize(partial(convolve, mode=mode), "(n),(m)->(k)")(in1, in2)
    return result
