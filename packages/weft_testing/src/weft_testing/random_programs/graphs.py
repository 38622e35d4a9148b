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
from weft_testing.random_programs.families import OF_ARRAYS, OF_MATRICES, STRUCTURES, USES

__all__ = ["RandomGraphs", "faults_in_random_graphs"]

_FUNCTIONS: Final = sorted(SCALARS)
"""Not those that others define later, so that a seed draws the same graph in every process."""

STEPS: Final = 20
"""How many are tried for one graph."""
KEPT: Final = 2
"""How many results of a graph are compared."""
LARGEST: Final = 1e6
NEAR: Final = 1e-6
"""So near to a whole number, products and solutions may be one."""
_COMPARISONS: Final = frozenset(["eq", "ge", "gt", "le", "lt", "neq"])
NOISE: Final = {"float32": 3e-5, "complex64": 3e-5, "float64": 1e-9, "complex128": 1e-9}
ALLOWED: Final = {"float32": 1e-2, "complex64": 1e-2, "float64": 1e-6, "complex128": 1e-6}
SHAPES: Final = ((), (3,), (4,), (1, 3), (4, 1), (4, 3), (2, 4, 3), (1,), (1, 1))
DTYPES: Final = ("float64", "float64", "float32", "int64", "int8", "uint8", "bool", "complex128")


class Sample(NamedTuple):
    """A variable, with what it is: exactly, and with errors of either sign."""

    variable: TensorVariable
    values: tuple[np.ndarray, np.ndarray, np.ndarray]
    is_last: bool = False
    """Whether nothing is computed of it: a rounding may decide if an element is 0, or 1."""

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
                stretched = 1 if value.size > 1 else None  # of one element, any may be unknown
                lengths = [n if n == stretched or rng.random() < 0.3 else None for n in shape]
                name = f"{dtype}_{'x'.join(map(str, shape))}"
                self.inputs.append(Sample(TensorType(dtype, tuple(lengths))(name), (value,) * 3))
        self.matrix = next(s for s in self.inputs if s.variable.name == "float64_4x3")

    def made(self, seed: int) -> list[Sample]:
        """Results of the graph with this seed."""
        rng = np.random.default_rng([seed, 1])
        pool = [self.inputs[k] for k in rng.choice(len(self.inputs), 8, replace=False)]
        pool.append(self.matrix)
        results: list[Sample] = []
        for _ in range(STEPS):
            kind = _KINDS[rng.integers(len(_KINDS))]
            try:
                results.append(kind(rng, pool))
            except Disallowed:
                continue
            if not results[-1].is_last:
                pool.append(results[-1])
        return results[-KEPT:]


def faults_in_random_graphs(
    mode: str | Linker | Mode, seeds: Iterable[int], *, strided: bool = False
) -> list[str]:
    """What `mode` computes differently from NumPy in the random graphs of `seeds`.

    All of them are compiled as one function: without rewriting, unless it is a `Mode`, whose books
    are applied. `strided`: the inputs are every other element of larger arrays.

    >>> faults_in_random_graphs("py", range(3)), faults_in_random_graphs(Mode("py"), range(3))
    ([], [])
    """
    chosen = mode if isinstance(mode, Mode) else Mode(mode, books=[])
    graphs = RandomGraphs()
    graph_of = {seed: graphs.made(seed) for seed in seeds}
    outputs = [s.variable for samples in graph_of.values() for s in samples]
    read = set(FunctionGraph(outputs=outputs).order)
    inputs = [s for s in graphs.inputs if s.variable in read]
    run = function([s.variable for s in inputs], outputs, mode=chosen)
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
    *,
    mixed: bool = False,
) -> Sample:
    """The sample of a new variable; Disallowed where its value is out of hand.

    `mixed`: each element is as wrong as the largest is, one that is 0 by cancellation, too.
    """
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
        up, down = (np.max(np.abs(v), initial=0) if mixed else v for v in values[1:])
        values = [value, values[1] + up * noise, values[2] - down * noise]
        allowed = ALLOWED[dtype] * (1 + np.abs(value))
        if any(np.any(np.abs(v - value) > allowed) for v in values):
            raise Disallowed
    elif any(np.any(v != value) for v in values):
        raise Disallowed
    if value.size > 1000:
        raise Disallowed
    first, up, down = (np.asarray(v, dtype) for v in values)
    is_last = mixed and bool(np.any(np.abs(first - np.rint(first)) < NEAR))
    return Sample(variable, (first, up, down), is_last)


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
    if name in _COMPARISONS and _nearly_equal(*[s.value for s in samples]):
        raise Disallowed
    op = Elemwise(name)

    def compute(*values: np.ndarray) -> Value:
        return op.impl(*[v.astype(d) for v, d in zip(values, loop, strict=True)])

    return _taken(rng, op(*[s.variable for s in samples]), compute, samples)


def _nearly_equal(x: np.ndarray, y: np.ndarray) -> bool:
    """Whether what may be equal differs in some element: a rounding decides, perhaps in NumPy."""
    x, y = (v if v.dtype.kind == "c" else v.astype(float) for v in (x, y))
    return bool(np.any((x != y) & (np.abs(x - y) < NEAR * (1 + np.abs(x)))))


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
    weft, numpy = getattr(wt, name), getattr(np, name)
    y = weft(x.variable, axis=axes, keepdims=bool(keepdims))
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
    return _taken(rng, x.variable @ y.variable.T, lambda v, w: v @ w.T, [x, y], mixed=True)


def _square(rng: np.random.Generator, pool: Sequence[Sample]) -> Sample:
    """A positive definite matrix, of which nothing is lost when it is inverted."""
    small = [
        s
        for s in pool
        if s.value.ndim == 2
        and s.value.size
        and s.value.dtype == np.float64
        and np.all(np.abs(s.value) < LARGEST**0.25)
    ]
    if not small:
        raise Disallowed
    x = _any(rng, small)
    n = x.value.shape[1]

    def compute(v: np.ndarray) -> Any:
        return v.T @ v + np.eye(n)

    return _taken(rng, x.variable.T @ x.variable + wt.eye(n), compute, [x], mixed=True)


def _inverted(rng: np.random.Generator, pool: Sequence[Sample]) -> Sample:
    """What rules on structure take up: of a matrix that may be diagonal, triangular, a product."""
    a, b = _square(rng, pool), _any(rng, pool)
    structure, value = STRUCTURES[str(rng.choice(list(STRUCTURES)))]
    a = _taken(rng, structure(a.variable), value, [a], mixed=True)
    n = a.value.shape[0]
    if b.value.dtype != np.float64 or b.value.ndim not in (1, 2) or b.value.shape[0] != n:
        b = _taken(rng, a.variable[0], lambda v: v[0], [a])
    weft, numpy = USES[str(rng.choice(list(USES)))]
    return _taken(rng, weft(a.variable, b.variable), numpy, [a, b], mixed=True)


def _update(rng: np.random.Generator, pool: Sequence[Sample]) -> Sample:
    """Some elements set, or more, perhaps read again; a key that takes all of them."""
    x = _any(rng, pool)
    if not x.value.ndim or not x.value.size or x.value.dtype != np.float64:
        raise Disallowed
    keys: list[Any] = [0, -1, slice(1, None), slice(None, None, -1), slice(0, 2)]
    key, other = (keys[rng.integers(len(keys))] for _ in range(2))
    added, reads = rng.random() < 0.5, rng.random() < 0.5

    def made(v: Any) -> Any:
        y = v[key].inc(2.5 * v[key]) if added else v[key].set(0.5)
        return y[other] if reads else y

    def compute(v: np.ndarray) -> Any:
        y = v.copy()
        y[key] = 3.5 * v[key] if added else 0.5
        return y[other] if reads else y

    return _taken(rng, made(x.variable), compute, [x])


def _join(rng: np.random.Generator, pool: Sequence[Sample]) -> Sample:
    x, y = _any(rng, pool), _any(rng, pool)
    shapes = x.value.shape, y.value.shape
    if not x.value.ndim or shapes[0] != shapes[1] or x.value.dtype != y.value.dtype:
        raise Disallowed
    name = str(rng.choice(["concatenate", "stack"]))
    weft, numpy = getattr(wt, name), getattr(np, name)
    return _taken(rng, weft([x.variable, y.variable]), lambda *parts: numpy(parts), [x, y])


def _ordered(rng: np.random.Generator, pool: Sequence[Sample]) -> Sample:
    x = _any(rng, pool)
    if not x.value.ndim or not x.value.size or x.value.dtype != np.float64:
        raise Disallowed
    name = str(rng.choice(["sort", "cumsum", "cumprod"]))
    end = [slice(None), 0, -1][rng.integers(3)]
    weft, numpy = getattr(wt, name), getattr(np, name)
    y = weft(x.variable, axis=0)[end]
    return _taken(rng, y, lambda v: numpy(v, axis=0)[end], [x])


def _of_family(rng: np.random.Generator, pool: Sequence[Sample]) -> Sample:
    """What is no elementwise function: order, transforms, sums of logarithms, filters."""
    x = _any(rng, pool)
    if not x.value.ndim or not x.value.size or x.value.dtype != np.float64:
        raise Disallowed
    weft, numpy = OF_ARRAYS[str(rng.choice(list(OF_ARRAYS)))]
    return _taken(rng, weft(x.variable), numpy, [x], mixed=True)


def _factored(rng: np.random.Generator, pool: Sequence[Sample]) -> Sample:
    """A factorisation of a positive definite matrix, or a function of one."""
    a = _square(rng, pool)
    weft, numpy = OF_MATRICES[str(rng.choice(list(OF_MATRICES)))]
    return _taken(rng, weft(a.variable), numpy, [a], mixed=True)


_KINDS: Final = (
    *[_elemwise] * 8,
    *(_cast, _reduce, _reduce, _index, _transpose, _matmul),
    *(_update, _join, _ordered, *[_inverted] * 3),
    *(_of_family, _of_family, _of_family, _factored),
)
