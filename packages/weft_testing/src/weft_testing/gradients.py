"""Derivatives against finite differences."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from weft_graph import Mode, Variable, function, grad, pushforward
from weft_tensor import TensorType, TensorVariable, as_tensor, constant
from weft_tensor import sum as tensor_sum
from weft_tensor.extend import TensorLike, Tensors
from weft_testing.tolerances import GRADIENT

__all__ = ["check_grad"]

_STEP = {"float32": 1e-2, "float64": 1e-5, "complex64": 1e-2, "complex128": 1e-5}
_MODES = {"float32": 1e-3, "float64": 1e-9, "complex64": 1e-3, "complex128": 1e-9}
"""How far the two modes may be apart, relatively."""


def check_grad(
    function_of_tensors: Callable[..., TensorLike | Sequence[TensorLike]],
    points: Sequence[TensorLike],
    *,
    mode: Mode | str | None = None,
    rtol: float | None = None,
    seed: int = 0,
) -> None:
    """Compare derivatives of an expression, in both modes, with finite differences at `points`.

    Every output is multiplied by random weights and summed up; the gradient (`grad`) of that
    number by each element of each floating or complex input is compared with a central
    difference. Then its derivative in a random direction of each input, and of all together,
    by `pushforward`, is compared with the gradient. Gradients of complex inputs point to the
    steepest ascent: the derivative by the real part, plus i times that by the imaginary part.

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
        if a derivative is wrong; it names the mode and the input, and shows the elements.

    Examples
    --------
    >>> from weft_tensor import log
    >>> check_grad(lambda x: log(x) * x, [[1.0, 2.0]])
    """
    constants: list[Any] = [constant(p) for p in points]  # which refuses what is no tensor
    values = [np.array(c.op.value) for c in constants]
    inputs: list[TensorVariable] = [
        TensorType(v.dtype, [None] * v.ndim)(f"x{k}") for k, v in enumerate(values)
    ]
    wrt = [v for v in inputs if v.type.differentiable]
    if not wrt:
        raise ValueError("check_grad needs a floating or complex input")
    result = function_of_tensors(*inputs)
    outputs = [as_tensor(v) for v in (result if isinstance(result, (list, tuple)) else [result])]
    outputs = [v for v in outputs if v.type.differentiable]
    how = Mode("py", books=[]) if mode is None else mode
    probe = function(inputs, outputs, mode=how)
    rng = np.random.default_rng(seed)
    weights = [
        _weights(v, computed, rng) for v, computed in zip(outputs, probe(*values), strict=True)
    ]
    cost = _weighted(outputs, weights)
    gradients = grad(cost, wrt, disconnected_inputs="ignore")
    output_dtypes = {o.type.dtype for o in outputs}
    slopes = function(inputs, gradients, mode=how)(*values)

    def value(*arrays: np.ndarray) -> Any:
        results = zip(probe(*arrays), weights, strict=True)
        with np.errstate(all="ignore"):
            return sum([np.sum(v * own).real for v, own in results], 0.0)

    for v, g in zip(wrt, slopes, strict=True):
        position = inputs.index(v)
        dtypes = {v.type.dtype, *output_dtypes}
        tolerance = max(GRADIENT[d] for d in dtypes) if rtol is None else rtol
        _assert_fits(g, values[position], position)
        places = _places_of(g.shape)
        where: Any = ... if len(places) == g.size else tuple(np.transpose(places))
        step = max(_STEP[d] for d in dtypes)
        reference = _differences(value, values, position, step, places)[where]
        scale = max(1.0, float(np.abs(reference).max(initial=0.0)))
        np.testing.assert_allclose(
            g[where],
            reference,
            rtol=tolerance,
            atol=tolerance * scale,
            err_msg=f"derivative by input {position}, reverse mode (actual) and finite difference",
        )
    tolerance = max(_MODES[d] for d in {*output_dtypes, *(v.type.dtype for v in wrt)})
    _compare_modes(inputs, cost, values, dict(zip(wrt, slopes, strict=True)), how, tolerance, rng)


def _assert_fits(g: np.ndarray, value: np.ndarray, position: int) -> None:
    assert g.dtype == value.dtype, f"the gradient by input {position} is {g.dtype}"
    assert g.shape == value.shape, f"the gradient by input {position} has shape {g.shape}"


def _compare_modes(
    inputs: Tensors,
    cost: Variable,
    values: Sequence[np.ndarray],
    gradients: Mapping[TensorVariable, np.ndarray],
    mode: Mode | str,
    tolerance: float,
    rng: np.random.Generator,
) -> None:
    """Compare `pushforward` of `cost` in random directions with those of `gradients`."""
    directions = {v: v.type("direction") for v in gradients}
    steps = [_random(values[inputs.index(v)], rng) for v in gradients]
    sets = _moving(gradients)
    changes = [
        pushforward(cost, moving, [directions[v] for v in moving], disconnected_outputs="ignore")
        for moving in sets
    ]
    compiled = function([*inputs, *directions.values()], changes, mode=mode)
    parts = {
        v: np.real(np.conj(g) * step) for (v, g), step in zip(gradients.items(), steps, strict=True)
    }
    for moving, actual in zip(sets, compiled(*values, *steps), strict=True):
        reference = sum(float(parts[v].sum()) for v in moving)
        scale = sum(float(np.abs(parts[v]).sum()) for v in moving)
        names = " and ".join(str(inputs.index(v)) for v in moving)
        np.testing.assert_allclose(
            actual,
            reference,
            rtol=tolerance,
            atol=tolerance * max(1.0, scale),
            err_msg=f"derivative by input {names}, forward mode (actual) and reverse mode",
        )


def _random(like: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Normal numbers of the dtype and shape of `like`."""
    sample = rng.normal(size=like.shape)
    if np.iscomplexobj(like):
        sample = sample + 1j * rng.normal(size=like.shape)
    return np.asarray(sample, like.dtype)


def _weights(v: TensorVariable, value: np.ndarray, rng: np.random.Generator) -> Any:
    """Of a result: random weights of its elements; those of imaginary parts count by -1j."""
    weights = rng.uniform(0.5, 1.5, np.shape(value))
    return weights - 1j * rng.uniform(0.5, 1.5, np.shape(value)) if v.is_complex else weights


def _weighted(outputs: Tensors, weights: Sequence[Any]) -> Variable:
    """The sum over all elements times their weights; real parts and imaginary parts alike."""
    total: Any = 0.0
    for v, own in zip(outputs, weights, strict=True):
        total = total + tensor_sum(v.real * own.real.astype(v.real.dtype))
        if v.is_complex:
            total = total + tensor_sum(v.imag * -own.imag.astype(v.real.dtype))
    return as_tensor(total)


def _places_of(shape: tuple[int, ...]) -> list[tuple[int, ...]]:
    """The elements of an input by which differences are."""
    return list(np.ndindex(shape))


def _moving(variables: Iterable[TensorVariable]) -> list[list[TensorVariable]]:
    """Which inputs move at once: each alone, and all of them."""
    every = [*variables]
    return [*[[v] for v in every], *([every] if len(every) > 1 else [])]


def _differences(
    value: Callable[..., np.ndarray],
    values: Sequence[np.ndarray],
    position: int,
    relative: float,
    places: Sequence[tuple[int, ...]],
) -> np.ndarray:
    """Central differences by those elements of one input; elsewhere 0."""
    x = values[position]
    result = np.zeros_like(x)
    directions = (1, 1j) if np.iscomplexobj(x) else (1,)
    for place in places:
        for direction in directions:
            step = relative * max(1.0, float(abs(x[place])))
            ends = []
            for sign in (1, -1):
                nearby = np.array(x)
                nearby[place] += sign * step * direction
                ends.append(
                    (nearby[place], value(*values[:position], nearby, *values[position + 1 :]))
                )
            (high, above), (low, below) = ends
            width = abs(high - low)
            result[place] += direction * (above - below) / width
    return result
