"""Elementwise Ops: a table of scalar functions, and what all of them have in common.

One statement, `sin = unary("sin", "numpy.sin", ...)`, makes a row of the table and the
function for users. A linker package needs a row of its own only where its backend's name
or meaning differs.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from functools import reduce as fold
from itertools import zip_longest
from operator import add
from typing import Any, NamedTuple, Protocol

import numpy as np

from weft_graph import UndefinedGradientError, Variable, py_funcify
from weft_graph.extend import apply
from weft_tensor.build.convert import as_tensors
from weft_tensor.build.lazy_import import borrowed
from weft_tensor.build.op import Cotangents, Examples, Shapes, TensorApply, TensorOp, Tensors, Value
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.reduction.sum_to import sum_to_shape_of
from weft_tensor.ops.shape.length import same_size, static_length
from weft_tensor.types.dtypes import as_dtype, promote
from weft_tensor.types.shape_rules import broadcast_shapes
from weft_tensor.types.tensor_type import TensorType

__all__ = [
    "SCALARS",
    "Binary",
    "Elemwise",
    "Scalar",
    "Ternary",
    "Unary",
    "binary",
    "broadcast_dims",
    "floating",
    "loop_dtypes",
    "ternary",
    "unary",
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

Partial = Callable[..., Sequence[Any]]
Signature = tuple[tuple[str, ...], str]


class Scalar(NamedTuple):
    """A function of scalars that tensors have elementwise."""

    name: str
    function: str | Callable[..., Any]
    """NumPy's or SciPy's, as a dotted name, or our own, which gives a new array."""
    summary: str
    domain: tuple[Interval, ...]
    """Per input, an interval in which the function is smooth (for tests)."""
    example: tuple[Any, ...]
    """Inputs, then the result (for the documentation, run as a test)."""
    derivative: Partial | None = None
    """`derivative(*inputs, out)`: the partial derivatives; None where there is none."""
    pullback: Partial | None = None
    """`pullback(*inputs, out, cotangent)`, instead, where no product with one is right."""
    pushforward: Callable[..., Any] | None = None
    """`pushforward(*inputs, out, *tangents)`, with 0 for no tangent, likewise."""
    commutative: bool = False
    is_view: bool = False
    """Whether NumPy's result may have the memory of the input."""
    dtypes: Callable[[tuple[str, ...]], Signature] | None = None
    """The dtypes of the computation and the result; by default, what the ufunc says."""

    @property
    def arity(self) -> int:
        """The number of inputs."""
        return len(self.domain)

    @property
    def numpy(self) -> Callable[..., Any]:
        """The NumPy or SciPy function."""
        return borrowed(self.function) if isinstance(self.function, str) else self.function


SCALARS: dict[str, Scalar] = {}
"""All rows, by name."""

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
        found = _resolved(row.numpy, dtypes)
        if _HALF in found:
            found = _resolved(row.numpy, tuple(promote([d, "float32"]) for d in dtypes))
    except TypeError:
        raise TypeError(f"{name} is not defined for {' and '.join(dtypes)}") from None
    return tuple(as_dtype(d) for d in found[:-1]), as_dtype(found[-1])


def _resolved(ufunc: Any, dtypes: tuple[str, ...]) -> Sequence[np.dtype[Any]]:
    return ufunc.resolve_dtypes((*map(np.dtype, dtypes), None))


class Elemwise(TensorOp):
    """The scalar function `name`, elementwise, with NumPy's broadcasting."""

    name: str

    @property
    def view_of(self) -> tuple[int, ...]:
        """NumPy's results are new but for the parts of complex numbers."""
        return (0,) if self.scalar.is_view else ()

    @property
    def scalar(self) -> Scalar:
        """The row of the table."""
        return SCALARS[self.name]

    @property
    def commutative(self) -> bool:
        """Whether the function is symmetric."""
        return self.scalar.commutative

    def convert(self, inputs: tuple[TensorLike, ...]) -> tuple[Variable, ...]:
        """As tensors; Python numbers take their dtype from the others."""
        return as_tensors(inputs)

    def infer(self, *types: TensorType) -> TensorType:
        """Broadcast shape; dtype by the row."""
        if len(types) != self.scalar.arity:
            raise TypeError(f"{self.name} takes {self.scalar.arity} inputs, got {len(types)}")
        _, dtype = loop_dtypes(self.name, tuple([t.dtype for t in types]))
        return TensorType(dtype, broadcast_shapes(*[t.shape for t in types]))

    def pullback(self, inputs: Tensors, outputs: Tensors, cotangents: Tensors) -> Cotangents:
        """The row's derivative times the cotangent, summed over broadcast axes.

        For complex inputs the gradient of a real cost is its derivative by the real part
        plus i times that by the imaginary part: the direction of steepest ascent.
        """
        (out,), (g,) = outputs, cotangents
        row = self.scalar
        if row.pullback is not None:
            parts = row.pullback(*inputs, out, g)
        elif row.derivative is not None:
            parts = [_times(g, d) for d in row.derivative(*inputs, out)]
        elif out.type.differentiable and self.name not in _STEPS:
            raise UndefinedGradientError(
                f"{self.name} has no derivative: give its row a `derivative` or `pullback`"
            )
        else:
            parts = [None] * len(inputs)
        return [
            sum_to_shape_of(part, x, inputs) if part is not None and x.type.differentiable else None
            for part, x in zip(parts, inputs, strict=True)
        ]

    def pushforward(self, inputs: Tensors, outputs: Tensors, tangents: Cotangents) -> Cotangents:
        """The tangents times the row's derivatives, added up."""
        (out,), row = outputs, self.scalar
        if row.pushforward is not None:
            total = row.pushforward(*inputs, out, *[0 if t is None else t for t in tangents])
        elif row.derivative is None:
            return NotImplemented
        else:
            pairs = zip(tangents, row.derivative(*inputs, out), strict=True)
            parts = [_scaled(t, d) for t, d in pairs if t is not None and d is not None]
            if not parts:
                return [None]
            total = fold(add, parts)
        fixed = [x for x, t in zip(inputs, tangents, strict=True) if t is None]
        if any(n != 1 for x in fixed for n in x.type.shape):  # it may have stretched the others
            total = total.broadcast_to(out.shape)
        return [total.astype(out.dtype)]

    def infer_shape(self, fgraph: object, node: TensorApply, input_shapes: Shapes) -> Shapes:
        """The inputs' lengths, broadcast."""
        return [broadcast_dims(*input_shapes)]

    def impl(self, *values: np.ndarray) -> Value:
        """NumPy's function."""
        return self.scalar.numpy(*values)

    @classmethod
    def examples(cls) -> Examples:
        """For every row: shapes that broadcast, no elements, all dtypes, NaN and infinities."""
        return [(cls(row.name), values) for row in SCALARS.values() for values in _cases(row)]

    def spelling(self) -> str:
        """The function's name."""
        return self.name

    @classmethod
    def from_spelling(cls, text: str) -> Elemwise | None:
        """The Op of the function called `text`, if there is a row for it."""
        return cls(text) if text in SCALARS else None

    def __str__(self) -> str:
        return self.name


_SHAPES = (((), ()), ((3,), (3,)), ((2, 1), (3,)), ((2, 3), ()), ((0, 3), (1,)))
_SPECIAL = (np.nan, np.inf, -np.inf, 0.0, -0.0, 1e-300, 1e300, 0.5, -2.5)


def _cases(row: Scalar) -> Iterator[list[Any]]:
    rng = np.random.default_rng(7)

    def draw(shapes: Sequence[tuple[int, ...]], dtypes: Sequence[str]) -> list[Any]:
        triples = zip(row.domain, shapes, dtypes, strict=True)
        return [_drawn(rng, interval, shape, dtype) for interval, shape, dtype in triples]

    floating = _accepts(row, ("float64",) * row.arity)
    for shapes in _SHAPES:
        padded = (shapes * 2)[: row.arity]
        yield draw(padded, ["float64" if floating else "int64"] * row.arity)
    for dtype in ("bool", "int8", "int32", "int64", "uint8", "uint32", "float32", "complex128"):
        if _accepts(row, (dtype,) * row.arity):
            yield draw(((3,),) * row.arity, [dtype] * row.arity)
    if row.arity == 2 and _accepts(row, ("int32", "float32")):
        yield draw(((3,), (3,)), ("int32", "float32"))
    special = np.array(_SPECIAL)
    if floating:
        yield (
            [special] if row.arity == 1 else list(np.meshgrid(*[special] * row.arity, sparse=True))
        )
    if row.arity == 2 and _accepts(row, ("bool", "float64")):
        yield [np.array([[False], [True]]), special]
    if row.arity == 2 and _accepts(row, ("uint64", "int64")):
        yield [np.array([[0], [1], [2**64 - 1]], "uint64"), np.array([-(2**63), -1, 1, 2**63 - 1])]


def _accepts(row: Scalar, dtypes: tuple[str, ...]) -> bool:
    try:
        loop_dtypes(row.name, dtypes)
    except TypeError:
        return False
    return True


def _drawn(rng: Any, interval: Interval, shape: tuple[int, ...], dtype: str) -> Any:
    """Numbers from the interval, as far as the dtype has them; never 0 for integers."""
    low, high = interval
    if dtype == "bool":
        return rng.integers(0, 2, shape).astype(bool)
    if dtype[0] in "iu":
        smallest = 1 if low >= 0 or dtype[0] == "u" else -5
        values = rng.integers(smallest, 6, shape)
        return np.where(values == 0, 1, values).astype(dtype)
    values = rng.uniform(low, high, shape)
    if dtype.startswith("complex"):
        values = values + 1j * rng.uniform(0.1, 0.5, shape)
    return np.asarray(values, dtype)


_STEPS = {"sign", "floor", "ceil", "trunc", "rint", "floor_div"}
"""Floating functions whose derivative is zero almost everywhere."""


def _times(g: Any, derivative: Any) -> Any:
    if derivative is None:
        return None
    is_complex = not isinstance(derivative, (int, float)) and derivative.is_complex
    return _scaled(g, derivative.conj() if is_complex else derivative)


def _scaled(g: Any, derivative: Any) -> Any:
    if isinstance(derivative, (int, float)):
        return g if derivative == 1 else -g if derivative == -1 else g * derivative
    return g * derivative


@py_funcify.register(Elemwise)
def py_funcify_elemwise(op: Elemwise, *, node: Variable, **kwargs: Any) -> Callable[..., Any]:
    """NumPy's function itself, unless it would compute in other dtypes than ours."""
    row = op.scalar
    given = tuple([v.type.dtype for v in node.inputs])  # type: ignore[attr-defined]  # tensors
    wanted, _ = loop_dtypes(op.name, given)
    function = row.numpy
    if given == wanted or (
        row.dtypes is None and "float16" not in map(str, _resolved(function, given))
    ):
        return function

    def converted(*values: Any) -> Any:
        return function(*[np.asarray(v, d) for v, d in zip(values, wanted, strict=True)])

    return converted


class Unary(Protocol):
    """A function of one tensor."""

    def __call__(self, x: TensorLike, /) -> TensorVariable:
        """Apply it."""


class Binary(Protocol):
    """A function of two tensors."""

    def __call__(self, x: TensorLike, y: TensorLike, /) -> TensorVariable:
        """Apply it."""


class Ternary(Protocol):
    """A function of three tensors."""

    def __call__(self, c: TensorLike, x: TensorLike, y: TensorLike, /) -> TensorVariable:
        """Apply it."""


def unary(
    name: str,
    function: Any,
    summary: str,
    domain: Interval,
    example: Any,
    *rest: Any,
    **fields: Any,
) -> Unary:
    """Define a scalar function of one variable: its row, and the function for users.

    >>> softsign = unary("softsign", lambda x: x / (1 + abs(x)), "x / (1 + |x|).",
    ...     (-3, 3), (1.0, 0.5), lambda x, r: (1 / (1 + abs(x)) ** 2,), dtypes=floating)
    >>> float(softsign(3.0).eval())
    0.75
    """
    op = _define(Scalar(name, function, summary, (domain,), example, *rest, **fields))

    def call(x: TensorLike, /) -> TensorVariable:
        return apply(op, as_tensors((x,)))  # type: ignore[return-value]  # a tensor

    return _documented(call, op.scalar)


def binary(
    name: str,
    function: Any,
    summary: str,
    domain: tuple[Interval, Interval],
    example: Any,
    *rest: Any,
    **fields: Any,
) -> Binary:
    """Define a scalar function of two variables (see `unary`)."""
    op = _define(Scalar(name, function, summary, domain, example, *rest, **fields))

    def call(x: TensorLike, y: TensorLike, /) -> TensorVariable:
        return apply(op, as_tensors((x, y)))  # type: ignore[return-value]  # a tensor

    return _documented(call, op.scalar)


def ternary(
    name: str,
    function: Any,
    summary: str,
    domain: tuple[Interval, Interval, Interval],
    example: Any,
    *rest: Any,
    **fields: Any,
) -> Ternary:
    """Define a scalar function of three variables (see `unary`)."""
    op = _define(Scalar(name, function, summary, domain, example, *rest, **fields))

    def call(c: TensorLike, x: TensorLike, y: TensorLike, /) -> TensorVariable:
        return op(c, x, y)

    return _documented(call, op.scalar)


def _define(row: Scalar) -> Elemwise:
    if row.name in SCALARS:
        raise ValueError(f"a scalar function {row.name} is defined already")
    SCALARS[row.name] = row
    return Elemwise(row.name)


def _documented(call: Any, row: Scalar) -> Any:
    *given, result = row.example
    source = row.function if isinstance(row.function, str) else None
    call.__name__ = call.__qualname__ = row.name
    call.__module__ = sys._getframe(2).f_globals["__name__"]
    shown = f"{row.name}({', '.join(map(repr, given))}).eval()"
    expected = result if isinstance(result, (bool, int)) else np.round(result, 6)
    rounded = shown if isinstance(result, (bool, int)) else f"{shown}.round(6)"
    call.__doc__ = (
        f"{row.summary}\n\nElementwise, with broadcasting"
        + (f"; see `{source}`." if source else ".")
        + f"\n\n>>> print({rounded})\n{expected}\n"
    )
    return call


def broadcast_dims(*shapes: Sequence[Any]) -> tuple[Any, ...]:
    """The lengths that shapes (of ints and int64 scalars) are broadcast to.

    >>> broadcast_dims((3, 1), (5,))
    (3, 5)
    """
    result = []
    for lengths in zip_longest(*[s[::-1] for s in shapes], fillvalue=1):
        stretched = [n for n in dict.fromkeys(lengths) if static_length(n) != 1]
        if len(stretched) < 2:
            result.append(stretched[0] if stretched else 1)
            continue
        numbers = [n for n in stretched if isinstance(static_length(n), int)]
        length = (numbers or stretched)[0]
        for other in () if numbers else stretched[1:]:
            if not same_size(length, other):
                length = Elemwise("broadcast_length")(length, other)
        result.append(length)
    return tuple(result[::-1])


def floating(dtypes: tuple[str, ...]) -> Signature:
    """The dtypes rule of functions that compute all inputs in one real floating dtype."""
    kind = promote([*dtypes, "float32"])
    if kind.startswith("complex"):
        raise TypeError(f"not defined for {' and '.join(dtypes)}: it takes real numbers")
    return (kind,) * len(dtypes), kind
