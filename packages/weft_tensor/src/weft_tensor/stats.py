"""Distributions and samples: `wt.stats`, with the names and parameters of `scipy.stats`."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from weft_tensor.front.absences.pymc_names import PYMC
from weft_tensor.front.keywords import take_keywords
from weft_tensor.front.unknown_name import unknown_name
from weft_tensor.ops.distributions.circular_rows import *
from weft_tensor.ops.distributions.circular_rows import __all__ as _circular_rows
from weft_tensor.ops.distributions.composed import transforms
from weft_tensor.ops.distributions.composed.bounds import censor, truncate
from weft_tensor.ops.distributions.composed.histogram import rv_histogram
from weft_tensor.ops.distributions.composed.likeliest import FitResult, fit
from weft_tensor.ops.distributions.composed.mixture import mixture
from weft_tensor.ops.distributions.composed.ordered import order_statistic
from weft_tensor.ops.distributions.composed.transformed import transformed
from weft_tensor.ops.distributions.composed.zeros import *
from weft_tensor.ops.distributions.composed.zeros import __all__ as _zeros
from weft_tensor.ops.distributions.continuous import Continuous
from weft_tensor.ops.distributions.discrete import Discrete
from weft_tensor.ops.distributions.discrete_rows import *
from weft_tensor.ops.distributions.discrete_rows import __all__ as _discrete_rows
from weft_tensor.ops.distributions.gamma_rows import *
from weft_tensor.ops.distributions.gamma_rows import __all__ as _gamma_rows
from weft_tensor.ops.distributions.groups.studentized_rows import *
from weft_tensor.ops.distributions.groups.studentized_rows import __all__ as _studentized_rows
from weft_tensor.ops.distributions.inverse_normal_rows import *
from weft_tensor.ops.distributions.inverse_normal_rows import __all__ as _inverse_normal_rows
from weft_tensor.ops.distributions.laws import Frozen, Law
from weft_tensor.ops.distributions.multivariate.direction_rows import *
from weft_tensor.ops.distributions.multivariate.direction_rows import __all__ as _direction_rows
from weft_tensor.ops.distributions.multivariate.matrix_rows import *
from weft_tensor.ops.distributions.multivariate.matrix_rows import __all__ as _matrix_rows
from weft_tensor.ops.distributions.multivariate.multivariate import Multivariate
from weft_tensor.ops.distributions.multivariate.normal_rows import *
from weft_tensor.ops.distributions.multivariate.normal_rows import __all__ as _normal_vectors
from weft_tensor.ops.distributions.multivariate.path_rows import *
from weft_tensor.ops.distributions.multivariate.path_rows import __all__ as _path_rows
from weft_tensor.ops.distributions.multivariate.share_rows import *
from weft_tensor.ops.distributions.multivariate.share_rows import __all__ as _share_rows
from weft_tensor.ops.distributions.multivariate.table_rows import *
from weft_tensor.ops.distributions.multivariate.table_rows import __all__ as _table_rows
from weft_tensor.ops.distributions.normal_rows import *
from weft_tensor.ops.distributions.normal_rows import __all__ as _normal_rows
from weft_tensor.ops.distributions.rows.angle_rows import *
from weft_tensor.ops.distributions.rows.angle_rows import __all__ as _angle_rows
from weft_tensor.ops.distributions.rows.bounded_rows import *
from weft_tensor.ops.distributions.rows.bounded_rows import __all__ as _bounded_rows
from weft_tensor.ops.distributions.rows.count_rows import *
from weft_tensor.ops.distributions.rows.count_rows import __all__ as _count_rows
from weft_tensor.ops.distributions.rows.distance_rows import *
from weft_tensor.ops.distributions.rows.distance_rows import __all__ as _distance_rows
from weft_tensor.ops.distributions.rows.gamma_kin_rows import *
from weft_tensor.ops.distributions.rows.gamma_kin_rows import __all__ as _gamma_kin_rows
from weft_tensor.ops.distributions.rows.mixed_normal_rows import *
from weft_tensor.ops.distributions.rows.mixed_normal_rows import __all__ as _mixed_normal_rows
from weft_tensor.ops.distributions.rows.noncentral_rows import *
from weft_tensor.ops.distributions.rows.noncentral_rows import __all__ as _noncentral_rows
from weft_tensor.ops.distributions.rows.normal_kin_rows import *
from weft_tensor.ops.distributions.rows.normal_kin_rows import __all__ as _normal_kin_rows
from weft_tensor.ops.distributions.rows.normal_part_rows import *
from weft_tensor.ops.distributions.rows.normal_part_rows import __all__ as _normal_part_rows
from weft_tensor.ops.distributions.rows.power_rows import *
from weft_tensor.ops.distributions.rows.power_rows import __all__ as _power_rows
from weft_tensor.ops.distributions.rows.quantile_rows import *
from weft_tensor.ops.distributions.rows.quantile_rows import __all__ as _quantile_rows
from weft_tensor.ops.distributions.rows.series_rows import *
from weft_tensor.ops.distributions.rows.series_rows import __all__ as _series_rows
from weft_tensor.ops.distributions.rows.share_kin_rows import *
from weft_tensor.ops.distributions.rows.share_kin_rows import __all__ as _share_kin_rows
from weft_tensor.ops.distributions.rows.skew_rows import *
from weft_tensor.ops.distributions.rows.skew_rows import __all__ as _skew_rows
from weft_tensor.ops.distributions.rows.stable_rows import *
from weft_tensor.ops.distributions.rows.stable_rows import __all__ as _stable_rows
from weft_tensor.ops.distributions.simple_rows import *
from weft_tensor.ops.distributions.simple_rows import __all__ as _simple_rows
from weft_tensor.ops.sample_statistics import contingency
from weft_tensor.ops.sample_statistics.agreements import *
from weft_tensor.ops.sample_statistics.agreements import __all__ as _agreements
from weft_tensor.ops.sample_statistics.correlations import *
from weft_tensor.ops.sample_statistics.correlations import __all__ as _correlations
from weft_tensor.ops.sample_statistics.density import *
from weft_tensor.ops.sample_statistics.density import __all__ as _density
from weft_tensor.ops.sample_statistics.distances import *
from weft_tensor.ops.sample_statistics.distances import __all__ as _distances
from weft_tensor.ops.sample_statistics.estimates.bins import *
from weft_tensor.ops.sample_statistics.estimates.bins import __all__ as _estimates_bins
from weft_tensor.ops.sample_statistics.estimates.intervals import *
from weft_tensor.ops.sample_statistics.estimates.intervals import __all__ as _estimates_intervals
from weft_tensor.ops.sample_statistics.estimates.moments import *
from weft_tensor.ops.sample_statistics.estimates.moments import __all__ as _estimates_moments
from weft_tensor.ops.sample_statistics.estimates.slopes import *
from weft_tensor.ops.sample_statistics.estimates.slopes import __all__ as _estimates_slopes
from weft_tensor.ops.sample_statistics.estimates.transport import wasserstein_distance_nd
from weft_tensor.ops.sample_statistics.estimates.trimmed import *
from weft_tensor.ops.sample_statistics.estimates.trimmed import __all__ as _estimates_trimmed
from weft_tensor.ops.sample_statistics.hypotheses.compared_means import *
from weft_tensor.ops.sample_statistics.hypotheses.compared_means import __all__ as _compared_means
from weft_tensor.ops.sample_statistics.hypotheses.distances_of_two import *
from weft_tensor.ops.sample_statistics.hypotheses.distances_of_two import (
    __all__ as _distances_of_two,
)
from weft_tensor.ops.sample_statistics.hypotheses.exact_tables import *
from weft_tensor.ops.sample_statistics.hypotheses.exact_tables import __all__ as _exact_tables
from weft_tensor.ops.sample_statistics.hypotheses.further_tests import *
from weft_tensor.ops.sample_statistics.hypotheses.further_tests import __all__ as _further_tests
from weft_tensor.ops.sample_statistics.hypotheses.many_tests import *
from weft_tensor.ops.sample_statistics.hypotheses.many_tests import __all__ as _many_tests
from weft_tensor.ops.sample_statistics.hypotheses.normality import *
from weft_tensor.ops.sample_statistics.hypotheses.normality import __all__ as _normality
from weft_tensor.ops.sample_statistics.hypotheses.probability_plots import *
from weft_tensor.ops.sample_statistics.hypotheses.probability_plots import (
    __all__ as _probability_plots,
)
from weft_tensor.ops.sample_statistics.hypotheses.ranks_of_two import *
from weft_tensor.ops.sample_statistics.hypotheses.ranks_of_two import __all__ as _ranks_of_two
from weft_tensor.ops.sample_statistics.hypotheses.several_samples import *
from weft_tensor.ops.sample_statistics.hypotheses.several_samples import __all__ as _several_samples
from weft_tensor.ops.sample_statistics.hypotheses.simulated import *
from weft_tensor.ops.sample_statistics.hypotheses.simulated import __all__ as _simulated
from weft_tensor.ops.sample_statistics.hypotheses.spreads_and_trends import *
from weft_tensor.ops.sample_statistics.hypotheses.spreads_and_trends import (
    __all__ as _spreads_and_trends,
)
from weft_tensor.ops.sample_statistics.hypotheses.squared_distances import *
from weft_tensor.ops.sample_statistics.hypotheses.squared_distances import (
    __all__ as _squared_distances,
)
from weft_tensor.ops.sample_statistics.hypotheses.survival import *
from weft_tensor.ops.sample_statistics.hypotheses.survival import __all__ as _survival
from weft_tensor.ops.sample_statistics.hypotheses.tables import *
from weft_tensor.ops.sample_statistics.hypotheses.tables import __all__ as _tables
from weft_tensor.ops.sample_statistics.means import *
from weft_tensor.ops.sample_statistics.means import __all__ as _means
from weft_tensor.ops.sample_statistics.moments import *
from weft_tensor.ops.sample_statistics.moments import __all__ as _moments
from weft_tensor.ops.sample_statistics.points import qmc
from weft_tensor.ops.sample_statistics.points.sensitivity import SobolResult, sobol_indices
from weft_tensor.ops.sample_statistics.ranks import *
from weft_tensor.ops.sample_statistics.ranks import __all__ as _ranks
from weft_tensor.ops.sample_statistics.resampled import (
    BootstrapMethod,
    MonteCarloMethod,
    PermutationMethod,
)
from weft_tensor.ops.sample_statistics.resampling import *
from weft_tensor.ops.sample_statistics.resampling import __all__ as _resampling
from weft_tensor.ops.sample_statistics.spread import *
from weft_tensor.ops.sample_statistics.spread import __all__ as _spread
from weft_tensor.ops.sample_statistics.tests_of_fit import *
from weft_tensor.ops.sample_statistics.tests_of_fit import __all__ as _tests_of_fit
from weft_tensor.ops.sample_statistics.tests_of_means import *
from weft_tensor.ops.sample_statistics.tests_of_means import __all__ as _tests_of_means
from weft_tensor.ops.sample_statistics.transformations import *
from weft_tensor.ops.sample_statistics.transformations import __all__ as _transformations

_MAKE = "compose laws: truncate, censor, mixture, transformed and order_statistic"
_OTHERS = {
    "Covariance": "write multivariate_normal(mean, precision=), or scale_tril=, factor=, diagonal=",
    "Mixture": "write mixture(weights, laws)",
    "abs": "write foldnorm or foldcauchy, or transformed(law, transform)",
    "exp": "write lognorm for norm, loguniform for uniform, loglaplace for laplace",
    "log": "write transformed(law, transforms.log)",
    "make_distribution": _MAKE,
    "mstats": "write the functions of stats with nan_policy='omit', NaN where a value is masked",
    "multiscale_graphcorr": "wrap SciPy's with `wrap_py`, or take distances of pairs",
    "rv_continuous": _MAKE,
    "rv_discrete": "write categorical(p), of the places of values",
}
"""Names of `scipy.stats` that are called otherwise here."""

if not TYPE_CHECKING:

    def __getattr__(name: str) -> NoReturn:
        if name in PYMC:
            parameters, own = PYMC[name]
            raise AttributeError(f"module {__name__!r} has no {name}({parameters}): write {own}")
        if name in _OTHERS:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}: {_OTHERS[name]}")
        raise unknown_name(__name__, name, {n: n for n in __all__})


__all__ = [
    "BootstrapMethod",
    "Continuous",
    "Discrete",
    "FitResult",
    "Frozen",
    "Law",
    "MonteCarloMethod",
    "Multivariate",
    "PermutationMethod",
    "SobolResult",
    "censor",
    "contingency",
    "fit",
    "mixture",
    "order_statistic",
    "qmc",
    "rv_histogram",
    "sobol_indices",
    "transformed",
    "transforms",
    "truncate",
    "wasserstein_distance_nd",
]
__all__ += _circular_rows
__all__ += _discrete_rows
__all__ += _gamma_rows
__all__ += _inverse_normal_rows
__all__ += _normal_rows
__all__ += _simple_rows
__all__ += _direction_rows
__all__ += _matrix_rows
__all__ += _normal_vectors
__all__ += _path_rows
__all__ += _share_rows
__all__ += _table_rows
__all__ += _angle_rows
__all__ += _count_rows
__all__ += _distance_rows
__all__ += _gamma_kin_rows
__all__ += _mixed_normal_rows
__all__ += _noncentral_rows
__all__ += _normal_kin_rows
__all__ += _power_rows
__all__ += _bounded_rows
__all__ += _normal_part_rows
__all__ += _quantile_rows
__all__ += _series_rows
__all__ += _share_kin_rows
__all__ += _skew_rows
__all__ += _stable_rows
__all__ += _studentized_rows
__all__ += _means
__all__ += _moments
__all__ += _spread
__all__ += _agreements
__all__ += _correlations
__all__ += _density
__all__ += _distances
__all__ += _ranks
__all__ += _resampling
__all__ += _tests_of_fit
__all__ += _tests_of_means
__all__ += _transformations
__all__ += _zeros
__all__ += _compared_means
__all__ += _distances_of_two
__all__ += _exact_tables
__all__ += _further_tests
__all__ += _many_tests
__all__ += _normality
__all__ += _probability_plots
__all__ += _ranks_of_two
__all__ += _several_samples
__all__ += _simulated
__all__ += _spreads_and_trends
__all__ += _squared_distances
__all__ += _survival
__all__ += _tables
__all__ += _estimates_bins
__all__ += _estimates_intervals
__all__ += _estimates_moments
__all__ += _estimates_slopes
__all__ += _estimates_trimmed

take_keywords(globals())
