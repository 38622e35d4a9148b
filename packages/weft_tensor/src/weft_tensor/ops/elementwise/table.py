"""The table of scalar functions: a row says once what a function is.

Its NumPy kernel, or an expression of other functions of the table (its expansion); its derivative,
cost and facts, and an example. Backends compute by the expansion what they have no better way for;
a linker package needs a row of its own only where its backend's name or meaning differs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial
from importlib import import_module
from typing import Any, Final, Literal, NamedTuple

import numpy as np

from weft_graph import FunctionGraph, Variable, inline, replace
from weft_graph.extend import StopGradient, with_bodies
from weft_tensor.build.convert import as_tensor, as_tensors, constant
from weft_tensor.build.lazy_import import lazy_import
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.elementwise.expansion import numpy_function
from weft_tensor.types.dtypes import as_dtype, promote
from weft_tensor.types.tensor_type import TensorType

__all__ = [
    "COSTLY",
    "LOOP",
    "SCALARS",
    "Scalar",
    "Usual",
    "analytic",
    "as_results",
    "expansion_of",
    "floating",
    "loop_dtypes",
    "numpy_expansion",
    "resolved",
    "summation_of",
    "usual_of",
]

Interval = tuple[float, float]
ANY: Interval = (-3.0, 3.0)
POSITIVE: Interval = (0.1, 4.0)
UNIT: Interval = (-0.9, 0.9)
INTEGER: Interval = (-5, 5)
SHIFT: Interval = (0, 5)
BETWEEN: Interval = (2.2, 2.8)
"""Of which the quotient by numbers in `NEAR_ONE` is not near an integer."""
NEAR_ONE: Interval = (1.02, 1.05)

COSTLY: Final = 20
"""The cost of a function whose row says nothing of it: about that of `exp`."""
LOOP: Final = 200
"""That of a function that takes a loop of its own."""

Partial = Callable[..., Sequence[Any]]
Signature = tuple[tuple[str, ...], str]


class Usual(NamedTuple):
    """What `expansion` comes to where each input is at least `low` and at most `high`."""

    low: float
    high: float
    form: Callable[..., Any]


class Scalar(NamedTuple):
    """A function of scalars that tensors have elementwise."""

    name: str
    function: str | Callable[..., Any] | None
    """NumPy's or SciPy's, as a dotted name, or our own, which gives a new array; or None, where
    NumPy computes by the expansion."""
    summary: str
    domain: tuple[Interval, ...]
    """Per input, an interval in which the function is smooth (for tests)."""
    example: tuple[Any, ...]
    """Inputs, then the result (for the documentation, run as a test)."""
    derivative: Partial | Literal[0] | None = None
    """`derivative(*inputs, out)`: the partial derivatives; 0 if they are zero almost everywhere."""
    expansion: Callable[..., Any] | None = None
    """`expansion(*inputs)`: it as an expression of other functions, right to the last digits."""
    pullback: Partial | None = None
    """`pullback(*inputs, out, cotangent)`, instead, where no product with one is right."""
    pushforward: Callable[..., Any] | None = None
    """`pushforward(*inputs, out, *tangents)`, with 0 for no tangent, likewise."""
    cost: int = COSTLY
    """How long it takes, as a multiple of a sum."""
    facts: str = ""
    """What results have, for which inputs, in the words of `TensorOp.facts`."""
    commutative: bool = False
    is_view: bool = False
    """Whether NumPy's result may have the memory of the input."""
    summation: Callable[..., Any] | None = None
    """`summation(*inputs)`: it of scalars, with sums over an axis of its own, which is the last,
    instead of an expansion, for backends that have no better way."""
    dtypes: Callable[[tuple[str, ...]], Signature] | None = None
    """The dtypes of the computation and the result; by default, what the ufunc says."""

    usual: tuple[Usual, ...] = ()
    """Where inputs usually are, and the short forms that the expansion has there; best first."""

    of_complex: str = ""
    """The row of the same function of complex numbers, if that is another one."""

    @property
    def arity(self) -> int:
        """The number of inputs."""
        return len(self.domain)

    @property
    def numpy(self) -> Callable[..., Any]:
        """The NumPy or SciPy function."""
        if self.function is None:
            return partial(_by_expansion, self.name)
        return lazy_import(self.function) if isinstance(self.function, str) else self.function


_HOMES: Final = (
    *("scalar_functions", "numbers.masses", "special.confluent.limit"),
    "special.noncentral.f_ratio",
    *("special.integrals.of_bessel", "special.integrals.of_struve"),
)
"""Modules with rows: those of functions for users, and further ones."""


class _Rows(dict[str, Scalar]):
    def __missing__(self, name: str) -> Scalar:
        """The row of a function whose module nobody has asked for yet."""
        for module in _HOMES:
            import_module(f"weft_tensor.ops.{module}")
            if name in self:
                return self[name]
        raise KeyError(name)


SCALARS: dict[str, Scalar] = _Rows()
"""All rows, by name, as soon as somebody asks for them."""

_HALF = np.dtype("float16")


@cache
def loop_dtypes(name: str, dtypes: tuple[str, ...]) -> Signature:
    """The dtypes that the function `name` computes with, and its result's, for these inputs.

    As NumPy's ufuncs have it, but small integers become float32 where NumPy makes them
    float16, which tensors don't have. Raises TypeError where NumPy does.

    >>> loop_dtypes("true_div", ("int64", "float32"))
    (('float64', 'float64'), 'float64')
    """
    row = SCALARS[name]
    if row.dtypes is not None:
        return row.dtypes(dtypes)
    try:
        loop = resolved(row.numpy, dtypes)
        if _HALF in loop:
            loop = resolved(row.numpy, tuple(promote([d, "float32"]) for d in dtypes))
    except TypeError:
        raise TypeError(f"{name} is not defined for {' and '.join(dtypes)}") from None
    return tuple(as_dtype(d) for d in loop[:-1]), as_dtype(loop[-1])


def as_results(name: str, values: Sequence[TensorLike]) -> tuple[TensorVariable, ...]:
    """Python integers in the dtype of a floating result, as 256 is in x / 256 of bytes.

    Raises OverflowError for functions of integers that are integers, which can't have them.

    >>> [v.dtype for v in as_results("true_div", (np.uint8([1]), 256))]
    ['uint8', 'float64']
    """
    others = [as_tensor(v).dtype for v in values if type(v) is not int]
    if not others:
        return as_tensors(values)
    _, kind = loop_dtypes(name, (*others, *others)[: len(values)])
    if not kind.startswith("float"):
        return as_tensors(values)
    return tuple([constant(v, kind) if type(v) is int else as_tensor(v) for v in values])


def resolved(ufunc: Any, dtypes: tuple[str, ...]) -> Sequence[np.dtype[Any]]:
    """The dtypes that a ufunc computes with, and its result's.

    >>> [str(d) for d in resolved(np.add, ("int8", "float32"))]
    ['float32', 'float32', 'float32']
    """
    return ufunc.resolve_dtypes((*map(np.dtype, dtypes), None))


@cache
def expansion_of(name: str, dtypes: tuple[str, ...]) -> FunctionGraph:
    """The expansion of `name` for numbers of these dtypes, which it computes with.

    Raises TypeError for a function without one.

    >>> [str(v.op) for v in expansion_of("softplus", ("float32",)).nodes]
    ['maximum', 'abs', 'neg', 'exp', 'log1p', 'add']
    """
    return _graph_of(name, SCALARS[name].expansion, dtypes)


@cache
def usual_of(name: str, k: int, dtypes: tuple[str, ...]) -> FunctionGraph:
    """The k-th form of `name` for usual inputs, likewise.

    >>> len(usual_of("gammaln", 0, ("float64",))) < len(expansion_of("gammaln", ("float64",)))
    True
    """
    return _graph_of(name, SCALARS[name].usual[k].form, dtypes)


@cache
def summation_of(
    name: str, dtypes: tuple[str, ...], shape: tuple[int | None, ...] = ()
) -> FunctionGraph:
    """The summation of `name`, likewise, or of arrays.

    >>> summation_of("kv", ("float64", "float64")).outputs[0].type
    TensorType(dtype='float64', shape=())
    """
    return _graph_of(name, SCALARS[name].summation, dtypes, shape)


def _graph_of(
    name: str, form: Any, dtypes: tuple[str, ...], shape: tuple[int | None, ...] = ()
) -> FunctionGraph:
    if form is None:
        raise TypeError(f"{name} has no such expression")
    inputs = [TensorType(dtype, shape)() for dtype in dtypes]
    result = form(*inputs).astype(loop_dtypes(name, dtypes)[1])
    return _opened(FunctionGraph(inputs, [result]))


def _opened(graph: FunctionGraph) -> FunctionGraph:
    """`graph` without what differentiation alone reads, in loops, too."""
    graph = inline(graph)
    return with_bodies(graph.with_outputs(replace(graph.outputs, _computed_of)), _opened)


def _computed_of(v: Variable) -> Variable | None:
    """What differentiation takes for constant is computed as it is."""
    return v.inputs[0] if isinstance(v.op, StopGradient) else None


@cache
def numpy_expansion(name: str, dtypes: tuple[str, ...]) -> Callable[..., Any]:
    """NumPy's function by the expansion or summation of `name`, of arrays of these dtypes."""
    if SCALARS[name].expansion is not None:
        return numpy_function(expansion_of(name, dtypes))
    of_vectors = numpy_function(summation_of(name, dtypes, (None,)))

    def compute(*arrays: Any) -> Any:
        shape = np.broadcast_shapes(*[a.shape for a in arrays])
        return of_vectors(*[np.broadcast_to(a, shape).reshape(-1) for a in arrays]).reshape(shape)

    return compute


def _by_expansion(name: str, *values: Any) -> Any:
    arrays = list(map(np.asarray, values))
    loop, _ = loop_dtypes(name, tuple([str(a.dtype) for a in arrays]))
    converted = [a.astype(d, copy=False) for a, d in zip(arrays, loop, strict=True)]
    return numpy_expansion(name, loop)(*converted)


def floating(dtypes: tuple[str, ...]) -> Signature:
    """The dtypes rule of functions that compute all inputs in one real floating dtype.

    Raises TypeError for dtypes that are not real.
    """
    kind = promote([*dtypes, "float32"])
    if kind.startswith("complex"):
        raise TypeError(f"not defined for {' and '.join(dtypes)}: it takes real numbers")
    return (kind,) * len(dtypes), kind


def analytic(dtypes: tuple[str, ...]) -> Signature:
    """The dtypes rule of functions of a complex number, the last input, and of real ones.

    Raises TypeError if others are complex.

    >>> analytic(("int64", "complex64"))
    (('float64', 'complex128'), 'complex128')
    """
    orders = dtypes[:-1]
    kind = promote([*dtypes, "complex64"])
    if any(order.startswith("complex") for order in orders):
        raise TypeError(f"not defined for {' and '.join(dtypes)}: the order is a real number")
    real = "float32" if kind == "complex64" else "float64"
    return (*[real] * len(orders), kind), kind
