"""`map` in JAX: a `jax.lax.scan` over the body, or a loop of Python's where that can't be."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import compress
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array
from jax.extend.core import jaxpr_as_fun

from weft_graph import Variable
from weft_jax.analysis.static_values import static_positions
from weft_jax.compile.small_kernels import loop_in_kernel
from weft_jax.lowering.dispatch import Lowering, jax_funcify
from weft_jax.lowering.x64 import as_array
from weft_jax.ops.control.loop import refuse_lengths_of_elements
from weft_jax.ops.control.op_from_graph import fixed_positions, inner_function
from weft_jax.runtime.checks_of_steps import ChecksOfSteps
from weft_jax.runtime.runtime_checks import noting
from weft_tensor import Map

__all__ = ["jax_funcify_map"]


@jax_funcify.register(Map)
def jax_funcify_map(op: Map, *, node: Variable, **kwargs: object) -> Lowering:
    """The body, traced once; what it requires is required of all elements."""
    refuse_lengths_of_elements(op, node)
    run = inner_function(op.body)

    def mapped(*values: Any) -> object:
        n = _common_length([x for x, m in zip(values, op.mapped, strict=True) if m])
        arguments = [as_array(x) if m else x for x, m in zip(values, op.mapped, strict=True)]
        places = [k for k, x in enumerate(arguments) if isinstance(x, jax.Array)]
        sequences = [arguments[k] for k in places if op.mapped[k]]
        required = ChecksOfSteps("for element {} of a map")

        def element(*arrays: Array) -> object:
            whole = list(values)
            for k, array in zip(places, arrays, strict=True):
                whole[k] = array
            with noting() as checks:
                results = run(*whole)
            return results, required.noted(checks)

        one = [_element_of(arguments[k]) if op.mapped[k] else arguments[k] for k in places]
        jaxpr, (shapes, _) = jax.make_jaxpr(element, return_shape=True)(*one)
        traced: Any = jaxpr_as_fun(jaxpr)
        fine = required.begin()
        none = [jnp.zeros(s.shape, s.dtype) for s in compress(shapes, op.summed)]

        def step(before: tuple[Sequence[Any], Any], elements: Sequence[Array]) -> Any:
            totals, status = before
            left = iter(elements)
            results = traced(*[next(left) if op.mapped[k] else arguments[k] for k in places])
            results, checked = results[: -len(fine)], results[-len(fine) :]
            after = [t + r for t, r in zip(totals, compress(results, op.summed), strict=True)]
            outputs = [r for r, is_summed in zip(results, op.summed, strict=True) if not is_summed]
            return (after, required.after(status, checked) if required.are_any else []), outputs

        start = none, fine if required.are_any else []
        (totals, status), rows = loop_in_kernel(
            partial(jax.lax.scan, step, length=n), start, sequences
        )
        required.require(status or fine)
        sums, others = iter(totals), iter(rows)
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
