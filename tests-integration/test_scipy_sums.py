"""Sums of exponentials are SciPy's, on every backend, with derivatives that do not overflow."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pytest
from scipy import special

import weft.tensor as wt
from weft_testing import Case, case, check_grad

rng = np.random.default_rng(0)

ARRAYS: Final = [
    rng.normal(size=(3, 4)),
    rng.normal(size=(2, 3, 2)).astype("float32"),
    np.array([1000.0, -1000.0, 999.0]),
    np.array([1.0, np.nan]),
    np.array([-np.inf, 0.0, -np.inf]),
    np.array(2.0),
    np.array([[1, 2], [3, 4]]),
    rng.normal(size=4) + 1j,
    rng.normal(size=(1, 3)),
]


def over_axes(**more: Any) -> list[Case]:
    ways: list[dict[str, Any]] = [{}, {"axis": -1}, {"axis": 0}]
    ways += [{**way, "keepdims": True} for way in ways] if more.pop("keep", False) else []
    return [case(x, **way, **more) for x in ARRAYS for way in ways if x.ndim or not way]


CASES: Final = {
    "logsumexp": [
        *over_axes(keep=True),
        case(np.array([np.inf, 1.0])),
        case(np.array([-np.inf, -np.inf])),
        case(np.array([1.0, 10000.0]), b=np.array([1.0, 0.0])),
        case(np.zeros((0, 3)), axis=0),
        case(ARRAYS[0], axis=1, b=np.array([1.0, 2.0, 0.0, 3.0])),
        case(ARRAYS[0], b=ARRAYS[0], return_sign=True),
        case(ARRAYS[0], axis=2),
    ],
    "softmax": [*over_axes(), case(np.array([np.inf, 1.0])), case(np.array([-np.inf, -np.inf]))],
    "log_softmax": [*over_axes(), case(np.array([-np.inf, -np.inf]))],
}


@pytest.mark.parametrize("name", CASES)
def test_they_are_scipys(name: str, is_numpys: Any) -> None:
    is_numpys(name, CASES[name], 20, getattr(special, name))


@pytest.mark.parametrize("name", CASES)
def test_their_derivatives(name: str) -> None:
    compute = getattr(wt, name)
    for values in (ARRAYS[0], ARRAYS[2]):
        check_grad(lambda x: compute(x, axis=-1), [values])


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_gradients_of_large_exponents_are_shares(mode: str) -> None:
    x = wt.vector("x")
    f = wt.function([x], wt.grad(wt.logsumexp(x), x), mode=mode)
    np.testing.assert_allclose(f([1000.0, 1000.0, -1000.0]), [0.5, 0.5, 0.0])
    (share,) = wt.function([x], [wt.softmax(x)], mode=mode)([1e4, 1e4])
    assert share.tolist() == [0.5, 0.5]
