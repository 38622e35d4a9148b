"""`scan` and `reduce`, as those who come from Aesara and PyTensor know them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce as reduce_pairs
from itertools import accumulate
from typing import Any

from weft_graph import OpFromGraph
from weft_graph.extend import StopGradient, without_prints
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import SizeLike, TensorLike, TensorVariable
from weft_tensor.ops.control.loops import Checkpoint, in_blocks, traced_step
from weft_tensor.ops.control.recurrence import Recurrence
from weft_tensor.ops.control.recurrence_parts import as_steps, boolean, most_of
from weft_tensor.ops.control.taps import feedback_of, listed, windows_of
from weft_tensor.ops.elementwise.arithmetic import maximum, minimum
from weft_tensor.ops.elementwise.comparison import bitwise_not, where
from weft_tensor.ops.shape.concatenate import concatenate
from weft_tensor.ops.shape.length import lengths_of

__all__ = ["Until", "reduce", "scan", "until"]

_NO_UPDATES = (
    "scan: return_updates=True asks for updates of shared variables, and Weft's loops have none: "
    "steps have no side effects. Carry what changes, such as the key of a random generator, as a "
    "state in outputs_info. The results come alone, as with return_updates=False"
)

_OTHER_ORDER = (
    "in a step of wt.scan(fn, sequences, outputs_info, non_sequences), PyTensor's; "
    "wt.loop.scan(f, init, xs) is JAX's"
)


@dataclass(frozen=True)
class Until:
    """What `until` gives."""

    condition: TensorVariable


def until(condition: TensorLike) -> Until:
    """Say, as the last that the function given to `scan` returns, when the loop ends.

    The step in which `condition` holds is the last. Raises TypeError for what is no boolean
    scalar.

    >>> powers = scan(lambda x: (x * 2, until(x > 10)), outputs_info=1, n_steps=100)
    >>> powers.eval()
    array([ 2,  4,  8, 16, 32])
    """
    return Until(boolean(condition, "until takes"))


def scan(
    fn: Callable[..., Any],
    sequences: Any = None,
    outputs_info: Any = None,
    non_sequences: Any = None,
    n_steps: SizeLike | None = None,
    truncate_gradient: int = -1,
    go_backwards: bool = False,
    name: str | None = None,
    strict: bool = True,
    return_list: bool = False,
    return_updates: bool = False,
    *,
    checkpoint: Checkpoint = False,
) -> Any:
    """What `fn` gives in each of a row of steps, which may take what earlier steps gave.

    This is the interface of Aesara's and PyTensor's `scan`; `wt.loop.scan` is JAX's. Derivatives
    are taken through it in both modes.

    Parameters
    ----------
    fn
        Takes, in this order, the elements of each sequence, one for each tap; the values of each
        result with an initial state, one for each tap; and `non_sequences`. It returns a tensor,
        or a list or tuple of them, and after them, if it likes, `until(condition)`. What it uses
        besides its arguments is the same for all steps.
    sequences
        A tensor, or a list: elements are along their first axes. A dict
        `dict(input=x, taps=[-1, 0])` gives each step the elements before its own and its own.
    outputs_info
        One entry for each result: the initial state, None if steps don't get it, or a dict
        `dict(initial=x, taps=[-2, -1])`: with other taps than [-1], `x` has as many values, along
        its first axis, as the taps reach back, the latest last.
    non_sequences
        Further arguments of `fn`.
    n_steps
        How many steps, or with `until` at most; needed without sequences. Longer sequences are
        cut.
    truncate_gradient
        Derivatives go through so many of the last steps only; -1 for all.
    go_backwards
        Whether sequences are taken from their ends. Results are in the order of the steps.
    name
        How the body is called in printed graphs.
    strict
        By default, sequences (what the taps leave of them) must be equally long unless `n_steps`
        is given. False takes as many steps as the shortest has elements, as PyTensor does.
    return_list
        Whether a single result comes in a list.
    return_updates
        Only False: there are no updates.
    checkpoint
        How the reverse derivative remembers states: see `fori_loop`.

    Returns
    -------
    The results of all steps along a new first axis: one alone, several in a list.

    Raises
    ------
    TypeError
        if the number of steps is not known, a step changes the dtype or rank of a state, or taps
        are no integers.
    ValueError
        if `fn` returns another number of results than `outputs_info` has, taps reach beyond the
        initial state, a number of steps is negative, or lengths or shapes differ.

    Examples
    --------
    >>> from weft_tensor import vector
    >>> x = vector("x")
    >>> scan(lambda v, total: total + v, sequences=x, outputs_info=0.0).eval({x: [1.0, 2.0, 3.0]})
    array([1., 3., 6.])
    >>> scan(lambda a, b: a + b, outputs_info=dict(initial=[1, 1], taps=[-2, -1]), n_steps=5).eval()
    array([ 2,  3,  5,  8, 13])
    """
    if return_updates:
        raise ValueError(_NO_UPDATES)
    windows = [w.views(go_backwards) for w in windows_of(sequences)]
    steps = _steps(windows, n_steps, strict)
    loop = _Loop(fn, steps, windows, outputs_info, non_sequences, name)
    results = loop.results(_positive(truncate_gradient), checkpoint)
    return results if return_list or len(results) > 1 else results[0]


def reduce(
    fn: Callable[..., Any],
    sequences: Any,
    outputs_info: Any,
    non_sequences: Any = None,
    go_backwards: bool = False,
) -> Any:
    """What the last step of such a `scan` gives; without any step, the initial state.

    Several results come in a list. Raises what `scan` does.

    >>> from weft_tensor import vector
    >>> x = vector("x")
    >>> reduce(lambda v, total: total * 2 + v, x, 0.0).eval({x: [1.0, 0.0, 1.0]})
    array(5.)
    """
    windows = [w.views(go_backwards) for w in windows_of(sequences)]
    loop = _Loop(fn, _steps(windows, None, True), windows, outputs_info, non_sequences, None)
    results = loop.last()
    return results if len(results) > 1 else results[0]


def _positive(truncate_gradient: int) -> int | None:
    if truncate_gradient == -1:
        return None
    if truncate_gradient < 1:
        raise ValueError(
            f"scan: truncate_gradient must be -1, or a number of steps, not {truncate_gradient}"
        )
    return truncate_gradient


def _steps(
    windows: Sequence[Sequence[TensorVariable]], n_steps: SizeLike | None, strict: bool
) -> TensorVariable | None:
    """How many steps there are; None for as many as each sequence must have elements."""
    if n_steps is not None:
        return as_steps(n_steps, "scan: n_steps")
    if not windows:
        raise TypeError("scan needs sequences, or the number of steps as n_steps")
    if strict:
        return None
    return reduce_pairs(minimum, [lengths_of(views[0])[0] for views in windows])


class _Loop:
    """A loop whose body is traced."""

    def __init__(
        self,
        fn: Callable[..., Any],
        steps: TensorVariable | None,
        windows: Sequence[Sequence[TensorVariable]],
        outputs_info: Any,
        non_sequences: Any,
        name: str | None,
    ) -> None:
        views = [v for views in windows for v in views]
        self.steps = lengths_of(views[0])[0] if steps is None else steps
        self.views = views if steps is None else [v[:steps] for v in views]
        self.feedback = feedback_of(outputs_info)
        self.same = [as_tensor(v) for v in listed(non_sequences)]
        self.fn, self.name = fn, name
        self.stops = False
        fed = [f for f in self.feedback if f is not None]
        first = [v for f in fed for v in f.first()]
        labels = [
            f.name if lag == 1 else f"{f.name}, {lag} steps ago"
            for f in fed
            for lag in range(1, f.depth + 1)
        ]
        self.body, self.others, self.firsts = traced_step(self._step, self.views, first, labels)

    def _step(self, elements: Sequence[Any], states: Sequence[Any]) -> Any:
        """The next states; then the results, and a condition if there is one."""
        left = iter(states)
        past = [[next(left) for _ in range(f.depth if f else 0)] for f in self.feedback]
        feedback = [
            values[-tap - 1]
            for f, values in zip(self.feedback, past, strict=True)
            for tap in (f.taps if f else ())
        ]
        try:
            outputs, condition = _read(self.fn(*elements, *feedback, *self.same))
        except Exception as error:
            error.add_note(_OTHER_ORDER)
            raise
        if not self.feedback:
            self.feedback = [None] * len(outputs)
            past = [[] for _ in outputs]
        if len(outputs) != len(self.feedback):
            raise ValueError(
                f"scan: fn returns {len(outputs)} results, but outputs_info has "
                f"{len(self.feedback)} entries: it needs one for each, None for those that steps "
                "don't get"
            )
        nexts = [
            v
            for output, values in zip(outputs, past, strict=True)
            if values
            for v in (output, *values[:-1])
        ]
        self.stops = condition is not None
        return nexts, [*outputs, *([] if condition is None else [bitwise_not(condition)])]

    def results(self, last: int | None, checkpoint: Checkpoint) -> list[TensorVariable]:
        """Those of all steps, differentiable through the `last` of them."""
        steps, views, first = self.steps, self.views, self.firsts
        if self.stops:
            steps = self._counted()
            views = [v[:steps] for v in views]
        if last is None:
            return self._run(steps, views, first, checkpoint)[1]
        cut = maximum(steps - last, 0)
        states, early = self._run(cut, [v[:cut] for v in views], first, False)
        entering = [
            where(cut > 0, StopGradient()(new), old) for new, old in zip(states, first, strict=True)
        ]
        late = self._run(steps - cut, [v[cut:] for v in views], entering, checkpoint)[1]
        return [concatenate([StopGradient()(a), b]) for a, b in zip(early, late, strict=True)]

    def last(self) -> list[TensorVariable]:
        """The results of the last step; the initial state if there is none."""
        if self.stops:
            raise ValueError("reduce takes no until: use scan, and the last of its results")
        states, rows = self._run(self.steps, self.views, self.firsts, False)
        depths = [f.depth if f else 0 for f in self.feedback]
        begins = accumulate(depths, initial=0)
        return [
            states[begin] if depth else y[-1]
            for y, begin, depth in zip(rows, begins, depths, strict=False)
        ]

    def _counted(self) -> TensorVariable:
        """How many steps are made until the condition holds; none of them prints."""
        graph, count = without_prints(self.body.graph), len(self.firsts)
        body = self._body([*graph.outputs[:count], graph.outputs[-1]])
        op = Recurrence(body, len(self.views), (False,) * count, False, True, most_of(self.steps))
        results: Sequence[Any] = op.make_node(
            self.steps, *self.views, *self.firsts, *self.others
        ).outputs
        return results[-1]

    def _run(
        self,
        steps: TensorVariable,
        views: Sequence[TensorVariable],
        first: Sequence[TensorVariable],
        checkpoint: Checkpoint,
    ) -> tuple[Sequence[Any], list[Any]]:
        """The last states, and the results of all `steps`."""
        graph, count = self.body.graph, len(self.firsts)
        outputs = graph.outputs[count : len(graph.outputs) - self.stops]
        op = Recurrence(
            self._body([*graph.outputs[:count], *outputs]),
            len(views),
            (False,) * count,
            False,
            False,
            most_of(self.steps) if self.stops else None,
        )
        if checkpoint is not False:
            loop = in_blocks(op, steps, views, first, self.others, checkpoint)
            return loop.states, list(loop.results)
        results: Sequence[Any] = op.make_node(steps, *views, *first, *self.others).outputs
        return results[:count], list(results[count:])

    def _body(self, outputs: Sequence[Any]) -> OpFromGraph:
        return OpFromGraph(self.body.graph.inputs, outputs, self.name, inline=False)


def _read(value: Any) -> tuple[list[TensorVariable], TensorVariable | None]:
    """The results of a step, and the condition to end with it."""
    parts = listed(value)
    condition = None
    if parts and isinstance(parts[-1], Until):
        condition = parts.pop().condition
    if any(isinstance(part, Mapping) for part in parts):
        raise TypeError(_NO_UPDATES)
    if len(parts) == 1:
        parts = listed(parts[0])
    if not parts:
        raise TypeError("scan: fn returns no result")
    return [as_tensor(part) for part in parts], condition
