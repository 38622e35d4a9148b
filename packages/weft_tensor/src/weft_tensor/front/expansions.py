"""What each kind of Op is, written with Ops that exist; and how long results are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import singledispatch
from typing import Any, Final

from weft_graph import FunctionGraph, ShapeUnknownError, Variable, ancestors, replace
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.kinds import (
    Gather,
    Pointwise,
    Reduction,
    Scan,
    Scatter,
    SumOver,
    View,
)
from weft_tensor.build.op import TensorOp
from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.creation.iota import Iota
from weft_tensor.ops.elementwise.op import Elemwise, broadcast_dims
from weft_tensor.ops.indexing.index import Index, IndexUpdate, index, updated
from weft_tensor.ops.reduction.base import Sum
from weft_tensor.ops.reduction.cumulative import CumProd, CumSum
from weft_tensor.ops.reduction.extremes_so_far import CumMax, CumMin
from weft_tensor.ops.reduction.standard import All, Any_, Max, Min, Prod
from weft_tensor.ops.shape.broadcast_to import broadcast_to
from weft_tensor.ops.shape.length import inferred_shapes, lengths_of
from weft_tensor.ops.shape.reshape import expand_dims, squeeze
from weft_tensor.ops.shape.transpose import transpose
from weft_tensor.types.axes import as_axes

__all__ = ["expand", "expanded", "shape_by_kind"]

_REDUCTIONS: Final = {op.combine: op for op in (Sum, Prod, Max, Min, Any_, All)}
_SCATTERS: Final = ("set", "inc", "mul", "maximum", "minimum")
_SCANS: Final = {op.combine: op for op in (CumSum, CumProd, CumMax, CumMin)}


def expanded(graph: FunctionGraph, has_lowering: Callable[[TensorOp], bool]) -> FunctionGraph:
    """`graph` with the expansion of each Op that has one, unless `has_lowering` says otherwise.

    >>> import weft_tensor as wt
    >>> class Norm(wt.TensorOp):
    ...     def kind(self, x):
    ...         return wt.Reduction(None, "add", start=wt.square, finish=wt.sqrt)
    >>> x = wt.vector("x")
    >>> graph = expanded(FunctionGraph([x], [Norm()(x)]), lambda op: False)
    >>> [str(v.op) for v in graph.nodes]
    ['square', 'sum[0]', 'sqrt']
    """

    def is_open(op: TensorOp) -> bool:
        return _says(op) and not has_lowering(op)

    def opened(v: Any) -> Variable | None:
        return v.op.expanded(*v.inputs) if v.op in opening else None

    while True:
        made_of_others = {
            v.op for v in graph.nodes if isinstance(v.op, TensorOp) and not v.op.primitive
        }
        opening = set(filter(is_open, made_of_others))
        if not opening:
            return graph
        outputs = replace(graph.outputs, opened, graph.inputs)
        if tuple(outputs) == graph.outputs:  # what is left tells nothing of such inputs
            return graph
        graph = FunctionGraph(graph.inputs, outputs)


def _says(op: TensorOp) -> bool:
    """Whether the class of `op` says a kind, or an expansion."""
    own = type(op)
    return own.kind is not TensorOp.kind or own.expansion is not TensorOp.expansion


@singledispatch
def expand(kind: Any, op: Any, inputs: Sequence[Any]) -> Any:
    """What `op`, of this `kind`, gives for `inputs`, written with Ops that exist.

    Raises TypeError for what is no kind.
    """
    raise TypeError(f"{type(op).__name__}.kind gave {kind!r}, which no Op can be told by")


@singledispatch
def shape_by_kind(kind: Any, inputs: Sequence[Any], shapes: Sequence[Any]) -> Sequence[Any]:
    """The lengths of the result, from the `shapes` of the inputs.

    Raises ShapeUnknownError for a kind that does not tell.
    """
    raise ShapeUnknownError(f"{type(kind).__name__} does not say how long results are")


@expand.register
def _pointwise(kind: Pointwise, op: TensorOp, inputs: Sequence[Any]) -> TensorVariable:
    if isinstance(kind.of, str):
        return Elemwise(kind.of)(*inputs)
    if not kind.positions:
        result = as_tensor(kind.of(*inputs))
        return _spread(result, inputs, lambda: broadcast_dims(*map(lengths_of, inputs)))
    lengths = _lengths(op, inputs)
    places = _places(lengths)
    return _spread(as_tensor(kind.of(*inputs, *places)), (*inputs, *places), lambda: lengths)


@expand.register
def _reduction(kind: Reduction, op: TensorOp, inputs: Sequence[Any]) -> TensorVariable:
    if kind.combine not in _REDUCTIONS:
        raise ValueError(
            f"{op}: a reduction combines by a function that may be applied in any order, one of "
            f"{', '.join(_REDUCTIONS)}; not by {kind.combine!r}"
        )
    x = _begun(kind, op, inputs)
    reduce: Any = _REDUCTIONS[kind.combine]
    more = (True,) if kind.or_infinity else ()
    return _finished(kind, reduce(as_axes(kind.axis, x.ndim), *more)(x))


@expand.register
def _scan(kind: Scan, op: TensorOp, inputs: Sequence[Any]) -> TensorVariable:
    if kind.combine not in _SCANS:
        raise ValueError(f"{op}: a scan combines by {' or '.join(_SCANS)}, not {kind.combine!r}")
    x = _begun(kind, op, inputs)
    (axis,) = as_axes(kind.axis, x.ndim)
    return _finished(kind, _SCANS[kind.combine](axis)(x))


def _begun(kind: Reduction | Scan, op: TensorOp, inputs: Sequence[Any]) -> Any:
    """The elements to combine."""
    if kind.start is None:
        if len(inputs) != 1:
            raise TypeError(f"{op} combines elements of {len(inputs)} inputs: it needs a `start`")
        return inputs[0]
    return _pointwise(Pointwise(kind.start), op, inputs)


def _finished(kind: Reduction | Scan, result: Any) -> TensorVariable:
    return result if kind.finish is None else as_tensor(kind.finish(result))


@expand.register
def _view(kind: View, op: TensorOp, inputs: Sequence[Any]) -> TensorVariable:
    x, *lengths = inputs
    axes = [a for a in kind.axes if a is not None]
    others = tuple([a for a in range(x.ndim) if a not in axes])
    if len(set(axes)) < len(axes) or any(not 0 <= a < x.ndim for a in axes):
        raise ValueError(
            f"{op}: a view takes each axis of its input, of rank {x.ndim}, once at most, but its "
            f"kind says {kind.axes}: elements on a diagonal are a Gather"
        )
    order = [a - sum(g < a for g in others) for a in axes]
    new = tuple([a for a, own in enumerate(kind.axes) if own is None])
    result = expand_dims(transpose(squeeze(x, others), order), new)
    return broadcast_to(result, lengths) if kind.stretched else result


@expand.register
def _gather(kind: Gather, op: TensorOp, inputs: Sequence[Any]) -> TensorVariable:
    x, *others = inputs
    if not callable(kind.at):
        return Index(kind.at)(*inputs)
    return index(x, _indices(kind, op, x, others, _lengths(op, inputs)))


@expand.register
def _scatter(kind: Scatter, op: TensorOp, inputs: Sequence[Any]) -> TensorVariable:
    if kind.how not in _SCATTERS:
        raise ValueError(f"{op}: a scatter is by {', '.join(_SCATTERS)}, not by {kind.how!r}")
    x, y, *others = inputs
    if not callable(kind.at):
        return IndexUpdate(kind.at, kind.how)(*inputs)
    lengths = broadcast_dims(*map(lengths_of, (y, *others)))
    return updated(index(x, _indices(kind, op, x, others, lengths)), kind.how, y)


def _indices(
    kind: Any, op: TensorOp, table: Any, others: Sequence[Any], lengths: Sequence[Any]
) -> tuple[Any, ...]:
    """The index for each axis of the table, at each of the points that are so long."""
    places = _places(lengths)
    indices = kind.at(*others, *places)
    if not isinstance(indices, (tuple, list)) or len(indices) != table.ndim:
        raise TypeError(
            f"{op}: `at` must give one index for each of the {table.ndim} axes, not {indices!r}"
        )
    first, *rest = [as_tensor(i) for i in indices]
    ancestry = set(ancestors([first, *rest]))
    sources = [v for v in (*others, *places) if v not in ancestry]
    return (_spread(first, sources, lambda: lengths), *rest)


def _places(lengths: Sequence[Any]) -> list[TensorVariable]:
    """The index along each axis, at each point."""
    return [Iota(a)(*lengths) for a in range(len(lengths))]


def _spread(
    result: Any, sources: Iterable[Any], lengths: Callable[[], Sequence[Any]]
) -> TensorVariable:
    """`result`, repeated if it does not depend on all `sources`."""
    ancestry = set(ancestors([result]))
    missing = any(v not in ancestry and v.ndim for v in sources)
    return broadcast_to(result, lengths()) if missing else result


def _lengths(op: TensorOp, inputs: Sequence[Any]) -> Sequence[Any]:
    """The lengths of the result, as the Op says them."""
    name = type(op).__name__
    if type(op).defines_by_kind("infer_from"):
        raise TypeError(f"{name} must define `infer`: its kind does not tell the shape")
    node = op(*inputs)
    shapes = inferred_shapes(node)
    if shapes is not None:
        return shapes[0]
    lengths: Any = node.type.shape
    if all(isinstance(n, int) for n in lengths):
        return [as_tensor(n) for n in lengths]
    raise TypeError(f"{name} must define `infer_shape`: its kind does not tell the shape")


@shape_by_kind.register
def _pointwise_shape(kind: Pointwise, inputs: Sequence[Any], shapes: Sequence[Any]) -> Any:
    if kind.positions:
        return shape_by_kind.dispatch(object)(kind, inputs, shapes)
    return broadcast_dims(*shapes)


@shape_by_kind.register
def _reduction_shape(kind: Reduction, inputs: Sequence[Any], shapes: Sequence[Any]) -> Any:
    whole = _scan_shape(kind, inputs, shapes)
    axes = as_axes(kind.axis, len(whole))
    return tuple([n for a, n in enumerate(whole) if a not in axes])


@shape_by_kind.register(Scan)
def _scan_shape(kind: Scan | Reduction, inputs: Sequence[Any], shapes: Sequence[Any]) -> Any:
    return shapes[0] if len(shapes) == 1 else broadcast_dims(*shapes)


@shape_by_kind.register
def _view_shape(kind: View, inputs: Sequence[Any], shapes: Sequence[Any]) -> Any:
    return (
        tuple(inputs[1:])
        if kind.stretched
        else [1 if a is None else shapes[0][a] for a in kind.axes]
    )


@shape_by_kind.register
def _sum_over_shape(kind: SumOver, inputs: Sequence[Any], shapes: Sequence[Any]) -> Any:
    return tuple(inputs[1:])


@shape_by_kind.register
def _scatter_shape(kind: Scatter, inputs: Sequence[Any], shapes: Sequence[Any]) -> Any:
    return shapes[0]
