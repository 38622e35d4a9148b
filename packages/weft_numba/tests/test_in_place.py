"""States of loops that are written to in place: what is, what is not, and that all stay right."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weft_tensor as wt
from weft_graph import function, grad, wrap_py
from weft_numba.fusion.emit_program import planned
from weft_numba.fusion.in_place import (
    Schedule,
    last_read_by,
    updates_in_place,
    with_values_apart,
)
from weft_tensor import Recurrence

x = wt.scalar("x")
START = np.arange(6.0)
SQUARE = np.arange(12.0).reshape(4, 3)
Body = Callable[[Any, Any], Any]


def inner(k: Any, b: Any) -> Any:
    return wt.fori_loop(k, k + 1, lambda j, c: c[j].set(x), b)


def fallen(k: Any, b: Any) -> Any:
    """What is larger than the element before it changes places with it, and so on."""

    def is_larger(s: Any) -> Any:
        return (s[1] > 0) & (s[0][s[1]] > s[0][wt.maximum(s[1] - 1, 0)])

    def changed(s: Any) -> Any:
        c, j = s
        return c[j].set(c[j - 1])[j - 1].set(c[j]), j - 1

    return wt.while_loop(is_larger, changed, (b, k))[0]


IN_PLACE: dict[str, tuple[Body, Any]] = {
    "set": (lambda k, b: b[k].set(x + k), START),
    "inc": (lambda k, b: b[k].inc(x), START),
    "largest": (lambda k, b: b[k].maximum(x), START),
    "row": (lambda k, b: b[k].set(x), SQUARE),
    "column": (lambda k, b: b[:, k % 3].set(x * k), SQUARE),
    "element": (lambda k, b: b[k, 1].set(x), SQUARE),
    "from neighbour": (lambda k, b: b[k].set(b[k - 1] + x), START),
    "from row before": (lambda k, b: b[k].set(b[k - 1] * x), SQUARE),
    "from everything": (lambda k, b: b[k].set(b.sum()), START),
    "swap": (lambda k, b: b[k].set(b[0])[0].set(b[k]), START),
    "two places": (lambda k, b: b[k].set(x)[k + 1].set(-x), START),
    "whole shifted and scaled": (lambda k, b: b[1:].set(b[:-1] * 2), START),
    "places twice": (lambda k, b: b[np.array([0, 0, 2])].inc(x), START),
    "where it is found": (lambda k, b: b[wt.argmin(b)].set(x * 100), START),
    "set, then a loop": (lambda k, b: fallen(k, b[k].set(x * k)), START),
    "set twice, then a loop": (lambda k, b: fallen(k + 1, b[0].set(b[k])[k + 1].set(x)), START),
    "rows, then a loop": (lambda k, b: inner(k, b[k].set(b[0] + x)), SQUARE),
}


@pytest.mark.parametrize("case", IN_PLACE)
def test_updates_in_place(case: str) -> None:
    body, start = IN_PLACE[case]
    first = wt.as_tensor(start).type()
    last = wt.fori_loop(0, 4, body, first)
    (loop,) = {v.inputs[0] for v in [last]}
    graph: Any = loop.op.body.graph
    states = {k: v for k, v in enumerate(loop.op.parts(graph.inputs).states) if v.ndim}
    body_steps = planned(with_values_apart(graph, states))
    own = loop.op.parts(body_steps.graph.inputs).states
    free = {k: own[k] for k in states}
    assert updates_in_place(body_steps.graph, Schedule(body_steps.steps), free)
    agree([first, x], [last, first], [start, 2.5])


def after_last(k: Any, state: Any) -> Any:
    b, total = state
    return b[k].set(x), total + b.sum()


OTHERS: dict[str, tuple[Body, Any]] = {
    "shift": (lambda k, b: b[1:].set(b[:-1]), START),
    "backwards": (lambda k, b: b[:].set(b[::-1]), START),
    "each other": (lambda k, s: (s[1][k].set(x), s[0][k].set(-x)), (START, -START)),
    "one and its view": (lambda k, s: (s[0][k].set(x), s[0][1:3]), (START, START[:2])),
    "next and its view": (lambda k, s: ((b := s[0][k].set(x)), b[1:3]), (START, START[:2])),
    "old one is another's next": (lambda k, s: (s[0][k].set(x), s[0]), (START, START + 1)),
    "old one is summed": (after_last, (START, 0.0)),
    "another stays": (lambda k, s: (s[0][k].set(x), s[1]), (START, -START)),
    "others change places": (
        lambda k, s: (s[0][k].set(s[1][0]), s[2], s[1] * 2),
        (START, START, -START),
    ),
    "same next twice": (lambda k, s: ((b := s[0][k].set(x)), b), (START, START)),
    "chosen": (lambda k, b: wt.where(k % 2, b[k].set(x), b), START),
    "either": (lambda k, b: wt.ifelse(k > 1, b[k].set(x), b), START),
    "inner loop": (
        lambda k, b: wt.fori_loop(0, k, lambda j, c: c[j].inc(x * c[k]), b[k].set(x)),
        START,
    ),
    "table by rows": (
        lambda k, b: wt.fori_loop(1, 3, lambda j, c: c[k, j].set(c[k, j - 1] + c[k - 1, j] * x), b),
        SQUARE,
    ),
    "inner loop beside a view": (
        lambda k, b: wt.fori_loop(0, 3, lambda j, c: c[j].set(b[1:].sum() * x), b),
        START,
    ),
    "inner loop beside the whole": (
        lambda k, b: wt.fori_loop(0, 3, lambda j, c: c[j].set(b[j + 1] * x), b),
        START,
    ),
    "inner loop, then the old one": (
        lambda k, s: (wt.fori_loop(0, 3, lambda j, c: c[j].set(x), s[0]), s[1] + s[0].sum()),
        (START, 0.0),
    ),
    "inner loop, then a view of the next": (
        lambda k, s: ((c := wt.fori_loop(0, k, lambda j, c: c[j].inc(x), s[0])), c[1:3]),
        (START, START[:2]),
    ),
    "set, then a loop that reads the old one": (
        lambda k, b: wt.fori_loop(0, 3, lambda j, c: c[j].set(b[j + 1] * x), b[k].set(x)),
        START,
    ),
    "set, then a loop, and what was set": (
        lambda k, s: ((c := s[0][k].set(x)).shape and fallen(k, c), c),
        (START, START),
    ),
    "set, then a loop that reads the old one, turned": (
        lambda k, b: wt.fori_loop(0, 3, lambda j, c: c[j].set(b[j + 1] * x), b[k].set(x))[::-1],
        START,
    ),
    "set, then a loop, and a view of that": (
        lambda k, s: ((c := fallen(k, s[0][k].set(x))), c[1:3]),
        (START, START[:2]),
    ),
    "set, then a loop, and its sum": (
        lambda k, s: (fallen(k, c := s[0][k].set(x)), s[1] + c.sum() + s[0].sum()),
        (START, 0.0),
    ),
    "set, then two loops": (
        lambda k, s: (fallen(k, c := s[0][k].set(x)), inner(k, c)),
        (START, START),
    ),
    "both set, then a loop of both": (
        lambda k, s: wt.fori_loop(
            0,
            k,
            lambda j, t: (t[0][j].set(t[1][j]), t[1][j].inc(x)),
            (s[0][k].set(x), s[1][0].inc(x)),
        ),
        (START, -START),
    ),
    "both set, then a loop of them crosswise": (
        lambda k, s: wt.fori_loop(
            0,
            k,
            lambda j, t: (t[0][j].set(t[1][j]), t[1][j].inc(x)),
            (s[1][k].set(x), s[0][0].inc(x)),
        ),
        (START, -START),
    ),
    "set, then a loop of it twice": (
        lambda k, s: wt.fori_loop(
            0, k, lambda j, t: (t[0][j].set(-t[1][j]), t[1][j].inc(x)), ((c := s[0][k].set(x)), c)
        ),
        (START, START),
    ),
    "two inner loops of one": (
        lambda k, s: (
            wt.fori_loop(0, 3, lambda j, c: c[j].set(x), s[0]),
            s[1] + wt.fori_loop(0, 3, lambda j, c: c[j].set(-x), s[0]),
        ),
        (START, START),
    ),
    "inner loops crosswise": (
        lambda k, s: (
            wt.fori_loop(0, 3, lambda j, c: c[j].set(x), s[1]),
            wt.fori_loop(0, 3, lambda j, c: c[j].inc(x), s[0]),
        ),
        (START, -START),
    ),
    "three deep": (
        lambda k, b: wt.fori_loop(
            0, 2, lambda i, c: wt.fori_loop(0, 2, lambda j, d: d[k, i + j].inc(x + d[0, j]), c), b
        ),
        SQUARE,
    ),
    "inner loop of a view": (
        lambda k, s: (s[0][k].set(wt.fori_loop(0, 2, lambda j, c: c[j].set(9.0), s[0]).sum()), k),
        (START, 0),
    ),
}


@pytest.mark.cases(11)
@pytest.mark.parametrize("case", OTHERS)
def test_what_others_read_is_kept(case: str) -> None:
    body, start = OTHERS[case]
    parts = start if isinstance(start, tuple) else (start,)
    first = [wt.as_tensor(v).type() for v in parts]
    last = wt.fori_loop(0, 4, body, tuple(first) if isinstance(start, tuple) else first[0])
    lasts = list(last) if isinstance(start, tuple) else [last]
    agree([*first, x], [*lasts, *first], [*parts, 2.5])


def agree(inputs: Any, outputs: Any, values: Any) -> None:
    """Assert that all is as in Python, twice, and no input is changed."""
    wanted = function(inputs, outputs, mode="py", on_unused_input="ignore")(*values)
    f = function(inputs, outputs, mode="numba", on_unused_input="ignore")
    for _ in range(2):
        copies = [np.array(v) for v in values]
        for found, right in zip(f(*copies), wanted, strict=True):
            np.testing.assert_allclose(found, right, rtol=1e-14)
        for v, copy in zip(values, copies, strict=True):
            np.testing.assert_array_equal(v, copy)


def test_constants_and_what_the_loop_begins_with_stay() -> None:
    b, n = wt.vector("b"), wt.lscalar("n")
    doubled = b * 2
    ends = [
        wt.fori_loop(0, n, lambda k, c: c[k].set(x), start)
        for start in (wt.constant(START), doubled, doubled[::2], wt.zeros(6))
    ]
    for steps in (0, 2):
        agree([b, n, x], [*ends, doubled], [START, steps, 3.0])


def looped(start: Any, *more: Any) -> Any:
    return wt.fori_loop(0, 3, lambda k, c: c[k].set(c[k + 1] * x + sum(v[k] for v in more)), start)


FIRSTS: dict[str, tuple[Callable[[Any], Any], int]] = {
    "nobody else": (looped, 1),
    "filled": (lambda v: looped(wt.zeros(v.shape[0])), 1),
    "an update": (lambda v: looped(v[1].set(4.0)), 1),
    "read before": (lambda v: looped(v) + wt.cumsum(v)[-1], 1),
    "a result, too": (lambda v: (looped(v), v), 0),
    "its view is a result": (lambda v: (looped(v), v[1:3]), 0),
    "read by the loop": (lambda v: looped(v, v), 0),
    "its view is read by the loop": (lambda v: looped(v, v[::-1]), 0),
    "two loops": (lambda v: looped(v) + looped(v, 2 * x + wt.zeros(6)), 1),
    "two loops in turns": (lambda v: looped(looped(v)), 1),
    "the first two states": (
        lambda v: wt.fori_loop(0, 3, lambda k, s: (s[0][k].set(x), s[1][k].set(-x)), (v, v)),
        0,
    ),
}


@pytest.mark.cases(6)
@pytest.mark.parametrize("case", FIRSTS)
def test_loops_begin_where_the_first_state_lies(case: str) -> None:
    of, count = FIRSTS[case]
    b = wt.vector("b")
    outputs = of(wt.cumsum(b) * 2)
    outputs = list(outputs) if isinstance(outputs, tuple) else [outputs]
    agree([b, x], outputs, [START, 2.5])
    graph, _, steps = planned(function([b, x], outputs, mode="numba").graph)
    loops: list[Any] = [s for s in steps if isinstance(getattr(s, "op", None), Recurrence)]
    unread: list[list[Any]] = [list(last_read_by(loop, graph, steps)) for loop in loops]
    assert sum(v.ndim for each in unread for v in each) == count


def test_a_bad_index_in_the_middle_changes_no_input() -> None:
    b = wt.vector("b")
    f = function([b, x], wt.fori_loop(0, 9, lambda k, c: c[k].set(x), b), mode="numba")
    value = START.copy()
    for _ in range(3):
        with pytest.raises(IndexError):
            f(value, 1.0)
    np.testing.assert_array_equal(value, START)


def test_slopes_of_tables() -> None:
    """The loop keeps all states, and the one that goes back none."""
    b = wt.vector("b")
    table = wt.fori_loop(2, 6, lambda k, c: c[k].set(x * c[k - 1] + c[k - 2]), b)
    agree([b, x], grad((table * START).sum(), [b, x]), [np.ones(6), 0.5])


@pytest.mark.parametrize("dtype", ["bool", "int8", "float32", "complex128"])
def test_dtypes_and_conditions(dtype: str) -> None:
    b = wt.vector("b", dtype=dtype)
    last = wt.while_loop(
        lambda s: (s[0] < 5) & (s[1][-1].astype("float64").real < 3 if dtype[0] != "c" else True),
        lambda s: (s[0] + 1, s[1][s[0]].set(s[1][s[0] - 1])),
        (wt.as_tensor(0), b),
    )
    agree([b], list(last), [np.arange(6).astype(dtype)])


@pytest.mark.parametrize("update", [lambda k, b: b[k].set(x), inner])
def test_what_a_function_of_python_saw_stays(update: Body) -> None:
    b, seen = wt.vector("b"), list[Any]()

    def look(v: Any) -> Any:
        seen.append(v)
        return v.sum()

    total = wrap_py(itypes=[b.type], otypes=[x.type])(look)
    lasts = wt.fori_loop(0, 3, lambda k, s: (update(k, s[0]), s[1] + total(s[0])), (b, 0.0))
    table, sums = function([b, x], list(lasts), mode="numba")(START, -1.0)
    np.testing.assert_allclose(table, [-1, -1, -1, 3, 4, 5])
    np.testing.assert_allclose(sums, 15 + 14 + 12)
    np.testing.assert_allclose([v.sum() for v in seen], [15, 14, 12])


def test_batches() -> None:
    rows = wt.matrix("rows")
    many = wt.vmap(lambda b: wt.fori_loop(1, 4, lambda k, c: c[k].set(c[k - 1] + x), b))(rows)
    agree([rows, x], [many], [SQUARE.T, 2.5])


def test_what_is_read_from_the_next_state() -> None:
    b = wt.vector("b")

    def step(k: Any, s: Any) -> Any:
        table, total = s
        table = table[k].set(table[k - 1] + x)
        return table, total + table.sum() + table[k]

    agree([b, x], list(wt.fori_loop(1, 5, step, (b, 0.0))), [START, 2.5])
