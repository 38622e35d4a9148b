"""Distributions of vectors and matrices are SciPy's, and their draws have these moments."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pytest
from scipy import stats as scipy_stats
from scipy.special import betaln

import weft.tensor as wt
from weft_tensor.stats import Multivariate

BACKENDS: Final = ("py", "numba", "jax")
RANDOM: Final = np.random.default_rng(20261123)
COV: Final = np.array([[2.0, 0.5, -0.3], [0.5, 1.0, 0.2], [-0.3, 0.2, 1.5]])
MEAN: Final = np.array([0.5, -1.0, 2.0])
FACTOR: Final = np.array([[1.0, 0.2], [-0.5, 0.3], [0.1, 2.0]])
DIAGONAL: Final = np.array([1.0, 2.0, 0.5])
LOW_RANK: Final = FACTOR @ FACTOR.T + np.diag(DIAGONAL)
ALPHA: Final = np.array([0.5, 2.0, 3.0])
SHARES: Final = np.array([0.2, 0.3, 0.5])
CHANCES: Final = np.array([0.2, 0.5, 0.9])
BY_ROWS: Final = np.array([[2.0, 0.3], [0.3, 1.0]])
MIDDLE: Final = RANDOM.normal(size=(3, 2))
NEXT: Final = np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 1.0], [0.0, 1.0, 0.0]])
CAR: Final = np.linalg.inv(2 * (np.diag(NEXT.sum(0)) - 0.4 * NEXT))
VECTORS: Final = RANDOM.normal(size=(5, 3)) * 3
COUNTS: Final = RANDOM.multinomial(7, SHARES, size=6)
POINTS: Final = RANDOM.dirichlet(ALPHA, size=4)
MATRICES: Final = np.stack([v @ v.T for v in RANDOM.normal(size=(4, 3, 5))])
TABLES: Final = RANDOM.normal(size=(4, 3, 2))
PATHS: Final = RANDOM.normal(size=(2, 6))
DIRECTION: Final = np.array([2.0, -1.0, 2.0]) / 3
DIRECTIONS: Final = VECTORS / np.linalg.norm(VECTORS, axis=1, keepdims=True)
PAIRS: Final = np.abs(RANDOM.normal(size=(5, 2)))
URN: Final = np.array([5.0, 3.0, 7.0])
ROWS: Final = np.array([3.0, 4.0, 2.0])
COLUMNS: Final = np.array([5.0, 4.0])
CORRELATED: Final = np.array([[1.0, 0.5, 0.1], [0.5, 1.0, -0.2], [0.1, -0.2, 1.0]])


def _lkj(x: np.ndarray, eta: float) -> Any:
    """For three rows, by the integral over the beta variables of a vine."""
    constant = sum(
        (2 * eta - 2 + 3 - k) * (3 - k) * np.log(2)
        + (3 - k) * betaln(eta + (3 - k - 1) / 2, eta + (3 - k - 1) / 2)
        for k in (1, 2)
    )
    return (eta - 1) * np.linalg.slogdet(x)[1] - constant


def _normals(x: np.ndarray, loc: Any, scale: float) -> Any:
    return scipy_stats.norm.logpdf(x, loc, scale).sum(axis=-1)


CASES: Final[dict[str, tuple[str, dict[str, Any], np.ndarray, Any, Any, Any]]] = {
    "normal": (
        "multivariate_normal", {"mean": MEAN, "cov": COV}, VECTORS,
        scipy_stats.multivariate_normal(MEAN, COV).logpdf, MEAN, COV,
    ),
    "normal by its precision": (
        "multivariate_normal", {"mean": MEAN, "precision": np.linalg.inv(COV)}, VECTORS,
        scipy_stats.multivariate_normal(MEAN, COV).logpdf, MEAN, COV,
    ),
    "normal by its factor": (
        "multivariate_normal", {"mean": MEAN, "scale_tril": np.linalg.cholesky(COV)}, VECTORS,
        scipy_stats.multivariate_normal(MEAN, COV).logpdf, MEAN, COV,
    ),
    "normal of low rank": (
        "multivariate_normal", {"mean": MEAN, "factor": FACTOR, "diagonal": DIAGONAL}, VECTORS,
        scipy_stats.multivariate_normal(MEAN, LOW_RANK).logpdf, MEAN, LOW_RANK,
    ),
    "t": (
        "multivariate_t", {"loc": MEAN, "shape": COV, "df": 8.0}, VECTORS,
        scipy_stats.multivariate_t(MEAN, COV, 8).logpdf, MEAN, COV * 8 / 6,
    ),
    "dirichlet": (
        "dirichlet", {"alpha": ALPHA}, POINTS,
        lambda x: np.array([scipy_stats.dirichlet(ALPHA).logpdf(v) for v in x]),
        ALPHA / 5.5, scipy_stats.dirichlet(ALPHA).cov(),
    ),
    "multinomial": (
        "multinomial", {"n": 7.0, "p": SHARES}, COUNTS,
        scipy_stats.multinomial(7, SHARES).logpmf, 7 * SHARES,
        scipy_stats.multinomial(7, SHARES).cov(),
    ),
    "dirichlet_multinomial": (
        "dirichlet_multinomial", {"alpha": ALPHA, "n": 7.0}, COUNTS,
        scipy_stats.dirichlet_multinomial(ALPHA, np.array(7)).logpmf, 7 * ALPHA / 5.5,
        scipy_stats.dirichlet_multinomial(ALPHA, np.array(7)).cov(),
    ),
    "wishart": (
        "wishart", {"df": 5.5, "scale": COV}, MATRICES,
        lambda x: scipy_stats.wishart(5.5, COV).logpdf(np.moveaxis(x, 0, -1)), 5.5 * COV, None,
    ),
    "invwishart": (
        "invwishart", {"df": 9.5, "scale": COV}, MATRICES,
        lambda x: scipy_stats.invwishart(9.5, COV).logpdf(np.moveaxis(x, 0, -1)), COV / 5.5, None,
    ),
    "matrix_normal": (
        "matrix_normal", {"mean": MIDDLE, "rowcov": COV, "colcov": BY_ROWS}, TABLES,
        scipy_stats.matrix_normal(MIDDLE, COV, BY_ROWS).logpdf, MIDDLE, None,
    ),
    "lkj": ("lkj", {"eta": 2.5}, CORRELATED, lambda x: _lkj(x, 2.5), np.eye(3), None),
    "lkj_cholesky": (
        "lkj_cholesky", {"eta": 2.5}, np.linalg.cholesky(CORRELATED),
        lambda x: _lkj(x @ x.T, 2.5) + np.log(x[1, 1]) + 0 * np.log(x[2, 2]), None, None,
    ),
    "gaussian_random_walk": (
        "gaussian_random_walk", {"mu": 0.1, "sigma": 0.5}, PATHS,
        lambda x: _normals(x[:, :1], 0, 1) + _normals(np.diff(x), 0.1, 0.5),
        0.1 * np.arange(3), 1 + 0.25 * np.minimum.outer(np.arange(3), np.arange(3)),
    ),
    "ar": (
        "ar", {"rho": np.array([0.5, 0.2]), "sigma": 0.7, "constant": 0.1}, PATHS,
        lambda x: _normals(x[:, :2], 0, 1)
        + _normals(x[:, 2:], 0.1 + 0.5 * x[:, 1:-1] + 0.2 * x[:, :-2], 0.7),
        np.array([0.0, 0.0, 0.1]),
        np.array([[1, 0, 0.2], [0, 1, 0.5], [0.2, 0.5, 0.29 + 0.49]]),
    ),
    "car": (
        "car", {"mu": MEAN, "W": NEXT, "alpha": 0.4, "tau": 2.0}, VECTORS,
        scipy_stats.multivariate_normal(MEAN, CAR).logpdf, MEAN, CAR,
    ),
    "matrix_t": (
        "matrix_t", {"mean": MIDDLE, "row_spread": COV, "col_spread": BY_ROWS, "df": 4.5}, TABLES,
        scipy_stats.matrix_t(MIDDLE, COV, BY_ROWS, 4.5).logpdf, MIDDLE, None,
    ),
    "normal_inverse_gamma": (
        "normal_inverse_gamma", {"mu": 0.3, "lmbda": 2.0, "a": 6.0, "b": 0.7}, PAIRS,
        lambda x: scipy_stats.normal_inverse_gamma(0.3, 2, 6, 0.7).logpdf(x[:, 0], x[:, 1]),
        np.array([0.3, 0.14]), None,
    ),
    "uniform_direction": (
        "uniform_direction", {}, DIRECTIONS, lambda x: np.full(len(x), -np.log(4 * np.pi)),
        np.zeros(3), np.eye(3) / 3,
    ),
    "vonmises_fisher": (
        "vonmises_fisher", {"mu": DIRECTION, "kappa": 3.0}, DIRECTIONS,
        scipy_stats.vonmises_fisher(DIRECTION, 3).logpdf,
        (1 / np.tanh(3) - 1 / 3) * DIRECTION, None,
    ),
    "multivariate_hypergeom": (
        "multivariate_hypergeom", {"m": URN, "n": 6.0},
        scipy_stats.multivariate_hypergeom([5, 3, 7], 6).rvs(5, random_state=RANDOM),
        scipy_stats.multivariate_hypergeom([5, 3, 7], 6).logpmf, 6 * URN / 15,
        scipy_stats.multivariate_hypergeom([5, 3, 7], 6).cov(),
    ),
    "random_table": (
        "random_table", {"row": ROWS, "col": COLUMNS},
        scipy_stats.random_table(ROWS, COLUMNS).rvs(4, random_state=RANDOM),
        scipy_stats.random_table(ROWS, COLUMNS).logpmf, np.outer(ROWS, COLUMNS) / 9, None,
    ),
    "categorical": (
        "categorical", {"p": SHARES}, np.array([0.0, 2.0, 1.0]),
        lambda k: np.log(SHARES[k.astype(int)]), SHARES @ np.arange(3), None,
    ),
    "poisson_binom": (
        "poisson_binom", {"p": CHANCES}, np.array([0.0, 2.0, 3.0]),
        scipy_stats.poisson_binom(CHANCES).logpmf, CHANCES.sum(), None,
    ),
}  # fmt: skip
"""By a name: the family, parameters, values, the log-density, and the mean and covariance."""
LENGTHS: Final = {
    "uniform_direction": "dim", "lkj": "n", "lkj_cholesky": "n", "gaussian_random_walk": "steps",
    "ar": "steps",
}  # fmt: skip


MATRICES_ALONE: Final[dict[str, dict[str, Any]]] = {
    "ortho_group": {"dim": 4}, "special_ortho_group": {"dim": 3}, "unitary_group": {"dim": 3},
    "random_correlation": {"eigs": np.array([0.2, 0.5, 1.1, 2.2])},
}  # fmt: skip
"""Those of which there are draws alone."""


@pytest.mark.parametrize("name", MATRICES_ALONE)
@pytest.mark.cases(2)
def test_matrices_without_a_density(name: str, few: Any) -> None:
    """Each is what it must be, and has mean 0 beside the diagonal; the same on every backend."""
    of = getattr(wt.stats, name)
    drawn = of.rvs(wt.random.key(7), size=(2, 1_000), **MATRICES_ALONE[name])
    draws = [wt.function([], drawn, mode=mode)() for mode in few(BACKENDS, 2)]
    for other in draws[1:]:
        np.testing.assert_allclose(other, draws[0], rtol=1e-9, atol=1e-11)
    x = draws[0].reshape(-1, *draws[0].shape[2:])
    square = x @ np.conj(np.swapaxes(x, -1, -2))
    if name == "random_correlation":
        eigs = MATRICES_ALONE[name]["eigs"]
        np.testing.assert_allclose(np.linalg.eigvalsh(x), np.tile(eigs, (2_000, 1)), rtol=1e-9)
        assert (np.diagonal(x, axis1=1, axis2=2) == 1).all()
    else:
        np.testing.assert_allclose(square, np.tile(np.eye(len(x[0])), (2_000, 1, 1)), atol=1e-12)
    if name != "unitary_group":
        np.testing.assert_allclose(
            np.mean(np.linalg.det(x) > 0), 0.5 if name == "ortho_group" else 1, atol=0.05
        )
    assert abs(x[:, 0, 1].mean()) < 5 * x[:, 0, 1].std() / np.sqrt(2_000)
    with pytest.raises(AttributeError, match=f"{name} has no logpdf"):
        of.logpdf(x)


def test_every_family_has_a_case() -> None:
    every = {n for n in wt.stats.__all__ if isinstance(getattr(wt.stats, n), Multivariate)}
    assert every == {*(case[0] for case in CASES.values()), *MATRICES_ALONE}


@pytest.mark.parametrize("mode", BACKENDS)
@pytest.mark.cases(1)
def test_densities_and_slopes(mode: str) -> None:
    """All in one function: SciPy's densities, and slopes as differences of the Python backend's."""
    inputs, values, outputs, densities = [], [], [], []
    for family, p, x, *_ in CASES.values():
        of = getattr(wt.stats, family)
        given = {n: wt.TensorType("float64", np.shape(v))(n) for n, v in p.items()}
        at = wt.TensorType("float64", x.shape)("x")
        density = of.logpmf(at, **given) if of.is_discrete else of.logpdf(at, **given)
        inputs += [at, *given.values()]
        values += [x.astype(float), *p.values()]
        outputs.append(density)
        densities.append(density.sum())
    total = sum(densities)
    slopes = wt.grad(total, inputs)
    found = wt.function(inputs, [*outputs, *slopes], mode=mode)(*values)
    for got, (name, case) in zip(found, CASES.items(), strict=False):
        np.testing.assert_allclose(got, case[3](case[2]), rtol=1e-10, err_msg=name)
    for slope in found[len(outputs) :]:
        assert np.isfinite(slope).all()


@pytest.mark.parametrize("name", CASES)
@pytest.mark.cases(2)
def test_slopes_are_those_of_differences(name: str) -> None:
    family, p, x, *_ = CASES[name]
    of = getattr(wt.stats, family)
    given = {n: wt.TensorType("float64", np.shape(v))(n) for n, v in p.items()}
    at = wt.TensorType("float64", x.shape)("x")
    density = (of.logpmf if of.is_discrete else of.logpdf)(at, check=False, **given).sum()
    call = wt.function(
        [at, *given.values()], [density, *wt.grad(density, list(given.values()))], mode="py"
    )
    _, *slopes = call(x.astype(float), *p.values())
    for k, (n, v) in enumerate(p.items()):
        if n in ("n", "W", "m", "row", "col") or family in ("categorical", "vonmises_fisher"):
            continue
        way = RANDOM.normal(size=np.shape(v))
        way = way + way.T if np.ndim(v) == 2 and np.shape(v)[0] == np.shape(v)[1] else way
        way = np.tril(way) if n == "scale_tril" else way
        way = way - way.mean() if n == "p" and family == "multinomial" else way
        step = 1e-5

        def moved(sign: int, k: int = k, way: Any = way, step: float = step) -> Any:
            values = list(p.values())
            values[k] = values[k] + sign * step * way
            return call(x.astype(float), *values)[0]

        expected = (moved(1) - moved(-1)) / (2 * step)
        if family == "multinomial":
            continue
        np.testing.assert_allclose((slopes[k] * way).sum(), expected, rtol=2e-5, err_msg=n)


@pytest.mark.parametrize("name", CASES)
@pytest.mark.cases(1)
def test_draws_have_the_moments_and_are_the_same_on_every_backend(name: str, few: Any) -> None:
    family, p, _, _, mean, cov = CASES[name]
    sized = {LENGTHS[family]: 3} if family in LENGTHS else {}
    drawn = getattr(wt.stats, family).rvs(wt.random.key(7), size=4_000, **p, **sized)
    found = [wt.function([], drawn, mode=mode)() for mode in few(BACKENDS, 2)]
    for other in found[1:]:
        np.testing.assert_allclose(other, found[0], rtol=1e-9, atol=1e-11)
    if mean is not None:
        error = found[0].std(axis=0) / np.sqrt(4_000)
        assert (abs(found[0].mean(axis=0) - mean) <= 5 * error + 1e-12).all()
    if cov is not None:
        np.testing.assert_allclose(np.cov(found[0].T), cov, rtol=0.2, atol=0.15 * abs(cov).max())


def test_batches_of_parameters() -> None:
    """Each part of a batch is what it is alone."""
    both = np.stack([COV, 2 * COV])
    found = wt.stats.multivariate_normal.logpdf(VECTORS[:, None], MEAN, both).eval()
    for k in range(2):
        alone = scipy_stats.multivariate_normal(MEAN, both[k]).logpdf(VECTORS)
        np.testing.assert_allclose(found[:, k], alone, rtol=1e-12)
    key = wt.random.key(3)
    assert wt.stats.multivariate_normal.rvs(key, MEAN, both).eval().shape == (2, 3)
    assert wt.stats.multivariate_normal.rvs(key, MEAN, both, size=(4, 2)).eval().shape == (4, 2, 3)
    assert wt.stats.dirichlet.rvs(key, np.ones((2, 3)), size=(5, 2)).eval().shape == (5, 2, 3)
    classes = wt.stats.categorical.logpmf([0, 1], [[0.2, 0.3, 0.5], [0.1, 0.1, 0.8]]).eval()
    np.testing.assert_allclose(classes, np.log([0.2, 0.1]))


def test_outside() -> None:
    """-inf for values that can't occur."""
    densities: list[tuple[Multivariate, Any, list[Any]]] = [
        (wt.stats.dirichlet, [0.2, 0.2, 0.2], [ALPHA]),
        (wt.stats.wishart, -np.eye(2), [3.0, np.eye(2)]),
        (wt.stats.lkj, 2 * np.eye(2), [1.0]),
        (wt.stats.lkj_cholesky, 2 * np.eye(2), [1.0]),
    ]
    for of, x, p in densities:
        assert np.isneginf(of.logpdf(x, *p).eval()), of.name
    counts: list[tuple[Multivariate, Any, list[Any]]] = [
        (wt.stats.multinomial, [1, 2, 3], [7, SHARES]),
        (wt.stats.multinomial, [0.5, 3.5, 3.0], [7, SHARES]),
        (wt.stats.categorical, 3, [SHARES]),
    ]
    for of, x, p in counts:
        assert np.isneginf(of.logpmf(x, *p).eval()), of.name


UNIT: Final = np.eye(3)
BEYOND: Final[dict[str, list[Any]]] = {
    "ar": [[0, np.inf, 0, 0, 0, 0]],
    "car": [[np.inf, 0, 0]],
    "categorical": [3, -1, 0.5],
    "dirichlet": [[0.2, 0.2, 0.2], [-0.1, 0.6, 0.5]],
    "dirichlet_multinomial": [[1, 2, 3], [0.5, 3.5, 3], [-1, 4, 4]],
    "gaussian_random_walk": [[0, np.inf, 0, 0, 0, 0]],
    "invwishart": [-UNIT, np.ones((3, 3)), UNIT + np.eye(3, k=1)],
    "lkj": [2 * UNIT, np.ones((3, 3)), UNIT + np.eye(3, k=1)],
    "lkj_cholesky": [2 * UNIT, -UNIT, UNIT + np.eye(3, k=1), np.diag([1, 1, 0.0])],
    "matrix_normal": [],
    "matrix_t": [],
    "multinomial": [[1, 2, 3], [0.5, 3.5, 3], [-1, 4, 4]],
    "multivariate_hypergeom": [[1, 2, 4], [0.5, 2.5, 3], [-1, 0, 7], [1, 4, 1]],
    "normal_inverse_gamma": [[0, 0], [0, -1]],
    "poisson_binom": [-1, 4, 0.5],
    "random_table": [[[3, 0], [2, 2], [1, 1]], [[3.5, -0.5], [0.5, 3.5], [1, 1]]],
    "uniform_direction": [[0, 0, 0], [1, 1, 0]],
    "vonmises_fisher": [[0, 0, 0], [1, 1, 0]],
    "multivariate_normal": [[np.inf, 0, 0]],
    "multivariate_t": [[np.inf, 0, 0]],
    "wishart": [-UNIT, np.ones((3, 3)), UNIT + np.eye(3, k=1)],
}
"""What can't occur."""
INDEFINITE: Final = np.array([[1, 0.9, -0.9], [0.9, 1, 0.9], [-0.9, 0.9, 1]])
ANY: Final = ("mean", "mu", "loc", "constant", "factor", "rho")
"""Parameters that may be any numbers."""


@pytest.mark.parametrize("mode", BACKENDS)
@pytest.mark.parametrize("name", CASES)
@pytest.mark.cases(2)
def test_outside_and_parameters_that_are_not_valid(name: str, mode: str) -> None:
    """-inf without slopes; NaN for NaN, and for parameters that are not valid if unchecked."""
    family, p, x, *_ = CASES[name]
    of = getattr(wt.stats, family)
    given = {n: wt.TensorType("float64", np.shape(v))(n) for n, v in p.items()}
    at = wt.TensorType("float64", x.shape[-of.event_rank :] if of.event_rank else ())("x")
    density = (of.logpmf if of.is_discrete else of.logpdf)(at, **given)
    outputs = [density, *wt.grad(density, [at, *given.values()])]
    call = wt.function([at, *given.values()], outputs, mode=mode)
    shape = at.type.shape
    for value in (*BEYOND[family], np.full(shape, np.inf), np.full(shape, -np.inf)):
        found, *slopes = call(np.asarray(value, "float64"), *p.values())
        assert np.isneginf(found), value
        assert not any(np.any(v) for v in slopes), (value, slopes)
    assert np.isnan(call(np.full(shape, np.nan), *p.values())[0])
    sized = {LENGTHS[family]: 3} if family in LENGTHS else {}
    unchecked = (of.logpmf if of.is_discrete else of.logpdf)(at, check=False, **given)
    drawn = of.rvs(wt.random.key(1), size=2, check=False, **given, **sized)
    free = wt.function([at, *given.values()], [unchecked, drawn], mode=mode)
    inside = np.asarray(x if shape == x.shape else x[0], "float64")
    for n, v in p.items():
        negative = -np.asarray(v) if (family, n) != ("car", "alpha") else 1.5
        wrong = [negative, np.nan * np.asarray(v), INDEFINITE]
        for value in wrong if n not in ANY else ():
            if np.shape(value) == np.shape(v):
                with np.errstate(all="ignore"):
                    found, draws = free(inside, *{**p, n: value}.values())
                assert np.isnan(found), (n, value)
                assert of.is_discrete or np.isnan(draws).all(), (n, value)


def test_errors_say_what_is_wrong() -> None:
    of = wt.stats
    wrong: list[tuple[Any, type[Exception], str]] = [
        (lambda: of.dirichlet.logpdf(POINTS, -ALPHA), ValueError, "alpha must be positive, got"),
        (lambda: of.multinomial.logpmf(COUNTS, 7, [0.5, 0.6, 0.1]), ValueError, "sum to one.*0.6"),
        (lambda: of.multinomial.logpmf(COUNTS, -7, SHARES), ValueError, "n must be an integer"),
        (
            lambda: of.multivariate_normal.logpdf(VECTORS, MEAN, -COV),
            ValueError, "multivariate_normal: cov must be symmetric and positive definite, got",
        ),
        (lambda: of.multivariate_normal.logpdf(VECTORS, MEAN), TypeError, "takes one of cov"),
        (
            lambda: of.multivariate_normal.logpdf(VECTORS, MEAN, COV, precision=COV),
            TypeError, "takes one of cov, precision.*not cov, precision",
        ),
        (
            lambda: of.multivariate_normal.logpdf(VECTORS, MEAN, np.nan * COV),
            ValueError, "multivariate_normal: cov must be symmetric .* got",
        ),
        (
            lambda: of.multivariate_normal.logpdf(VECTORS, MEAN, wt.matrix(shape=(3, 2))),
            ValueError, "multivariate_normal: cov must be symmetric .* not <",
        ),
        (
            lambda: of.multivariate_normal.logpdf(VECTORS, MEAN, scale_tril=np.ones((3, 3))),
            ValueError, "scale_tril must be lower triangular with a positive diagonal, got",
        ),
        (lambda: of.wishart.logpdf(UNIT, 1.5, UNIT), ValueError, "df must be above .* got 1.5"),
        (lambda: of.categorical.rvs(wt.random.key(1)), TypeError, "takes one of p, logits"),
        (lambda: of.lkj.rvs(wt.random.key(1), 2.0), TypeError, "lkj.rvs needs n"),
        (lambda: of.dirichlet.rvs(1.5, ALPHA), TypeError, "a key is a uint64 scalar"),
        (lambda: of.dirichlet.logpdf(0.5, ALPHA), ValueError, "a value has 1 axes"),
        (lambda: of.categorical.logpdf, AttributeError, "categorical has no logpdf"),
    ]  # fmt: skip
    for call, error, text in wrong:
        with pytest.raises(error, match=text):
            call()
    assert np.isnan(of.dirichlet.logpdf(POINTS[0], [-1.0, 2.0, 3.0], check=False).eval())


def test_multinomial_draws_of_an_unknown_number_of_classes() -> None:
    p = wt.dvector("p")
    draws = wt.stats.multinomial.rvs(wt.random.key(3), 10, p, size=4000)
    shares = np.array([0.2, 0.0, 0.5, 0.3])
    got = wt.function([p], draws, mode="py")(shares)
    assert (got.sum(axis=1) == 10).all()
    np.testing.assert_allclose(got.mean(axis=0), 10 * shares, atol=0.1)
    expected = 10 * (np.diag(shares) - np.outer(shares, shares))
    np.testing.assert_allclose(np.cov(got.T), expected, atol=0.15)
