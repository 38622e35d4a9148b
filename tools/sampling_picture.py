"""Draw docs/sampling.svg: `python -m tools.sampling_picture`."""

from __future__ import annotations

import sys
from typing import Any

import matplotlib.pyplot as plt
import numpy as np

import weft.tensor as wt
from tools.bench.nuts import nuts, schools
from tools.workspace import ROOT

PICTURE = ROOT / "docs" / "sampling.svg"


def main() -> int:
    """Four chains, 1,000 draws of each."""
    settings = nuts.Settings()
    run = nuts.chains(schools, wt.random.key(7), np.zeros((4, 10)), settings)
    draws = wt.function([], run.draws, mode="numba")()
    named = {"mu": draws[..., 0], "tau": np.exp(draws[..., 1])}
    plt.rcParams["svg.hashsalt"] = "weft"
    figure, axes = plt.subplots(len(named), 2, figsize=(9, 4.5), layout="constrained")
    for row, (name, values) in zip(axes, named.items(), strict=True):
        _trace(row[0], name, values)
        _ranks(row[1], name, values)
    figure.savefig(PICTURE, metadata={"Date": None})
    return 0


def _trace(axis: Any, name: str, values: Any) -> None:
    for chain in values:
        axis.plot(np.arange(0, len(chain), 4), chain[::4].round(2), linewidth=0.6)
    axis.set_title(f"{name}: every fourth draw", fontsize=9)


def _ranks(axis: Any, name: str, values: Any) -> None:
    ranks = values.ravel().argsort().argsort().reshape(values.shape)
    for chain in ranks:
        heights, edges = np.histogram(chain, 20, (0, values.size))
        axis.stairs(heights, edges)
    axis.set_ylim(0)
    axis.set_title(f"{name}: ranks", fontsize=9)


if __name__ == "__main__":
    sys.exit(main())
