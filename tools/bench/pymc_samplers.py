"""nutpie with Weft's density and with its own: `python -m tools.bench.pymc_samplers`.

A varying-intercept model of 919 measurements in 85 counties, as the radon data are. For each, by
turns in one process, the fewest seconds of sampling with what is compiled already, one chain at a
time, with each of some seeds.

It needs PyMC and nutpie: the environment `pytensor` has them.
"""

from __future__ import annotations

import argparse
import math
import sys
from time import perf_counter
from typing import Any, Final

import numpy as np

__all__ = ["LIMIT"]

LIMIT: Final = 0.8
"""Of nutpie's own time."""
_ROUNDS: Final = 6


def _model() -> Any:
    import pymc as pm

    rng = np.random.default_rng(0)
    county, floor = rng.integers(0, 85, 919), rng.integers(0, 2, 919).astype(float)
    uranium = rng.normal(size=85)
    level = 1.5 + 0.7 * uranium + 0.3 * rng.normal(size=85)
    measured = level[county] - 0.6 * floor + 0.7 * rng.normal(size=919)
    with pm.Model() as model:
        mean, slope = pm.Normal("mean", 0, 10), pm.Normal("slope", 0, 1)
        spread, z = pm.HalfNormal("spread", 1), pm.Normal("z", 0, 1, shape=85)
        of_floor, noise = pm.Normal("of_floor", 0, 10), pm.HalfNormal("noise", 1)
        levels = mean + slope * uranium + spread * z
        pm.Normal("y", levels[county] + of_floor * floor, noise, observed=measured)
    return model


def _compiled() -> dict[str, Any]:
    """The model for nutpie, by either library."""
    import nutpie

    from weft_pytensor import compile_pymc

    model = _model()
    return {
        "weft": compile_pymc(model).to_nutpie(),
        "nutpie": nutpie.compile_pymc_model(model, backend="numba"),
    }


def _seconds(compiled: Any, seed: int) -> float:
    """What one run takes."""
    import nutpie

    start = perf_counter()
    nutpie.sample(compiled, draws=1000, tune=1000, chains=4, cores=1, seed=seed, progress_bar=False)
    return perf_counter() - start


def main() -> int:
    """Print both times and their ratio; 1 if it is too large."""
    argparse.ArgumentParser("python -m tools.bench.pymc_samplers", description=__doc__).parse_args()
    compiled = _compiled()
    fastest = dict.fromkeys(compiled, math.inf)
    for seed in range(_ROUNDS):
        for name, model in compiled.items():
            fastest[name] = min(fastest[name], _seconds(model, seed))
    for name, seconds in fastest.items():
        print(f"{name:8}{seconds:8.2f} s")
    ratio = fastest["weft"] / fastest["nutpie"]
    print(f"ratio   {ratio:8.2f}, at most {LIMIT}")
    return 0 if ratio <= LIMIT else 1


if __name__ == "__main__":
    sys.exit(main())
