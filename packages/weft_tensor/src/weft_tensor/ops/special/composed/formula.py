"""Functions of SciPy's names that are expressions of others, each a row: name, summary, form."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import wraps
from inspect import Signature, signature
from typing import Any

from weft_graph.extend import called
from weft_tensor.build.convert import as_floating, as_tensors, beside_complex
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.types.dtypes import promote

__all__ = ["Formula", "documented", "floats", "formula", "of_reals", "ordered"]

Formula = Callable[..., TensorVariable]


def floats(xs: Sequence[TensorLike]) -> Sequence[TensorVariable]:
    """As tensors of real or complex numbers: integers in 64 bits."""
    return [as_floating(x) for x in as_tensors(xs)]


def ordered(xs: Sequence[TensorLike]) -> Sequence[TensorVariable]:
    """`floats` of real numbers and a place, the last: where that is complex, they stay real."""
    place = as_tensors(xs[-1:])[0]
    return [as_floating(x) for x in beside_complex(xs)] if place.is_complex else floats(xs)


def of_reals(form: Callable[..., Any]) -> Callable[..., Any]:
    """The form, which raises TypeError for complex numbers."""

    @wraps(form)
    def compute(*xs: TensorVariable) -> Any:
        if any(x.is_complex for x in xs):
            raise TypeError(f"{compute.__name__} takes real numbers, not {xs}{called()}")
        return form(*xs)

    return compute


def formula(
    name: str, summary: str, example: tuple[float, ...], form: Callable[..., Any]
) -> Formula:
    """The function for users of a form; the example is arguments and the result, last.

    >>> double = formula("double", "2 x.", (1.5, 3.0), lambda x: 2 * x)
    >>> double(1.5).eval().item()
    3.0
    """
    form.__name__ = form.__qualname__ = name

    def call(*xs: TensorLike) -> TensorVariable:
        tensors = floats(xs)
        result: TensorVariable = form(*tensors).astype(promote([x.dtype for x in tensors]))
        return result

    return documented(call, name, summary, example, signature(form))


def documented(
    call: Formula, name: str, summary: str, example: tuple[Any, ...], arguments: Signature
) -> Formula:
    """`call`, as if it were written out under its name in the module with its row."""
    *numbers, result = example
    call.__name__ = call.__qualname__ = name
    call.__module__ = sys._getframe(2).f_globals["__name__"]
    call.__doc__ = (
        f"{summary} See `scipy.special.{name}`.\n\n"
        "Elementwise, with broadcasting; integers become float64.\n\n"
        f">>> print({name}({', '.join(map(repr, numbers))}).eval().round(6))\n{result}\n"
    )
    call.__dict__["__signature__"] = arguments
    return call
