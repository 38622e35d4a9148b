"""`map` in JAX: a `jax.lax.scan` over the body, or a loop of Python's where that can't be."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import compress
from typing import Any, ClassVar, Literal

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jax.extend.core import jaxpr_as_fun

from weft_graph import FunctionGraph, Item, OpFromGraph, Variable, replace
from weft_graph.extend import Branch, Static, apply, nodes_inside
from weft_jax.analysis.shape_policy import DynamicShapeError, chain_to
from weft_jax.analysis.static_values import static_positions, with_near_lengths
from weft_jax.lowering.dispatch import Lowering, jax_funcify
from weft_jax.ops.control.op_from_graph import fixed_positions, inner_function, traced_graph
from weft_jax.runtime.runtime_checks import Failure, noting, require
from weft_tensor import Map, TensorOp
from weft_tensor.extend import mapped_by

__all__ = ["DynamicLoops", "DynamicShapeInLoopError", "jax_funcify_map", "with_host_loops"]

DynamicLoops = Literal["error", "host"]
"""What to do with a loop in whose body lengths depend on values of the elements."""


class DynamicShapeInLoopError(DynamicShapeError):
    """In the body of a loop, a length depends on values that differ from element to element."""


@jax_funcify.register(Map)
def jax_funcify_map(op: Map, *, node: Variable, **kwargs: object) -> Lowering:
    """The body, traced once; what it requires is required of all elements."""
    _refuse_lengths_of_elements(op, node)
    run = inner_function(op.body)

    def mapped(*values: Any) -> object:
        n = _common_length([x for x, m in zip(values, op.mapped, strict=True) if m])
        given = [jnp.asarray(x) if m else x for x, m in zip(values, op.mapped, strict=True)]
        places = [k for k, x in enumerate(given) if isinstance(x, jax.Array)]
        sequences = [given[k] for k in places if op.mapped[k]]
        failures: list[Failure] = []

        def element(*arrays: Array) -> object:
            whole = list(values)
            for k, array in zip(places, arrays, strict=True):
                whole[k] = array
            with noting() as checks:
                results = run(*whole)
            failures[:] = checks.failures
            return results, jnp.array(checks.conditions, bool)

        one = [_element_of(given[k]) if op.mapped[k] else given[k] for k in places]
        made, (shapes, _) = jax.make_jaxpr(element, return_shape=True)(*one)
        traced: Any = jaxpr_as_fun(made)
        none = [jnp.zeros(s.shape, s.dtype) for s in compress(shapes, op.summed)]
        fine = jnp.ones(len(failures), bool)

        def step(before: tuple[Sequence[Any], Any], elements: Sequence[Array]) -> Any:
            totals, held = before
            left = iter(elements)
            *results, holds = traced(*[next(left) if op.mapped[k] else given[k] for k in places])
            added = [t + r for t, r in zip(totals, compress(results, op.summed), strict=True)]
            kept = [r for r, is_summed in zip(results, op.summed, strict=True) if not is_summed]
            return (added, held & holds), kept

        (totals, held), stacked = jax.lax.scan(step, (none, fine), sequences, length=n)
        for k, failure in enumerate(failures):
            require(held[k], failure.made)
        sums, others = iter(totals), iter(stacked)
        results = [next(sums if is_summed else others) for is_summed in op.summed]
        return tuple(results) if len(results) > 1 else results[0]

    return mapped


def _element_of(sequence: Array) -> Any:
    described: Any = jax.ShapeDtypeStruct
    return described(sequence.shape[1:], sequence.dtype)


def _common_length(sequences: Sequence[Array]) -> int:
    lengths: list[int] = [x.shape[0] for x in sequences]
    for k, n in enumerate(lengths):
        if n != lengths[0]:
            raise ValueError(f"map: sequence {k} has length {n}, sequence 0 has {lengths[0]}")
    return lengths[0]


@static_positions.register(Map)
def _(op: Map, node: Variable) -> frozenset[int]:
    """What is the same for all elements, if lengths in the body depend on its value."""
    return frozenset(k for k in fixed_positions(op.body) if not op.mapped[k])


def _chain_to_element(op: Map) -> tuple[Variable, ...]:
    """In the body, from an Op whose result has a length to the element that this depends on."""
    if not any(op.mapped[k] for k in fixed_positions(op.body)):
        return ()
    graph = with_near_lengths(traced_graph(op.body))
    elements = set(compress(graph.inputs, op.mapped))
    for v in graph.nodes:
        for k in () if type(v.op) is Item else static_positions(v.op, v):
            chain = chain_to(v.inputs[k], set(graph.inputs), elements)
            if chain and not isinstance(v.op, Static):
                return v, *chain
    return ()


def _refuse_lengths_of_elements(op: Map, node: Variable) -> None:
    found = _chain_to_element(op)
    if not found:
        return
    v, *between, element = found
    written = set(op.body.graph.nodes)
    line = next((u.made_at for u in (v, *between) if u in written and u.made_at), node.made_at)
    way = " ← ".join([*(str(u.op) for u in between), f"an element : {element.type}"])
    raise DynamicShapeInLoopError(
        f"in the function given to map{f', made at {line}' if line else ''}: a length of the "
        f"result of {v.op} depends on values that differ from element to element ({way}). "
        "JAX compiles a loop for one shape. Ways out: where(mask, x, 0) in place of x[mask]; a "
        "length that is the same for all elements; or "
        "mode=JAX(dynamic_loops='host'), with which Python runs this loop, and JAX what is in it"
    )


def with_host_loops(graph: FunctionGraph, link: Lowering) -> FunctionGraph:
    """`graph`, in which Python runs the loops that JAX can't; `link` compiles their bodies.

    >>> from weft_tensor import arange, map, vector
    >>> n = vector("n", "int64")
    >>> graph = FunctionGraph([n], [map(lambda k: arange(k).sum(), n)])
    >>> print(with_host_loops(graph, lambda body: None).outputs[0])
    map on the host
    """

    def on_host(v: Variable) -> Variable | None:
        if isinstance(v.op, Map) and _needs_host(v.op):
            return apply(HostMap(v.op, link), v.inputs, v.place)
        if isinstance(v.op, Branch):
            op = v.op
            then, otherwise = (_with_host_loops(case, link) for case in (op.on_true, op.on_false))
            return apply(Branch(then, otherwise, op.types), v.inputs, v.place)
        return None

    return FunctionGraph(graph.inputs, replace(graph.outputs, on_host, graph.inputs))


def _with_host_loops(case: OpFromGraph, link: Lowering) -> OpFromGraph:
    graph = with_host_loops(case.graph, link)
    return OpFromGraph(graph.inputs, graph.outputs, case.name, inline=False)


def _needs_host(op: Map) -> bool:
    inner = [v.op for v in nodes_inside(op)]
    return any(_chain_to_element(m) for m in (op, *inner) if isinstance(m, Map))


class HostMap(TensorOp):
    """A map whose elements are taken one after the other by Python; JAX compiles the body."""

    runs_in_python: ClassVar[bool] = True
    _remembered: ClassVar[frozenset[str]] = TensorOp._remembered | {"_run"}
    loop: Map
    link: Callable[[FunctionGraph], Callable[..., Any]]

    @cached_property
    def _run(self) -> Lowering:
        return self.link(self.loop.body.graph)

    def infer(self, *types: Any) -> Any:
        """The same types."""
        return self.loop.infer(*types)

    def impl(self, *values: np.ndarray) -> Any:
        """Element after element."""
        run, single = self._run, len(self.loop.summed) == 1
        return mapped_by(self.loop, lambda *x: run(*x)[0] if single else run(*x), values)

    def __str__(self) -> str:
        return "map on the host"
