"""Reads and writes of parts of arrays."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from pytensor.graph.op import Op

import weft_tensor as wt
from weft_pytensor.convert.table import register_names
from weft_tensor import TensorVariable


def _entry(form: object, rest: Iterator[TensorVariable]) -> object:
    """One entry of an index: a slice of what is next, or what is next itself."""
    if isinstance(form, slice):
        parts = (form.start, form.stop, form.step)
        return slice(*[None if part is None else next(rest) for part in parts])
    return None if form is None else next(rest)


def _index(op: Op, flat: Sequence[TensorVariable]) -> tuple[Any, ...]:
    forms = getattr(op, "idx_list", None)
    if not forms:
        return tuple(flat)
    rest = iter(flat)
    return tuple([_entry(form, rest) for form in forms])


@register_names("Subtensor", "AdvancedSubtensor", "AdvancedSubtensor1")
def subtensor(op: Op, x: TensorVariable, *flat: TensorVariable) -> TensorVariable:
    """A part of an array."""
    return x[_index(op, flat)]


@register_names("IncSubtensor", "AdvancedIncSubtensor", "AdvancedIncSubtensor1")
def with_subtensor(
    op: Op, x: TensorVariable, y: TensorVariable, *flat: TensorVariable
) -> TensorVariable:
    """An array with other elements in one part of it, or with more added to them."""
    part, y = x[_index(op, flat)], y.astype(x.dtype)
    if op.set_instead_of_inc:
        return wt.set_subtensor(part, y)
    if getattr(op, "ignore_duplicates", False):
        return wt.set_subtensor(part, part + y)
    return wt.inc_subtensor(part, y)


@register_names("MakeSlice")
def make_slice(op: Op, *parts: TensorVariable) -> slice:
    """A slice, which Weft keeps in the index."""
    return slice(*parts)


@register_names("Nonzero")
def nonzero(op: Op, x: TensorVariable) -> tuple[TensorVariable, ...]:
    """Where an array is not zero."""
    return wt.nonzero(x)


@register_names("MakeList")
def make_list(op: Op, *items: TensorVariable) -> list[tuple[TensorVariable, ...]]:
    """A list, of which an element may be chosen."""
    return [items]


@register_names("Choose")
def choose(
    op: Op, a: TensorVariable, choices: TensorVariable | tuple[TensorVariable, ...]
) -> TensorVariable:
    """Elements of several arrays."""
    return wt.choose(a, choices, op.mode)
