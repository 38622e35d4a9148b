"""Conditions that compiled functions test, though XLA can't raise.

While a graph is traced, `require` notes a condition. All of them become one more output of
the function, and the host raises the error of the first that does not hold. Indices that are
arguments of the function are no output: the host looks at them while the device computes.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Literal, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from weft_graph.extend import Program, node_note

__all__ = [
    "Bounds",
    "Checks",
    "CountsFromEndError",
    "Failure",
    "Flags",
    "bounds",
    "counts_from_start",
    "noting",
    "require",
    "require_within",
]

Bounds = Literal["check", "clip"]
"""What to do with indices that are out of range."""


class Failure(NamedTuple):
    """An error to raise, and the note on the node that it belongs to."""

    error: Exception | Callable[[], Exception]
    note: str | None

    def made(self) -> Exception:
        """A new error."""
        error = self.error
        fresh = type(error)(*error.args) if isinstance(error, Exception) else error()
        if self.note is not None:
            fresh.add_note(self.note)
        return fresh


class Indices(NamedTuple):
    """An argument that must be an index of an axis of this length, wherever it is used."""

    argument: int
    length: int
    earlier: int
    """How many conditions are required before."""
    failure: Failure
    from_start: bool = False
    """Whether the compiled function takes for granted that no element is negative."""

    def problem(self, arguments: Sequence[Any]) -> Exception | None:
        """What is wrong with the elements, if anything."""
        values = np.asarray(arguments[self.argument])
        if values.dtype.kind == "i" and values.view(f"u{values.itemsize}").max() < self.length:
            return None  # none is negative, nor too large: seen by one look at each
        if not (values.max() < self.length and values.min() >= -self.length):
            return self.failure.made()
        return CountsFromEndError() if self.from_start and values.min() < 0 else None


class CountsFromEndError(Exception):
    """An index is negative, which the compiled function has ruled out."""


class Checks:
    """What is required while `program` is traced: conditions, and the failures they prevent.

    Of `arguments` the host can look at the values; with `presumes`, it computes once more
    where an index is negative that the function has taken for positive.
    """

    def __init__(
        self,
        program: Program | None,
        bounds: Bounds,
        arguments: Sequence[Any] = (),
        presumes: bool = False,
    ) -> None:
        self.program = program
        self.bounds = bounds
        self.presumes = presumes
        self.positions = {id(argument): k for k, argument in enumerate(arguments)}
        self.conditions: list[Any] = []
        self.failures: list[Failure] = []
        self.indices: dict[tuple[int, int], Indices] = {}


_local = threading.local()


@contextmanager
def noting(
    program: Program | None = None,
    within: Bounds | None = None,
    arguments: Sequence[Any] = (),
    *,
    presumes: bool = False,
) -> Iterator[Checks]:
    """Collect what is required within this block, in which `program` is traced.

    `within` says what becomes of indices out of range; by default what the block outside says.
    `arguments` are those among the traced values that the host has, too, when it calls. With
    `presumes`, who calls catches CountsFromEndError, and computes without it.
    """
    outer: Checks | None = getattr(_local, "checks", None)
    checks = Checks(program, within or bounds(), arguments, presumes)
    _local.checks = checks
    try:
        yield checks
    finally:
        _local.checks = outer


def bounds() -> Bounds:
    """What the function that is being traced does with indices out of range.

    >>> with noting(within="clip"):
    ...     bounds()
    'clip'
    """
    checks: Checks | None = getattr(_local, "checks", None)
    return "check" if checks is None else checks.bounds


def require(condition: Any, error: Exception | Callable[[], Exception]) -> None:
    """Raise `error`, at once or after the call, if not all of `condition` is true.

    In place of an exception, `error` may be a function that makes it.

    >>> with noting() as checks:
    ...     require(np.array([True, True]), ValueError("never"))
    >>> checks.conditions
    []
    """
    if not isinstance(condition, jax.core.Tracer):
        if not np.all(condition):
            raise error if isinstance(error, Exception) else error()
        return
    checks: Checks | None = getattr(_local, "checks", None)
    if checks is None:
        raise RuntimeError("require is for implementations that weft_jax traces")
    checks.conditions.append(_all(condition))
    checks.failures.append(Failure(error, _note(checks.program)))


def require_within(index: Any, length: int, error: Exception) -> None:
    """Raise `error`, at once or after the call, if `index` is out of bounds for this length.

    >>> with noting() as checks:
    ...     require_within(np.array([-2, 1]), 2, IndexError("never"))
    """
    checks: Checks | None = getattr(_local, "checks", None)
    argument = checks.positions.get(id(index)) if checks is not None and length else None
    if checks is None or argument is None:
        require((index >= -length) & (index < length) if length else False, error)
    elif (argument, length) not in checks.indices:
        failure = Failure(error, _note(checks.program))
        found = Indices(argument, length, len(checks.conditions), failure)
        checks.indices[argument, length] = found


def counts_from_start(index: Any, length: int) -> bool:
    """Whether results may rely on it that `index`, which is within bounds, has nothing negative.

    >>> counts_from_start(np.array([1]), 2)
    False
    """
    checks: Checks | None = getattr(_local, "checks", None)
    if checks is None or not checks.presumes:
        return False
    place = (checks.positions.get(id(index), -1), length)
    if place not in checks.indices:
        return False
    checks.indices[place] = checks.indices[place]._replace(from_start=True)
    return True


_MANY = 32
"""XLA reduces up to so many values, and those of several arrays, in one step."""


def _all(condition: Any) -> Any:
    """Whether all are true, with whether any is, which follows, but not for XLA.

    Of one array, XLA makes a reduction in steps, each a kernel: three times as long to compile.
    """
    size = condition.size
    if not isinstance(size, int) or size <= _MANY or condition.dtype != bool:
        return jnp.all(condition)
    every, some = jax.lax.reduce(
        (condition, condition),
        (np.True_, np.False_),
        lambda x, y: (x[0] & y[0], x[1] | y[1]),
        tuple(range(condition.ndim)),
    )
    return every & some


def _note(program: Program | None) -> str | None:
    """On the node of `program` that is being traced."""
    frame = None if program is None else sys._getframe(2)
    while frame is not None and program is not None:
        if frame.f_code.co_filename == program.filename:
            found = program.at(frame, frame.f_lineno)
            if found is not None:
                return node_note(*found)
        frame = frame.f_back
    return None


@jax.tree_util.register_pytree_node_class
class Flags:
    """The conditions of one compiled function, with the failures that belong to them."""

    def __init__(
        self, holds: Any, failures: tuple[Failure, ...], indices: tuple[Indices, ...] = ()
    ) -> None:
        self.holds = holds
        self.failures = failures
        self.indices = indices

    @classmethod
    def of(cls, checks: Checks) -> Flags | None:
        """The noted conditions as one array; None if nothing is required."""
        if not checks.conditions and not checks.indices:
            return None
        holds = jnp.stack(checks.conditions) if checks.conditions else None
        return cls(holds, tuple(checks.failures), tuple(checks.indices.values()))

    def judge(self, *arguments: Any) -> None:
        """Raise the error of the first condition that does not hold for `arguments`, if any."""
        first = len(self.failures)
        error = None
        for indices in self.indices:
            error = indices.problem(arguments)
            if error is not None:
                first = indices.earlier
                break
        if self.holds is not None:
            failed = np.asarray(self.holds).tobytes().find(0, 0, first)
            if failed >= 0:
                error = self.failures[failed].made()
        if error is not None:
            raise error

    def tree_flatten(self) -> tuple[tuple[Any], tuple[Any, ...]]:
        """For JAX: the array, and the rest as static data."""
        return (self.holds,), (self.failures, self.indices)

    @classmethod
    def tree_unflatten(cls, rest: tuple[Any, ...], children: tuple[Any]) -> Flags:
        """For JAX: the opposite."""
        return cls(children[0], *rest)
