"""Finding errors: NaN, names in JAX's texts, running without `jit`."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np
import pytest

import weft_tensor as wt
from weft_graph import Mode, function, get_value, grad
from weft_jax import JAXLinker
from weft_jax.lowering.x64 import enable_x64

x = wt.vector("x")
VALUES = np.array([1.0, 4.0])


def guarded(inputs: Any, outputs: Any, **kwargs: Any) -> Any:
    return function(inputs, outputs, mode=Mode(JAXLinker(nan_guard=True)), **kwargs)


def test_the_first_nan_is_named_with_its_line() -> None:
    root = wt.sqrt(x - 2)
    f = guarded([x], [(root * 3).sum(), x])
    assert f(np.array([3.0, 6.0]))[0] == 9.0
    with pytest.raises(FloatingPointError, match="sqrt made NaN") as caught:
        f(VALUES)
    notes = "".join(caught.value.__notes__)
    assert "test_debugging.py" in notes
    assert "root = wt.sqrt(x - 2)" in notes


def test_the_search_prints_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    f = guarded([x], wt.log(wt.print_value(x, "x =")).sum())
    with pytest.raises(FloatingPointError, match="log made NaN"):
        f(np.array([-1.0]))
    assert capsys.readouterr().out == "x = [-1.]\n"


def test_nan_among_the_inputs() -> None:
    with pytest.raises(FloatingPointError, match=r"the input <x : float64\[\?\]> has NaN"):
        guarded([x], x * 2)(np.array([np.nan]))


def test_nan_is_not_kept_as_state() -> None:
    state = wt.shared(np.array([1.0]))
    step = guarded([], [], updates={state: wt.log(state)})
    step()
    step()
    with pytest.raises(FloatingPointError, match="log made NaN"):
        step()
    assert get_value(state) == -np.inf


def test_lines_are_in_the_texts() -> None:
    f = function([x], wt.exp(x).sum(), mode="jax")
    assert "exp test_debugging.py:" in f.lower_text("hlo", VALUES)


def test_the_users_names_are_in_the_texts() -> None:
    mu = (wt.exp(x) * x).named("mu")
    layers = [wt.tanh(mu * k).named(f"layer {k}") for k in (2.0, 3.0)]
    total = (layers[0] + layers[1]).sum()
    f = function([x], [total, grad(total, x)], mode="jax")
    text = f.lower_text("hlo", VALUES)
    assert "mu: mul test_debugging.py:" in text
    assert "layer" not in text  # one line made both
    assert "tanh test_debugging.py:" in text


def test_names_reach_the_compiled_program() -> None:
    f: Any = function([x], (wt.exp(x) * x).named("mu") + 1, mode="jax")
    compiled = f._linked.program
    with enable_x64(True):
        lowered = jax.jit(compiled.load()).lower(VALUES)
        assert "mu: mul" in str(lowered.compile().as_text())


@pytest.mark.parametrize("way", ["linker", "context"])
def test_without_jit(way: str) -> None:
    y = wt.where(x > 2, wt.exp(x), x[0])
    outputs = [y, grad(y.sum(), x), x[1], *(x + k for k in range(4))]
    expected = function([x], outputs, mode="py")(VALUES)
    if way == "linker":
        f = function([x], outputs, mode=Mode(JAXLinker(disable_jit=True)))
        results = f(VALUES)
    else:
        f = function([x], outputs, mode="jax")
        with jax.disable_jit():
            results = f(VALUES)
    for result, wanted in zip(results, expected, strict=True):
        assert type(result) is np.ndarray
        np.testing.assert_allclose(result, wanted)
    with pytest.raises(IndexError):
        f(VALUES[:1])
