"""Log-densities of statistical models, written once for all libraries with NumPy's names.

Each model is a function of the library (`weft.tensor`, `pytensor.tensor`) and of how many
blocks of data it has. It returns the data, the parameters and the log-density.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

HALF_LOG_TAU = 0.5 * math.log(2.0 * math.pi)
POINTS = 12
"""The size of the covariance matrix of one block of `mvn`."""


class Density(NamedTuple):
    """A log-density as a graph."""

    data: list[Any]
    parameters: list[Any]
    value: Any


def normal(lib: Any, x: Any, mean: Any, scale: Any) -> Any:
    """The log-density of normal numbers."""
    return -0.5 * lib.square((x - mean) / scale) - lib.log(scale) - HALF_LOG_TAU


def total(terms: list[Any]) -> Any:
    """The sum of a list, from the left."""
    result = terms[0]
    for term in terms[1:]:
        result = result + term
    return result


def regression(lib: Any, blocks: int) -> Density:
    """Linear regressions with robust priors, one per block."""
    data, parameters, terms = [], [], []
    for k in range(blocks):
        X, y = lib.dmatrix(f"X{k}"), lib.dvector(f"y{k}")
        a, b, log_s = lib.dscalar(f"a{k}"), lib.dvector(f"b{k}"), lib.dscalar(f"log_s{k}")
        s = lib.exp(log_s)
        terms += [
            lib.sum(normal(lib, y, a + lib.dot(X, b), s)),
            lib.sum(normal(lib, b, 0.0, 2.5)) + normal(lib, a, 0.0, 10.0),
            log_s - lib.log(1.0 + lib.square(s / 5.0)),
        ]
        data += [X, y]
        parameters += [a, b, log_s]
    return Density(data, parameters, total(terms))


def hierarchical(lib: Any, blocks: int) -> Density:
    """Logistic regressions of groups, whose intercepts and slopes have a common prior."""
    mu_a, mu_b = lib.dscalar("mu_a"), lib.dscalar("mu_b")
    log_a, log_b = lib.dscalar("log_a"), lib.dscalar("log_b")
    s_a, s_b = lib.exp(log_a), lib.exp(log_b)
    terms = [normal(lib, mu_a, 0.0, 5.0), normal(lib, mu_b, 0.0, 5.0)]
    terms += [log_a - 0.5 * lib.square(s_a), log_b - 0.5 * lib.square(s_b)]
    data, parameters = [], [mu_a, mu_b, log_a, log_b]
    for k in range(blocks):
        x, y = lib.dvector(f"x{k}"), lib.dvector(f"y{k}")
        z_a, z_b = lib.dscalar(f"z_a{k}"), lib.dscalar(f"z_b{k}")
        p = lib.sigmoid(mu_a + s_a * z_a + (mu_b + s_b * z_b) * x)
        terms.append(lib.sum(y * lib.log(p) + (1.0 - y) * lib.log(1.0 - p)))
        terms.append(normal(lib, z_a, 0.0, 1.0) + normal(lib, z_b, 0.0, 1.0))
        data += [x, y]
        parameters += [z_a, z_b]
    return Density(data, parameters, total(terms))


def mixture(lib: Any, blocks: int) -> Density:
    """Mixtures of three normal distributions, one per block."""
    data, parameters, terms = [], [], []
    for k in range(blocks):
        x, w = lib.dvector(f"x{k}"), lib.dvector(f"w{k}")
        mean, log_s = lib.dvector(f"mean{k}"), lib.dvector(f"log_s{k}")
        log_w = w - lib.log(lib.sum(lib.exp(w)))
        parts = [log_w[j] + normal(lib, x, mean[j], lib.exp(log_s[j])) for j in range(3)]
        terms.append(lib.sum(lib.log(lib.sum(lib.exp(lib.stack(parts)), axis=0))))
        terms.append(lib.sum(normal(lib, mean, 0.0, 10.0)))
        data.append(x)
        parameters += [w, mean, log_s]
    return Density(data, parameters, total(terms))


def mvn(lib: Any, blocks: int) -> Density:
    """Gaussian processes at fixed points, one per block: multivariate normal densities."""
    points = np.linspace(0.0, 1.0, POINTS)
    squares = np.square(points[:, None] - points)
    places = np.arange(POINTS)
    data, parameters, terms = [], [], []
    for k in range(blocks):
        y = lib.dvector(f"y{k}")
        log_e, log_l, log_s = (lib.dscalar(f"{name}{k}") for name in ("log_e", "log_l", "log_s"))
        kernel = lib.exp(2.0 * log_e) * lib.exp(-0.5 * squares / lib.square(lib.exp(log_l)))
        noise = lib.exp(2.0 * log_s) + 1e-6
        root = lib.linalg.cholesky(kernel + noise * np.eye(POINTS))
        z = lib.linalg.solve_triangular(root, y, lower=True)
        terms.append(-0.5 * lib.sum(lib.square(z)) - lib.sum(lib.log(root[places, places])))
        terms += [normal(lib, v, 0.0, 1.0) for v in (log_e, log_l, log_s)]
        data.append(y)
        parameters += [log_e, log_l, log_s]
    return Density(data, parameters, total(terms))


MODELS = {
    "regression": regression,
    "hierarchical": hierarchical,
    "mixture": mixture,
    "mvn": mvn,
}
