"""Printing tensors and checking conditions on them while a compiled function runs."""

from __future__ import annotations

from collections.abc import Iterable

from weft_graph import Assert, CheckAndRaise, Print
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import TensorLike, TensorVariable

__all__ = ["assert_op", "check_and_raise", "print_value"]


def print_value(x: TensorLike, message: str = "", attrs: Iterable[str] = ()) -> TensorVariable:
    """`x`, printed with `message` whenever it is computed, on every backend.

    Derivatives, shapes and rewriting take it for `x`. It prints only where the result is
    used: go on with what is returned.

    Parameters
    ----------
    x
        A tensor.
    message
        What to print before the value.
    attrs
        Names of attributes or methods of an array, such as "shape" or "min", to print in
        place of the value.

    Examples
    --------
    >>> from weft_graph import function
    >>> from weft_tensor import vector
    >>> x = vector("x")
    >>> f = function([x], print_value(x * 2, "twice", attrs=["shape", "max"]).sum(), mode="py")
    >>> f([1.0, 2.0])
    twice shape = (2,)
    twice max = 4.0
    array(6.)
    """
    return Print(message, attrs)(as_tensor(x))


def check_and_raise(
    x: TensorLike,
    condition: TensorLike,
    exc_type: type[Exception] = ValueError,
    message: str = "a condition on a tensor does not hold",
) -> TensorVariable:
    """`x`, if all elements of `condition` are true; else `exc_type(message)` is raised.

    Parameters
    ----------
    x
        A tensor: what follows must be computed from the result for the check to take place.
    condition
        A tensor, of any shape.
    exc_type
        A class of exceptions; callers of the compiled function can catch it.
    message
        What the exception says.

    Examples
    --------
    >>> from weft_graph import function
    >>> from weft_tensor import log, vector
    >>> x = vector("x")
    >>> positive = check_and_raise(x, x > 0, ValueError, "x must be positive")
    >>> f = function([x], log(positive), mode="py")
    >>> f([1.0])
    array([0.])
    >>> f([1.0, -1.0])
    Traceback (most recent call last):
    ...
    ValueError: x must be positive
    ...
    """
    return CheckAndRaise(exc_type, message)(as_tensor(x), as_tensor(condition))


def assert_op(x: TensorLike, *conditions: TensorLike, message: str = "") -> TensorVariable:
    """`x`, if all elements of all `conditions` are true; else an AssertionError.

    >>> from weft_graph import function
    >>> from weft_tensor import vector
    >>> x = vector("x")
    >>> f = function([x], assert_op(x, x.shape[0] > 1, message="x is too short"), mode="py")
    >>> f([1.0])
    Traceback (most recent call last):
    ...
    AssertionError: x is too short
    ...
    """
    op = Assert(message) if message else Assert()
    return op(as_tensor(x), *map(as_tensor, conditions))
