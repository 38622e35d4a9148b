"""`check`: does Weft compute what PyTensor does, and how long do both take?"""

from __future__ import annotations

import inspect
import math
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pytensor
from numpy.typing import NDArray
from pytensor.compile.sharedvalue import SharedVariable
from pytensor.graph.basic import Variable as Theirs
from pytensor.graph.traversal import ancestors, explicit_graph_inputs
from pytensor.tensor.random.op import RandomVariable
from pytensor.tensor.type import continuous_dtypes

from weft_graph import PythonFallbackWarning, UndefinedGradientError, function, grad
from weft_pytensor.convert.from_pytensor import from_pytensor
from weft_pytensor.convert.host import NoConverterWarning

__all__ = ["Report", "UncheckedError", "check"]

Values: TypeAlias = list[NDArray[Any]]
_TIME = 0.05
"""For how many seconds calls are repeated."""


class UncheckedError(TypeError):
    """What was given can't be compared."""


@dataclass(frozen=True)
class Side:
    """One of the two that are compared."""

    name: str
    nodes: int
    """Of the graph that is run, after rewriting."""
    compile_seconds: float
    """From PyTensor's graph to the first result, derivatives included."""
    call_seconds: float
    """The fastest call."""
    results: list[Values]
    """The cost and its slopes, at each point."""


@dataclass(frozen=True)
class Report:
    """What `check` tells; as a text, a table."""

    theirs: Side
    ours: Side
    slopes: tuple[str, ...]
    """What the cost was differentiated by."""
    differences: tuple[float, ...]
    """Of the cost and of each slope, in relation to the largest element: the largest."""
    rtol: float
    host: tuple[str, ...]
    """What runs in Python, as the warnings tell."""
    without: str = ""
    """Why slopes are not compared, if so."""

    @property
    def equal(self) -> bool:
        """Whether no difference is larger than `rtol`."""
        return all(d <= self.rtol for d in self.differences)

    def __str__(self) -> str:
        rows = [
            ("", self.theirs.name, self.ours.name),
            ("nodes", str(self.theirs.nodes), str(self.ours.nodes)),
            *[
                (what, *map(_duration, times))
                for what, times in {
                    "compile": (self.theirs.compile_seconds, self.ours.compile_seconds),
                    "call": (self.theirs.call_seconds, self.ours.call_seconds),
                }.items()
            ],
        ]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        first, *others = widths
        lines = ["  ".join([row[0].ljust(first), *map(str.rjust, row[1:], others)]) for row in rows]
        lines += ["", f"largest relative differences at {len(self.ours.results)} points"]
        names = ("the value", *[f"its slope in {name}" for name in self.slopes])
        longest = max(map(len, names))
        lines += [
            f"{name.ljust(longest)}  {d:8.1e}{'' if d <= self.rtol else '  DIFFERS'}"
            for name, d in zip(names, self.differences, strict=True)
        ]
        lines += ["", f"no slopes are compared: {self.without}"] if self.without else []
        lines += ["", "on the host: " + ("nothing" if not self.host else "")]
        return "\n".join([*lines, *self.host])


def check(
    target: Any, *, points: int = 20, mode: str = "numba", rtol: float = 1e-7, seed: int = 0
) -> Report:
    """Whether Weft gives the values and slopes that PyTensor gives, and what both take.

    Parameters
    ----------
    target
        A `pm.Model`, whose log-density is compared, a variable of PyTensor's, several, whose sums
        are added, or a function without arguments that gives one of these.
    points
        At how many drawn points, besides the initial one.
    mode
        Weft's; PyTensor's is its default.
    rtol
        What differs by more, in relation to the largest element, counts as different.

    Where PyTensor has no slopes, values alone are compared.

    Errors: UncheckedError, a TypeError, for what is neither, draws, or a function with arguments.

    >>> import pytensor.tensor as pt
    >>> report = check(pt.logsumexp(pt.dvector("x")), points=3, mode="py")
    >>> report.equal, report.slopes, report.host
    (True, ('x',), ())
    """
    cost, inputs, first = _cost_of(_called(target) if callable(target) else target)
    rng = np.random.default_rng(seed)
    places = [first, *[[_moved(v, rng) for v in first] for _ in range(points)]]
    by = [v for v in inputs if v.type.dtype in continuous_dtypes]
    without = ""
    try:
        theirs = _side(lambda: _theirs(cost, inputs, by), places)
    except UndefinedGradientError as error:  # values are compared all the same
        by, without = [], f"PyTensor has none ({error})"
        theirs = _side(lambda: _theirs(cost, inputs, []), places)
    host: list[str] = []
    with warnings.catch_warnings(record=True) as messages:
        warnings.simplefilter("always")
        ours = _side(lambda: _ours(cost, inputs, by, mode), places)
    for w in messages:
        if isinstance(w.message, NoConverterWarning | PythonFallbackWarning):
            host.append(str(w.message))
        else:
            warnings.warn_explicit(w.message, w.category, w.filename, w.lineno)
    pairs = [list(zip(*side.results, strict=True)) for side in (theirs, ours)]
    differences = tuple([max(map(_difference, a, b)) for a, b in zip(*pairs, strict=True)])
    names = tuple([str(v) for v in by])
    return Report(theirs, ours, names, differences, rtol, tuple(dict.fromkeys(host)), without)


def _duration(seconds: float) -> str:
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{1e6 * seconds:.3g} µs"


def _called(make: Callable[..., Any]) -> Any:
    needed = [
        name
        for name, p in inspect.signature(make).parameters.items()
        if p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)
    ]
    if needed:
        name = getattr(make, "__name__", make)
        raise UncheckedError(
            f"check: {name} wants {', '.join(needed)}: write a function without arguments that "
            "calls it, and name that"
        )
    return make()


def _cost_of(target: Any) -> tuple[Theirs, list[Theirs], Values]:
    """A scalar of PyTensor's, what it depends on, and the first point."""
    if hasattr(target, "value_vars"):
        point = target.initial_point(0)
        inputs = list(target.value_vars)
        return target.logp(), inputs, [np.asarray(point[v.name]) for v in inputs]
    wanted = [target] if isinstance(target, Theirs) else target
    if not isinstance(wanted, list | tuple) or not all(hasattr(v, "sum") for v in wanted):
        raise UncheckedError(
            f"check: {target!r} is no PyMC model, no variable of PyTensor's, and no function that "
            "gives one"
        )
    if drawn := [
        v for v in ancestors(wanted) if v.owner and isinstance(v.owner.op, RandomVariable)
    ]:
        raise UncheckedError(
            f"check: {drawn[0]} is drawn, and each library draws its own numbers: check the model, "
            "whose log-density is compared"
        )
    cost = sum(v.sum() for v in wanted)
    graph_inputs = dict.fromkeys(explicit_graph_inputs([cost]))
    inputs = [v for v in graph_inputs if not isinstance(v, SharedVariable)]
    rng = np.random.default_rng(0)
    return cost, inputs, [_first(v, rng) for v in inputs]


def _first(v: Theirs, rng: np.random.Generator) -> NDArray[Any]:
    """Drawn numbers; what has no static length has 3."""
    shape = [3 if n is None else n for n in v.type.shape]
    drawn = rng.normal(size=shape)
    return np.asarray(drawn if v.type.dtype in continuous_dtypes else drawn > 0, v.type.dtype)


def _moved(value: NDArray[Any], rng: np.random.Generator) -> NDArray[Any]:
    if str(value.dtype) not in continuous_dtypes:
        return value
    return np.asarray(value + 0.2 * rng.normal(size=value.shape), value.dtype)


class _Compiled(NamedTuple):
    name: str
    call: Callable[..., Any]
    nodes: int


def _side(compiled: Callable[[], _Compiled], places: Sequence[Values]) -> Side:
    start = perf_counter()
    name, call, nodes = compiled()
    results = [[np.array(v) for v in call(*places[0])]]
    compiling = perf_counter() - start
    fastest, total = math.inf, 0.0
    while total < _TIME:
        start = perf_counter()
        call(*places[0])
        fastest = min(fastest, perf_counter() - start)
        total += perf_counter() - start
    results += [[np.array(v) for v in call(*values)] for values in places[1:]]
    return Side(name, nodes, compiling, fastest, results)


def _theirs(cost: Theirs, inputs: Sequence[Theirs], by: list[Theirs]) -> _Compiled:
    try:
        slopes = pytensor.grad(cost, by, disconnected_inputs="ignore") if by else []
    except NotImplementedError as error:  # as PyTensor says it of an Op, with its name
        raise UndefinedGradientError(str(error)) from error
    f = pytensor.function(inputs, [cost, *slopes], on_unused_input="ignore")
    linker = type(f.maker.linker).__name__.removesuffix("Linker")
    return _Compiled(f"PyTensor {linker}", f, len(f.maker.fgraph.apply_nodes))


def _ours(cost: Theirs, inputs: Sequence[Theirs], by: list[Theirs], mode: str) -> _Compiled:
    graph = from_pytensor([cost], inputs)
    ours = dict(zip(inputs, graph.inputs, strict=True))
    slopes = grad(graph.outputs[0], [ours[v] for v in by], disconnected_inputs="ignore")
    outputs = [graph.outputs[0], *slopes]
    f = function(graph.inputs, outputs, mode=mode, on_unused_input="ignore")
    return _Compiled(f"Weft {mode}", f, len(f.graph.nodes))


def _difference(one: NDArray[Any], other: NDArray[Any]) -> float:
    """0 for equal ones, infinite for NaN, or infinity, in one alone."""
    finite = np.isfinite(one) & np.isfinite(other)
    if not np.array_equal(np.where(finite, 0, one), np.where(finite, 0, other), equal_nan=True):
        return math.inf
    scale = np.abs(one, where=finite, out=np.zeros(one.shape)).max(initial=0.0)
    distance = np.subtract(one, other, where=finite, out=np.zeros(one.shape))
    return float(np.abs(distance).max(initial=0.0) / (scale or 1.0))
