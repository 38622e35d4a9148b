"""Derivatives against finite differences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from weft_graph import Mode, Variable, function, grad
from weft_tensor import TensorType, as_tensor
from weft_tensor import sum as tensor_sum
from weft_testing.tolerances import GRADIENT

__all__ = ["check_grad"]

_STEP = {"float32": 1e-2, "float64": 1e-5, "complex64": 1e-2, "complex128": 1e-5}


def check_grad(
    function_of_tensors: Callable[..., Any],
    points: Sequence[Any],
    *,
    mode: Mode | str | None = None,
    rtol: float | None = None,
    seed: int = 0,
) -> None:
    """Compare the gradient of an expression with finite differences at `points`.

    Every output is multiplied by random weights and summed up; the derivative of that
    number by each element of each floating or complex input is compared with a central
    difference. Gradients of complex inputs point to the steepest ascent: the derivative by
    the real part, plus i times that by the imaginary part.

    Parameters
    ----------
    function_of_tensors
        Takes one tensor variable per point and returns one or several.
    points
        Arrays; those of integer or bool dtype are held fixed.
    mode
        The backend that computes; by default Python without rewriting.
    rtol
        Relative to the largest derivative; by default as the dtype allows (1e-5 for float64).

    Raises
    ------
    AssertionError
        if a derivative is wrong; it names the input and the element.

    Examples
    --------
    >>> from weft_tensor import log
    >>> check_grad(lambda x: log(x) * x, [[1.0, 2.0]])
    """
    values = [np.array(p) for p in points]
    inputs: list[Any] = [
        TensorType(v.dtype, [None] * v.ndim)(f"x{k}") for k, v in enumerate(values)
    ]
    wrt = [v for v in inputs if v.type.differentiable]
    if not wrt:
        raise ValueError("check_grad needs a floating or complex input")
    made = function_of_tensors(*inputs)
    outputs = [as_tensor(v) for v in (made if isinstance(made, (list, tuple)) else [made])]
    outputs = [v for v in outputs if v.type.differentiable]
    how = Mode("py", books=[]) if mode is None else mode
    probe = function(inputs, outputs, mode=how)
    rng = np.random.default_rng(seed)
    cost = _weighted(outputs, [np.shape(v) for v in probe(*values)], rng)
    gradients = grad(cost, wrt, disconnected_inputs="ignore")
    value, derivative = function(inputs, cost, mode=how), function(inputs, gradients, mode=how)
    found = derivative(*values)
    for v, g in zip(wrt, found, strict=True):
        position = inputs.index(v)
        involved = {v.type.dtype, *(o.type.dtype for o in outputs)}
        tolerance = max(GRADIENT[d] for d in involved) if rtol is None else rtol
        step = max(_STEP[d] for d in involved)
        assert g.dtype == values[position].dtype, f"the gradient by input {position} is {g.dtype}"
        assert g.shape == values[position].shape, (
            f"the gradient by input {position} has shape {g.shape}"
        )
        step = max(_STEP[d] for d in involved)
        expected = _differences(value, values, position, step)
        scale = max(1.0, float(np.abs(expected).max(initial=0.0)))
        np.testing.assert_allclose(
            g,
            expected,
            rtol=tolerance,
            atol=tolerance * scale,
            err_msg=f"derivative by input {position}, reverse mode (actual) and finite difference",
        )


def _weighted(outputs: Sequence[Any], shapes: Sequence[tuple[int, ...]], rng: Any) -> Variable:
    """The sum over all elements times random weights; real parts and imaginary parts alike."""
    total: Any = 0.0
    for v, shape in zip(outputs, shapes, strict=True):
        total = total + tensor_sum(v.real * rng.uniform(0.5, 1.5, shape).astype(v.real.dtype))
        if v.is_complex:
            total = total + tensor_sum(v.imag * rng.uniform(0.5, 1.5, shape).astype(v.imag.dtype))
    return as_tensor(total)


def _differences(
    value: Callable[..., Any], values: Sequence[Any], position: int, relative: float
) -> Any:
    """Central differences by every element of one input."""
    x = values[position]
    result = np.zeros_like(x)
    directions = (1, 1j) if np.iscomplexobj(x) else (1,)
    for place in np.ndindex(x.shape):
        for direction in directions:
            step = relative * max(1.0, float(abs(x[place])))
            ends = []
            for sign in (1, -1):
                moved = np.array(x)
                moved[place] += sign * step * direction
                ends.append(
                    (moved[place], value(*values[:position], moved, *values[position + 1 :]))
                )
            (high, above), (low, below) = ends
            width = abs(high - low)
            result[place] += direction * (above - below) / width
    return result
