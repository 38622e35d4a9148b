"""Special functions at poles, infinities, NaN and for huge numbers: SciPy's results."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any, Final

import numpy as np
import pytest
import scipy.special

import weft_tensor as wt
from weft_graph import function

ENDS: Final = [0.0, -0.0, np.inf, -np.inf, np.nan, -1.0, -2.0, -3.0, -0.5, -1.5, 1e-300, -1e-300]
INSIDE: Final = [1e-10, 0.5, 1.0, 2.0, 5.0, 30.0, 1e3, -30.5]
HUGE: Final = [1e10, 1e300, -1e10, -1e300]
POLES: Final = [0.0, -0.0, -1.0, -2.0, -3.0, -0.5, -1.5, *INSIDE]

UNARY: Final = (
    *("digamma", "entr", "erf", "erfc", "erfcinv", "erfcx", "erfinv", "exprel", "gamma", "gammaln"),
    *("gammasgn", "i0e", "i1e", "log_expit", "log_ndtr", "logit", "ndtr", "ndtri", "ndtri_exp"),
)
BESSEL: Final = ("i0", "i1", "j0", "j1", "k0", "k1", "y0", "y1")
PAIRS: Final = ("beta", "betaln", "binom", "poch")
ENTROPIES: Final = ("kl_div", "rel_entr", "xlog1py", "xlogy")
INCOMPLETE: Final = ("gammainc", "gammaincc")
GROUPS: Final[dict[str, tuple[Sequence[str], tuple[Sequence[float], ...]]]] = {
    "one number": (UNARY, ([*ENDS, *INSIDE, *HUGE],)),
    "Bessel": (BESSEL, ([*ENDS, *INSIDE],)),
    "gamma and beta": (PAIRS, (POLES, POLES)),
    "entropies": (ENTROPIES, ([*ENDS[:-2], *INSIDE, 1e10],) * 2),
    "incomplete": (INCOMPLETE, ([*ENDS, *INSIDE, 1e300], [*ENDS, *INSIDE, 1e10, 1e300])),
}
"""Functions that are compiled together, and what each argument is."""
RIGHT: Final = {
    ("binom", 0.0, 1e-10), ("binom", -0.0, 1e-10),
}  # fmt: skip
"""Where SciPy has NaN, or digits that are wrong."""


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
@pytest.mark.parametrize("group", GROUPS)
def test_extremes(group: str, mode: str) -> None:
    names, places = GROUPS[group]
    xs = [wt.vector(name) for name in "xy"[: len(places)]]
    given = [np.array(column) for column in zip(*product(*places), strict=True)]
    found: Any = function(xs, [getattr(wt.special, name)(*xs) for name in names], mode=mode)(*given)
    differing = []
    for name, result in zip(names, found, strict=True):
        with np.errstate(all="ignore"):
            wanted = getattr(scipy.special, name)(*given)
            near = np.isclose(result, wanted, rtol=1e-10, atol=1e-307, equal_nan=True)
        for k in np.flatnonzero(~near):
            case = (name, *[float(v[k]) for v in given])
            if case not in RIGHT:
                differing.append((*case, float(wanted[k]), float(result[k])))
    assert not differing
