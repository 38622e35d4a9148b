"""What derivatives of long loops remember, and that long loops are no longer programs."""

from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np
import pytest

import weft.tensor as wt

WIDTH = 8
start, a, n = wt.vector("start", shape=(WIDTH,)), wt.scalar("a"), wt.lscalar("n")


def slope(checkpoint: Any, steps: Any = n) -> Any:
    """The derivative of what so many steps give, by `a`."""
    last, _ = wt.loop.scan(
        lambda s, _: (wt.tanh(s * a) + 0.1, None), start, length=steps, checkpoint=checkpoint
    )
    return wt.grad(last.sum(), a)


def states_alive(f: Any, *values: Any) -> float:
    """How many states there is room for at most, during a call."""
    f(*values[:-1], 10)
    tracemalloc.start()
    try:
        f(*values)
        return tracemalloc.get_traced_memory()[1] / (8 * WIDTH)
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(("checkpoint", "most"), [("sqrt", 500), (50, 600), (10, 1200)])
def test_checkpoints_save_memory(checkpoint: Any, most: int) -> None:
    f = wt.function([start, a, n], slope(checkpoint), mode="numba")
    assert states_alive(f, np.linspace(0, 1, WIDTH), 0.9, 10_000) < most


@pytest.mark.cases(0)
def test_checkpoints_save_memory_in_python() -> None:
    all_kept, some_kept = [
        states_alive(
            wt.function([start, a, n], slope(checkpoint), mode="py"), np.ones(WIDTH), 0.9, 2_500
        )
        for checkpoint in (False, "sqrt")
    ]
    assert all_kept > 5_000 > 1_500 > some_kept


@pytest.mark.cases(0)
def test_a_million_steps_take_the_memory_of_5000_states() -> None:
    values = np.linspace(0, 1, WIDTH), 0.9, 1_000_000
    f = wt.function([start, a, n], slope("sqrt"), mode="numba")
    assert states_alive(f, *values) < 5_000


@pytest.mark.cases(0)
def test_a_million_steps_on_jax() -> None:
    f = wt.function([start, a], slope("sqrt", 1_000_000), mode="jax")
    found = f.memory_analysis(np.linspace(0, 1, WIDTH), 0.9)
    assert found.temp_size_in_bytes < 4_500 * 8 * WIDTH


@pytest.mark.parametrize("reverse", [False, True])
def test_states_before_steps_are_not_copied_on_jax(reverse: bool) -> None:
    s = wt.vector("s", shape=(1_000,))
    last, _ = wt.loop.scan(lambda s, _: (a * s * (1 - s), None), s, length=100, reverse=reverse)
    f = wt.function([s, a], wt.grad(last.sum(), [s, a]), mode="jax")
    assert f.memory_analysis(np.ones(1_000), 2.0).temp_size_in_bytes < 450 * 8 * 1_000


@pytest.mark.cases("100-jax", "False-py", "sqrt-py")
@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
@pytest.mark.parametrize("checkpoint", [False, "sqrt", 100])
def test_long_loops_are_no_longer_programs(mode: str, checkpoint: Any) -> None:
    short, long = [
        wt.function([start, a], slope(checkpoint, steps), mode=mode) for steps in (1_000, 1_000_000)
    ]
    assert len(short.graph.nodes) == len(long.graph.nodes)
    if mode != "jax":
        assert len(short.source) == len(long.source)
