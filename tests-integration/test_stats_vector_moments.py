"""Variances, modes and entropies of vectors and matrices: SciPy's, on all backends."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pytest
import scipy.stats
from scipy.special import digamma

import weft.tensor as wt

OURS: Any = wt.stats
THEIRS: Any = scipy.stats
COV: Final = np.array([[2.0, 0.5, 0.1], [0.5, 1.0, -0.3], [0.1, -0.3, 1.5]])
ALPHA: Final = np.array([0.5, 2.0, 3.0])
SHARES: Final = np.array([0.2, 0.5, 0.3])
CASES: Final[list[tuple[str, tuple[Any, ...], tuple[str, ...]]]] = [
    ("wishart", (7.5, COV), ("var", "mode", "entropy")),
    ("wishart", (3.2, COV), ("var", "entropy")),
    ("invwishart", (9.5, COV), ("var", "mode")),
    ("dirichlet", (ALPHA,), ("var",)),
    ("dirichlet_multinomial", (ALPHA, 7), ("var",)),
    ("multivariate_hypergeom", (np.array([4, 6, 9]), 5), ("var",)),
    ("multinomial", (7, SHARES), ("entropy",)),
    ("multinomial", (900, SHARES), ("entropy",)),
    ("normal_inverse_gamma", (0.5, 2.0, 3.5, 1.5), ("var",)),
]


def entropy_of_inverses(df: float, scale: Any) -> Any:
    """By that of their inverses, and the mean of the logarithm of det^(n+1); SciPy's own, which has
    log(2) once where it is as often as there are rows, is not that of its densities.
    """
    n = len(scale)
    log_det = digamma((df - np.arange(n)) / 2).sum() + n * np.log(2) - np.linalg.slogdet(scale)[1]
    return THEIRS.wishart.entropy(df, np.linalg.inv(scale)) - (n + 1) * log_det


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_moments(mode: str) -> None:
    inputs, values, outputs, wanted = [], [], [], []
    for name, p, methods in CASES:
        given = [wt.TensorType("float64", np.shape(v))() for v in p]
        inputs += given
        values += [np.asarray(v, "float64") for v in p]
        outputs += [getattr(getattr(OURS, name), m)(*given) for m in methods]
        wanted += [np.array(getattr(getattr(THEIRS, name), m)(*p)) for m in methods]
    for got, right in zip(wt.function(inputs, outputs, mode=mode)(*values), wanted, strict=True):
        np.testing.assert_allclose(got, right, rtol=1e-9)


def test_batches_and_slopes() -> None:
    df, scale = wt.dvector("df"), wt.tensor3("scale")
    for name in ("wishart", "invwishart"):
        law = getattr(OURS, name)(df, scale)
        methods = ("var", "mode", "entropy")
        f = wt.function([df, scale], [getattr(law, m)() for m in methods], mode="py")
        both = f([8.5, 9.0], [COV, 2 * COV])
        for k, (n, v) in enumerate([(8.5, COV), (9.0, 2 * COV)]):
            for m, found in zip(methods, both, strict=True):
                inverse = name == "invwishart" and m == "entropy"
                theirs = getattr(getattr(THEIRS, name), m)
                wanted = entropy_of_inverses(n, v) if inverse else theirs(n, v)
                np.testing.assert_allclose(found[k], wanted, rtol=1e-9)
        slope = wt.function([df, scale], wt.grad(law.entropy().sum(), df), mode="py")
        up, down = (f([8.5 + s, 9.0], [COV, COV])[2][0] for s in (1e-5, -1e-5))
        at = slope([8.5, 9.0], [COV, COV])[0]
        np.testing.assert_allclose(at, (up - down) / 2e-5, rtol=1e-7)


def test_where_there_are_none() -> None:
    assert np.isnan(OURS.wishart.mode(3.2, COV).eval()).all()
    assert np.isinf(OURS.invwishart.var(5.5, COV).eval()).all()
    variance = OURS.normal_inverse_gamma.var(0.0, 1.0, [0.9, 1.5], 1.0).eval()
    np.testing.assert_array_equal(variance, [[np.inf, np.inf], [2.0, np.inf]])


def test_the_diagonal_of_the_covariance() -> None:
    law = OURS.multivariate_normal(np.zeros(3), COV)
    np.testing.assert_allclose(law.var().eval(), np.diag(COV))
