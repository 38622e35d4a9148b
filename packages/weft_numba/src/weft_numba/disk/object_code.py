"""Machine code as bytes, to be kept on disk and loaded by another process."""

from __future__ import annotations

import ctypes
import pickle
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, Final, NamedTuple

import llvmlite.binding as llvm
import numba._dynfunc
import numpy as np
from llvmlite import ir
from numba.core import serialize
from numba.core.environment import Environment, lookup_environment

from weft_numba.ir import scipy_special, vector_math
from weft_numba.lowering.parts import ENVIRONMENT
from weft_numba.numba_layer import allocation

__all__ = ["ObjectCode", "loaded", "needs_of", "object_code", "own_dtype", "provided"]

_PROVIDERS: Final = (
    "weft_numba.llvm.threads",
    "weft_numba.numba_layer.numpy_functions",
    "weft_numba.numba_layer.linalg.blas",
)
"""Modules that define symbols when they are imported."""


class ObjectCode(NamedTuple):
    """A compiled function that knows nothing of this process."""

    code: bytes
    entry: str
    """The symbol of the function that takes and returns Python objects."""
    environments: tuple[tuple[str, bytes], ...]
    """Symbols of the places where Numba's code looks for Python objects, and these, pickled."""
    needs: tuple[str, ...]
    """Symbols that others must define."""
    prepare: bytes
    """Functions to call before the code is used, pickled."""


def object_code(compiled: Any) -> ObjectCode | None:
    """What Numba has compiled, if another process can use it.

    None where the code mentions addresses or Python functions of this process.
    """
    library, needs = compiled.library, needs_of(compiled)
    if needs is None:
        return None
    module = library._final_module
    symbols = [*module.functions, *module.global_variables]
    own = compiled.target_context.get_env_name(compiled.fndesc)
    environments = {own: compiled.environment}
    for name in [s.name for s in symbols if s.name.startswith(ENVIRONMENT)]:
        if (environment := lookup_environment(name)) is not None:
            environments[name] = environment
    try:
        constants = tuple(
            (name, serialize.dumps(list(e.consts))) for name, e in environments.items()
        )
        prepare = serialize.dumps(list(compiled.reload_init))
    except Exception:  # pickling an object of the user's may raise anything
        return None
    code = library._get_compiled_object()
    entry = compiled.fndesc.llvm_cpython_wrapper_name
    return ObjectCode(code, entry, constants, needs, prepare)


def needs_of(compiled: Any) -> tuple[str, ...] | None:
    """The symbols that others must define for what Numba has compiled.

    None where the code mentions addresses of this process.
    """
    library = compiled.library
    if compiled.lifted or library.has_dynamic_globals:
        return None
    module = library._final_module
    symbols = [*module.functions, *module.global_variables]
    needs = [s.name for s in symbols if s.is_declaration and not s.name.startswith("llvm.")]
    resolvable = all(llvm.address_of_symbol(name) is not None for name in needs)
    return tuple(needs) if resolvable else None


def provided(needs: Sequence[str]) -> bool:
    """Load what defines these symbols; whether all of them are there."""
    allocation.load()
    vector_math.load()
    for name in needs:
        scipy_special.load(name)
    for module in _PROVIDERS:
        if any(llvm.address_of_symbol(name) is None for name in needs):
            import_module(module)
    return all(llvm.address_of_symbol(name) is not None for name in needs)


def own_dtype(constant: Any) -> Any:
    """A dtype as the object that NumPy has of it, which doors ask for; pickling makes copies."""
    is_plain = isinstance(constant, np.dtype) and constant.fields is None
    return np.dtype(constant.str) if is_plain else constant


def loaded(unit: ObjectCode) -> Callable[..., Any] | None:
    """The function, made callable in this process; None if it needs what is not there."""
    for function in pickle.loads(unit.prepare):
        function()
    if not provided(unit.needs):
        return None
    target = llvm.Target.from_triple(llvm.get_process_triple())
    machine = target.create_target_machine(codemodel="jitdefault", jit=True)
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(str(ir.Module())), machine)
    engine.add_object_file(llvm.ObjectFileRef.from_data(unit.code))
    engine.finalize_object()
    environments = []
    for name, constants in unit.environments:
        environment = Environment({})
        environment.consts.extend(map(own_dtype, pickle.loads(constants)))
        place = engine.get_global_value_address(name)
        ctypes.c_void_p.from_address(place).value = id(environment)
        environments.append(environment)
    address = engine.get_function_address(unit.entry)
    keep = (engine, *environments)
    module = sys.modules[__name__]
    run: Callable[..., Any] = numba._dynfunc.make_function(
        module, "weft_function", "", address, environments[0], keep
    )
    return run
