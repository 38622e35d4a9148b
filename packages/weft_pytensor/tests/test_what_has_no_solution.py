"""Matrices without a solution, and choices far out: what samplers can go on from, no errors."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np
import pytensor
import pytensor.tensor as pt
import pytest
from pytensor.compile.mode import Mode
from scipy.special import erf

import_module("weft_pytensor")  # which registers the modes
THEIRS = Mode(linker="py", optimizer="fast_compile")
INDEFINITE = np.array([[1.0, 2.0], [2.0, 1.0]])
SINGULAR = np.array([[0.0, 0.0], [1.0, 2.0]])
REGULAR = np.array([[2.0, 0.0], [1.0, 2.0]])
SOLVED: dict[str, tuple[Callable[[Any, Any], Any], Any]] = {
    "positive": (lambda a, b: pt.linalg.solve(a, b, assume_a="pos"), INDEFINITE),
    "triangular": (lambda a, b: pt.linalg.solve_triangular(a, b, lower=True), SINGULAR),
    "columns": (
        lambda a, b: pt.linalg.solve_triangular(a, pt.stack([b, b], 1), lower=True, b_ndim=2),
        SINGULAR,
    ),
    "by factor": (lambda a, b: pt.linalg.cho_solve((a, True), b), SINGULAR),
}


@pytest.mark.parametrize("mode", ["WEFT_PY", "WEFT_NUMBA", "WEFT_JAX"])
@pytest.mark.parametrize("name", SOLVED)
def test_without_solution_is_not_a_number(name: str, mode: str) -> None:
    solve, without = SOLVED[name]
    a, b = pt.dmatrix("a"), pt.dvector("b")
    x = solve(a, b)
    outputs = [x] if name == "by factor" else [x, pytensor.grad(x.sum(), a)]
    f = pytensor.function([a, b], outputs, mode=mode)
    for value in f(without, np.ones(2)):
        assert np.isnan(value).any()
    regular = REGULAR @ REGULAR.T if name == "positive" else REGULAR
    theirs = pytensor.function([a, b], outputs, mode=THEIRS)
    for ours, other in zip(*(g(regular, np.ones(2)) for g in (f, theirs)), strict=True):
        np.testing.assert_allclose(ours, other, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("mode", ["WEFT_PY", "WEFT_NUMBA", "WEFT_JAX"])
def test_slopes_of_what_is_not_chosen_are_zero(mode: str) -> None:
    x = pt.dvector("x")
    root = pt.sqrt(2.0)
    far = pt.log(pt.erfcx(-x / root) / 2) - x**2 / 2
    y = pt.switch(x < -1, far, pt.log1p(-pt.erfc(x / root) / 2))
    values = np.array([-60.0, -20.0, -1.0, 0.0, 10.0, 60.0])
    functions = [
        pytensor.function([x], [y, pytensor.grad(y.sum(), x)], mode=m) for m in (mode, THEIRS)
    ]
    with np.errstate(all="ignore"):
        ours, theirs = (f(values) for f in functions)
    np.testing.assert_allclose(ours, theirs, rtol=1e-12)


@pytest.mark.parametrize("mode", ["WEFT_PY", "WEFT_NUMBA", "WEFT_JAX"])
def test_slopes_of_sums_that_a_choice_leaves_out_are_zero(mode: str) -> None:
    """The terms of a sum are chosen by other conditions, too; its factor is infinite."""
    x, limit, scale = pt.dvectors("x", "limit", "scale")
    z = limit / scale
    far = pt.switch(z > 9, pt.log(pt.erfcx(z)) - z, pt.log1p(z))
    y = pt.switch(x < 0, -np.inf, pt.log1p(-pt.erfc(z)) + 2 * far - z)
    values = (np.array([-1.0, 1.0]), np.array([np.inf, 3.0]), np.array([2.0, 0.5]))
    slopes = [y, *pytensor.grad(y.sum(), [limit, scale])]
    functions = [pytensor.function([x, limit, scale], slopes, mode=m) for m in (mode, THEIRS)]
    with np.errstate(all="ignore"):
        ours, theirs = (f(*values) for f in functions)
    for one, other in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(one[1], other[1], rtol=1e-12)
    assert [v[0] for v in ours] == [-np.inf, 0, 0]


@pytest.mark.parametrize("mode", ["WEFT_PY", "WEFT_NUMBA", "WEFT_JAX"])
def test_steps_have_no_slope_where_what_they_depend_on_is_infinite(mode: str) -> None:
    x, y = pt.dvector("x"), pt.dscalar("y")
    steps = [pt.ceil(pt.log1p(-x) / pt.log1p(-y)), pt.floor(1 / x) * y]
    wanted = pytensor.grad(pt.stack(steps).sum(), [x, y])
    f = pytensor.function([x, y], wanted, mode=mode, on_unused_input="ignore")
    np.testing.assert_array_equal(f(np.array([1.0, 0.5]), 0.0)[0], 0)


@pytest.mark.parametrize("mode", ["WEFT_PY", "WEFT_NUMBA", "WEFT_JAX"])
def test_slopes_of_half_of_a_normal_distribution_near_zero(mode: str) -> None:
    """1 + -erfc(x), where PyTensor's 1 is a whole number, is erf(x)."""
    x = pt.dvector("x")
    slope = pytensor.grad(pt.log1p(-pt.erfc(x)).sum(), x)
    values = np.array([1e-300, 1e-160, 1e-12, 0.5])
    found = pytensor.function([x], slope, mode=mode)(values)
    np.testing.assert_allclose(found[:3], 1 / values[:3], rtol=1e-12)
    np.testing.assert_allclose(found[3], 2 / np.sqrt(np.pi) * np.exp(-0.25) / erf(0.5), rtol=1e-12)


@pytest.mark.parametrize("mode", ["WEFT_PY", "WEFT_NUMBA", "WEFT_JAX"])
def test_slopes_of_small_scales(mode: str) -> None:
    """Through a new axis, which then was dropped, the third power of the scale was computed."""
    x, log_scale = pt.tensor("x", shape=(5,), dtype="float64"), pt.dscalar("s")
    scale = pt.exp(log_scale)
    density = -0.5 * (x / scale) ** 2 - pt.log(scale)
    slope = pytensor.grad(density.sum(), log_scale)
    found = pytensor.function([x, log_scale], slope, mode=mode)(np.full(5, 1.5), -240.0)
    np.testing.assert_allclose(found, 5 * 1.5**2 * np.exp(480.0), rtol=1e-12)


@pytest.mark.parametrize("mode", ["WEFT_PY", "WEFT_NUMBA", "WEFT_JAX"])
def test_what_is_left_of_an_exponential_with_one_less_and_one_more(mode: str) -> None:
    """So PyMC writes negative binomial distributions, which had no density for small shapes."""
    x = pt.dscalar("x")
    y = pt.gammaln(pt.exp(x) - 1 + 1) - pt.gammaln(1 - (1 - pt.exp(2 * x)))
    found = pytensor.function([x], y, mode=mode)(-50.0)
    np.testing.assert_allclose(found, -50.0, rtol=1e-12)
