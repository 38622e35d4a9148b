"""Jacobians and Hessians: derivatives in all directions at once, by batching, without loops."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce as fold
from math import prod
from operator import mul
from typing import Any, Literal

from weft_graph import Variable, grad, pullback, pushforward
from weft_graph.extend import rebuilt
from weft_tensor.batching.rules import batched, repeated
from weft_tensor.ops.creation.creation import eye
from weft_tensor.ops.shape.length import lengths_of, static_length
from weft_tensor.ops.shape.reshape import reshape
from weft_tensor.ops.shape.transpose import transpose
from weft_tensor.types.tensor_type import TensorType

__all__ = ["hessian", "hessian_vector_product", "jacobian", "jacobian_vector_product"]

Mode = Literal["auto", "forward", "reverse"]
Disconnected = Literal["raise", "ignore"]


def jacobian(
    y: Any, x: Any, mode: Mode = "auto", *, disconnected_inputs: Disconnected = "raise"
) -> Any:
    """The derivatives of all elements of `y` by all elements of `x`, of shape y.shape + x.shape.

    Parameters
    ----------
    y, x
        Variables of real floating dtypes; or nested structures of them.
    mode
        "forward" takes one derivative for each element of x, "reverse" one for each of y, all
        together by batching (see `vectorize_graph`). "auto" takes the fewer, and takes what is
        of unknown length for long, as data are; where both are, it takes forward.
    disconnected_inputs
        What to do if y does not depend on x: "raise", or give zeros ("ignore").

    Returns
    -------
    A variable; for structures the structure of y and, in the place of each variable in it, that
    of x.

    Raises
    ------
    TypeError
        for what is not of a real floating dtype.
    ValueError
        for another mode.
    DisconnectedInputError
        if y does not depend on x.

    Examples
    --------
    >>> from weft_tensor import vector
    >>> x = vector("x")
    >>> jacobian(x**2, x).eval({x: [1.0, 2.0]})
    array([[2., 0.],
           [0., 4.]])
    """
    if mode not in ("auto", "forward", "reverse"):
        raise ValueError(f"jacobian: mode is 'auto', 'forward' or 'reverse', not {mode!r}")
    if disconnected_inputs not in ("raise", "ignore"):
        raise ValueError(
            f"jacobian: disconnected_inputs is 'raise' or 'ignore', not {disconnected_inputs!r}"
        )

    def of_one(output: Any) -> Any:
        _check("jacobian", output)
        return rebuilt(x, lambda by: _jacobian(output, by, mode, disconnected_inputs))

    return rebuilt(y, of_one)


def _check(name: str, v: Any) -> None:
    if not isinstance(v, Variable) or not isinstance(v.type, TensorType):
        raise TypeError(f"{name} is of tensor variables, not {v!r}")
    if not v.type.dtype.startswith("float"):
        raise TypeError(f"{name} is of real floating tensors, but {v!r} is of {v.type.dtype}")


def _jacobian(y: Any, x: Any, mode: Mode, disconnected: Disconnected) -> Any:
    _check("jacobian", x)
    seed = x if _is_forward(y, x, mode) else y
    direction = seed.type()
    if seed is x:
        slope = pushforward([y], [x], [direction], disconnected_outputs=disconnected)
    else:
        slope = pullback([y], [x], [direction], disconnected_inputs=disconnected)
    lengths = lengths_of(seed)
    if not lengths:  # one direction, no batch
        (rows,) = batched(slope, {direction: seed.type.seed(seed)})
        return rows
    size: Any = fold(mul, lengths)
    directions = eye(size, dtype=seed.dtype)
    if len(lengths) > 1:
        directions = reshape(directions, (size, *lengths))
    (rows,) = batched(slope, {direction: directions})
    rows = repeated(rows, slope[0], size)
    if seed is x:
        rows = transpose(rows, [*range(1, rows.ndim), 0])
    return reshape(rows, (*lengths_of(y), *lengths_of(x)))


def _is_forward(y: Any, x: Any, mode: Mode) -> bool:
    if mode != "auto":
        return mode == "forward"
    by, of = (_known_size(v) for v in (x, y))
    return of is None or (by is not None and by < of)


def _known_size(v: Any) -> int | None:
    lengths: list[Any] = [static_length(n) for n in lengths_of(v)]
    return prod(lengths) if all(isinstance(n, int) for n in lengths) else None


def hessian(cost: Any, wrt: Any, *, disconnected_inputs: Disconnected = "raise") -> Any:
    """The second derivatives of a scalar `cost` by all pairs of elements of `wrt`.

    The Jacobian of the gradient, forward over reverse, by batching. Without second derivatives
    it is zero.

    Parameters
    ----------
    cost
        A scalar.
    wrt
        A variable, or a nested structure of variables.
    disconnected_inputs
        What to do if the cost does not depend on one of them at all: "raise", or give zeros
        ("ignore").

    Returns
    -------
    For a variable, one of shape wrt.shape + wrt.shape; for a structure, in the place of each
    variable the structure of the derivatives of its gradient.

    Examples
    --------
    >>> from weft_tensor import vector
    >>> x = vector("x")
    >>> hessian((x**3).sum(), x).eval({x: [1.0, 2.0]})
    array([[ 6.,  0.],
           [ 0., 12.]])
    """
    _check("hessian", cost)
    variables: list[Any] = []

    def place(v: Any) -> int:
        _check("hessian", v)
        variables.append(v)
        return len(variables) - 1

    places = rebuilt(wrt, place)
    slopes = grad(cost, variables, disconnected_inputs=disconnected_inputs)
    rows = [[_jacobian(g, v, "forward", "ignore") for v in variables] for g in slopes]
    return rebuilt(places, lambda i: rebuilt(places, rows[i].__getitem__))


def hessian_vector_product(cost: Any, wrt: Any, vector: Any) -> Any:
    """The Hessian of a scalar `cost` by `wrt`, times `vector`, without the Hessian itself.

    Parameters
    ----------
    cost
        A scalar.
    wrt, vector
        A variable, and one of its type; or a nested structure of each.

    Returns
    -------
    Variables of the types of `wrt`, in its structure.

    Examples
    --------
    >>> from weft_tensor import vector
    >>> x, v = vector("x"), vector("v")
    >>> hessian_vector_product((x**3).sum(), x, v).eval({x: [1.0, 2.0], v: [1.0, 1.0]})
    array([ 6., 12.])
    """
    variables, directions = _pairs("hessian_vector_product", wrt, vector)
    slopes = grad(cost, variables)
    products = iter(pushforward(slopes, variables, directions, disconnected_outputs="ignore"))
    return rebuilt(wrt, lambda v: next(products))


def jacobian_vector_product(y: Any, wrt: Any, vector: Any) -> Any:
    """The Jacobian of `y` by `wrt`, times `vector`: how y changes if wrt changes by it.

    `pushforward`, for structures: of outputs, and of variables and what they change by. The
    Jacobian itself is not made. For its transpose, see `pullback`.

    >>> from weft_tensor import vector
    >>> x, v = vector("x"), vector("v")
    >>> jacobian_vector_product(x**2, x, v).eval({x: [1.0, 2.0], v: [1.0, 1.0]})
    array([2., 4.])
    """
    variables, directions = _pairs("jacobian_vector_product", wrt, vector)
    outputs: list[Any] = []
    rebuilt(y, outputs.append)
    products = iter(pushforward(outputs, variables, directions))
    return rebuilt(y, lambda v: next(products))


def _pairs(name: str, wrt: Any, vector: Any) -> tuple[Sequence[Any], Sequence[Any]]:
    variables: list[Any] = []
    directions: list[Any] = []
    rebuilt(wrt, variables.append)
    rebuilt(vector, directions.append)
    if len(variables) != len(directions):
        raise ValueError(
            f"{name} needs a direction for each variable, not {len(directions)} for "
            f"{len(variables)}"
        )
    return variables, directions
