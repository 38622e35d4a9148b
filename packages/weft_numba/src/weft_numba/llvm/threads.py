"""Work that is split over threads: how machine code starts them, and how many there are.

Work comes in chunks, numbered from 0. How many is said by its size alone, and not by how many
threads there are, so that results are the same, bit for bit, whoever computes them. Each thread
takes the next chunk until none is left. Threads are started for each loop, and end with it
(measured: 8 µs each): there is no pool that a fork, a second caller, or a call within a call
could break, and where no thread can be had, the caller does all by itself.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterable
from typing import Any, ClassVar, Final
from weakref import WeakKeyDictionary

import llvmlite.binding as llvm
from numba.np.ufunc.parallel import get_thread_count

__all__ = ["GRAIN", "MOST", "RUNTIME", "are_available", "how_many", "provide"]

GRAIN: Final = 40_000
"""Nanoseconds of work in the smallest chunk.

Measured on two processors: 62 µs become 44, 244 become 149, 2574 become 1360.
"""

MOST: Final = 256
"""No work is cut into more chunks."""

_NEEDED: Final = ("pthread_create", "pthread_join", "malloc", "free")

_state = (ctypes.c_int64 * 2)(get_thread_count(), 0)
"""How many threads may work at once, and how many have been started and are still at work."""

llvm.add_symbol("weft_threads", ctypes.addressof(_state))


def _forget() -> None:
    _state[1] = 0


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)  # the others' threads are not in the child


def how_many() -> int:
    """How many threads work at once, in the whole process: what NUMBA_NUM_THREADS said.

    >>> how_many() >= 1
    True
    """
    return _state[0]


def are_available() -> bool:
    """Whether this system has POSIX threads; else all is done by one.

    >>> are_available() in (True, False)
    True
    """
    has_all = all(llvm.address_of_symbol(name) is not None for name in _NEEDED)
    return has_all and ctypes.sizeof(ctypes.c_void_p) == 8


_TOGETHER: Final = 16
"""LLVM looks through all of what a module is linked to: for 200 loops, one after the other into a
program, a twentieth of the time to compile it. So many are linked to each other before."""


class _Provided:
    """Modules as Numba links libraries: after its own, and only what these call.

    LLVM drops what nothing calls any more once it stands where it was called.
    """

    _reload_init: ClassVar[frozenset[str]] = frozenset()

    def __init__(self, text: str) -> None:
        self.module = llvm.parse_assembly(text.replace("define linkonce_odr", "define weak"))
        self.count = 1

    def add(self, text: str) -> None:
        """Put a module beside the others: all of it, though none of these calls it."""
        self.module.link_in(_Provided(text).module)
        self.count += 1

    def _ensure_finalized(self) -> None:
        """Nothing is left to do."""

    def _get_module_for_linking(self) -> Any:
        for function in self.module.functions:
            if function.linkage == llvm.Linkage.weak_any:
                function.linkage = llvm.Linkage.linkonce_odr
        return self.module


_provided: WeakKeyDictionary[Any, tuple[set[str], list[_Provided]]] = WeakKeyDictionary()
"""What has been added to the code that Numba is about to compile: names, and modules together."""


def provide(library: Any, modules: Iterable[tuple[str, str]]) -> None:
    """Link modules, given by name and text, to a code library of Numba's; each once.

    >>> from numba.core.compiler_lock import global_compiler_lock
    >>> from numba.core.registry import cpu_target
    >>> library = cpu_target.target_context.codegen().create_library("example")
    >>> provide(library, [("weft_split", RUNTIME)])
    >>> provide(library, [("weft_split", RUNTIME)])
    >>> with global_compiler_lock:
    ...     library.finalize()
    >>> "@weft_split" in library.get_llvm_str()
    True
    """
    names, together = _provided.setdefault(library, (set(), []))
    for name, text in modules:
        if name not in names:
            names.add(name)
            if together and together[-1].count < _TOGETHER:
                together[-1].add(text)
                continue
            together.append(_Provided(text))
            library.add_linking_library(together[-1])


RUNTIME: Final = """
@weft_threads = external global [2 x i64]
declare i32 @pthread_create(ptr, ptr, ptr, ptr)
declare i32 @pthread_join(i64, ptr)

define weak_odr ptr @weft_thread(ptr %crew) nounwind {
  %data_at = getelementptr i64, ptr %crew, i64 1
  %chunks_at = getelementptr i64, ptr %crew, i64 2
  %next_at = getelementptr i64, ptr %crew, i64 3
  %work = load ptr, ptr %crew
  %data = load ptr, ptr %data_at
  %chunks = load i64, ptr %chunks_at
  br label %again
again:
  %k = atomicrmw add ptr %next_at, i64 1 monotonic
  %some = icmp slt i64 %k, %chunks
  br i1 %some, label %one, label %done
one:
  call void %work(ptr %data, i64 %k)
  br label %again
done:
  ret ptr null
}

define weak_odr void @weft_split(ptr %work, ptr %data, i64 %chunks) noinline nounwind {
  %crew = alloca [4 x i64]
  %data_at = getelementptr i64, ptr %crew, i64 1
  %chunks_at = getelementptr i64, ptr %crew, i64 2
  %next_at = getelementptr i64, ptr %crew, i64 3
  %busy_at = getelementptr i64, ptr @weft_threads, i64 1
  store ptr %work, ptr %crew
  store ptr %data, ptr %data_at
  store i64 %chunks, ptr %chunks_at
  store i64 0, ptr %next_at
  %threads = load i64, ptr @weft_threads
  %others = sub i64 %threads, 1
  %rest = sub i64 %chunks, 1
  %few = icmp slt i64 %rest, %others
  %wanted = select i1 %few, i64 %rest, i64 %others
  %some = icmp sgt i64 %wanted, 0
  %places = select i1 %some, i64 %wanted, i64 1
  %started = alloca i64, i64 %places
  br i1 %some, label %more, label %work_too
more:
  %t = phi i64 [0, %0], [%u, %begun]
  %taken = load atomic i64, ptr %next_at monotonic, align 8
  %left = icmp slt i64 %taken, %chunks
  %busy = atomicrmw add ptr %busy_at, i64 1 monotonic
  %free = icmp slt i64 %busy, %others
  %try = and i1 %left, %free
  br i1 %try, label %start, label %none
start:
  %place = getelementptr i64, ptr %started, i64 %t
  %status = call i32 @pthread_create(ptr %place, ptr null, ptr @weft_thread, ptr %crew)
  %fine = icmp eq i32 %status, 0
  br i1 %fine, label %begun, label %none
begun:
  %u = add i64 %t, 1
  %go_on = icmp slt i64 %u, %wanted
  br i1 %go_on, label %more, label %work_too
none:
  %undone = atomicrmw sub ptr %busy_at, i64 1 monotonic
  br label %work_too
work_too:
  %count = phi i64 [0, %0], [%t, %none], [%u, %begun]
  %ignored = call ptr @weft_thread(ptr %crew)
  %any = icmp sgt i64 %count, 0
  br i1 %any, label %join, label %done
join:
  %j = phi i64 [0, %work_too], [%following, %join]
  %where = getelementptr i64, ptr %started, i64 %j
  %thread = load i64, ptr %where
  %joined = call i32 @pthread_join(i64 %thread, ptr null)
  %following = add i64 %j, 1
  %others_left = icmp slt i64 %following, %count
  br i1 %others_left, label %join, label %end
end:
  %released = atomicrmw sub ptr %busy_at, i64 %count monotonic
  br label %done
done:
  ret void
}
"""
"""weft_split(work, data, chunks) calls work(data, k) for each chunk k, and returns at the end."""
