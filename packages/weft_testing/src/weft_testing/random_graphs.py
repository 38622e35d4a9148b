"""Random graphs, to compare a backend with what NumPy computes while the graphs are made.

Every value is kept three times: as it is, and with rounding exaggerated upwards and downwards.
Steps at which these part ways (a comparison of numbers that are nearly equal, say) are not
taken, so that what differs in the end is wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

import weft_tensor as wt
from weft_graph import FunctionGraph, Mode, function
from weft_graph.extend import Linker
from weft_tensor import Elemwise, TensorType, TensorVariable
from weft_tensor.extend import SCALARS, Value, loop_dtypes

__all__ = ["RandomGraphs", "faults_in_random_graphs"]

_FUNCTIONS: Final = sorted(SCALARS)
"""Not those that others define later, so that a seed draws the same graph in every process."""

STEPS: Final = 20
"""How many are tried for one graph."""
KEPT: Final = 2
"""How many results of a graph are compared."""
LARGEST: Final = 1e6
NOISE: Final = {"float32": 3e-5, "complex64": 3e-5, "float64": 1e-9, "complex128": 1e-9}
ALLOWED: Final = {"float32": 1e-2, "complex64": 1e-2, "float64": 1e-6, "complex128": 1e-6}
SHAPES: Final = ((), (3,), (4,), (1, 3), (4, 1), (4, 3), (2, 4, 3))
DTYPES: Final = ("float64", "float64", "float32", "int64", "int8", "uint8", "bool", "complex128")


class Sample(NamedTuple):
    """A variable, with what it is: exactly, and with errors of either sign."""

    variable: TensorVariable
    values: tuple[np.ndarray, np.ndarray, np.ndarray]

    @property
    def value(self) -> np.ndarray:
        """What it is."""
        return self.values[0]


class Disallowed(Exception):
    """A step that is not taken."""


class RandomGraphs:
    """Graphs over the same inputs, each from a seed of its own.

    >>> graphs = RandomGraphs()
    >>> [str(s.variable) for s in graphs.made(7)] == [str(s.variable) for s in graphs.made(7)]
    True
    """

    def __init__(self, seed: int = 0) -> None:
        rng = np.random.default_rng(seed)
        self.inputs: list[Sample] = []
        for shape in SHAPES:
            for dtype in dict.fromkeys(DTYPES):
                value = _drawn(rng, dtype, shape)
                lengths = [n if n == 1 or rng.random() < 0.3 else None for n in shape]
                name = f"{dtype}_{'x'.join(map(str, shape))}"
                self.inputs.append(Sample(TensorType(dtype, tuple(lengths))(name), (value,) * 3))

    def made(self, seed: int) -> list[Sample]:
        """Results of the graph with this seed."""
        rng = np.random.default_rng([seed, 1])
        pool = [self.inputs[k] for k in rng.choice(len(self.inputs), 8, replace=False)]
        started = len(pool)
        for _ in range(STEPS):
            kind = _KINDS[rng.integers(len(_KINDS))]
            try:
                pool.append(kind(rng, pool))
            except Disallowed:
                continue
        return pool[started:][-KEPT:]


def faults_in_random_graphs(
    linker: str | Linker, seeds: Iterable[int], *, strided: bool = False
) -> list[str]:
    """What `linker` computes differently from NumPy in the random graphs of `seeds`.

    All of them are compiled as one function, without rewriting. `strided`: the inputs are
    every other element of larger arrays.

    >>> faults_in_random_graphs("py", range(3))
    []
    """
    graphs = RandomGraphs()
    graph_of = {seed: graphs.made(seed) for seed in seeds}
    outputs = [s.variable for samples in graph_of.values() for s in samples]
    read = set(FunctionGraph(outputs=outputs).order)
    inputs = [s for s in graphs.inputs if s.variable in read]
    run = function([s.variable for s in inputs], outputs, mode=Mode(linker, books=[]))
    with np.errstate(all="ignore"):
        results = iter(run(*[_spread(s.value) if strided else s.value for s in inputs]))
    faults = []
    for seed, samples in graph_of.items():
        for sample in samples:
            wrong = _difference(next(results), sample)
            if wrong:
                faults.append(f"seed {seed}: {sample.variable}: {wrong}")
    return faults


def _difference(got: np.ndarray, sample: Sample) -> str:
    value, up, down = sample.values
    if got.dtype != value.dtype or got.shape != value.shape:
        return f"{got.dtype} of shape {got.shape}, not {value.dtype} of shape {value.shape}"
    if value.dtype.kind in "biu":
        wrong = got != value
    else:
        spread = max(np.max(np.abs(up - value), initial=0), np.max(np.abs(down - value), initial=0))
        slack = 2 * spread + 16 * np.finfo(value.dtype).eps * (1 + np.abs(value))
        wrong = ~(np.abs(got - value) <= slack)
    if not np.any(wrong):
        return ""
    return f"{got[wrong].ravel()[:3]}, not {value[wrong].ravel()[:3]}"


def _spread(value: np.ndarray) -> np.ndarray:
    return np.repeat(value, 2, axis=-1)[..., ::2] if value.ndim else value


def _drawn(rng: np.random.Generator, dtype: str, shape: tuple[int, ...]) -> np.ndarray:
    if dtype == "bool":
        return np.asarray(rng.integers(0, 2, shape), bool)
    if dtype in NOISE:
        value = rng.integers(-12, 13, shape) / 4
        if dtype.startswith("complex"):
            value = value + 1j * rng.integers(-12, 13, shape) / 4
        return np.asarray(value, dtype)
    return np.asarray(rng.integers(0 if dtype[0] == "u" else -6, 7, shape), dtype)


def _taken(
    rng: np.random.Generator,
    variable: TensorVariable,
    compute: Callable[..., Value],
    samples: Sequence[Sample],
) -> Sample:
    """The sample of a new variable; Disallowed where its value is out of hand."""
    dtype = variable.type.dtype
    with np.errstate(all="ignore"):
        values = [
            np.asarray(compute(*[s.values[k] for s in samples])).astype(dtype) for k in range(3)
        ]
    value = values[0]
    if dtype in NOISE:
        if not all(np.all(np.abs(v) < LARGEST) for v in values):
            raise Disallowed
        # of all sizes, so that two steps' noise does not cancel
        size = NOISE[dtype] * rng.uniform(0.25, 1.0, value.shape) * rng.choice([-1, 1], value.shape)
        noise = np.asarray(size, value.real.dtype)
        values = [value, values[1] * (1 + noise), values[2] * (1 - noise)]
        allowed = ALLOWED[dtype] * (1 + np.abs(value))
        if any(np.any(np.abs(v - value) > allowed) for v in values):
            raise Disallowed
    elif any(np.any(v != value) for v in values):
        raise Disallowed
    if value.size > 1000:
        raise Disallowed
    first, up, down = (np.asarray(v, dtype) for v in values)
    return Sample(variable, (first, up, down))


def _any(rng: np.random.Generator, pool: Sequence[Sample]) -> Sample:
    """One of the pool, of the last ones rather."""
    return pool[min(int(rng.integers(2 * len(pool))), len(pool) - 1)]


def _elemwise(rng: np.random.Generator, pool: Sequence[Sample]) -> Sample:
    name = str(rng.choice(_FUNCTIONS))
    samples = [_any(rng, pool) for _ in range(SCALARS[name].arity)]
    try:
        loop, _ = loop_dtypes(name, tuple(s.variable.type.dtype for s in samples))
        np.broadcast_shapes(*[s.value.shape for s in samples])
    except (TypeError, ValueError):
        raise Disallowed from None
    if name == "pow" and loop[0][0] in "iu" and np.any(samples[1].value < 0):
        raise Disallowed
    op = Elemwise(name)

    def compute(*values: np.ndarray) -> Value:
        return op.impl(*[v.astype(d) for v, d in zip(values, loop, strict=True)])

    return _taken(rng, op(*[s.variable for s in samples]), compute, samples)


def _cast(rng: np.random.Generator, pool: Sequence[Sample]) -> Sample:
    x, dtype = _any(rng, pool), str(rng.choice(DTYPES))
    if dtype not in NOISE and x.value.dtype.kind in "fc":
        low = 0 if dtype[0] in "ub" else -100
        if np.any(x.value.real < low) or np.any(x.value.real > 100):
            raise Disallowed

    def compute(v: np.ndarray) -> np.ndarray:
        return (v.real if dtype not in ("bool", "complex128") else v).astype(dtype)

    return _taken(rng, x.variable.astype(dtype), compute, [x])


def _reduce(rng: np.random.Generator, pool: Sequence[Sample]) -> Sample:
    x = _any(rng, pool)
    ndim = x.value.ndim
    axes = tuple(int(a) for a in range(ndim) if rng.random() < 0.6)
    if not axes:
        raise Disallowed
    name, keepdims = (
        str(rng.choice(["sum", "prod", "max", "min", "any", "all"])),
        rng.random() < 0.5,
    )
    if name in ("max", "min") and not x.value.size:
        raise Disallowed
    made, numpy = getattr(wt, name), getattr(np, name)
    y = made(x.variable, axis=axes, keepdims=bool(keepdims))
    return _taken(rng, y, lambda v: numpy(v, axis=axes, keepdims=bool(keepdims)), [x])


def _index(rng: np.random.Generator, pool: Sequence[Sample]) -> Sample:
    x = _any(rng, pool)
    if not x.value.ndim or not x.value.size:
        raise Disallowed
    n = x.value.shape[0]
    choices: list[Any] = [0, -1, slice(1, None), slice(None, None, -1), slice(0, None, 2)]
    choices += [(..., None), (..., 0), rng.integers(-n, n, 4)]
    key = choices[rng.integers(len(choices))]
    return _taken(rng, x.variable[key], lambda v: v[key], [x])


def _transpose(rng: np.random.Generator, pool: Sequence[Sample]) -> Sample:
    x = _any(rng, pool)
    return _taken(rng, x.variable.T, lambda v: v.T, [x])


def _matmul(rng: np.random.Generator, pool: Sequence[Sample]) -> Sample:
    x, y = _any(rng, pool), _any(rng, pool)
    kinds = x.value.dtype.kind, y.value.dtype.kind
    if x.value.ndim != 2 or y.value.ndim != 2 or not set(kinds) <= set("fc"):
        raise Disallowed
    if x.value.shape[1] != y.value.shape[1]:
        raise Disallowed
    return _taken(rng, x.variable @ y.variable.T, lambda v, w: v @ w.T, [x, y])


_KINDS: Final = (*[_elemwise] * 8, _cast, _reduce, _reduce, _index, _transpose, _matmul)
