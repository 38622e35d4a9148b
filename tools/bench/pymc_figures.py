"""PyMC models on Weft and on PyTensor: `python -m tools.bench.pymc_figures [MODEL ...] [--jax]`.

With `--memory`, the peak of two models of 200 terms, each in a process of its own.

For each model, in processes of their own with empty caches, the CPU seconds from the model to the
first gradient by each library, those of a second process with Weft's cache, the best of five, and,
in one process by turns, how long a call takes; and the largest difference of values and gradients.
PyTensor's is its default mode, with `--jax` its JAX mode, but values and gradients are always
compared with its default mode: XLA gives PyTensor's graphs wrong slopes of distances. Imports, and
what a library does once, do not count. Of a second process, PyMC's part is what it takes to make
its own graph of the density; ours the rest.

It needs PyMC: the environment `pytensor` has it.
"""

from __future__ import annotations

import argparse
import gc
import json
import math
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from time import perf_counter, process_time
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tools.workspace import ROOT

__all__ = ["LIMITS"]

LIMITS: Final = {"cold": 1 / 4, "cold mean": 1 / 8, "ours": 0.08, "call": 1.0, "call mean": 0.6}
"""Of PyTensor's time; our part of a second process in CPU seconds."""
_RTOL: Final = 1e-9
_ROUNDS: Final = 60
_PROCESSES: Final = 5
"""Second ones."""
_Call = Callable[[NDArray[np.float64]], Any]


def _weft(model: Any, *, jax: bool) -> _Call:
    from weft_pytensor import compile_pymc

    call: _Call = compile_pymc(model, "jax" if jax else "numba", host="error").logp_and_gradient
    return call


def _pytensor(model: Any, *, jax: bool) -> _Call:
    mode = {"mode": "JAX"} if jax else {}
    whole = model.logp_dlogp_function(ravel_inputs=True, **mode)
    whole.set_extra_values({})
    call: _Call = whole._pytensor_function
    return _awaited(call) if jax else call


def _awaited(call: _Call) -> _Call:
    """PyTensor's JAX mode returns arrays that JAX may not have begun to compute."""
    import jax

    wait: Any = jax.block_until_ready
    return lambda point: wait(call(point))


_LIBRARIES: Final[dict[str, Callable[..., _Call]]] = {"weft": _weft, "pytensor": _pytensor}


def _cpu_seconds() -> float:
    """Of this process and those that it has waited for, which are C's compiler."""
    return process_time() + sum(os.times()[2:4])


def _points(model: Any) -> list[NDArray[np.float64]]:
    first = model.initial_point(0)
    flat = np.concatenate([np.ravel(first[v.name]) for v in model.value_vars]).astype("float64")
    rng = np.random.default_rng(0)
    return [flat, *[flat + 0.1 * rng.normal(size=flat.shape) for _ in range(5)]]


def _build(name: str) -> tuple[Any, list[NDArray[np.float64]]]:
    from tools.bench.pymc_models import MODELS

    model = MODELS[name]()
    return model, _points(model)


def _wake(library: Callable[..., _Call], *, jax: bool) -> None:
    """What a library does once in a process."""
    import pymc as pm

    with pm.Model() as model:
        pm.Normal("x", shape=2)
    library(model, jax=jax)(np.zeros(2))


def _cold(name: str, library: str, *, jax: bool) -> dict[str, float]:
    _wake(_LIBRARIES[library], jax=jax)
    model, points = _build(name)
    theirs = 0.0

    def logp(*arguments: Any, **options: Any) -> Any:
        nonlocal theirs
        begin = _cpu_seconds()
        density = type(model).logp(model, *arguments, **options)
        theirs += _cpu_seconds() - begin
        return density

    model.logp = logp
    gc.collect()  # of imports: it would be due in the one or the other
    start = _cpu_seconds()
    call = _LIBRARIES[library](model, jax=jax)
    call(points[0])
    return {"seconds": _cpu_seconds() - start, "pymc": theirs}


def _memory(name: str, *, jax: bool) -> dict[str, float]:
    """MB: the peak of a process from the model to the first gradient, and what came with that."""
    from tools.bench.pymc_models import GROUPS

    _wake(_weft, jax=jax)
    model = GROUPS[name]()
    before = _peak()
    point = np.full(201, 0.1)
    _weft(model, jax=jax)(point)
    return {"peak": _peak(), "more": _peak() - before}


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _judged_memory(*, jax: bool) -> list[str]:
    """Print both peaks; what does not hold."""
    flags = ["--jax"] * jax
    peaks = {}
    for name in ("lognormal", "gamma"):
        with tempfile.TemporaryDirectory() as folder:
            row = _in_process([name, "--of-memory", *flags], Path(folder))
        peaks[name] = row["peak"]
        print(f"{name:24}peak {row['peak']:6.0f} MB, of which by compiling {row['more']:6.0f}")
    limits = {"lognormal over gamma": 1.2, "MB of lognormal": 1000.0}
    measured = (peaks["lognormal"] / peaks["gamma"], peaks["lognormal"])
    return [
        f"{what}: {value:.3g}, at most {limit:.3g}"
        for (what, limit), value in zip(limits.items(), measured, strict=True)
        if value > limit
    ]


def _by_turns(name: str, *, jax: bool) -> dict[str, float]:
    """How long calls take, and how far apart values and gradients are."""
    model, points = _build(name)
    calls = {key: make(model, jax=jax) for key, make in _LIBRARIES.items()}
    repeat = 1
    while _duration(calls["weft"], points[0], repeat) < 2e-3:
        repeat *= 2
    fastest = dict.fromkeys(calls, math.inf)
    for _ in range(_ROUNDS):
        for key, call in calls.items():
            fastest[key] = min(fastest[key], _duration(call, points[0], repeat) / repeat)
    exact = _pytensor(model, jax=False) if jax else calls["pytensor"]
    results = [
        [np.hstack([np.ravel(v) for v in call(p)]) for p in points]
        for call in (calls["weft"], exact)
    ]
    differences = [
        np.abs(one - other).max() / max(np.abs(other).max(), 1.0)
        for one, other in zip(*results, strict=True)
    ]
    return {**fastest, "difference": float(max(differences))}


def _duration(call: _Call, point: NDArray[np.float64], repeat: int) -> float:
    start = perf_counter()
    for _ in range(repeat):
        call(point)
    return perf_counter() - start


def _in_process(arguments: Sequence[str], caches: Path) -> dict[str, float]:
    """What a process of this module prints, with these caches."""
    env = {
        **os.environ,
        "WEFT_CACHE_DIR": str(caches / "weft"),
        "PYTENSOR_FLAGS": f"base_compiledir={caches / 'pytensor'}",
        "JAX_COMPILATION_CACHE_DIR": str(caches / "jax"),
    }
    command = [sys.executable, "-W", "ignore", "-m", "tools.bench.pymc_figures", *arguments]
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(arguments)}\n{done.stderr}")
    figures: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return figures


def figures(name: str, *, jax: bool) -> dict[str, float]:
    """Ratios of Weft's times to PyTensor's, the second process's seconds, and the difference."""
    flags = ["--jax"] * jax
    with tempfile.TemporaryDirectory() as folder:
        caches = Path(folder)
        cold = {
            library: _in_process([name, "--cold", library, *flags], caches)["seconds"]
            for library in _LIBRARIES
        }
        seconds = [_in_process([name, "--cold", "weft", *flags], caches) for _ in range(_PROCESSES)]
        calls = _in_process([name, "--turns", *flags], caches)
    return {
        "cold": cold["weft"] / cold["pytensor"],
        "cold s": cold["weft"],
        "second": min(row["seconds"] for row in seconds),
        "ours": min(row["seconds"] - row["pymc"] for row in seconds),
        "call": calls["weft"] / calls["pytensor"],
        "call µs": 1e6 * calls["weft"],
        "difference": calls["difference"],
    }


def _judged(rows: Mapping[str, Mapping[str, float]]) -> list[str]:
    """What does not hold."""
    bad = [
        f"{name}: {key} {row[key]:.3g}, at most {limit:.3g}"
        for name, row in rows.items()
        for key, limit in {**LIMITS, "difference": _RTOL}.items()
        if key in row and not row[key] <= limit
    ]
    for key in ("cold", "call"):
        mean = math.exp(sum(math.log(row[key]) for row in rows.values()) / len(rows))
        print(f"{key}: geometric mean {mean:.3f}, at most {LIMITS[f'{key} mean']:.3g}")
        if mean > LIMITS[f"{key} mean"]:
            bad.append(f"{key}: geometric mean {mean:.3f}")
    return bad


def main() -> int:
    """Print a line per model, and what does not hold; 1 if something does not."""
    parser = argparse.ArgumentParser("python -m tools.bench.pymc_figures", description=__doc__)
    parser.add_argument("models", nargs="*", metavar="MODEL")
    parser.add_argument("--jax", action="store_true")
    parser.add_argument("--cold", choices=[*_LIBRARIES], help=argparse.SUPPRESS)
    parser.add_argument("--memory", action="store_true")
    parser.add_argument("--of-memory", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--turns", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.cold:
        print(json.dumps(_cold(options.models[0], options.cold, jax=options.jax)))
        return 0
    if options.turns:
        print(json.dumps(_by_turns(options.models[0], jax=options.jax)))
        return 0
    if options.of_memory:
        print(json.dumps(_memory(options.models[0], jax=options.jax)))
        return 0
    if options.memory:
        bad = _judged_memory(jax=options.jax)
        print(*(bad or ["all holds"]), sep="\n")
        return 1 if bad else 0
    from tools.bench.pymc_models import MODELS

    rows: dict[str, dict[str, float]] = {}
    for name in options.models or MODELS:
        rows[name] = figures(name, jax=options.jax)
        shown = "  ".join(f"{key} {value:9.3g}" for key, value in rows[name].items())
        print(f"{name:24}{shown}", flush=True)
    bad = _judged(rows)
    print(*(bad or ["all holds"]), sep="\n")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
