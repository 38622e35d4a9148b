"""`shard_map`: one function run on every device, each with its part of the arguments."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np

from weft_graph import Constant, FunctionGraph, Item, Type, Variable, pullback, replace, toposort
from weft_graph.extend import PythonLinker, closed_over, node_note, pattern_of_graph
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.op import Cotangents, TensorApply, TensorOp, Tensors, Value
from weft_tensor.ops.parallel.collectives import (
    AllGather,
    AxisIndex,
    Collective,
    PMean,
    PSum,
    PSumScatter,
)
from weft_tensor.ops.parallel.mesh import Mesh, Spec, as_spec
from weft_tensor.types.tensor_type import TensorType

__all__ = ["ShardMap", "shard_map"]

Axes = frozenset[str]


class ShardMap(TensorOp):
    """A graph that every device of `mesh` computes for its part of the inputs.

    `graph` is written for the parts. A spec says how an input or output is divided; an
    output that is not divided along some axis must be equal on all devices along it: ValueError
    if it may differ.
    """

    __props__ = ("graph", "mesh", "in_specs", "out_specs")
    runs_in_python: ClassVar[bool] = True
    graph: FunctionGraph
    mesh: Mesh
    in_specs: tuple[Spec, ...]
    out_specs: tuple[Spec, ...]

    def __init__(
        self,
        graph: FunctionGraph,
        mesh: Mesh,
        in_specs: Sequence[Spec],
        out_specs: Sequence[Spec],
    ) -> None:
        self.__dict__.update(
            graph=graph.nominal, mesh=mesh, in_specs=tuple(in_specs), out_specs=tuple(out_specs)
        )
        varies = _varies(graph, in_specs)
        for k, (v, spec) in enumerate(zip(graph.outputs, out_specs, strict=True)):
            mesh.check(spec, f"output {k} of shard_map")
            different = [name for name in mesh.others(spec) if name in _varying([v], varies)]
            if different:
                raise ValueError(
                    f"output {k} of shard_map may differ between devices along "
                    f"{', '.join(map(repr, different))}: name the axis in out_specs to put the "
                    "parts together, or make them one value, with psum, pmean or all_gather"
                )

    @property
    def view_of(self) -> tuple[int, ...]:
        """Any input may be among the results."""
        return tuple(range(len(self.in_specs)))

    def infer(self, *types: TensorType) -> Type | tuple[Type, ...]:
        """The types of the parts put together."""
        lengths: dict[Any, Any] = {}
        for k, (v, kind, spec) in enumerate(
            zip(self.graph.inputs, types, self.in_specs, strict=True)
        ):
            part = part_of(kind, spec, self.mesh, f"argument {k} of shard_map")
            if not v.type.accepts(part):
                raise TypeError(f"{self}: the part of argument {k} must be {v.type}, not {part}")
            lengths.update(
                ((length, names), n)
                for length, names, n in zip(part.shape, spec, kind.shape, strict=True)
                if names
            )
        results = []
        for v, spec in zip(self.graph.outputs, self.out_specs, strict=True):
            assert isinstance(v.type, TensorType)
            shape = [
                lengths.get((n, names), _whole(n, self.mesh.along(names)))
                for n, names in zip(v.type.shape, spec, strict=True)
            ]
            results.append(TensorType(v.type.dtype, shape))
        return tuple(results) if len(results) > 1 else results[0]

    def impl(self, *values: np.ndarray) -> Value | tuple[Value, ...]:
        """Device after device in one process: what the other backends are compared with."""
        mesh = self.mesh
        parts: dict[Variable, list[Any]] = {
            v: mesh.split(value, spec, f"argument {k} of shard_map")
            for k, (v, value, spec) in enumerate(
                zip(self.graph.inputs, values, self.in_specs, strict=True)
            )
        }
        for v in self.graph.order:
            if v not in parts:
                parts[v] = _on_all(v, [parts[i] for i in v.inputs], mesh)
        results = tuple(
            mesh.join(parts[v], spec)
            for v, spec in zip(self.graph.outputs, self.out_specs, strict=True)
        )
        return results if len(results) > 1 else results[0]

    def pullback(self, inputs: Tensors, outputs: Tensors, cotangents: Tensors) -> Cotangents:
        """The pullback of the graph on every device.

        An output that is not divided is the mean of what the devices have; the cotangent of
        an input that is not divided is the sum over them.
        """
        mesh, graph = self.mesh, self.graph
        cotangents_in: list[Any] = [v.type() for v in graph.outputs]
        seeds = [
            g / mesh.along(others) if (others := mesh.others(spec)) else g
            for g, spec in zip(cotangents_in, self.out_specs, strict=True)
        ]
        positions = [k for k, v in enumerate(graph.inputs) if v.type.differentiable]
        if not positions:
            return [None] * len(inputs)
        slopes = pullback(
            graph.outputs,
            [graph.inputs[k] for k in positions],
            [s.astype(g.dtype) for s, g in zip(seeds, cotangents_in, strict=True)],
            disconnected_inputs="ignore",
        )
        specs = [self.in_specs[k] for k in positions]
        sums = [
            PSum(others)(slope) if (others := mesh.others(spec)) else slope
            for slope, spec in zip(slopes, specs, strict=True)
        ]
        in_specs = [*self.in_specs, *self.out_specs]
        backward = _fewer_sums(FunctionGraph([*graph.inputs, *cotangents_in], sums), mesh, in_specs)
        op = ShardMap(backward, mesh, in_specs, specs)
        slope_of: dict[int, Any] = dict(
            zip(positions, op.make_node(*inputs, *cotangents).outputs, strict=True)
        )
        return [slope_of.get(k) for k in range(len(inputs))]

    def connection_pattern(self, node: TensorApply) -> Sequence[Sequence[bool]]:
        """As the graph connects them."""
        return pattern_of_graph(self.graph)

    def __str__(self) -> str:
        return f"shard_map[{', '.join(f'{name}={n}' for name, n in self.mesh.axes)}]"


def part_of(kind: TensorType, spec: Spec, mesh: Mesh, what: str) -> TensorType:
    """The type of the part that a device holds."""
    shape = [mesh.share(n, names, what) for n, names in zip(kind.shape, spec, strict=True)]
    return TensorType(kind.dtype, shape)


def _whole(length: Any, count: int) -> Any:
    if count == 1:
        return length
    return length * count if isinstance(length, int) else None


def _on_all(v: Variable, arguments: Sequence[Sequence[Any]], mesh: Mesh) -> list[Any]:
    """The value of `v` on every device."""
    op = v.op
    if isinstance(op, Constant):
        return [op.value] * mesh.size
    if isinstance(op, Item):
        return [several[op.index] for several in arguments[0]]
    if isinstance(op, Collective):
        mesh.check((op.names,), str(op))
        results: list[Any] = [None] * mesh.size
        for group in mesh.groups(op.names):
            values: list[Any] = [arguments[0][d] if arguments else None for d in group]
            for d, result in zip(group, op.together(values), strict=True):
                results[d] = result
        return results
    compute = PythonLinker().funcify(v)
    results = []
    for d in range(mesh.size):
        values = [parts[d] for parts in arguments]
        try:
            results.append(compute(*values))
        except Exception as error:
            error.add_note(node_note(v, values))
            raise
    return results


def _varies(graph: FunctionGraph, in_specs: Sequence[Spec]) -> dict[Variable, Axes]:
    """For every input, the axes along which devices hold different parts."""
    return {
        v: frozenset(name for names in spec for name in names)
        for v, spec in zip(graph.inputs, in_specs, strict=True)
    }


def _varying(outputs: Sequence[Variable], axes_of: dict[Variable, Axes]) -> Axes:
    """The axes along which any of `outputs` may differ; `axes_of` grows by what is found."""
    for v in toposort(outputs, axes_of):
        if v in axes_of:
            continue
        axes = frozenset[str]().union(*(axes_of[i] for i in v.inputs))
        if isinstance(v.op, (AxisIndex, PSumScatter)):
            axes |= set(v.op.names)
        elif isinstance(v.op, (PSum, PMean, AllGather)):
            axes -= set(v.op.names)
        axes_of[v] = axes
    return frozenset[str]().union(*(axes_of[v] for v in outputs))


def _fewer_sums(graph: FunctionGraph, mesh: Mesh, in_specs: Sequence[Spec]) -> FunctionGraph:
    """`graph` without sums and means over devices that have the same value."""
    varies = _varies(graph, in_specs)

    def simpler(v: Variable) -> Variable | None:
        if not isinstance(v.op, (PSum, PMean)):
            return None
        x: Any = v.inputs[0]
        different = _varying([x], varies)
        names = tuple(name for name in v.op.names if name in different)
        if names == v.op.names:
            return None
        total: Any = type(v.op)(names)(x) if names else x
        if isinstance(v.op, PMean):
            return as_tensor(total)
        count = mesh.along(name for name in v.op.names if name not in names)
        return as_tensor(total * count).astype(v.op.infer(x.type).dtype)

    return FunctionGraph(graph.inputs, replace(graph.outputs, simpler, graph.inputs))


def shard_map(
    function: Callable[..., Any], mesh: Mesh, in_specs: Sequence[Any], out_specs: Any
) -> Callable[..., Any]:
    """`function`, to be run on every device of `mesh` with its part of the arguments.

    Where a graph is compiled for JAX the devices work at the same time; Python goes through
    them one after the other, which needs no devices. Derivatives are taken through it; those
    that `function` itself takes are of the sum of what all devices compute.

    Parameters
    ----------
    function
        Takes variables, for the parts, and returns a variable, or a list or tuple of them.
        Collectives (`psum`, `all_gather`, ...) tell it of other devices. What it uses besides
        its arguments, all devices get in full.
    mesh
        The devices.
    in_specs
        For each argument how it is divided, as for `shard` in a tuple: ("data", None) for the
        rows of a matrix. None: all devices get the whole.
    out_specs
        For each result how its parts are put together (for a single one, its spec alone).
        Along axes that are not mentioned, all devices must have the same.

    Examples
    --------
    >>> from weft_tensor import Mesh, psum, sum, vector
    >>> x = vector("x", shape=("n",))
    >>> total = shard_map(lambda part: psum(sum(part), "data"), Mesh(data=4), [("data",)], None)
    >>> total(x).eval({x: [1.0, 2.0, 3.0, 4.0]})
    array(10.)
    """

    def mapped(*arguments: Any) -> Any:
        if len(arguments) != len(in_specs):
            raise TypeError(
                f"shard_map got {len(arguments)} arguments and {len(in_specs)} in_specs"
            )
        tensors: list[Any] = [as_tensor(x) for x in arguments]
        specs = []
        for k, (x, spec) in enumerate(zip(tensors, in_specs, strict=True)):
            specs.append(as_spec(spec, x.ndim, f"in_specs[{k}]"))
            mesh.check(specs[-1], f"argument {k} of shard_map")
        inputs = [
            part_of(x.type, spec, mesh, f"argument {k} of shard_map")(x.name)
            for k, (x, spec) in enumerate(zip(tensors, specs, strict=True))
        ]
        result = function(*inputs)
        single = not isinstance(result, (list, tuple))
        outputs = [as_tensor(v) for v in ([result] if single else result)]
        outer: list[Any] = [_outside(v) for v in closed_over(outputs, inputs)]
        specs_out = [out_specs] if single else list(out_specs or [None] * len(outputs))
        if len(specs_out) != len(outputs):
            raise TypeError(f"shard_map got {len(outputs)} results and {len(specs_out)} out_specs")
        op = ShardMap(
            FunctionGraph([*inputs, *outer], outputs),
            mesh,
            [*specs, *(as_spec(None, v.ndim) for v in outer)],
            [
                as_spec(spec, v.ndim, f"out_specs[{k}]")
                for k, (v, spec) in enumerate(zip(outputs, specs_out, strict=True))
            ],
        )
        results = op.make_node(*tensors, *outer).outputs
        return results[0] if single else type(result)(results)

    return mapped


def _outside(v: Variable) -> Variable:
    """`v`, which a function uses though it is no argument."""
    for inner in toposort([v]):
        if isinstance(inner.op, Collective):
            raise ValueError(
                f"{inner!r} depends on none of the arguments of the function given to shard_map: "
                "make an argument of what it is computed from"
            )
    return v
