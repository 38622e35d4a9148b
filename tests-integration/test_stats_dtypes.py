"""What distributions and statistics do with float32, and with leading axes."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pytest
import scipy.stats
from test_stats import SETS
from test_stats_counts import SETS as COUNTS

import weft.tensor as wt
from weft_tensor.stats import Continuous, Discrete

MOMENTS: Final = ("mean", "var", "std", "entropy")
FAMILIES: Final = [
    n for n in wt.stats.__all__ if isinstance(getattr(wt.stats, n), (Continuous, Discrete))
]


@pytest.mark.cases(50)
@pytest.mark.parametrize("name", FAMILIES)
def test_float32_stays(name: str, few: Any) -> None:
    x = wt.vector("x", dtype="float32")
    of, p = getattr(wt.stats, name), COUNTS.get(name) or SETS[name][0]
    for numbers in few((p, tuple(map(np.float32, p))), 1):
        dtypes = {method: getattr(of, method)(x, *numbers).dtype for method in of.values}
        assert set(dtypes.values()) == {"float32"}, dtypes
    own = tuple(map(np.float32, p))
    moments = {
        m: getattr(of, m)(*own).dtype for m in MOMENTS if own and m.replace("std", "var") in of.rows
    }
    assert set(moments.values()) <= {"float32"}, moments


THEIRS: Any = scipy.stats
STATISTICS: Final = ("skew", "kurtosis", "moment", "sem", "iqr", "gmean", "hmean", "variation")
PAIRS: Final = ("pearsonr", "spearmanr", "kendalltau")


@pytest.mark.cases(4)
@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
@pytest.mark.parametrize("name", [*STATISTICS, *PAIRS])
def test_statistics_of_batches(name: str, mode: str) -> None:
    """What `vmap` gives is SciPy's of each row."""
    rows = np.random.default_rng(0).gamma(2.0, size=(2, 3, 9))
    count = 2 if name in PAIRS else 1
    xs = [wt.tensor(dtype="float64", shape=(None, 9)) for _ in range(count)]

    def statistic(*values: Any) -> Any:
        result = getattr(wt.stats, name)(*values, *([3] if name == "moment" else []))
        return result[0] if count == 2 else result

    f = wt.function(xs, wt.vmap(statistic)(*xs), mode=mode)
    of: Any = getattr(THEIRS, name)
    extra = [3] if name == "moment" else []
    expected = [of(*r, *extra) for r in zip(*rows[:count], strict=True)]
    expected = [v[0] if count == 2 else v for v in expected]
    np.testing.assert_allclose(f(*rows[:count]), expected, rtol=1e-10)
