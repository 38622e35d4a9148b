"""Prints and checks in the bodies of loops, and what prints of graphs show of these."""

from __future__ import annotations

from typing import Any

import pytest

import weft.tensor as wt

x = wt.vector("x")


def step(s: Any, v: Any) -> Any:
    """Sums so far, which are printed, and must be small."""
    after = wt.print_value(s + v, "sum so far")
    return wt.check_and_raise(after, after < 5, ValueError, "the sum is too large"), after


@pytest.mark.cases("jax", "py")
@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_prints_and_checks_in_bodies(mode: str, capfd: Any) -> None:
    last, _ = wt.loop.scan(step, 0.0, x)
    f = wt.function([x], [last, wt.grad(last, x)], mode=mode)
    assert float(f([1.0, 2.0])[0]) == 3.0
    assert "step 0: sum so far 1.0\nstep 1: sum so far 3.0\n" in capfd.readouterr().out
    with pytest.raises(ValueError, match="the sum is too large"):
        f([1.0, 2.0, 3.0])
    sums = wt.scan(lambda v, s: step(s, v)[0], x, 0.0)
    f = wt.function([x], sums, mode=mode)
    assert f([1.0, 2.0]).tolist() == [1.0, 3.0]
    with pytest.raises(ValueError, match="the sum is too large"):
        f([1.0, 2.0, 3.0])


def test_bodies_are_shown_beside_the_graph() -> None:
    last = wt.loop.scan(lambda s, v: (s * v, None), 1.0, x)[0]
    shown = wt.dprint(last, "str")
    graph, body = shown.split("\n\ninside loop:\n")
    assert "mul" not in graph
    assert body.splitlines()[0].startswith("mul")
    assert "mul(i1, i0)" in wt.to_text(last)
    assert "inside loop" in wt.to_html(last)


def prints_and_checks(see: Any) -> dict[str, Any]:
    """Loops from 1.0, whose states become 2.0, 4.0, 8.0, and are seen."""
    a = wt.scalar("a")
    ones = wt.ones(3)
    return {
        "fori_loop": wt.fori_loop(0, 3, lambda i, s: see(s * 2), a),
        "while_loop": wt.while_loop(lambda s: s < 8, lambda s: see(s * 2), a),
        "loop.scan": wt.loop.scan(lambda s, v: (see(s * 2), None), a, ones, reverse=True)[0],
        "scan": wt.scan(lambda v, s: see(s * 2), ones, a)[-1],
        "until": wt.scan(lambda s: (see(s * 2), wt.until(s > 3)), outputs_info=a, n_steps=9)[-1],
        "reduce": wt.reduce(lambda v, s: see(s * 2), ones, a),
        "batch": wt.vmap(lambda b: wt.fori_loop(0, 3, lambda i, s: see(s * 2), b))(a[None])[0],
        "checkpoint": wt.loop.scan(lambda s, v: (see(s * 2), None), a, ones, checkpoint=2)[0],
    }


@pytest.mark.cases(9)
@pytest.mark.parametrize("name", prints_and_checks(abs))
@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_messages_tell_the_step(mode: str, name: str, capfd: Any) -> None:
    double = prints_and_checks(lambda s: wt.print_value(s, "now"))[name]
    (a,) = wt.FunctionGraph(outputs=[double]).inputs
    assert wt.function([a], double, mode=mode)(1.0) == 8.0
    seen = capfd.readouterr().out.replace("[", "").replace("]", "").replace(". ", ".0 ")
    lines = [line.rstrip(".0") for line in seen.splitlines()]
    assert lines == ["step 0: now 2", "step 1: now 4", "step 2: now 8"]
    limited = prints_and_checks(lambda s: wt.assert_op(s, s < 3, message="too large"))[name]
    (a,) = wt.FunctionGraph(outputs=[limited]).inputs
    with pytest.raises(AssertionError, match="too large") as caught:
        wt.function([a], limited, mode=mode)(1.0)
    assert any(note.startswith("in step 1 of") for note in caught.value.__notes__)


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_conditions_that_may_fail(mode: str) -> None:
    place = wt.while_loop(lambda i: x[i] > 0, lambda i: i + 1, 0)
    f = wt.function([x], place, mode=mode)
    assert f([1.0, 2.0, -1.0]) == 2
    with pytest.raises(IndexError):
        f([1.0, 2.0, 3.0])
    checked = wt.while_loop(
        lambda s: wt.check_and_raise(s, s < 9, ValueError, "grows without end") > 0,
        lambda s: s * 2,
        x[0],
    )
    with pytest.raises(ValueError, match="grows without end"):
        wt.function([x], checked, mode=mode)([1.0])
    squares = wt.map(lambda v: wt.check_and_raise(v, v > 0, ValueError, "below zero"), x)
    with pytest.raises(ValueError, match="below zero") as caught:
        wt.function([x], squares, mode=mode)([1.0, -1.0])
    assert "for element 1 of a map" in caught.value.__notes__


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_profiles_have_the_time_of_loops_and_the_lines_of_bodies(mode: str) -> None:
    def body(s: Any, v: Any) -> Any:
        part = wt.sin(s * 0.75)  # like no other test's
        return part * v + part, None

    f = wt.function([x], wt.loop.scan(body, 0.5, x)[0], mode=mode)
    slowest = f.profile([1.0] * 1000).timings[0]
    assert slowest.ops == "loop"
    lines = [place.rpartition(": ")[2] for place in slowest.places]
    assert {"part = wt.sin(s * 0.75)  # like no other test's", "return part * v + part, None"} < {
        *lines
    }


def in_both_loops(s: Any, v: Any) -> Any:
    """A step of a loop with another in it, whose state is limited."""
    inner = wt.fori_loop(0, 3, lambda i, t: wt.assert_op(t + v, t < 6, message="limit"), s)
    return inner, None


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_messages_tell_the_steps_of_all_loops(mode: str) -> None:
    f = wt.function([x], wt.loop.scan(in_both_loops, 0.0, x)[0], mode=mode)
    assert f([1.0, 1.0]) == 6.0
    with pytest.raises(AssertionError, match="limit") as caught:
        f([1.0, 2.0, 1.0])
    notes = [note for note in caught.value.__notes__ if note.startswith("in step")]
    assert notes == ["in step 2 of a loop", "in step 1 of a loop"]


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_messages_of_what_python_says_again_tell_each_step_once(mode: str) -> None:
    f = wt.function([x], wt.fori_loop(0, 3, lambda j, t: t + x[j + wt.arange(4)], x), mode=mode)
    with pytest.raises(IndexError, match="index 4 is out of bounds for axis 0") as caught:
        f([1.0, 2.0, 3.0, 4.0])
    notes = [note for note in caught.value.__notes__ if note.startswith("in step")]
    assert notes == ["in step 1 of a loop"]


def test_names_of_bodies_are_shown() -> None:
    sums = wt.scan(lambda v, s: s + v, x, 0.0, name="running sum")
    assert "\ninside loop running sum:\n" in wt.dprint(sums, "str")
    f = wt.function([x], [sums[-1], wt.grad((sums * sums).sum(), x)], mode="py")
    shown = wt.dprint(f, "str")
    assert "loop running sum " in shown
    assert "loop running sum_pullback" in shown
    assert any(t.ops == "loop running sum" for t in f.profile([1.0, 2.0]).timings)
