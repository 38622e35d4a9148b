"""Points that fill a cube evenly: `wt.stats.qmc`, with the names of `scipy.stats.qmc`."""

from __future__ import annotations

from weft_tensor.ops.sample_statistics.points.disks import PoissonDisk
from weft_tensor.ops.sample_statistics.points.drawn_laws import (
    MultinomialQMC,
    MultivariateNormalQMC,
)
from weft_tensor.ops.sample_statistics.points.evenness import (
    discrepancy,
    geometric_discrepancy,
    scale,
)
from weft_tensor.ops.sample_statistics.points.sequences import Halton, LatinHypercube, Sobol

__all__ = [
    "Halton",
    "LatinHypercube",
    "MultinomialQMC",
    "MultivariateNormalQMC",
    "PoissonDisk",
    "Sobol",
    "discrepancy",
    "geometric_discrepancy",
    "scale",
]
