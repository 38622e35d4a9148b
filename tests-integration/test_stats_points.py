"""Points that fill a cube: SciPy's where they are not scrambled, and as even where they are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest
from against_scipy import Row, assert_as_on_python, assert_as_scipy, assert_slopes, of
from scipy.stats import qmc as theirs

import weft.tensor as wt

OURS: Any = wt.stats.qmc
KEY: Final = wt.random.key(20261129)
SAMPLE: Final = np.random.default_rng(1).uniform(0, 1, (9, 3))
ROWS: Final = {
    **{f"discrepancy, {k}": Row(of("discrepancy", method=k), [[SAMPLE], [SAMPLE[:, :1]]])
       for k in ("CD", "WD", "MD", "L2-star")},
    "geometric_discrepancy": Row(of("geometric_discrepancy"), [[SAMPLE]]),
    "scale": Row(of("scale", [-1.0, 0.0, 2.0], [1.0, 3.0, 4.0]), [[SAMPLE]]),
    "scale back": Row(of("scale", [-1.0, 0.0, -2.0], [1.0, 3.0, 4.0], reverse=True), [[SAMPLE]]),
}  # fmt: skip


@pytest.mark.parametrize("name", ROWS)
def test_values(name: str) -> None:
    for arrays in ROWS[name].arrays:
        assert_as_scipy(OURS, theirs, ROWS[name].call, arrays)
    assert_slopes(OURS, ROWS[name])


@pytest.mark.parametrize("mode", ["numba", "jax"])
def test_backends(mode: str) -> None:
    def everything(m: Any, x: Any) -> Any:
        return [m.discrepancy(x, method=k) for k in ("CD", "L2-star")], m.geometric_discrepancy(x)

    assert_as_on_python(OURS, Row(everything, [[SAMPLE]]), mode)


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_plain_sequences(mode: str) -> None:
    n = wt.lscalar("n")
    for name, d in (("Sobol", 1), ("Sobol", 64), ("Halton", 5)):
        plain = getattr(OURS, name)(d, scramble=False)
        f = wt.function([n], [plain.random(n), plain.fast_forward(n).random(3)], mode=mode)
        whole = getattr(theirs, name)(d, scramble=False).random(64)
        first, later = f(37)
        np.testing.assert_allclose(first, whole[:37], rtol=0, atol=1e-15)
        np.testing.assert_allclose(later, whole[37:40], rtol=0, atol=1e-15)


@pytest.mark.parametrize("name", ["Sobol", "Halton", "LatinHypercube"])
def test_scrambled_points(name: str) -> None:
    """The same on every backend, uniform over keys, and more even than independent ones."""
    draw = getattr(OURS, name)(3, rng=KEY).random(128)
    found = [wt.function([], draw, mode=mode)() for mode in ("py", "numba", "jax")]
    for other in found[1:]:
        np.testing.assert_allclose(other, found[0], rtol=1e-15, atol=1e-16)
    assert ((found[0] >= 0) & (found[0] < 1)).all()
    alone = theirs.discrepancy(np.random.default_rng(2).uniform(size=(128, 3)))
    assert theirs.discrepancy(found[0]) < (0.6 if name == "LatinHypercube" else 0.1) * alone
    keys = wt.random.split(KEY, 400)
    one = wt.vmap(lambda key: getattr(OURS, name)(2, rng=key).random(5)[4])(keys).eval()
    for column in one.T:
        assert abs(column.mean() - 0.5) < 4 / np.sqrt(12 * 400)
        assert abs((column < 0.25).mean() - 0.25) < 0.09


def test_nets() -> None:
    """Of 2^m scrambled Sobol points, each of 2^m slices has one; so has each cell of a plane."""
    points = OURS.Sobol(2, rng=KEY).random_base2(6).eval()
    for axis in range(2):
        assert sorted((64 * points[:, axis]).astype(int)) == list(range(64))
    cells = (8 * points).astype(int) @ [8, 1]
    assert sorted(cells) == list(range(64))
    for column in OURS.LatinHypercube(3, rng=KEY).random(11).eval().T:
        assert sorted((11 * column).astype(int)) == list(range(11))


ERRORS: dict[str, Callable[[], Any]] = {
    "d must be an integer from 1 to 64": lambda: OURS.Sobol(65, rng=KEY),
    "d must be an integer from 1 to 1000": lambda: OURS.Halton(0, rng=KEY),
    "Sobol: give a key": lambda: OURS.Sobol(2),
    "method is one of": lambda: OURS.discrepancy(SAMPLE, method="best"),
    "takes points as rows": lambda: OURS.discrepancy(SAMPLE[0]),
    "not in the unit cube": lambda: OURS.discrepancy(SAMPLE + 1).eval(),
    "l_bounds are below": lambda: OURS.scale(SAMPLE, [0.0, 1.0, 0.0], 1.0).eval(),
    "outside of the box": lambda: OURS.scale(SAMPLE, 0.0, 0.1, reverse=True).eval(),
}


@pytest.mark.parametrize("message", ERRORS)
def test_errors(message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ERRORS[message]()
