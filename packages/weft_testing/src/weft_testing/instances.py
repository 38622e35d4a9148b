"""A rule's left side over tensors of many dtypes and shapes: its instances."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import Any, Final, NamedTuple

import numpy as np

from weft_graph import Constant, Input, Rule, Variable, constant, graph_inputs, toposort
from weft_graph.extend import filled, wildcards_of
from weft_tensor import Elemwise, TensorType, TensorVariable, exp
from weft_tensor import abs as wt_abs
from weft_testing.drawing import Arrays, grid

__all__ = ["DTYPES", "Instance", "applied", "at_shapes", "on_grids", "same_at"]

DTYPES: Final = ("float32", "float64", "int64", "uint8", "bool", "complex128")
"""What wildcards are tried with, in this order."""


class _Form(NamedTuple):
    """What a wildcard stands for: a function of an input, also as NumPy has it."""

    symbolic: Callable[[TensorVariable], TensorVariable]
    numeric: Callable[[np.ndarray], np.ndarray]


_FORMS: Final = (
    _Form(lambda x: x, lambda x: x),
    _Form(wt_abs, np.abs),
    _Form(exp, np.exp),
)
"""What wildcards are tried with, the plain input first: a rule may ask for facts."""

Shape = tuple[int | str | None, ...]
_SHAPES: Final[Sequence[tuple[Shape, Shape]]] = (
    ((), ()),
    (("n",), ("n",)),
    ((None,), ()),
    ((), (None,)),
    ((1,), (3,)),
    ((0,), (1,)),
    ((2, 1), (1, 3)),
    ((None,), (2, None)),
    ((None, 0), (None,)),
)
"""For wildcards in turn: scalars, equal shapes, lengths of 0 and 1, one broadcast to the other."""


class Instance(NamedTuple):
    """A left side, the inputs that it is over with their values, and those of all wildcards."""

    node: Variable
    inputs: list[Variable]
    values: list[np.ndarray]
    bound: list[np.ndarray]
    forms: tuple[_Form, ...]


def on_grids(r: Rule, numbers: Sequence[float] = ()) -> Iterator[Instance]:
    """For each dtype and form that the rule applies to: all combinations of values.

    With `numbers`, those are the values.
    """
    for dtype in DTYPES:
        values = grid(dtype, len(_wildcards(r)), numbers)
        for forms in product(_FORMS, repeat=len(values)):
            types = [TensorType(dtype, [None if n > 1 else n for n in v.shape]) for v in values]
            instance = _instance(r, types, values, forms)
            if instance is not None:
                yield instance
                if all(form is _FORMS[0] for form in forms):
                    break


def same_at(
    r: Rule, dtype: str, instance: Instance, numbers: Sequence[float] = ()
) -> Instance | None:
    """`instance` with the same values in another dtype."""
    arrays = grid(str(instance.bound[0].dtype), len(_wildcards(r)), numbers)
    values = [v.astype(dtype) for v in arrays]
    types = [TensorType(dtype, [None if n > 1 else n for n in v.shape]) for v in values]
    return _written(r, types, values, instance.forms)


def at_shapes(r: Rule, instance: Instance) -> Iterator[Instance]:
    """`instance` at many shapes, lengths known, named and unknown."""
    dtype = str(instance.bound[0].dtype)
    number = len(_wildcards(r))
    for shapes in _SHAPES:
        for length in (1, 3):
            types = [TensorType(dtype, shapes[i % 2]) for i in range(number)]
            values = [
                np.ones([n if isinstance(n, int) else length for n in kind.shape], dtype)
                for kind in types
            ]
            variant = _instance(r, types, values, instance.forms)
            if variant is not None:
                yield variant


def _wildcards(r: Rule) -> list[Any]:
    return wildcards_of(r.left) if isinstance(r.left, Variable) else []


def _instance(
    r: Rule, types: Sequence[TensorType], values: Arrays, forms: Sequence[_Form]
) -> Instance | None:
    """The left side with inputs of these types; None if the rule does not apply to it."""
    left = _written(r, types, values, forms)
    return None if left is None or applied(r, left.node) is None else left


def applied(r: Rule, node: Variable) -> Variable | None:
    """What the rule makes of `node`; AssertionError if it can't, for the types that there are."""
    try:
        return r(node)
    except Exception as error:
        text = f"rule {r.name} raises {type(error).__name__}: {error}"
        over = ", ".join(f"{v}: {v.type}" for v in graph_inputs([node]))
        origin = isinstance(r.right, Variable) and r.right.made_at
        where = f"; its right side is made at {origin}" if origin else ""
        raise AssertionError(
            f"{text} (for {over}: leave them out with `when=`, if they are not meant){where}"
        ) from error


def _is_elementwise(left: Any) -> bool:
    """Whether a pattern may stand for arrays of any values and shapes: matrices must fit."""
    return all(isinstance(v.op, (Elemwise, Input, Constant)) for v in toposort([left]))


def _written(
    r: Rule, types: Sequence[TensorType], values: Arrays, forms: Sequence[_Form]
) -> Instance | None:
    inputs, own_values, leaves = [], [], {}
    for op, kind, value, form in zip(_wildcards(r), types, values, forms, strict=True):
        if op.constant:
            leaves[op.name] = constant(TensorType(kind.dtype, value.shape), value)
            continue
        inputs.append(kind(op.name))
        own_values.append(value)
        leaves[op.name] = form.symbolic(inputs[-1])
        if leaves[op.name].type.dtype != kind.dtype:
            return None
    if not inputs or not _is_elementwise(r.left):
        return None
    try:
        node = filled(r.left, leaves)  # type: ignore[arg-type]  # it has wildcards
    except (TypeError, ValueError, OverflowError):
        return None  # the left side is not defined for this dtype
    with np.errstate(all="ignore"):
        bound = [form.numeric(v) for form, v in zip(forms, values, strict=True)]
    return Instance(node, inputs, own_values, bound, tuple(forms))
