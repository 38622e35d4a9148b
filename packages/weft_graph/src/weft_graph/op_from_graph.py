"""A graph as an Op: written once, applied and differentiated like any other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Any, ClassVar

from weft_graph.gradient import DisconnectedInputError
from weft_graph.gradient import pullback as differentiated
from weft_graph.graph import FunctionGraph
from weft_graph.hooks import ShapeUnknownError
from weft_graph.nodes import (
    Apply,
    Constant,
    Item,
    Op,
    TupleType,
    Type,
    Variable,
    constant,
)
from weft_graph.order import toposort
from weft_graph.python_linker import PythonLinker
from weft_graph.traversal import replace

__all__ = ["OpFromGraph", "inline"]

Pullback = Callable[[Sequence[Any], Sequence[Any], Sequence[Any]], Sequence[Any]]


class OpFromGraph(Op):
    """The Op that computes `outputs` from `inputs`, by the graph between them.

    Compiling replaces its applications by its graph (see `inline`), so that every backend
    can run it. Until then it is one node: for printing, for rules and for derivatives.

    Parameters
    ----------
    inputs, outputs
        As for `FunctionGraph`. How inputs are called makes no difference: graphs of equal
        structure give the same Op.
    name
        What the Op is printed as.
    pullback
        A function `(inputs, outputs, cotangents) -> cotangents of the inputs`, in place of
        the derivative of the graph; None among its results means "not differentiable".
    inline
        False keeps the node as it is when a graph is compiled, for backends that know it;
        the Python linker does.

    Examples
    --------
    >>> from weft_graph import Type, function
    >>> class Twice(Op):
    ...     def infer(self, x):
    ...         return x
    ...     def impl(self, x):
    ...         return x + x
    >>> x, y = Type()("x"), Type()("y")
    >>> four_times = OpFromGraph([x], [Twice()(Twice()(x))], name="four_times")
    >>> four_times is OpFromGraph([y], [Twice()(Twice()(y))], name="four_times")
    True
    >>> function([x], four_times(x), mode="py")("ha")
    'hahahaha'
    """

    __props__ = ("graph", "name", "derivative", "inlined")
    _remembered: ClassVar[frozenset[str]] = Op._remembered | {"_run", "_slopes"}

    graph: FunctionGraph
    """The graph, over nominal inputs."""
    name: str | None
    derivative: Pullback | None
    inlined: bool

    def __init__(
        self,
        inputs: Iterable[Variable],
        outputs: Variable | Iterable[Variable],
        name: str | None = None,
        pullback: Pullback | None = None,
        inline: bool = True,
    ) -> None:
        flat = [outputs] if isinstance(outputs, Variable) else list(outputs)
        if not flat:
            raise TypeError("OpFromGraph needs at least one output")
        graph = FunctionGraph(inputs, flat).nominal
        self.__dict__.update(graph=graph, name=name, derivative=pullback, inlined=inline)

    @property
    def view_of(self) -> tuple[int, ...]:  # type: ignore[override]  # it depends on the graph
        """Any input may be among the results."""
        return tuple(range(len(self.graph.inputs)))

    def convert(self, inputs: tuple[Any, ...]) -> tuple[Variable, ...]:
        """What is no variable becomes a constant of the inner input's type."""
        expected = self.graph.inputs
        if len(inputs) != len(expected):
            raise TypeError(f"{self} takes {len(expected)} inputs, got {len(inputs)}")
        return tuple(
            value if isinstance(value, Variable) else constant(v.type, value)
            for v, value in zip(expected, inputs, strict=True)
        )

    def infer(self, *types: Type) -> Type | tuple[Type, ...]:
        """The types that the graph gives for inputs of `types`; TypeError if one doesn't fit."""
        expected = self.graph.inputs
        if len(types) != len(expected):
            raise TypeError(f"{self} takes {len(expected)} inputs, got {len(types)}")
        for position, (v, kind) in enumerate(zip(expected, types, strict=True)):
            if not v.type.accepts(kind):
                raise TypeError(f"{self}: input {position} must be {v.type}, not {kind}")
        if all(v.type is kind for v, kind in zip(expected, types, strict=True)):
            results = tuple(v.type for v in self.graph.outputs)
        else:
            results = tuple(v.type for v in self.body([kind() for kind in types]))
        return results if len(results) > 1 else results[0]

    def body(self, inputs: Sequence[Variable]) -> list[Variable]:
        """The graph's outputs for these variables as its inputs."""
        given = dict(zip(self.graph.inputs, inputs, strict=True))
        return replace(self.graph.outputs, given)

    @cached_property
    def _run(self) -> Callable[..., Any]:
        return PythonLinker().link(self.graph)[0]

    def impl(self, *values: Any) -> Any:
        """The results, by a Python function compiled from the graph on first use."""
        results = self._run(*values)
        return results if len(results) > 1 else results[0]

    def pullback(
        self, inputs: Sequence[Any], outputs: Sequence[Any], cotangents: Sequence[Any]
    ) -> Sequence[Any]:
        """As it was given; else an application of the graph's derivative, an Op as well."""
        if self.derivative is not None:
            return self.derivative(inputs, outputs, cotangents)
        present = tuple(i for i, g in enumerate(cotangents) if g is not None)
        reached, op = self._slope(present)
        if op is None:
            return [None] * len(inputs)
        slopes = op.make_node(*inputs, *[cotangents[i] for i in present]).outputs
        found = dict(zip(reached, slopes, strict=True))
        return [found.get(i) for i in range(len(inputs))]

    @cached_property
    def _slopes(self) -> dict[tuple[int, ...], tuple[list[int], OpFromGraph | None]]:
        return {}

    def _slope(self, present: tuple[int, ...]) -> tuple[list[int], OpFromGraph | None]:
        """The inputs that outputs `present` depend on, and the Op of their cotangents."""
        if present not in self._slopes:
            inputs = self.graph.inputs
            outputs = [self.graph.outputs[i] for i in present]
            incoming = [v.type() for v in outputs]
            slopes = _slopes(outputs, inputs, incoming)
            reached = [i for i, g in enumerate(slopes) if g is not None]
            found = [g for g in slopes if g is not None]
            name = f"{self.name}_pullback" if self.name else None
            op = (
                OpFromGraph([*inputs, *incoming], found, name=name, inline=self.inlined)
                if found
                else None
            )
            self._slopes[present] = reached, op
        return self._slopes[present]

    def infer_shape(self, fgraph: Any, node: Apply, input_shapes: Sequence[Any]) -> Sequence[Any]:
        """The shapes of the graph's results, as far as its Ops tell them."""
        outputs = self.body(node.inputs)
        shapes = _shapes(outputs, dict(zip(node.inputs, input_shapes, strict=True)))
        if any(shape is None for shape in shapes):
            raise ShapeUnknownError(f"the shapes of {self} do not follow from those of its inputs")
        return shapes

    def __str__(self) -> str:
        return self.name or type(self).__name__

    def __repr__(self) -> str:
        return f"OpFromGraph({self.name or self.graph!r})"


def _slopes(
    outputs: Sequence[Variable], inputs: Sequence[Variable], cotangents: Sequence[Variable]
) -> list[Variable | None]:
    """The cotangents of `inputs`, None where the outputs do not depend differentiably."""
    try:
        return list(differentiated(outputs, inputs, cotangents))
    except DisconnectedInputError:
        if len(inputs) == 1:
            return [None]
    return [_slopes(outputs, [v], cotangents)[0] for v in inputs]


def _shapes(outputs: Sequence[Variable], known: dict[Variable, Any]) -> list[Any]:
    """The shape of each output, None where it is unknown."""
    shapes: dict[Variable, Any] = dict(known)
    for v in toposort(outputs, known):
        if v not in shapes and type(v.op) is not Item:
            view = Apply.of(v)
            found = _told(view, [shapes.get(i) for i in v.inputs])
            shapes.update(zip(view.outputs, found, strict=True))
    return [shapes.get(v) for v in outputs]


def _told(view: Apply, input_shapes: list[Any]) -> Sequence[Any]:
    """What an Op says of its results' shapes; a constant's shape is its type's."""
    nothing = [None] * len(view.outputs)
    if isinstance(view.op, Constant):
        return [getattr(view.op.type, "shape", None)]
    try:
        return view.op.infer_shape(None, view, input_shapes)
    except ShapeUnknownError:
        return nothing
    except (TypeError, ValueError, IndexError):
        if None in input_shapes:  # it needs what is not known
            return nothing
        raise


def inline(graph: FunctionGraph) -> FunctionGraph:
    """`graph` with every application of an OpFromGraph replaced by what it stands for.

    A pass that comes first when a graph is compiled; `Mode.excluding("inline")` omits it.
    """
    while any(_stands_for_a_graph(v) for v in graph.nodes):
        bodies: dict[Variable, list[Variable]] = {}

        def opened(v: Variable, bodies: dict[Variable, list[Variable]] = bodies) -> Variable | None:
            source = v.inputs[0] if type(v.op) is Item else v
            if not _stands_for_a_graph(source) or type(v.type) is TupleType:
                return None
            assert isinstance(source.op, OpFromGraph)
            if source not in bodies:
                bodies[source] = source.op.body(source.inputs)
            return bodies[source][v.op.index if isinstance(v.op, Item) else 0]

        outputs = replace(graph.outputs, opened, graph.inputs)
        if tuple(outputs) == graph.outputs:  # all that is left are whole tuples of results
            break
        graph = FunctionGraph(graph.inputs, outputs)
    return graph


def _stands_for_a_graph(v: Variable) -> bool:
    return isinstance(v.op, OpFromGraph) and v.op.inlined
