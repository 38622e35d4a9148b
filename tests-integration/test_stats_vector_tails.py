"""Densities of vectors and matrices where they are as small as 1e-300, against mpmath."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import mpmath as mp
import numpy as np
import pytest

import weft.tensor as wt

BACKENDS: Final = ("py", "numba", "jax")
COV: Final = np.array([[2.0, 0.5, -0.3], [0.5, 1.0, 0.2], [-0.3, 0.2, 1.5]])
MEAN: Final = np.array([0.5, -1.0, 2.0])
ROWS: Final = np.array([[2.0, 0.3], [0.3, 1.0]])
ALPHA: Final = np.array([0.5, 20.0, 300.0])
SPREAD: Final = np.array([1.0, -0.4, 0.7])
OUTER: Final = np.eye(3) + 0.3 * np.outer(SPREAD, SPREAD)
TABLE: Final = np.array([[1.0, -2.0], [0.5, 3.0], [-1.0, 0.2]])
COUNTS: Final = np.array([[400.0, 0.0, 0.0], [399.0, 1.0, 0.0], [0.0, 0.0, 400.0]])
SHARES: Final = np.array([0.2, 0.3, 0.5])
NEAR: Final = 1 - np.array([1e-3, 1e-6, 1e-12])


def _log_det(m: Any) -> Any:
    return mp.log(mp.det(mp.matrix(m.tolist())))


def _square(v: Any, m: Any) -> Any:
    """v' m⁻¹ v."""
    column = mp.matrix(v)
    return (column.T * mp.lu_solve(mp.matrix(m.tolist()), column))[0]


def _off(x: Any) -> list[Any]:
    return [mp.mpf(float(a)) - mp.mpf(float(b)) for a, b in zip(x, MEAN, strict=True)]


def _normal(x: Any) -> Any:
    return -(_square(_off(x), COV) + _log_det(COV) + 3 * mp.log(2 * mp.pi)) / 2


def _t(x: Any) -> Any:
    df = mp.mpf(4)
    norming = mp.loggamma((df + 3) / 2) - mp.loggamma(df / 2) - 3 * mp.log(df * mp.pi) / 2
    return norming - _log_det(COV) / 2 - (df + 3) / 2 * mp.log1p(_square(_off(x), COV) / df)


def _dirichlet(x: Any) -> Any:
    """Of what the first numbers leave for the last one."""
    terms = [(mp.mpf(a) - 1) * mp.log(mp.mpf(float(v))) for a, v in zip(ALPHA, x, strict=True)]
    norming = mp.loggamma(mp.fsum(ALPHA)) - mp.fsum([mp.loggamma(a) for a in ALPHA])
    return norming + mp.fsum(terms)


def _log_gamma(a: Any, n: int) -> Any:
    """The multivariate gamma function's logarithm."""
    parts = [mp.loggamma(a - mp.mpf(k) / 2) for k in range(n)]
    return mp.mpf(n * (n - 1)) / 4 * mp.log(mp.pi) + mp.fsum(parts)


def _trace(m: Any, n: Any) -> Any:
    """Of m⁻¹ n."""
    left, right = mp.matrix(m.tolist()), mp.matrix(n.tolist())
    product = mp.inverse(left) * right
    return mp.fsum([product[k, k] for k in range(product.rows)])


def _wishart(x: Any) -> Any:
    df = mp.mpf(5.5)
    norming = df * 3 / 2 * mp.log(2) + df / 2 * _log_det(COV) + _log_gamma(df / 2, 3)
    return (df - 4) / 2 * _log_det(x) - _trace(COV, x) / 2 - norming


def _inverse_wishart(x: Any) -> Any:
    df = mp.mpf(5.5)
    norming = df * 3 / 2 * mp.log(2) - df / 2 * _log_det(COV) + _log_gamma(df / 2, 3)
    return -(df + 4) / 2 * _log_det(x) - _trace(x, COV) / 2 - norming


def _matrix_normal(x: Any) -> Any:
    whole = np.kron(COV, ROWS)
    flat = [mp.mpf(float(v)) for v in x.ravel()]
    return -(_square(flat, whole) + _log_det(whole) + 6 * mp.log(2 * mp.pi)) / 2


def _multinomial(x: Any) -> Any:
    chosen = mp.loggamma(mp.fsum(x) + 1) - mp.fsum([mp.loggamma(mp.mpf(float(k)) + 1) for k in x])
    return chosen + mp.fsum([mp.mpf(float(k)) * mp.log(p) for k, p in zip(x, SHARES, strict=True)])


def _dirichlet_multinomial(x: Any) -> Any:
    n, total = mp.fsum(x), mp.fsum(ALPHA)
    found = mp.loggamma(total) + mp.loggamma(n + 1) - mp.loggamma(n + total)
    for k, a in zip(x, ALPHA, strict=True):
        count = mp.mpf(float(k))
        found += mp.loggamma(count + a) - mp.loggamma(a) - mp.loggamma(count + 1)
    return found


def _lkj(x: Any) -> Any:
    """Of two rows: of a share (1 + r) / 2 with the beta distribution of eta and eta."""
    eta = mp.mpf(30)
    norming = 2 * mp.loggamma(eta) - mp.loggamma(2 * eta) + (2 * eta - 1) * mp.log(2)
    return (eta - 1) * _log_det(x) - norming


Case = tuple[str, dict[str, Any], np.ndarray, Callable[[Any], Any]]
DIRECTIONS: Final = np.array([[1.0, 1.0, -1.0], [-2.0, 0.3, 1.0], [0.0, 0.0, 1.0]])
SIZES: Final = np.array([1e-3, 1.0, 9.0, 22.0])
FAR: Final = (MEAN + SIZES[:, None, None] * DIRECTIONS).reshape(-1, 3)
CASES: Final[dict[str, Case]] = {
    "normal": ("multivariate_normal", {"mean": MEAN, "cov": COV}, FAR, _normal),
    "normal by its precision": (
        "multivariate_normal", {"mean": MEAN, "precision": np.linalg.inv(COV)}, FAR, _normal,
    ),
    "normal by its factor": (
        "multivariate_normal", {"mean": MEAN, "scale_tril": np.linalg.cholesky(COV)}, FAR, _normal,
    ),
    "t": (
        "multivariate_t", {"loc": MEAN, "shape": COV, "df": 4.0},
        np.concatenate([FAR, MEAN + DIRECTIONS * 1e20, MEAN + DIRECTIONS * 1e42]), _t,
    ),
    "dirichlet": (
        "dirichlet", {"alpha": ALPHA},
        np.array([[1e-200, 0.06, 0.94], [0.5, 0.2, 0.3], [0.1, 0.8, 0.1]]), _dirichlet,
    ),
    "wishart": (
        "wishart", {"df": 5.5, "scale": COV},
        np.stack([s * OUTER for s in (1e-100, 1e-20, 1e-3, 1.0, 50.0, 400.0)]), _wishart,
    ),
    "invwishart": (
        "invwishart", {"df": 5.5, "scale": COV},
        np.stack([s * OUTER for s in (2e-3, 0.1, 1.0, 1e3, 1e20)]), _inverse_wishart,
    ),
    "matrix_normal": (
        "matrix_normal", {"mean": np.zeros((3, 2)), "rowcov": COV, "colcov": ROWS},
        np.stack([s * TABLE for s in (1e-9, 1.0, 4.0, 12.0)]), _matrix_normal,
    ),
    "multinomial": ("multinomial", {"n": 400.0, "p": SHARES}, COUNTS, _multinomial),
    "dirichlet_multinomial": (
        "dirichlet_multinomial", {"alpha": ALPHA, "n": 400.0}, COUNTS, _dirichlet_multinomial,
    ),
    "lkj": (
        "lkj", {"eta": 30.0}, np.stack([[[1.0, r], [r, 1.0]] for r in (0.0, *NEAR[:2])]), _lkj,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("mode", BACKENDS)
@pytest.mark.cases(len(CASES))
def test_densities_far_out(name: str, mode: str) -> None:
    family, given, values, exact = CASES[name]
    of: Any = getattr(wt.stats, family)
    x = wt.tensor("x", dtype="float64", shape=(None,) * values.ndim)
    density = of.logpmf if of.is_discrete else of.logpdf
    found = wt.function([x], density(x, **given), mode=mode)(values)
    with mp.workdps(60):
        wanted = [float(exact(v)) for v in values]
    assert min(wanted) < -370
    np.testing.assert_allclose(found, wanted, rtol=1e-9)
