"""`checkpoint`: derivatives that compute intermediate results again instead of keeping them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from typing import Any, ClassVar

from weft_graph.nodes import Apply, Op, Type, Variable
from weft_graph.op_from_graph import OpFromGraph
from weft_graph.traced import closed_over, name_of_function, traced

__all__ = ["Barrier", "Checkpoint", "checkpoint"]


class Barrier(Op):
    """The first input as it is, but not before the others are known.

    What is computed from it is therefore not what is computed from the first input itself:
    it is neither merged with that nor computed in advance. Backends must keep this order.

    >>> from weft_graph import Type
    >>> x, after = Type()("x"), Type()("after")
    >>> Barrier()(x, after) is x
    False
    """

    view_of: ClassVar[tuple[int, ...]] = (0,)
    linear: ClassVar[slice | None] = slice(1)

    def infer(self, *types: Type) -> Type:
        """The type of the first input."""
        return types[0]

    def impl(self, *values: Any) -> Any:
        """The first value."""
        return values[0]

    def pullback(
        self, inputs: Sequence[Any], outputs: Sequence[Any], cotangents: Sequence[Any]
    ) -> Sequence[Any]:
        """The cotangent goes to the first input."""
        return [cotangents[0], *([None] * (len(inputs) - 1))]

    def infer_shape(self, fgraph: Any, node: Apply, input_shapes: Sequence[Any]) -> Sequence[Any]:
        """The shape of the first input."""
        return input_shapes[:1]


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
        self, inputs: Sequence[Any], outputs: Sequence[Any], cotangents: Sequence[Any]
    ) -> Sequence[Any]:
        """That of the graph, at inputs that wait for the cotangents."""
        after = [g for g in cotangents if g is not None]
        again = [Barrier()(v, *after) if v.type.differentiable else v for v in inputs]
        return super().pullback(again, outputs, cotangents)


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
    >>> from weft_graph import Type, function
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
