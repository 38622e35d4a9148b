"""Functions of NumPy's, each by itself: statistics, places in what is sorted, products by axes."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from tools.bench import loops
from tools.bench.bounds import Bound
from tools.bench.fused import FAST
from tools.bench.workload import (
    PYTENSOR,
    WEFT,
    Call,
    Workload,
    aligned,
    compiled_pytensor,
    difference,
    jitted,
)

RTOL = 1e-8
CALLS, SPENT = 3, 0.01
"""How many calls are timed in a round at least, and for how many seconds: the best counts."""
SHORT = 2e-3
"""Below this, the wall clock is the better judge, as in the runner."""


class Case(NamedTuple):
    """A function of a module of NumPy's names and of values, and who can be its peers."""

    of: Callable[..., Any]
    data: Callable[[], tuple[Any, ...]]
    by_hand: Callable[..., Any] | None = None
    """The same in Numba, uncompiled."""
    then: Callable[[Any], Any] | None = None
    """What NumPy does with the result of that."""
    unknown: Sequence[str] = ()
    """Peers that don't have it."""


def drawn(*shapes: int | tuple[int, ...]) -> Callable[[], tuple[Any, ...]]:
    """Return a function that gives arrays of normal numbers."""

    def draw() -> tuple[Any, ...]:
        rng = np.random.default_rng(0)
        return tuple(rng.normal(size=shape) for shape in shapes)

    return draw


def with_holes() -> tuple[Any, ...]:
    """A matrix with NaN for a tenth of its elements."""
    x, chance = drawn((1000, 1000), (1000, 1000))()
    return (np.where(chance < -1.3, np.nan, x),)


def sorted_first() -> tuple[Any, ...]:
    """A sorted vector, and what to look for in it."""
    a, v = drawn(100_000, 100_000)()
    return np.sort(a), v


def along(name: str, loop: str = "", **more: Any) -> dict[str, Case]:
    """What is reduced along either axis, or taken together: of a matrix, 1 is -1."""

    def by(axis: int, lanes: str) -> Case:
        by_hand = getattr(loops, f"{loop or name}_{lanes}")
        known: dict[str, Any] = {"data": MATRIX, **more}
        return Case(lambda m, x: getattr(m, name)(x, axis=axis), by_hand=by_hand, **known)

    return {f"{name}, axis 0": by(0, "columns"), f"{name}, axis -1": by(-1, "rows")}


def kernel(m: Any, x: Any, y: Any) -> Any:
    """For each number, the sum of what it has in common with all others."""
    a, b = m.meshgrid(x, y, indexing="ij")
    return m.sum(m.exp(-((a - b) ** 2)), axis=1)


MATRIX, VECTOR, LINES = drawn((1000, 1000)), drawn(100_000), drawn(1000, 1000)
THEIRS = tuple(PYTENSOR)
STATISTICS: dict[str, Case] = {
    **along("var"),
    **along("std", "var", then=np.sqrt),
    **along("logsumexp"),
    **along("softmax"),
    **along("nanmean", data=with_holes, unknown=THEIRS),
    "clip": Case(lambda m, x: m.clip(x, -1.0, 1.0), MATRIX, loops.clip),
    "diff": Case(lambda m, x: m.diff(x, axis=0), MATRIX, loops.diff),
    "quantile": Case(lambda m, x: m.quantile(x, 0.3), VECTOR, loops.quantile, unknown=THEIRS),
    "partition": Case(
        lambda m, x: m.partition(x, 1000)[1000], VECTOR, loops.partition, unknown=THEIRS
    ),
    "searchsorted": Case(lambda m, a, v: m.searchsorted(a, v), sorted_first, loops.searchsorted),
    "histogram": Case(
        lambda m, x: m.histogram(x, 50, range=(-3.0, 3.0))[0],
        VECTOR,
        loops.histogram,
        unknown=THEIRS,
    ),
    "products": Case(lambda m, x, y: m.sum(x[:, None] * y[None]), LINES, loops.products),
    "kernel": Case(kernel, LINES, loops.kernel, unknown=THEIRS),
    "convolve": Case(
        lambda m, x, y: m.convolve(x, y), drawn(100_000, 100), loops.convolve, unknown=THEIRS
    ),
}
EINSUMS: dict[str, Case] = {
    "attention": Case(
        lambda m, q, k: einsum(m, "bhqd,bhkd->bhqk", q, k), drawn((2, 4, 128, 32), (2, 4, 128, 32))
    ),
    "four": Case(
        lambda m, *x: einsum(m, "ab,bc,cd,de->ae", *x),
        drawn((8, 300), (300, 200), (200, 250), (250, 8)),
    ),
}


def einsum(m: Any, subscripts: str, *operands: Any) -> Any:
    """NumPy looks for a good order of products only if told to; PyTensor takes no option."""
    asked = {"optimize": True} if m.__name__ == "numpy" else {}
    return m.einsum(subscripts, *operands, **asked)


class Names:
    """The functions of the first of `modules` that has them."""

    def __init__(self, *modules: Any) -> None:
        self.modules = modules
        self.__name__ = modules[0].__name__

    def __getattr__(self, name: str) -> Any:
        for module in self.modules:
            if hasattr(module, name):
                return getattr(module, name)
        raise AttributeError(f"{self.__name__} has no {name}")


def with_numpy(case: Case) -> Call:
    import scipy.special

    return partial(case.of, Names(np, scipy.special))


def with_numba(case: Case) -> Call:
    import numba

    assert case.by_hand
    machine: Call = numba.njit(case.by_hand, fastmath=FAST)
    then = case.then
    return (lambda *values: then(machine(*values))) if then else machine


def with_jax(case: Case) -> Call:
    import jax

    return jitted(partial(case.of, Names(jax.numpy, jax.nn, jax.scipy.special)))


def with_weft(mode: str, case: Case) -> Call:
    import weft.tensor as wt

    xs: list[Any] = [
        wt.tensor(f"x{k}", "float64", (None,) * v.ndim) for k, v in enumerate(case.data())
    ]
    return wt.function(xs, case.of(wt, *xs), mode=mode)


def with_pytensor(mode: str, case: Case) -> Call:
    import pytensor.tensor as pt

    xs = [
        pt.tensor(f"x{k}", dtype="float64", shape=(None,) * v.ndim)
        for k, v in enumerate(case.data())
    ]
    return compiled_pytensor(xs, case.of(Names(pt, pt.special), *xs), mode)


MAKERS: dict[str, Callable[[Case], Call]] = {
    "numpy": with_numpy,
    "numba": with_numba,
    "jax": with_jax,
    **{peer: partial(with_weft, mode) for peer, mode in WEFT.items() if mode != "py"},
    **{peer: partial(with_pytensor, mode) for peer, mode in PYTENSOR.items()},
}


def known(case: Case, peer: str) -> bool:
    """Whether the peer has the function."""
    return peer not in case.unknown and (peer != "numba" or case.by_hand is not None)


def timed(cases: Mapping[str, Case], peer: str) -> Call:
    """Compile all cases that a peer knows, check the results, and give what times them, in ms."""
    calls = {name: MAKERS[peer](case) for name, case in cases.items() if known(case, peer)}
    data = {name: aligned(cases[name].data()) for name in calls}
    for name, function in calls.items():
        if problem := difference(function(*data[name]), with_numpy(cases[name])(*data[name]), RTOL):
            raise ValueError(f"{name}: {problem}")

    def call() -> dict[str, float]:
        return {name: shortest(function, data[name]) * 1e3 for name, function in calls.items()}

    return call


def shortest(call: Call, data: tuple[Any, ...]) -> float:
    """The best time of a call, in seconds: each by itself, which others rarely interrupt."""
    wall = cpu = float("inf")
    calls, end = 0, time.perf_counter() + SPENT
    while calls < CALLS or time.perf_counter() < end:
        start, used = time.perf_counter(), time.process_time()
        call(*data)
        wall = min(wall, time.perf_counter() - start)
        cpu = min(cpu, time.process_time() - used)
        calls += 1
    return wall if wall < SHORT else cpu


LIMITS = (
    ("weft-numba", "numba", 1.2),
    ("weft-jax", "jax", 1.05),
    ("weft-numba", "pytensor-numba", 1.0),
    ("weft-jax", "pytensor-jax", 1.0),
)
BEST = tuple(
    (ours, theirs, 1.1) for ours in ("weft-numba", "weft-jax") for theirs in ("numpy", "jax")
)


def bounds(
    cases: Mapping[str, Case], limits: Sequence[tuple[str, str, float]]
) -> tuple[Bound, ...]:
    """The limits on each case whose peer knows it."""
    return tuple(
        Bound(ours, theirs, ratio, figure=name)
        for name, case in cases.items()
        for ours, theirs, ratio in limits
        if known(case, theirs)
    )


WORKLOADS = tuple(
    Workload(
        name,
        title,
        {peer: partial(timed, cases, peer) for peer in MAKERS},
        unit="ms",
        bounds=bounds(cases, limits),
        quick=False,
    )
    for name, title, cases, limits in (
        (
            "statistics",
            "NumPy's functions of (1000, 1000), and of 10^5 numbers",
            STATISTICS,
            LIMITS,
        ),
        ("einsum", "products of two and of four arrays", EINSUMS, BEST),
    )
)
