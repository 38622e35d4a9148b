"""Normal vectors and counts, made of points that fill a cube evenly."""

from __future__ import annotations

from math import pi
from typing import Any

from weft_graph.extend import called
from weft_tensor.build.convert import as_floating
from weft_tensor.build.variable import SizeLike, TensorLike, TensorVariable
from weft_tensor.ops.creation.creation import arange
from weft_tensor.ops.elementwise.arithmetic import maximum, sqrt
from weft_tensor.ops.elementwise.exponential import log
from weft_tensor.ops.elementwise.trigonometric import cos, sin
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.indexing.searchsorted import searchsorted
from weft_tensor.ops.linalg.cholesky import cholesky
from weft_tensor.ops.linalg.matmul import matmul
from weft_tensor.ops.reduction.cumulative import cumsum
from weft_tensor.ops.reduction.standard import sum
from weft_tensor.ops.sample_statistics.points.sequences import Sobol
from weft_tensor.ops.shape.concatenate import stack
from weft_tensor.ops.shape.length import as_size, lengths_of, static_length
from weft_tensor.ops.shape.reshape import reshape
from weft_tensor.ops.shape.transpose import matrix_transpose
from weft_tensor.ops.special.normal import ndtri

__all__ = ["MultinomialQMC", "MultivariateNormalQMC"]


class MultivariateNormalQMC:
    """Normal vectors of a mean and a covariance, from points of Sobol's, or of another sequence.

    `cov_root` may be given instead of `cov`: its product with its transpose. With `inv_transform`
    each coordinate goes through the normal quantile function, else pairs of them become lengths and
    angles (Box and Muller). `engine` has `d` and `random(n)`; without one, `rng` is the key of
    scrambled points. They have derivatives by the mean and the covariance. See
    `scipy.stats.qmc.MultivariateNormalQMC`. Raises ValueError for a mean that is no vector of known
    length, for an engine of another dimension, and without an engine and a key.

    >>> from weft_tensor import random
    >>> draws = MultivariateNormalQMC([0.0, 5.0], [[1.0, 0.5], [0.5, 1.0]], rng=random.key(0))
    >>> draws.random(256).mean(0).eval().round(2) + 0
    array([0., 5.])
    """

    def __init__(
        self,
        mean: TensorLike,
        cov: TensorLike | None = None,
        *,
        cov_root: TensorLike | None = None,
        inv_transform: bool = True,
        engine: Any = None,
        rng: TensorLike | None = None,
    ) -> None:
        self.mean = as_floating(mean)
        count = static_length(lengths_of(self.mean)[0]) if self.mean.ndim == 1 else None
        if not isinstance(count, int):
            raise ValueError(
                f"MultivariateNormalQMC: the mean is a vector of a known length, not {mean!r}: "
                f"give it one with specify_shape{called()}"
            )
        self.d, self.inv_transform = count, inv_transform
        self._root: TensorVariable | None = None
        if cov is not None:
            self._root = matrix_transpose(cholesky(as_floating(cov)))
        if cov_root is not None:
            self._root = as_floating(cov_root)
        size = count if inv_transform else count + count % 2
        self.engine = _engine("MultivariateNormalQMC", engine, size, rng)

    def random(self, n: SizeLike = 1) -> TensorVariable:
        """n vectors, one a row."""
        points = self.engine.random(n)
        if self.inv_transform:
            normal = ndtri(0.5 + (1 - 1e-10) * (points - 0.5))
        else:
            even = maximum(points[:, ::2], 1e-300)
            size, angle = sqrt(-2 * log(even)), 2 * pi * points[:, 1::2]
            both = stack([size * cos(angle), size * sin(angle)], -1)
            normal = reshape(both, (as_size(n), -1))[:, : self.d]
        if self._root is not None:
            normal = matmul(normal, self._root)
        return self.mean + normal


class MultinomialQMC:
    """Counts of `n_trials` trials, from points of Sobol's, or of another sequence.

    `pvals` are the probabilities of each outcome. `engine` has `d`, which is 1, and `random(n)`;
    without one, `rng` is the key of scrambled points. See `scipy.stats.qmc.MultinomialQMC`. Raises
    ValueError for an engine of more dimensions, and without an engine and a key.

    >>> from weft_tensor import random
    >>> MultinomialQMC([0.2, 0.4, 0.4], 10, rng=random.key(0)).random(1).sum().eval().item()
    10
    """

    def __init__(
        self,
        pvals: TensorLike,
        n_trials: SizeLike,
        *,
        engine: Any = None,
        rng: TensorLike | None = None,
    ) -> None:
        self.pvals, self.n_trials = as_floating(pvals), as_size(n_trials)
        self.engine = _engine("MultinomialQMC", engine, 1, rng)

    def random(self, n: SizeLike = 1) -> TensorVariable:
        """n vectors of counts, one a row; each has points of its own."""
        count = as_size(n)
        points = reshape(self.engine.random(count * self.n_trials), (count, self.n_trials))
        inner = index(cumsum(self.pvals), slice(None, -1))
        outcome = searchsorted(inner, points, side="right").expand_dims(-1)
        return sum(outcome.eq(arange(lengths_of(self.pvals)[0])), 1)


def _engine(name: str, engine: Any, d: int, rng: TensorLike | None) -> Any:
    if engine is None:
        if rng is None:
            raise ValueError(
                f"{name}: give a key as `rng=wt.random.key(0)`, or an engine{called()}"
            )
        return Sobol(d, rng=rng)
    if engine.d != d:
        raise ValueError(f"{name}: the engine must have {d} dimensions, not {engine.d}{called()}")
    return engine
