"""Axes in other orders, added, dropped, joined: chains of these become one step, or none."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from weft_graph import Each, Rule
from weft_rewrites.dsl.equation import equation, letter, others
from weft_tensor import (
    Cast,
    Elemwise,
    ExpandDims,
    Index,
    Matmul,
    Reshape,
    Squeeze,
    TensorVariable,
    Transpose,
)
from weft_tensor.extend import ARRAY, NEW, Slice, Stack, Tensors, has_lengths

__all__ = ["expanded", "new_axes", "rules", "squeezed", "through_new_axes"]


_SWAPPED: Final = Transpose((1, 0))


def expanded(x: TensorVariable, axes: list[int]) -> TensorVariable:
    """`x` with new axes at the places `axes`; itself if there are none."""
    return ExpandDims(tuple(sorted(axes)))(x) if axes else x


def squeezed(x: TensorVariable, axes: list[int]) -> TensorVariable:
    """`x` without the axes `axes`; itself if there are none."""
    return Squeeze(tuple(sorted(axes)))(x) if axes else x


def through_new_axes(
    dropped: tuple[int, ...], new: tuple[int, ...], ndim: int
) -> tuple[list[int], list[int]]:
    """Dropping axes after adding some, the other way round.

    Of a tensor with new axes at `new`, `ndim` in all, the axes `dropped` are dropped. The
    same comes of dropping the first list of axes and then adding the second.

    >>> through_new_axes((0, 2), (0, 3), 4)
    ([1], [1])
    """
    old = [a for a in range(ndim) if a not in new]
    kept = [a for a in range(ndim) if a not in dropped]
    return (
        [place for place, a in enumerate(old) if a in dropped],
        [place for place, a in enumerate(kept) if a in new],
    )


def _is_in_order(f: Transpose) -> bool:
    return f.axes == tuple(range(len(f.axes)))


def _added_again(f: ExpandDims, g: ExpandDims, x: TensorVariable) -> TensorVariable:
    """f(g(x)) in one step."""
    ndim = x.ndim + len(f.axis) + len(g.axis)
    places = [a for a in range(ndim) if a not in f.axis]
    return expanded(x, [*f.axis, *(places[a] for a in g.axis)])


def _dropped_again(f: Squeeze, g: Squeeze, x: TensorVariable) -> TensorVariable:
    """f(g(x)) in one step."""
    places = [a for a in range(x.ndim) if a not in g.axis]
    return squeezed(x, [*g.axis, *(places[a] for a in f.axis)])


def _dropped_first(f: Squeeze, g: ExpandDims, x: TensorVariable) -> TensorVariable:
    """f(g(x)), with the new axes last."""
    dropped, new = through_new_axes(f.axis, g.axis, x.ndim + len(g.axis))
    return expanded(squeezed(x, dropped), new)


def _with_new_axes(f: Index, x: TensorVariable, i: Tensors) -> TensorVariable:
    """x[:, None, 0] is x[:, 0] with a new axis."""
    axes = [e for e in f.entries if e == NEW or isinstance(e, Slice)]
    new = [place for place, e in enumerate(axes) if e == NEW]
    rest = tuple([e for e in f.entries if e != NEW])
    return expanded(x if _are_full(rest) else Index(rest)(x, *i), new)


def _is_behind(f: Index, g: ExpandDims) -> bool:
    """Whether all of the new axes, which are in front, is taken, and behind them places."""
    whole, rest = f.entries[: len(g.axis)], f.entries[len(g.axis) :]
    in_front = g.axis == tuple(range(len(g.axis))) and len(whole) == len(g.axis)
    return in_front and _are_full(whole) and {*rest} == {ARRAY} and not f.lifted


def _are_full(entries: Sequence[object]) -> bool:
    """Whether these take everything."""
    return all(isinstance(e, Slice) and e.is_full for e in entries)


def _is_element(f: Index) -> bool:
    """Whether it takes one element of the first axis, and everything of the others."""
    first, *rest = f.entries or (None,)
    return type(first) is int and _are_full(rest)


def _is_vector(x: TensorVariable) -> bool:
    return x.ndim == 1


def _are_numbers(x: TensorVariable, y: TensorVariable) -> bool:
    return not x.ndim and not y.ndim


x, y, A = letter("x"), letter("y"), letter("A")
n, gone, i, parts = others("n"), others("gone"), others("i"), others("parts")
_ADDS, _DROPS = Each(ExpandDims, "f"), Each(Squeeze, "f")
_NEW: Final = Each(ExpandDims, "g")


def _move(left: Any, right: Any, name: str, when: Callable[..., bool] | None = None) -> Rule:
    """Elements of any dtype, moved."""
    return equation(left, right, of=None, when=when, name=name)


new_axes: Final = _move(
    Each(Index, "f")(x, i),
    _with_new_axes,
    "new axes by indexing",
    lambda f: NEW in f.entries and ARRAY not in f.entries,
)
"""What others know as `expand_dims`."""

rules: tuple[Rule, ...] = (
    _move(Matmul()(_SWAPPED(A), x), Matmul()(x, A), "A.T @ x = x @ A for vectors x", _is_vector),
    _move(Matmul()(x, _SWAPPED(A)), Matmul()(A, x), "x @ A.T = A @ x for vectors x", _is_vector),
    _move(Each(Transpose, "f")(x), x, "transpose that keeps the order", _is_in_order),
    _move(
        Each(Transpose, "f")(Each(Transpose, "g")(x)),
        lambda f, g, x: x.transpose([g.axes[a] for a in f.axes]),
        "transpose of a transpose",
    ),
    _move(Each(Stack)(x), lambda x: expanded(x, [0]), "stack of one"),
    _move(_ADDS(x), x, "no new axes", lambda f: not f.axis),
    _move(_ADDS(Each(ExpandDims, "g")(x)), _added_again, "expand_dims of expand_dims"),
    _move(
        _ADDS(Each(Squeeze, "g")(x)),
        x,
        "expand_dims of squeeze",
        lambda f, g, x: f.axis == g.axis and all(x.type.shape[a] == 1 for a in g.axis),
    ),
    _move(_DROPS(x), x, "no axes to squeeze", lambda f: not f.axis),
    _move(_DROPS(Each(Squeeze, "g")(x)), _dropped_again, "squeeze of squeeze"),
    _move(_DROPS(Each(ExpandDims, "g")(x)), _dropped_first, "squeeze of expand_dims"),
    _move(Reshape()(x, n), x, "reshape to the same shape", lambda x, n: has_lengths(x, n)),
    _move(Reshape()(Reshape()(x, gone), n), Reshape()(x, n), "reshape of reshape"),
    _move(Reshape()(Each(ExpandDims)(x), n), Reshape()(x, n), "reshape of expand_dims"),
    _move(Reshape()(Each(Squeeze)(x), n), Reshape()(x, n), "reshape of squeeze"),
    _move(
        Each(Index, "f")(x),
        x,
        "index that takes everything",
        lambda f: _are_full(f.entries),
    ),
    new_axes,
    _move(
        Each(Index, "f")(Each(Stack)(parts)),
        lambda node, f, parts: parts[f.entries[0]].astype(node.dtype),
        "element of a stack",
        _is_element,
    ),
    _move(
        Each(Index, "f")(Each(ExpandDims, "g")(x), i),
        lambda f, g, x, i: g(Index(f.entries[len(g.axis) :])(x, *i)),
        "places behind new axes",
        _is_behind,
    ),
    *(
        _move(
            Each(kind, "f")(Each(ExpandDims, "g")(x)),
            Each(ExpandDims, "g")(Each(kind, "f")(x)),
            f"{name} of expand_dims",
        )
        for kind, name in ((Elemwise, "function"), (Cast, "cast"))
    ),
    _move(
        Each(Elemwise, "f")(Each(ExpandDims, "g")(x), Each(ExpandDims, "g")(y)),
        Each(ExpandDims, "g")(Each(Elemwise, "f")(x, y)),
        "function of two with the same new axes",
        lambda x, y: x.ndim == y.ndim,
    ),
    _move(
        Each(Elemwise, "f")(_NEW(x), y),
        _NEW(Each(Elemwise, "f")(x, y)),
        "function of a number with new axes and a number",
        _are_numbers,
    ),
    _move(
        Each(Elemwise, "f")(x, _NEW(y)),
        _NEW(Each(Elemwise, "f")(x, y)),
        "function of a number and a number with new axes",
        _are_numbers,
    ),
)
"""All of them."""
