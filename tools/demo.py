"""Fit a Bayesian logistic regression to real data with Weft, on three backends.

Builds the log-posterior, differentiates and rewrites it, compiles value and gradient for
Python, Numba and JAX, checks that these agree, fits with SciPy, and draws what came out.
"""

from __future__ import annotations

import argparse
import io
import json
import subprocess
import sys
import timeit
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import numpy as np
from rich import box
from rich.columns import Columns
from rich.console import Console
from rich.panel import Panel
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text
from scipy.optimize import minimize
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

import weft
import weft.tensor as wt

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tools.demo_figures import draw_fit
from tools.demo_model import BACKENDS, Array, log_posterior, objective, probability_of_one

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


Functions = Mapping[str, weft.Function]
Fits = Mapping[str, Fit]


def load_data() -> Data:
    """Return scikit-learn's breast-cancer data, split and standardised by the larger part."""
    X, y = load_breast_cancer(return_X_y=True)
    X, X_out, y, y_out = train_test_split(
        X, y.astype(np.float64), test_size=0.3, stratify=y, random_state=SEED
    )
    mean, spread = X.mean(axis=0), X.std(axis=0)
    return Data((X - mean) / spread, y, (X_out - mean) / spread, y_out)


def show_graphs(console: Console, graph: wt.FunctionGraph, rewritten: wt.FunctionGraph) -> None:
    """Print the log-posterior before and after, side by side if there is room."""
    panels = []
    for title, shown in (("as written", graph), ("after rewriting", rewritten)):
        text = io.StringIO()
        wt.dprint(shown.outputs[0], text)
        panels.append(Panel.fit(Text(text.getvalue().rstrip()), title=f"the log-posterior {title}"))
    console.print(Columns(panels, padding=(0, 2)), highlight=False)
    counts = f"{len(graph)} operations as written, {len(rewritten)} after rewriting"
    console.print(f"Together with its gradient: {counts}.", highlight=False)


def measure_in_process(backend: str, X: Array) -> dict[str, float]:
    """Return what `demo_model.measure` finds in a fresh process."""
    command = [sys.executable, "-m", "tools.demo_model", backend, *map(str, X.shape)]
    done = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
    found: dict[str, float] = json.loads(done.stdout)
    return found


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


def fit(function: weft.Function, data: Data) -> Fit:
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


def check_fits(fits: Fits) -> None:
    """Leave with a message unless the fits arrived at the same log-posterior."""
    expected = fits["py"].log_posterior
    for backend, found in fits.items():
        if not abs(found.log_posterior - expected) <= FIT_TOLERANCE * abs(expected):
            sys.exit(
                f"{BACKENDS[backend]} fits to a log-posterior of {found.log_posterior!r}, "
                f"Python to {expected!r}"
            )


def microseconds(function: weft.Function, data: Data, theta: Array) -> float:
    """Return the median time of a call."""
    alpha, beta = theta[0], theta[1:].copy()
    timer = timeit.Timer(lambda: function(alpha, beta, data.X, data.y))
    return 1e6 * float(np.median(timer.repeat(REPEATS, LOOPS))) / LOOPS


def report(
    before: int,
    functions: Functions,
    processes: Mapping[str, list[dict[str, float]]],
    times: Mapping[str, float],
    fits: Fits,
    accuracies: Mapping[str, float],
) -> Table:
    """Return the table that the demo prints."""
    title = "Value and gradient on three backends"
    table = Table(box=box.SIMPLE_HEAD, padding=0, title=title, title_style="bold")
    table.add_column("backend", vertical="bottom", no_wrap=True)
    times_to = ("build\nms", "compile ms\nin a first\nprocess", "compile ms\nin a second\nprocess")
    for heading in (
        "nodes\nbefore/\nafter",
        *times_to,
        "µs per\ncall",
        "log-\nposterior",
        "accuracy",
    ):
        table.add_column(heading, justify="right", no_wrap=True)
    for backend, function in functions.items():
        first, second = processes[backend]
        table.add_row(
            BACKENDS[backend],
            f"{before}/{len(function.graph)}",
            f"{first['build']:.0f}",
            f"{first['compile']:.0f}",
            f"{second['compile']:.0f}",
            f"{times[backend]:.1f}",
            f"{fits[backend].log_posterior:.5f}",
            f"{accuracies[backend]:.1%}",
        )
    return table


def write_graphs(graph: wt.FunctionGraph, rewritten: wt.FunctionGraph, path: Path) -> None:
    """Write the page that shows both graphs, their outputs under the same names."""
    names = ("log_posterior", "d_alpha", "d_beta")
    titled = {"As written": graph, "After rewriting": rewritten}
    named = {
        title: wt.FunctionGraph(
            g.inputs,
            [
                v if v.name == name else v.named(name)
                for v, name in zip(g.outputs, names, strict=True)
            ],
        )
        for title, g in titled.items()
    }
    weft.to_html(named, path)


@contextmanager
def progress_on(console: Console) -> Iterator[Progress]:
    """Show a bar while the block runs."""
    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        yield progress


def run(output: Path, console: Console) -> None:
    """Do all of it; leave with a message if backends disagree."""
    output.mkdir(parents=True, exist_ok=True)
    console.rule("Weft: Bayesian logistic regression on the breast-cancer data")
    data = load_data()
    graph = log_posterior()
    rewritten = wt.rewrite_graph(graph)
    show_graphs(console, graph, rewritten)
    processes: dict[str, list[dict[str, float]]] = {}
    functions: dict[str, weft.Function] = {}
    fits: dict[str, Fit] = {}
    with progress_on(console) as progress:
        task = progress.add_task("", total=5 * len(BACKENDS) + 1)

        def step(text: str) -> None:
            progress.update(task, advance=1, description=text)

        for backend, label in BACKENDS.items():
            processes[backend] = []
            for ordinal in ("a first", "a second"):
                step(f"compiling for {label} in {ordinal} process")
                processes[backend].append(measure_in_process(backend, data.X))
        for backend, label in BACKENDS.items():
            step(f"compiling for {label}")
            functions[backend] = wt.function(graph.inputs, graph.outputs, mode=backend)
        step("checking that the backends agree")
        check_values(functions, data)
        for backend, label in BACKENDS.items():
            step(f"fitting with {label}")
            fits[backend] = fit(functions[backend], data)
        check_fits(fits)
        times = {}
        for backend, label in BACKENDS.items():
            step(f"timing {label}")
            times[backend] = microseconds(functions[backend], data, fits[backend].theta)
    predict = probability_of_one()
    probabilities = {b: predict(f.theta[0], f.theta[1:], data.X_out) for b, f in fits.items()}
    accuracies = {b: float(((p > 0.5) == data.y_out).mean()) for b, p in probabilities.items()}
    console.print(report(len(graph), functions, processes, times, fits, accuracies))
    rows, columns = data.X.shape
    console.print(
        f"Fitted to {rows} tumours with {columns} measurements each, accuracy on "
        f"{len(data.y_out)} held-out ones.\nValues and gradients agree within {TOLERANCE:.0e}. "
        "compile: function() and the first call,\nwithout importing the backend.\n",
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
    run(parser.parse_args().output, Console())


if __name__ == "__main__":
    main()
