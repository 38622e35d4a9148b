"""nutpie with Weft's density and with its own: `python -m tools.bench.pymc_samplers`.

A varying-intercept model of 919 measurements in 85 counties, as the radon data are. For each, in a
process of its own, the seconds of sampling with what is compiled already, one chain at a time.

It needs PyMC and nutpie: the environment `pytensor` has them.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from time import perf_counter
from typing import Any, Final

import numpy as np

from tools.workspace import ROOT

__all__ = ["LIMIT"]

LIMIT: Final = 0.8
"""Of nutpie's own time."""
_ROUNDS: Final = 3


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


def _seconds(library: str) -> float:
    """The fastest of some runs of one seed."""
    import nutpie

    from weft_pytensor import compile_pymc

    model = _model()
    if library == "weft":
        compiled = compile_pymc(model).to_nutpie()
    else:
        compiled = nutpie.compile_pymc_model(model, backend="numba")
    times = []
    for _ in range(_ROUNDS):
        start = perf_counter()
        nutpie.sample(
            compiled, draws=1000, tune=1000, chains=4, cores=1, seed=1, progress_bar=False
        )
        times.append(perf_counter() - start)
    return min(times)


def main() -> int:
    """Print both times and their ratio; 1 if it is too large."""
    parser = argparse.ArgumentParser("python -m tools.bench.pymc_samplers", description=__doc__)
    parser.add_argument("--library", choices=["weft", "nutpie"], help=argparse.SUPPRESS)
    library = parser.parse_args().library
    if library:
        print(_seconds(library))
        return 0
    seconds = {}
    for name in ("weft", "nutpie"):
        command = [sys.executable, "-W", "ignore", "-m", "tools.bench.pymc_samplers"]
        command += ["--library", name]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
        seconds[name] = float(done.stdout.splitlines()[-1])
        print(f"{name:8}{seconds[name]:8.2f} s", flush=True)
    ratio = seconds["weft"] / seconds["nutpie"]
    print(f"ratio   {ratio:8.2f}, at most {LIMIT}")
    return 0 if ratio <= LIMIT else 1


if __name__ == "__main__":
    sys.exit(main())
