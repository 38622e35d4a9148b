"""Which values a graph needs as plain numbers while JAX traces it, and where they come from.

Under `jax.jit`, shapes must be known numbers. Values that shapes depend on are therefore
computed by the Python implementations of their Ops: while tracing, if they depend on the
shapes of arrays only, or before the call, if they depend on the values of inputs. The latter
become static arguments: JAX compiles again for another number that reaches a shape, not
for every other value of the input.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import singledispatch
from typing import Any, NamedTuple

from weft_graph import CheckAndRaise, Constant, FunctionGraph, Input, Item, Op, Print, Variable
from weft_graph.extend import Static, remake
from weft_jax.analysis.stack_axes import stacks_in_place
from weft_jax.analysis.states_before_steps import states_before_steps
from weft_tensor import Length, Pointwise, TensorType
from weft_tensor.extend import Stack, as_size, inferred_shapes, kind_of

__all__ = [
    "Plan",
    "fixed_positions",
    "is_of_numbers",
    "nearer_length",
    "no_positions",
    "plan_for",
    "static_positions",
    "with_near_lengths",
]


@singledispatch
def static_positions(op: Op, node: Variable) -> frozenset[int]:
    """The inputs of `node` that its JAX implementation needs as plain numbers.

    By default those whose values the result's shape depends on, as `infer_shape` says.
    """
    shapes = inferred_shapes(node)
    if shapes is None:
        return frozenset()
    positions: dict[Variable, list[int]] = {}
    for k, v in enumerate(node.inputs):
        positions.setdefault(v, []).append(k)
    numbers: set[int] = set()
    visits: set[Variable] = set()
    todo = [n for shape in shapes for n in shape if isinstance(n, Variable)]
    while todo:
        v = todo.pop()
        if v in visits:
            continue
        visits.add(v)
        if v in positions:
            numbers.update(positions[v])
        elif not isinstance(v.op, Length):
            todo.extend(v.inputs)
    return frozenset(numbers)


def no_positions(op: Op, node: Variable) -> frozenset[int]:
    """None, whatever the node: Ops of which there are many are registered with it."""
    return frozenset()


@static_positions.register(Static)
def _(op: Static, node: Variable) -> frozenset[int]:
    """The input, whatever it is used for."""
    return frozenset([0])


@static_positions.register(CheckAndRaise)
def _(op: CheckAndRaise, node: Variable) -> frozenset[int]:
    """The conditions on shapes alone: they hold or fail while JAX traces."""
    return frozenset(k for k, v in enumerate(node.inputs) if k and is_of_numbers(v, Constant))


_SMALL = 16
"""How many nodes of a condition are looked at."""


def is_of_numbers(v: Variable, *roots: type[Op]) -> bool:
    """Whether a scalar is computed, in few steps, of lengths and of scalars that are `roots`.

    By default these are inputs and constants.
    """
    plain: tuple[type[Op], ...] = (Length, *(roots or (Constant, Input)))
    visits: set[Variable] = set()
    todo = [v]
    while todo and len(visits) < _SMALL:
        v = todo.pop()
        visits.add(v)
        if isinstance(kind_of(v), Pointwise) and not getattr(v.type, "ndim", 1):
            todo.extend(v.inputs)
        elif not isinstance(v.op, plain) or (isinstance(v.op, Input) and not _is_scalar(v)):
            return False
    return not todo


def _is_scalar(v: Variable) -> bool:
    return isinstance(v.type, TensorType) and not v.type.ndim


class Plan(NamedTuple):
    """How a graph is divided between host and JAX."""

    graph: FunctionGraph
    """What is traced: static inputs first, then those inputs that it needs as arrays."""
    sizes: tuple[Variable, ...]
    """What the host computes beforehand, one per static input."""
    arrays: tuple[int, ...]
    """Positions of the original inputs that are passed as arrays."""
    numbers: frozenset[Variable]
    """Variables of `graph` that are computed by Python while tracing."""


def plan_for(graph: FunctionGraph) -> Plan:
    """Divide `graph` between host and JAX."""
    graph = states_before_steps(with_near_lengths(graph))
    if Stack in graph.op_classes:
        graph = stacks_in_place(graph)
    positions = fixed_positions(graph)
    if not any(positions.values()):
        return _with_used_inputs(graph, {}, graph, frozenset())
    kinds = _static_kinds(graph, positions)
    data: dict[Variable, Variable] = {v: v for v in graph.inputs}
    static: dict[Variable, Variable] = {}
    sizes: dict[Variable, Variable] = {}
    numbers: set[Variable] = set()

    def as_number(v: Variable) -> Variable:
        if kinds[v] == HOST:
            if v not in sizes:
                sizes[v] = v.type("size")
            return sizes[v]
        return static[v]

    for v in graph.order:
        if v not in data:
            fixed = positions.get(v, frozenset())
            inputs = tuple(as_number(i) if k in fixed else data[i] for k, i in enumerate(v.inputs))
            data[v] = remake(v, inputs)
        if v in kinds and isinstance(v.op, Print):  # it prints where it is a number, and once
            data[v] = data[v.inputs[0]]
        if v in kinds and kinds[v] != HOST:
            if isinstance(v.op, (Constant, Length)):
                static[v] = data[v]
            else:
                static[v] = remake(v, tuple([as_number(i) for i in v.inputs]))
            if not isinstance(v.op, Constant):
                numbers.add(static[v])
    outputs = [data[v] for v in graph.outputs]
    traced = FunctionGraph([*sizes.values(), *graph.inputs], outputs)
    return _with_used_inputs(graph, sizes, traced, frozenset(numbers))


def _with_used_inputs(
    graph: FunctionGraph,
    sizes: Mapping[Variable, Variable],
    traced: FunctionGraph,
    numbers: frozenset[Variable],
) -> Plan:
    """The plan to trace `traced`, a function of `sizes` and of all inputs of `graph`."""
    used = {i for v in traced.nodes for i in v.inputs} | set(traced.outputs)
    arrays = tuple([k for k, v in enumerate(graph.inputs) if v in used])
    if len(arrays) < len(graph.inputs):
        inputs = [graph.inputs[k] for k in arrays]
        traced = FunctionGraph([*sizes.values(), *inputs], traced.outputs)
    return Plan(traced, tuple(sizes), arrays, numbers)


CONST, HOST, TRACE = "const", "host", "trace"
_ROUNDS = 8
"""How many times lengths are expressed by others, each one step or more nearer to inputs."""


def fixed_positions(graph: FunctionGraph) -> dict[Variable, frozenset[int]]:
    """By node, the inputs that its JAX implementation needs as plain numbers."""
    return {v: static_positions(v.op, v) for v in graph.nodes if type(v.op) is not Item}


def with_near_lengths(graph: FunctionGraph) -> FunctionGraph:
    """`graph`, in which lengths of what is traced are such as the host can compute.

    Those that are wanted together with values of inputs: the host then computes the result,
    for which JAX compiles, in place of these values.
    """
    for _ in range(_ROUNDS):
        if Length not in graph.op_classes:
            break
        nearer = _near_lengths(graph, _static_kinds(graph, fixed_positions(graph)))
        if not nearer:
            break
        graph = graph.replace(nearer)
    return graph


def _near_lengths(graph: FunctionGraph, kinds: dict[Variable, str]) -> dict[Variable, Variable]:
    inputs = set(graph.inputs)
    mixed: set[Variable] = set()
    sources: dict[Variable, Variable] = {}
    for v in reversed(graph.order):
        if kinds.get(v) != TRACE:
            continue
        if isinstance(v.op, Length):
            nearer = nearer_length(v, inputs) if v in mixed else v
            if nearer is not v:
                sources[v] = nearer
        elif v in mixed or any(kinds[i] == HOST for i in v.inputs):
            mixed.update(v.inputs)
    return sources


def nearer_length(length: Variable, inputs: set[Variable]) -> Variable:
    """`length` by `infer_shape`, as often as that gives a length again."""
    while isinstance(length.op, Length) and length.inputs[0] not in inputs:
        x = length.inputs[0]
        place = 0
        if isinstance(x.op, Item):
            place, x = x.op.index, x.inputs[0]
        shapes = inferred_shapes(x)
        if shapes is None:
            break
        length = as_size(shapes[place][length.op.axis])
    return length


def _static_kinds(graph: FunctionGraph, positions: Any) -> dict[Variable, str]:
    """All variables that are needed as numbers, and where each can be computed.

    HOST: before the call, from values of inputs. TRACE: while tracing, from shapes (and
    what the host computed).
    """
    numbers: set[Variable] = set()
    inputs = set(graph.inputs)
    for v in reversed(graph.order):
        for k in positions.get(v, ()):
            numbers.add(v.inputs[k])
        if v in numbers and v not in inputs and not isinstance(v.op, Length):
            numbers.update(v.inputs)
    kinds: dict[Variable, str] = {}
    for v in graph.order:
        if v not in numbers:
            continue
        if v in inputs:
            kinds[v] = HOST
        elif isinstance(v.op, Constant):
            kinds[v] = CONST
        elif isinstance(v.op, Length):
            # The host sees the shapes of inputs only.
            kinds[v] = CONST if v.inputs[0] in inputs else TRACE
        else:
            below = {kinds[i] for i in v.inputs}
            kinds[v] = TRACE if TRACE in below else HOST if HOST in below else CONST
    return kinds
