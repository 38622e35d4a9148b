"""Conditions that compiled functions test, though XLA can't raise.

While a graph is traced, `require` notes a condition. All of them become one more output of
the function, and the host raises the error of the first that does not hold. Indices that are
arguments may be no output: the host looks at them while the device computes.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final, Literal, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from weft_jax.analysis.integer_ranges import Range
from weft_jax.compile.kept_programs import NotKeptError
from weft_jax.compile.tracing import current_note, range_of
from weft_jax.runtime.granted_ranges import RangeOfCall, from_zero
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
    "judge",
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

    def __reduce__(self) -> tuple[Any, ...]:
        """On disk is that something failed: what is compiled anew says what."""
        return Failure, (NotKeptError, None)


class Step(NamedTuple):
    """Where in a loop a condition failed: a text, and the number that stands in it."""

    text: str
    number: Any


class LastIndex:
    """The array of JAX that was within its bounds at the last call: nobody writes to such."""

    array: weakref.ref[Any] | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        return LastIndex, ()


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
        self.granted: dict[int, tuple[object, Callable[[], RangeOfCall], set[int]]] = {}
        """Indices that are taken for positive and within bounds, what says whether they are, and
        the lengths for which that was asked."""


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
            require((index >= -length) & (index < length), error)
        elif index.size and length not in granted[2]:
            granted[2].add(length)
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
        checks.granted[id(index)] = index, ends, set()


def is_granted(index: object) -> bool:
    """Whether `index` is taken for positive and within bounds, if that is required."""
    checks: Checks | None = getattr(_local, "checks", None)
    return checks is not None and id(index) in checks.granted


def require_nonnegative(x: Any, error: Exception | Callable[[], Exception]) -> bool:
    """Raise `error` after the call if `x` has negative elements; False if nobody looks here.

    So it is with numbers that are no integers, of which bits tell no order.

    >>> with noting() as checks:
    ...     require_nonnegative(np.array([2, 1]), ValueError("negative"))
    False
    """
    checks: Checks | None = getattr(_local, "checks", None)
    if checks is None or not x.size or x.dtype.kind != "i":
        return False
    argument = checks.positions.get(id(x))
    if argument is None:
        if checks.speculates:
            require(from_zero(x).least >= 0, MispredictedError)
        return checks.speculates
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


@dataclass(frozen=True, eq=False)
class Flags:
    """What the conditions of one compiled function mean."""

    failures: tuple[Failure, ...]
    texts: tuple[tuple[str, ...], ...]
    """For each condition, what is said of the steps of loops in which it failed."""
    indices: tuple[Indices, ...]

    @classmethod
    def of(cls, checks: Checks) -> Flagged | None:
        """The noted conditions as one array; None if nothing is required."""
        if not checks.conditions and not checks.indices:
            return None
        holds = jnp.stack(checks.conditions) if checks.conditions else None
        numbers = [step.number for steps in checks.steps for step in steps]
        texts = tuple([tuple([step.text for step in steps]) for steps in checks.steps])
        array = jnp.stack(numbers) if numbers else None
        flags = cls(tuple(checks.failures), texts, tuple(checks.indices.values()))
        return {flags: (holds, array)}

    def __repr__(self) -> str:
        """The same for all, since it gets into what JAX compiles."""
        return "Flags"

    def raise_first(self, holds: bytes, numbers: object, arguments: Sequence[object]) -> None:
        """Raise the error of the first condition that does not hold, if any."""
        first = len(self.failures)
        error = None
        tops: dict[int, int] = {}
        for indices in self.indices:
            error = indices.problem(arguments, tops)
            if error is not None:
                first = indices.earlier
                break
        failed = holds.find(0, 0, first)
        if failed >= 0:
            error = self.failures[failed].made()
            begin = sum(map(len, self.texts[:failed]))
            steps = np.asarray(numbers)[begin:] if self.texts[failed] else ()
            for text, number in zip(self.texts[failed], steps, strict=False):
                error.add_note(text.format(number))
        if error is not None:
            raise error


Flagged = dict[Flags, tuple[Any, Any]]
"""By its `Flags`, which conditions of a call hold, and numbers of steps.

JAX puts a dict together in a microsecond less than an object of a class of our own.
"""


def judge(flagged: Flagged, *arguments: object) -> None:
    """Raise the error of the first condition that does not hold for `arguments`, if any."""
    for flags, (array, numbers) in flagged.items():
        holds = b"" if array is None else np.asarray(array).tobytes()
        if flags.indices or 0 in holds:
            flags.raise_first(holds, numbers, arguments)
