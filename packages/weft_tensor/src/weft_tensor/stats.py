"""Distributions and samples: `wt.stats`, with the names and parameters of `scipy.stats`."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from weft_tensor.front.unknown_name import unknown_name
from weft_tensor.ops.stats.circular_rows import *
from weft_tensor.ops.stats.circular_rows import __all__ as _circular_rows
from weft_tensor.ops.stats.composed import transforms
from weft_tensor.ops.stats.composed.bounds import censor, truncate
from weft_tensor.ops.stats.composed.mixture import mixture
from weft_tensor.ops.stats.composed.transformed import transformed
from weft_tensor.ops.stats.continuous import Continuous
from weft_tensor.ops.stats.discrete import Discrete
from weft_tensor.ops.stats.discrete_rows import *
from weft_tensor.ops.stats.discrete_rows import __all__ as _discrete_rows
from weft_tensor.ops.stats.gamma_rows import *
from weft_tensor.ops.stats.gamma_rows import __all__ as _gamma_rows
from weft_tensor.ops.stats.inverse_normal_rows import *
from weft_tensor.ops.stats.inverse_normal_rows import __all__ as _inverse_normal_rows
from weft_tensor.ops.stats.laws import Frozen, Law
from weft_tensor.ops.stats.multivariate.direction_rows import *
from weft_tensor.ops.stats.multivariate.direction_rows import __all__ as _direction_rows
from weft_tensor.ops.stats.multivariate.matrix_rows import *
from weft_tensor.ops.stats.multivariate.matrix_rows import __all__ as _matrix_rows
from weft_tensor.ops.stats.multivariate.multivariate import Multivariate
from weft_tensor.ops.stats.multivariate.normal_rows import *
from weft_tensor.ops.stats.multivariate.normal_rows import __all__ as _normal_vectors
from weft_tensor.ops.stats.multivariate.path_rows import *
from weft_tensor.ops.stats.multivariate.path_rows import __all__ as _path_rows
from weft_tensor.ops.stats.multivariate.share_rows import *
from weft_tensor.ops.stats.multivariate.share_rows import __all__ as _share_rows
from weft_tensor.ops.stats.multivariate.table_rows import *
from weft_tensor.ops.stats.multivariate.table_rows import __all__ as _table_rows
from weft_tensor.ops.stats.normal_rows import *
from weft_tensor.ops.stats.normal_rows import __all__ as _normal_rows
from weft_tensor.ops.stats.rows.angle_rows import *
from weft_tensor.ops.stats.rows.angle_rows import __all__ as _angle_rows
from weft_tensor.ops.stats.rows.bounded_rows import *
from weft_tensor.ops.stats.rows.bounded_rows import __all__ as _bounded_rows
from weft_tensor.ops.stats.rows.count_rows import *
from weft_tensor.ops.stats.rows.count_rows import __all__ as _count_rows
from weft_tensor.ops.stats.rows.distance_rows import *
from weft_tensor.ops.stats.rows.distance_rows import __all__ as _distance_rows
from weft_tensor.ops.stats.rows.gamma_kin_rows import *
from weft_tensor.ops.stats.rows.gamma_kin_rows import __all__ as _gamma_kin_rows
from weft_tensor.ops.stats.rows.mixed_normal_rows import *
from weft_tensor.ops.stats.rows.mixed_normal_rows import __all__ as _mixed_normal_rows
from weft_tensor.ops.stats.rows.noncentral_rows import *
from weft_tensor.ops.stats.rows.noncentral_rows import __all__ as _noncentral_rows
from weft_tensor.ops.stats.rows.normal_kin_rows import *
from weft_tensor.ops.stats.rows.normal_kin_rows import __all__ as _normal_kin_rows
from weft_tensor.ops.stats.rows.normal_part_rows import *
from weft_tensor.ops.stats.rows.normal_part_rows import __all__ as _normal_part_rows
from weft_tensor.ops.stats.rows.power_rows import *
from weft_tensor.ops.stats.rows.power_rows import __all__ as _power_rows
from weft_tensor.ops.stats.rows.quantile_rows import *
from weft_tensor.ops.stats.rows.quantile_rows import __all__ as _quantile_rows
from weft_tensor.ops.stats.rows.series_rows import *
from weft_tensor.ops.stats.rows.series_rows import __all__ as _series_rows
from weft_tensor.ops.stats.rows.skew_rows import *
from weft_tensor.ops.stats.rows.skew_rows import __all__ as _skew_rows
from weft_tensor.ops.stats.rows.stable_rows import *
from weft_tensor.ops.stats.rows.stable_rows import __all__ as _stable_rows
from weft_tensor.ops.stats.simple_rows import *
from weft_tensor.ops.stats.simple_rows import __all__ as _simple_rows
from weft_tensor.ops.summaries.correlations import *
from weft_tensor.ops.summaries.correlations import __all__ as _correlations
from weft_tensor.ops.summaries.density import *
from weft_tensor.ops.summaries.density import __all__ as _density
from weft_tensor.ops.summaries.distances import *
from weft_tensor.ops.summaries.distances import __all__ as _distances
from weft_tensor.ops.summaries.estimates.bins import *
from weft_tensor.ops.summaries.estimates.bins import __all__ as _estimates_bins
from weft_tensor.ops.summaries.estimates.moments import *
from weft_tensor.ops.summaries.estimates.moments import __all__ as _estimates_moments
from weft_tensor.ops.summaries.estimates.slopes import *
from weft_tensor.ops.summaries.estimates.slopes import __all__ as _estimates_slopes
from weft_tensor.ops.summaries.estimates.trimmed import *
from weft_tensor.ops.summaries.estimates.trimmed import __all__ as _estimates_trimmed
from weft_tensor.ops.summaries.hypotheses.distances_of_two import *
from weft_tensor.ops.summaries.hypotheses.distances_of_two import __all__ as _distances_of_two
from weft_tensor.ops.summaries.hypotheses.further_tests import *
from weft_tensor.ops.summaries.hypotheses.further_tests import __all__ as _further_tests
from weft_tensor.ops.summaries.hypotheses.many_tests import *
from weft_tensor.ops.summaries.hypotheses.many_tests import __all__ as _many_tests
from weft_tensor.ops.summaries.hypotheses.normality import *
from weft_tensor.ops.summaries.hypotheses.normality import __all__ as _normality
from weft_tensor.ops.summaries.hypotheses.ranks_of_two import *
from weft_tensor.ops.summaries.hypotheses.ranks_of_two import __all__ as _ranks_of_two
from weft_tensor.ops.summaries.hypotheses.several_samples import *
from weft_tensor.ops.summaries.hypotheses.several_samples import __all__ as _several_samples
from weft_tensor.ops.summaries.hypotheses.squared_distances import *
from weft_tensor.ops.summaries.hypotheses.squared_distances import __all__ as _squared_distances
from weft_tensor.ops.summaries.hypotheses.tables import *
from weft_tensor.ops.summaries.hypotheses.tables import __all__ as _tables
from weft_tensor.ops.summaries.means import *
from weft_tensor.ops.summaries.means import __all__ as _means
from weft_tensor.ops.summaries.moments import *
from weft_tensor.ops.summaries.moments import __all__ as _moments
from weft_tensor.ops.summaries.ranks import *
from weft_tensor.ops.summaries.ranks import __all__ as _ranks
from weft_tensor.ops.summaries.resampling import *
from weft_tensor.ops.summaries.resampling import __all__ as _resampling
from weft_tensor.ops.summaries.spread import *
from weft_tensor.ops.summaries.spread import __all__ as _spread
from weft_tensor.ops.summaries.tests_of_fit import *
from weft_tensor.ops.summaries.tests_of_fit import __all__ as _tests_of_fit
from weft_tensor.ops.summaries.tests_of_means import *
from weft_tensor.ops.summaries.tests_of_means import __all__ as _tests_of_means
from weft_tensor.ops.summaries.transformations import *
from weft_tensor.ops.summaries.transformations import __all__ as _transformations

if not TYPE_CHECKING:

    def __getattr__(name: str) -> NoReturn:
        raise unknown_name(__name__, name, {n: n for n in __all__})


__all__ = [
    "Continuous",
    "Discrete",
    "Frozen",
    "Law",
    "Multivariate",
    "censor",
    "mixture",
    "transformed",
    "transforms",
    "truncate",
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
__all__ += _skew_rows
__all__ += _stable_rows
__all__ += _means
__all__ += _moments
__all__ += _spread
__all__ += _correlations
__all__ += _density
__all__ += _distances
__all__ += _ranks
__all__ += _resampling
__all__ += _tests_of_fit
__all__ += _tests_of_means
__all__ += _transformations
__all__ += _distances_of_two
__all__ += _further_tests
__all__ += _many_tests
__all__ += _normality
__all__ += _ranks_of_two
__all__ += _several_samples
__all__ += _squared_distances
__all__ += _tables
__all__ += _estimates_bins
__all__ += _estimates_moments
__all__ += _estimates_slopes
__all__ += _estimates_trimmed
