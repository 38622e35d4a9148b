"""The demo's model, and how long it takes to compile: `python -m tools.demo_model BACKEND`.

A Bayesian logistic regression: Weft differentiates its log-posterior and compiles value and
gradient as one function. The data are inputs of that function, so that it serves any data.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

import weft
import weft.tensor as wt

BACKENDS = {"py": "Python", "numba": "Numba", "jax": "JAX"}
SLOPE_SD, INTERCEPT_SD = 1.0, 2.5

Array = np.ndarray[Any, np.dtype[np.float64]]
Objective = Callable[[Array], tuple[float, Array]]


def log_posterior() -> weft.FunctionGraph:
    """Return the log-posterior and its gradient, as the formula reads and nothing simplified."""
    X = wt.matrix("X", shape=("n", "p"))
    y = wt.vector("y", shape=("n",))
    alpha = wt.scalar("alpha")
    beta = wt.vector("beta", shape=("p",))

    probability = wt.sigmoid(alpha + X @ beta).named("probability")
    terms = y * wt.log(probability) + (1 - y) * wt.log(1 - probability)
    log_likelihood = wt.sum(terms).named("log_likelihood")
    penalty = wt.sum((beta / SLOPE_SD) ** 2) + (alpha / INTERCEPT_SD) ** 2
    log_prior = (-penalty / 2).named("log_prior")

    value = (log_likelihood + log_prior).named("log_posterior")
    slopes = wt.grad(value, [alpha, beta])
    return wt.FunctionGraph([alpha, beta, X, y], [value, *slopes])


def probability_of_one() -> weft.Function:
    """Return a compiled function from parameters and predictors to predicted probabilities."""
    X = wt.matrix("X", shape=("n", "p"))
    alpha = wt.scalar("alpha")
    beta = wt.vector("beta", shape=("p",))
    return wt.function([alpha, beta, X], wt.sigmoid(alpha + X @ beta), mode="py")


def objective(compiled: Callable[..., Any], X: Array, y: Array) -> Objective:
    """Return what SciPy minimises: the negative log-posterior and its gradient."""

    def negative(theta: Array) -> tuple[float, Array]:
        value, intercept, slopes = compiled(theta[0], theta[1:], X, y)
        return -float(value), -np.concatenate([[intercept], slopes])

    return negative


def measure(backend: str, rows: int, columns: int) -> dict[str, float]:
    """Return milliseconds, in this process: to import, build the graph, compile it and call it."""
    X = np.random.default_rng(0).normal(size=(rows, columns))
    y = (X[:, 0] > 0).astype(np.float64)
    start = time.perf_counter()
    mode = wt.Mode(backend)
    import_module("scipy.special")  # Weft imports it when an expression first needs it
    imported = time.perf_counter()
    graph = log_posterior()
    built = time.perf_counter()
    compiled = wt.function(graph.inputs, graph.outputs, mode=mode)
    compiled(0.0, np.zeros(columns), X, y)
    called = time.perf_counter()
    return {
        "import": 1e3 * (imported - start),
        "build": 1e3 * (built - imported),
        "compile": 1e3 * (called - built),
    }


if __name__ == "__main__":
    print(json.dumps(measure(sys.argv[1], *map(int, sys.argv[2:]))))
