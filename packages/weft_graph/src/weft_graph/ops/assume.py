"""The Op that carries what the user knows of a value."""

from __future__ import annotations

from weft_graph.core.function_graph import FunctionGraph
from weft_graph.core.nodes import Identity, Variable
from weft_graph.core.traversal import replace

__all__ = ["Assumed", "drop_assumptions"]


class Assumed(Identity):
    """The identity, with facts that the user vouches for; made by `assume`.

    Rules may rely on them. When no rule is left to apply, compiling leaves the Op out.
    """

    keeps_name = True
    answers: tuple[tuple[str, bool], ...]
    """The names of the facts, in order, and whether they hold."""

    def __str__(self) -> str:
        return f"assume[{', '.join(n if holds else f'not {n}' for n, holds in self.answers)}]"


def drop_assumptions(graph: FunctionGraph) -> FunctionGraph:
    """A pass: what was assumed is left out, once rules have made use of it.

    >>> from weft_graph import Type
    >>> from weft_graph.extend import apply
    >>> x = Type()("x")
    >>> kept = FunctionGraph([x], [apply(Assumed((("even", True),)), (x,))])
    >>> drop_assumptions(kept).outputs == (x,)
    True
    """
    return graph.with_outputs(replace(graph.outputs, _plain, graph.inputs))


def _plain(v: Variable) -> Variable | None:
    return v.inputs[0] if type(v.op) is Assumed else None
