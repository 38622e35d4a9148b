"""Machine code for tests, which is soon written, where users' soon runs.

Numba chooses once per process how LLVM gets from its text to instructions, runs passes over each
function by itself, and links all of its runtime into each module: here the quick way is chosen,
passes run once, and what nobody calls is dropped before it becomes instructions. Nor is it told
each time that LLVM is called, twice, to none who listens.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from llvmlite.binding import ffi
from numba.core.codegen import JITCodeLibrary, JITCPUCodegen
from numba.core.registry import cpu_target

__all__ = ["choose"]


class LittleLibrary(JITCodeLibrary):
    """A module in which only references are pruned, and what nobody calls is dropped."""

    def _optimize_functions(self, ll_module: Any) -> None:
        ll_module.data_layout = self._codegen._data_layout

    def _optimize_final_module(self) -> None:
        passes, builder = self._codegen._module_pass_manager(opt=0)
        passes.add_dead_code_elimination_pass()  # of addresses, which no other process may load
        passes.add_global_dead_code_eliminate_pass()
        passes.run(self._final_module, builder)


class LittleCodegen(JITCPUCodegen):
    """Writes instructions one by one."""

    _library_class = LittleLibrary

    def _customize_tm_options(self, options: dict[str, Any]) -> None:
        JITCPUCodegen._customize_tm_options(self, options)
        options["opt"] = 0


@cache
def _of(kind: type[JITCPUCodegen]) -> JITCPUCodegen:
    return kind("numba.exec")


@cache
def _keep_quiet() -> None:
    for begun, ended in [*ffi.lib._lock._cblist]:
        ffi.unregister_lock_callback(begun, ended)


def choose(*, little: bool) -> None:
    """Say who writes the machine code of what is compiled from now on."""
    _keep_quiet()
    context = cpu_target.target_context
    context._internal_codegen = _of(LittleCodegen if little else JITCPUCodegen)
