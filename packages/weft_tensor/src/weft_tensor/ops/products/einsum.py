"""Sums of products, written with a letter for each axis."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.products.contraction import Labels, Term, contracted, in_order, without
from weft_tensor.ops.products.einsum_labels import labelled, lengths_by_label
from weft_tensor.types.dtypes import promote

__all__ = ["einsum"]

_TYPICAL: Final = 64
"""The length that each axis of unknown length is taken for when the order is chosen."""

_FEW: Final = 5
"""Of how many operands all orders are compared."""

_MOST_LABELS: Final = 52
"""How many labels `numpy.einsum_path` takes."""


def einsum(
    subscripts: Any, *operands: Any, dtype: Any = None, optimize: Any = True
) -> TensorVariable:
    """Products of tensors, added up over the axes that the result has not. See `numpy.einsum`.

    `subscripts` have a letter for each axis of each operand, as in "ij,jk->ik", and `...` for
    axes that are broadcast; or a list of labels follows each operand. Pairs are multiplied in
    the cheapest order, axes of unknown length taken as equally long; `optimize` may be a path
    as `numpy.einsum_path` gives it, or False: from left to right. Each product of a pair is a
    matrix product, or fused with its sum.

    Raises ValueError, where it is written, if the lengths of an axis are known to differ. An axis
    of length 1 is repeated, as in NumPy, if that length is known, or if `...` stands for it.

    >>> einsum("ij,kj->ik", [[1, 2], [3, 4]], [[1, 1]]).eval()
    array([[3],
           [7]])
    >>> einsum("ii", [[1, 2], [3, 4]]).eval()
    array(5)
    """
    terms, result = labelled([subscripts, *operands])
    kind = promote([term.x.dtype for term in terms]) if dtype is None else dtype
    terms = [Term(term.x.astype(kind), term.labels) for term in terms]
    for places in _path(terms, result, optimize):
        pair = [terms[k] for k in places]
        terms = [term for k, term in enumerate(terms) if k not in places]
        terms.append(_multiplied(pair, {*result, *(n for _, labels in terms for n in labels)}))
    return in_order(terms[0], result)


def _multiplied(terms: Sequence[Term], labels_left: set[Any]) -> Term:
    """The product of all, two by two."""
    product, *others = terms
    for k, other in enumerate(others):
        later = {n for _, labels in others[k + 1 :] for n in labels} | labels_left
        product = without(product, {*other.labels, *later})
        other = without(other, {*product.labels, *later})
        product = contracted(product, other, later)
    return without(product, labels_left)


def _path(terms: Sequence[Term], result: Labels, optimize: Any) -> Sequence[Sequence[int]]:
    """Which operands are multiplied with each other in each step; products go to the end."""
    lengths = lengths_by_label(terms)
    everything = [tuple(range(len(terms)))]
    if isinstance(optimize, (list, tuple)) and optimize and optimize[0] == "einsum_path":
        return _checked(list(optimize[1:]), len(terms))
    if optimize is False or len(terms) < 3 or len(lengths) > _MOST_LABELS:
        return everything
    if optimize is True:
        optimize = "optimal" if len(terms) <= _FEW else "greedy"
    numbers = {label: k for k, label in enumerate(lengths)}
    nothing = np.empty(())
    arguments: list[Any] = []
    for _, labels in terms:
        sizes = [n if isinstance(n := lengths[label], int) else _TYPICAL for label in labels]
        arguments += [np.broadcast_to(nothing, sizes), [numbers[label] for label in labels]]
    arguments.append([numbers[label] for label in result])
    path, _ = np.einsum_path(*arguments, optimize=optimize)
    return path[1:]


def _checked(path: list[Any], count: int) -> list[Any]:
    left = count
    for places in path:
        if len(set(places)) != len(places) or not set(places) <= set(range(left)):
            raise ValueError(f"einsum: {places} of the path are not among {left} operands")
        left -= len(places) - 1
    if left != 1:
        raise ValueError(f"einsum: the path {path} leaves {left} of {count} operands")
    return path
