"""Long functions in calls that XLA must not inline: it computes nothing again across them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final

import jax
from jax.experimental.xla_metadata import set_xla_metadata
from jax.extend.core import JaxprEqn

from weft_jax.compile.parts import Part, in_parts

__all__ = ["in_calls", "is_separate"]

_STEPS: Final = 100
"""In a call. With 50 or 200, functions compile as fast, and run so."""
_NAME: Final = "weft_separate"
"""That of their function."""


def in_calls(function: Callable[..., Any], static: int = 0) -> Callable[..., Any]:
    """`function` of so many static arguments and arrays, on CPUs in several calls, one by one.

    >>> import jax.numpy as jnp
    >>> def f(x):
    ...     for _ in range(300):
    ...         x = jnp.sin(x)
    ...     return x
    >>> jax.jit(in_calls(f)).lower(jnp.ones(3)).as_text().count('inlineable = "false"')
    3
    """

    def run(*values: Any) -> Any:
        is_traced = any(isinstance(value, jax.core.Tracer) for value in values)
        if not is_traced or jax.default_backend() != "cpu":
            return function(*values)
        of_arrays, arrays = partial(function, *values[:static]), values[static:]
        closed, results = jax.make_jaxpr(of_arrays, return_shape=True)(*arrays)
        if closed.jaxpr.effects:
            return function(*values)
        steps = closed.jaxpr.eqns
        parts = [Part(steps[k : k + _STEPS], _called) for k in range(0, len(steps), _STEPS)]
        found = in_parts(closed, jax.tree.leaves(arrays), parts)
        return jax.tree.unflatten(jax.tree.structure(results), found)

    return run


def is_separate(step: JaxprEqn) -> bool:
    """Whether `step` is such a call."""
    return step.params.get("name") == _NAME


def _called(compute: Callable[..., Any], *values: Any) -> Any:
    def weft_separate(*values: Any) -> Any:
        return compute(*values)

    with_attributes: Any = set_xla_metadata  # which has no types
    with with_attributes(inlineable="false"):
        return jax.jit(weft_separate)(*values)
