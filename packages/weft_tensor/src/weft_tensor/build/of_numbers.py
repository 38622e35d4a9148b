"""Functions of SciPy's that no variable goes into: they are called when the graph is built."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from weft_graph import Constant
from weft_graph.extend import called, toposort
from weft_tensor.build.convert import as_tensor, constant
from weft_tensor.build.lazy_import import lazy_import
from weft_tensor.build.variable import TensorLike, TensorVariable

__all__ = ["check_known", "known_value", "number_of", "of_numbers"]


def known_value(value: TensorVariable) -> Any:
    """What a variable is, if no input or state goes into it; None else.

    >>> known_value(constant(2.0) + 1.0)
    array(3.)
    """
    if any(not v.inputs and not isinstance(v.op, Constant) for v in toposort([value])):
        return None
    return value.op.value if isinstance(value.op, Constant) else value.eval()


def check_known(value: TensorLike, holds: Callable[[Any], Any], message: str) -> None:
    """ValueError if the value is known and `holds` is not true of it; variables are not asked."""
    known = known_value(as_tensor(value))
    if known is not None and not np.all(holds(known)):
        raise ValueError(f"{message}, not {value!r}{called()}")


def number_of(value: Any, name: str, instead: str) -> Any:
    """What is known when the graph is built; TypeError for what has variables.

    >>> number_of(constant(2.0), "f", "give it its value")
    array(2.)
    """
    if isinstance(value, (list, tuple)):
        return type(value)([number_of(v, name, instead) for v in value])
    if not isinstance(value, TensorVariable):
        return value
    known = known_value(value)
    if known is None:
        takes = f"{name} takes numbers, and no variables"
        raise TypeError(f"{takes}, not {value!r}: {instead}{called()}")
    return known


def _as_results(values: Any) -> Any:
    """Arrays as constants; numbers stay such, as designs take them."""
    if isinstance(values, tuple):
        return tuple(_as_results(v) for v in values)
    if isinstance(values, np.ndarray) and values.ndim:
        return constant(values)
    return values.item() if isinstance(values, (np.generic, np.ndarray)) else values


def of_numbers(
    home: str,
    module: str,
    name: str,
    what: str,
    example: str,
    shown: str,
    instead: str = "give it their values",
) -> Callable[..., Any]:
    """The function for users, which is at home in a module of ours, as that of SciPy's.

    `what` and an example are its docstring; `instead` says what to do with variables.

    >>> next_fast_len = of_numbers(
    ...     __name__, "scipy.fft", "next_fast_len", "More points", "next_fast_len(13)", "14"
    ... )
    >>> next_fast_len(13)
    14
    """

    def call(*args: Any, **kwargs: Any) -> Any:
        known = [number_of(v, name, instead) for v in args]
        named = {k: number_of(v, name, instead) for k, v in kwargs.items()}
        return _as_results(lazy_import(f"{module}.{name}")(*known, **named))

    call.__module__ = home
    call.__name__ = call.__qualname__ = name
    call.__doc__ = (
        f"{what}.\n\nIt takes what `{module}.{name}` does, as numbers: TypeError for "
        f"variables.\n\n>>> {example}\n{shown}\n"
    )
    return call
