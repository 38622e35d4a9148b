"""Random models written with a loop of Python: terms alike but for their data, of known shapes.

Rewriting joins such terms, and the sums and slopes of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import reduce
from operator import add
from typing import Any, Final

import numpy as np

import weft_tensor as wt
from weft_graph import FunctionGraph, Mode, function, grad
from weft_tensor import TensorVariable

__all__ = ["faults_in_random_siblings", "random_siblings"]

MOST: Final = 40
"""So many terms, at most, are alike."""
WIDTH: Final = 3
DEPTH: Final = 5
"""How deep terms are, at most."""
TOLERANCE: Final = 1e-9

Term = Callable[[int], TensorVariable]
"""The term of a number."""

_UNARY: Final[Sequence[Callable[[Any], Any]]] = (
    *(wt.exp, wt.sin, wt.tanh, wt.square, wt.abs, lambda v: -v),
    lambda v: wt.log1p(wt.square(v)),
    lambda v: wt.sqrt(1 + wt.square(v)),
)
_BINARY: Final[Sequence[Callable[[Any, Any], Any]]] = (
    lambda v, w: v + w,
    lambda v, w: v * w,
    lambda v, w: v - w,
    lambda v, w: v / (2 + wt.square(w)),
    wt.maximum,
    lambda v, w: wt.where(v > 0.1, w, 0.5 * v),
)
_SHAPES: Final = {"b": (MOST + WIDTH,), "w": (MOST, WIDTH), "c": (2, MOST, WIDTH), "s": ()}
_INPUTS: Final = {name: wt.tensor(name, "float64", shape) for name, shape in _SHAPES.items()}


def faults_in_random_siblings(mode: str | Mode, seeds: Iterable[int]) -> list[str]:
    """What `mode` computes otherwise than Python without rewriting: values and slopes of models.

    >>> faults_in_random_siblings("py", range(3))
    []
    """
    return [fault for seed in seeds for fault in _faults(mode, seed)]


def _faults(mode: str | Mode, seed: int) -> list[str]:
    graph = random_siblings(seed)
    rng = np.random.default_rng(seed)
    values = [rng.normal(size=_SHAPES[str(v)]) for v in graph.inputs]
    plain = function(graph.inputs, graph.outputs, mode=Mode("py", books=[]))
    try:
        results = function(graph.inputs, graph.outputs, mode=mode)(*values)
    except Exception as error:
        return [f"seed {seed}: {type(error).__name__}: {error}".partition("\n")[0]]
    faults = []
    for k, (x, y) in enumerate(zip(results, plain(*values), strict=True)):
        size = TOLERANCE * max(1.0, np.max(np.abs(y), initial=0.0))
        if x.shape != y.shape or not np.allclose(x, y, TOLERANCE, size, equal_nan=True):
            faults.append(f"seed {seed}: result {k}: {x}, not {y}")
    return faults


def random_siblings(seed: int) -> FunctionGraph:
    """A model's value and slopes, and sometimes some of its terms, as a graph over its inputs.

    >>> len(random_siblings(1).inputs)
    4
    """
    rng = np.random.default_rng([seed, 5])
    term = _term(rng, int(rng.integers(2, DEPTH + 1)))
    count = MOST if rng.random() < 0.6 else int(rng.integers(2, MOST))
    terms = [term(k) for k in range(count)]
    total = _total(rng, terms)
    inputs = FunctionGraph(outputs=[total]).inputs
    slopes = grad(total, inputs) if inputs else []
    return FunctionGraph(inputs, [total, *slopes, *terms[: int(rng.choice([0, 0, 10]))]])


def _total(rng: np.random.Generator, terms: Sequence[Any]) -> TensorVariable:
    """What becomes of the terms: they are added up in one of several ways."""
    draw = int(rng.integers(5))
    if draw == 0:
        return wt.as_tensor(sum([wt.sum(v) for v in terms]))
    if draw == 1:
        weights = np.arange(len(terms)).reshape(-1, *[1] * terms[0].ndim)
        return wt.sum(wt.stack(terms) * weights)
    if draw == 2:
        return wt.sum(reduce(add, terms)) * _INPUTS["s"]
    if draw == 3:
        start = wt.zeros(MOST) if rng.random() < 0.7 else _INPUTS["b"]
        return wt.square(reduce(add, [start[k].inc(wt.sum(v)) for k, v in enumerate(terms)])).sum()
    total = wt.as_tensor(0.0)
    for v in terms:
        total = wt.sum(v) + total if rng.random() < 0.8 else total - wt.sum(v)
    return total


def _term(rng: np.random.Generator, depth: int) -> Term:
    """A random function of data that depend on a number."""
    if not depth:
        return _data(rng)
    first = _term(rng, depth - 1)
    draw = rng.random()
    if draw < 0.3:
        unary = _UNARY[int(rng.integers(len(_UNARY)))]
        return lambda k: unary(first(k) / 2)
    if draw < 0.4:
        reduction = (wt.sum, wt.max, wt.mean, wt.prod)[int(rng.integers(4))]
        return lambda k: reduction(first(k))
    if draw < 0.5:
        place = int(rng.integers(-1, 2))
        return lambda k: v[place] if (v := first(k)).ndim else v
    second = _term(rng, int(rng.integers(depth)))
    binary = _BINARY[int(rng.integers(len(_BINARY)))]
    return lambda k: binary(first(k), second(k))


def _data(rng: np.random.Generator) -> Term:
    """Elements and rows of inputs and of constants, or what is the same for all terms."""
    b, w, c, s = _INPUTS.values()
    shift = int(rng.integers(WIDTH))
    table, line = rng.normal(size=(MOST, WIDTH)), rng.normal(size=MOST)
    choices: Sequence[Callable[[int], Any]] = (
        lambda k: b[k + shift],
        lambda k: b[-1 - k - shift],
        lambda k: w[(k + shift) % MOST],
        lambda k: w[k * 3 % MOST, shift],
        lambda k: c[1, k],
        lambda k: c[0, k, shift],
        lambda k: s,
        lambda k: b[shift],
        lambda k: table[k],
        lambda k: table[shift],
        lambda k: float(line[k]),
    )
    choice = choices[int(rng.integers(len(choices)))]
    return lambda k: wt.as_tensor(choice(k))
