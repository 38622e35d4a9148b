"""Conditions that compiled functions test, though XLA can't raise.

While a graph is traced, `require` notes a condition. All of them become one more output of
the function, and the host raises the error of the first that does not hold.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

__all__ = ["Checks", "Flags", "noting", "require"]

Checks = list[tuple[Any, Exception]]

_local = threading.local()


@contextmanager
def noting() -> Iterator[Checks]:
    """Collect what is required within this block."""
    outer = getattr(_local, "checks", None)
    checks: Checks = []
    _local.checks = checks
    try:
        yield checks
    finally:
        _local.checks = outer


def require(condition: Any, error: Exception) -> None:
    """Raise `error`, at once or after the call, if not all of `condition` is true.

    >>> with noting() as checks:
    ...     require(np.array([True, True]), ValueError("never"))
    >>> checks
    []
    """
    if not isinstance(condition, jax.core.Tracer):
        if not np.all(condition):
            raise error
        return
    checks = getattr(_local, "checks", None)
    if checks is None:
        raise RuntimeError("require is for implementations that weft_jax traces")
    checks.append((jnp.all(condition), error))


@jax.tree_util.register_pytree_node_class
class Flags:
    """The conditions of one compiled function, with the errors that belong to them."""

    def __init__(self, holds: Any, errors: tuple[Exception, ...]) -> None:
        self.holds = holds
        self.errors = errors

    @classmethod
    def of(cls, checks: Checks) -> Flags:
        """The noted conditions as one array."""
        return cls(jnp.stack([ok for ok, _ in checks]), tuple(error for _, error in checks))

    def first(self) -> Exception | None:
        """A new error for the first condition that does not hold, if any."""
        holds = np.asarray(self.holds)
        if holds.all():
            return None
        error = self.errors[int(holds.argmin())]
        return type(error)(*error.args)

    def tree_flatten(self) -> tuple[tuple[Any], tuple[Exception, ...]]:
        """For JAX: the array, and the errors as static data."""
        return (self.holds,), self.errors

    @classmethod
    def tree_unflatten(cls, errors: tuple[Exception, ...], children: tuple[Any]) -> Flags:
        """For JAX: the opposite."""
        return cls(children[0], errors)
