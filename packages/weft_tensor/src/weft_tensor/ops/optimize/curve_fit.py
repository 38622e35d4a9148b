"""Curves through points: nonlinear regression with the covariance of its parameters."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from weft_graph.extend import called
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.lazy_import import lazy_import
from weft_tensor.build.variable import SizeLike, TensorLike, TensorVariable
from weft_tensor.ops.elementwise.comparison import where
from weft_tensor.ops.linalg.cholesky import cholesky
from weft_tensor.ops.linalg.solve import solve_triangular
from weft_tensor.ops.optimize.least_squares import least_squares
from weft_tensor.ops.shape.length import lengths_of

__all__ = ["CurveFit", "curve_fit"]


class CurveFit(NamedTuple):
    """The parameters of a curve, and how well points determine them."""

    popt: TensorVariable
    """The parameters with the least sum of squares; NaN where the search did not end at one."""
    pcov: TensorVariable
    """Their covariance: the roots of its diagonal are standard errors."""


def curve_fit(
    f: Callable[..., Any],
    xdata: Any,
    ydata: TensorLike,
    p0: TensorLike | None = None,
    sigma: TensorLike | None = None,
    absolute_sigma: bool = False,
    *,
    bounds: Any = (-np.inf, np.inf),
    method: str | None = None,
    jac: Any = None,
    loss: str = "linear",
    maxfev: SizeLike | None = None,
) -> CurveFit:
    """The parameters with which `f(xdata, *parameters)` is nearest to `ydata`.

    See `scipy.optimize.curve_fit`, and `least_squares`, which searches, for `bounds`, `method`,
    `jac`, `loss` and what derivatives are. It unpacks as two.

    Parameters
    ----------
    f
        Takes `xdata` and each parameter, a scalar, and returns a vector like `ydata`.
    xdata
        Where the points are: anything that `f` takes.
    ydata
        A vector of values there.
    p0
        Where to begin: a vector. By default ones, as many as `f` has arguments after the first.
    sigma
        Standard deviations of `ydata`: one, or a vector; or the matrix of its covariance.
    absolute_sigma
        Whether `sigma` is in the units of `ydata`. If not, only its proportions count: the
        covariance is scaled by what the residuals say.
    maxfev
        How many steps are tried at most: 100 for each parameter by default.

    Raises
    ------
    ValueError
        if `f` takes a varying number of parameters and `p0` is not given; if `ydata` is not a
        vector, `sigma` has more than two dimensions, or `p0` is not a vector
        of known length.

    Examples
    --------
    >>> from weft_tensor import exp, vector
    >>> y, t = vector("y"), np.arange(5.0)
    >>> popt, pcov = curve_fit(lambda t, a, b: a * exp(-b * t), t, y)
    >>> values = [2.1, 1.2, 0.8, 0.4, 0.3]
    >>> popt.eval({y: values}).round(4), np.sqrt(np.diag(pcov.eval({y: values}))).round(4)
    (array([2.0865, 0.515 ]), array([0.0507, 0.0244]))
    """
    y = as_tensor(ydata)
    if y.ndim != 1:
        raise ValueError(f"curve_fit: ydata must be a vector, not {y!r}{called()}")
    start = as_tensor(np.ones(_parameters(f)) if p0 is None else p0)
    whitened = _whitening(sigma)
    count = start.type.shape[0] if start.ndim == 1 else None
    if not isinstance(count, int):
        raise ValueError(f"curve_fit: p0 must be a vector of known length, not {start!r}{called()}")

    def residuals(p: TensorVariable) -> TensorVariable:
        return whitened(as_tensor(f(xdata, *(p[i] for i in range(count)))) - y)

    fit = least_squares(residuals, start, bounds=bounds, loss=loss, maxiter=maxfev)
    inverse = lazy_import("weft_tensor.ops.matrices.least_squares.pinv")(fit.jac)
    freedom = lengths_of(y)[0] - count
    scale = 1.0 if absolute_sigma else where(freedom > 0, 2 * fit.cost / freedom, np.inf)
    return CurveFit(
        where(fit.success, fit.x, np.nan),
        where(fit.success, scale * (inverse @ inverse.T), np.nan),
    )


def _parameters(f: Callable[..., Any]) -> int:
    """How many arguments `f` takes after the first."""
    kinds = [p.kind for p in inspect.signature(f).parameters.values()]
    if any(k in (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD) for k in kinds):
        raise ValueError(f"curve_fit: give p0, for {f!r} takes any number of them{called()}")
    return len(kinds) - 1


def _whitening(sigma: TensorLike | None) -> Callable[[TensorVariable], TensorVariable]:
    """The function after which residuals have the standard deviation 1."""
    if sigma is None:
        return lambda r: r
    deviation = as_tensor(sigma)
    if deviation.ndim > 2:
        raise ValueError(f"curve_fit: sigma is a vector or a matrix, not {deviation!r}{called()}")
    if deviation.ndim < 2:
        return lambda r: r / deviation
    factor = cholesky(deviation)
    return lambda r: solve_triangular(factor, r, lower=True)
