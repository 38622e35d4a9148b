"""The eight schools by NUTS, in Weft and in blackjax: `python -m tools.bench.nuts`.

Four chains of 1,000 steps of adaptation and 1,000 draws, of docs/examples/nuts.py and of blackjax's
window adaptation, each compiled once; times of calls are the least of five, in turns.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache
from importlib.util import module_from_spec, spec_from_file_location
from time import perf_counter, process_time
from typing import Any, Final

import numpy as np

import weft.tensor as wt
from tools.workspace import ROOT
from weft import function

__all__ = ["EFFECT", "ERROR", "nuts", "schools"]

EFFECT: Final = np.array([28.0, 8.0, -3.0, 7.0, -1.0, 1.0, 18.0, 12.0])
ERROR: Final = np.array([15.0, 10.0, 16.0, 11.0, 9.0, 11.0, 10.0, 18.0])
COMPILE, CALL = 0.25, 1.0
"""The most that compiling with Numba and a call may take, of blackjax's time."""


@cache
def _example() -> Any:
    place = ROOT / "docs" / "examples" / "nuts.py"
    spec = spec_from_file_location("nuts", place)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules["nuts"] = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


nuts: Final = _example()


def schools(v: Any) -> Any:
    """The log-density of mean, logarithm of the spread, and how far schools are from the mean."""
    mu, log_tau, z = v[0], v[1], v[2:]
    tau = wt.exp(log_tau)
    prior = wt.stats.norm.logpdf(mu, 0.0, 5.0) + wt.stats.halfcauchy.logpdf(tau, 0.0, 5.0) + log_tau
    likelihood = wt.stats.norm.logpdf(EFFECT, mu + tau * z, ERROR).sum()
    return prior + wt.stats.norm.logpdf(z).sum() + likelihood


def _weft(mode: str) -> Callable[[int], Any]:
    seed = wt.lscalar("seed")
    run = nuts.chains(schools, wt.random.key(seed), np.zeros((4, 10)))
    sample = function([seed], [run.draws, run.steps], mode=mode)
    call: Callable[[int], Any] = sample
    return call


def _blackjax() -> Callable[[int], Any]:
    import blackjax
    import jax
    import jax.numpy as jnp
    from jax.scipy import stats

    configure: Any = jax.config.update
    configure("jax_enable_x64", True)

    def density(v: Any) -> Any:
        mu, log_tau, z = v[0], v[1], v[2:]
        tau = jnp.exp(log_tau)
        prior = stats.norm.logpdf(mu, 0, 5) + jnp.log(2) + stats.cauchy.logpdf(tau, 0, 5) + log_tau
        likelihood = stats.norm.logpdf(jnp.array(EFFECT), mu + tau * z, jnp.array(ERROR)).sum()
        return prior + stats.norm.logpdf(z).sum() + likelihood

    def chain(key: Any, start: Any) -> Any:
        first, second = jax.random.split(key)
        adaptation: Any = blackjax.window_adaptation
        warmup = adaptation(blackjax.nuts, density)
        (state, parameters), _ = warmup.run(first, start, 1000)
        make: Any = blackjax.nuts
        step = make(density, **parameters).step

        def once(state: Any, key: Any) -> Any:
            state, told = step(key, state)
            return state, (state.position, told.num_integration_steps)

        return jax.lax.scan(once, state, jax.random.split(second, 1000))[1]

    many = jax.jit(jax.vmap(chain))

    def sample(number: int) -> Any:
        keys = jax.random.split(jax.random.key(number), 4)
        return [np.asarray(v) for v in many(keys, jnp.zeros((4, 10)))]

    return sample


def main() -> int:
    """Print compile and call times, and the ratios."""
    peers: dict[str, Callable[[], Callable[[int], Any]]] = {
        "blackjax": _blackjax,
        "weft-numba": lambda: _weft("numba"),
        "weft-jax": lambda: _weft("jax"),
    }
    compiling = dict[str, float]()
    samplers = dict[str, Callable[[int], Any]]()
    for name, made in peers.items():
        start = process_time()
        samplers[name] = made()
        samplers[name](0)
        compiling[name] = process_time() - start
    calls: dict[str, list[float]] = {name: [] for name in peers}
    steps = {}
    for number in range(5):
        for name, sample in samplers.items():
            start = perf_counter()
            _, counts = sample(number)
            calls[name].append(perf_counter() - start)
            steps[name] = float(np.mean(counts))
    best = {name: min(times) for name, times in calls.items()}
    for name in peers:
        print(
            f"{name:10}  first call {compiling[name]:6.2f} CPU s, call {best[name] * 1e3:6.1f} ms, "
            f"{steps[name]:.1f} steps a draw"
        )
    for what, times, limit in (("first call", compiling, COMPILE), ("call", best, CALL)):
        ratio = times["weft-numba"] / times["blackjax"]
        print(f"weft-numba: {what} / blackjax = {ratio:.2f}, limit {limit}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
