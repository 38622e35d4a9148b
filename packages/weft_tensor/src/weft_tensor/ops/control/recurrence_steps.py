"""`Recurrence` in Python: step after step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from weft_graph import FunctionGraph
from weft_graph.extend import in_python
from weft_tensor.ops.control.element_shapes import lengths_within, shapes_of_nothing
from weft_tensor.ops.control.recurrence import Recurrence

__all__ = [
    "NO_STEP",
    "OTHER_LENGTH",
    "changed_shape",
    "lengths_of_steps",
    "scanned_by",
    "step_after_step",
]

NO_STEP = (
    "loop: there is no step, and without one the shape of the results can't be told: give the "
    "results a shape that does not depend on the values of states and elements"
)
"""What is said where the shape of what no step gives is wanted."""

OTHER_LENGTH = (
    "has not as many elements as there are steps: cut the longer ones, or give wt.scan "
    "strict=False, which takes as many as the shortest has"
)
"""What is said of a sequence."""


def lengths_of_steps(op: Recurrence) -> FunctionGraph | None:
    """From the inputs of a loop but the first to the lengths of what one step gives, in order.

    None where these can't be told without a step.
    """
    return lengths_within(op.body, op.moving, op.mapped)


def scanned_by(op: Recurrence, run: Callable[..., Any], values: Sequence[Any]) -> Any:
    """What `op` gives, if `run` gives what its body does for one step: NumPy's arrays.

    Raises ValueError for a negative number of steps, sequences of other lengths, and for states
    and results that change their shape.
    """
    n, arrays = int(values[0]), values[1:]
    _check(op, n, arrays)
    sequences, firsts, others = op.parts(arrays)
    states: list[Any] = list(firsts)
    traces = [
        np.empty((n + 1, *s.shape), s.dtype) if is_kept else None
        for s, is_kept in zip(states, op.kept, strict=True)
    ]
    results: list[np.ndarray] = []
    count = len(states)
    several = len(op.body.graph.outputs) > 1
    steps = 0
    for i in range(n - 1, -1, -1) if op.backwards else range(n):
        _keep(traces, states, i + op.backwards)
        try:
            value = run(*[x[i, ...] for x in sequences], *states, *others)
        except Exception as error:
            error.add_note(f"in step {steps} of a loop")
            raise
        parts = value if several else (value,)
        _check_shapes(op, states, parts, steps)
        states = list(parts[:count])
        steps += 1
        if op.conditional:
            if not parts[count]:
                break
            continue
        if steps == 1:
            results = [np.empty((n, *p.shape), p.dtype) for p in parts[count:]]
        for result, part in zip(results, parts[count:], strict=True):
            if result.shape[1:] != part.shape:
                raise ValueError(
                    f"loop: a step gives a result of shape {part.shape} after one of "
                    f"{result.shape[1:]}: all must have one shape"
                )
            result[i, ...] = part
    _keep(traces, states, 0 if op.backwards else n)
    if not steps and not op.conditional and len(op.body.graph.outputs) > count:
        results = _nothing(op, arrays)
    last = [np.array(s) if t is None else t for s, t in zip(states, traces, strict=True)]
    whole = [*last, *results, *[np.int64(steps)] * op.conditional]
    return tuple(whole) if len(whole) > 1 else whole[0]


def step_after_step(op: Recurrence) -> Callable[..., object]:
    """A function of values of the inputs that runs the loop."""
    body = in_python(op.body)
    return lambda *values: scanned_by(op, body, values)


def _check(op: Recurrence, n: int, arrays: Sequence[np.ndarray]) -> None:
    if n < 0:
        raise ValueError(f"loop: the number of steps is {n}: it can't be negative")
    for k, x in enumerate(arrays[: op.length]):
        if len(x) != n:
            raise ValueError(f"loop: sequence {k} has length {len(x)}, and there are {n} steps")


def _check_shapes(op: Recurrence, states: Sequence[Any], parts: Sequence[Any], step: int) -> None:
    for k, (old, new) in enumerate(zip(states, parts, strict=False)):
        if old.shape != new.shape:
            raise ValueError(changed_shape(op, k, old.shape, new.shape, f"step {step}"))


def changed_shape(op: Recurrence, k: int, old: object, new: object, step: str) -> str:
    """What is said of state k, and where the user's code has its next value."""
    line = op.body.graph.outputs[k].made_at
    return (
        f"loop: state {k} has shape {old} before {step} and {new} after it"
        f"{f' ({line})' if line else ''}: a state keeps its shape. Begin with an array of the last "
        "shape, and let steps fill it by `.set`"
    )


def _keep(traces: Sequence[Any], states: Sequence[Any], place: int) -> None:
    for trace, state in zip(traces, states, strict=True):
        if trace is not None:
            trace[place, ...] = state


def _nothing(op: Recurrence, arrays: Sequence[Any]) -> list[np.ndarray]:
    """Results of no step."""
    graph = lengths_of_steps(op)
    if graph is None:
        raise ValueError(NO_STEP)
    shapes = shapes_of_nothing(graph, op.body, arrays)
    kinds: list[Any] = [v.type for v in op.body.graph.outputs]
    pairs = list(zip(shapes, kinds, strict=True))[len(op.kept) :]
    return [np.empty((0, *shape), kind.dtype) for shape, kind in pairs]
