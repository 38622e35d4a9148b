"""What linkers know of a compiled function, and what they tell of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

from weft_graph.core.function_graph import FunctionGraph
from weft_graph.core.nodes import Variable
from weft_graph.ops.loop import nodes_inside

__all__ = ["CompiledFunction", "Parameter", "Timing"]


class Parameter(NamedTuple):
    """A parameter of a compiled function: its name, and the variables that it brings."""

    name: str
    structure: Any
    default: tuple[Any, ...] = ()
    """The default value, if there is one."""
    may_lose: bool = False
    """Whether values are converted also where something is lost."""


class CompiledFunction(Protocol):
    """A compiled function as linkers see it; `Function` is one."""

    __call__: Callable[..., Any]
    parameters: tuple[Parameter, ...]
    outputs: Any
    """The variables that a call returns, in their structure."""
    updated: tuple[Variable, ...]

    @property
    def graph(self) -> FunctionGraph:
        """The graph as it is computed, after rewriting."""

    @property
    def written(self) -> FunctionGraph:
        """The graph as its user wrote it."""

    @property
    def inputs(self) -> tuple[Variable, ...]:
        """The variables whose values a call gives, in order."""

    @property
    def results(self) -> tuple[Variable, ...]:
        """The variables whose values a call returns, in order."""


class Timing(NamedTuple):
    """The time that one step takes, in seconds per call."""

    nodes: tuple[Variable, ...]
    """What the step computes: one node, or all those that are computed together."""
    seconds: float

    @property
    def node(self) -> Variable:
        """The last node of the step."""
        return self.nodes[-1]

    @property
    def ops(self) -> str:
        """The Ops of the step.

        >>> from weft_graph import Type
        >>> x = Type()("x")
        >>> Timing((x.named("a"), x.named("b"), x.named("b")), 1e-6).ops
        "Named(name='a'), 2 Named(name='b')"
        """
        count = Counter(str(node.op) for node in self.nodes)
        return ", ".join(op if n == 1 else f"{n} {op}" for op, n in count.items())

    @property
    def places(self) -> tuple[str, ...]:
        """The lines of the user's program that made these nodes, and what loops run again."""
        nodes = [v for node in self.nodes for v in (node, *nodes_inside(node.op))]
        return tuple(dict.fromkeys(v.made_at for v in nodes if v.made_at))
