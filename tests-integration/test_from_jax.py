"""What those who come from JAX write: its names, its counts in loops, its dtypes."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import jax
import numpy as np
import pytest

import weft.tensor as wt


@pytest.mark.cases(0)
@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_counts_of_a_known_length_in_a_loop(mode: str) -> None:
    X, centres, weights = wt.matrix("X"), wt.matrix("centres"), wt.vector("weights")

    def moved(_: object, centres: Any) -> Any:
        nearest = ((X[:, None] - centres) ** 2).sum(-1).argmin(1)
        count = wt.bincount(nearest, length=centres.shape[0])
        total = wt.segment_sum(X, nearest, centres.shape[0])
        return wt.where(count[:, None] > 0, total / wt.maximum(count, 1)[:, None], centres)

    shares = wt.bincount((X[:, 0] > 0) * 3, weights, length=2)
    f = wt.function([X, centres, weights], [wt.fori_loop(0, 5, moved, centres), shares], mode=mode)
    data = np.random.default_rng(0).normal(size=(40, 2))
    expected, first = data[:3], data[:, 0] <= 0
    for _ in range(5):
        nearest = ((data[:, None] - expected) ** 2).sum(-1).argmin(1)
        expected = np.array([data[nearest == k].mean(0) for k in range(3)])
    actual = f(data, data[:3], np.arange(40.0))
    np.testing.assert_allclose(actual[0], expected)
    np.testing.assert_allclose(actual[1], [np.arange(40.0)[first].sum(), 0.0])
    with pytest.raises(ValueError, match="bincount takes no negative numbers"):
        wt.function([], wt.bincount([1, -1], length=2), mode=mode)()


def test_dtypes_have_names() -> None:
    x = wt.vector("x", dtype=wt.float32)
    assert x.dtype == wt.float32 == "float32" == np.dtype(wt.float32)
    assert x.astype(wt.bool).dtype == wt.zeros(2, dtype=wt.bool_).dtype == "bool"
    assert (wt.float32(0.5) * x).dtype == "float32"
    assert wt.finfo(x.dtype).eps == wt.finfo(x).eps == np.finfo("f4").eps
    assert wt.result_type(x, wt.int32) == "float64"


@pytest.mark.parametrize(
    ("name", "instead"),
    [
        ("clamp", "clip"),
        ("custom_vjp", "custom_pullback"),
        ("dynamic_slice", r"x\[i : i \+ n\]"),
        ("lgamma", "gammaln"),
        ("reduce_max", "max"),
        ("rsqrt", r"1 / sqrt\(x\)"),
        ("tree", "tree_map"),
    ],
)
def test_a_name_of_jax_says_ours(name: str, instead: str) -> None:
    with pytest.raises(AttributeError, match=f"did you mean {instead}"):
        getattr(wt, name)


def test_numbers_that_loops_begin_with_take_their_dtype_from_the_steps() -> None:
    single, double, count = wt.fvector("single"), wt.vector("double"), wt.iscalar("count")
    last, _ = wt.loop.scan(lambda s, v: (0.5 * s + v, s), 0.0, single)
    through = wt.fori_loop(0, 3, lambda i, s: (s[0] * 0.5 + s[1], s[1] + single[i]), (1.0, 0.0))
    root = wt.while_loop(
        lambda s: abs(s * s - single[0]) > 1e-3, lambda s: (s + single[0] / s) / 2, 1.0
    )
    assert {v.dtype for v in (last, *through, root)} == {"float32"}
    wide = [
        wt.loop.scan(lambda s, v: (s + v, None), 0.0, double)[0],
        wt.loop.scan(lambda s, v: (s + v[0] * v[1], None), 0.0, (single, double))[0],
        wt.fori_loop(0, count, lambda i, s: s * count + single[i], 0.0),
        wt.fori_loop(0, 3, lambda i, s: 0.5 * s, 1.0),
        wt.loop.scan(lambda s, v: (s + v, None), np.float64(0), single)[0],
    ]
    assert {v.dtype for v in wide} == {"float64"}
    f = wt.function([single], [last, wt.grad(last, single)], mode="py")
    value, slope = f([1.0, 2.0, 4.0])
    assert value == 5.25
    assert slope.tolist() == [0.25, 0.5, 1.0]


def test_functions_in_place_of_values_are_told() -> None:
    x = wt.vector("x")
    uncalled: Any = wt.sin
    with pytest.raises(TypeError, match=r"ifelse\(condition, f\(x\), g\(x\)\)"):
        wt.ifelse(x[0] > 0, uncalled, uncalled)
    with pytest.raises(TypeError, match=r"call it, as in grad\(f\(x\), x\)"):
        wt.grad(uncalled, x)
    alone: Any = wt.grad
    both: Any = wt.value_and_grad
    with pytest.raises(TypeError, match=r"call it, as in grad\(f\(x\), x\)"):
        alone(uncalled)
    with pytest.raises(TypeError, match=r"as in value_and_grad\(f\(x\), x\)"):
        both(uncalled, has_aux=True)
    with pytest.raises(TypeError, match=r"with respect to what is not said"):
        alone(x.sum())


PAGE = Path(__file__).parents[1] / "docs/from_jax.md"
TABLE = re.search(r"### Arrays\n.*?---[ |]*\n(.*?)\n\n", PAGE.read_text(), re.DOTALL)


@pytest.mark.parametrize("row", TABLE[1].splitlines() if TABLE else [])
def test_a_row_of_the_table_says_the_same_twice(row: str) -> None:
    arrays = {
        "x": np.array([0.7, 0.2, 0.9, 0.5]),
        "m": np.arange(12.0).reshape(3, 4) ** 1.5,
        "i": np.array([3, 1, -5, 4]),
        "k": np.array([2, 1, 3, 1]),
    }
    theirs, ours = (re.findall("`(.*?)`", side) for side in row.strip("| ").split(" | "))
    inputs = {name: wt.as_tensor(value) for name, value in arrays.items()}
    with jax.enable_x64(True):
        traced = {name: jax.numpy.asarray(value) for name, value in arrays.items()}
        expected = [eval(code, vars(jax.lax) | traced) for code in theirs]
    for code, reference in zip(ours, expected, strict=True):
        value = eval(code, {"wt": wt} | inputs).eval()
        np.testing.assert_allclose(value, reference, rtol=1e-6)
        assert value.shape == reference.shape
