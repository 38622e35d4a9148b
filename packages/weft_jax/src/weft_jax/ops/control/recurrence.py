"""`Recurrence` in JAX: `jax.lax.scan`, or `while_loop` where it has no more to keep than states."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array

from weft_graph import OpFromGraph, Variable, ancestors, replace
from weft_jax.analysis.integer_ranges import ranges_in_body
from weft_jax.analysis.static_values import static_positions
from weft_jax.compile.small_kernels import loop_in_kernel
from weft_jax.compile.tracing import range_of, ranges_at, within_ranges
from weft_jax.compile.values_first import values_first
from weft_jax.lowering.dispatch import Lowering, jax_funcify
from weft_jax.lowering.x64 import as_array
from weft_jax.ops.control.loop import refuse_lengths_of_elements
from weft_jax.ops.control.op_from_graph import fixed_positions, inner_function
from weft_jax.runtime.checks_of_steps import ChecksOfSteps
from weft_jax.runtime.runtime_checks import noting, require
from weft_tensor import Recurrence
from weft_tensor.extend import changed_shape

__all__ = ["jax_funcify_recurrence"]

_NEGATIVE = "loop: the number of steps is negative"


@jax_funcify.register(Recurrence)
def jax_funcify_recurrence(op: Recurrence, *, node: Variable, **kwargs: object) -> Lowering:
    """The body, traced once; what it requires is required of all steps."""
    refuse_lengths_of_elements(op, node)
    run = inner_function(op.body)
    count = len(op.kept)
    condition = _condition_of_states(op) if op.conditional else None
    of_states = None if condition is None else inner_function(condition)

    def looped(n: Any, *values: Any) -> object:
        sequences, states, others = op.parts(values)
        sequences, states = [list(map(as_array, part)) for part in (sequences, states)]
        _check_lengths(n, sequences)
        required = ChecksOfSteps("in step {} of a loop")
        ranges = ranges_in_body(node, ranges_at(node))

        def step(elements: Sequence[Array], before: Sequence[Array], *same: Any) -> object:
            whole = iter(same)
            arguments = [next(whole) if isinstance(x, Array) else x for x in others]
            values = [*elements, *before, *arguments]
            with noting() as checks, within_ranges(zip(values, ranges, strict=True)):
                results = run(*values)
            return results, required.noted(checks)

        arrays = [x for x in others if isinstance(x, Array)]
        described: Any = jax.ShapeDtypeStruct
        one = [described(x.shape[1:], x.dtype) for x in sequences]
        jaxpr, (shapes, _) = jax.make_jaxpr(step, return_shape=True)(one, states, *arrays)
        _check_shapes(op, states, shapes)
        traced = values_first(jaxpr)
        fine = required.begin()

        def advance(elements: Any, before: Any, status: Sequence[Array]) -> tuple[Any, Any, Any]:
            """The next states, the results, and how many steps were made."""
            outputs = traced(*elements, *before, *arrays)
            results, checked = outputs[: -len(fine)], outputs[-len(fine) :]
            return results[:count], results[count:], required.after(status, checked)

        def holds(now: Sequence[Array]) -> Array:
            assert of_states is not None
            answer: Array = of_states(*now, *others)[0]
            return answer

        if op.conditional:
            by_states = of_states is not None and _requires_nothing(holds, states)
            last, status = (
                _while(n, sequences, states, fine, advance, holds)
                if by_states
                else _until(n, sequences, states, fine, advance)
            )
            results = [*last, required.steps(status)]
        elif isinstance(n, jax.core.Tracer) and not sequences:
            results, status = _while(n, sequences, states, fine, advance, None)
        else:
            length = sequences[0].shape[0] if sequences else int(n)
            if length:
                is_checked = required.are_any
                results, status = _scan(op, length, sequences, states, fine, advance, is_checked)
            else:
                results, status = _without_step(op, states, shapes), fine
        required.require(status)
        return tuple(results) if len(results) > 1 else results[0]

    return looped


def _scan(
    op: Recurrence,
    length: int,
    sequences: Sequence[Array],
    states: Sequence[Array],
    fine: Sequence[Array],
    advance: Any,
    is_checked: bool,
) -> tuple[list[Array], Sequence[Array]]:
    def step(carry: Any, elements: Sequence[Array]) -> tuple[Any, Any]:
        before, status = carry
        after, results, counted = advance(elements, before, status or fine)
        kept = [s for s, is_kept in zip(after, op.kept, strict=True) if is_kept]
        return (after, counted if is_checked else status), (kept, results)

    start = states, fine if is_checked else []
    (last, status), (kept, results) = loop_in_kernel(
        partial(jax.lax.scan, step, length=length, reverse=op.backwards), start, sequences
    )
    traces = iter(kept)
    whole = []
    for first, end, is_kept in zip(states, last, op.kept, strict=True):
        if is_kept:
            parts = [first[None], next(traces)]
            whole.append(jnp.concatenate(parts[::-1] if op.backwards else parts))
        else:
            whole.append(end)
    return [*whole, *results], status


def _without_step(op: Recurrence, states: Sequence[Array], after: Sequence[Any]) -> list[Array]:
    """What no step gives: XLA may end the process where it has to compile such a loop."""
    whole = [s[None] if is_kept else s for s, is_kept in zip(states, op.kept, strict=True)]
    return [*whole, *[jnp.zeros((0, *v.shape), v.dtype) for v in after[len(states) :]]]


Carry = tuple[Any, ...]


def _while(
    n: Any, sequences: Sequence[Array], states: Sequence[Any], fine: Any, advance: Any, holds: Any
) -> tuple[list[Array], Any]:
    """Last states, and how many steps were made, as long as a state `holds`, if that is asked.

    XLA runs this twice as fast as what carries the condition from step to step.
    """

    def more(carry: Carry) -> Array:
        now, status = carry
        goes_on = _makes(n, status)
        if holds is None:
            return goes_on
        return jnp.logical_and(goes_on, (status[0] == 0) | holds(now))

    def step(carry: Carry) -> Carry:
        before, status = carry
        after, _, status = advance(_elements(sequences, status[0]), before, status)
        return after, status

    start: Carry = list(states), fine
    if any(not x.shape[0] for x in sequences):
        return start
    last, status = loop_in_kernel(partial(jax.lax.while_loop, more, step), start)
    return last, status


def _until(
    n: Any, sequences: Sequence[Array], states: Sequence[Any], fine: Any, advance: Any
) -> tuple[list[Array], Any]:
    """The same, where each step says whether to go on."""

    def more(carry: Carry) -> Array:
        go, _, status = carry
        return jnp.logical_and(go, _makes(n, status))

    def step(carry: Carry) -> Carry:
        _, before, status = carry
        after, (go,), status = advance(_elements(sequences, status[0]), before, status)
        return go, after, status

    start: Carry = jnp.array(True), list(states), fine
    if any(not x.shape[0] for x in sequences):
        return start[1:]
    _, last, status = loop_in_kernel(partial(jax.lax.while_loop, more, step), start)
    return last, status


def _makes(n: Any, status: Sequence[Array]) -> Array:
    """Whether there is a step to make: none, if one required what did not hold."""
    return jnp.logical_and(status[0] >= 0, status[0] < n)


def _requires_nothing(holds: Callable[[Sequence[Array]], Array], states: Sequence[Any]) -> bool:
    """Whether the condition can be asked outside the steps, which see to what is required."""
    with noting() as checks:
        jax.eval_shape(holds, states)
    return not checks.failures


def _elements(sequences: Sequence[Array], i: Array) -> list[Array]:
    return [jax.lax.dynamic_index_in_dim(x, i, keepdims=False) for x in sequences]


def _condition_of_states(op: Recurrence) -> OpFromGraph | None:
    """Whether to go on, from the states after a step; None if it depends on more."""
    graph = op.body.graph
    *nexts, condition = graph.outputs
    elements, before, others = op.parts(graph.inputs)
    fresh = [v.type() for v in nexts]
    (of_states,) = replace([condition], dict(zip(nexts, fresh, strict=True)))
    if not set(ancestors([of_states])).isdisjoint([*elements, *before]):
        return None
    return OpFromGraph([*fresh, *others], of_states, inline=False)


def _check_lengths(n: Any, sequences: Sequence[Array]) -> None:
    limits = range_of(n)
    if limits is None or limits.least < 0:
        require(n >= 0, ValueError(_NEGATIVE))
    for k, x in enumerate(sequences):
        length = x.shape[0]
        require(
            n == length,
            ValueError(f"loop: sequence {k} has length {length}, and the steps are others"),
        )


def _check_shapes(op: Recurrence, states: Sequence[Array], after: Sequence[Any]) -> None:
    for k, (old, new) in enumerate(zip(states, after, strict=False)):
        if old.shape != new.shape:
            raise ValueError(changed_shape(op, k, old.shape, new.shape, "a step"))


@static_positions.register(Recurrence)
def _(op: Recurrence, node: Variable) -> frozenset[int]:
    """The number of steps, if results have that length, and what lengths in the body depend on."""
    inner = {k + 1 for k in fixed_positions(op.body) if not op.moving[k]}
    stacked = any(op.kept) or (not op.conditional and len(op.body.graph.outputs) > len(op.kept))
    return frozenset({0, *inner} if stacked and not op.length else inner)
