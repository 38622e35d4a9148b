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
