"""The demo's figure: how the fits converged, and how far their probabilities can be trusted."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tools.demo_model import Array

BINS = 5
LOOKS: tuple[dict[str, Any], ...] = (
    {"color": "#93c5fd", "linewidth": 7.0, "solid_capstyle": "round"},
    {"color": "#1d4ed8", "linewidth": 2.2},
    {"color": "#f97316", "linestyle": "none", "marker": "o", "markersize": 3.2},
)


def wilson(hits: Array, counts: Array, z: float = 1.96) -> tuple[Array, Array]:
    """Return the ends of Wilson's interval for hits out of counts (95 % by default).

    >>> low, high = wilson(np.array([5.0]), np.array([10.0]))
    >>> float(low[0].round(3)), float(high[0].round(3))
    (0.237, 0.763)
    """
    share = hits / counts
    middle = (share + z**2 / (2 * counts)) / (1 + z**2 / counts)
    half = z / (1 + z**2 / counts)
    half = half * np.sqrt(share * (1 - share) / counts + z**2 / (4 * counts**2))
    return middle - half, middle + half


def draw_convergence(axes: Axes, traces: Mapping[str, Array]) -> None:
    """Draw what remains to the best value that any fit found, one look per backend."""
    best = min(trace.min() for trace in traces.values())
    for (label, trace), look in zip(traces.items(), LOOKS, strict=True):
        left = np.where(trace - best > 1e-14 * abs(best), trace - best, np.nan)
        axes.semilogy(left, label=f"{label}, {len(trace) - 1} iterations", **look)
    axes.set_title("Convergence of L-BFGS-B")
    axes.set_xlabel("iteration")
    axes.set_ylabel("negative log-posterior above its minimum")
    axes.legend(title="compiled for", frameon=False)


def draw_calibration(axes: Axes, probabilities: Array, labels: Array) -> None:
    """Draw the observed share of ones over the predicted one, in bins of equal width."""
    bins = np.minimum((probabilities * BINS).astype(int), BINS - 1)
    counts = np.bincount(bins, minlength=BINS).astype(np.float64)
    filled = counts > 0
    counts = counts[filled]
    predicted = np.bincount(bins, probabilities, BINS)[filled] / counts
    hits = np.bincount(bins, labels, BINS)[filled].astype(np.float64)
    low, high = wilson(hits, counts)
    observed = hits / counts
    axes.plot([0, 1], [0, 1], color="#94a3b8", linestyle="--", label="perfect calibration")
    ends = np.maximum([observed - low, high - observed], 0.0)
    look: dict[str, Any] = {
        "color": "#15803d",
        "ecolor": "#86efac",
        "elinewidth": 3,
        "markersize": 8,
    }
    axes.errorbar(predicted, observed, ends, fmt="o", label="observed, 95 % interval", **look)
    for x, y, count in zip(predicted, observed, counts, strict=True):
        shift, side = ((10, -4), "left") if x < 0.9 else ((12, 9), "right")
        axes.annotate(f"n = {count:.0f}", (x, y), shift, textcoords="offset points", ha=side)
    axes.set_title(f"Calibration on {len(labels)} held-out tumours")
    axes.set_xlabel("predicted probability of a benign tumour")
    axes.set_ylabel("observed share of benign tumours")
    axes.set(xlim=(-0.04, 1.04), ylim=(-0.04, 1.08))
    axes.legend(loc="upper left", frameon=False)


def draw_fit(
    traces: Mapping[str, Array], probabilities: Array, labels: Array, path: str | Path
) -> None:
    """Write both panels to a PNG file."""
    figure = Figure(figsize=(12, 5.2), dpi=150, layout="constrained")
    left, right = figure.subplots(1, 2)
    draw_convergence(left, traces)
    draw_calibration(right, probabilities, labels)
    for axes in (left, right):
        axes.grid(color="#e2e8f0")
        axes.set_axisbelow(True)
        axes.spines[["top", "right"]].set_visible(False)
    figure.suptitle("Bayesian logistic regression on the breast-cancer data", fontsize=14)
    figure.savefig(path)
