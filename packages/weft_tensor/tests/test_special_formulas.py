"""The documentation of special functions that are rows of tables: examples, slopes, errors."""

from __future__ import annotations

import doctest
from collections.abc import Callable
from contextlib import redirect_stdout
from inspect import signature
from io import StringIO
from typing import Any

import numpy as np
import pytest

import weft_tensor as wt
from weft_graph import grad
from weft_tensor.ops.special.composed import degrees, orthogonal, student, tails, transforms
from weft_tensor.ops.special.noncentral.halphen import log_kv_integral

ROWS: list[Callable[..., Any]] = [
    getattr(module, name)
    for module in (degrees, orthogonal, tails, transforms)
    for name in module.__all__
] + [student.stdtr, student.stdtrit]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.__name__)
def test_the_example_of_a_row_holds_and_its_arguments_are_named(row: Callable[..., Any]) -> None:
    (example,) = doctest.DocTestParser().get_examples(row.__doc__ or "")
    with redirect_stdout(StringIO()) as printed:
        exec(example.source, {row.__name__: row})
    assert printed.getvalue() == example.want
    assert len(signature(row).parameters) == example.source.split(")")[0].count(",") + 1


def test_slopes_where_an_expression_changes() -> None:
    """Those of the function itself: at parameters of 0, at poles of gamma, at the median."""
    x, y = wt.scalar("x"), wt.scalar("y")
    special = wt.special

    def slope(function: Callable[..., Any], at: Any, *values: float) -> Any:
        inputs = [x, y][: len(values)]
        return grad(function(*inputs), at).eval(dict(zip(inputs, values, strict=True)))

    log_2 = np.log(2)
    np.testing.assert_allclose(slope(special.boxcox, y, 2.0, 0.0), log_2**2 / 2, rtol=1e-14)
    np.testing.assert_allclose(slope(special.boxcox1p, y, 1.0, 0.0), log_2**2 / 2, rtol=1e-14)
    np.testing.assert_allclose(slope(special.inv_boxcox, y, 0.5, 0.0), -np.exp(0.5) / 8)
    np.testing.assert_allclose(slope(special.inv_boxcox1p, y, 0.5, 0.0), -np.exp(0.5) / 8)
    np.testing.assert_allclose(slope(special.rgamma, x, -3.0), -6.0, rtol=1e-14)
    np.testing.assert_allclose(slope(special.stdtr, y, 1.0, 0.0), 1 / np.pi, rtol=1e-14)
    np.testing.assert_allclose(slope(special.stdtr, x, 0.5, 1.0), 0.15788477686, rtol=1e-10)
    np.testing.assert_allclose(slope(special.stdtrit, y, 1.0, 0.5), np.pi, rtol=1e-14)
    np.testing.assert_allclose(slope(special.beip, x, 0.0), 0.5, rtol=1e-14)


@pytest.mark.parametrize("name", ["jvp", "ivp", "kvp"])
def test_how_many_derivatives_is_a_whole_number(name: str) -> None:
    derivative = getattr(wt.special, name)
    with pytest.raises(TypeError, match="Python int"):
        derivative(0.0, 1.0, 1.5)
    with pytest.raises(ValueError, match="negative"):
        derivative(0.0, 1.0, -1)


def test_degrees_that_are_none() -> None:
    with pytest.raises(ValueError, match="must not be negative"):
        wt.special.eval_legendre(-1, 0.5)
    found = wt.special.eval_hermite(np.array([-1.0, 0.5, 2.0]), 0.5).eval()
    np.testing.assert_array_equal(found, [np.nan, np.nan, -1.0])


def test_polynomials_of_single_precision() -> None:
    """A degree that is a Python number leaves the dtype, as Python numbers do; a tensor may not."""
    x = np.linspace(-1, 1, 5, dtype="float32")
    for degree, dtype in ((3, "float32"), (np.array([3, 2, 1, 0, 3]), "float64")):
        found = wt.special.eval_jacobi(degree, 0.4, -0.4, x).eval()
        assert found.dtype == dtype
        wanted = wt.special.eval_jacobi(degree, 0.4, -0.4, x.astype("float64")).eval()
        np.testing.assert_allclose(found, wanted, rtol=1e-6)


def test_halphens_integral_of_large_parameters() -> None:
    """By the first term of K's expansion for large arguments."""
    b = np.array([1e17, 1e20, 1e100])
    found = log_kv_integral(0.8, b).eval()
    np.testing.assert_allclose(found, 0.5 * np.log(2 * np.pi / b), rtol=1e-12)
