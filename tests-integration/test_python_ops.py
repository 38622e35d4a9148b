"""Ops that run in Python, on every backend: `wrap_py` and breakpoints."""

from __future__ import annotations

import io
import pdb
import sys
from typing import Any

import numpy as np
import pytest

import weft.tensor as wt
from weft_graph import get_value

x = wt.vector("x")
BACKENDS = pytest.mark.parametrize("mode", ["py", "numba", "jax"])


def sorted_shape(fgraph: Any, node: Any, shapes: Any) -> Any:
    return shapes


def sorted_pullback(inputs: Any, outputs: Any, cotangents: Any) -> Any:
    return [(cotangents[0] * (2 * inputs[0]))]


@wt.wrap_py(
    itypes=[wt.dvector],
    otypes=[wt.dvector],
    infer_shape=sorted_shape,
    pullback=sorted_pullback,
)
def squares(values: Any) -> Any:
    assert type(values) is np.ndarray
    return values**2


@wt.wrap_py(itypes=[wt.dvector], otypes=[wt.dscalar, wt.lscalar])
def extremes(values: Any) -> Any:
    if not values.size:
        raise LookupError("there is nothing")
    return values.max(), np.int64(values.argmin())


@BACKENDS
def test_a_python_function_between_compiled_parts(mode: str) -> None:
    y = wt.exp(squares(wt.sin(x)))
    f = wt.function([x], [y, wt.grad(y.sum(), x)], mode=mode)
    values = np.array([0.1, 0.5])
    result, slope = f(values)
    inner = np.sin(values)
    np.testing.assert_allclose(result, np.exp(inner**2))
    np.testing.assert_allclose(slope, np.exp(inner**2) * 2 * inner * np.cos(values))
    assert result.dtype == slope.dtype == "float64"


@BACKENDS
def test_several_results_and_a_length_that_is_one(mode: str) -> None:
    largest, place = extremes(x)
    f = wt.function([x], [largest + 1, wt.zeros(place + 1)], mode=mode)
    more, zeros = f([3.0, 1.0, 2.0])
    assert more == 4.0
    assert zeros.shape == (2,)


@BACKENDS
def test_errors_have_the_users_line(mode: str) -> None:
    largest, _ = extremes(x)
    f = wt.function([x], largest * 2, mode=mode)
    with pytest.raises(LookupError, match="there is nothing") as caught:
        f([])
    notes = "".join(caught.value.__notes__)
    assert "while computing extremes" in notes
    assert "largest, _ = extremes(x)" in notes


@BACKENDS
def test_state_stays_where_python_fails(mode: str) -> None:
    state = wt.shared(0.0)
    f = wt.function([x], [], updates={state: state + extremes(x)[0]}, mode=mode)
    f([1.0])
    with pytest.raises(LookupError):
        f([])
    assert get_value(state) == 1.0


def stop_here() -> None:
    """Python's own debugger, in the place of pytest's."""
    pdb.Pdb(nosigint=True, readrc=False).set_trace(sys._getframe(1))


@BACKENDS
def test_a_breakpoint_stops_between_compiled_parts(
    mode: str, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    mu = wt.set_breakpoint(wt.exp(x), when=(x > 1).any(), given=x)
    total = wt.log(mu).sum()
    f = wt.function([x], [total, wt.grad(total, x)], mode=mode)
    monkeypatch.setattr(sys, "breakpointhook", stop_here)
    monkeypatch.setattr(sys, "stdin", io.StringIO(""))
    np.testing.assert_allclose(f([0.0, 1.0])[0], 1.0)
    assert capsys.readouterr().out == ""
    monkeypatch.setattr(sys, "stdin", io.StringIO("p value.shape, watched['given'].sum()\nc\n"))
    result, slope = f([0.0, 2.0])
    shown = capsys.readouterr().out
    assert "test_python_ops.py" in shown
    assert "(2,)" in shown
    assert "2.0" in shown
    np.testing.assert_allclose(result, 2.0)
    np.testing.assert_allclose(slope, [1.0, 1.0])
