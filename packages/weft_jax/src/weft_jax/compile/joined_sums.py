"""Sums over arrays of one shape as one reduction: XLA for CPUs makes a loop of each.

A loop computes all that it sums, so what several sums have in common is computed, and compiled,
for each of them. Five sums of functions of 90 numbers compile in 60 ms in place of 220, and take 15
µs in place of 20; of 1,000 numbers, 38 in place of 91.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from itertools import groupby
from typing import Any, Final

import jax
import numpy as np
from jax.extend.core import JaxprEqn, Var

__all__ = ["joined_sums"]

_MOST: Final = 16
"""As many sums in one loop as there are registers."""
_BRANCHING: Final = frozenset(
    ["concatenate", "dynamic_slice", "dynamic_update_slice", "gather", "pad", "rev", "stack"]
)
"""What loops branch for, or jump: one with such a sum gets slow, and so would all in it."""


def joined_sums(steps: Sequence[JaxprEqn]) -> list[JaxprEqn]:
    """Steps of a jaxpr without effects, with sums that don't need each other as one step.

    >>> import jax.numpy as jnp
    >>> def f(x):
    ...     return jnp.exp(x).sum() * (x - x.sum()).sum()
    >>> steps = jax.make_jaxpr(f)(jnp.ones(3)).eqns
    >>> [step.primitive.name for step in joined_sums(steps)]
    ['exp', 'reduce', 'sub', 'reduce_sum', 'mul']
    """
    level: dict[Var, int] = {}
    branching: set[Var] = set()
    placed: list[tuple[int, bool, JaxprEqn]] = []
    for step in steps:
        inputs = {v for v in step.invars if isinstance(v, Var)}
        own = max((level.get(v, 0) for v in inputs), default=0)
        is_straight = branching.isdisjoint(inputs)
        is_sum = is_straight and _kind(step) is not None
        if step.primitive.name in _BRANCHING or not (is_straight or _is_reduction(step)):
            branching.update(step.outvars)
        level.update(dict.fromkeys(step.outvars, own + is_sum))
        placed.append((own, is_sum, step))
    placed.sort(key=lambda item: item[:2])
    found: list[JaxprEqn] = []
    for (_, is_sum), items in groupby(placed, key=lambda item: item[:2]):
        steps = [step for _, _, step in items]
        found += _all_joined(steps) if is_sum else steps
    return found


def _all_joined(sums: Sequence[JaxprEqn]) -> list[JaxprEqn]:
    alike: dict[Hashable, list[JaxprEqn]] = {}
    for step in sums:
        alike.setdefault(_kind(step), []).append(step)
    return [
        _joined(some[k : k + _MOST]) for some in alike.values() for k in range(0, len(some), _MOST)
    ]


def _is_reduction(step: JaxprEqn) -> bool:
    return step.primitive.name.startswith("reduce_")


def _kind(step: JaxprEqn) -> Hashable:
    """What is the same for sums that one loop can make; None for other steps."""
    if step.primitive.name != "reduce_sum":
        return None
    summed: Any = step.invars[0].aval
    is_real = np.issubdtype(summed.dtype, np.floating)
    return (summed.shape, summed.dtype, step.params["axes"]) if is_real and summed.size else None


def _joined(sums: Sequence[JaxprEqn]) -> JaxprEqn:
    """One step for these."""
    first = sums[0]
    if len(sums) == 1:
        return first
    arrays: list[Any] = [step.invars[0] for step in sums]
    shape_of: Any = jax.ShapeDtypeStruct  # which has no types
    shapes = [shape_of(v.aval.shape, v.aval.dtype) for v in arrays]
    zeros = tuple([np.zeros((), v.dtype) for v in shapes])

    def whole(*values: Any) -> Any:
        return jax.lax.reduce(values, zeros, _added, first.params["axes"])

    (step,) = jax.make_jaxpr(whole)(*shapes).jaxpr.eqns
    starts = step.invars[len(arrays) :]
    outputs = [v for one in sums for v in one.outvars]
    joined: JaxprEqn = step.replace(
        invars=[*arrays, *starts], outvars=outputs, source_info=first.source_info
    )
    return joined


def _added(a: Any, b: Any) -> Any:
    return tuple(x + y for x, y in zip(a, b, strict=True))
