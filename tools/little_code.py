"""Machine code for tests: written soon, where users want it to run fast.

Numba chooses LLVM's way from registers to instructions once per process, links all of its runtime
into each function, and asks about each function of a module by itself.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from numba.core.codegen import JITCodeLibrary, JITCPUCodegen
from numba.core.registry import cpu_target

__all__ = ["choose"]


class LittleLibrary(JITCodeLibrary):
    """A module in which only references are pruned, and what nobody calls is dropped."""

    def _optimize_functions(self, ll_module: Any) -> None:
        ll_module.data_layout = self._codegen._data_layout

    def _optimize_final_module(self) -> None:
        passes, builder = self._codegen._module_pass_manager(opt=0)
        passes.add_global_dead_code_eliminate_pass()
        passes.run(self._final_module, builder)


class LittleCodegen(JITCPUCodegen):
    """Writes instructions one by one."""

    _library_class = LittleLibrary

    def _customize_tm_options(self, options: dict[str, Any]) -> None:
        super()._customize_tm_options(options)
        options["opt"] = 0


@cache
def _of(kind: type[JITCPUCodegen]) -> JITCPUCodegen:
    return kind("numba.exec")


def choose(*, little: bool) -> None:
    """Say who writes the machine code of what is compiled from now on."""
    context = cpu_target.target_context
    context._internal_codegen = _of(LittleCodegen if little else JITCPUCodegen)
