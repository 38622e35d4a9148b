"""What XLA is options: which graphs, what it does not understand, and the same results."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np
import pytest

import weft_tensor as wt
from weft_graph import FunctionGraph, function, grad
from weft_jax.compile.xla_options import (
    FEW,
    cheap_sums,
    is_flat,
    sums_chains,
    sums_choices,
    xla_options_for,
)
from weft_jax.lowering.x64 import enable_x64
from weft_jax.runtime import jit_with_options
from weft_jax.runtime.jit_with_options import JitWithOptions
from weft_tensor.extend import kinds_of

x = wt.vector("x")
X = wt.matrix("X")

SUMS = {
    "sum": wt.where(x < 0, x, 0.0).sum(),
    "rows": wt.where(X < 0, X, 1.0).sum(axis=1),
    "count": (x > 0.5).sum(),
    "huber": wt.where(abs(x) < 1, 0.5 * x * x, abs(x) - 0.5).sum(),
}
OTHERS = {
    "no choice": (x * x).sum(),
    "columns": wt.where(X < 0, X, 0.0).sum(axis=0),
    "exponentials": wt.where(x < 0, wt.exp(x), 0.0).sum(),
    "maximum": wt.where(x < 0, x, 0.0).max(),
    "product": wt.where(X < 0, X, 0.0).sum() + (X @ X).sum(),
}


def summed(step: Any, first: Any = 0.0) -> Any:
    """The sum of what a loop over x gives."""
    return wt.loop.scan(lambda s, v: (step(s, v), s), first, x)[1].sum()


def cheap(y: Any) -> Any:
    return cheap_sums(kinds_of(FunctionGraph(outputs=[y])))


SPECIAL = (np.nan, -np.nan, np.inf, -np.inf, -0.0)


def test_which_graphs_are_options_to_use_loops() -> None:
    assert all(sums_choices(cheap(y)) for y in SUMS.values())
    assert not any(sums_choices(cheap(y)) for y in OTHERS.values())


def test_sums_of_chains_of_cheap_functions_are_loops() -> None:
    chains = {
        "squares": wt.square(x - 1.0).sum(),
        "rows": ((X - x) / 2.0).sum(axis=1),
        "differences": wt.square(wt.diff(x)).sum(),
        "variance": x.var(),
        "quotients": (1 / (1 + x * x)).sum(),
        "slices": x[1:].sum(),
        "every third": X[:, ::3].sum(axis=1),
        "neighbours": (x[1:] * x[:-1]).sum(),
    }
    others = {
        "one": (x * x).sum(),
        "none": x.sum(),
        "columns": wt.square(X - x).sum(axis=0),
        "exponentials": (wt.exp(x) * x).sum(),
    }
    assert all(sums_chains(cheap(y)) for y in chains.values())
    assert not any(sums_chains(cheap(y)) for y in others.values())


def test_which_graphs_are_compiled_by_llvm_alone() -> None:
    flat = {
        "arithmetic": wt.exp(x) * wt.expand_dims(x, 1) + 1,
        "numbers": wt.sin(x.sum()) + (x * x).sum(),
        "steps": summed(lambda s, v: wt.tanh(s * v), x.mean()),
    }
    others = {
        "normalised": x / (1 + x.sum()),
        "softmax": wt.exp(x - x.max()) / wt.exp(x - x.max()).sum(),
        "maximum": x.max(),
        "angles": wt.arctan(x),
        "rows": X.sum(axis=1),
        "product": wt.tanh(X @ x),
        "gathered": x[[0, 0]],
        "cut": wt.exp(x[1:]),
        "steps of arrays": summed(lambda s, v: wt.tanh(s * v), wt.zeros(3)),
        "long": sum((wt.sin(x * k) for k in range(90)), x),
    }
    assert [k for k, y in flat.items() if not is_flat(kinds_of(FunctionGraph(outputs=[y])))] == []
    assert [k for k, y in others.items() if is_flat(kinds_of(FunctionGraph(outputs=[y])))] == []


def test_what_xla_refuses_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jit_with_options, "_unknown", set())
    options: Any = {"weft_unheard_of": True, "xla_cpu_use_fusion_emitters": "neither"}
    jitted = JitWithOptions(lambda v, k: v * k, options, static=(1,))
    for size in (3, 3, 5):
        assert jitted.run(np.ones(size, "float32"), 2).tolist() == [2.0] * size
    assert jitted.run != jitted._first
    jitted.clear_cache()
    assert jitted.run(np.ones(2, "float32"), 3).tolist() == [3.0, 3.0]


def test_other_errors_are_raised() -> None:
    runs = []

    def fails(v: Any) -> Any:
        runs.append(v)
        raise jax.errors.JaxRuntimeError("RESOURCE_EXHAUSTED: no memory")

    with pytest.raises(jax.errors.JaxRuntimeError, match="no memory"):
        JitWithOptions(fails, {"xla_cpu_use_fusion_emitters": False}).run(np.ones(1))
    assert len(runs) == 1


@pytest.mark.parametrize("name", [*SUMS, *OTHERS])
@pytest.mark.parametrize("size", [0, 9, 30_000])
@pytest.mark.parametrize("special", [False, True])
def test_results_are_those_of_python(name: str, size: int, special: bool) -> None:
    if size == 0 and name == "maximum":
        size = 1
    y = (SUMS | OTHERS)[name]
    drawn: Any = np.random.default_rng(0).normal(size=size)
    if special:
        drawn[: len(SPECIAL)] = SPECIAL[: len(drawn)]
    arrays = {x: drawn, X: drawn[: int(size**0.5) ** 2].reshape(int(size**0.5), -1 if size else 0)}
    (v,) = (v for v in (x, X) if v in FunctionGraph(outputs=[y]).inputs)
    f, expected = (function([v], y, mode=mode) for mode in ("jax", "py"))
    with np.errstate(invalid="ignore"):
        right = expected(arrays[v])
    np.testing.assert_allclose(f(arrays[v]), right, rtol=1e-12, atol=1e-12)
    with enable_x64(True):
        np.testing.assert_allclose(f(jax.numpy.asarray(arrays[v])), right, rtol=1e-12, atol=1e-12)


def test_functions_that_are_called_for_each_element_get_no_wide_vectors() -> None:
    many, one_by_one, cheap = (
        xla_options_for(FunctionGraph(outputs=[y]))[0]
        for y in (wt.exp(x) * x, wt.exp(x) * wt.log1p(x), x * x)
    )
    assert many == one_by_one | {"xla_cpu_prefer_vector_width": 512}
    assert one_by_one == cheap


def test_gradients_are_right_too() -> None:
    both = [SUMS["huber"], grad(SUMS["huber"], x)]
    values = np.linspace(-3.0, 3.0, 20_001)
    value, slope = function([x], both, mode="jax")(values)
    np.testing.assert_allclose(
        value, np.where(abs(values) < 1, values**2 / 2, abs(values) - 0.5).sum()
    )
    np.testing.assert_allclose(slope, np.clip(values, -1.0, 1.0), atol=1e-15)


def test_large_sums_of_32_bits_stay_precise() -> None:
    rough = wt.vector("rough", "float32")
    chosen = wt.where(rough < 2.0, rough, 0.0).sum()
    options, only_small = xla_options_for(FunctionGraph(outputs=[chosen]))
    assert options
    assert only_small
    values = np.random.default_rng(0).uniform(size=4 * FEW).astype("float32")
    result = function([rough], chosen, mode="jax")(values)
    np.testing.assert_allclose(result, values.astype("float64").sum(), rtol=2e-7)


def test_rows_are_multiplied_in_steps() -> None:
    by_rows, by_columns = (
        xla_options_for(FunctionGraph(outputs=[wt.prod(X, axis=a)]))[0] for a in (0, 1)
    )
    assert by_columns
    assert not by_rows
    assert not xla_options_for(FunctionGraph(outputs=[wt.any(X > 3.0, axis=0)]))[0]
    values = np.random.default_rng(0).normal(size=(300, 7))
    found = function([X], wt.prod(X, axis=0), mode="jax")(values)
    np.testing.assert_allclose(found, values.prod(axis=0), rtol=1e-13)


@pytest.mark.parametrize("dtype", ["int8", "uint8"])
def test_extremes_of_eight_bits_are_found_after_wrapping_around(dtype: str) -> None:
    x = wt.matrix("x", dtype)
    values = np.random.default_rng(0).integers(0, 127, (500, 1000)).astype(dtype)
    found = function([x], [wt.max(x * x, axis=0), wt.min(x + x, axis=1)], mode="jax")(values)
    expected = (values * values).max(axis=0), (values + values).min(axis=1)
    for got, want in zip(found, expected, strict=True):
        np.testing.assert_array_equal(got, want)


def test_rows_of_integers_are_summed_in_steps() -> None:
    whole = wt.matrix("whole", "int32")
    by_rows, by_columns, of_floats = (
        xla_options_for(FunctionGraph(outputs=[y]))[0]
        for y in (whole.sum(axis=0), whole.sum(axis=1), X.sum(axis=0))
    )
    assert "xla_disable_hlo_passes" not in by_rows
    assert by_columns["xla_disable_hlo_passes"] == of_floats["xla_disable_hlo_passes"]
