"""What is timed (`Workload`), by whom (`Peer`), and when two results count as equal."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tools.bench.bounds import Bound

Call = Callable[..., Any]
LINE = 64
"""Bytes of a line of the processor's cache."""


@dataclass(frozen=True)
class Prepared:
    """What is timed, and how to make its result comparable with that of other peers."""

    call: Call
    value: Callable[[Any], Any] = lambda result: result
    nodes: int = 0
    """The size of this peer's graph, if it has another than the others'."""


@dataclass(frozen=True)
class Workload:
    """A named computation, with one function per peer that prepares it.

    Compile time is what the function of the peer and the first call take together. Results are
    compared with `expected`, or with those of the peer that is the `reference`. `units` divides
    the time in the report: the number of nodes, for a graph that is built. A call that measures
    its own stages returns a dict of numbers, in `unit`. `bounds` are what Weft is to reach;
    `environment` is added to that of the peers' processes.
    """

    name: str
    title: str
    peers: Mapping[str, Callable[[], Prepared | Call]]
    data: Callable[[], tuple[Any, ...]] = tuple
    expected: Any = None
    rtol: float = 1e-8
    units: int = 1
    unit: str = "s"
    quick: bool = True
    group: str = "calls"
    bounds: tuple[Bound, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)

    @property
    def reference(self) -> str | None:
        """The peer whose results are right: NumPy, or else what is written by hand."""
        written = () if self.group == "graphs" else ("numpy", "numba", "jax")
        return next((peer for peer in written if peer in self.peers), None)


@dataclass(frozen=True)
class Peer:
    """A library: what it imports, how to wake it, and the environment of its process.

    Waking is whatever the library does once, before or in its first compilation. In the process of
    another peer, it is as precise as in its own inside `precision`.
    """

    wake: Callable[[], object]
    environment: Mapping[str, str] = field(default_factory=dict)
    precision: Callable[[], AbstractContextManager[object]] = contextlib.nullcontext


def by_mode(
    make: Callable[[str], Prepared | Call], peers: Mapping[str, str]
) -> dict[str, Callable[[], Prepared | Call]]:
    """Return one function per peer from one that takes the mode: `{peer: mode}`."""

    def bind(mode: str) -> Callable[[], Prepared | Call]:
        return lambda: make(mode)

    return {peer: bind(mode) for peer, mode in peers.items()}


WEFT = {"weft-py": "py", "weft-numba": "numba", "weft-jax": "jax"}
PYTENSOR = {"pytensor-numba": "NUMBA", "pytensor-jax": "JAX"}


def wake_numpy() -> None:
    """Import what functions of NumPy and SciPy use: imports are not counted."""
    import scipy.linalg
    import scipy.special

    scipy.special.expit(0.5)
    scipy.linalg.inv([[1.0]])


def wake_numba() -> None:
    """Let Numba vectorise exp and log where glibc can, and compile once."""
    import llvmlite.binding as llvm
    import numba

    with contextlib.suppress(RuntimeError):  # other systems have no libmvec
        llvm.load_library_permanently("libmvec.so.1")
        llvm.set_option("", "-vector-library=LIBMVEC-X86")
    numba.njit(lambda x: x + 1.0)(0.5)


def wake_jax() -> None:
    """Compile once."""
    import jax

    jax.jit(lambda x: x + 1.0)(0.5).block_until_ready()


def double_precision() -> AbstractContextManager[object]:
    """JAX's for double precision."""
    import jax

    context: AbstractContextManager[object] = jax.enable_x64()
    return context


def wake_pytensor(mode: str) -> Callable[[], None]:
    """Return a function that compiles once in `mode`."""

    def wake() -> None:
        import pytensor
        import pytensor.tensor as pt

        x = pt.dscalar("x")
        pytensor.function([x], x + 1.0, mode=mode)(0.5)

    return wake


def wake_weft(mode: str) -> Callable[[], None]:
    """Return a function that compiles once in `mode`."""

    def wake() -> None:
        import weft.tensor as wt

        wake_numpy()  # Weft imports SciPy when a graph needs it
        if mode == "jax":
            wake_jax()  # XLA has two ways to make kernels, and Weft's own sum takes the other one
        x = wt.dscalar("x")
        wt.function([x], x + 1.0, mode=mode)(0.5)

    return wake


X64 = {"JAX_ENABLE_X64": "1"}
PEERS = {
    **{name: Peer(wake_weft(mode)) for name, mode in WEFT.items()},
    **{name: Peer(wake_pytensor(mode)) for name, mode in PYTENSOR.items()},
    "jax": Peer(wake_jax, X64, double_precision),
    "numba": Peer(wake_numba),
    "numpy": Peer(wake_numpy),
    "weft": Peer(wake_weft("py")),
    "pytensor": Peer(wake_pytensor("NUMBA")),
}


def jitted(function: Call) -> Call:
    """Return `function` under jax.jit, from NumPy arrays to NumPy arrays."""
    import jax

    compiled = jax.jit(function)
    asarray = np.asarray

    def call(*values: Any) -> Any:
        result = compiled(*values)
        return list(map(asarray, result)) if isinstance(result, tuple) else asarray(result)

    return call


def compiled_pytensor(inputs: Any, outputs: Any, mode: str) -> Call:
    """Return PyTensor's function; in mode JAX, one that awaits its results, as all others do."""
    import pytensor

    function: Call = pytensor.function(inputs, outputs, mode=mode)
    if mode != "JAX":
        return function
    asarray = np.asarray

    def call(*values: Any) -> Any:
        result = function(*values)
        return list(map(asarray, result)) if isinstance(result, list) else asarray(result)

    return call


def aligned(values: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return `values` with arrays that begin where a cache line does.

    JAX reads such arrays where they are and copies others, and where NumPy puts an array is
    chance, another in each process.
    """

    def moved(value: Any) -> Any:
        if not isinstance(value, np.ndarray):
            return value
        memory = np.empty(value.nbytes + LINE, "uint8")
        start = -memory.ctypes.data % LINE
        array = memory[start : start + value.nbytes].view(value.dtype).reshape(value.shape)
        array[...] = value
        return array

    return tuple(map(moved, values))


def difference(found: Any, expected: Any, rtol: float) -> str | None:
    """Say how a result differs from the expected one; None if it doesn't.

    >>> difference([1.0, 2.0], (1.0, 2.0), 1e-8)
    >>> difference([1.0, 2.5], (1.0, 2.0), 1e-8)
    'result 1 is wrong by 0.5'
    """
    one = not isinstance(expected, list | tuple)
    results, wanted = ([found], [expected]) if one else (list(found), list(expected))
    if len(results) != len(wanted):
        return f"{len(results)} results, not {len(wanted)}"
    for index, (result, value) in enumerate(zip(results, wanted, strict=True)):
        a, b = np.asarray(result), np.asarray(value)
        if a.shape != b.shape:
            return f"result {index} has the shape {a.shape}, not {b.shape}"
        scale = 1.0 + float(np.max(np.abs(b), initial=0.0))
        if not np.allclose(a, b, rtol=rtol, atol=rtol * scale):
            return f"result {index} is wrong by {float(np.max(np.abs(a - b))):.3g}"
    return None
