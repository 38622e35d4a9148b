"""Densities by kernels around observations."""

from __future__ import annotations

from collections.abc import Callable
from math import log as number_log
from math import pi
from typing import Any

from weft_graph.extend import called
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.elementwise.exponential import exp, log
from weft_tensor.ops.linalg.cholesky import cholesky
from weft_tensor.ops.linalg.matmul import matmul
from weft_tensor.ops.linalg.solve import solve_triangular
from weft_tensor.ops.linalg.square import diagonal_of
from weft_tensor.ops.reduction.logsumexp_softmax import logsumexp
from weft_tensor.ops.reduction.standard import sum
from weft_tensor.ops.sample_statistics.samples import numbers
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.shape.reshape import expand_dims

__all__ = ["gaussian_kde"]


class gaussian_kde:  # SciPy's name
    """A density that is the mean of normal ones around observations.

    See `scipy.stats.gaussian_kde`.

    Parameters
    ----------
    dataset
        A vector of observations, or a matrix with one row for each variable.
    bw_method
        The factor of the observations' standard deviations that is the width of a kernel: "scott"
        (the default), "silverman", a number, or a function of this object.
    weights
        How much each observation counts; equally by default.

    Raises
    ------
    ValueError
        for more axes, another `bw_method`, and weights that are no vector.

    Examples
    --------
    >>> density = gaussian_kde([0.0, 1.0, 2.0])
    >>> density([1.0, 3.0]).eval().round(4)
    array([0.3182, 0.0838])
    """

    def __init__(
        self,
        dataset: TensorLike,
        bw_method: str | TensorLike | Callable[[Any], TensorLike] | None = None,
        weights: TensorLike | None = None,
    ) -> None:
        rows = numbers(dataset)
        if rows.ndim not in (1, 2):
            raise ValueError(f"gaussian_kde takes a vector or a matrix, not {rows!r}{called()}")
        self.dataset = rows if rows.ndim == 2 else expand_dims(rows, 0)
        self.d, self.n = lengths_of(self.dataset)
        shares = numbers(1.0 if weights is None else weights).astype(rows.dtype)
        if weights is not None and shares.ndim != 1:
            raise ValueError(f"weights of gaussian_kde are a vector, not {shares!r}{called()}")
        shares = shares + 0 * self.dataset[0]
        self.weights = shares / sum(shares)
        self.neff = 1 / sum(self.weights**2)
        self.set_bandwidth(bw_method)

    def scotts_factor(self) -> TensorVariable:
        """n**(-1 / (d + 4)), of the number of observations that count."""
        return self.neff ** (-1 / (self.d + 4)).astype(self.neff.dtype)

    def silverman_factor(self) -> TensorVariable:
        """(n (d + 2) / 4)**(-1 / (d + 4))."""
        d = self.d.astype(self.neff.dtype)
        return (self.neff * (d + 2) / 4) ** (-1 / (d + 4))

    def set_bandwidth(
        self, bw_method: str | TensorLike | Callable[[Any], TensorLike] | None = None
    ) -> None:
        """Take another width of kernels, as when it is made."""
        if bw_method is None or (isinstance(bw_method, str) and bw_method == "scott"):
            factor: Any = self.scotts_factor()
        elif isinstance(bw_method, str):
            if bw_method != "silverman":
                names = "'scott', 'silverman', a number or a function"
                raise ValueError(f"bw_method is {names}, not {bw_method!r}{called()}")
            factor = self.silverman_factor()
        else:
            factor = bw_method(self) if callable(bw_method) else bw_method
        self.factor = numbers(factor).astype(self.neff.dtype)
        middle = sum(self.dataset * self.weights, -1, keepdims=True)
        apart = self.dataset - middle
        spread = matmul(apart * self.weights, apart.T) / (1 - sum(self.weights**2))
        self.covariance = spread * self.factor**2

    def logpdf(self, x: TensorLike) -> TensorVariable:
        """The logarithm of the density at points: a vector, or columns of a matrix."""
        points = numbers(x)
        points = points if points.ndim == 2 else points.reshape((1, -1))
        root = cholesky(self.covariance)
        centers, at = (solve_triangular(root, v, lower=True) for v in (self.dataset, points))
        squares = sum((expand_dims(at, -1) - expand_dims(centers, -2)) ** 2, 0)
        heights = logsumexp(log(self.weights) - squares / 2, axis=-1)
        scale = sum(log(diagonal_of(root))) + self.d.astype(root.dtype) * (number_log(2 * pi) / 2)
        return heights - scale

    def evaluate(self, points: TensorLike) -> TensorVariable:
        """The density at points: a vector, or columns of a matrix."""
        return exp(self.logpdf(points))

    __call__ = pdf = evaluate
