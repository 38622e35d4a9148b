"""Where the time of compiled functions goes: per fused group, with the user's lines."""

from time import perf_counter
from typing import Any

import numpy as np
import pytest

import weft_tensor as wt
from weft_graph import function, get_value
from weft_numba import numba_funcify
from weft_numba.inspection import assembly_code


class Slow(wt.TensorOp):
    """Much work."""

    def infer(self, *types: Any) -> Any:
        return types[0]

    def impl(self, *values: Any) -> Any:
        raise NotImplementedError("Python has no part in this")


@numba_funcify.register(Slow)
def _(op: Slow, **kwargs: Any) -> Any:
    def slow(x: Any) -> Any:
        total = 0.0
        for _ in range(200):
            for each in x:
                total += np.cos(each + total)
        return x + total

    return slow


x, y = wt.vector("x"), wt.vector("y")


def test_a_fused_group_is_one_row_with_all_its_ops_and_lines() -> None:
    raised = wt.exp(x)
    scaled = raised * y
    f = function([x, y], [wt.sum(scaled), scaled], mode="numba")
    (timing,) = f.profile(np.ones(9), np.ones(9)).timings
    assert timing.ops == "exp, mul, sum[0]"
    assert timing.nodes[1] is scaled
    assert [place.rpartition(": ")[2] for place in timing.places] == [
        "raised = wt.exp(x)",
        "scaled = raised * y",
        'f = function([x, y], [wt.sum(scaled), scaled], mode="numba")',
    ]


@pytest.mark.cases(0)
def test_calls_and_groups_have_rows_slowest_first() -> None:
    f = function([x], wt.sum(Slow()(x * 2.0)), mode="numba")
    found = f.profile(np.ones(1000))
    assert found.timings[0].ops == "Slow"
    assert {t.ops for t in found.timings} == {"Slow", "mul", "sum[0]"}
    assert "Slow : float64[?]  (line " in str(found)
    seconds = [timing.seconds for timing in found.timings]
    assert seconds == sorted(seconds, reverse=True)


@pytest.mark.cases(0)
def test_every_step_has_a_time_within_that_of_the_call() -> None:
    matrix = wt.matrix("matrix")
    f = function([x, matrix], wt.sum(Slow()(wt.exp(matrix) @ Slow()(x))), mode="numba")
    start = perf_counter()
    found = f.profile(np.ones(20), np.ones((20, 20)), repeat=1)
    assert 0 < found.seconds <= perf_counter() - start
    assert [t.ops for t in found.timings].count("Slow") == 2
    assert {t.ops for t in found.timings} > {"exp", "Slow", "sum[0]"}


def test_what_is_not_called_has_no_time() -> None:
    assert function([x], x, mode="numba").profile(np.ones(3)).timings == ()
    assert function([], wt.constant(2.0), mode="numba").profile().timings == ()


@pytest.mark.cases(0)
def test_a_call_that_is_not_usual_has_a_profile_too() -> None:
    f = function([x, y], x + y, mode="numba")
    assert {t.ops for t in f.profile(np.ones(3), np.ones(1)).timings} >= {"add"}
    with pytest.raises(ValueError, match="broadcast"):
        f.profile(np.ones(3), np.ones(2))


def test_state_and_numbers_and_large_constants() -> None:
    state = wt.shared(np.asfortranarray(np.ones((30, 30))), "state")
    s, c = wt.scalar("s"), wt.TensorType("complex128", ())("c")
    large = wt.constant(np.arange(900.0).reshape(30, 30))
    f = function([s, c], [state @ large * s, c * c], updates={state: state + s}, mode="numba")
    ops = {t.ops for t in f.profile(2.0, 1j).timings}
    assert any("matmul" in op for op in ops)
    assert get_value(state)[0, 0] == 1.0


def test_the_usual_build_has_no_clock() -> None:
    f = function([x], wt.exp(x), mode="numba")
    f.profile(np.ones(3))
    assert "look" not in f.source


def test_functions_of_many_arrays() -> None:
    inputs = [wt.vector(f"v{k}", "int64") for k in range(20)]
    f = function(inputs, [wt.exp(wt.concatenate(inputs)), inputs[7] * 2], mode="numba")
    timings = f.profile(*[np.arange(3)] * 20).timings
    assert {timing.ops for timing in timings} == {"concatenate[0]", "exp", "mul"}
    assert "weft_apart" in assembly_code(f)
