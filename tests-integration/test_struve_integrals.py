"""Integrals of Struve's functions, against mpmath's, and `zetac`."""

from __future__ import annotations

from typing import Any, Final

import mpmath as mp
import numpy as np
import pytest
import scipy.special

import weft.tensor as wt
from weft_graph import function
from weft_testing import check_op

NAMES: Final = ("itstruve0", "it2struve0", "itmodstruve0")
PLACES: Final = (1e-8, 0.3, -2.0, 3.99, 4.01, 15.0, -45.0)
ENDS: Final = {  # at 0, infinity, -infinity and NaN
    "itstruve0": [0, np.inf, np.inf, np.nan],
    "it2struve0": [np.pi / 2, 0, np.pi, np.nan],
    "itmodstruve0": [0, np.inf, np.inf, np.nan],
}


def exact(name: str, x: float) -> Any:
    """By integrals from 0 to |x|."""
    ends = mp.linspace(0, abs(mp.mpf(x)), int(abs(x)) // 6 + 2)
    if name == "it2struve0":
        value = mp.pi / 2 - mp.quad(lambda t: mp.struveh(0, t) / t, ends)
        return value if x > 0 else mp.pi - value
    return mp.quad(lambda t: (mp.struvel if "mod" in name else mp.struveh)(0, t), ends)


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_values(mode: Any, few: Any) -> None:
    x, at = wt.vector("x"), np.array(few(PLACES, 1))
    values = [getattr(wt.special, name)(x) for name in NAMES]
    slopes = [wt.grad(v.sum(), x) for v in values]
    found: Any = function([x], [*values, *slopes], mode=mode)(at)
    wanted = [[float(exact(name, place)) for place in at] for name in NAMES]
    height, modified = scipy.special.struve(0, at), scipy.special.modstruve(0, at)
    for value, right in zip(found, [*wanted, height, -height / at, modified], strict=True):
        np.testing.assert_allclose(value, right, rtol=3e-13, atol=1e-20)


@pytest.mark.parametrize("name", NAMES)
def test_op(name: str) -> None:
    call = getattr(wt.special, name)
    ends = call([0.0, np.inf, -np.inf, np.nan]).eval()
    np.testing.assert_allclose(ends, ENDS[name], rtol=1e-15)
    for place in (np.array([0.3, 2.5, 7.0]), np.zeros(0), np.float64(1.3)):
        check_op(call, place, backends=[], reference=getattr(scipy.special, name))
    assert call(np.array([0.3], "float32")).dtype == "float32"
    with pytest.raises(TypeError, match="complex"):
        call(1j)


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_zetac(mode: Any) -> None:
    x = wt.vector("x")
    at = np.array([60.0, 3.5, 1.001, 1.0, 0.999, 0.5, 0.0, -3.5, np.inf, np.nan])
    value = wt.special.zetac(x)
    with np.errstate(all="ignore"):
        found: Any = function([x], [value, wt.grad(value.sum(), x)], mode=mode)(at)
    np.testing.assert_allclose(found[0], scipy.special.zetac(at), rtol=1e-12)
    np.testing.assert_allclose(found[1][1], float(mp.zeta(3.5, 1, 1)), rtol=1e-10)
    with pytest.raises(TypeError, match="zetac takes real numbers"):
        wt.special.zetac(2 + 1j)
