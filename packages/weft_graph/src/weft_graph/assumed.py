"""The Op that carries what the user knows of a value."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from weft_graph.graph import FunctionGraph
from weft_graph.nodes import Apply, Op, Type, Variable
from weft_graph.rewriting import with_outputs
from weft_graph.traversal import replace

__all__ = ["Assumed", "drop_assumptions"]


class Assumed(Op):
    """The identity, with facts that the user vouches for; made by `assume`.

    Rules may rely on them. When no rule is left to apply, compiling leaves the Op out.
    """

    answers: tuple[tuple[str, bool], ...]
    """The names of the facts, in order, and whether they hold."""
    view_of: ClassVar[tuple[int, ...]] = (0,)

    def infer(self, *types: Type) -> Type:
        """The same type."""
        return types[0]

    def impl(self, *values: Any) -> Any:
        """The same value."""
        return values[0]

    def pullback(
        self, inputs: Sequence[Any], outputs: Sequence[Any], cotangents: Sequence[Any]
    ) -> Sequence[Any]:
        """The same cotangent."""
        return cotangents

    def pushforward(
        self, inputs: Sequence[Any], outputs: Sequence[Any], tangents: Sequence[Any]
    ) -> Sequence[Any]:
        """The same tangent, of which nothing is assumed."""
        return tangents

    def infer_shape(self, fgraph: Any, node: Apply, input_shapes: Sequence[Any]) -> Sequence[Any]:
        """The same shape."""
        return input_shapes

    def __str__(self) -> str:
        return f"assume[{', '.join(n if holds else f'not {n}' for n, holds in self.answers)}]"


def drop_assumptions(graph: FunctionGraph) -> FunctionGraph:
    """A pass: what was assumed is left out, once rules have made use of it.

    >>> from weft_graph import Type, apply
    >>> x = Type()("x")
    >>> kept = FunctionGraph([x], [apply(Assumed((("even", True),)), (x,))])
    >>> drop_assumptions(kept).outputs == (x,)
    True
    """
    return with_outputs(graph, replace(graph.outputs, _plain, graph.inputs))


def _plain(v: Variable) -> Variable | None:
    return v.inputs[0] if type(v.op) is Assumed else None
