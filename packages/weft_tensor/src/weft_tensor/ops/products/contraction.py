"""Products of two tensors whose axes have labels, added up over some of them."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence
from functools import reduce as fold
from operator import and_
from typing import Any, NamedTuple

from weft_tensor.build.variable import Size, TensorVariable
from weft_tensor.ops.control.effects import check_and_raise
from weft_tensor.ops.elementwise.comparison import eq
from weft_tensor.ops.linalg.matmul import matmul
from weft_tensor.ops.reduction.standard import sum
from weft_tensor.ops.shape.length import lengths_of, same_size
from weft_tensor.ops.shape.reshape import expand_dims, reshape, squeeze
from weft_tensor.ops.shape.transpose import transpose

__all__ = ["Labels", "Term", "contracted", "in_order", "without"]

Labels = tuple[Hashable, ...]


class Term(NamedTuple):
    """A tensor, and a label for each of its axes."""

    x: Any
    labels: Labels


def without(term: Term, kept: Collection[Hashable]) -> Term:
    """The sums over the axes whose labels are not among `kept`.

    >>> from weft_tensor import as_tensor
    >>> without(Term(as_tensor([[1, 2], [3, 4]]), ("i", "j")), {"j"}).x.eval()
    array([4, 6])
    """
    x, labels = term
    axes = [axis for axis, label in enumerate(labels) if label not in kept]
    if not axes:
        return term
    return Term(sum(x, axes).astype(x.dtype), tuple([n for n in labels if n in kept]))


def in_order(term: Term, labels: Sequence[Hashable]) -> TensorVariable:
    """The tensor with its axes in the order of `labels`."""
    return transpose(term.x, [term.labels.index(label) for label in labels])


def contracted(a: Term, b: Term, kept: Collection[Hashable]) -> Term:
    """The products of two tensors of one dtype, added up over labels of both that are not kept.

    One matrix product, of stacks for labels of both that are kept; or a product of numbers,
    which is fused with the sum. Labels of one alone must be kept.

    >>> from weft_tensor import as_tensor
    >>> rows = Term(as_tensor([[1, 2], [3, 4]]), ("i", "j"))
    >>> contracted(rows, rows, {"i"}).x.eval()
    array([ 5, 25])
    """
    shared = [n for n in a.labels if n in b.labels]
    stack = [n for n in shared if n in kept]
    inner = [n for n in shared if n not in kept]
    left = [n for n in a.labels if n not in b.labels]
    right = [n for n in b.labels if n not in a.labels]
    if not inner or (stack and not left and not right):
        labels = [*stack, *left, *right, *inner]
        products = Term(_spread(a, labels) * _spread(b, labels), tuple(labels))
        return without(products, kept)
    if len(inner) > 1:
        a = _of_lengths(a, b, inner)
    x = _grouped(a, stack, [left, inner], bool(stack))
    y = _grouped(b, stack, [inner, right], bool(stack))
    labels = [*stack, *left, *right]
    product = matmul(x, y)
    if stack and not (left and right):
        return Term(squeeze(product, -1 if left else -2), tuple(labels))
    lengths = dict(zip((*a.labels, *b.labels), (*lengths_of(a.x), *lengths_of(b.x)), strict=True))
    if max(len(left), len(right)) > 1:
        ends = [lengths[n] for n in (*left, *right)]
        product = reshape(product, [*lengths_of(product)[: len(stack)], *ends])
    return Term(product, tuple(labels))


def _of_lengths(a: Term, b: Term, labels: Sequence[Hashable]) -> Term:
    """The first, if all `labels` have one length in both: their product may agree by chance."""
    pairs = []
    for label in labels:
        n, m = (lengths_of(t.x)[t.labels.index(label)] for t in (a, b))
        pairs += [] if same_size(n, m) else [eq(n, m)]
    if not pairs:
        return a
    message = f"axes of {a.x!r} and {b.x!r} that are added up together differ in length"
    return Term(check_and_raise(a.x, fold(and_, pairs), ValueError, message), a.labels)


def _spread(term: Term, labels: Sequence[Hashable]) -> TensorVariable:
    """The tensor with an axis for each of `labels`, of length 1 where it has none."""
    x = in_order(term, [n for n in labels if n in term.labels])
    absent = [axis for axis, n in enumerate(labels) if n not in term.labels]
    return expand_dims(x, absent) if absent else x


def _grouped(
    term: Term, stack: list[Any], groups: list[list[Any]], matrices: bool
) -> TensorVariable:
    """The tensor as a stack with one axis for each group; without labels, only in `matrices`."""
    x = in_order(term, [*stack, *groups[0], *groups[1]])
    groups = groups if matrices else [g for g in groups if g]
    if any(len(g) > 1 for g in groups):
        lengths = dict(zip(term.labels, lengths_of(term.x), strict=True))
        sizes = [_product([lengths[n] for n in g]) for g in groups]
        return reshape(x, [*(lengths[n] for n in stack), *sizes])
    empty = [len(stack) + k for k, g in enumerate(groups) if not g]
    return expand_dims(x, empty) if empty else x


def _product(lengths: Sequence[Any]) -> Size:
    result: Any = 1
    for length in lengths:
        result = length if isinstance(result, int) else result * length
    return result
