"""Clusters as SciPy finds them, on all backends, with derivatives, and drawn by keys."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.cluster.vq
from against_scipy import Row, assert_as_on_python, assert_as_scipy, assert_slopes, quietly

import weft.tensor as wt

OURS: Any = wt.cluster
THEIRS: Any = scipy.cluster.vq
RANDOM = np.random.default_rng(8)
OBSERVED = np.concatenate([RANDOM.normal(size=(9, 2)), RANDOM.normal(size=(7, 2)) + 4])
GUESS = np.array([[0.0, 1.0], [3.0, 3.0], [5.0, 4.0]])
LINE = OBSERVED[:, 0]

ROWS = {
    "whiten": Row(lambda m, x: m.whiten(x), [[OBSERVED], [LINE]]),
    "vq": Row(lambda m, x, book: m.vq(x, book),
              [[OBSERVED, GUESS], [LINE, GUESS[:, 0]], [OBSERVED[:0], GUESS], [GUESS, GUESS]]),
    "kmeans": Row(lambda m, x, book: m.kmeans(x, book),
                  [[OBSERVED, GUESS], [LINE, GUESS[:, 0]], [OBSERVED, GUESS[:2]]]),
    "kmeans2": Row(lambda m, x, book: m.kmeans2(x, book, 3, minit="matrix"),
                   [[OBSERVED, GUESS], [LINE, GUESS[:, 0]], [OBSERVED, GUESS * [[1], [1], [50]]]]),
}  # fmt: skip


@pytest.mark.parametrize("name", ROWS)
def test_as_scipy_has_them(name: str) -> None:
    for arrays in ROWS[name].arrays:
        assert_as_scipy(OURS, THEIRS, ROWS[name].call, arrays)
        single = [x.astype("float32") for x in arrays]
        assert_as_scipy(OURS, THEIRS, ROWS[name].call, single)


@pytest.mark.parametrize("name", ROWS)
def test_derivatives(name: str) -> None:
    assert_slopes(OURS, ROWS[name])


@pytest.mark.cases("jax")
@pytest.mark.parametrize("mode", ["numba", "jax"])
def test_backends(mode: str, few: Any) -> None:
    def everything(m: Any, x: Any, book: Any) -> Any:
        return few([*m.vq(x, book), *m.kmeans(x, book), *m.kmeans2(x, book, 3)], 4)

    assert_as_on_python(OURS, Row(everything, [[OBSERVED, GUESS]]), mode)


def test_what_is_nearest_to_nothing_is_infinitely_far() -> None:
    far = GUESS * [[1], [1], [50]]
    centres, missed = (v.eval() for v in OURS.kmeans(OBSERVED, far))
    wanted, distance = THEIRS.kmeans(OBSERVED, far)
    np.testing.assert_allclose(centres[:2], wanted)
    np.testing.assert_allclose(missed, distance)
    assert np.isinf(centres[2]).all()


@pytest.mark.cases("py")
@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_centres_that_are_drawn(mode: str) -> None:
    x, keys = wt.matrix("x"), wt.random.split(wt.random.key(7), 4)
    ways = ["random", "points", "++"]
    drawn = [OURS.kmeans2(x, 2, minit=how, rng=keys[i])[0] for i, how in enumerate(ways)]
    outputs = [OURS.kmeans(x, 2, 4, rng=keys[3])[0], *drawn]
    wanted = np.sort(quietly(THEIRS.kmeans2, OBSERVED, GUESS[:2], 10, 1e-5, "matrix")[0], 0)
    for centres in wt.function([x], outputs, mode=mode)(OBSERVED):
        np.testing.assert_allclose(np.sort(centres, 0), wanted)


ERRORS: dict[str, Callable[[], Any]] = {
    "kmeans: iter must be at least 1, not 0": lambda: OURS.kmeans(OBSERVED, 2, 0),
    "kmeans: centres are drawn by a key": lambda: OURS.kmeans(OBSERVED, 2),
    "kmeans2: minit is one of": lambda: OURS.kmeans2(OBSERVED, 2, minit="best"),
    "k is no centres but 2": lambda: OURS.kmeans2(OBSERVED, 2, minit="matrix"),
    "missing is one of 'warn'": lambda: OURS.kmeans2(OBSERVED, GUESS, missing="raise"),
    "kmeans2: iter must be": lambda: OURS.kmeans2(OBSERVED, GUESS, 0),
    "vq takes a matrix": lambda: OURS.vq(1.0, GUESS),
}


@pytest.mark.parametrize("message", ERRORS)
def test_errors(message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ERRORS[message]()
