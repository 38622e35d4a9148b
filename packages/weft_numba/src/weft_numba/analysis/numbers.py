"""Loops over small arrays of known lengths, as loops over their numbers: no step makes an array.

Of arrays of a few numbers, most of a step's time are calls, and looks at lengths; where each
number is a state, or a value, of its own, a step is one stretch of arithmetic.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import product
from typing import Any, Final

import numpy as np

from weft_graph import Constant, FunctionGraph, Item, Named, OpFromGraph, Variable, replace
from weft_graph.extend import Assumed, StopGradient, apply
from weft_numba.llvm.scalar.table import argument_dtypes, calls_of_vectors
from weft_numba.lowering.dispatch import has_function, uses_builtin_lowering
from weft_tensor import (
    Concatenate,
    Gather,
    Matmul,
    Pointwise,
    Recurrence,
    Reduction,
    Reshape,
    Scatter,
    SumOver,
    TensorType,
    View,
    add,
    constant,
    expanded,
    logical_and,
    logical_or,
    maximum,
    minimum,
    mul,
    reshape,
    stack,
)
from weft_tensor.extend import NEW, Slice, Stack, kind_of

__all__ = ["in_numbers"]

_LARGEST: Final = 16
"""The most numbers of an array."""
_MOST: Final = 1000
"""The most numbers that a step computes, with what products of matrices add up."""
_SAME: Final = (Assumed, Named, StopGradient)
_COMBINE: Final[dict[str, Callable[..., Any]]] = {
    "add": add,
    "mul": mul,
    "maximum": maximum,
    "minimum": minimum,
    "logical_and": logical_and,
    "logical_or": logical_or,
}


def in_numbers(node: Variable) -> FunctionGraph | None:
    """What the results of a `Recurrence` are, of its inputs, by a loop whose states are numbers.

    None if the arrays of its steps are large, or of unknown lengths, or read otherwise than number
    by number; or if a step has none, or only such as one loop nest computes.

    >>> import weft_tensor as wt
    >>> A, x = wt.matrix("A", shape=(2, 2)), wt.vector("x", shape=(2,))
    >>> last = wt.fori_loop(0, 9, lambda k, y: A @ y, x)
    >>> loops = [last.inputs[0], *in_numbers(last.inputs[0]).nodes]
    >>> [str(v.type) for v in loops if isinstance(v.op, Recurrence)]
    ['(int64, float64[2])', '(int64, float64, float64)']
    """
    op: Any = node.op
    try:
        return _Apart(op, node).graph()
    except _Whole:
        return None


class _Whole(Exception):
    """An array has to stay what it is."""


class _Apart:
    """The loop of numbers."""

    def __init__(self, op: Recurrence, node: Variable) -> None:
        self.op, self.node = op, node
        self.count = 0

    def graph(self) -> FunctionGraph:
        """The results of the node by the new loop."""
        op, node = self.op, self.node
        body = _with_lengths(op, _with_loops_apart(expanded(op.body.graph, has_function)))
        if not any(map(_is_taken_apart, body.order)):
            raise _Whole
        own = op.parts(body.inputs)
        numbers = _Numbers()
        states = [_fresh(v) for v in own.states]
        numbers.parts.update(zip(own.states, states, strict=True))
        numbers.apart.update(v for v in own.states if v.ndim)
        for v in body.order:
            numbers.add(v)
        if not numbers.apart:
            raise _Whole
        outputs = [x for v in body.outputs for x in numbers.of(v).flat]
        flat = [x for each in states for x in each.flat]
        taken = [*own.sequences, *flat, *own.others]
        inner = OpFromGraph(taken, outputs, op.body.name, inline=False)
        firsts = op.parts(node.inputs[1:])
        kept = tuple([k for k, each in zip(op.kept, states, strict=True) for _ in each.flat])
        loop = Recurrence(inner, op.length, kept, op.backwards, op.conditional, op.most)
        begun = [
            x for v, own in zip(firsts.states, own.states, strict=True) for x in _first(v, own).flat
        ]
        results = iter(
            loop.make_node(node.inputs[0], *firsts.sequences, *begun, *firsts.others).outputs
        )
        kinds: list[Any] = [v.type for v in body.outputs]
        if op.conditional:
            kinds[-1] = TensorType("int64")
        whole: list[Any] = [_together(k.shape, results) for k in kinds]
        given = dict.fromkeys(v for v in node.inputs if not isinstance(v.op, Constant))
        return FunctionGraph(given, whole)


class _Numbers:
    """The numbers of values, as arrays of variables."""

    def __init__(self) -> None:
        self.parts: dict[Variable, Any] = {}
        self.apart: set[Variable] = set()
        """The arrays of which there are only numbers."""
        self.again: dict[Variable, Variable] = {}
        """What else is computed, from numbers."""
        self.left = _MOST

    def of(self, v: Any) -> Any:
        """Those of `v`: of what is an array, they are read from it."""
        if v not in self.parts:
            self.parts[v] = _read(self.again.get(v, v))
        return self.parts[v]

    def add(self, v: Any) -> None:
        """Find those of `v`, whose inputs are known."""
        if not v.inputs:
            return
        touches = not self.apart.isdisjoint(v.inputs)
        if isinstance(v.type, TensorType) and (v.ndim or touches):
            try:
                self.parts[v] = found = self._found(v)
            except _Whole:
                if touches:
                    raise
            else:
                self.left -= found.size
                if found.shape != v.type.shape or any(x.dtype != v.dtype for x in found.flat):
                    raise _Whole
                if v.ndim:
                    self.apart.add(v)
        elif touches:
            raise _Whole
        if v not in self.parts:
            self.left -= 1
            self.again[v] = new = self._of_numbers(v)
            if not (isinstance(v.type, TensorType) and v.ndim):
                self.parts[v] = _alone(new)
        if self.left < 0:
            raise _Whole

    def _of_numbers(self, v: Any) -> Any:
        """The same Op of what there is."""
        inputs = tuple([self.again[i] if i in self.again else self._number(i) for i in v.inputs])
        return v if inputs == v.inputs else apply(v.op, inputs)

    def _number(self, v: Variable) -> Variable:
        there = v in self.parts and not self.parts[v].ndim
        number: Variable = self.parts[v].item() if there else v
        return number

    def _found(self, v: Any) -> Any:
        if type(v.op) in _SAME:
            return self.of(v.inputs[0])
        if not uses_builtin_lowering(v.op) or _size(v) is None:
            raise _Whole
        shape: Any = v.type.shape
        given = [self.of(i) for i in v.inputs]
        x = given[0]
        kind: Any = kind_of(v)
        match kind:
            case Pointwise(of, positions):
                if _is_faster_whole(v, of):
                    raise _Whole
                rows = np.broadcast_arrays(*given, np.empty(shape, object), subok=False)[:-1]
                result = np.empty(shape, object)
                for at in np.ndindex(shape):
                    values = [row[at] for row in rows]
                    places = [constant(k, "int64") for k in at] if positions else []
                    element: Any = of if positions else v.op
                    result[at] = element(*values, *places)
                return result
            case View(axes):
                if any(n != 1 for a, n in enumerate(x.shape) if a not in axes):
                    raise _Whole
                order = [a for a in axes if a is not None]
                rest = [a for a in range(x.ndim) if a not in order]
                moved = x.transpose([*order, *rest])[(..., *[0] * len(rest))]
                new = [None if a is None else slice(None) for a in axes]
                return np.broadcast_to(moved[(*new, ...)], shape)
            case Gather(tuple(entries)):
                return x[_key(entries)]
            case Scatter(tuple(entries), how) if how in ("set", "inc"):
                result, key = x.copy(), _key(entries)
                value = np.broadcast_to(given[1], result[key].shape)
                result[key] = value if how == "set" else _each(add, result[key], value)
                return result
            case Reduction(axis, combine, None, None):
                gone = [*range(x.ndim)] if axis is None else [a % x.ndim for a in np.ravel(axis)]
                kept = [a for a in range(x.ndim) if a not in gone]
                rows = x.transpose([*gone, *kept])
                rows = rows.reshape(-1, *[x.shape[a] for a in kept])
                return _folded(_COMBINE[combine], rows)
            case SumOver():
                for a, n in enumerate(shape):
                    if x.shape[a] != n:
                        x = np.expand_dims(_folded(add, np.moveaxis(x, a, 0)), a)
                return x
        match v.op:
            case Stack():
                return np.stack(given)
            case Concatenate(axis=axis):
                return np.concatenate(given, axis)
            case Reshape():
                return x.reshape(shape)
            case Matmul() if max(i.ndim for i in v.inputs) < 3:
                self.left -= 2 * max(x.size, given[1].size) * v.ndim
                return _product(x, given[1], shape)
        raise _Whole


def _with_loops_apart(graph: FunctionGraph) -> FunctionGraph:
    """A body with the loops in it, where they can be, over numbers."""
    found = cache(in_numbers)

    def apart(v: Any) -> Variable | None:
        is_item = isinstance(v.op, Item)
        loop, k = (v.inputs[0], v.op.index) if is_item else (v, 0)
        if not isinstance(loop.op, Recurrence) or not (is_item or _is_tensor(v)):
            return None
        inside = found(loop)
        return None if inside is None else inside.outputs[k]

    return FunctionGraph(graph.inputs, replace(graph.outputs, apart, graph.inputs))


def _with_lengths(op: Recurrence, body: FunctionGraph) -> FunctionGraph:
    """A body that knows the lengths of vectors that are states, if it gives such."""
    states: Any = op.parts(body.inputs).states
    outputs: Any = body.outputs
    known = {
        x: TensorType(x.dtype, after.type.shape)()
        for x, after in zip(states, outputs, strict=False)
        if x.ndim == 1 and _size(x) is None and _size(after) is not None
    }
    if not known:
        return body
    inputs = [known.get(v, v) for v in body.inputs]
    return FunctionGraph(inputs, replace(body.outputs, known))


def _first(v: Any, state: Any) -> Any:
    """The numbers that a state begins with: if they are not so many, this is an error."""
    return _read(v if _size(v) else reshape(v, state.type.shape))


def _is_faster_whole(v: Any, of: Any) -> bool:
    """Whether a function of several numbers is there for whole vectors."""
    if _size(v) == 1 or not isinstance(of, str) or of == "cast":
        return False
    dtypes = argument_dtypes(of, tuple([i.dtype for i in v.inputs]))
    return calls_of_vectors(of, dtypes[-1], len(v.inputs))


def _is_tensor(v: Any) -> bool:
    return isinstance(v.type, TensorType)


def _is_taken_apart(v: Any) -> bool:
    """Whether `v` is computed otherwise than element by element."""
    return isinstance(v.op, (Matmul, Stack, Concatenate)) or isinstance(kind_of(v), Reduction)


def _size(v: Any) -> int | None:
    """How many numbers an array has; None if that is unknown, or too many."""
    shape: Any = v.type.shape if isinstance(v.type, TensorType) else (None,)
    known = all(isinstance(n, int) for n in shape)
    size = int(np.prod(shape)) if known else 0
    return size if known and 0 < size <= _LARGEST else None


def _alone(v: Any) -> np.ndarray:
    """An array of one variable."""
    array = np.empty((), object)
    array[()] = v
    return array


def _read(v: Any) -> np.ndarray:
    """The numbers of an array."""
    if not _is_tensor(v) or (v.ndim and _size(v) is None):
        raise _Whole
    array = np.empty(v.type.shape, object)
    for at in np.ndindex(v.type.shape):
        known = isinstance(v.op, Constant)
        array[at] = constant(v.op.value[at], v.dtype) if known else v[at] if at else v
    return array


def _fresh(v: Any) -> np.ndarray:
    """Inputs for the numbers of a state."""
    if v.ndim and _size(v) is None:
        raise _Whole
    array = np.empty(v.type.shape, object)
    for at in np.ndindex(v.type.shape):
        array[at] = TensorType(v.dtype)()
    return array


def _together(shape: Any, results: Iterator[Any]) -> Any:
    """One result of those of numbers, along last axes."""
    if not shape:
        return next(results)
    many = [next(results) for _ in range(int(np.prod(shape)))]
    joined = stack(many, axis=-1)
    before = [joined.shape[axis] for axis in range(joined.ndim - 1)]
    return joined if len(shape) == 1 else reshape(joined, (*before, *shape))


def _key(entries: Sequence[Any]) -> tuple[Any, ...]:
    """NumPy's index, by which even one element is an array."""
    key: list[Any] = []
    for e in entries:
        if isinstance(e, Slice) and all(x is None or isinstance(x, int) for x in e):
            key.append(slice(*e))
        elif e == NEW:
            key.append(None)
        elif isinstance(e, int):
            key.append(e)
        else:
            raise _Whole
    return (*key, ...)


def _each(of: Callable[..., Any], *arrays: np.ndarray) -> np.ndarray:
    result = np.empty(arrays[0].shape, object)
    for at in np.ndindex(result.shape):
        result[at] = of(*[x[at] for x in arrays])
    return result


def _folded(of: Callable[..., Any], rows: np.ndarray) -> np.ndarray:
    """All rows combined."""
    if not len(rows):
        raise _Whole
    total = rows[0] if isinstance(rows[0], np.ndarray) else _alone(rows[0])
    for row in rows[1:]:
        total = _each(of, total, row if isinstance(row, np.ndarray) else _alone(row))
    return total


def _product(x: np.ndarray, y: np.ndarray, shape: Any) -> np.ndarray:
    """A product of matrices, or vectors, as sums."""
    left = x[None] if x.ndim == 1 else x
    right = y[:, None] if y.ndim == 1 else y
    rows = np.empty((left.shape[0], right.shape[1]), object)
    for i, j in product(*map(range, rows.shape)):
        terms = [mul(a, b) for a, b in zip(left[i], right[:, j], strict=True)]
        rows[i, j] = _folded(add, np.array([*map(_alone, terms)], object)).item()
    return rows.reshape(shape)
