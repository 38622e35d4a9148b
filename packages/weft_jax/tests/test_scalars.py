"""Functions of numbers that are computed in a way of our own."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.special

import weft_tensor as wt
from weft_graph import Mode, function, grad

x = wt.vector("x")
SPECIAL = np.array([0.0, -0.0, np.inf, -np.inf, np.nan])


def test_a_sigmoid_and_its_slope_share_an_exponential() -> None:
    both = [wt.sigmoid(x), wt.sigmoid(x) * wt.sigmoid(-x)]
    f = function([x], both, mode=Mode("jax", books=[]))
    values = np.concatenate([np.linspace(-700.0, 700.0, 1_001), SPECIAL])
    expected = scipy.special.expit(values)
    value, slope = f(values)
    np.testing.assert_allclose(value, expected, rtol=1e-15)
    np.testing.assert_allclose(slope, expected * scipy.special.expit(-values), rtol=1e-15)
    assert f.lower_text("hlo", values).count(" exponential(") == 1


def test_logarithms_of_both_shares_have_one_exponential_and_one_logarithm() -> None:
    f = function([x], [wt.softplus(x), wt.softplus(-x)], mode="jax")
    values = np.concatenate([np.linspace(-700.0, 700.0, 1_001), SPECIAL])
    for result, sign in zip(f(values), (1, -1), strict=True):
        expected = -scipy.special.log_expit(-sign * values)
        np.testing.assert_allclose(result, expected, rtol=1e-15)
    text = f.lower_text("hlo", values)
    assert [text.count(f" {name}(") for name in ("exponential", "log-plus-one")] == [1, 1]


def test_log1p_where_the_series_of_xla_is_wrong() -> None:
    values = np.concatenate([np.linspace(-0.5, -0.25, 2_001), SPECIAL, [-1.0]])
    with np.errstate(divide="ignore", invalid="ignore"):
        expected = np.log1p(values)
    result = function([x], wt.log1p(x), mode="jax")(values)
    np.testing.assert_allclose(result, expected, rtol=4e-16)


def test_exp2_from_the_least_to_the_largest() -> None:
    values = np.concatenate([np.linspace(-1022.0, 1023.9, 4_001), SPECIAL, [1024.0, -2000.0]])
    with np.errstate(over="ignore"):
        expected = np.exp2(values)
    result = function([x], wt.exp2(x), mode="jax")(values)
    np.testing.assert_allclose(result, expected, rtol=3e-16)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_the_root_of_1_and_a_square_does_not_overflow(dtype: str) -> None:
    most = np.finfo(dtype).max
    z = np.array([0, 0.5, -3, most**0.25, 1e7, most**0.5, -most, np.inf, np.nan], dtype)
    x = wt.vector("x", dtype)
    f = function([x], [wt.sqrt(1 + x**2), grad(wt.sum(wt.hypot(x, 1)), x)], mode="jax")
    root, slope = f(z)
    np.testing.assert_allclose(root, np.hypot(z, 1), rtol=float(4 * np.finfo(dtype).eps))
    np.testing.assert_allclose(slope[:-2], z[:-2] / np.hypot(z[:-2], 1), rtol=1e-6)
