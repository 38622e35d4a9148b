"""The states at the ends of the steps that a solution of differential equations takes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from weft_graph import OpFromGraph
from weft_graph.extend import closed_over
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.control.loops import fori_loop, while_loop
from weft_tensor.ops.creation.creation import full, zeros, zeros_like
from weft_tensor.ops.elementwise.comparison import where
from weft_tensor.ops.implicit.graph_slopes import GraphSlopes
from weft_tensor.ops.indexing.index import index, updated
from weft_tensor.ops.integrate.runge_kutta import (
    Field,
    Method,
    Tolerances,
    first_width,
)
from weft_tensor.ops.optimize.problem import resolution
from weft_tensor.ops.shape.length import lengths_of

__all__ = ["Knots", "knots"]


class Knots(NamedTuple):
    """Steps, of which there may be fewer than there is room for."""

    count: Any
    times: Any
    """When each step begins; the end of the last; when all is to end."""
    states: Any
    """The states at these times."""
    curves: Any
    """What lies between, as a `Step` has it."""


class _Try(NamedTuple):
    """The way so far, its end, the rate there, and how wide the next step may be."""

    way: Knots
    t: Any
    y: Any
    rate: Any
    width: Any
    tries: Any


def knots(
    method: Method,
    field: Field,
    y: TensorVariable,
    end: TensorVariable,
    allowed: Tolerances,
    max_steps: int,
) -> Knots:
    """The steps of adaptive width from time 0 to `end`; at most `max_steps` are tried.

    Derivatives are those of the steps, as if their widths were constants: exact for the numbers
    that come out, in both modes, and without a search for widths of their own.
    """
    start, stop = y.type(), end.type()
    way = _adaptive(method, field, start, stop, allowed, max_steps)
    at, t, h = y.type(), end.type(), end.type()
    made = method.step(field, at, t, h, field(at, t))
    step = [made.after, made.curves]
    others = closed_over([*way, *step], [start, stop, at, t, h])
    slopes = GraphSlopes(OpFromGraph([at, t, h, *others], step, inline=False), 1)

    def pushforward(
        inputs: Sequence[Any], outputs: Sequence[Any], tangents: Sequence[Any]
    ) -> Sequence[Any]:
        same, moving, way = inputs[2:], tangents[2:], Knots(*outputs)

        def body(k: Any, changes: Any) -> Any:
            seeds = [index(changes[0], k), None, None, *moving]
            new = slopes.moved([*_place(way, k)], same, seeds)
            return [
                c if v is None else updated(index(c, place), "set", v)
                for c, v, place in zip(changes, new, (k + 1, k), strict=True)
            ]

        states, curves = zeros_like(way.states), zeros_like(way.curves)
        if tangents[0] is not None:
            states = updated(index(states, 0), "set", tangents[0])
        return [None, None, *fori_loop(0, way.count, body, [states, curves])]

    def pullback(
        inputs: Sequence[Any], outputs: Sequence[Any], cotangents: Sequence[Any]
    ) -> Sequence[Any]:
        same, way = inputs[2:], Knots(*outputs)
        states, curves = (
            zeros_like(v) if w is None else w for v, w in zip(way[2:], cotangents[2:], strict=True)
        )

        def back(k: Any, weight: Any) -> list[Any]:
            before, _, _, *rest = slopes.pulled([*_place(way, k)], same, [weight, index(curves, k)])
            own = index(states, k)
            return [own if before is None else own + before, *rest]

        present = [j for j, v in enumerate(back(as_tensor(0), at)[1:]) if v is not None]

        def body(i: Any, state: Any) -> Any:
            weight, sums = state
            before, *rest = back(way.count - 1 - i, weight)
            return before, [s + rest[j] for s, j in zip(sums, present, strict=True)]

        first = (index(states, way.count), [zeros_like(same[j]) for j in present])
        weight, sums = fori_loop(0, way.count, body, first)
        by_place = dict(zip(present, sums, strict=True))
        return [weight, None, *[by_place.get(j) for j in range(len(same))]]

    op = OpFromGraph([start, stop, *others], list(way), "knots", pullback, pushforward)
    return Knots(*op.make_node(y, end, *others).outputs)


def _place(way: Knots, k: Any) -> tuple[Any, Any, Any]:
    """Where step k begins, when, and how wide it is."""
    t = index(way.times, k)
    return index(way.states, k), t, index(way.times, k + 1) - t


def _adaptive(
    method: Method,
    field: Field,
    y: TensorVariable,
    end: TensorVariable,
    allowed: Tolerances,
    max_steps: int,
) -> Knots:
    least = 10 * resolution(y)

    def going(s: _Try) -> Any:
        return (s.t < end) & (s.tries < max_steps) & (s.width > least * s.t)

    def body(s: _Try) -> _Try:
        ends = s.t + s.width >= end
        width = where(ends, end - s.t, s.width)
        after, error, curves, rate = method.step(field, s.y, s.t, width, s.rate)
        norm = allowed.norm(error, s.y, after)
        good = norm <= 1
        t = where(good, where(ends, end, s.t + width), s.t)
        y = where(good, after, s.y)
        k, count = s.way.count, s.way.count + where(good, 1, 0)
        way = Knots(
            count,
            updated(index(s.way.times, count), "set", t),
            updated(index(s.way.states, count), "set", y),
            updated(index(s.way.curves, k), "set", curves),
        )
        rate = where(good, rate, s.rate)
        return _Try(way, t, y, rate, width * method.width_factor(norm), s.tries + 1)

    zero, n = zeros_like(end), lengths_of(y)[0]
    rate = field(y, zero)
    way = Knots(
        as_tensor(0),
        updated(index(full((max_steps + 1,), end), 0), "set", zero),
        updated(index(zeros((max_steps + 1, n), dtype=y.dtype), 0), "set", y),
        zeros((max_steps + 1, 3, n), dtype=y.dtype),
    )
    width = first_width(field, y, rate, end, allowed)
    last: _Try = while_loop(going, body, _Try(way, zero, y, rate, width, as_tensor(0)))
    return last.way
