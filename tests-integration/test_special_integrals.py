"""Tricomi's, Struve's and Wright's functions: values and slopes are mpmath's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from math import inf, nan, pi
from typing import Any, Final

import mpmath as mp
import numpy as np
import pytest

import weft_tensor as wt
from weft_graph import function, grad


def exact_wright(a: Any, b: Any, x: Any) -> Any:
    return mp.fsum(x**k / mp.factorial(k) * mp.rgamma(a * k + b) for k in range(150))


Places = tuple[Sequence[float], ...]
_ORDERS: Final = [-12.7, -1.5, -1.0, 0.0, 0.3, 20.3, 60.0]
EXACT: Final[dict[str, tuple[Callable[..., Any], Places]]] = {
    "hyperu": (
        mp.hyperu, ([1e-8, 0.3, 2.5, 30.2, -3.0, -7.6], [-7.3, 0.3, 1.0, 2.0, 12.0],
                    [1e-30, 0.1, 3.3, 77.0]),
    ),
    "struve": (mp.struveh, (_ORDERS, [1e-5, 2.0, 8.1, 33.0, 40.5, 200.0])),
    "modstruve": (mp.struvel, (_ORDERS, [1e-5, 2.0, 27.9, 28.1, 200.0])),
    "wright_bessel": (exact_wright, ([0.0, 0.1, 1.0, 2.7], [0.0, 0.3, 50.0], [1e-5, 3.0, 40.0])),
}  # fmt: skip
"""The function, and its places."""


@pytest.mark.cases("struve-py")
@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
@pytest.mark.parametrize("name", EXACT)
def test_values(name: str, mode: str) -> None:
    exact, places = EXACT[name]
    given = [np.array(column) for column in zip(*product(*places), strict=True)]
    xs = [wt.vector(f"x{k}") for k in range(len(given))]
    results = [getattr(wt.special, name)(*xs)]
    if name == "wright_bessel":
        results.append(wt.exp(wt.special.log_wright_bessel(*xs)))
    for computed in function(xs, results, mode=mode)(*given):
        for case, value in zip(zip(*given, strict=True), computed, strict=True):
            with mp.workdps(40):
                right = exact(*[mp.mpf(float(v)) for v in case])
            size = max(abs(right), 0.1 if name == "struve" and case[1] > case[0] else 0)
            assert abs(right) > 1e300 or abs(value - float(right)) <= 1e-12 * size, (name, *case)


SLOPES: Final[dict[str, list[tuple[float, ...]]]] = {
    "hyperu": [(0.7, 1.3, 0.8), (-2.6, 4.5, 2.0), (3.5, -1.5, 0.3)],
    "struve": [(0.3, 3.0), (-0.7, 12.0), (6.5, 20.0)],
    "modstruve": [(0.3, 3.0), (-0.7, 33.0), (6.5, 20.0)],
    "wright_bessel": [(0.5, 1.5, 2.0), (2.0, 0.0, 0.7), (0.0, 3.0, 5.0)],
}


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
@pytest.mark.parametrize("name", SLOPES)
def test_slopes(name: str, mode: str) -> None:
    given = [np.array(column) for column in zip(*SLOPES[name], strict=True)]
    xs = [wt.vector(f"x{k}") for k in range(len(given))]
    slopes: Any = function(xs, grad(getattr(wt.special, name)(*xs).sum(), xs), mode=mode)(*given)
    with mp.workdps(30):
        for k, slope in enumerate(slopes):
            order = tuple(int(j == k) for j in range(len(xs)))
            right = [float(mp.diff(EXACT[name][0], case, order)) for case in SLOPES[name]]
            np.testing.assert_allclose(slope, right, rtol=1e-10, err_msg=f"{name} in {k}")


@pytest.mark.parametrize("name", ["struve", "modstruve"])
def test_slopes_below_0(name: str) -> None:
    """Of whole orders, which have values there."""
    v, x = np.array([0.0, 1.0, 3.0, 10.0]), np.array([-2.5, -8.5, -24.0, -0.3])
    order, place = wt.vectors("v", "x")
    slope = grad(getattr(wt.special, name)(order, place).sum(), place)
    sides = (-1) ** v * function([order, place], slope, mode="py")(v, -x)
    np.testing.assert_allclose(function([order, place], slope, mode="py")(v, x), sides, rtol=1e-13)


ENDS: Final[dict[str, list[tuple[float, ...]]]] = {
    "hyperu": [
        (0.5, 0.3, 0.0, 1.413743763), (0.5, 1.0, 0.0, inf), (1.0, 2.0, -1.0, nan),
        (1.0, 2.0, inf, 0.0), (3e3, 1.0, 1.0, nan), (-2.0, 1.0, 0.0, 2.0),
        (2.0, -583.0, 0.3, 2.92404763984e-06),
    ],
    "struve": [
        (0.0, -1.0, -0.568656627), (1.0, -1.0, 0.198457336), (0.5, -1.0, nan), (1.0, inf, 2 / pi),
        (-1.0, 0.0, 2 / pi), (0.5, 0.0, 0.0), (-1.75, 0.0, -inf), (100.0, 70.0, nan),
    ],
    "modstruve": [(0.0, -1.0, -0.710243185), (0.5, inf, inf), (0.5, nan, nan)],
    "wright_bessel": [
        (1.0, 1.0, 0.0, 1.0), (1.0, 0.0, 0.0, 0.0), (-1.0, 1.0, 1.0, nan), (1.0, 1.0, inf, inf),
    ],
    "log_wright_bessel": [(0.0, 1.0, 900.0, 900.0), (15.0, 0.0, 1e-300, -715.966749)],
}  # fmt: skip


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_ends(mode: str, few: Any) -> None:
    for name, cases in [*ENDS.items()] if mode == "py" else few([*ENDS.items()], 2):
        *columns, wanted = [np.array(c) for c in zip(*cases, strict=True)]
        xs = [wt.vector(f"x{k}") for k in range(len(columns))]
        computed = function(xs, getattr(wt.special, name)(*xs), mode=mode)(*columns)
        np.testing.assert_allclose(computed, wanted, rtol=1e-8, err_msg=name)


FAR: Final = [
    # a, b, x; the slopes of the logarithm in a and b
    (1e-300, 1e-300, 1.0, 5e299, 5e299),
    (0.1, 1.0, 1e300, -4.117902030448383e275, -625.8844934592906),
    (0.1, 1e300, 1e300, -6.907755278982111e272, -690.7755278982137),
    (0.5, 1e300, 1e300, -6.907755278982137e152, -690.7755278982137),
    (1e-300, 1e-300, 1e300, 5.772156649015328e299, 0.577215664901533),
    (1e-300, 1.0, 1e300, -4.227843350984672e299, -0.422784335098467),
    (1e-300, 1e300, 1e300, -6.907755278982137e302, -690.7755278982137),
]


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_far_slopes_of_wrights_logarithm(mode: str) -> None:
    """Where terms next to the largest differ in no digit of their logarithms, or are tiny."""
    a, b, x, *wanted = map(np.array, zip(*FAR, strict=True))
    vectors = [wt.vector(n) for n in "abx"]
    loss = wt.special.log_wright_bessel(*vectors).sum()
    slopes: Any = function(vectors, grad(loss, vectors[:2]), mode=mode)(a, b, x)
    np.testing.assert_allclose(slopes, wanted, rtol=1e-12)
