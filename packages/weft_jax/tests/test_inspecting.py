"""Texts, costs and exported files of functions compiled for JAX."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weft_tensor as wt
from weft_graph import Function, function, grad

X = wt.matrix("X", shape=("n", "p"))
w = wt.vector("w", shape=("p",))
n = wt.scalar("n", "int64")
loss = (wt.tanh(X @ w) ** 2).mean()
ARGUMENTS = np.ones((4, 3)), np.full(3, 0.1)


@pytest.fixture(scope="module")
def f() -> Function:
    return function([X, {"w": w}], {"loss": loss, "slope": grad(loss, w)}, mode="jax")


def test_texts(f: Function) -> None:
    given = ARGUMENTS[0], {"w": ARGUMENTS[1]}
    assert "f64[4,3]" in f.lower_text("jaxpr", *given)
    assert f.lower_text("stablehlo", *given).count("stablehlo.dot_general") == 2
    assert f.lower_text("hlo", *given).startswith("HloModule")
    with pytest.raises(ValueError, match="'jaxpr', 'stablehlo' or 'hlo', not 'llvm'"):
        f.lower_text("llvm", *given)


def test_shapes_must_be_known(f: Function) -> None:
    with pytest.raises(ValueError, match=r"shape of <X : float64\[n, p\]> is not known: give ex"):
        f.lower_text("jaxpr")


def test_sizes_are_numbers_in_texts() -> None:
    ramp = function([n], wt.arange(n).sum(), mode="jax")
    assert "7" in ramp.lower_text("jaxpr", 7)


def test_known_exponents_are_looked_at_before_xla_sees_them() -> None:
    """XLA takes seconds to compare as many equal numbers as an array has elements."""
    v, y = wt.lvector("v"), wt.lvector("y")
    for power in (v**3, v**100, v ** np.array([[2], [70]])):
        text = function([v], power, mode="jax").lower_text("jaxpr", np.arange(9))
        assert " ge " not in text
    text = function([v, y], v**y, mode="jax").lower_text("jaxpr", np.arange(9), np.arange(9))
    assert " ge " in text


def test_powers_for_all_lengths_are_exported(tmp_path: Path) -> None:
    v = wt.vector("v", "int64", shape=("n",))
    outputs = [v**3, v**100, v ** np.array([70])]
    function([v], outputs, mode="jax").export(tmp_path / "powers")


def test_state_is_an_argument_of_the_text() -> None:
    state = wt.shared(np.ones((2, 5)))
    step = function([], state.sum(), updates={state: state * 2}, mode="jax")
    assert "f64[2,5]" in step.lower_text("jaxpr")


def test_costs() -> None:
    A = wt.matrix("A", shape=(10, 20))
    B = wt.matrix("B", shape=(20, 30))
    f = function([A, B], A @ B, mode="jax")
    assert f.cost_analysis()["flops"] == pytest.approx(2 * 10 * 20 * 30, rel=0.1)
    assert f.memory_analysis().argument_size_in_bytes == 8 * (10 * 20 + 20 * 30)


def test_other_backends_offer_none_of_this() -> None:
    with pytest.raises(AttributeError, match="compiled for py has no attribute 'lower_text'"):
        _ = function([w], w, mode="py").lower_text


LOAD = """
import sys, jax, numpy as np
from jax import export
with open(sys.argv[1], "rb") as file:
    loaded = export.deserialize(bytearray(file.read()))
with jax.enable_x64(True):
    for rows in map(int, sys.argv[2:]):
        result = loaded.call(np.ones((rows, 3)), {"w": np.full(3, 0.1)})
        print(repr(float(result["loss"])), result["slope"].dtype)
assert not [name for name in sys.modules if name.startswith("weft")]
"""


def loaded(path: Path, *rows: int) -> Any:
    command = [sys.executable, "-c", LOAD, str(path), *map(str, rows)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()


@pytest.mark.cases(0)
def test_a_process_without_weft_runs_what_was_exported(f: Function, tmp_path: Path) -> None:
    f.export(tmp_path / "model")
    value, dtype, other, _ = loaded(tmp_path / "model", 4, 7)
    assert float(value) == pytest.approx(np.tanh(0.3) ** 2, rel=1e-14)
    assert float(other) == pytest.approx(np.tanh(0.3) ** 2, rel=1e-14)
    assert dtype == "float64"


@pytest.mark.cases(0)
def test_export_for_the_shapes_of_examples(f: Function, tmp_path: Path) -> None:
    f.export(tmp_path / "model", ARGUMENTS[0], {"w": ARGUMENTS[1]})
    assert len(loaded(tmp_path / "model", 4)) == 2
    with pytest.raises(subprocess.CalledProcessError):
        loaded(tmp_path / "model", 7)


def test_export_says_what_it_can_not_do(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"depend on the values of <n : int64>"):
        function([n], wt.arange(n), mode="jax").export(tmp_path / "model")
    state = wt.shared(1.0)
    with pytest.raises(ValueError, match="can't be exported"):
        function([], [], updates={state: state + 1}, mode="jax").export(tmp_path / "model")


def test_what_is_known_of_lengths_is_no_result_of_a_call() -> None:
    x = wt.vector("x")

    def step(total: wt.TensorVariable, pair: tuple[wt.TensorVariable, ...]) -> Any:
        return total + pair[0], total * pair[1]

    def sums_times(after: wt.TensorVariable) -> Function:
        return function([x], wt.loop.scan(step, 0.0, (x[:-1], after))[1], mode="jax")

    f = sums_times(x[1:])
    assert "tensor<i1>" not in f.lower_text("stablehlo", np.arange(4.0)).partition("cond {")[0]
    np.testing.assert_allclose(f([1.0, 2.0, 3.0]), [0.0, 3.0])
    with pytest.raises(ValueError, match="sequence 1 has not as many elements"):
        sums_times(x[2:])([1.0, 2.0, 3.0])
