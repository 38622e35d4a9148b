"""Distribution functions with CDFLIB's names, and these solved for a parameter."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pytest
import scipy.special

import weft.tensor as wt
from weft_graph import function, grad
from weft_testing import check_grad, check_op

P: Final = np.array([0.5, 0.1, 1e-3, 0.9, 1e-8])
CALLS: Final[dict[str, tuple[Any, ...]]] = {
    "chndtr": (np.array([3.0, 0.4, 9.0, 1e-3, 30.0]), 2.0, 1.0),
    "chndtrix": (P, 2.0, 1.0),
    "ncfdtr": (2.0, 3.0, 1.0, np.array([0.4, 1.5, 9.0])),
    "ncfdtri": (2.0, 3.0, 1.0, P),
    "nctdtr": (3.0, 1.0, np.array([-0.4, 0.0, 1.5, 9.0])),
    "nctdtrit": (3.0, 1.0, P),
    "smirnov": (8.0, np.array([0.1, 0.3, 0.0, 1.0, -0.1])),
    "smirnovi": (8.0, P),
    "kolmogi": (P,),
    "tklmbda": (np.array([-0.4, 0.0, 0.2, 9.0]), 0.3),
    "bdtrik": (np.array([*P, 1.0, 0.0]), 10.0, 0.4),
    "bdtrin": (3.0, P[:4], 0.4),
    "btdtria": (P, 3.0, 0.4),
    "btdtrib": (3.0, P, 0.4),
    "chdtriv": (np.array([*P, -0.1, 1.1]), 3.0),
    "chndtridf": (3.0, P[:3], 1.0),
    "chndtrinc": (3.0, 2.0, P[:3]),
    "gdtria": (P, 2.0, 3.0),
    "gdtrib": (2.0, P, 3.0),
    "nbdtrik": (P, 3.0, 0.4),
    "nbdtrin": (3.0, P, 0.4),
    "ncfdtrinc": (2.0, 3.0, P[1:2], 1.5),
    "nrdtrimn": (P, 2.0, 1.0),
    "nrdtrisd": (1.0, P[[1, 3]], 0.5),
    "pdtrik": (np.array([*P, 0.0]), 3.0),
    "stdtridf": (np.array([0.6, 0.7, 0.8]), 1.0),
}
SOLVED: Final = ("chdtriv", "pdtrik", "bdtrik", "btdtrib", "stdtridf", "ncfdtrinc")


@pytest.mark.cases(6)
@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
@pytest.mark.parametrize("name", CALLS)
def test_values_are_scipys(name: str, mode: str) -> None:
    columns = [np.array(c) for c in np.broadcast_arrays(*CALLS[name])]
    inputs = [wt.vector(f"x{k}") for k in range(len(columns))]
    value = function(inputs, getattr(wt.special, name)(*inputs), mode=mode)(*columns)
    rtol = 1e-5 if name == "ncfdtrinc" else 3e-11  # SciPy's ends early
    np.testing.assert_allclose(value, getattr(scipy.special, name)(*columns), rtol=rtol, atol=1e-15)


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_parameters_of_any_size(mode: str) -> None:
    """Searches start at 1; a share is steep where the parameter is large."""
    v, x = wt.dvectors("v", "x")
    sizes = np.array([1e-4, 1e-2, 1.0, 90.0, 1e4, 1e10])
    places = np.array([1e-3, 1e-9, 1.0, 80.0, 1.02e4, 1.00001e10])
    shares = scipy.special.gammainc(sizes, places)
    found = function([v, x], wt.special.gdtrib(1.0, v, x), mode=mode)(shares, places)
    np.testing.assert_allclose(found, sizes, rtol=1e-11)
    successes = np.array([1e-4, 90.0, 90.01326159600298, 2e4])
    shares = scipy.special.betainc(7.0, successes + 1, [0.5, 0.1, 0.096, 3e-4])
    row = [wt.constant([0.5, 0.1, 0.096, 3e-4]), 7.0]
    found = function([v], wt.special.nbdtrik(v, row[1], row[0]), mode=mode)(shares)
    np.testing.assert_allclose(found, successes, rtol=1e-10)


@pytest.mark.cases(2)
@pytest.mark.parametrize("name", CALLS)
def test_op(name: str) -> None:
    """Kinds of numbers, layouts, batches and derivatives, at a place inside."""
    *_, place = (v for v in CALLS[name] if np.ndim(v))
    row = [place[:2] if np.ndim(v) else np.float64(v) for v in CALLS[name]]
    row = [v if not name.startswith("smirnov") or k else np.int64(8) for k, v in enumerate(row)]
    check_op(getattr(wt.special, name), *row, backends=[])
    none = [np.zeros(0) if np.ndim(v) else v for v in row]
    assert getattr(wt.special, name)(*none).eval().shape == (0,)


@pytest.mark.cases(0)
@pytest.mark.parametrize("mode", ["numba", "jax"])
@pytest.mark.parametrize("name", SOLVED)
def test_slopes_on_backends(name: str, mode: str) -> None:
    columns = [np.array(c)[:2] for c in np.broadcast_arrays(*CALLS[name])]
    inputs = [wt.vector(f"x{k}") for k in range(len(columns))]
    slopes = grad(getattr(wt.special, name)(*inputs).sum(), inputs)
    found, wanted = (function(inputs, slopes, mode=m)(*columns) for m in (mode, "py"))
    np.testing.assert_allclose(found, wanted, rtol=1e-9)


def test_second_slopes() -> None:
    check_grad(lambda p, x: grad(wt.special.chdtriv(p, x).sum(), x), [P[:2], np.array([3.0, 2.0])])


def test_no_parameter() -> None:
    assert np.isnan(wt.special.stdtridf([0.4, 0.9], 1.0).eval()).all()
    assert np.isnan(wt.special.chndtrinc(3.0, 2.0, 0.9).eval())
