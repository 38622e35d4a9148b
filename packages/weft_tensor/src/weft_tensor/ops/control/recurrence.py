"""`Recurrence`: a graph that is run step after step, each with what the one before gave."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np

from weft_graph import Apply, OpFromGraph, Variable, py_funcify, replace
from weft_graph.extend import Loop, steps_by_states
from weft_tensor.build.lazy_import import lazy_import
from weft_tensor.build.op import Cotangents, Examples, Shapes, TensorApply, TensorOp, Tensors
from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.control.element_shapes import shapes_of_elements
from weft_tensor.ops.control.recurrence_parts import Parts, check_state, worth_keeping
from weft_tensor.ops.creation.creation import zeros_like
from weft_tensor.ops.shape.length import static_length
from weft_tensor.types.symbolic_dims import Length, provably_differ
from weft_tensor.types.tensor_type import TensorType

__all__ = ["Recurrence"]


class Recurrence(TensorOp, Loop):
    """What `body` gives step after step, from the elements of sequences and from states.

    Inputs are the number of steps, `sequences` of that length, of which each step gets one
    element along the first axis, the first values of states, and what is the same for all steps.
    The body takes the same without the number, and gives the next value of each state, then
    results.

    Of a state that is `kept`, the result is all its values, the first one included, along a new
    first axis; of others the last. Of the body's results, it is those of all steps along a new
    first axis. A loop that goes `backwards` begins with the last elements, and all results stand
    at the places of these: the first value of a state that is kept comes last.

    The body of a `conditional` loop has no results but a boolean scalar, whether to go on; the
    last result of the loop is the number of steps that were made.

    `most`, if it is known, is a number of steps that no call exceeds.
    """

    view_of = ()
    __props__ = ("body", "length", "kept", "backwards", "conditional", "most")
    none_for_zero: ClassVar[bool] = True
    body: OpFromGraph
    length: int
    """How many sequences there are."""
    kept: tuple[bool, ...]
    """One per state."""
    backwards: bool
    conditional: bool
    most: int | None

    def with_body(self, body: OpFromGraph) -> Recurrence:
        """The same for another graph."""
        return Recurrence(body, self.length, self.kept, self.backwards, self.conditional, self.most)

    def parts(self, inputs: Sequence[Any]) -> Parts:
        """The inputs of the body, or those of the loop but the number of steps, by their use."""
        begin, end = self.length, self.length + len(self.kept)
        return Parts(inputs[:begin], inputs[begin:end], inputs[end:])

    @property
    def moving(self) -> list[bool]:
        """Which inputs of the body differ from step to step."""
        varying = self.length + len(self.kept)
        return [k < varying for k in range(len(self.body.graph.inputs))]

    @property
    def mapped(self) -> list[bool]:
        """Which inputs of the body are elements of sequences."""
        return [k < self.length for k in range(len(self.body.graph.inputs))]

    def infer_from(self, *inputs: TensorVariable) -> Any:
        """The types of the states, and those of the body's results with one axis more."""
        steps, *rest = inputs
        if steps.type.dtype != "int64" or steps.ndim:
            raise TypeError(f"loop: the number of steps must be an int64 scalar, not {steps.type}")
        n: Length = static_length(steps)
        elements: list[TensorType] = []
        for k, v in enumerate(rest):
            if k >= self.length:
                elements.append(v.type)
                continue
            if not v.ndim:
                raise TypeError(f"loop: sequence {k}, {v.type}, has no axis to go along")
            if provably_differ(n, v.type.shape[0]):
                raise ValueError(f"loop: sequence {k} has length {v.type.shape[0]}, not {n}")
            n = v.type.shape[0] if n is None else n
            elements.append(TensorType(v.type.dtype, v.type.shape[1:]))
        inner: Any = self.body.infer(*elements)
        kinds = list(inner) if isinstance(inner, tuple) else [inner]
        states = [v.type for v in self.parts(rest).states]
        for k, (old, new) in enumerate(zip(states, kinds, strict=False)):
            check_state(f"state {k}", old, new)
        if self.conditional:
            return self._conditional(states, kinds[len(states) :])
        more = None if n is None else n + 1
        results = [
            TensorType(kind.dtype, (more, *kind.shape)) if is_kept else kind
            for kind, is_kept in zip(states, self.kept, strict=True)
        ]
        results += [TensorType(kind.dtype, (n, *kind.shape)) for kind in kinds[len(states) :]]
        return tuple(results) if len(results) > 1 else results[0]

    def _conditional(self, states: Sequence[TensorType], others: Sequence[TensorType]) -> Any:
        if self.backwards or any(self.kept):
            raise ValueError("loop: a conditional loop keeps no states and goes forwards")
        if others != [TensorType("bool")]:
            raise TypeError(f"loop: a conditional body gives states and a bool, not {others}")
        return (*states, TensorType("int64")) if states else TensorType("int64")

    def pullback(self, inputs: Tensors, outputs: Tensors, cotangents: Tensors) -> Any:
        """A loop the other way, over the states that were kept."""
        if self.conditional:
            return self._pullback_of_counted(inputs, outputs[-1], cotangents[:-1])
        present = self._present("pullback", cotangents)
        derivative, places = self.body.derivative("pullback", present)
        if derivative is None and all(k >= len(self.kept) for k in present):
            return [None, *places]
        return [None, *_Reverse(self, inputs, cotangents, present).slopes()]

    def _pullback_of_counted(
        self, inputs: Tensors, count: TensorVariable, cotangents: Tensors
    ) -> Any:
        """That of the loop of so many steps."""
        op = self.unconditional()
        sequences, *rest = self.parts(inputs[1:])
        heads = [x[:count] for x in sequences]
        node: Any = op.make_node(count, *heads, *[v for part in rest for v in part])
        _, *slopes = op.pullback(node.inputs, node.outputs, cotangents)
        for k, x in enumerate(sequences):
            if _is_slope(slopes[k]):
                slopes[k] = zeros_like(x)[:count].set(slopes[k])
        return [None, *slopes]

    def unconditional(self) -> Recurrence:
        """The same loop without its condition."""
        graph = self.body.graph
        body = OpFromGraph(graph.inputs, graph.outputs[:-1], self.body.name, inline=False)
        return Recurrence(body, self.length, self.kept, False, False, self.most)

    def pushforward(self, inputs: Tensors, outputs: Tensors, tangents: Cotangents) -> Any:
        """A loop in which tangents go beside the values."""
        seeds = tangents[1:]
        present = self._present("pushforward", seeds)
        derivative, places = self.body.derivative("pushforward", present)
        count = len(self.kept)
        if derivative is None and all(v is None for v in self.parts(seeds).states):
            return places
        fresh: list[Any] = [v.type() for v in self.body.graph.inputs]
        fresh_tangents: list[Any] = [
            fresh[k].type() if k in present else None for k in range(len(fresh))
        ]
        slopes: Sequence[Any] = _applied(derivative, [*fresh, *_present_of(fresh_tangents)])
        by_place: list[Any] = [slopes[p] if isinstance(p, int) else None for p in places]
        values: Sequence[Any] = self.body.body(fresh)
        own, tangent = self.parts(fresh), self.parts(fresh_tangents)
        inputs_of_body: list[Any] = [
            v for o, t in zip(own, tangent, strict=True) for v in (*o, *_present_of(t))
        ]
        steps = [k for k in range(count) if tangent.states[k] is not None]
        nexts = [zeros_like(values[k]) if by_place[k] is None else by_place[k] for k in steps]
        results = [v for v in by_place[count:] if v is not None]
        condition = values[-1:] if self.conditional else []
        body = OpFromGraph(
            inputs_of_body,
            [*values[:count], *nexts, *results, *condition],
            self.body.name,
            inline=False,
        )
        kept = (*self.kept, *[self.kept[k] for k in steps])
        length = self.length + len(_present_of(tangent.sequences))
        op = Recurrence(body, length, kept, self.backwards, self.conditional, self.most)
        firsts, others = self.parts(inputs[1:]), self.parts(seeds)
        started = [
            zeros_like(firsts.states[k]) if others.states[k] is None else others.states[k]
            for k in steps
        ]
        whole: Sequence[Any] = op.make_node(
            inputs[0],
            *[*firsts.sequences, *_present_of(others.sequences)],
            *[*firsts.states, *started],
            *[*firsts.others, *_present_of(others.others)],
        ).outputs
        of_steps: dict[int, Any] = dict(zip(steps, whole[count:], strict=False))
        left = iter(whole[count + len(steps) :])
        states = [of_steps.get(k, p) for k, p in enumerate(places[:count])]
        if self.conditional:
            return [*states, None]
        return [*states, *[next(left) if isinstance(p, int) else p for p in places[count:]]]

    def _present(self, mode: Any, seeds: Sequence[Any]) -> tuple[int, ...]:
        """The places of slopes that are not zero, of those given and of states that they move."""
        present = {k for k, g in enumerate(seeds) if g is not None}
        states = range(len(self.kept))
        begin = self.length
        while True:
            _, places = self.body.derivative(mode, tuple(sorted(present)))
            if mode == "pullback":
                more = {k for k in states if isinstance(places[begin + k], int)}
            else:
                more = {begin + k for k in states if isinstance(places[k], int)}
            if more <= present:
                return tuple(sorted(present))
            present |= more

    def connection_pattern(self, node: Apply) -> Sequence[Sequence[bool]]:
        """That of the body, over all steps."""
        pattern = [list(row) for row in self.body.connection_pattern(node)]
        rows, states = range(len(pattern)), range(len(self.kept))
        for s in states:
            pattern[self.length + s][s] = True
        for s in states:  # through each state, and so through chains of them
            for i in rows:
                if pattern[i][s]:
                    onward = pattern[self.length + s]
                    pattern[i] = [a or b for a, b in zip(pattern[i], onward, strict=True)]
        return [[True] * len(pattern[0]), *pattern] if pattern else [[True] * len(node.outputs)]

    def step_pattern(self, node: Apply) -> Sequence[Sequence[str]]:
        """That of the body, also of what goes to it, or on from it, by states."""
        across = self.connection_pattern(node)[1:]
        states = range(self.length, self.length + len(self.kept))
        rows = steps_by_states(self.body.step_pattern(node), across, states)
        return [[""] * len(self.body.graph.outputs), *rows]

    def infer_shape(self, fgraph: object, node: TensorApply, input_shapes: Shapes) -> Shapes:
        """As many as there are steps, and one more of states that are kept."""
        states = self.parts(input_shapes[1:]).states
        if self.conditional:
            return [*states, ()]
        n: Any = node.inputs[0]
        shapes = [
            (n + 1, *shape) if is_kept else shape
            for shape, is_kept in zip(states, self.kept, strict=True)
        ]
        if len(node.outputs) == len(shapes):
            return shapes
        elements = [
            shape[1:] if is_mapped else shape
            for shape, is_mapped in zip(input_shapes[1:], self.mapped, strict=True)
        ]
        inner = shapes_of_elements(self.body, self.moving, node.inputs[1:], elements)
        return [*shapes, *[(n, *shape) for shape in inner[len(shapes) :]]]

    @classmethod
    def examples(cls) -> Examples:
        """Sums so far, recurrences of two states, both ways; kept and last; a condition."""
        x, s, t, w = (TensorType("float64")(name) for name in "xstw")
        v = TensorType("float64", (None,))("v")
        rows = np.arange(6.0).reshape(3, 2) / 4
        total = OpFromGraph([x, s], [x * s + s], inline=False)
        two = OpFromGraph([x, s, t, w], [t * w + x, s, s * t], inline=False)
        vectors = OpFromGraph([v, s, w], [s * w + v.sum(), v * s], inline=False)
        until = OpFromGraph([s, w], [s * w, s < 10.0], inline=False)
        n, start, one = np.int64(3), np.array(0.5), np.array(1.5)
        return [
            (cls(total, 1, (True,), False, False, None), [n, rows[:, 0], start]),
            (cls(total, 1, (False,), True, False, None), [n, rows[:, 0], start]),
            (cls(total, 1, (False,), False, False, None), [np.int64(0), rows[:0, 0], start]),
            (cls(two, 1, (True, False), True, False, None), [n, rows[:, 1], start, one, one]),
            (cls(vectors, 1, (False,), False, False, None), [n, rows, start, one]),
            (cls(until, 0, (False,), False, True, None), [np.int64(20), start, one]),
        ]

    def __str__(self) -> str:
        return f"loop {self.body.name}" if self.body.name else "loop"


def _is_slope(slope: Any) -> bool:
    return isinstance(slope, Variable) and isinstance(slope.type, TensorType)


def _present_of(slopes: Sequence[Any]) -> list[Any]:
    return [v for v in slopes if v is not None]


def _applied(derivative: OpFromGraph | None, inputs: Sequence[Any]) -> Sequence[Any]:
    """What it gives; nothing if steps move nothing: without a step, first values are the last."""
    return [] if derivative is None else derivative.body(inputs)


class _Reverse:
    """The loop of cotangents: in each step they go from the next states to those before.

    What it needs of the steps themselves is kept by the loop that makes them.
    """

    def __init__(
        self,
        op: Recurrence,
        inputs: Sequence[Any],
        cotangents: Sequence[Any],
        present: tuple[int, ...],
    ) -> None:
        self.op, self.inputs = op, inputs
        self.cotangents, self.present = cotangents, present
        self.count = len(op.kept)
        self.steps = [k for k in present if k < self.count]
        """States with cotangents."""

    def slopes(self) -> list[Any]:
        """The cotangents of what the body takes."""
        op, count = self.op, self.count
        derivative, places = op.body.derivative("pullback", self.present)
        fresh: list[Any] = [v.type() for v in op.body.graph.inputs]
        own = op.parts(fresh)
        outputs: Sequence[Any] = op.body.body(fresh)
        carries = {k: own.states[k].type() for k in self.steps}
        extras = {
            k: own.states[k].type()
            for k in self.steps
            if op.kept[k] and self.cotangents[k] is not None
        }
        others = {k: outputs[k].type() for k in self.present if k >= count}
        totals = {k: carries[k] + extras[k] if k in extras else carries[k] for k in self.steps}
        seeds = [totals[k] if k < count else others[k] for k in self.present]
        slopes: Sequence[Any] = _applied(derivative, [*fresh, *seeds])
        kept = worth_keeping(slopes, fresh, [*seeds], len(own.others))
        rows = {v: v.type() for v in kept}
        slopes = replace(slopes, rows)
        by_place = [slopes[p] if isinstance(p, int) else None for p in places]
        of_sequences, of_states, of_others = op.parts(by_place)
        nexts = [
            zeros_like(carries[k]) if of_states[k] is None else of_states[k] for k in self.steps
        ]
        summed = {k: own.others[k].type() for k, v in enumerate(of_others) if v is not None}
        sums = [total + of_others[k] for k, total in summed.items()]
        body = OpFromGraph(
            [
                *[*own.sequences, *own.states, *rows.values(), *extras.values(), *others.values()],
                *[*carries.values(), *summed.values(), *own.others],
            ],
            [*nexts, *sums, *_present_of(of_sequences)],
            f"{op.body.name}_pullback" if op.body.name else None,
            inline=False,
        )
        length = op.length + count + len(rows) + len(extras) + len(others)
        kept_states = (False,) * len([*nexts, *sums])
        loop = Recurrence(body, length, kept_states, not op.backwards, False, op.most)
        n, *rest = self.inputs
        inputs = op.parts(rest)
        before, after = slice(None, -1), slice(1, None)
        if op.backwards:
            before, after = after, before
        traces, values = self._steps(fresh, outputs, kept)
        results: Sequence[Any] = loop.make_node(
            n,
            *[*inputs.sequences, *[v[before] for v in traces], *values],
            *[self.cotangents[k][after] for k in extras],
            *[self.cotangents[k] for k in others],
            *[self._last(k, inputs.states[k]) for k in carries],
            *[zeros_like(inputs.others[k]) for k in summed],
            *inputs.others,
        ).outputs
        left = iter(results)
        states = {k: next(left) for k in self.steps}
        for k in extras:
            states[k] = states[k] + self.cotangents[k][-1 if op.backwards else 0]
        totals_of_others = {k: next(left) for k in summed}
        begin = op.length
        return [
            *[next(left) if isinstance(p, int) else p for p in places[:begin]],
            *[states.get(k, p) for k, p in enumerate(places[begin : begin + count])],
            *[totals_of_others.get(k, p) for k, p in enumerate(places[begin + count :])],
        ]

    def _steps(
        self, fresh: Sequence[Any], outputs: Sequence[Any], kept: Sequence[Any]
    ) -> tuple[Sequence[Any], list[Any]]:
        """All values of the states, and what else is kept of each step."""
        op, count = self.op, self.count
        late = slice(None, -1) if op.backwards else slice(1, None)
        states = list(outputs[:count])
        more = [v for v in kept if v not in states]
        if not states and not more:
            return [], []
        body = OpFromGraph(fresh, [*states, *more], op.body.name, inline=False)
        whole = Recurrence(body, op.length, (True,) * count, op.backwards, False, op.most)
        results: Sequence[Any] = whole.make_node(*self.inputs).outputs
        rows = dict(zip(more, results[count:], strict=True))
        values = [rows[v] if v in rows else results[states.index(v)][late] for v in kept]
        return results[:count], values

    def _last(self, k: int, first: TensorVariable) -> TensorVariable:
        """The cotangent of a state before the loop of cotangents begins."""
        cotangent = self.cotangents[k]
        return zeros_like(first) if cotangent is None or self.op.kept[k] else cotangent


@py_funcify.register(Recurrence)
def _in_python(op: Recurrence, **kwargs: object) -> Callable[..., Any]:
    return lazy_import("weft_tensor.ops.control.recurrence_steps.step_after_step")(op)
