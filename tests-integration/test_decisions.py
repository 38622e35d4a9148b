"""What values decide is decided once, however often backends compute and round the values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import jax
import jax.export
import numpy as np
import pytest

import weft.tensor as wt
from weft_graph import Mode, function
from weft_jax import JAXLinker, as_jax

pytestmark = pytest.mark.optimized


def _gram(x: Any, w: Any) -> Any:
    return -2 * (wt.expand_dims(x, 1) * x) + wt.expand_dims(x * x, 1) + x * x


def _differences(x: Any, w: Any) -> Any:
    return wt.expand_dims(x, 1) * x - wt.expand_dims(x * x, 1)


def _weighted(x: Any, w: Any) -> Any:
    return wt.expand_dims(x, 1) * x * w - w * wt.expand_dims(x * x, 1)


def _largest(u: Any) -> Any:
    """How many elements of each row are its largest one."""
    return wt.eq(u, wt.expand_dims(wt.max(u, 1), 1)).sum(1)


_SUMS: Final = (_gram, _differences, _weighted)
"""Sums that are exactly 0 on their diagonals, where products are rounded."""


def _decisions(u: Any, x: Any, w: Any) -> list[Any]:
    cut = wt.where(u > 0, w, wt.where(wt.eq(u, 0), w / 2, 0))
    return [
        *(cut.sum(0), cut.sum(1), cut @ x, cut),
        *(wt.sign(u), wt.sqrt(u), _largest(u), wt.argmax(u, 1), u - wt.floor(u), wt.floor(u)),
        *(wt.grad((wt.maximum(u, 0) * w).sum(), [x, w]), wt.grad(wt.max(u, 1).sum(), x)),
    ]


def _drawn(dtype: str, n: int = 25) -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    return rng.normal(size=n).astype(dtype), rng.normal(size=(n, n)).astype(dtype)


def _flat(outputs: Sequence[Any]) -> list[Any]:
    return [v for o in outputs for v in (_flat(o) if isinstance(o, list) else [o])]


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("of", _SUMS)
def test_decided_as_in_python(of: Callable[..., Any], dtype: str) -> None:
    x, w = wt.vector("x", dtype), wt.matrix("w", dtype)
    outputs = _flat(_decisions(of(x, w), x, w))
    values = _drawn(dtype)
    with np.errstate(invalid="ignore"):
        expected = function([x, w], outputs, mode="py")(*values)
    found = function([x, w], outputs, mode="jax")(*values)
    tolerance = 1e-12 if dtype == "float64" else 1e-4
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance)


@pytest.mark.cases("jax")
@pytest.mark.parametrize("mode", ["numba", "jax"])
def test_in_loops(mode: str) -> None:
    x, w = wt.vector("x"), wt.matrix("w")

    def row(xi: Any, wi: Any) -> list[Any]:
        u = xi * x * wi - wi * (xi * xi)
        return [wt.sqrt(u), wt.sign(u), wt.where(u >= 0, w[0], 0.0).sum()]

    outputs = wt.map(row, [x, w])
    values = _drawn("float64")
    with np.errstate(invalid="ignore"):
        expected = function([x, w], outputs, mode="py")(*values)
    for a, b in zip(function([x, w], outputs, mode=mode)(*values), expected, strict=True):
        np.testing.assert_allclose(a, b, atol=1e-14)


@pytest.mark.cases(2)
@pytest.mark.parametrize("mode", ["numba", "jax"])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("name", ["expm1", "sinh", "arctan", "tanh", "arcsinh", "cbrt"])
def test_slopes_of_the_largest(name: str, dtype: str, mode: str) -> None:
    """One number's function may differ in its last place from that of many at once."""
    x = wt.matrix("x", dtype)
    y = getattr(wt, name)(x)
    outputs = [wt.grad(m(y, k).sum(), x) for m in (wt.max, wt.min) for k in (0, 1)]
    values = np.random.default_rng(0).uniform(0.1, 0.9, (60, 61)).astype(dtype)
    expected = function([x], outputs, mode="py")(values)
    for a, b in zip(function([x], outputs, mode=mode)(values), expected, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-4)


def test_transformed_by_jax() -> None:
    """Slopes pass through what is rounded, forward and backward, and batches are as single ones."""
    x, w = wt.vector("x"), wt.matrix("w")
    f = function([x, w], wt.sqrt(1 + wt.maximum(_weighted(x, w), 0)).sum(), mode="py")
    slope = function([x, w], wt.grad(f.outputs, x), mode="py")
    xs, ws = _drawn("float64")
    with jax.enable_x64(True):
        traced = as_jax(f)
        found = jax.jit(jax.grad(traced))(xs, ws)
        many = jax.jit(jax.vmap(traced, (0, None)))(np.stack([xs, 2 * xs]), ws)
        forward = jax.jit(jax.jacfwd(traced))(xs, ws)
    np.testing.assert_allclose(found, slope(xs, ws), rtol=1e-10)
    np.testing.assert_allclose(forward, slope(xs, ws), rtol=1e-10)
    np.testing.assert_allclose(many, [f(xs, ws), f(2 * xs, ws)], rtol=1e-12)


def test_exported_for_any_length() -> None:
    x, y = wt.vector("x"), wt.vector("y")
    traced = as_jax(function([x, y], wt.sqrt(x * x - y * y), mode="py"))
    with jax.enable_x64(True):
        described: Any = jax.ShapeDtypeStruct
        symbols = [described(jax.export.symbolic_shape("n"), "float64")] * 2
        exported: Any = jax.export.export(jax.jit(traced))(*symbols)
        values = _drawn("float64")[0]
        np.testing.assert_array_equal(exported.call(values, values), 0 * values)


def test_all_values_pass() -> None:
    """Signs of zeros, infinities and NaN are what they were."""
    x, y = wt.vector("x"), wt.vector("y")
    u = x * y - y * y
    outputs = [wt.sqrt(u), wt.maximum(u, 0.0), u]
    edges = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1e300, -3.0])
    a, b = map(np.ravel, np.meshgrid(edges, edges))
    with np.errstate(all="ignore"):
        expected = function([x, y], outputs, mode="py")(a, b)
    for got, want in zip(function([x, y], outputs, mode="jax")(a, b), expected, strict=True):
        np.testing.assert_array_equal(got, want)
        np.testing.assert_array_equal(np.signbit(got)[want == 0], np.signbit(want)[want == 0])


def test_nothing_else_is_rounded() -> None:
    """What no decision depends on stays as it was, and so does a product used once."""
    x, y = wt.vector("x"), wt.vector("y")
    smooth = function([x, y], wt.exp(x * y - y * y), mode="jax")
    once = function([x, y], wt.maximum(x * y + 1, 0), mode="jax")
    decided = function([x, y], wt.sqrt(x * y - y * y), mode="jax")
    texts = [f.lower_text("stablehlo", np.ones(3), np.ones(3)) for f in (smooth, once, decided)]
    assert ["bitcast" in text for text in texts] == [False, False, True]


def test_without_a_compiler() -> None:
    x = wt.vector("x")
    f = function([x], wt.sqrt(x * x - x * x.sum()), mode=Mode(JAXLinker(disable_jit=True)))
    np.testing.assert_array_equal(f([0.0, 0.0]), [0.0, 0.0])
