"""Loops that carry a state: `fori_loop`, `while_loop`, and `scan` over sequences."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np

from weft_graph import OpFromGraph, Print, replace
from weft_graph.extend import closed_over, leaves_like, toposort
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import SizeLike, TensorVariable
from weft_tensor.ops.control.recurrence import Recurrence
from weft_tensor.ops.control.recurrence_parts import (
    ENDLESS,
    as_steps,
    boolean,
    check_state,
    most_of,
)
from weft_tensor.ops.control.structures import flat, packed
from weft_tensor.ops.elementwise.arithmetic import floor, maximum, sqrt
from weft_tensor.ops.elementwise.comparison import where
from weft_tensor.ops.shape.concatenate import concatenate
from weft_tensor.ops.shape.length import as_size, lengths_of
from weft_tensor.types.symbolic_dims import provably_differ
from weft_tensor.types.tensor_type import TensorType

__all__ = [
    "Checkpoint",
    "Done",
    "Step",
    "fori_loop",
    "in_blocks",
    "repeat_step",
    "scan",
    "traced_step",
    "while_loop",
]

Checkpoint = Literal["sqrt", False] | int
"""How many steps lie between two states that are kept for the derivative."""

Step = Callable[[Sequence[Any], Sequence[Any]], tuple[Sequence[Any], Sequence[Any]]]
"""From elements of sequences and states to the next states and results."""


class Done(NamedTuple):
    """What a loop gives."""

    states: Sequence[TensorVariable]
    """All values of states that are kept, of others the last."""
    results: Sequence[TensorVariable]


def fori_loop(
    lower: SizeLike,
    upper: SizeLike,
    body: Callable[[Any, Any], Any],
    init: Any,
    *,
    checkpoint: Checkpoint = False,
) -> Any:
    """The state after `state = body(i, state)` for each `i` from `lower` to `upper - 1`.

    What `body` uses besides its arguments is the same for all steps. See `jax.lax.fori_loop`.

    Parameters
    ----------
    lower, upper
        Integer scalars. No step is made unless `lower < upper`.
    body
        Takes an int64 scalar and the state, and returns the next state: of the same structure,
        dtypes and shapes.
    init
        The first state: a tensor, or a nested structure of them (dict, list, tuple, dataclass).
    checkpoint
        How the reverse derivative remembers states: False keeps all of them; a number keeps one
        of so many, from which the others are computed again; "sqrt" one of sqrt(steps) / 2.

    Raises
    ------
    TypeError
        if a step changes the structure, dtype or rank of the state.
    ValueError
        if it changes the shape, or uses an argument of another loop's body.

    Examples
    --------
    >>> from weft_tensor import scalar
    >>> x = scalar("x")
    >>> fori_loop(0, 3, lambda i, s: s * x + i, 1.0).eval({x: 2.0})
    array(12.)
    """
    begin, end = as_size(lower, "fori_loop: lower"), as_size(upper, "fori_loop: upper")
    first, labels = flat(init, "init")

    def step(elements: Sequence[Any], states: Sequence[Any]) -> Any:
        i, *own = states
        after = body(i, packed(init, own))
        return [i + 1, *leaves_like(after, init, "what the body returns")], []

    steps = where(end > begin, end - begin, 0)
    loop = repeat_step(step, steps, [], [begin, *first], ["i", *labels], checkpoint=checkpoint)
    return packed(init, loop.states[1:])


def while_loop(
    cond: Callable[[Any], Any],
    body: Callable[[Any], Any],
    init: Any,
    max_steps: SizeLike | None = None,
) -> Any:
    """The state after `state = body(state)` as long as `cond(state)`. See `jax.lax.while_loop`.

    What both functions use besides the state is the same for all steps. Both derivatives are
    taken through the steps that were made.

    Parameters
    ----------
    cond
        Takes the state and returns a boolean scalar: whether to make another step.
    body
        Takes the state and returns the next: of the same structure, dtypes and shapes.
    init
        The first state: a tensor, or a nested structure of them (dict, list, tuple, dataclass).
    max_steps
        An integer scalar: that many steps are made at most. By default there is no limit, and a
        condition that always holds never ends: Ctrl-C ends it in Python and Numba, but not in JAX.

    Raises
    ------
    TypeError
        if `cond` gives no boolean scalar, or a step changes the structure, dtype or rank of the
        state.
    ValueError
        if it changes the shape, or uses an argument of another loop's body; and if `max_steps` is
        negative.

    Examples
    --------
    >>> from weft_tensor import scalar
    >>> x = scalar("x")
    >>> while_loop(lambda s: s < 100, lambda s: s * x, 1.0).eval({x: 3.0})
    array(243.)
    """
    if not all(map(callable, (cond, body))):
        raise TypeError(f"while_loop(cond, body, init): {cond!r} or {body!r} is no function")
    first, labels = flat(init, "init")

    def condition(states: Sequence[Any]) -> TensorVariable:
        return boolean(cond(packed(init, states)), "while_loop: cond must give")

    def step(elements: Sequence[Any], states: Sequence[Any]) -> Any:
        after = body(packed(init, states))
        nexts = _tensors(leaves_like(after, init, "what the body returns"), labels)
        return nexts, [condition(nexts)]

    most = as_steps(ENDLESS if max_steps is None else max_steps, "while_loop: max_steps")
    started = [as_tensor(v) for v in first]
    steps = where(condition(started), most, 0)
    loop = repeat_step(step, steps, [], first, labels, conditional=True, most=most_of(most))
    return packed(init, loop.states)


def scan(
    f: Callable[[Any, Any], Any],
    init: Any,
    xs: Any = None,
    length: SizeLike | None = None,
    *,
    reverse: bool = False,
    checkpoint: Checkpoint = False,
) -> tuple[Any, Any]:
    """The last state, and what each step gives, of `state, y = f(state, x)` for each `x` of `xs`.

    What `f` uses besides its arguments is the same for all steps. See `jax.lax.scan`.

    Parameters
    ----------
    f
        Takes the state and an element of `xs`, and returns a pair: the next state, of the same
        structure, dtypes and shapes, and results: a nested structure, or None.
    init
        The first state: a tensor, or a nested structure of them (dict, list, tuple, dataclass).
    xs
        A tensor or a nested structure of tensors of one length, along whose first axis the
        elements are; None for none: `f` then gets None.
    length
        The number of steps, an integer scalar; needed only without `xs`, whose length it must be.
    reverse
        Whether to begin with the last elements. Results stand in the places of the elements.
    checkpoint
        How the reverse derivative remembers states: False keeps all of them; a number keeps one
        of so many, from which the others are computed again; "sqrt" one of sqrt(steps) / 2.

    Returns
    -------
    The last state, and the results of all steps along a new first axis.

    Raises
    ------
    TypeError
        if there is neither `xs` nor `length`, or a step changes the structure, dtype or rank of
        the state.
    ValueError
        if it changes the shape, or uses an argument of another loop's body; if sequences have
        different lengths, or `length` is another or negative.

    Examples
    --------
    >>> from weft_tensor import vector
    >>> x = vector("x")
    >>> last, sums = scan(lambda total, v: (total + v, total + v), 0.0, x)
    >>> sums.eval({x: [1.0, 2.0, 3.0]})
    array([1., 3., 6.])
    """
    first, labels = flat(init, "init")
    sequences = list(builtins.map(as_tensor, flat(xs, "xs")[0]))
    structure: dict[str, Any] = {}

    def step(elements: Sequence[Any], states: Sequence[Any]) -> Any:
        pair = f(packed(init, states), packed(xs, elements))
        if not isinstance(pair, (tuple, list)) or len(pair) != 2:
            raise TypeError(
                f"scan: f must return a pair, the next state and the results, not {pair!r}"
            )
        after, structure["results"] = pair
        return leaves_like(after, init, "the state that f returns"), flat(pair[1], "results")[0]

    if length is not None:
        steps = as_steps(length, "scan: length")
    elif sequences:
        steps = lengths_of(_with_axis(sequences)[0])[0]
    else:
        raise TypeError("scan needs xs, or the number of steps as length")
    loop = repeat_step(
        step, steps, sequences, first, labels, backwards=reverse, checkpoint=checkpoint
    )
    return packed(init, loop.states), packed(structure["results"], loop.results)


def repeat_step(
    step: Step,
    steps: TensorVariable,
    sequences: Sequence[TensorVariable],
    first: Sequence[Any],
    labels: Sequence[str],
    *,
    backwards: bool = False,
    conditional: bool = False,
    most: int | None = None,
    checkpoint: Checkpoint = False,
) -> Done:
    """What `step` gives `steps` times, from the states `first`, which `labels` name in messages.

    Of a conditional loop the only result is, in `step`, whether to go on, and of the loop, how
    many steps were made; `most` of them, if that is known.
    """
    body, others, firsts = traced_step(step, sequences, first, labels)
    count = len(firsts)
    op = Recurrence(body, len(sequences), (False,) * count, backwards, conditional, most)
    if checkpoint is not False:
        return in_blocks(op, steps, sequences, firsts, others, checkpoint)
    outputs: Sequence[Any] = op.make_node(steps, *sequences, *firsts, *others).outputs
    return Done(outputs[:count], outputs[count:])


def _meets_single(after: TensorVariable) -> bool:
    """Whether a state is float64 after a step, but computed with numbers of single precision."""
    return after.dtype == "float64" and any(
        getattr(v.type, "dtype", "") in ("float32", "complex64") for v in toposort([after])
    )


def traced_step(
    step: Step, sequences: Sequence[TensorVariable], first: Sequence[Any], labels: Sequence[str]
) -> tuple[OpFromGraph, Sequence[Any], Sequence[TensorVariable]]:
    """The body, what it takes from elsewhere, and the first states.

    Python's numbers among `first` become of the dtype that the step gives, also if that is single
    precision. If something is printed, the number of the step is one state more.
    """
    _with_axis(sequences)
    elements = [TensorType(x.dtype, x.type.shape[1:])(x.name) for x in sequences]
    firsts = list(builtins.map(as_tensor, first))
    doubles = {k for k, value in enumerate(first) if type(value) is float}
    while True:
        states = [v.type(v.name) for v in firsts]
        nexts, results = step(elements, states)
        after = _tensors(nexts, labels)
        wider = [
            isinstance(value, (bool, int, float, complex))
            and new.dtype != old.dtype
            and np.result_type(new.dtype, old.dtype) == new.dtype
            for value, old, new in zip(first, firsts, after, strict=True)
        ]
        singles = {k for k in doubles if _meets_single(after[k])}
        if not any(wider) and not singles:
            break
        doubles -= singles
        firsts = [
            old.astype("float32" if k in singles else new.dtype if wider[k] else old.dtype)
            for k, (old, new) in enumerate(zip(firsts, after, strict=True))
        ]
    for label, old, new in zip(labels, firsts, after, strict=True):
        try:
            check_state(f"state {label}", old.type, new.type)
        except (TypeError, ValueError) as error:
            if new.made_at:
                error.add_note(f"the step gives it at {new.made_at}")
            raise
    outputs = [*after, *builtins.map(as_tensor, results)]
    inputs = [*elements, *states]
    others = closed_over(outputs, inputs)
    body = OpFromGraph([*inputs, *others], outputs, inline=False)
    if Print not in body.graph.op_classes:
        return body, others, firsts
    number = as_size(0).type("step")
    outputs.insert(len(after), number + 1)
    reporting = replace(
        outputs,
        lambda v: v.op.telling(v, number) if type(v.op) is Print else None,
        [*inputs, *others],
    )
    return (
        OpFromGraph([*inputs, number, *others], reporting, inline=False),
        others,
        [*firsts, as_size(0)],
    )


def in_blocks(
    op: Recurrence,
    steps: TensorVariable,
    sequences: Sequence[TensorVariable],
    firsts: Sequence[TensorVariable],
    others: Sequence[Any],
    checkpoint: Checkpoint,
) -> Done:
    """A loop over blocks of steps, each a loop: derivatives keep states at their ends only.

    Of each step of a block that is computed again, they keep more than the state, some four times
    as much: "sqrt" has blocks so short that all of them together take the least memory.
    """
    count = len(firsts)
    size = maximum(floor(sqrt(steps) / 2), 1) if checkpoint == "sqrt" else as_tensor(checkpoint)
    each = size.astype("int64")
    blocks = steps // each
    whole = blocks * each
    left = steps - whole
    head, rest = slice(None, whole), slice(whole, None)
    if op.backwards:
        head, rest = slice(left, None), slice(None, left)

    def block(elements: Sequence[Any], states: Sequence[Any]) -> Any:
        outputs = op.make_node(each, *elements, *states, *others).outputs
        return outputs[:count], outputs[count:]

    parts = [x[head].reshape((blocks, each, *lengths_of(x)[1:])) for x in sequences]
    loop = repeat_step(block, blocks, parts, firsts, [""] * count, backwards=op.backwards)
    last: Sequence[Any] = op.make_node(
        left, *[x[rest] for x in sequences], *loop.states, *others
    ).outputs
    results = [
        concatenate([tail, main] if op.backwards else [main, tail])
        for main, tail in zip(
            [y.reshape((whole, *lengths_of(y)[2:])) for y in loop.results],
            last[count:],
            strict=True,
        )
    ]
    return Done(last[:count], results)


def _tensors(values: Sequence[Any], labels: Sequence[str]) -> list[TensorVariable]:
    """The next values of states; TypeError, which says of which, for None."""
    for value, label in zip(values, labels, strict=True):
        if value is None:
            raise TypeError(f"loop: a step gives None as the next value of state {label}")
    return list(builtins.map(as_tensor, values))


def _with_axis(sequences: Sequence[TensorVariable]) -> Sequence[TensorVariable]:
    """`sequences`, if each has a first axis, and all are of one length."""
    for x in sequences:
        if not x.ndim:
            raise TypeError(
                f"a loop takes elements along the first axis, but {x!r} has none: a number of "
                "steps is `length=` of loop.scan, `n_steps=` of scan, or one of fori_loop's"
            )
        if provably_differ(x.type.shape[0], sequences[0].type.shape[0]):
            raise ValueError(
                f"a loop needs sequences of one length, but {sequences[0]!r} has "
                f"{sequences[0].type.shape[0]} elements and {x!r} has {x.type.shape[0]}"
            )
    return sequences
