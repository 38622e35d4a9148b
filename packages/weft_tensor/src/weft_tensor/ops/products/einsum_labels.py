"""What the subscripts of einsum say: a label for each axis."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from weft_tensor.build.convert import as_tensor
from weft_tensor.ops.control.effects import check_and_raise
from weft_tensor.ops.creation.diagonals import diagonal
from weft_tensor.ops.elementwise.comparison import eq
from weft_tensor.ops.products.contraction import Labels, Term
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.shape.reshape import squeeze
from weft_tensor.types.symbolic_dims import Length, provably_differ

__all__ = ["labelled", "lengths_by_label"]


def labelled(arguments: Sequence[Any]) -> tuple[list[Term], Labels]:
    """The operands of einsum with labels for their axes, each at most once; those of the result.

    >>> terms, result = labelled(["ij,jk", [[1, 2]], [[3], [4]]])
    >>> [term.labels for term in terms], result
    ([('i', 'j'), ('j', 'k')], ('i', 'k'))
    """
    labels_of, target, operands = _read(arguments)
    tensors = [as_tensor(x) for x in operands]
    dots = [_hidden(labels, x) for labels, x in zip(labels_of, tensors, strict=True)]
    most = max(dots)
    label_lists = [_filled(labels, n) for labels, n in zip(labels_of, dots, strict=True)]
    if target is None:
        counts = Counter([n for labels in labels_of for n in labels if n is not Ellipsis])
        target = [Ellipsis, *sorted(n for n, count in counts.items() if count == 1)]
    elif most and Ellipsis not in target:
        raise ValueError("einsum: the result needs ... for the axes that ... stands for")
    result = _filled(target, most)
    all_labels = {n for labels in label_lists for n in labels}
    for label, count in Counter(result).items():
        if label not in all_labels:
            raise ValueError(f"einsum: no operand has the axis {label!r} of the result")
        if count > 1:
            raise ValueError(f"einsum: the result has the axis {label!r} more than once")
    terms = [_once(Term(x, labels)) for x, labels in zip(tensors, label_lists, strict=True)]
    return _repeated(terms), result


def _read(arguments: Sequence[Any]) -> tuple[list[list[Any]], list[Any] | None, list[Any]]:
    """Labels of each operand, those of the result if they are written, and the operands."""
    if not arguments:
        raise ValueError("einsum takes subscripts and at least one operand")
    text, *operands = arguments
    if isinstance(text, str):
        before, arrow, after = text.replace(" ", "").partition("->")
        labels_of = [_letters(part, text) for part in before.split(",")]
        target = _letters(after, text) if arrow else None
    else:
        operands = list(arguments[: len(arguments) // 2 * 2 : 2])
        labels_of = [list(labels) for labels in arguments[1::2]]
        target = list(arguments[-1]) if len(arguments) % 2 else None
    if not operands or len(operands) != len(labels_of):
        raise ValueError(f"einsum: {text!r} is for {len(labels_of)} operands, not {len(operands)}")
    for labels in (*labels_of, target or []):
        if labels.count(Ellipsis) > 1:
            raise ValueError(f"einsum: ... stands for the axes of an operand once, in {text!r}")
    return labels_of, target, operands


def _letters(part: str, text: str) -> list[Any]:
    labels: list[Any] = []
    before, dots, after = part.partition("...")
    labels = [*before, *([Ellipsis] if dots else []), *after]
    for label in labels:
        if label is not Ellipsis and not (label.isascii() and label.isalpha()):
            raise ValueError(f"einsum: {label!r} in {text!r} is no letter, comma, ... or ->")
    return labels


def _hidden(labels: list[Any], x: Any) -> int:
    """How many axes of `x` the dots stand for."""
    rest: int = x.ndim - len(labels) + (Ellipsis in labels)
    if rest < 0 or (rest and Ellipsis not in labels):
        text = "".join("..." if n is Ellipsis else str(n) for n in labels)
        raise ValueError(f"einsum: {text!r} has another number of axes than {x!r}")
    return rest


def _filled(labels: list[Any], count: int) -> Labels:
    """`labels` with those of `count` axes, numbered from the last, in place of the dots."""
    hidden = [("...", k) for k in range(count, 0, -1)]
    return tuple([n for label in labels for n in (hidden if label is Ellipsis else [label])])


def _once(term: Term) -> Term:
    """The diagonals of axes with one label."""
    x, labels = term
    for label, count in Counter(labels).items():
        for _ in range(count - 1):
            one = labels.index(label)
            two = labels.index(label, one + 1)
            n, m = x.type.shape[one], x.type.shape[two]
            message = f"einsum: the axes {label!r} of {x!r} must be of one length"
            if _differ(n, m):
                raise ValueError(message)
            if n is None or n != m:
                lengths = lengths_of(x)
                x = check_and_raise(x, eq(lengths[one], lengths[two]), ValueError, message)
            x = diagonal(x, 0, one, two)
            labels = (*(n for k, n in enumerate(labels) if k not in (one, two)), label)
    return Term(x, labels)


def _differ(a: Length, b: Length) -> bool:
    return provably_differ(a, b) and type(a) is type(b)


def lengths_by_label(terms: Sequence[Term]) -> dict[Any, Length]:
    """What is known of the length of each label; ValueError where two lengths differ."""
    lengths: dict[Any, tuple[Length, Any]] = {}
    for x, labels in terms:
        for label, length in zip(labels, x.type.shape, strict=True):
            other, y = lengths.get(label, (None, x))
            is_dots = isinstance(label, tuple)
            if _differ(length, other) and not (is_dots and 1 in (length, other)):
                name = "..." if is_dots else label
                raise ValueError(
                    f"einsum: axis {name!r} has length {other} in {y!r}, and {length} in {x!r}"
                )
            if other is None or not isinstance(other, int) or other == 1:
                lengths[label] = (other if length is None else length, x)
    return {label: length for label, (length, _) in lengths.items()}


def _repeated(terms: list[Term]) -> list[Term]:
    """The terms without axes of length 1 that others have longer: as NumPy repeats them."""
    longer = {
        label
        for x, labels in terms
        for label, n in zip(labels, x.type.shape, strict=True)
        if n != 1 and not isinstance(label, tuple)
    }
    result = []
    for x, labels in terms:
        pairs = enumerate(zip(labels, x.type.shape, strict=True))
        axes = [axis for axis, (label, n) in pairs if n == 1 and label in longer]
        rest = tuple([label for axis, label in enumerate(labels) if axis not in axes])
        result.append(Term(squeeze(x, axes) if axes else x, rest))
    return result
