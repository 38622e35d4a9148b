"""Which functions of the C library exist for whole vectors on this machine."""

from __future__ import annotations

import ctypes
import platform
import sys
from functools import cache
from typing import NamedTuple

import llvmlite.binding as llvm

__all__ = ["Variant", "load", "variants"]


class Variant(NamedTuple):
    """A vector function of the GNU C library: its symbol, and how many numbers it takes."""

    name: str
    lanes: int


@cache
def _library() -> ctypes.CDLL | None:
    """glibc's vector math, made known to LLVM; None where there is none."""
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
def _widths() -> tuple[tuple[str, int], ...]:
    """The letters of the vector ABI for what this CPU has, with the bits of a vector."""
    machine = platform.machine()
    if machine == "aarch64":
        return (("n", 128),)
    if machine not in ("x86_64", "AMD64"):
        return ()
    features = llvm.get_host_cpu_features()
    known = (("b", 128, "sse4.2"), ("d", 256, "avx2"), ("e", 512, "avx512f"))
    return tuple((letter, bits) for letter, bits, needed in known if features.get(needed))


@cache
def variants(name: str, arity: int) -> tuple[Variant, ...]:
    """The vector functions for a function of doubles or (with f at its end) of floats.

    Sources: "Vector Function ABI" of x86-64 and of AArch64, which say how the symbols are made.

    >>> variants("no_such_function", 1)
    ()
    """
    library = _library()
    if library is None:
        return ()
    bits = 32 if name.endswith("f") and name != "erf" else 64
    found = []
    for letter, width in _widths():
        lanes = width // bits
        symbol = f"_ZGV{letter}N{lanes}{'v' * arity}_{name}"
        if hasattr(library, symbol):
            found.append(Variant(symbol, lanes))
    return tuple(found)
