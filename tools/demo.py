"""Fit a Bayesian logistic regression to real data with Weft, on three backends.

Builds the log-posterior, differentiates and rewrites it, compiles value and gradient for
Python, Numba and JAX, checks that these agree, fits with SciPy, and draws what came out.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import subprocess
import sys
import timeit
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from scipy.optimize import minimize
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

import weft
import weft.tensor as wt

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tools.demo_figures import draw_fit
from tools.demo_model import BACKENDS, Array, log_posterior, objective, probability_of_one
from tools.demo_report import operations, show_graphs, table_of, write_graphs

ROOT = Path(__file__).resolve().parent.parent
SEED = 0
TOLERANCE, FIT_TOLERANCE = 1e-10, 1e-8
LOOPS, REPEATS = 300, 11


class Data(NamedTuple):
    """Standardised predictors and labels (1: benign), to fit to and held out."""

    X: Array
    y: Array
    X_out: Array
    y_out: Array


class Fit(NamedTuple):
    """Where the optimiser arrived, and the negative log-posterior at each of its steps."""

    theta: Array
    log_posterior: float
    trace: Array


Function = Callable[..., Any]
Functions = Mapping[str, Function]


def load_data() -> Data:
    """Return scikit-learn's breast-cancer data, split and standardised by the larger part."""
    X, y = load_breast_cancer(return_X_y=True)
    X, X_out, y, y_out = train_test_split(
        X, y.astype(np.float64), test_size=0.3, stratify=y, random_state=SEED
    )
    mean, spread = X.mean(axis=0), X.std(axis=0)
    return Data((X - mean) / spread, y, (X_out - mean) / spread, y_out)


def measure_twice(backend: str, X: Array) -> list[dict[str, float]]:
    """Return what `demo_model.measure` finds in two fresh processes, one after the other.

    They share a cache folder, which is empty before the first and gone after the second.
    """
    command = [sys.executable, "-m", "tools.demo_model", backend, *map(str, X.shape)]
    found = []
    with TemporaryDirectory() as folder:
        environment = {**os.environ, "WEFT_CACHE_DIR": folder}
        for _ in range(2):
            done = subprocess.run(
                command, cwd=ROOT, env=environment, check=True, stdout=subprocess.PIPE, text=True
            )
            found.append(json.loads(done.stdout))
    return found


def compile_for(backend: str, graph: weft.FunctionGraph) -> weft.Function:
    """Return the graph's outputs as a function of its inputs."""
    return wt.function(graph.inputs, graph.outputs, mode=backend)


def difference(a: Array, b: Array) -> float:
    """Return the largest difference, relative to the largest magnitude."""
    return float(np.max(np.abs(a - b)) / np.max(np.abs(b)))


def check_values(functions: Functions, data: Data) -> None:
    """Leave with a message unless values and gradients agree on all backends."""
    draw = np.random.default_rng(SEED).normal
    for theta in (np.zeros(31), draw(size=31), 10 * draw(size=31)):
        expected = objective(functions["py"], data.X, data.y)(theta)
        for backend, function in functions.items():
            found = objective(function, data.X, data.y)(theta)
            for what, a, b in zip(("value", "gradient"), found, expected, strict=True):
                if not (apart := difference(np.asarray(a), np.asarray(b))) <= TOLERANCE:
                    sys.exit(f"{BACKENDS[backend]}'s {what} differs from Python's by {apart:.1e}")


def fit(function: Function, data: Data) -> Fit:
    """Return the mode of the posterior, found by L-BFGS-B."""
    negative = objective(function, data.X, data.y)
    start = np.zeros(1 + data.X.shape[1])
    trace = [negative(start)[0]]
    result = minimize(
        negative,
        start,
        jac=True,
        method="L-BFGS-B",
        callback=lambda theta: trace.append(negative(theta)[0]),
        options={"ftol": 1e-15, "gtol": 1e-7, "maxiter": 500},
    )
    return Fit(result.x, -float(result.fun), np.array(trace))


def check_fits(fits: Mapping[str, Fit]) -> None:
    """Leave with a message unless the fits arrived at the same log-posterior."""
    expected = fits["py"].log_posterior
    for backend, found in fits.items():
        if not abs(found.log_posterior - expected) <= FIT_TOLERANCE * abs(expected):
            sys.exit(
                f"{BACKENDS[backend]} fits to a log-posterior of {found.log_posterior!r}, "
                f"Python to {expected!r}"
            )


def microseconds(function: Function, data: Data, theta: Array) -> float:
    """Return the median time of a call."""
    alpha, beta = theta[0], theta[1:].copy()
    timer = timeit.Timer(lambda: function(alpha, beta, data.X, data.y))
    return 1e6 * float(np.median(timer.repeat(REPEATS, LOOPS))) / LOOPS


def run(output: Path, console: Console) -> None:
    """Do all of it; leave with a message if backends disagree."""
    output.mkdir(parents=True, exist_ok=True)
    console.rule("Weft: Bayesian logistic regression on the breast-cancer data")
    data = load_data()
    graph = log_posterior()
    rewritten = wt.rewrite_graph(graph)
    show_graphs(console, graph, rewritten)
    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as progress:

        def each(doing: str) -> Iterable[str]:
            return progress.track(BACKENDS, description=doing)

        processes = {b: measure_twice(b, data.X) for b in each("compiling in fresh processes")}
        functions = {b: compile_for(b, graph) for b in each("compiling in this process")}
        check_values(functions, data)
        fits = {b: fit(functions[b], data) for b in each("fitting")}
        check_fits(fits)
        times = {b: microseconds(functions[b], data, fits[b].theta) for b in each("timing")}
    predict = probability_of_one()
    probabilities = {b: predict(f.theta[0], f.theta[1:], data.X_out) for b, f in fits.items()}
    accuracies = {b: float(((p > 0.5) == data.y_out).mean()) for b, p in probabilities.items()}
    nodes = {b: f"{operations(graph)}/{operations(f.graph)}" for b, f in functions.items()}
    posteriors = {b: f.log_posterior for b, f in fits.items()}
    console.print(table_of(nodes, processes, times, posteriors, accuracies))
    console.print(
        f"Fitted to {len(data.y)} tumours with {data.X.shape[1]} measurements each; accuracy on "
        f"{len(data.y_out)} held-out ones.\nValues and gradients agree within {TOLERANCE:.0e}. "
        "Compile: function() and the first call,\nnot the import of the backend.\n",
        highlight=False,
    )
    figure, page = output / "fit.png", output / "graph.html"
    traces = {BACKENDS[b]: f.trace for b, f in fits.items()}
    draw_fit(traces, probabilities["py"], data.y_out, figure)
    write_graphs(graph, rewritten, page)
    console.print(f"The fit:   {figure}\nThe graph: {page}", highlight=False, soft_wrap=True)


def main() -> None:
    """Run the demo from the command line."""
    parser = argparse.ArgumentParser(prog="python tools/demo.py", description=__doc__)
    parser.add_argument(
        "--output", type=Path, default=Path("weft-demo"), help="folder for the pictures"
    )
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8")  # trees have lines, whatever the locale
    run(parser.parse_args().output, Console())


if __name__ == "__main__":
    main()
