"""What JAX compiled, for which lengths, and how long that took; and how much of it is kept."""

from __future__ import annotations

import threading
import warnings
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache, partial
from itertools import islice
from time import perf_counter
from typing import Any, NamedTuple

import jax

from weft_graph import Variable
from weft_graph.extend import Program
from weft_jax.compile.tracing import Run

__all__ = [
    "CompileStats",
    "Compiles",
    "Counted",
    "CountedProgram",
    "RecompileWarning",
    "Specialised",
    "recalled_by_jax",
]

_KEPT = 64
"""For how many tuples of lengths a segment keeps what was compiled."""
_MANY = 16
"""With this many tuples of lengths, a segment warns."""
_COMPILED = "/jax/core/compile/backend_compile_duration"
_RECALLED = "/jax/compilation_cache/cache_hits"

_local = threading.local()


class RecompileWarning(UserWarning):
    """A function is compiled again and again, for other lengths."""


class CompileStats(NamedTuple):
    """How often JAX traced and compiled a function, and how long it took."""

    compiles: int
    trace_seconds: float
    compile_seconds: float
    keys: tuple[tuple[Any, ...], ...]
    """The lengths that depend on values, each tuple of them compiled by itself."""


class Compiles:
    """What has been compiled for one segment of a function."""

    def __init__(self, by: str, nodes: int, sizes: Sequence[Variable] = ()) -> None:
        self.by = by
        self.nodes = nodes
        self.sizes = tuple(sizes)
        self.keys: dict[tuple[Any, ...], None] = {}
        self.count = 0
        self.trace_seconds = 0.0
        self.compile_seconds = 0.0

    @contextmanager
    def tracing(self, values: Sequence[object]) -> Iterator[None]:
        """Count what happens within: JAX traces the segment, and goes on to compile it.

        `values` begin with the lengths; RecompileWarning if these have become many.
        """
        _listening()
        _local.current = self
        self.count += 1
        key = tuple(values[: len(self.sizes)])
        if key not in self.keys:
            self.keys[key] = None
            self._warn()
        start = perf_counter()
        try:
            yield
        finally:
            self.trace_seconds += perf_counter() - start

    def _warn(self) -> None:
        if len(self.keys) == _MANY:
            last = ", ".join(str(k[0] if len(k) == 1 else k) for k in islice(self.keys, 10, None))
            sizes = ", ".join(
                f"{v!r}, made at {v.made_at}" if v.made_at else repr(v) for v in self.sizes
            )
            warnings.warn(
                f"JAX has compiled a function for {_MANY} lengths of one kind, at last {last}: "
                f"every new value of {sizes} is compiled again. Round these lengths up to a few "
                "values (and mask the rest), or use mode='numba' or 'py' here.",
                RecompileWarning,
                stacklevel=4,
            )

    def __repr__(self) -> str:
        compiled = "" if self.by == "py" else f", compiled {self.count} times"
        return f"<segment of {self.nodes} nodes by {self.by}{compiled}>"


@cache
def _listening() -> None:
    """Have JAX tell how long it compiles; once per process."""
    jax.monitoring.register_event_duration_secs_listener(_note_duration)
    jax.monitoring.register_event_listener(_note_event)


def recalled_by_jax() -> int:
    """How many programs JAX had from its own cache, in this thread, in place of compiling them."""
    _listening()
    count: int = getattr(_local, "recalled", 0)
    return count


def _note_event(event: str, **kwargs: object) -> None:
    if event == _RECALLED:
        _local.recalled = recalled_by_jax() + 1


def _note_duration(event: str, duration_secs: float, **kwargs: object) -> None:
    current: Compiles | None = getattr(_local, "current", None)
    if current is not None and event == _COMPILED:
        current.compile_seconds += duration_secs


class Specialised:
    """`function`, compiled by JAX for each tuple of its first arguments, which are lengths.

    Those used last are kept; JAX forgets the others. The memory of arguments at `donated`,
    counted behind the lengths, may be overwritten.
    """

    def __init__(self, function: Run, width: int, donated: tuple[int, ...] = ()) -> None:
        self.function = function
        self.width = width
        self.donated = donated
        self.made: OrderedDict[tuple[Any, ...], Any] = OrderedDict()
        self.lock = threading.Lock()

    def __call__(self, *values: Any) -> Any:
        """The result of `function`."""
        key = values[: self.width]
        jitted = self.made.get(key)
        if jitted is None or len(self.made) == _KEPT:
            jitted = self._of(key)
        return jitted(*values[self.width :])

    def _of(self, key: tuple[object, ...]) -> Any:
        """What is compiled for `key`, as the one used last."""
        with self.lock:
            if key not in self.made:
                self.made[key] = jax.jit(partial(self.function, *key), donate_argnums=self.donated)
                if len(self.made) > _KEPT:
                    self.made.popitem(last=False)[1].clear_cache()
            self.made.move_to_end(key)
            return self.made[key]


class CountedProgram(Program):
    """A program whose parts JAX compiles, which are counted."""

    def __init__(self, program: Program, segments: tuple[Compiles, ...]) -> None:
        super().__init__(program.name, program.parameters, program.namespace)
        self.lines, self.steps, self.filename = program.lines, program.steps, program.filename
        self.segments = segments


class Counted:
    """What functions compiled for JAX tell of their compiling."""

    _compiled: Any

    @property
    def segments(self) -> tuple[Compiles, ...]:
        """The parts that run one after another, each by JAX as a whole or by Python."""
        program = self._compiled._linked.program
        assert isinstance(program, CountedProgram)
        return program.segments

    @property
    def compile_stats(self) -> CompileStats:
        """How often JAX compiled the function, for which lengths, and how long it took."""
        parts = self.segments
        return CompileStats(
            sum(s.count for s in parts),
            sum(s.trace_seconds for s in parts),
            sum(s.compile_seconds for s in parts),
            tuple(key for s in parts for key in s.keys if key),
        )
