"""When something happens to the solution of a differential equation, and whether it ends there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from weft_graph.extend import called
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.lazy_import import lazy_import
from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.control.loops import while_loop
from weft_tensor.ops.creation.creation import arange, ones_like, zeros, zeros_like
from weft_tensor.ops.elementwise.comparison import where
from weft_tensor.ops.implicit.roots import custom_root
from weft_tensor.ops.indexing.argmax import argmin
from weft_tensor.ops.indexing.index import index, updated
from weft_tensor.ops.integrate.runge_kutta import DORMAND_PRINCE, Field, Method, Tolerances
from weft_tensor.ops.integrate.stretches import Stretch, Way, advanced, first_way
from weft_tensor.ops.reduction.standard import any as any_of
from weft_tensor.ops.reduction.standard import min as least
from weft_tensor.ops.reduction.standard import sum as sum_of
from weft_tensor.ops.shape.concatenate import stack

__all__ = ["Event", "Events", "chosen", "events_of", "found"]

_HALVINGS = 64
"""A step's width is halved so often, at most, to find when something happens."""


class Event(NamedTuple):
    """Something happens when `condition` of a time and a state is zero."""

    condition: Callable[[Any, Any], Any]
    direction: float = 0.0
    """Above 0 if it must rise, below 0 if it must fall."""
    terminal: int = 0
    """When it has happened so often, that is the end; 0 for never."""

    def at(self, time: Any, y: Any) -> TensorVariable:
        """The condition, a scalar.

        Raises ValueError for anything else.
        """
        value = as_tensor(self.condition(time, y))
        if value.ndim:
            raise ValueError(f"solve_ivp: an event must be a scalar, not {value!r}{called()}")
        return value.astype(time.dtype)

    def settled(self, field: Field, times: Any, states: Any) -> tuple[Any, Any]:
        """Times at which it happens, and the states then in rows, with their derivatives.

        They follow from how the condition and the state change within a step of no width.
        """

        def solve(g: Callable[[Any], Any], y: Any) -> TensorVariable:
            slope = g(ones_like(y))
            return y / where(slope.eq(0), 1.0, slope)

        def of_one(time: Any, y: Any) -> tuple[Any, Any]:
            def after(h: Any) -> Any:
                return DORMAND_PRINCE.step(field, y, time, h, field(y, time)).after

            h = custom_root(
                lambda h: self.at(time + h, after(h)), zeros_like(time), lambda f, v: v, solve
            )
            return time + h, after(h)

        pair: tuple[Any, Any] = lazy_import("weft_tensor.batching.functions.vmap")(of_one)(
            times, states
        )
        return pair

    def seen(self, look: Callable[[Any, Any], tuple[Any, Any]]) -> Event:
        """The same event for what `look` makes a time and a state of."""
        return self._replace(condition=lambda time, y: self.condition(*look(time, y)))


class Events(NamedTuple):
    """What has happened."""

    times: Any
    """When each has: rows, as far as `counts` says."""
    counts: Any
    end: Any
    """When it ended, by an event or at last."""
    which: Any
    """By which event, or -1."""

    def each(self, events: int) -> list[TensorVariable]:
        """The times of each of the events."""
        counts = [index(self.counts, k) for k in range(events)]
        return [index(self.times, (k, slice(0, n))) for k, n in enumerate(counts)]


class _Search(NamedTuple):
    way: Way
    values: Any
    events: Events


def events_of(events: Any, args: Sequence[Any]) -> list[Event]:
    """Events as SciPy takes them: functions, which may have `terminal` and `direction`."""
    functions = [events] if callable(events) else list(events or ())
    return [_event_of(f, args) for f in functions]


def _event_of(function: Any, args: Sequence[Any]) -> Event:
    direction, terminal = getattr(function, "direction", 0), getattr(function, "terminal", None)
    often = 0 if terminal is None else terminal
    known = isinstance(often, (int, float, np.bool, np.integer))
    if not known or often < 0 or often % 1 != 0:
        numbers = f"True, False or how often, not {terminal!r}"
        raise ValueError(f"solve_ivp: an event's terminal is {numbers}{called()}")
    return Event(lambda t, y: function(t, y, *args), float(direction), int(often))


def found(
    events: Sequence[Event],
    method: Method,
    field: Field,
    y: TensorVariable,
    end: TensorVariable,
    allowed: Tolerances,
    max_steps: int,
) -> Events:
    """What happens from `y` at time 0 on, at most until `end`; no derivatives are taken of it."""
    directions = np.array([e.direction for e in events])
    limits = np.array([e.terminal or np.iinfo("int64").max for e in events])

    def at(stretch: Stretch, times: Any) -> TensorVariable:
        places = [index(times, k) for k in range(len(events))]
        return stack([e.at(t, stretch.read(t)) for e, t in zip(events, places, strict=True)])

    def body(s: _Search) -> _Search:
        way = advanced(method, field, s.way, end, allowed)
        values = where(
            way.good, stack([e.at(way.last.end, way.last.after) for e in events]), s.values
        )
        rises, falls = (s.values <= 0) & (values >= 0), (s.values >= 0) & (values <= 0)
        happens = way.good & ((rises & (directions >= 0)) | (falls & (directions <= 0)))
        times = _halved(lambda t: at(way.last, t), s.values, way.last, happens)
        counts = s.events.counts + where(happens, 1, 0)
        last = where(happens & (counts >= limits), times, np.inf)
        ends, stop = any_of(last < np.inf), least(last)
        counts = s.events.counts + where(happens & (times <= stop), 1, 0)
        room = index(s.events.times, (arange(len(events)), s.events.counts))
        return _Search(
            way,
            values,
            Events(
                updated(room, "set", times),
                counts,
                where(ends, stop, way.last.end),
                where(ends, argmin(last), -1),
            ),
        )

    first = first_way(method, field, y, end, allowed)
    nothing = Events(
        zeros((len(events), max_steps), dtype=end.dtype),
        zeros((len(events),), dtype="int64"),
        first.last.end,
        as_tensor(-1),
    )
    start = _Search(first, stack([e.at(first.last.end, y) for e in events]), nothing)
    final: _Search = while_loop(
        lambda s: (s.events.which < 0) & (s.way.last.end < end) & s.way.goes_on(max_steps),
        body,
        start,
    )
    return final.events


def _halved(
    at: Callable[[Any], TensorVariable], before: Any, stretch: Stretch, happens: Any
) -> TensorVariable:
    """The times within a step at which values that had these signs before change them."""

    def body(s: tuple[Any, Any, Any]) -> tuple[Any, Any, Any]:
        low, high, count = s
        middle = (low + high) / 2
        same = at(middle) * before > 0
        return where(same, middle, low), where(same, high, middle), count + 1

    def open_yet(s: tuple[Any, Any, Any]) -> TensorVariable:
        low, high, count = s
        middle = (low + high) / 2
        apart = any_of(happens & (low < middle) & (middle < high))
        return apart & (count < _HALVINGS)

    ones = ones_like(before)
    ends = (stretch.begin * ones, stretch.end * ones, as_tensor(0))
    high: TensorVariable = while_loop(open_yet, body, ends)[1]
    return high


def chosen(events: Sequence[Event], which: Any) -> Event:
    """The event of that number."""

    def condition(time: Any, y: Any) -> TensorVariable:
        values = stack([e.at(time, y) for e in events])
        return sum_of(where(arange(len(events)).eq(which), values, 0))

    return Event(condition)
