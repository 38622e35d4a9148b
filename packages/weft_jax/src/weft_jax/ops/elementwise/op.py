"""Elementwise Ops in JAX: a primitive, a row of ours, `jax.numpy`'s function, or the expansion."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from itertools import accumulate, pairwise
from math import prod
from operator import itemgetter
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.custom_derivatives import SymbolicZero
from numpy.typing import NDArray

from weft_graph import Constant, FunctionGraph, Item, MissingLoweringError
from weft_jax.analysis.static_values import no_positions, static_positions
from weft_jax.compile.joined_functions import MOST, Together
from weft_jax.compile.small_kernels import few_in_kernel
from weft_jax.lowering import own_slopes
from weft_jax.lowering.chosen_elements import of_vectors
from weft_jax.lowering.complex_order import COMPLEX_ORDER
from weft_jax.lowering.dispatch import Lowering, jax_funcify
from weft_jax.lowering.x64 import outside_dtype
from weft_jax.ops.elementwise.cast import converted
from weft_jax.ops.elementwise.table import BESIDE_ONE, FORMS, ROWS, WHERE, aligned, primitive_of
from weft_jax.ops.special.gamma import Form
from weft_jax.runtime.runtime_checks import noting
from weft_tensor import Elemwise, TensorType, TensorVariable, as_tensor
from weft_tensor.extend import LOOP, Scalar, expansion_of, loop_dtypes, summation_of

__all__ = ["jax_funcify_elemwise", "jax_funcify_together"]


def _check_shapes(*shapes: Any) -> None:
    """JAX's own error is a TypeError, which is for lengths that are symbols."""
    if all(isinstance(n, int) for shape in shapes for n in shape):
        np.broadcast_shapes(*shapes)


static_positions.register(Elemwise, no_positions)


@jax_funcify.register(Elemwise)
def jax_funcify_elemwise(op: Elemwise, *, node: TensorVariable, **kwargs: object) -> Lowering:
    """The row's function, in the dtypes that NumPy computes with."""
    dtypes = tuple([v.type.dtype for v in node.inputs])
    loop, result = loop_dtypes(op.name, dtypes)
    primitive = primitive_of(op.name, loop)
    if primitive is not None:
        holds, simple = WHERE.get(op.name, (None, primitive))
        primitive = simple if holds and holds(node.inputs[0]) else primitive
        return _by_primitive(primitive, dtypes, loop, result)
    is_complex = np.dtype(loop[-1]).kind == "c"
    function = _function_of(node, loop)
    has_slopes = callable(op.scalar.derivative) and not is_complex
    is_long = op.scalar.cost >= LOOP and op.scalar.summation is None
    compute = partial(few_in_kernel, function) if is_long else function

    def elemwise(*values: Any) -> Any:
        _check_shapes(*map(np.shape, values))
        arrays = list(map(_as_wanted, values, dtypes, loop))
        if has_slopes and own_slopes.are_wanted():
            return _with_slopes(op.scalar, loop, function)(*arrays).astype(result)
        return compute(*arrays).astype(result)

    return elemwise


def _function_of(node: TensorVariable, loop: tuple[str, ...]) -> Callable[..., Any]:
    """What computes a row of arrays of the dtypes `loop`, where that is no primitive."""
    op: Any = node.op
    kind = np.dtype(loop[-1]).kind
    function = COMPLEX_ORDER.get(op.name) if kind == "c" else None
    holds, simple = WHERE.get(op.name, (None, None))
    if kind == "f" and holds and holds(node.inputs[0]):
        function = simple
    if op.name in BESIDE_ONE:
        function = _beside_one(op.name, node)
    return function or ROWS.get(op.name) or _by_row(op.scalar, loop)


def _beside_one(name: str, node: TensorVariable) -> Callable[..., Any] | None:
    """The function of the other argument, if one is the number 1."""
    ones = [type(v.op) is Constant and v.ndim == 0 and v.op.value == 1 for v in node.inputs]
    return (lambda *xs: BESIDE_ONE[name](xs[ones.index(False)])) if sum(ones) == 1 else None


def _by_row(row: Scalar, dtypes: tuple[str, ...]) -> Callable[..., Any]:
    """`jax.numpy`'s function that has the name of NumPy's, or the expansion."""
    if isinstance(row.function, str) and row.function.startswith("numpy."):
        function: Callable[..., Any] = getattr(jnp, row.function.removeprefix("numpy."))
        return function
    if row.expansion is not None:
        return _of_graph(row.name, dtypes, expansion_of(row.name, dtypes))
    if row.summation is not None:
        function = of_vectors(summation_of(row.name, dtypes, (None,)))
        return _with_slopes(row, dtypes, _of_each(function))
    raise MissingLoweringError(
        f"{row.name} has no JAX implementation: give its row an `expansion`, or add one to "
        "`weft_jax.ops.elementwise.table.ROWS`"
    )


def _of_each(function: Callable[..., Any]) -> Callable[..., Any]:
    """`function` of vectors, of all elements of arrays."""

    def compute(*arrays: Any) -> Any:
        parts = jnp.broadcast_arrays(*arrays)
        with noting():  # what the loops of a row require holds; JAX could not tell it of each
            flat = function(*[x.reshape(-1) for x in parts])
        return jnp.broadcast_to(flat, parts[0].size).reshape(parts[0].shape)

    return compute


def _with_slopes(
    row: Scalar, dtypes: tuple[str, ...], function: Callable[..., Any]
) -> Callable[..., Any]:
    """`function`, of which JAX has the row's derivatives, and not those of what computes it."""

    def compute(*arrays: Any) -> Any:
        traced = [k for k, x in enumerate(arrays) if isinstance(x, jax.core.Tracer)]

        def among_known(own: Sequence[Any]) -> list[Any]:
            """What JAX need not trace, such as an exponent, is looked at by `function`."""
            by_place = dict(zip(traced, own, strict=True))
            return [by_place.get(k, x) for k, x in enumerate(arrays)]

        @jax.custom_jvp
        def of_traced(*own: Any) -> Any:
            return function(*among_known(own))

        @partial(of_traced.defjvp, symbolic_zeros=True)
        def pushed(own: Sequence[Any], tangents: Sequence[Any]) -> tuple[Any, Any]:
            out, slopes = of_traced(*own), _slopes(row, dtypes)
            total = jnp.zeros_like(out)
            with own_slopes.with_own_slopes():
                for k, tangent in zip(traced, tangents, strict=True):
                    if (slope := slopes[k]) is not None and not isinstance(tangent, SymbolicZero):
                        value = slope(*among_known(own), out).astype(out.dtype)
                        total = total + value * tangent
            return out, total

        return of_traced(*[arrays[k] for k in traced]) if traced else function(*arrays)

    return compute


@cache
def _slopes(row: Scalar, dtypes: tuple[str, ...]) -> list[Callable[..., Any] | None]:
    """The derivatives in each argument, of these and the result; None where there is none."""
    if not callable(row.derivative):
        return [None] * len(dtypes)
    inputs = [TensorType(dtype, (None,))() for dtype in (*dtypes, loop_dtypes(row.name, dtypes)[1])]
    return [
        None
        if slope is None
        else _of_each(_of_graph(row.name, dtypes, FunctionGraph(inputs, [as_tensor(slope)])))
        for slope in row.derivative(*inputs)
    ]


@cache
def _of_graph(name: str, dtypes: tuple[str, ...], graph: FunctionGraph) -> Callable[..., Any]:
    constants = {v: v.op.value for v in graph.order if isinstance(v.op, Constant)}
    steps = [
        (v, itemgetter(v.op.index) if isinstance(v.op, Item) else jax_funcify(v.op, node=v))
        for v in graph.nodes
    ]

    def compute(*arrays: Any) -> Any:
        if "uint64" in dtypes and any(a.dtype == "uint32" for a in arrays):
            raise TypeError(
                f"{name} and the random numbers made by it need integers of 64 bits, which JAX "
                "does not have as it is set: call this within `jax.enable_x64(True)`"
            )
        values = dict(zip(graph.inputs, arrays, strict=True)) | constants
        for v, function in steps:
            values[v] = function(*[values[i] for i in v.inputs])
        return values[graph.outputs[0]]

    return compute


def _by_primitive(
    primitive: Callable[..., Any], dtypes: Sequence[str], loop: Sequence[str], result: str
) -> Callable[..., Any]:
    def elemwise(*values: Any) -> Any:
        arrays = list(map(_as_wanted, values, dtypes, loop))
        value = primitive(*aligned(arrays))
        return value if value.dtype == result else value.astype(result)

    return elemwise


def _as_wanted(value: Any, dtype: str, target: str) -> jax.Array | NDArray[Any]:
    """`value`, of dtype `dtype` in the graph, as an array of the dtype `target`."""
    if isinstance(value, jax.Array) and value.dtype == target:
        return value
    if isinstance(value, int | float | np.ndarray):  # JAX would make it an array on its device
        return (
            np.asarray(value) != 0 if target == "bool" else np.asarray(value, outside_dtype(target))
        )
    value = jnp.asarray(value)
    return value != 0 if target == "bool" != dtype else converted(value, target)


@jax_funcify.register(Together)
def jax_funcify_together(op: Together, *, node: Any, **kwargs: object) -> Lowering:
    """One function of one array, unless there are many elements."""
    nodes: list[Any] = [*op.alone(node.inputs)]
    dtypes = [[v.type.dtype for v in one.inputs] for one in nodes]
    loops = [
        loop_dtypes(one.op.name, tuple(own))[0] for one, own in zip(nodes, dtypes, strict=True)
    ]
    by_themselves = [jax_funcify(one.op, node=one) for one in nodes]
    forms = [_form(one, loop) for one, loop in zip(nodes, loops, strict=True)]
    function = forms[0][0]

    def together(*values: Any) -> object:
        parts = op.parts(values)
        results: list[Any] = []
        for some in _groups([_size(part) for part in parts]):
            if len(some) == 1 or own_slopes.are_wanted():
                results += [by_themselves[k](*parts[k]) for k in some]
                continue
            shapes = [np.broadcast_shapes(*map(np.shape, parts[k])) for k in some]
            rows = [forms[k][1](*map(_as_wanted, parts[k], dtypes[k], loops[k])) for k in some]
            columns = [_end_to_end(column, shapes) for column in zip(*rows, strict=True)]
            whole = few_in_kernel(function, *columns)
            ends = pairwise(accumulate(map(prod, shapes), initial=0))
            for k, shape, (start, stop) in zip(some, shapes, ends, strict=True):
                results.append(whole[start:stop].reshape(shape).astype(nodes[k].type.dtype))
        return tuple(results)

    return together


def _size(values: Sequence[Any]) -> int:
    """How many elements a function of these has; more than `MOST` where symbols say it."""
    shapes = list(map(np.shape, values))
    if all(isinstance(n, int) for shape in shapes for n in shape):
        return prod(np.broadcast_shapes(*shapes))
    return MOST + 1


def _groups(sizes: Sequence[int]) -> Iterator[list[int]]:
    """The places of functions, cut where one array would have too many elements."""
    group: list[int] = []
    count = 0
    for k, size in enumerate(sizes):
        if group and count + size > MOST:
            yield group
            group, count = [], 0
        group.append(k)
        count += size
    yield group


def _form(node: TensorVariable, loop: tuple[str, ...]) -> Form:
    op: Any = node.op
    form = FORMS.get(op.name)
    return (_function_of(node, loop), lambda *arrays: arrays) if form is None else form


def _end_to_end(values: Sequence[Any], shapes: Sequence[tuple[int, ...]]) -> jax.Array:
    """The values, each as often as it is needed."""
    if not np.ndim(values[0]) and all(x is values[0] for x in values):
        return jnp.broadcast_to(values[0], sum(map(prod, shapes)))
    flat = [jnp.broadcast_to(x, s).reshape(-1) for x, s in zip(values, shapes, strict=True)]
    return jnp.concatenate(flat)
