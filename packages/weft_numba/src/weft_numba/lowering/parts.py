"""Functions that only others call: they become machine code where these do, and once.

Numba makes machine code of each function that another one calls, with what Python needs to call
it, and then again of the caller and all that it calls. Here such a function is kept as LLVM's text.
It also lets LLVM optimise each function alone before all are: here that happens once, together.
"""

from __future__ import annotations

import threading
from functools import cache
from typing import Any, Final

from llvmlite import binding as llvm
from llvmlite.binding import Linkage
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler_machinery import register_pass
from numba.core.environment import lookup_environment
from numba.core.registry import CPUDispatcher

from weft_numba.lowering.exception_cleanup import RefcountSafeCompiler, RefcountSafeLowering

__all__ = ["ENVIRONMENT", "PartDispatcher"]

ENVIRONMENT: Final = "_ZN08NumbaEnv"
"""How the names of places begin where machine code looks for Python objects."""


_OURS: Final = ("weft_nest_", "weft_sum_")
"""How the names of loops begin, and those of functions of numbers that have loops."""

_DOOR: Final = "_ZN7cpython"
"""How the names of functions begin that Python calls."""

_KEPT: Final = "llvm.compiler.used"
"""What lists the functions that LLVM keeps although nothing calls them."""

_OF_GRAPHS: Final = "weft_function"
"""The name of the functions that graphs are written as."""

_Lowering: Any = RefcountSafeLowering
_Dispatcher: Any = CPUDispatcher


class _Depth(threading.local):
    """How many functions this thread is compiling, each for the one before."""

    value = 0


_depth = _Depth()


class _Part:
    """Stands for the machine code of a function that has none of its own."""


def _leave_functions(library: Any, module: Any) -> None:
    """Leave the functions as they are: what optimises the whole begins with them."""
    module.data_layout = library._codegen._data_layout


def _drop_unused(library: Any, kept: Any) -> None:
    """Remove functions of vectors that no loop has come to call: they were kept for those alone."""
    kept.linkage, kept.name = Linkage.internal, "weft_kept"
    options = llvm.create_pipeline_tuning_options(speed_level=0)
    passes = llvm.create_new_module_pass_manager()
    passes.add_global_dead_code_eliminate_pass()
    passes.run(library._final_module, llvm.create_pass_builder(library._codegen._tm, options))


def _link(library: Any) -> None:
    """Put the functions that it calls beside it; who calls it makes machine code."""
    library._raise_if_finalized()
    for other in dict.fromkeys(library._linking_libraries):
        library._reload_init.update(other._reload_init)
        library._final_module.link_in(other._get_module_for_linking(), preserve=True)
    library._finalize_dynamic_globals()
    library._finalized = True


@cache
def _whole_of(kind: type[JITCodeLibrary]) -> type:
    def optimize(library: Any) -> None:
        """Of loops that are called here alone LLVM knows what they are called with, as lengths."""
        for function in library._final_module.functions:
            if function.linkage == Linkage.linkonce_odr and function.name.startswith(_OURS):
                function.linkage = Linkage.internal
        kind._optimize_final_module(library)
        for variable in library._final_module.global_variables:
            if variable.name == _KEPT:
                _drop_unused(library, variable)

    def add(library: Any, module: Any) -> None:
        """What reads Python's arguments runs once, too: it is left as written where the rest is."""
        for function in module.globals.values():
            if "optnone" in getattr(function, "attributes", ()):
                library.is_left = True
            elif library.is_left and function.name.startswith(_DOOR):
                function.attributes.add("noinline")
                function.attributes.add("optnone")
        kind.add_ir_module(library, module)

    own = {
        "_optimize_functions": _leave_functions,
        "_optimize_final_module": optimize,
        "add_ir_module": add,
        "is_left": False,
    }
    return type("WholeLibrary", (kind,), own)


@cache
def _part_of(kind: type[JITCodeLibrary]) -> type:
    return type("PartLibrary", (_whole_of(kind),), {"finalize": _link})


@register_pass(mutates_CFG=True, analysis_only=False)
class _PartLowering(_Lowering):  # type: ignore[misc]  # Numba has no types
    _name = "weft_part_lowering"

    def run_pass(self, state: Any) -> bool:
        """Write the code; it is compiled only if no other function is waiting for it."""
        context, flags = state.targetctx, state.flags
        codegen = context.codegen()
        name = state.func_id.func_qualname
        if _depth.value == 1:
            state.library = _whole_of(codegen._library_class)(codegen, name)
            state.library.enable_object_caching()
            done = bool(super().run_pass(state))
            _set_environments(codegen, state.library)
            return done
        state.library = library = _part_of(codegen._library_class)(codegen, name)
        flags.no_cpython_wrapper = flags.no_cfunc_wrapper = flags.no_compile = True
        super().run_pass(state)
        part = _Part()
        context.insert_user_function(part, state.cr.fndesc, [library])
        state["cr"] = state.cr._replace(cfunc=part)
        return True


def _set_environments(codegen: Any, library: Any) -> None:
    """Tell machine code where the Python objects are that parts of it look for."""
    names = [variable.name for variable in library._final_module.global_variables]
    by_name = {name: lookup_environment(name) for name in names if name.startswith(ENVIRONMENT)}
    library.environments = [environment for environment in by_name.values() if environment]
    for name, environment in by_name.items():
        if environment:
            codegen.set_env(name, environment)


class _Compiler(RefcountSafeCompiler):
    lowering = _PartLowering

    def _compile_bytecode(self) -> Any:
        """A graph's program gives a name again to what has its type: a state, a case's result.

        So it is one variable to Numba, too, which would make one of each assignment, and count
        users and copy from one to the next.
        """
        self.state.flags.enable_ssa = self.state.func_id.func_name != _OF_GRAPHS
        _depth.value += 1
        try:
            return super()._compile_bytecode()
        finally:
            _depth.value -= 1


class PartDispatcher(_Dispatcher):  # type: ignore[misc]  # Numba has no types
    """Numba's function of a Python function.

    >>> import numba
    >>> twice = PartDispatcher(lambda x: x + x, targetoptions={"nopython": True})
    >>> four_times = PartDispatcher(lambda x: twice(twice(x)), targetoptions={"nopython": True})
    >>> four_times(2), twice(2)
    (8, 4)
    """

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, pipeline_class=_Compiler, **options)

    def compile(self, sig: Any) -> Any:
        """Compile for types of arguments; for Python to call, unless a function waits for it."""
        if not _depth.value:
            for kinds in [k for k, v in self.overloads.items() if type(v.entry_point) is _Part]:
                del self.overloads[kinds]
        return super().compile(sig)

    def add_overload(self, cres: Any) -> None:
        """Python is told of what it can call."""
        if type(cres.entry_point) is _Part:
            self.overloads[tuple(cres.signature.args)] = cres
        else:
            super().add_overload(cres)
