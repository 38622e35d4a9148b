"""Which functions of the C library exist for whole vectors on this machine.

The GNU C library has them in libmvec, for x86-64 and AArch64; macOS has them in its own
library of mathematical functions, in every process.
"""

from __future__ import annotations

import ctypes
import platform
import sys
from collections.abc import Iterator
from functools import cache
from typing import Final, NamedTuple

import llvmlite.binding as llvm
from numba.core import config

__all__ = ["Variant", "has_fma", "has_masks", "lengths", "load", "longest_vectors", "variants"]

_ODD: Final = frozenset(
    (
        *("expm1", "log1p", "sin", "tan", "asin", "atan", "sinh", "tanh", "asinh", "atanh"),
        *("erf", "cbrt"),
    )
)
"""Functions that give -0.0 for -0.0."""


class Variant(NamedTuple):
    """A function of vectors: its symbol, and how many numbers it takes."""

    name: str
    lanes: int
    mapping: str
    """What the call of the function of one number says, so that LLVM knows of this one."""
    convention: str = ""
    """LLVM's word for how it is called, if not as functions are in C."""
    keeps_zero: bool = True
    """Whether it gives -0.0 for -0.0 if the function of one number does."""


@cache
def _library() -> ctypes.CDLL | None:
    """Where vector functions are, made known to LLVM; None where there are none."""
    if sys.platform == "darwin":
        return ctypes.CDLL(None)
    if not sys.platform.startswith("linux"):
        return None
    try:
        library = ctypes.CDLL("libmvec.so.1")
        llvm.load_library_permanently("libmvec.so.1")
    except (OSError, RuntimeError):
        return None
    return library


def load() -> None:
    """Make the vector functions known to LLVM, for code that was compiled with them before.

    >>> load()
    """
    _library()


@cache
def variants(name: str, arity: int, bits: int = 64) -> tuple[Variant, ...]:
    """The vector functions for a function of doubles, or of floats with 32 bits.

    >>> variants("no_such_function", 1)
    ()
    """
    library = _library()
    if library is None:
        return ()
    table = _apple if sys.platform == "darwin" else _glibc
    return tuple([v for v in table(name, arity, bits) if hasattr(library, v.name)])


def _glibc(name: str, arity: int, bits: int) -> Iterator[Variant]:
    """What libmvec may have.

    Sources: "Vector Function ABI" of x86-64 and of AArch64, which say how the symbols are made.
    On AArch64, most of the odd functions give 0.0 for -0.0.
    """
    is_arm = platform.machine() == "aarch64"
    for letter, width in _widths():
        lanes = width // bits
        symbol = f"_ZGV{letter}N{lanes}{'v' * arity}_{_scalar(name, bits)}"
        keeps_zero = not (is_arm and name in _ODD)
        convention = _arm_convention() if is_arm else ""
        yield Variant(symbol, lanes, f"{symbol}({symbol})", convention, keeps_zero)


def _apple(name: str, arity: int, bits: int) -> Iterator[Variant]:
    """What macOS may have, declared in <simd/math.h>; zeros are made sure of."""
    lanes = 128 // bits
    symbol = f"_simd_{name}_{'f' if bits == 32 else 'd'}{lanes}"
    mapping = f"_ZGV_LLVM_N{lanes}{'v' * arity}_{_scalar(name, bits)}({symbol})"
    yield Variant(symbol, lanes, mapping, keeps_zero=name not in _ODD)


def _scalar(name: str, bits: int) -> str:
    return name if bits == 64 else f"{name}f"


@cache
def lengths(bits: int) -> tuple[int, ...]:
    """How many numbers of so many bits the vectors have that loops are written with.

    >>> all(lanes > 1 for lanes in lengths(64))
    True
    """
    widths = [width for _, width in _widths()]
    return tuple([width // bits for width in widths[1:] or widths])


def longest_vectors() -> int:
    """The bits of the longest vectors that this CPU has; 0 where none is known.

    >>> longest_vectors() in (0, 128, 256, 512)
    True
    """
    return max([bits for _, bits in _widths()], default=0)


@cache
def has_masks() -> bool:
    """Whether this CPU reads and writes some numbers of a vector as fast as all."""
    return any(bits > 128 for _, bits in _widths())


@cache
def has_fma() -> bool:
    """Whether this CPU adds to a product without rounding it, in one instruction."""
    return platform.machine() in ("aarch64", "arm64") or has_masks()


@cache
def _widths() -> tuple[tuple[str, int], ...]:
    """The letters of the vector ABI for what this CPU has, with the bits of a vector."""
    machine = platform.machine()
    if machine == "aarch64":
        return (("n", 128),)
    if machine not in ("x86_64", "AMD64"):
        return ()
    features = llvm.get_host_cpu_features()
    letters = (("b", 128, "sse4.2"), ("d", 256, "avx2"), ("e", 512, "avx512f"))
    return tuple((letter, bits) for letter, bits, feature in letters if features.get(feature))


def _arm_convention() -> str:
    """AArch64's vector functions keep more registers than C's, which calls may rely on.

    LLVM 20 makes calls that contradict the declaration then, and so does what Numba's option
    SLP_VECTORIZE turns on in later ones. Calls as in C are right, too: values are put into
    memory meanwhile.
    """
    slp: int = config.SLP_VECTORIZE  # type: ignore[attr-defined]  # set from the environment
    return "aarch64_vector_pcs" if llvm.llvm_version_info >= (22,) and not slp else ""
