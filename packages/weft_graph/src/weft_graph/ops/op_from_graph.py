"""A graph as an Op: written once, applied and differentiated like any other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Any, ClassVar, Literal

from weft_graph.autodiff.connections import pattern_of_graph, steps_of_graph
from weft_graph.autodiff.gradient import meant
from weft_graph.autodiff.pushforward import sweep_forward
from weft_graph.autodiff.reverse_sweep import UndefinedType, gathered, sweep
from weft_graph.core.argument_checks import as_name
from weft_graph.core.constant import Constant, constant
from weft_graph.core.function_graph import FunctionGraph
from weft_graph.core.nodes import Apply, Item, Op, TupleType, Type, Variable
from weft_graph.core.protocols import ShapeUnknownError, UndefinedGradientError
from weft_graph.core.toposort import toposort
from weft_graph.core.traversal import replace

__all__ = ["Derivative", "OpFromGraph", "inline", "shapes_within"]

Derivative = Callable[[Sequence[Any], Sequence[Any], Sequence[Any]], Sequence[Any]]
"""A function `(inputs, outputs, cotangents or tangents) -> tangents or cotangents`."""

_Derivative = tuple["OpFromGraph | None", Sequence["int | Variable | None"]]


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
        the derivative of the graph; None among its results stands for zero.
    pushforward
        A function `(inputs, outputs, tangents) -> tangents of the outputs`, likewise. Without
        one, the forward mode transposes the pullback, if that is given.
    inline
        False keeps the node as it is when a graph is compiled: it becomes a function of its
        own, which is compiled as it is, without rewriting.

    Raises
    ------
    TypeError
        without any output.

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

    none_for_zero: ClassVar[bool] = True
    __props__ = ("graph", "name", "backward", "forward", "inlined")
    _uncounted: ClassVar[frozenset[str]] = frozenset({"backward", "forward"})
    _remembered: ClassVar[frozenset[str]] = Op._remembered | {"_derivatives", "_pattern", "apart"}

    graph: FunctionGraph
    """The graph, over nominal inputs."""
    name: str | None
    backward: Derivative | None
    forward: Derivative | None
    inlined: bool

    def __init__(
        self,
        inputs: Iterable[Variable],
        outputs: Variable | Iterable[Variable],
        name: str | None = None,
        pullback: Derivative | None = None,
        pushforward: Derivative | None = None,
        inline: bool = True,
    ) -> None:
        flat = [outputs] if isinstance(outputs, Variable) else list(outputs)
        if not flat:
            raise TypeError("OpFromGraph needs at least one output")
        graph = FunctionGraph(inputs, flat).nominal
        rules = {"backward": pullback, "forward": pushforward}
        name = name if name is None else as_name(name, "an OpFromGraph")
        self.__dict__.update(graph=graph, name=name, inlined=inline, **rules)

    @property
    def view_of(self) -> tuple[int, ...]:  # type: ignore[override]  # it depends on the graph
        """Any input may be among the results."""
        return tuple(range(len(self.graph.inputs)))

    def convert(self, inputs: tuple[Any, ...]) -> tuple[Variable, ...]:
        """What is no variable becomes a constant of the inner input's type."""
        parameters = self.graph.inputs
        if len(inputs) != len(parameters):
            raise TypeError(f"{self} takes {len(parameters)} inputs, got {len(inputs)}")
        return tuple(
            value if isinstance(value, Variable) else constant(v.type, value)
            for v, value in zip(parameters, inputs, strict=True)
        )

    def infer(self, *types: Type) -> Type | tuple[Type, ...]:
        """The types that the graph gives for inputs of `types`; TypeError if one doesn't fit."""
        parameters = self.graph.inputs
        if len(types) != len(parameters):
            raise TypeError(f"{self} takes {len(parameters)} inputs, got {len(types)}")
        for position, (v, kind) in enumerate(zip(parameters, types, strict=True)):
            if not v.type.accepts(kind):
                raise TypeError(f"{self}: input {position} must be {v.type}, not {kind}")
        if all(v.type is kind for v, kind in zip(parameters, types, strict=True)):
            results = tuple(v.type for v in self.graph.outputs)
        else:
            results = tuple(v.type for v in self.body([kind() for kind in types]))
        return results if len(results) > 1 else results[0]

    def body(self, inputs: Sequence[Variable]) -> list[Variable]:
        """The graph's outputs for these variables as its inputs."""
        arguments = dict(zip(self.graph.inputs, inputs, strict=True))
        return replace(self.graph.outputs, arguments)

    @cached_property
    def apart(self) -> tuple[Sequence[Variable], Sequence[Variable]]:
        """Inputs that are nobody else's and the outputs for them: to ask what follows for these."""
        fresh = [v.type() for v in self.graph.inputs]
        return fresh, self.body(fresh)

    def pullback(
        self, inputs: Sequence[Variable], outputs: Sequence[Variable], cotangents: Sequence[Any]
    ) -> Sequence[Variable | None]:
        """As it was given; else an application of the graph's derivative, an Op as well."""
        if self.backward is not None:
            filled = [
                v.type.zeros_like(v) if g is None and v.type.differentiable else g
                for v, g in zip(outputs, cotangents, strict=True)
            ]
            return self.backward(inputs, outputs, filled)
        return self._slopes("pullback", inputs, cotangents)

    def pushforward(
        self, inputs: Sequence[Variable], outputs: Sequence[Variable], tangents: Sequence[Any]
    ) -> Any:
        """As it was given; else by the pullback that was given, or by the graph's derivative."""
        if self.forward is not None:
            return self.forward(inputs, outputs, tangents)
        if self.backward is not None:
            return NotImplemented
        return self._slopes("pushforward", inputs, tangents)

    def _slopes(
        self,
        mode: Literal["pullback", "pushforward"],
        inputs: Sequence[Any],
        directions: Sequence[Any],
    ) -> Sequence[Any]:
        """The graph's derivative at `inputs`, for the cotangents or tangents that are given."""
        present = tuple(i for i, g in enumerate(directions) if g is not None)
        op, places = self.derivative(mode, present)
        results = op.make_node(*inputs, *(directions[i] for i in present)).outputs if op else []
        return [results[place] if isinstance(place, int) else place for place in places]

    def derivative(
        self, mode: Literal["pullback", "pushforward"], present: tuple[int, ...]
    ) -> tuple[OpFromGraph | None, Sequence[int | Variable | None]]:
        """The Op of the graph's own derivative, and where to find each slope.

        The Op takes the inputs and the cotangents, or tangents, of those that are `present`. A
        slope is at a place among its results, or zero (None), or there is none (a variable of an
        UndefinedType). Without any result, there is no Op.
        """
        if (mode, present) not in self._derivatives:
            self._derivatives[mode, present] = self._derivative(mode, present)
        return self._derivatives[mode, present]

    @cached_property
    def _derivatives(self) -> dict[tuple[str, tuple[int, ...]], _Derivative]:
        return {}

    def _derivative(self, mode: str, present: tuple[int, ...]) -> _Derivative:
        inputs = self.graph.inputs
        outputs = meant(self.graph.outputs, inputs)
        moving = [(outputs if mode == "pullback" else inputs)[i] for i in present]
        directions = [v.type() for v in moving]
        seeds = gathered(moving, directions)
        slopes = _cotangents(seeds, inputs) if mode == "pullback" else sweep_forward(outputs, seeds)
        results: list[Variable] = []
        places: list[int | Variable | None] = []
        for slope in slopes:
            if slope is None or type(slope.type) is UndefinedType:
                places.append(slope)
            else:
                places.append(len(results))
                results.append(slope)
        if not results:
            return None, places
        name = f"{self.name}_{mode}" if self.name else None
        return type(self)([*inputs, *directions], results, name=name, inline=self.inlined), places

    @cached_property
    def _pattern(self) -> Sequence[Sequence[bool]]:
        return pattern_of_graph(self.graph)

    def connection_pattern(self, node: Apply) -> Sequence[Sequence[bool]]:
        """As the graph connects them."""
        return self._pattern

    @cached_property
    def _steps(self) -> Sequence[Sequence[str]]:
        return steps_of_graph(self.graph)

    def step_pattern(self, node: Apply) -> Sequence[Sequence[str]]:
        """That of the graph."""
        return self._steps

    def infer_shape(self, fgraph: Any, node: Apply, input_shapes: Sequence[Any]) -> Sequence[Any]:
        """The shapes of the graph's results, as far as its Ops tell them."""
        outputs = self.body(node.inputs)
        shapes = shapes_within(outputs, dict(zip(node.inputs, input_shapes, strict=True)))
        if any(shape is None for shape in shapes):
            raise ShapeUnknownError(f"the shapes of {self} do not follow from those of its inputs")
        return shapes

    def __str__(self) -> str:
        return self.name or type(self).__name__

    def __repr__(self) -> str:
        return f"OpFromGraph({self.name or self.graph!r})"


def _cotangents(
    seeds: dict[Variable, Variable], inputs: Sequence[Variable]
) -> list[Variable | None]:
    """The cotangents of `inputs`: None for zero, of an UndefinedType where there is none."""
    try:
        return sweep(seeds, inputs)
    except UndefinedGradientError as error:
        if len(inputs) == 1:
            return [UndefinedType(str(error))()]
    return [_cotangents(seeds, [v])[0] for v in inputs]


def shapes_within(outputs: Sequence[Variable], of_inputs: dict[Variable, Any]) -> list[Any]:
    """The shape of each of `outputs` by the Ops' `infer_shape`, from those `of_inputs`.

    None where it can't be told.

    >>> from weft_graph import Type
    >>> x = Type()("x")
    >>> shapes_within([x.named("y")], {x: (3,)})
    [(3,)]
    """
    shapes: dict[Variable, Any] = dict(of_inputs)
    for v in toposort(outputs, of_inputs):
        if v not in shapes and type(v.op) is not Item:
            view = Apply.of(v)
            lengths = _told(view, [shapes.get(i) for i in v.inputs])
            shapes.update(zip(view.outputs, lengths, strict=True))
    return [shapes.get(v) for v in outputs]


def _told(view: Apply, input_shapes: list[Any]) -> Sequence[Any]:
    """What an Op says of its results' shapes; a constant's shape is its type's."""
    nothing = [_fixed_shape(v.type) for v in view.outputs]
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


def _fixed_shape(kind: Type) -> Any:
    """The shape that all values of a type have; None if they differ, or have none."""
    shape = getattr(kind, "shape", None)
    return shape if isinstance(shape, tuple) and all(isinstance(n, int) for n in shape) else None


def _stands_for_a_graph(v: Variable) -> bool:
    return isinstance(v.op, OpFromGraph) and v.op.inlined


def inline(
    graph: FunctionGraph, which: Callable[[Variable], bool] = _stands_for_a_graph
) -> FunctionGraph:
    """`graph` with every application of an OpFromGraph replaced by what it stands for.

    A pass that comes first when a graph is compiled; `Mode.excluding("inline")` omits it.
    `which` says of what applications; by default of those whose Op does not refuse.
    """
    while OpFromGraph in graph.op_classes and any(map(which, graph.nodes)):
        bodies: dict[Variable, list[Variable]] = {}

        def opened(v: Variable, bodies: dict[Variable, list[Variable]] = bodies) -> Variable | None:
            source = v.inputs[0] if type(v.op) is Item else v
            if not which(source) or type(v.type) is TupleType:
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
