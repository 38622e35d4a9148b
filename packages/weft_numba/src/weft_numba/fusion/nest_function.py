"""Functions that are one loop nest, made of expressions: Numba takes long to compile its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from weft_graph import FunctionGraph, Variable
from weft_numba.fusion.grouping import Fused, fuse
from weft_numba.numba_layer.kernel_intrinsic import callable_kernel

__all__ = ["nest_of"]


def nest_of(inputs: Sequence[Variable], output: Variable) -> Callable[..., Any]:
    """The function of `inputs` that computes `output`, for use in code that Numba compiles.

    >>> import numba
    >>> import numpy as np
    >>> import weft_tensor as wt
    >>> x = wt.vector("x")
    >>> largest = nest_of([x], wt.max(wt.abs(x)))
    >>> numba.njit(lambda x: largest(x))(np.array([2.0, -3.0]))
    3.0
    """
    (step,) = fuse(FunctionGraph(inputs, [output]))
    assert isinstance(step, Fused)
    function: Callable[..., Any] = callable_kernel(step.kernel)
    return function
