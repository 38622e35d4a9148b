"""Function graphs: outputs as functions of inputs, as immutable values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from functools import cached_property
from itertools import chain
from operator import attrgetter
from typing import Any, ClassVar, Final, NoReturn, Protocol

from weft_graph.core.constant import Constant
from weft_graph.core.digest import digest_of
from weft_graph.core.encoding import tagged
from weft_graph.core.interned import Immutable
from weft_graph.core.nodes import Apply, Input, Item, Named, Type, Variable, apply
from weft_graph.core.pickling import Table, table_of, variables_of
from weft_graph.core.toposort import toposort
from weft_graph.core.traversal import graph_inputs, replace

__all__ = ["FunctionGraph", "Graph", "MissingInputError", "Nominal", "as_graph"]

_BASES: Final = attrgetter("__mro__")


class Nominal(Input):
    """An input known by its position and type alone: inner graphs are written over such.

    Two of the same index and type are one object, so inner graphs of equal structure are
    too, whatever their inputs were called.

    >>> apply(Nominal(0, Type()), ()) is apply(Nominal(0, Type()), ())
    True
    """

    __props__ = ("index", "type")

    def __init__(self, index: int, type: Type) -> None:
        super().__init__(type, f"i{index}")
        self.index = index


class MissingInputError(ValueError):
    """Outputs depend on an input that was not given."""

    __module__ = "weft_graph"


class FunctionGraph(Immutable):
    """`outputs` as a function of `inputs`; an immutable value.

    Without `inputs`, these are found, in order of appearance. An input may also be a
    result in the graph, which is cut there. Raises MissingInputError if the outputs
    depend on an input that is not listed, ValueError if an input is listed twice.

    >>> from weft_graph import Op, Type
    >>> class Twice(Op):
    ...     def infer(self, x):
    ...         return x
    >>> x = Type()("x")
    >>> graph = FunctionGraph(outputs=[Twice()(x)])
    >>> graph.inputs, graph == FunctionGraph([x], [Twice()(x)])
    ((<x : Type>,), True)
    """

    inputs: tuple[Variable, ...]
    outputs: tuple[Variable, ...]
    _repr_html_: ClassVar[Callable[[FunctionGraph], str]]
    """What notebooks show; `weft_graph.pictures.late` gives it, which builds on graphs."""

    def __init__(
        self,
        inputs: Iterable[Variable] | None = None,
        outputs: Iterable[Variable] = (),
    ) -> None:
        results = _as_variables("output", outputs)
        own_inputs = _as_variables("input", graph_inputs(results) if inputs is None else inputs)
        members: set[Variable] = set()
        for v in own_inputs:
            if v in members:
                raise ValueError(f"input {v!r} is listed twice")
            members.add(v)
        self.__dict__.update(inputs=own_inputs, outputs=results)
        missing = [
            v for v in self.order if not v.inputs and isinstance(v.op, Input) and v not in members
        ]
        if missing:
            raise MissingInputError(_missing_text(missing[0], self))

    @cached_property
    def order(self) -> tuple[Variable, ...]:
        """All variables in the graph, inputs of an Op before its results."""
        return tuple(toposort(self.outputs, set(self.inputs)))

    @cached_property
    def nodes(self) -> tuple[Variable, ...]:
        """The variables in `order` that are computed: no inputs, no constants."""
        inputs = set(self.inputs)
        return tuple([v for v in self.order if v not in inputs and type(v.op) is not Constant])

    @cached_property
    def op_classes(self) -> frozenset[type]:
        """The classes of the Ops of `nodes`, and their bases: what a pass asks for first.

        >>> from weft_graph import Type
        >>> Named in FunctionGraph(outputs=[Type()("x").named("y")]).op_classes
        True
        """
        own = {type(v.op) for v in self.nodes}
        return frozenset(chain.from_iterable(map(_BASES, own)))

    @cached_property
    def users(self) -> Mapping[Variable, tuple[tuple[Variable, int], ...]]:
        """For every variable, the (variable, position) pairs of which it is an input."""
        uses: dict[Variable, list[tuple[Variable, int]]] = {v: [] for v in self.order}
        for node in self.nodes:
            for position, v in enumerate(node.inputs):
                uses[v].append((node, position))
        return {v: tuple(users) for v, users in uses.items()}

    @cached_property
    def use_counts(self) -> Mapping[Variable, int]:
        """How many nodes, and outputs, need each variable; a node that takes one twice counts once.

        >>> from weft_graph import Type
        >>> x = Type()("x")
        >>> FunctionGraph([x], [x, x.named("y")]).use_counts[x]
        2
        """
        uses = Counter(chain.from_iterable([set(node.inputs) for node in self.nodes]))
        uses.update(self.outputs)
        return uses

    def above(self, roots: Collection[Variable]) -> list[Any]:
        """The variables in `order`, but for inputs, that are among `roots` or depend on them.

        >>> from weft_graph import Type
        >>> x, y = Type()("x"), Type()("y")
        >>> FunctionGraph([x, y], [x.named("a"), y.named("b").named("c")]).above([y.named("b")])
        [<b : Type>, <c : Type>]
        """
        found = set(roots)
        inputs = set(self.inputs)
        result = []
        for v in self.order:
            if (v in found or not found.isdisjoint(v.inputs)) and v not in inputs:
                found.add(v)
                result.append(v)
        return result

    @property
    def apply_nodes(self) -> list[Apply]:
        """The Op applications in order, as the tradition's Apply."""
        return [Apply.of(v) for v in self.nodes if type(v.op) is not Item]

    def toposort(self) -> list[Apply]:
        """The same as `apply_nodes`."""
        return self.apply_nodes

    @cached_property
    def digest(self) -> str:
        """A text that is equal, in any process, for graphs of equal structure (see `digest`)."""
        return digest_of(self.order, self.inputs, self.outputs)

    @property
    def nominal(self) -> FunctionGraph:
        """The same function over inputs without names: equal for graphs of equal structure.

        Names of results are left out as well. As a parameter of an Op, a graph counts by
        this: equal graphs give the same Op.

        >>> from weft_graph import Type
        >>> x, y = Type()("x"), Type()("y")
        >>> FunctionGraph([x], [x]) == FunctionGraph([y], [y])
        False
        >>> FunctionGraph([x], [x]).nominal == FunctionGraph([y], [y]).nominal
        True
        """
        graph: FunctionGraph | None = self.__dict__.get("_nominal")
        if graph is None:
            graph = self._made_nominal()
            if graph is not self:  # else it would keep itself alive
                self.__dict__["_nominal"] = graph
        return graph

    def _made_nominal(self) -> FunctionGraph:
        inputs = tuple([apply(Nominal(i, v.type), ()) for i, v in enumerate(self.inputs)])
        replacements = dict(zip(self.inputs, inputs, strict=True))
        has_names = Named in self.op_classes
        if inputs == self.inputs and not has_names:
            return self
        plain = replace(self.outputs, replacements)
        return FunctionGraph(inputs, replace(plain, _unnamed, inputs) if has_names else plain)

    def _structure(self) -> Hashable:
        """What tells this graph from others as a parameter of an Op."""
        return self.nominal.inputs, self.nominal.outputs

    def _digest_bytes(self) -> bytes:
        return tagged(b"graph", self.digest.encode())

    def replace(self, replacements: Mapping[Variable, Variable]) -> FunctionGraph:
        """A new graph in which each key is replaced by its value, all at once."""
        return FunctionGraph(self.inputs, replace(self.outputs, replacements, self.inputs))

    def with_outputs(self, outputs: Sequence[Variable]) -> FunctionGraph:
        """A graph with the same inputs; this one itself, and its order, if nothing changed."""
        return self if tuple(outputs) == self.outputs else FunctionGraph(self.inputs, outputs)

    def __setattr__(self, name: str, value: Any) -> NoReturn:
        raise AttributeError(
            "a FunctionGraph is immutable: `replace({old: new, ...})` makes another one"
        )

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, FunctionGraph)
            and self.inputs == other.inputs
            and self.outputs == other.outputs
        )

    def __hash__(self) -> int:
        return hash((self.inputs, self.outputs))

    def __reduce__(self) -> tuple[object, ...]:
        table = table_of([*self.inputs, *self.outputs])
        index = {v: i for i, v in enumerate(toposort([*self.inputs, *self.outputs]))}
        roles = ([index[v] for v in self.inputs], [index[v] for v in self.outputs])
        return _from_table, (table, *roles)

    def __len__(self) -> int:
        return len(self.nodes)

    def __repr__(self) -> str:
        inputs, outputs = (", ".join(map(str, vs)) for vs in (self.inputs, self.outputs))
        return f"FunctionGraph([{inputs}] -> [{outputs}], {len(self)} nodes)"


class _HoldsGraph(Protocol):
    """What has a graph: a compiled function, the one that it computes."""

    @property
    def graph(self) -> FunctionGraph: ...


Graph = Variable | Iterable[Variable] | FunctionGraph | _HoldsGraph


def as_graph(graph: Graph) -> FunctionGraph:
    """A graph of its own, that of a compiled function, or one for a variable or several.

    Raises TypeError for anything else.

    >>> from weft_graph import Type, function
    >>> x = Type()("x")
    >>> as_graph(x) == as_graph([x]) == as_graph(function([x], x, mode="py"))
    True
    """
    if isinstance(graph, FunctionGraph):
        return graph
    if isinstance(graph, Variable):
        return FunctionGraph(outputs=[graph])
    inner = getattr(graph, "graph", None)
    if isinstance(inner, FunctionGraph):
        return inner
    if not isinstance(graph, Iterable):
        raise TypeError(
            f"{graph!r} ({type(graph).__name__}) has no graph: give a variable, several, "
            "a FunctionGraph or a compiled function"
        )
    return FunctionGraph(outputs=graph)


def _unnamed(v: Variable) -> Variable | None:
    return v.inputs[0] if type(v.op) is Named else None


def _from_table(table: Table, inputs: Sequence[int], outputs: Sequence[int]) -> FunctionGraph:
    variables = variables_of(table)
    return FunctionGraph([variables[i] for i in inputs], [variables[i] for i in outputs])


def _as_variables(role: str, values: Iterable[Any]) -> tuple[Variable, ...]:
    """`values`, if that is what they are."""
    if isinstance(values, Variable):
        raise TypeError(f"a FunctionGraph takes a list of {role}s: write [{values}]")
    items = tuple(values)
    for value in items:
        if not isinstance(value, Variable):
            raise TypeError(
                f"{role} {value!r} of a FunctionGraph is a {type(value).__name__}, not a Variable"
            )
    return items


def _missing_text(missing: Variable, graph: FunctionGraph) -> str:
    user, _ = graph.users[missing][0] if graph.users[missing] else (missing, 0)
    origin = f", made at {missing.made_at}" if missing.made_at else ""
    used = f"{user.op} uses it" + (f" at {user.made_at}" if user.made_at else "")
    others = [v for v in graph.inputs if v.name and v.name == missing.name]
    advice = "Add it to the inputs."
    if others:
        advice = f"An input has its name, but is another variable: make {missing.name!r} only once."
    return (
        f"the outputs depend on {missing!r}{origin}, which is not among the inputs "
        f"({', '.join(map(repr, graph.inputs)) or 'none'}); {used}. {advice}"
    )
