"""Conditions that compiled functions test, though XLA can't raise.

While a graph is traced, `require` notes a condition. All of them become one more output of
the function, and the host raises the error of the first that does not hold. Indices that are
arguments of the function are no output: the host looks at them while the device computes.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import MappingProxyType
from typing import Any, Final, Literal, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from weft_jax.analysis.integer_ranges import Range
from weft_jax.compile.tracing import current_note, range_of
from weft_jax.runtime.granted_ranges import RangeOfCall
from weft_jax.runtime.host_memory import is_one_gpu

__all__ = [
    "Bounds",
    "Checks",
    "Failure",
    "Flags",
    "MispredictedError",
    "Step",
    "bounds",
    "counts_from_start",
    "grant",
    "is_granted",
    "noting",
    "require",
    "require_nonnegative",
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


class Step(NamedTuple):
    """Where in a loop a condition failed: a text, and the number that stands in it."""

    text: str
    number: Any


class LastIndex:
    """The array of JAX that was within its bounds at the last call: nobody writes to such."""

    array: weakref.ref[Any] | None = None


class Indices(NamedTuple):
    """An argument whose elements must be within bounds, wherever it is used."""

    argument: int
    least: int
    length: int
    """All elements must be less."""
    earlier: int
    """How many conditions are required before."""
    failure: Failure
    last: LastIndex
    from_start: bool = False
    """Whether the compiled function takes for granted that no element is negative."""

    def problem(self, arguments: Sequence[object], tops: dict[int, int]) -> Exception | None:
        """What is wrong with the elements, if anything; `tops` is what was seen of arguments."""
        argument = arguments[self.argument]
        last = self.last.array
        if last is not None and last() is argument:
            return None
        values = np.asarray(argument)
        if self.argument not in tops:
            tops[self.argument] = _top(values)
        if tops[self.argument] < self.length:
            if isinstance(argument, jax.Array):
                self.last.array = weakref.ref(argument)
            return None
        if not (values.max() < self.length and values.min() >= self.least):
            return self.failure.made()
        return MispredictedError() if self.from_start and values.min() < 0 else None


_NEGATIVE: Final = 2**64


def _top(values: np.ndarray) -> int:
    """The largest of integers, or more than any if one is negative: seen by one look at each."""
    bits = 8 * values.itemsize
    top = int(values.view(f"u{values.itemsize}").max())
    return top if values.dtype.kind != "i" or top < 1 << (bits - 1) else _NEGATIVE


class MispredictedError(Exception):
    """An index is negative, or too large, which the compiled function has ruled out."""


class Checks:
    """What is required while a graph is traced: conditions, and the failures they prevent.

    Of `arguments`, by their positions in a call, the host can look at the values; if the function
    speculates, it computes once more where an index is negative that was taken for positive.
    """

    def __init__(
        self, bounds: Bounds, arguments: Mapping[int, object], *, speculates: bool = False
    ) -> None:
        self.bounds = bounds
        self.speculates = speculates
        self.positions = {id(argument): k for k, argument in arguments.items()}
        self.conditions: list[Any] = []
        self.failures: list[Failure] = []
        self.steps: list[Sequence[Step]] = []
        """For each condition, the steps of loops in which it failed, innermost first."""
        self.indices: dict[tuple[int, int], Indices] = {}
        self.granted: dict[int, tuple[object, Callable[[], RangeOfCall]]] = {}
        """Indices that are taken for positive and within bounds, and what says whether they are."""


_local = threading.local()


@contextmanager
def noting(
    within: Bounds | None = None,
    arguments: Mapping[int, object] = MappingProxyType({}),
    *,
    speculates: bool = False,
) -> Iterator[Checks]:
    """Collect what is required within this block, in which a graph is traced.

    `within` says what becomes of indices out of range; by default what the block outside says.
    `arguments` are those among the traced values that the host has, too, when it calls, by their
    positions. With `speculates`, who calls catches MispredictedError, and computes without it.
    """
    outer: Checks | None = getattr(_local, "checks", None)
    checks = Checks(within or bounds(), arguments, speculates=speculates)
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


def require(
    condition: Any, error: Exception | Callable[[], Exception], steps: Sequence[Step] = ()
) -> None:
    """Raise `error`, at once or after the call, if not all of `condition` is true.

    In place of an exception, `error` may be a function that makes it. It tells the `steps`.

    >>> with noting() as checks:
    ...     require(np.array([True, True]), ValueError("never"))
    >>> checks.conditions
    []
    """
    if not isinstance(condition, jax.core.Tracer):
        if not np.all(condition):
            raised = error if isinstance(error, Exception) else error()
            for step in steps:
                raised.add_note(step.text.format(step.number))
            raise raised
        return
    checks: Checks | None = getattr(_local, "checks", None)
    if checks is None:
        raise RuntimeError("require is for implementations that weft_jax traces")
    checks.conditions.append(_all(condition))
    checks.failures.append(Failure(error, current_note()))
    checks.steps.append(steps)


def require_within(index: Any, length: int, error: Exception) -> None:
    """Raise `error`, at once or after the call, if `index` is out of bounds for this length.

    >>> with noting() as checks:
    ...     require_within(np.array([-2, 1]), 2, IndexError("never"))
    """
    checks: Checks | None = getattr(_local, "checks", None)
    argument = checks.positions.get(id(index)) if checks is not None and length else None
    granted = None if checks is None else checks.granted.get(id(index))
    if checks is None or argument is None:
        if _is_within(range_of(index), -length, length):
            return
        if granted is None or not length:
            require((index >= -length) & (index < length) if length else False, error)
        elif index.size:
            (least, greatest), condition = granted[1]()
            require(condition & (least >= 0) & (greatest < length), MispredictedError)
    elif granted is not None:
        failure = Failure(MispredictedError, None)
        earlier = len(checks.conditions)
        check = Indices(argument, 0, length, earlier, failure, LastIndex(), from_start=True)
        checks.indices[argument, length] = check
    elif (argument, length) not in checks.indices:
        failure = Failure(error, current_note())
        earlier = len(checks.conditions)
        check = Indices(argument, -length, length, earlier, failure, LastIndex())
        checks.indices[argument, length] = check


def grant(index: Any, ends: Callable[[], RangeOfCall]) -> None:
    """Take for granted that `index` is positive, and within the bounds that are asked for.

    Who calls catches MispredictedError. `ends` says between which numbers it is.
    """
    checks: Checks | None = getattr(_local, "checks", None)
    if checks is not None and checks.speculates:
        checks.granted[id(index)] = index, ends


def is_granted(index: object) -> bool:
    """Whether `index` is taken for positive and within bounds, if that is required."""
    checks: Checks | None = getattr(_local, "checks", None)
    return checks is not None and id(index) in checks.granted


def require_nonnegative(x: Any, error: Exception | Callable[[], Exception]) -> bool:
    """Raise `error` after the call if `x` has negative elements; False if the host can't look.

    Nor does it look at numbers that are no integers, of which bits tell no order.

    >>> with noting() as checks:
    ...     require_nonnegative(np.array([2, 1]), ValueError("negative"))
    False
    """
    checks: Checks | None = getattr(_local, "checks", None)
    argument = checks.positions.get(id(x)) if checks is not None else None
    if checks is None or argument is None or not x.size or x.dtype.kind != "i":
        return False
    failure = Failure(error, current_note())
    check = Indices(argument, 0, _NEGATIVE, len(checks.conditions), failure, LastIndex())
    checks.indices.setdefault((argument, 0), check)
    return True


def counts_from_start(index: object, length: int) -> bool:
    """Whether results may rely on it that `index`, which is within bounds, has nothing negative.

    >>> counts_from_start(np.array([1]), 2)
    False
    """
    checks: Checks | None = getattr(_local, "checks", None)
    limits = range_of(index)
    if _is_within(limits, -length, length):
        return _is_within(limits, 0, length)
    if is_granted(index):
        return True
    argument = checks.positions.get(id(index), -1) if checks is not None else -1
    if checks is None or (argument, length) not in checks.indices:
        return False
    if (argument, 0) in checks.indices:
        return True
    if checks.speculates:
        check = checks.indices[argument, length]._replace(from_start=True)
        checks.indices[argument, length] = check
    return checks.speculates


def _is_within(limits: Range | None, least: int, length: int) -> bool:
    return limits is not None and limits.least >= least and limits.greatest < length


_MANY = 32
"""XLA reduces up to so many values, and those of several arrays, in one step."""


def _all(condition: Any) -> jax.Array:
    """Whether all are true, with whether any is, which follows, but not for XLA.

    Of one array, XLA for CPUs makes a reduction in steps, each a kernel: three times as long to
    compile.
    """
    size = condition.size
    if not isinstance(size, int) or size <= _MANY or condition.dtype != bool or is_one_gpu():
        return jnp.all(condition)
    every, some = jax.lax.reduce(
        (condition, condition),
        (np.True_, np.False_),
        lambda x, y: (x[0] & y[0], x[1] | y[1]),
        tuple(range(condition.ndim)),
    )
    both: jax.Array = every & some
    return both


@jax.tree_util.register_pytree_node_class
class Flags:
    """The conditions of one compiled function, with the failures that belong to them."""

    def __init__(
        self,
        holds: object,
        numbers: object,
        failures: tuple[Failure, ...],
        texts: tuple[tuple[str, ...], ...],
        indices: tuple[Indices, ...],
    ) -> None:
        self.holds = holds
        self.numbers = numbers
        self.failures = failures
        self.texts = texts
        self.indices = indices

    @classmethod
    def of(cls, checks: Checks) -> Flags | None:
        """The noted conditions as one array; None if nothing is required."""
        if not checks.conditions and not checks.indices:
            return None
        holds = jnp.stack(checks.conditions) if checks.conditions else None
        numbers = [step.number for steps in checks.steps for step in steps]
        texts = tuple([tuple([step.text for step in steps]) for steps in checks.steps])
        array = jnp.stack(numbers) if numbers else None
        return cls(holds, array, tuple(checks.failures), texts, tuple(checks.indices.values()))

    def judge(self, *arguments: object) -> None:
        """Raise the error of the first condition that does not hold for `arguments`, if any."""
        first = len(self.failures)
        error = None
        tops: dict[int, int] = {}
        for indices in self.indices:
            error = indices.problem(arguments, tops)
            if error is not None:
                first = indices.earlier
                break
        if self.holds is not None:
            failed = np.asarray(self.holds).tobytes().find(0, 0, first)
            if failed >= 0:
                error = self.failures[failed].made()
                self._tell_steps(error, failed)
        if error is not None:
            raise error

    def _tell_steps(self, error: Exception, failed: int) -> None:
        """Add notes on the steps of loops in which a condition failed."""
        begin = sum(map(len, self.texts[:failed]))
        numbers = np.asarray(self.numbers)[begin:] if self.texts[failed] else ()
        for text, number in zip(self.texts[failed], numbers, strict=False):
            error.add_note(text.format(number))

    def tree_flatten(self) -> tuple[tuple[object, object], tuple[object, ...]]:
        """For JAX: the arrays, and the rest as static data."""
        return (self.holds, self.numbers), (self.failures, self.texts, self.indices)

    @classmethod
    def tree_unflatten(cls, rest: tuple[Any, ...], children: tuple[Any, Any]) -> Flags:
        """For JAX: the opposite."""
        return cls(*children, *rest)
