"""`custom_pullback`: a user's function with derivatives of the user's own."""

from __future__ import annotations

from collections.abc import Callable
from functools import update_wrapper
from typing import Any, overload

from weft_graph.ops.op_from_graph import Derivative, OpFromGraph
from weft_graph.ops.tracing import closed_over, name_of_function, traced

__all__ = ["CustomPullback", "custom_pullback"]


class CustomPullback:
    """A function of variables whose derivatives are given apart; see `custom_pullback`."""

    def __init__(
        self,
        function: Callable[..., Any],
        pullback: Derivative | None = None,
        pushforward: Derivative | None = None,
    ) -> None:
        update_wrapper(self, function)
        self.function = function
        self.pullback = pullback
        self.pushforward = pushforward

    def define(self, pullback: Derivative) -> Derivative:
        """Give the pullback; returns it, so that this serves as a decorator."""
        self.pullback = pullback
        return pullback

    def define_pushforward(self, pushforward: Derivative) -> Derivative:
        """Give the pushforward; returns it, so that this serves as a decorator."""
        self.pushforward = pushforward
        return pushforward

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The function's results, as those of one node with these derivatives."""
        name = name_of_function(self.function)
        if self.pullback is None and self.pushforward is None:
            raise TypeError(
                f"{name} has no derivative yet: give it one with `{name}.define(pullback)`"
            )
        call = traced(self.function, args, kwargs)
        others = closed_over(call.outputs, call.inputs)
        if others:
            raise ValueError(
                f"{name} uses {', '.join(map(repr, others))}, which the derivative that was given "
                f"would miss: make it an argument of {name}"
            )
        op = OpFromGraph(
            call.inputs,
            call.outputs,
            name=name,
            pullback=self.pullback,
            pushforward=self.pushforward,
        )
        return call.pack(op.make_node(*call.given).outputs)

    def __repr__(self) -> str:
        return f"custom_pullback({self.function!r})"


@overload
def custom_pullback(
    function: Callable[..., Any],
    *,
    pullback: Derivative | None = None,
    pushforward: Derivative | None = None,
) -> CustomPullback: ...
@overload
def custom_pullback(
    function: None = None,
    *,
    pullback: Derivative | None = None,
    pushforward: Derivative | None = None,
) -> Callable[[Callable[..., Any]], CustomPullback]: ...
def custom_pullback(
    function: Callable[..., Any] | None = None,
    *,
    pullback: Derivative | None = None,
    pushforward: Derivative | None = None,
) -> Any:
    """A decorator for a function of variables that is differentiated as the user says.

    Each call is one node, which keeps its derivatives in graphs, in both modes and on every
    backend. Without a pushforward, the forward mode transposes the pullback.

    Parameters
    ----------
    function
        Takes variables (and anything else) and returns a variable, or a list or tuple of
        them. It must use no other variables than its arguments.
    pullback
        A function `(inputs, outputs, cotangents) -> cotangents of the inputs`: three lists
        with one entry for each variable among the arguments and the results. None in the
        result stands for zero. It can be given later, with `define`.
    pushforward
        A function `(inputs, outputs, tangents) -> tangents of the outputs`, likewise; None
        stands for zero in both. It can be given later, with `define_pushforward`.

    Examples
    --------
    >>> from weft_graph import Op, Type, pullback
    >>> class Rounded(Op):
    ...     def infer(self, x):
    ...         return x
    >>> class Number(Type):
    ...     differentiable = True
    >>> @custom_pullback
    ... def rounded(x):
    ...     return Rounded()(x)
    >>> @rounded.define
    ... def straight_through(inputs, outputs, cotangents):
    ...     return cotangents
    >>> x, g = Number()("x"), Number()("g")
    >>> pullback(rounded(x), x, g) == [g]
    True
    """
    if function is None:
        return lambda decorated: CustomPullback(decorated, pullback, pushforward)
    return CustomPullback(function, pullback, pushforward)
