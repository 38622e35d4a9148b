"""What JAX traces: the source of a graph, with numbers in between, and the step it is at."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import jax
import numpy as np

from weft_graph import Print, Variable
from weft_graph.extend import Program, PythonLinker, node_note, transpile, without_collecting
from weft_jax.analysis.contraction import rounded_products
from weft_jax.analysis.integer_ranges import IntegerRanges, Range
from weft_jax.analysis.static_values import Plan
from weft_jax.compile.named_scopes import NO_NAMES, Names, scope_of
from weft_jax.lowering.dispatch import uses_builtin_lowering
from weft_jax.lowering.result_check import kept
from weft_jax.lowering.rounding import rounded, unknown_zero
from weft_tensor import Length, Pointwise, TensorType
from weft_tensor.extend import SliceLength, kind_of

__all__ = [
    *("Run", "StaticArray", "Step", "current_note", "elements", "failed_step", "plain"),
    *("program_of", "range_of", "ranges_at", "within_ranges"),
]


_TOO_MANY = 2**59
"""From this many elements on, 16 bytes each are more than what 64 bits can count."""


Run = Callable[..., Any]
"""A function of the values of a call."""


class Step(NamedTuple):
    """A node that is computed, and the values of its inputs."""

    node: Variable
    values: Sequence[Any]


class _Local(threading.local):
    step: Step | None = None
    zero: jax.Array | None = None
    ranges: IntegerRanges | None = None
    """Those of the graph that is traced right now, once they were asked for."""
    arguments: tuple[Sequence[Variable], Sequence[Any]] = (), ()
    """The inputs of this graph, and their values."""
    bounds: Sequence[tuple[Any, Range]] = ()
    """What loops around it say of what they trace."""
    elements: int = 0
    """How many all steps have computed."""


_local = _Local()
_FAILED = "_weft_step"


def current_note() -> str | None:
    """The note on the node that is computed right now, if there is one."""
    return None if _local.step is None else node_note(*_local.step)


def failed_step(error: Exception) -> Step | None:
    """The step that raised `error`, if one did."""
    step: Step | None = vars(error).get(_FAILED)
    return step


def elements() -> int:
    """How many elements all steps have computed that this thread has traced."""
    return _local.elements


def ranges_at(node: Variable) -> IntegerRanges:
    """Those of the graph that is traced, if `node` of it is what is computed right now."""
    if _local.step is None or _local.step.node is not node:
        return IntegerRanges({}, {})
    if _local.ranges is None:
        _local.ranges = _ranges_of_arguments(*_local.arguments)
    return _local.ranges


def range_of(value: object) -> Range | None:
    """That of one of the values that the node that is computed right now depends on."""
    if _local.step is None:
        return None
    node, values = _local.step
    places = [k for k, x in enumerate(values) if x is value]
    return ranges_at(node).of(node.inputs[places[0]]) if places else None


def _ranges_of_arguments(inputs: Sequence[Variable], values: Sequence[Any]) -> IntegerRanges:
    ranges: dict[Variable, Range | None] = {}
    for v, value in zip(inputs, values, strict=True):
        if isinstance(value, (int, np.integer)):
            ranges[v] = Range(int(value), int(value))
        else:
            ranges[v] = next((r for x, r in _local.bounds if x is value), None)
    shapes = {v: np.shape(x) for v, x in zip(inputs, values, strict=True)}
    return IntegerRanges(ranges, shapes)


@contextmanager
def within_ranges(pairs: Iterable[tuple[Any, Range | None]]) -> Iterator[None]:
    """In this block, arrays that JAX traces are known to be in these ranges, where any is given."""
    outside = _local.bounds
    _local.bounds = [(value, r) for value, r in pairs if r is not None]
    try:
        yield
    finally:
        _local.bounds = outside


def program_of(
    plan: Plan, funcify: Callable[[Variable], Any], names: Names = NO_NAMES
) -> tuple[Run, Program]:
    """What JAX traces, and its source: the graph of `plan`, numbers computed by Python meanwhile.

    >>> import weft_tensor as wt
    >>> from weft_jax.analysis.static_values import plan_for
    >>> from weft_graph import FunctionGraph
    >>> x = wt.scalar("x")
    >>> graph = FunctionGraph(outputs=[x * x])
    >>> run, program = program_of(plan_for(graph), PythonLinker().funcify)
    >>> run(3.0)
    (np.float64(9.0),)
    >>> print(program.source, end="")
    def weft_function(x):
        t = mul(x, x)
        return (t, )
    """

    products = rounded_products(plan.graph)

    def lowering(v: Variable) -> Any:
        if v in plan.numbers and not isinstance(v.op, (Length, Print)):
            function: Any = _by_python(v)
        else:
            function = funcify(v)
            if not callable(function):
                return function
            function = function if uses_builtin_lowering(v.op) else kept(function, v)
            if not plan.numbers.isdisjoint(v.inputs):
                function = _of_arrays(function)
            if _is_length_or_choice(v):
                function = _of_numbers(function, v)
        if v in products:
            function = _rounding(function)
        return _step(v, scope_of(v, names), function)

    program = transpile(plan.graph, lowering, reuse=False)
    steps: Run = program.load()

    def run(*values: object) -> object:
        if not any(isinstance(value, jax.core.Tracer) for value in values):
            return steps(*values)  # which may take long
        outside = _local.zero, _local.arguments, _local.ranges
        _local.zero = unknown_zero(values) if products else None
        _local.arguments, _local.ranges = (plan.graph.inputs, values), None
        try:
            with without_collecting():
                return steps(*values)
        finally:
            _local.zero, _local.arguments, _local.ranges = outside

    return run, program


def _rounding(function: Run) -> Run:
    """`function`, whose result XLA must round."""

    def computed(*values: object) -> object:
        result = function(*values)
        is_traced = isinstance(result, jax.core.Tracer)
        return rounded(result, _local.zero) if is_traced and _local.zero is not None else result

    return computed


def _step(node: Variable, name: str, function: Run) -> Run:
    """`function`, which computes `node`: known while it runs and where it fails.

    In JAX's texts and profiles it has this name.
    """

    def step(*values: object) -> object:
        outside = _local.step
        _local.step = Step(node, values)
        try:
            with jax.named_scope(name):
                return _of_real_size(function(*values))
        except Exception as error:
            vars(error).setdefault(_FAILED, _local.step)
            raise
        finally:
            _local.step = outside

    return step


def _of_real_size(result: object) -> object:
    """`result`, unless it is an array of which XLA can't even count the bytes, and aborts."""
    for array in result if isinstance(result, tuple) else (result,):
        count = getattr(array, "size", 0)
        if isinstance(count, int):
            if count >= _TOO_MANY:
                raise ValueError(f"there is no memory for an array of {count} elements")
            _local.elements += count
    return result


def _by_python(v: Variable) -> Run:
    """The Python implementation of a node whose inputs are numbers, giving a number."""
    compute = PythonLinker().funcify(v)

    def number(*values: object) -> object:
        return plain(compute(*map(np.asarray, values)))

    return number


def _is_length_or_choice(v: Variable) -> bool:
    """Whether it is a whole number or a truth, of others."""
    for u in (v, *v.inputs):
        kind = u.type
        if not isinstance(kind, TensorType) or kind.shape or kind.dtype[0] not in "bi":
            return False
    return isinstance(v.op, SliceLength) or type(kind_of(v)) is Pointwise


def _of_numbers(function: Run, v: Variable) -> Run:
    """`function`, but of numbers that are known its result is, too: XLA has nothing to compute.

    What lengths must be is then clear before a call, and no result of it.
    """
    by_python, kind = _by_python(v), v.type

    def computed(*values: object) -> object:
        if all(isinstance(value, (int, np.generic, np.ndarray)) for value in values):
            assert isinstance(kind, TensorType)
            return kind.numpy_dtype.type(by_python(*values))
        return function(*values)

    return computed


def _of_arrays(function: Run) -> Run:
    """`function`, which takes the arrays themselves that Python has computed meanwhile."""

    def computed(*values: object) -> object:
        return function(*[v.array if isinstance(v, StaticArray) else v for v in values])

    return computed


def plain(value: object) -> object:
    """A Python number for a scalar; a hashable stand-in for an array."""
    array = np.asarray(value)
    return array.item() if not array.ndim else StaticArray(array)


class StaticArray:
    """An array as a static argument: equal for equal content."""

    __slots__ = ("array", "key")

    def __init__(self, array: Any) -> None:
        self.array = array
        self.key = (array.dtype.str, array.shape, array.tobytes())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, StaticArray) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.array(self.array, dtype=dtype)
