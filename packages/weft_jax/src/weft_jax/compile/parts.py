"""Functions that JAX has traced, computed part by part."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, NamedTuple

import jax
from jax.extend.core import ClosedJaxpr, Jaxpr, JaxprEqn, Literal, Var, jaxpr_as_fun

__all__ = ["Part", "all_steps", "copied", "in_parts", "within"]

_COPIED: Final = jax.Inline.JAX_EARLY if hasattr(jax, "Inline") else True
"""How a call of `jit` says that its steps are copied where it stands."""


def _at_once(compute: Callable[..., Any], *values: Any) -> Any:
    return compute(*values)


class Part(NamedTuple):
    """Some steps, and how what computes them is called with its arguments."""

    steps: Sequence[JaxprEqn]
    call: Callable[..., Any] = _at_once


def in_parts(closed: ClosedJaxpr, arguments: Sequence[Any], parts: Sequence[Part]) -> list[Any]:
    """The results of what was traced, whose steps are in these parts, in order.

    >>> import jax.numpy as jnp
    >>> closed = jax.make_jaxpr(lambda x: jnp.sin(x) + 1)(0.0)
    >>> [float(y) for y in in_parts(closed, [0.0], [Part([s]) for s in closed.jaxpr.eqns])]
    [1.0]
    """
    jaxpr = closed.jaxpr
    places = [*jaxpr.constvars, *jaxpr.invars]
    values = dict(zip(places, [*closed.consts, *arguments], strict=True))
    read = {v for v in jaxpr.outvars if isinstance(v, Var)}
    wanted = []
    for steps, _ in reversed(parts):
        wanted.append([v for step in steps for v in step.outvars if v in read])
        read.update(v for step in steps for v in step.invars if isinstance(v, Var))
    for (steps, call), outputs in zip(parts, reversed(wanted), strict=True):
        own = {v for step in steps for v in step.outvars}
        inputs = dict.fromkeys(v for s in steps for v in s.invars if isinstance(v, Var))
        needed = [v for v in inputs if v not in own]
        part = jaxpr.replace(constvars=[], invars=needed, outvars=outputs, eqns=steps)
        found = call(copied(ClosedJaxpr(part, ())), *[values[v] for v in needed])
        values.update(zip(outputs, found, strict=True))
    return [v.val if isinstance(v, Literal) else values[v] for v in jaxpr.outvars]


def copied(closed: ClosedJaxpr) -> Callable[..., Any]:
    """A function whose steps JAX copies: to trace each again takes as long as the first time.

    But steps with loops are traced again, which so get the attributes of what a kernel contains.
    """
    if any(step.primitive.name in ("scan", "while") for step in all_steps(closed.jaxpr)):
        traced_again: Callable[..., Any] = jaxpr_as_fun(closed)
        return traced_again
    count = len(closed.jaxpr.outvars)

    def compute(*values: Any) -> Any:
        like = jax.make_jaxpr(jax.jit(lambda *_: (0.0,) * count))(*values).jaxpr.eqns[0]
        return like.primitive.bind(*values, **{**like.params, "jaxpr": closed, "inline": _COPIED})

    return compute


def all_steps(jaxpr: Jaxpr) -> Iterable[JaxprEqn]:
    """All that stands in a jaxpr, and in what it contains."""
    for step in jaxpr.eqns:
        yield step
        for inside in within(step):
            yield from all_steps(inside)


def within(step: JaxprEqn) -> Iterable[Jaxpr]:
    """What a step contains, as a loop does."""
    leaves: list[Any] = jax.tree.leaves(list(step.params.values()), is_leaf=_is_jaxpr)
    return [getattr(leaf, "jaxpr", leaf) for leaf in leaves if _is_jaxpr(leaf)]


def _is_jaxpr(value: object) -> bool:
    return isinstance(value, (Jaxpr, ClosedJaxpr))
