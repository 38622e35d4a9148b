"""`checkpoint`: derivatives that compute intermediate results again instead of keeping them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from typing import Any

from weft_graph.core.constant import Constant
from weft_graph.core.nodes import Variable
from weft_graph.ops.barrier import Barrier
from weft_graph.ops.op_from_graph import OpFromGraph
from weft_graph.ops.tracing import closed_over, name_of_function, traced

__all__ = ["Checkpoint", "checkpoint"]


class Checkpoint(OpFromGraph):
    """An OpFromGraph whose derivative computes the graph again from its inputs.

    The backward pass sees the inputs through a `Barrier` behind the cotangents, so that the
    graph's intermediate results can be forgotten in between. Parameters are those of
    OpFromGraph.

    >>> from weft_graph import Type
    >>> x = Type()("x")
    >>> str(Checkpoint([x], [x], name="same")(x))
    'same'
    """

    def __init__(
        self,
        inputs: Iterable[Variable],
        outputs: Variable | Iterable[Variable],
        name: str | None = None,
        inline: bool = True,
    ) -> None:
        super().__init__(inputs, outputs, name=name, inline=inline)

    def pullback(
        self, inputs: Sequence[Variable], outputs: Sequence[Variable], cotangents: Sequence[Any]
    ) -> Sequence[Variable | None]:
        """That of the graph, at inputs that wait for the cotangents."""
        after = [g for g in cotangents if g is not None]
        again = [Barrier()(v, *after) if _is_computed_with(v) else v for v in inputs]
        return super().pullback(again, outputs, cotangents)


def _is_computed_with(v: Variable) -> bool:
    """Not so lengths and indices, which some backends must know beforehand, and constants."""
    return v.type.differentiable and not isinstance(v.op, Constant)


def checkpoint(function: Callable[..., Any]) -> Callable[..., Any]:
    """`function`, a function of variables, made to be differentiated with less memory.

    Its intermediate results are not kept for the backward pass but computed again there, from
    its arguments and from what else it uses, when their turn comes. This costs up to one
    more evaluation of `function`. Values and derivatives stay what they are.

    Parameters
    ----------
    function
        Takes variables (and anything else) and returns a variable, or a list or tuple of
        them. What it computes from variables other than its arguments alone is computed
        outside, once, and kept.

    Returns
    -------
    A function that takes the same arguments. Each call is one node until it is compiled.

    Examples
    --------
    >>> from weft_graph import Op, Type, function
    >>> class Twice(Op):
    ...     def infer(self, x):
    ...         return x
    ...     def impl(self, x):
    ...         return x + x
    >>> @checkpoint
    ... def layer(x):
    ...     return Twice()(Twice()(x))
    >>> x = Type()("x")
    >>> layer(x)
    <layer : Type>
    >>> function([x], layer(x), mode="py")("ha")
    'hahahaha'
    """

    @wraps(function)
    def checkpointed(*args: Any, **kwargs: Any) -> Any:
        call = traced(function, args, kwargs)
        others = closed_over(call.outputs, call.inputs)
        inputs = [*call.inputs, *others]
        op = Checkpoint(inputs, call.outputs, name=name_of_function(function))
        return call.pack(op.make_node(*call.given, *others).outputs)

    return checkpointed
