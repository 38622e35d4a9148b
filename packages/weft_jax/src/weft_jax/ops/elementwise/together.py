"""Functions of several groups of arrays at once: of few elements one array has all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate, pairwise
from math import prod
from typing import Any, Final

import jax.numpy as jnp
import numpy as np
from jax import Array

from weft_jax.analysis.static_values import no_positions, static_positions
from weft_jax.lowering import own_slopes
from weft_jax.lowering.dispatch import Lowering, jax_funcify
from weft_jax.ops.elementwise.op import as_wanted, function_of
from weft_jax.ops.special.gamma import FORMS as OF_GAMMA
from weft_jax.ops.special.incomplete import FORMS as OF_BETA
from weft_tensor import Elemwise, TensorOp
from weft_tensor.extend import loop_dtypes

__all__ = ["FORMS", "MOST", "Together"]

MOST: Final = 2048
"""Of more elements, those that need more steps than others would have others do these, too."""
FORMS: Final = {**OF_BETA, **OF_GAMMA}
"""Functions that are others, of further arguments: by their names those, and what these are."""


class Together(TensorOp):
    """Functions of the table, each of arrays of its own, that are one function.

    >>> import weft_tensor as wt
    >>> both = Together((Elemwise("gammainc"), Elemwise("gammaincc")))
    >>> [v.type.ndim for v in both(1.0, 2.0, [1.0], [2.0])]
    [0, 1]
    """

    rows: tuple[Elemwise, ...]

    def infer_from(self, *inputs: Any) -> Any:
        """The types of their results."""
        return tuple([v.type for v in self.alone(inputs)])

    def alone(self, inputs: Sequence[Any]) -> list[Any]:
        """The results of each by itself."""
        parts = self.parts(inputs)
        return [row(*part) for row, part in zip(self.rows, parts, strict=True)]

    def parts(self, values: Sequence[Any]) -> list[Sequence[Any]]:
        """What each function is of."""
        ends = accumulate([row.scalar.arity for row in self.rows], initial=0)
        return [values[start:stop] for start, stop in pairwise(ends)]

    def __str__(self) -> str:
        return f"{self.rows[0]} together"


static_positions.register(Together, no_positions)


@jax_funcify.register(Together)
def jax_funcify_together(op: Together, *, node: Any, **kwargs: object) -> Lowering:
    """One function of one array, unless there are many elements."""
    nodes = op.alone(node.inputs)
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
            rows = [forms[k][1](*map(as_wanted, parts[k], dtypes[k], loops[k])) for k in some]
            whole = function(*[_end_to_end(column, shapes) for column in zip(*rows, strict=True)])
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


def _form(node: Any, loop: tuple[str, ...]) -> tuple[Callable[..., Any], Callable[..., Any]]:
    form = FORMS.get(node.op.name)
    return (function_of(node, loop), lambda *arrays: arrays) if form is None else form


def _end_to_end(values: Sequence[Any], shapes: Sequence[tuple[int, ...]]) -> Array:
    """The values, each as often as it is needed."""
    if not np.ndim(values[0]) and all(x is values[0] for x in values):
        return jnp.broadcast_to(values[0], sum(map(prod, shapes)))
    flat = [jnp.broadcast_to(x, s).reshape(-1) for x, s in zip(values, shapes, strict=True)]
    return jnp.concatenate(flat)
