"""Elementwise Ops: what all scalar functions have in common, and how one is defined.

One statement, `sin = unary("sin", "numpy.sin", ...)`, makes a row of the table and the
function for users.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import cache, cached_property
from importlib import import_module
from itertools import zip_longest
from typing import Any

import numpy as np

from weft_graph import UndefinedGradientError, Variable, py_funcify
from weft_tensor.build.applied import applied
from weft_tensor.build.binary_methods import Binary, with_methods
from weft_tensor.build.convert import as_tensors, beside_complex
from weft_tensor.build.kinds import Pointwise
from weft_tensor.build.lazy_import import lazy_import
from weft_tensor.build.op import (
    Cotangents,
    Examples,
    Shapes,
    TensorApply,
    TensorOp,
    Tensors,
    Value,
    elements,
)
from weft_tensor.build.scalar_calls import Quaternary, Ternary, Unary, by_options
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.elementwise.table import (
    SCALARS,
    Interval,
    Scalar,
    as_results,
    loop_dtypes,
    numpy_expansion,
    resolved,
)
from weft_tensor.ops.reduction.sum_to import choice_in, sum_to_shape_of
from weft_tensor.ops.shape.length import as_operands, same_size, static_length
from weft_tensor.types.shape_rules import broadcast_shapes
from weft_tensor.types.tensor_type import TensorType

__all__ = [
    "Binary",
    "Elemwise",
    "Quaternary",
    "Ternary",
    "Unary",
    "binary",
    "broadcast_dims",
    "quaternary",
    "ternary",
    "unary",
]


class Elemwise(TensorOp):
    """The scalar function `name`, elementwise, with NumPy's broadcasting."""

    name: str
    primitive = True

    @property
    def view_of(self) -> tuple[int, ...]:
        """NumPy's results are new but for the parts of complex numbers."""
        return (0,) if self.scalar.is_view else ()

    @property
    def scalar(self) -> Scalar:
        """The row of the table."""
        return SCALARS[self.name]

    @cached_property
    def facts(self) -> str:
        """What the row says of results."""
        return SCALARS[self.name].facts

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

        What a `where` has not chosen has no derivative there, be its slope infinite or NaN: where
        a cotangent is chosen or 0, its products are.
        """
        (out,), row = outputs, self.scalar
        g, chosen = choice_in(cotangents[0])
        if row.pullback is not None:
            parts = row.pullback(*_as_precise(inputs, out), out, g)
        elif row.derivative:
            parts = [_times(g, d) for d in row.derivative(*_as_precise(inputs, out), out)]
        elif out.type.differentiable and row.derivative is None:
            raise UndefinedGradientError(
                f"{self.name} has no derivative: give its row a `derivative` or `pullback`"
            )
        else:
            parts = [None] * len(inputs)
        return [
            None
            if part is None or not x.type.differentiable
            else sum_to_shape_of(chosen(part), x, inputs)
            for part, x in zip(parts, inputs, strict=True)
        ]

    def pushforward(self, inputs: Tensors, outputs: Tensors, tangents: Cotangents) -> Cotangents:
        """The tangents times the row's derivatives, added up."""
        (out,), row = outputs, self.scalar
        if row.pushforward is not None:
            slopes = [0 if t is None else t for t in tangents]
            total = row.pushforward(*_as_precise(inputs, out), out, *slopes)
        elif not row.derivative:
            return NotImplemented
        else:
            partials = row.derivative(*_as_precise(inputs, out), out)
            pairs = zip(tangents, partials, strict=True)
            parts = [_scaled(t, d) for t, d in pairs if t is not None and d is not None]
            if not parts:
                return [None]
            total = sum(parts[1:], parts[0])
        fixed = [x for x, t in zip(inputs, tangents, strict=True) if t is None]
        # what is fixed may have stretched the others
        if total.ndim < out.ndim or any(n != 1 for x in fixed for n in x.type.shape):
            total = total.broadcast_to(out.shape)
        return [total.astype(out.dtype)]

    def infer_shape(self, fgraph: object, node: TensorApply, input_shapes: Shapes) -> Shapes:
        """The inputs' lengths, broadcast."""
        return [broadcast_dims(*input_shapes)]

    def kind(self, *inputs: TensorVariable) -> Pointwise:
        """The function, at each point."""
        return _pointwise(self.name)

    def cost(self, node: Any) -> float:
        """That of its row, for each element."""
        return elements(node) * self.scalar.cost

    def impl(self, *values: np.ndarray) -> Value:
        """NumPy's function."""
        return self.scalar.numpy(*values)

    @classmethod
    def examples(cls) -> Examples:
        """For every row: shapes that broadcast, no elements, all dtypes, NaN and infinities."""
        return [
            (cls(row.name), values)
            for row in import_module("weft_tensor.extend").SCALARS.values()
            for values in lazy_import("weft_tensor.ops.elementwise.examples.example_inputs")(row)
        ]

    def spelling(self) -> str:
        """The function's name."""
        return self.name

    __str__ = spelling

    @classmethod
    def from_spelling(cls, text: str) -> Elemwise | None:
        """The Op of the function called `text`, if there is a row for it."""
        return cls(text) if text in SCALARS else None


def _as_precise(inputs: Tensors, out: TensorVariable) -> Tensors:
    """Inputs with as many digits as the result: 1 / y of 32 bits has half of those of x / y."""
    if not out.type.differentiable or all(x.dtype == out.dtype for x in inputs):
        return inputs
    real = np.finfo(out.dtype).dtype
    return [
        x.astype(np.result_type(x.dtype, real).name) if x.type.differentiable else x for x in inputs
    ]


_BROADCAST_LENGTH = Elemwise("broadcast_length")


@cache
def _pointwise(name: str) -> Pointwise:
    return Pointwise(name)


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
def py_funcify_elemwise(op: Elemwise, *, node: TensorVariable, **kwargs: Any) -> Callable[..., Any]:
    """NumPy's function itself, unless it would compute in other dtypes than ours."""
    row = op.scalar
    dtypes = tuple([v.type.dtype for v in node.inputs])
    loop, _ = loop_dtypes(op.name, dtypes)
    function = numpy_expansion(op.name, loop) if row.function is None else row.numpy
    if dtypes == loop or (
        row.dtypes is None and "float16" not in map(str, resolved(function, dtypes))
    ):
        return function

    def converted(*values: Any) -> Any:
        return function(*[np.asarray(v, d) for v, d in zip(values, loop, strict=True)])

    return converted


def unary(
    name: str,
    function: str | Callable[..., Any] | None,
    summary: str,
    domain: Interval,
    example: Any,
    *rest: Any,
    **fields: Any,
) -> Unary:
    """Define a scalar function of one variable: its row, and the function for users.

    >>> from weft_tensor.extend import floating
    >>> softsign = unary("softsign", None, "x / (1 + |x|).", (-3, 3), (1.0, 0.5),
    ...     lambda x, r: (1 / (1 + abs(x)) ** 2,), lambda x: x / (1 + abs(x)), dtypes=floating)
    >>> float(softsign(3.0).eval())
    0.75
    """
    op = _define(Scalar(name, function, summary, (domain,), example, *rest, **fields))

    def call(x: TensorLike, /, **options: Any) -> TensorVariable:
        if options:
            return by_options(call, name, (x,), options, example[:-1])
        return applied(op, as_tensors((x,)))

    def by_dtype(x: TensorLike, /, **options: Any) -> TensorVariable:
        if options:
            return by_options(by_dtype, name, (x,), options, example[:-1])
        return applied(_for(op, inputs := as_tensors((x,))), inputs)

    return _documented(by_dtype if op.scalar.of_complex else call, op.scalar)


def binary(
    name: str,
    function: str | Callable[..., Any] | None,
    summary: str,
    domain: tuple[Interval, Interval],
    example: Any,
    *rest: Any,
    **fields: Any,
) -> Binary:
    """Define a scalar function of two variables (see `unary`)."""
    op = _define(Scalar(name, function, summary, domain, example, *rest, **fields))

    def call(x: TensorLike, y: TensorLike, /, **options: Any) -> TensorVariable:
        if options:
            return by_options(call, name, (x, y), options, example[:-1])
        try:
            return applied(op, as_operands((x, y)))
        except OverflowError:
            return applied(op, as_results(name, (x, y)))

    def by_dtype(x: TensorLike, y: TensorLike, /, **options: Any) -> TensorVariable:
        if options:
            return by_options(by_dtype, name, (x, y), options, example[:-1])
        chosen = _for(op, inputs := as_operands((x, y)))
        return applied(chosen, inputs if chosen is op else beside_complex((x, y)))

    made = _documented(by_dtype if op.scalar.of_complex else call, op.scalar)
    defined: Binary = with_methods(made, function)
    return defined


def ternary(
    name: str,
    function: str | Callable[..., Any] | None,
    summary: str,
    domain: tuple[Interval, Interval, Interval],
    example: Any,
    *rest: Any,
    **fields: Any,
) -> Ternary:
    """Define a scalar function of three variables (see `unary`)."""
    op = _define(Scalar(name, function, summary, domain, example, *rest, **fields))

    def call(c: TensorLike, x: TensorLike, y: TensorLike, /, **options: Any) -> TensorVariable:
        if options:
            return by_options(call, name, (c, x, y), options, example[:-1])
        return applied(op, as_operands((c, x, y)))

    return _documented(call, op.scalar)


def quaternary(
    name: str,
    function: str | Callable[..., Any] | None,
    summary: str,
    domain: tuple[Interval, Interval, Interval, Interval],
    example: Any,
    *rest: Any,
    **fields: Any,
) -> Quaternary:
    """Define a scalar function of four variables (see `unary`)."""
    op = _define(Scalar(name, function, summary, domain, example, *rest, **fields))

    def call(
        a: TensorLike, b: TensorLike, c: TensorLike, x: TensorLike, /, **options: Any
    ) -> TensorVariable:
        if options:
            return by_options(call, name, (a, b, c, x), options, example[:-1])
        chosen = _for(op, inputs := as_operands((a, b, c, x)))
        return applied(chosen, inputs if chosen is op else beside_complex((a, b, c, x)))

    return _documented(call, op.scalar)


def _define(row: Scalar) -> Elemwise:
    if row.name in SCALARS:
        raise ValueError(f"a scalar function {row.name} is defined already")
    SCALARS[row.name] = row
    return Elemwise(row.name)


def _for(op: Elemwise, inputs: Sequence[Variable]) -> Elemwise:
    """`op`, or for a complex number as the last input the same function of complex ones."""
    kind = inputs[-1].type
    is_complex = isinstance(kind, TensorType) and kind.dtype.startswith("complex")
    return Elemwise(op.scalar.of_complex) if is_complex and op.scalar.of_complex else op


def _documented(call: Any, row: Scalar) -> Any:
    *arguments, result = row.example
    source = row.function if isinstance(row.function, str) else None
    call.__name__ = call.__qualname__ = row.name
    call.__module__ = sys._getframe(2).f_globals["__name__"]
    line = f"{row.name}({', '.join(map(repr, arguments))}).eval()"
    if isinstance(result, (float, complex)):
        line, result = f"{line}.round(6)", np.round(result, 6)
    call.__doc__ = (
        f"{row.summary}\n\nElementwise, with broadcasting"
        + (f"; see `{source}`." if source else ".")
        + f"\n\n>>> print({line})\n{result}\n"
    )
    return call


def broadcast_dims(*shapes: Sequence[Any]) -> tuple[Any, ...]:
    """The lengths that shapes (of ints and int64 scalars) are broadcast to.

    >>> broadcast_dims((3, 1), (5,))
    (3, 5)
    """
    result = []
    for lengths in zip_longest(*[s[::-1] for s in shapes], fillvalue=1):
        stretched = {n: known for n in lengths if (known := static_length(n)) != 1}
        numbers = [n for n, known in stretched.items() if isinstance(known, int)]
        length, *others = numbers[:1] or stretched or [1]
        for other in others:
            if not same_size(length, other):
                length = _BROADCAST_LENGTH(length, other)
        result.append(length)
    return tuple(result[::-1])
