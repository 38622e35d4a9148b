"""Reductions of windows from those of windows half as long; weighted sums as convolutions.

Their derivatives are taken of that, so that they, too, take steps that grow with log2(size).
"""

from __future__ import annotations

from functools import partial
from math import prod
from typing import Any, Final, NamedTuple

from weft_graph import FunctionGraph, Rule, inline, rule
from weft_rewrites.ops.linalg.identity import are_equal
from weft_rewrites.ops.reduction.reductions import over
from weft_tensor import (
    All,
    Any_,
    Arange,
    Cast,
    Conv,
    Elemwise,
    Index,
    Matmul,
    Max,
    Min,
    Sum,
    TensorVariable,
    Transpose,
    broadcast_to,
    check_and_raise,
    constant,
    logical_and,
    logical_or,
    maximum,
    minimum,
    moveaxis,
    reshape,
)
from weft_tensor.extend import (
    ARRAY,
    AxisReduction,
    Slice,
    deviations_of_windows,
    extremes_of_windows,
    lengths_of,
    static_length,
    sums_of_windows,
    windows_of,
)

__all__ = ["rules", "sums"]

_BY: Final[dict[type, Any]] = {
    Sum: sums_of_windows,
    Max: partial(extremes_of_windows, maximum),
    Min: partial(extremes_of_windows, minimum),
    Any_: partial(extremes_of_windows, logical_or),
    All: partial(extremes_of_windows, logical_and),
}
_LEAST: Final = 8
"""Shorter windows are read one after the other."""
_DEEPEST: Final = 8
"""So many functions of each element are computed before windows are."""
_NEAREST: Final = 16
"""Among so many of what is reduced there must be an index, or it is not looked for."""
_BETWEEN: Final = (Index, Transpose, Elemwise, Cast)
_SQUARE: Final = Elemwise("square")
_TIMES: Final = Elemwise("mul")
_MINUS: Final = Elemwise("sub")
_WHOLE: Final = Slice(None, None, None)


class _Windows(NamedTuple):
    """What has the elements of `x`, each as often as windows have it.

    Along its axis k goes axis `axes[k]` of x, or, where that is negative, what is inside the
    windows of axis ~axes[k] of x. By axis of x, `number` says how many windows there are, `size`
    how long they are.
    """

    x: TensorVariable
    axes: tuple[int, ...]
    number: dict[int, TensorVariable]
    size: dict[int, TensorVariable]

    def sizes(self) -> dict[int, Any]:
        """By axis of `x`, how long windows are, as far as that is a number."""
        return {a: static_length(n) for a, n in self.size.items()}

    def inside(self) -> set[int]:
        """The axes inside windows."""
        return {k for k, a in enumerate(self.axes) if a < 0}

    def checked(self) -> TensorVariable:
        """`x`, that windows end within."""
        x = self.x
        for a, number in self.number.items():
            fits = number <= maximum(lengths_of(x)[a] - self.size[a] + 1, 0)
            message = "windows end beyond the end of the tensor"
            x = check_and_raise(x, fits, IndexError, message)
        return x

    def first(self, v: TensorVariable) -> TensorVariable:
        """Of a value for each window that may be, those that there are."""
        numbers = [self.number.get(a) for a in range(self.x.ndim)]
        return v[tuple([slice(0, n) for n in numbers])]

    def laid(self, v: TensorVariable) -> TensorVariable:
        """`v` of length 1 inside windows, along the axes of `x`."""
        outside = v[tuple([0 if a < 0 else slice(None) for a in self.axes])]
        axes = [a for a in self.axes if a >= 0]
        return outside.transpose([axes.index(a) for a in range(self.x.ndim)])

    def rest(self, f: AxisReduction, v: TensorVariable) -> TensorVariable:
        """`f` of what it makes of each window, laid out as its result."""
        others = [self.axes[k] for k in f.axis if self.axes[k] >= 0]
        kept = [a for k, a in enumerate(self.axes) if k not in f.axis]
        result = over(f, others)(v) if others else v
        return result.transpose([sorted(kept).index(a) for a in kept])


_Centred = tuple[_Windows, TensorVariable | None]
"""Windows, and what is subtracted from each."""


def _read(v: Any, deepest: int = _DEEPEST) -> _Windows | None:
    """Of which tensor `v` is windows, with functions of each element before them."""
    op = v.op
    if type(op) is Index:
        return _slid(v)
    if type(op) is Transpose:
        below = _read(v.inputs[0], deepest)
        return below and below._replace(axes=tuple([below.axes[a] for a in op.axes]))
    if type(op) not in (Elemwise, Cast) or not deepest:
        return None
    first, inputs = None, list[Any]()
    for i in v.inputs:
        part = _read(i, deepest - 1) if i.ndim else None
        if (part is None and i.ndim) or (first and part and not _alike(first, part)):
            return None
        first = first or part
        inputs.append(part.x if part else i)
    return first and first._replace(x=op(*inputs))


def _slid(v: Any) -> _Windows | None:
    entries = v.op.entries
    if [e for e in entries if e != _WHOLE] != [ARRAY]:
        return None
    x, places = v.inputs
    lengths = windows_of(places)
    if lengths is None:
        return None
    axis = entries.index(ARRAY)
    below = _read(x) or _Windows(x, tuple(range(x.ndim)), {}, {})
    a = below.axes[axis]
    if a < 0 or a in below.size:
        below, a = _Windows(x, tuple(range(x.ndim)), {}, {}), axis
    axes = (*below.axes[:axis], a, ~a, *below.axes[axis + 1 :])
    number, size = lengths
    return _Windows(below.x, axes, {**below.number, a: number}, {**below.size, a: size})


def _alike(v: _Windows, w: _Windows) -> bool:
    """Whether both have the same windows, of tensors of one shape."""
    if v.axes != w.axes or v.size.keys() != w.size.keys():
        return False
    pairs = [*zip(lengths_of(v.x), lengths_of(w.x), strict=True)]
    pairs += [(of_v[a], of_w[a]) for of_v, of_w in zip(v[2:], w[2:], strict=True) for a in of_v]
    return all(n is m or are_equal(n, m) for n, m in pairs)


def _wholly(f: AxisReduction, w: _Windows) -> bool:
    """Whether `f` reduces windows wholly, which are long enough and of known lengths."""
    sizes = w.sizes().values()
    return w.inside() <= {*f.axis} and all(isinstance(n, int) for n in sizes) and _long(sizes)


def _long(sizes: Any) -> bool:
    return prod([n for n in sizes if isinstance(n, int)]) >= _LEAST or not all(
        isinstance(n, int) for n in sizes
    )


def _reduced(node: TensorVariable) -> TensorVariable | None:
    f: Any = node.op
    if type(f) not in _BY:
        return None
    v: Any = node.inputs[0]
    w = _read(v)
    if w is None:
        return _of_products(f, v) if type(f) is Sum else None
    if not _wholly(f, w) or (type(f) in (Max, Min) and node.is_complex):
        return None
    x = w.checked().astype(node.dtype)
    plain = [a for k in f.axis if (a := w.axes[k]) >= 0 and a not in w.size]
    if plain:
        x = over(f, plain)(x).expand_dims(plain)
    for a, size in w.sizes().items():
        x = _BY[type(f)](x, a, size)
    return w.rest(f, w.first(x))


def _of_products(f: Sum, v: Any) -> TensorVariable | None:
    """Sums of products of windows less something for each window, or with weights."""
    if v.op is _SQUARE:
        factors = [v.inputs[0]] * 2
    elif v.op is _TIMES:
        factors = list(v.inputs)
    else:
        return None
    if not v.dtype.startswith("float") or any(i.dtype != v.dtype for i in factors):
        return None
    a, b = map(_centred, factors)
    if a and b:
        return _deviations(f, a, b)
    for window, weights in (factors, factors[::-1]):
        w = _read(window)
        if w is not None:
            return _convolved(f, w, weights)
    return None


def _centred(v: Any) -> _Centred | None:
    """Windows, and what is subtracted from each, if `v` is that."""
    w, less = _read(v), None
    if w is None and v.op is _MINUS:
        w, less = _read(v.inputs[0]), v.inputs[1]
        if w and (less.ndim != v.ndim or any(less.type.shape[k] != 1 for k in w.inside())):
            return None
    return w and (w, less)


def _deviations(f: Sum, left: _Centred, right: _Centred) -> TensorVariable | None:
    """Sums of products of what both are more, from deviations from the windows' means.

    The sum of (x - r) (y - s) is that of deviations from both means, and n times the product of
    (mean of x - r) and (mean of y - s), which rounds where r and s are these means.
    """
    w = left[0]
    if not _wholly(f, w) or not _alike(w, right[0]):
        return None
    both = [left] if left == right else [left, right]
    sizes = w.sizes()
    firsts, more, products = deviations_of_windows([v.checked() for v, _ in both], sizes)
    apart = [
        (w.first(first) - (0 if less is None else w.laid(less))) + w.first(m)
        for first, m, (_, less) in zip(firsts, more, both, strict=True)
    ]
    return w.rest(f, w.first(products) + apart[0] * apart[-1] * prod(sizes.values()))


def _convolved(f: Sum, w: _Windows, weights: TensorVariable) -> TensorVariable | None:
    """Sums of windows times weights for each place inside them, as a convolution."""
    sizes, spaces = w.sizes(), sorted(w.size)
    missing = len(w.axes) - weights.ndim
    lengths = dict(zip(w.axes[missing:], weights.type.shape, strict=True))
    if any(a >= 0 and n != 1 for a, n in lengths.items()) or not w.inside() <= {*f.axis}:
        return None
    own = dict(zip(w.axes[missing:], lengths_of(weights), strict=True))
    for a, size in w.size.items():
        if sizes[a] in (None, 1) and not (~a in own and are_equal(size, own[~a])):
            return None
    if not _long(sizes.values()):
        return None
    within = weights[tuple([slice(None) if a < 0 else 0 for a in w.axes[missing:]])]
    order = [~a for a in w.axes[missing:] if a < 0]
    kernel = broadcast_to(
        within.transpose(sorted(range(len(order)), key=order.__getitem__)).expand_dims(
            [k for k, a in enumerate(spaces) if a not in order]
        ),
        [w.size[a] for a in spaces],
    )
    ones, last = (1,) * len(spaces), range(-len(spaces), 0)
    x = moveaxis(w.checked(), spaces, last)
    lanes, space = lengths_of(x)[: -len(spaces)], lengths_of(x)[-len(spaces) :]
    numbers = [w.number[a] for a in spaces]
    sums = Conv(ones, ones, ones)(
        reshape(x, (prod(lanes), 1, *space)),
        kernel.expand_dims((0, 1)),
        *[constant(0)] * len(spaces),
        *numbers,
    )
    return w.rest(f, moveaxis(reshape(sums, (*lanes, *numbers)), last, spaces))


_CONTRACT: Final[dict[str, Any]] = {"may_change": ("rounding", "overflow", "nan", "inf")}


@rule(Matmul, over=_BETWEEN, needs=Arange, name="windows times a vector", **_CONTRACT)
def _product(node: TensorVariable) -> TensorVariable | None:
    window, weights = node.inputs
    if weights.ndim != 1 or not node.dtype.startswith("float") or window.dtype != weights.dtype:
        return None
    w = _read(window)
    return w and _convolved(Sum((window.ndim - 1,)), w, weights)


@rule(AxisReduction, over=_BETWEEN, needs=Arange, name="reduction of windows", **_CONTRACT)
def _inlined(node: TensorVariable) -> Any:
    near = [node.inputs[0]]
    for v in near:
        if type(v.op) is Index and ARRAY in v.op.entries:
            result = _reduced(node)
            return None if result is None else inline(FunctionGraph(outputs=[result])).outputs[0]
        if len(near) < _NEAREST:
            near += [i for i in v.inputs if type(i.op) in _BETWEEN and i.type.shape]
    return None


sums: tuple[Rule, ...] = (
    rule(Sum, over=_BETWEEN, needs=Arange, name="sum of windows", **_CONTRACT)(_reduced),
    _product,
)
"""What derivatives are taken of."""
rules: tuple[Rule, ...] = (_inlined, _product)
"""All of them."""
