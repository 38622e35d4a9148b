"""nutpie with Weft's density and with its own: `python -m tools.bench.pymc_samplers [--whole]`.

A varying-intercept model of 919 measurements in 85 counties, as the radon data are. For each, by
turns in one process, the fewest seconds of sampling with what is compiled already, one chain at a
time, with each of some seeds. With `--whole`, the fewest seconds from the model to the draws, by
turns in processes of their own with empty caches; imports do not count.

It needs PyMC and nutpie: the environment `pytensor` has them.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from time import perf_counter
from typing import Any, Final

import numpy as np

from tools.workspace import ROOT

__all__ = ["LIMIT"]

LIMIT: Final = 0.8
"""Of nutpie's own time."""
_ROUNDS: Final = 6
_PROCESSES: Final = 3
"""With `--whole`, of each."""


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


def _by_weft(model: Any) -> Any:
    from weft_pytensor import compile_pymc

    return compile_pymc(model).to_nutpie()


def _by_nutpie(model: Any) -> Any:
    import nutpie

    return nutpie.compile_pymc_model(model, backend="numba")


_LIBRARIES: Final[dict[str, Callable[[Any], Any]]] = {"weft": _by_weft, "nutpie": _by_nutpie}


def _seconds(compiled: Any, seed: int) -> float:
    """What one run takes."""
    import nutpie

    start = perf_counter()
    nutpie.sample(compiled, draws=1000, tune=1000, chains=4, cores=1, seed=seed, progress_bar=False)
    return perf_counter() - start


def _sampled() -> dict[str, float]:
    """The fewest seconds of sampling."""
    model = _model()
    compiled = {name: compile_model(model) for name, compile_model in _LIBRARIES.items()}
    fastest = dict.fromkeys(compiled, math.inf)
    for seed in range(_ROUNDS):
        for name, of_library in compiled.items():
            fastest[name] = min(fastest[name], _seconds(of_library, seed))
    return fastest


def _whole(name: str) -> float:
    """What it takes this process from the model to the draws."""
    import nutpie

    import weft_pytensor

    del nutpie, weft_pytensor
    model = _model()
    start = perf_counter()
    _seconds(_LIBRARIES[name](model), 0)
    return perf_counter() - start


def _in_processes() -> dict[str, float]:
    """The fewest seconds from the model to the draws."""
    fastest = dict.fromkeys(_LIBRARIES, math.inf)
    for _ in range(_PROCESSES):
        for name in fastest:
            with tempfile.TemporaryDirectory() as caches:
                flags = f"base_compiledir={caches}"
                env = {**os.environ, "WEFT_CACHE_DIR": "off", "PYTENSOR_FLAGS": flags}
                module = ["-m", "tools.bench.pymc_samplers", "--of", name]
                command = [sys.executable, "-W", "ignore", *module]
                printed = subprocess.check_output(command, cwd=ROOT, env=env, text=True)
            fastest[name] = min(fastest[name], json.loads(printed.splitlines()[-1]))
    return fastest


def main() -> int:
    """Print both times and their ratio; 1 if it is too large."""
    parser = argparse.ArgumentParser("python -m tools.bench.pymc_samplers", description=__doc__)
    parser.add_argument("--whole", action="store_true")
    parser.add_argument("--of", choices=[*_LIBRARIES], help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.of:
        print(json.dumps(_whole(options.of)))
        return 0
    fastest = _in_processes() if options.whole else _sampled()
    for name, seconds in fastest.items():
        print(f"{name:8}{seconds:8.2f} s")
    ratio = fastest["weft"] / fastest["nutpie"]
    print(f"ratio   {ratio:8.2f}, at most {LIMIT}")
    return 0 if ratio <= LIMIT else 1


if __name__ == "__main__":
    sys.exit(main())
