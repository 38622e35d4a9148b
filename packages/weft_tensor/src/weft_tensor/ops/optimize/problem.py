"""What minima and roots have in common: where to begin, what functions return, linear systems."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from weft_graph import replace
from weft_graph.extend import called
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.lazy_import import lazy_import
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.creation.creation import eye
from weft_tensor.ops.elementwise.arithmetic import abs as absolute
from weft_tensor.ops.reduction.standard import max as largest
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.shape.reshape import reshape

__all__ = [
    "begun",
    "by_options",
    "evaluated",
    "first_of_pair",
    "flattened",
    "iterations",
    "resolution",
    "size_of",
    "solve_linear",
    "tuple_of",
]


def begun(x0: TensorLike, name: str) -> TensorVariable:
    """Where a search begins, as a tensor of real floating numbers; integers become float64.

    Raises TypeError for complex numbers.
    """
    x = as_tensor(x0)
    if x.dtype.startswith("complex"):
        raise TypeError(f"{name} must be real numbers, not {x!r}{called()}")
    return x if x.dtype.startswith("float") else x.astype("float64")


def tuple_of(args: Any) -> tuple[Any, ...]:
    """Further arguments; what is no tuple is the only one, as SciPy has it."""
    return args if isinstance(args, tuple) else (args,)


def by_options(
    name: str, options: Mapping[str, Any] | None, words: Mapping[str, str], given: dict[str, Any]
) -> dict[str, Any]:
    """What is given, and what SciPy's `options` say of it; `disp` makes no difference.

    Raises ValueError for other options.

    >>> by_options("root", {"xtol": 1e-3, "disp": True}, {"xtol": "tol"}, {"tol": None})
    {'tol': 0.001}
    """
    for word, value in (options or {}).items():
        if word not in words and word != "disp":
            raise ValueError(f"{name}: options are {', '.join(words)}, not {word!r}{called()}")
        if word != "disp":
            given[words[word]] = value
    return given


def iterations(maxiter: Any, default: Any) -> TensorVariable:
    """How many steps are made at most.

    Raises TypeError for what is not an integer scalar.
    """
    n = as_tensor(default if maxiter is None else maxiter)
    if n.ndim or n.dtype[0] not in "iu":
        raise TypeError(f"maxiter must be an integer, not {maxiter!r}{called()}")
    return n.astype("int64")


def first_of_pair(fun: Callable[..., Any], jac: Any) -> Callable[..., Any]:
    """`fun`, or with `jac=True`, as SciPy has it for one that returns a pair, what comes first."""
    return (lambda *inputs: fun(*inputs)[0]) if jac is True else fun


def flattened(
    fun: Callable[..., Any], x: TensorVariable, args: tuple[Any, ...]
) -> tuple[TensorVariable, Callable[[TensorVariable], TensorVariable]]:
    """A vector of the elements of `x`, and `fun` as a function of such a vector."""
    if x.ndim == 1:
        return x, lambda v: as_tensor(fun(v, *args))
    shape: Sequence[Any] = lengths_of(x)
    return reshape(x, (-1,)), lambda v: as_tensor(fun(reshape(v, shape), *args))


def evaluated(f: Callable[[Any], Sequence[Any]], x: TensorVariable) -> Any:
    """The several results of `f(x)`, where derivatives by its argument are by that alone.

    They would be zero by a constant, and by a variable that `f` uses besides of both uses.
    """
    inside = x.type()
    return replace(f(inside), {inside: x})


def resolution(x: TensorVariable) -> float:
    """The distance from 1 to the next number of that dtype.

    >>> resolution(as_tensor(1.0)) < 1e-15
    True
    """
    return float(np.finfo(x.dtype).eps)


def size_of(v: TensorVariable) -> TensorVariable:
    """The largest absolute value; 0 of nothing, NaN if any is NaN."""
    return largest(absolute(v), initial=0.0)


def solve_linear(g: Callable[[Any], Any], y: TensorVariable) -> TensorVariable:
    """The vector v with `g(v) = y`, for a linear function g."""
    directions = eye(lengths_of(y)[0]).astype(y.dtype)
    columns = lazy_import("weft_tensor.batching.functions.vmap")(g)(directions)
    return lazy_import("weft_tensor.ops.matrices.systems.solve")(columns.T, y)
