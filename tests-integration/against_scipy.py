"""Functions of Weft beside SciPy's of the same name: values, backends, derivatives."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

import weft.tensor as wt
from weft_testing import check_grad

__all__ = [
    "Call",
    "Row",
    "assert_as_on_python",
    "assert_as_scipy",
    "assert_slopes",
    "compiled_mode",
    "of",
    "quietly",
]

Call = Callable[..., Any]


class Row(NamedTuple):
    """A call of a function of a library and of arrays, and arrays for it."""

    call: Call
    arrays: Sequence[Any]
    has_slopes: bool = True
    tolerance: float = 1e-9


def of(name: str, *args: Any, **kwargs: Any) -> Call:
    """A call of the function with this name, whose arrays come first."""
    return lambda m, *arrays: getattr(m, name)(*arrays, *args, **kwargs)


def flat(result: Any) -> list[Any]:
    """The arrays or variables of a result, as a list."""
    if isinstance(result, (tuple, list)):
        return [leaf for part in result for leaf in flat(part)]
    return [] if result is None else [result]


def inputs_for(arrays: Sequence[Any]) -> list[Any]:
    """Variables of unknown lengths for arrays."""
    return [wt.tensor(dtype=str(x.dtype), shape=(None,) * x.ndim) for x in arrays]


def quietly(call: Callable[..., Any], *args: Any) -> Any:
    """A call whose warnings, which NumPy and SciPy give of NaN and few numbers, are not shown."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return call(*args)


def assert_as_scipy(
    ours: Any, theirs: Any, call: Call, arrays: Sequence[Any], tolerance: float = 1e-9
) -> None:
    """On Python, values, shapes and, of floating results, dtypes are as SciPy has them."""
    inputs = inputs_for(arrays)
    results = flat(quietly(wt.function(inputs, call(ours, *inputs), mode="py"), *arrays))
    references = flat(quietly(call, theirs, *arrays))
    assert len(results) == len(references)
    is_single = any(x.dtype == "float32" for x in arrays)
    tolerance = 2e-4 if is_single else tolerance
    for value, reference in zip(results, references, strict=True):
        assert value.shape == np.shape(reference)
        is_wide = np.asarray(reference).dtype != "float32"
        assert not is_single or value.dtype != "float64" or is_wide
        np.testing.assert_allclose(value, reference, tolerance, tolerance)


def compiled_mode(row: int) -> str:
    """Numba and JAX by turns."""
    return "jax" if row % 2 else "numba"


def assert_as_on_python(ours: Any, row: Row, mode: str) -> None:
    """Values and gradients of a compiled function are those of Python."""
    arrays = row.arrays[0]
    inputs = inputs_for(arrays)
    results = flat(row.call(ours, *inputs))
    cost: Any = 0.0
    for result in results:
        cost = cost + result.astype("float64").sum()
    moving = [x for x in inputs if x.type.differentiable] if row.has_slopes else []
    slopes = wt.grad(cost, moving, disconnected_inputs="ignore") if moving else []
    values, references = (
        quietly(wt.function(inputs, [*results, *slopes], mode=m), *arrays) for m in (mode, "py")
    )
    for value, reference in zip(values, references, strict=True):
        np.testing.assert_allclose(value, reference, 1e-8, max(1e-8, row.tolerance))


def assert_slopes(ours: Any, row: Row) -> None:
    """Derivatives of the first arrays are those of differences."""

    def results(*inputs: Any) -> list[Any]:
        return [r for r in flat(row.call(ours, *inputs)) if r.type.differentiable]

    quietly(lambda: check_grad(results, row.arrays[0]))
