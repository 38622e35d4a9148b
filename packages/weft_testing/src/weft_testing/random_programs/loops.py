"""Random loops: their values on a backend against Python's, their derivatives against differences.

Bodies are smooth, and states stay small, so that differences tell derivatives.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, TypeVar

import numpy as np

import weft_tensor as wt
from weft_graph import Mode, function, grad, pushforward
from weft_tensor import TensorType, TensorVariable, loop

__all__ = ["faults_in_random_loops"]

T = TypeVar("T")

WIDTH: Final = 3
STEPS: Final = 6
STEP: Final = 1e-5
"""That of differences."""
INNER_DEPTH: Final = 1
"""How deep loops are nested."""

_UNARY: Final[Sequence[Callable[[Any], TensorVariable]]] = (
    wt.sin,
    wt.tanh,
    wt.cos,
    lambda v: wt.sqrt(1 + v * v),
    wt.arctan,
)
_BINARY: Final[Sequence[Callable[[Any, Any], Any]]] = (
    lambda v, w: v * w,
    lambda v, w: v + w,
    lambda v, w: v - w,
    lambda v, w: v / (1 + w * w),
    lambda v, w: wt.where(v > 0.1, v, w),
)
_OF_VECTORS: Final[Sequence[Callable[[Any], Any]]] = (
    lambda v: v.sum() / 2,
    lambda v: v[0],
    lambda v: v[::-1],
    lambda v: wt.cumsum(v) / 2,
)


class _Inputs:
    """The inputs of all loops, and values for them."""

    def __init__(self) -> None:
        rng = np.random.default_rng(0)
        shapes: dict[str, tuple[int, ...]] = {
            "xs": (STEPS,),
            "rows": (STEPS, WIDTH),
            "a": (),
            "v": (WIDTH,),
            "m": (WIDTH, WIDTH),
        }
        self.variables: list[Any] = [
            TensorType("float64", (None,) * len(shape))(name) for name, shape in shapes.items()
        ]
        self.values = [rng.normal(size=shape) / 2 for shape in shapes.values()]
        self.tangents = [rng.normal(size=shape) for shape in shapes.values()]


def faults_in_random_loops(mode: str | Mode, seeds: Iterable[int]) -> list[str]:
    """What `mode` computes otherwise than Python without rewriting in the random loops of `seeds`.

    Compared are results, and how their sum changes in one direction of all inputs: by `grad`, by
    `pushforward`, and by differences of what Python computes.

    >>> faults_in_random_loops("py", range(3))
    []
    """
    together = list(seeds)
    try:
        return _faults(mode, together)
    except Exception as error:
        if len(together) == 1:
            message = str(error).partition("\n")[0]
            return [f"seed {together[0]}: {type(error).__name__}: {message}"]
    return [fault for seed in together for fault in faults_in_random_loops(mode, [seed])]


def _faults(mode: str | Mode, seeds: Sequence[int]) -> list[str]:
    """The same, where what can't be computed is raised."""
    inputs = _Inputs()
    loops = {seed: _loop(seed, inputs) for seed in seeds}
    costs = [_cost(results) for results in loops.values()]
    slopes = [grad(cost, inputs.variables, disconnected_inputs="ignore") for cost in costs]
    tangents = [wt.as_tensor(t) for t in inputs.tangents]
    forward = [
        pushforward(cost, inputs.variables, tangents, disconnected_outputs="ignore")
        for cost in costs
    ]
    results = [v for own in loops.values() for v in own]
    options: dict[str, Any] = {"on_unused_input": "ignore"}
    plain = function(inputs.variables, [*results, *costs], mode=Mode("py", books=[]), **options)
    run = function(
        inputs.variables,
        [*results, *[g for each in slopes for g in each], *forward],
        mode=mode,
        **options,
    )
    sides = [
        plain(*[x + sign * STEP * t for x, t in zip(inputs.values, inputs.tangents, strict=True)])
        for sign in (1, -1)
    ]
    differences = [
        (up - down) / (2 * STEP)
        for up, down in zip(sides[0][len(results) :], sides[1][len(results) :], strict=True)
    ]
    references = iter(plain(*inputs.values))
    got = iter(run(*inputs.values))
    faults = []
    for seed, outputs in loops.items():
        for k, v in enumerate(outputs):
            faults += _fault(f"seed {seed}: result {k}, {v}", next(got), next(references), 1e-9)
    for seed, difference in zip(loops, differences, strict=True):
        along = [(next(got) * t).sum() for t in inputs.tangents]
        faults += _fault(f"seed {seed}: gradient", np.asarray(sum(along)), difference, 1e-6)
    for seed, difference in zip(loops, differences, strict=True):
        faults += _fault(f"seed {seed}: pushforward", next(got), difference, 1e-6)
    return faults


def _fault(what: str, got: Any, wanted: Any, tolerance: float) -> list[str]:
    if got.shape != wanted.shape or got.dtype != wanted.dtype:
        return [f"{what}: {got.dtype}{got.shape}, not {wanted.dtype}{wanted.shape}"]
    if np.all(np.abs(got - wanted) <= tolerance * (1 + np.abs(wanted))):
        return []
    return [f"{what}: {got}, not {wanted}"]


def _any(rng: np.random.Generator, choices: Sequence[T]) -> T:
    return choices[int(rng.integers(len(choices)))]


def _cost(results: Sequence[Any]) -> TensorVariable:
    return wt.stack([(wt.sin(v) * (k + 1)).sum() for k, v in enumerate(results)]).sum()


def _loop(seed: int, inputs: _Inputs) -> list[TensorVariable]:
    """The results of a loop."""
    rng = np.random.default_rng([seed, 3])
    kind = _any(rng, (_scan_with_taps, _scan_with_taps, _scan, _fori_loop, _while_loop))
    xs, rows, *same = inputs.variables
    begin, end = sorted(rng.choice(STEPS + 1, 2, replace=False))
    part = slice(int(begin), int(end)) if rng.random() < 0.9 else slice(0, 0)
    results: list[TensorVariable] = kind(rng, [xs[part], rows[part]], same)
    return results


def _scan_with_taps(
    rng: np.random.Generator, sequences: Sequence[Any], same: Any
) -> list[TensorVariable]:
    inputs = [
        {"input": x, "taps": [int(t) for t in rng.permutation([-1, 0, 1])[: rng.integers(1, 3)]]}
        for x in sequences
        if rng.random() < 0.6
    ]
    infos: list[Any] = []
    for first in _firsts(rng, same):
        if rng.random() < 0.5:
            infos.append(first)
            continue
        depth = int(rng.integers(2, 4))
        taps = sorted({-depth, *[-int(t) for t in rng.integers(1, depth + 1, 1)]})
        initial = wt.stack([first * (k + 1) / depth for k in range(depth)])
        infos.append({"initial": initial, "taps": [int(t) for t in rng.permutation(taps)]})
    ranks = [i["initial"].ndim - 1 if isinstance(i, dict) else i.ndim for i in infos]
    infos.append(None)
    seed, ends = int(rng.integers(1 << 30)), rng.random() < 0.3

    def step(*arguments: Any) -> Any:
        inner = np.random.default_rng(seed)
        pool = _grown(inner, [*arguments, *_some(inner, same)], INNER_DEPTH)
        outputs = [_of_rank(inner, pool, rank) for rank in ranks]
        results = [*outputs, pool[-1]]
        return (results, wt.until(outputs[0].sum() > 0.6)) if ends else results

    return list(
        wt.scan(
            step,
            inputs,
            infos,
            n_steps=None if inputs else int(rng.integers(0, STEPS)),
            go_backwards=rng.random() < 0.4,
            strict=False,
            return_list=True,
        )
    )


def _scan(rng: np.random.Generator, sequences: Sequence[Any], same: Any) -> list[TensorVariable]:
    firsts = _firsts(rng, same)
    xs = [x for x in sequences if rng.random() < 0.7] or [sequences[0]]
    seed = int(rng.integers(1 << 30))

    def step(states: Sequence[Any], elements: Sequence[Any]) -> Any:
        inner = np.random.default_rng(seed)
        pool = _grown(inner, [*elements, *states, *_some(inner, same)], INNER_DEPTH)
        return [_of_rank(inner, pool, s.ndim) for s in states], [pool[-1], pool[-2]]

    checkpoint: Any = _any(rng, (False, False, "sqrt", 2))
    states, results = loop.scan(step, firsts, xs, reverse=rng.random() < 0.5, checkpoint=checkpoint)
    return [*states, *results]


def _fori_loop(
    rng: np.random.Generator, sequences: Sequence[Any], same: Any
) -> list[TensorVariable]:
    seed = int(rng.integers(1 << 30))

    def step(i: Any, states: Sequence[Any]) -> Any:
        inner = np.random.default_rng(seed)
        at = i.astype("float64") / STEPS
        pool = _grown(inner, [at, *states, *_some(inner, same)], INNER_DEPTH)
        return [_of_rank(inner, pool, s.ndim) for s in states]

    steps = sequences[0].shape[0]
    results: list[TensorVariable] = wt.fori_loop(
        int(rng.integers(0, 2)), steps, step, _firsts(rng, same)
    )
    return results


def _while_loop(
    rng: np.random.Generator, sequences: Sequence[Any], same: Any
) -> list[TensorVariable]:
    seed = int(rng.integers(1 << 30))

    def step(state: Any) -> Any:
        inner = np.random.default_rng(seed)
        pool = _grown(inner, [*state["s"], *_some(inner, same)], INNER_DEPTH)
        return {"i": state["i"] + 1, "s": [_of_rank(inner, pool, s.ndim) for s in state["s"]]}

    last = wt.while_loop(
        lambda state: (state["i"] < STEPS) & (state["s"][0].sum() < 0.8),
        step,
        {"i": wt.as_tensor(0), "s": _firsts(rng, same)},
        max_steps=int(rng.integers(1, 9)),
    )
    return list(last["s"])


def _firsts(rng: np.random.Generator, same: Sequence[Any]) -> list[TensorVariable]:
    """The first values of one state or two, scalars or vectors."""
    a, v, _ = same
    choices = [wt.as_tensor(0.5), wt.sin(a), v / 2, wt.zeros(WIDTH)]
    return [choices[k] for k in rng.choice(4, rng.integers(1, 3), replace=False)]


def _some(rng: np.random.Generator, same: Sequence[Any]) -> list[TensorVariable]:
    """What a body uses of what is the same for all steps."""
    return [v for v in same if rng.random() < 0.6] or [same[0]]


def _grown(rng: np.random.Generator, start: Sequence[Any], depth: int) -> list[TensorVariable]:
    """`start`, and what random functions give of that and of each other."""
    matrices = [v for v in start if v.ndim == 2]
    pool = [v for v in start if v.ndim < 2]
    for _ in range(int(rng.integers(3, 7))):
        v, w = (pool[min(int(rng.integers(2 * len(pool))), len(pool) - 1)] for _ in range(2))
        draw = rng.random()
        if draw < 0.12 and depth:
            pool.append(_nested(rng, v, pool, depth - 1))
        elif draw < 0.2 and not v.ndim:
            pool.append(wt.ifelse(w.sum() > 0.2, wt.sin(v), v * 0.5))
        elif draw < 0.3 and v.ndim and matrices:
            pool.append(matrices[0] @ v)
        elif draw < 0.5 and v.ndim:
            pool.append(_any(rng, _OF_VECTORS)(v))
        elif draw < 0.7:
            pool.append(_any(rng, _UNARY)(v))
        else:
            pool.append(_any(rng, _BINARY)(v, w))
    return pool


def _nested(
    rng: np.random.Generator, first: Any, pool: Sequence[Any], depth: int
) -> TensorVariable:
    """What a loop in the body gives, from one of the values there."""
    seed = int(rng.integers(1 << 30))
    vectors = [v for v in pool if v.ndim]

    def next_state(state: Any, element: Any) -> TensorVariable:
        inner = np.random.default_rng(seed)
        used = [v for v in pool[-3:] if inner.random() < 0.5]
        return _of_rank(inner, _grown(inner, [element, state, *used], depth), state.ndim)

    if vectors and rng.random() < 0.7:
        last, rows = loop.scan(lambda s, e: (next_state(s, e), s), first, vectors[-1])
        result: TensorVariable = last if rng.random() < 0.5 else rows[1]
    else:
        result = wt.fori_loop(0, 3, lambda i, s: next_state(s, i.astype("float64") / 3), first)
    return result


def _of_rank(rng: np.random.Generator, pool: Sequence[Any], rank: int) -> TensorVariable:
    """The last of the pool that has the rank, made small."""
    same = [v for v in pool if v.ndim == rank]
    value: TensorVariable = same[-1] if same else pool[-1].sum() + wt.zeros((WIDTH,) * rank)
    return wt.tanh(value) if rng.random() < 0.5 else wt.sin(value)
