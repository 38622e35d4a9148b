"""Special functions of 10^6 numbers, against SciPy's and JAX's."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from tools.bench.bounds import Bound
from tools.bench.workload import WEFT, Call, Workload, by_mode, jitted

SIZE: Final = 1_000_000


class Special(NamedTuple):
    """A function, between which numbers it is computed, and who has it."""

    name: str
    places: tuple[tuple[float, float], ...]
    numba: float
    """Weft's time on Numba, as a share of SciPy's."""
    in_jax: bool = True


OWN, THEIRS = 1 / 3, 1.0
"""Of our own vectorised code, and of SciPy's function by its address."""
SPECIALS: Final = (
    Special("gammaln", ((0.1, 20.0),), OWN),
    Special("digamma", ((0.1, 20.0),), OWN),
    Special("erf", ((-3.0, 3.0),), OWN),
    Special("erfc", ((-3.0, 3.0),), OWN),
    Special("ndtri", ((0.001, 0.999),), OWN),
    Special("log_ndtr", ((-30.0, 3.0),), OWN),
    Special("i0e", ((-20.0, 20.0),), OWN),
    Special("i1e", ((-20.0, 20.0),), OWN),
    Special("betainc", ((0.5, 5.0), (0.5, 5.0), (0.0, 1.0)), THEIRS),
    Special("kv", ((0.0, 5.0), (0.1, 20.0)), THEIRS, in_jax=False),
)


def workload(special: Special) -> Workload:
    """Of one function."""

    def drawn() -> tuple[Any, ...]:
        rng = np.random.default_rng(0)
        return tuple(rng.uniform(*ends, SIZE) for ends in special.places)

    def with_scipy() -> Call:
        import scipy.special

        function: Call = getattr(scipy.special, special.name)
        return function

    def with_jax() -> Call:
        import jax.scipy.special

        return jitted(getattr(jax.scipy.special, special.name))

    def with_weft(mode: str) -> Call:
        import weft.tensor as wt

        xs = [wt.dvector(f"x{k}") for k in range(len(special.places))]
        return wt.function(xs, getattr(wt.special, special.name)(*xs), mode=mode)

    peers = {"numpy": with_scipy, **by_mode(with_weft, WEFT)}
    bounds = [Bound("weft-numba", "numpy", special.numba)]
    if special.in_jax:
        peers["jax"] = with_jax
        bounds.append(Bound("weft-jax", "jax", 1.05))
    return Workload(
        f"special-{special.name}",
        f"{special.name}, 10^6",
        peers,
        drawn,
        bounds=tuple(bounds),
        quick=False,
    )


WORKLOADS = tuple(map(workload, SPECIALS))
