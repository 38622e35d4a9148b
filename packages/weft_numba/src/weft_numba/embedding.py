"""Graphs as functions that other compiled code calls: Numba's functions, and C's.

They take what they are given as it is: nothing is checked, converted or copied at a call, and
Python's lock is not needed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numba
from numba.core.dispatcher import Dispatcher

from weft_graph import Constant, FunctionGraph, Mode, Variable, graph_inputs, rewrite_graph
from weft_graph.extend import CompileRequest, Shared, is_cut, load_source
from weft_numba.analysis.specialise import narrowed
from weft_numba.disk.callables import c_function, kept_function
from weft_numba.fusion.parameters import one_by_one
from weft_numba.graph_compiler import array_constants, program
from weft_numba.linker import NumbaLinker
from weft_numba.lowering.numba_types import numba_type
from weft_numba.lowering.parts import PartDispatcher
from weft_numba.runtime.finishers import how_to_finish
from weft_numba.runtime.segments import opened, segments_of
from weft_tensor import TensorType

__all__ = ["as_cfunc", "as_njit"]


def as_njit(inputs: Sequence[Variable], outputs: Any, *, exact: bool = False) -> Dispatcher:
    """A function of Numba's, for use in other such functions.

    It takes C-contiguous arrays of the declared dtypes, which may be read-only, and numbers for
    inputs of rank 0, and gives one result, or a tuple of those in a list. It runs without the
    GIL, in many threads at once. What would raise in Python raises in it, too. It is kept on disk
    as all that is compiled, unless it has more than a megabyte of constants.

    Errors: TypeError for shared variables, whose value is asked for at calls of `function` alone,
    and for Ops that have no machine code; Numba's TypeError at a call with other types.

    >>> import numba, numpy as np, weft_tensor as wt
    >>> from weft_graph import grad
    >>> x = wt.vector("x")
    >>> slope = as_njit([x], grad(wt.exp(x).sum(), x))
    >>> @numba.njit
    ... def steps(point):
    ...     for _ in range(3):
    ...         point = point - 0.1 * slope(point)
    ...     return point
    >>> steps(np.array([0.0])).round(4)
    array([-0.2731])
    """
    is_one = isinstance(outputs, Variable)
    variables = [outputs] if is_one else list(outputs)
    for v in graph_inputs(variables):
        if isinstance(v.op, Shared):
            raise TypeError(f"as_njit: {v!r} is shared: give its value as an input, or a constant")
    linker = NumbaLinker(exact=exact)
    request = CompileRequest(FunctionGraph(inputs, variables), Mode(linker).books, rewrite_graph)
    signature = [_read_only(numba_type(v)) for v in request.written.inputs]
    kind = "one" if is_one else "tuple"
    build = partial(_python, request, linker, one=is_one)
    return kept_function(linker, request, kind, signature, _njit, build)


def _python(request: CompileRequest, linker: NumbaLinker, *, one: bool) -> Callable[..., Any]:
    """What Numba is to compile: one result, or a tuple of all.

    Errors: TypeError for Ops that have no machine code.
    """
    graph = request.graph
    whole = opened(graph)
    if is_cut(whole, segments := segments_of(whole)):
        names = [str(v.op) for s in segments if s.by_python for v in s.graph.nodes]
        raise TypeError(f"as_njit: {', '.join(names)} has no machine code: see `numba_funcify`")
    usual = narrowed(whole, assume=False)
    constants = array_constants(usual.graph)
    parameters = [*constants, *graph.inputs]
    groups = one_by_one(parameters), one_by_one(usual.graph.outputs)
    machine = program(linker, usual, constants, *groups, assume=False)
    hows = how_to_finish(whole, usual.graph)
    results = [
        f"results[{k}]" + ".copy()" * (how != "keep" and _rank(v) > 0)
        for k, (v, how) in enumerate(zip(whole.outputs, hows, strict=True))
    ]
    names = [f"x{k}" for k in range(len(graph.inputs))]
    arguments = [*[f"c{k}" for k in range(len(constants))], *names]
    result = results[0] if one else f"({', '.join(results)},)"
    source = (
        f"def weft_function({', '.join(names)}):\n"
        f"    results = machine({', '.join(arguments)})\n"
        f"    return {result}\n"
    )
    namespace = {f"c{k}": v.op.value for k, v in enumerate(constants) if isinstance(v.op, Constant)}
    namespace["machine"] = _njit(machine.load())
    return load_source("weft_function", source, namespace)


def _read_only(kind: Any) -> Any:
    """The type that takes arrays which may be written to, and those which may not."""
    return kind.copy(readonly=True) if isinstance(kind, numba.types.Array) else kind


def as_cfunc(inputs: Sequence[Variable], output: Variable, *, exact: bool = False) -> Any:
    """A C function of numbers: `double f(double, ...)` for inputs and an output of float64.

    `.address` is its pointer, `.ctypes` is callable, and `scipy.LowLevelCallable(f.ctypes)` is
    what SciPy's integrators and filters take. It runs without the GIL, in many threads at once.
    An error within gives NaN, for C has no exceptions. For functions of arrays, call what
    `as_njit` gives in a `numba.cfunc` of the signature that is wanted.

    Errors: TypeError for inputs, or an output, of another rank or dtype than float64 numbers, and
    as `as_njit`.

    >>> import weft_tensor as wt
    >>> from scipy import LowLevelCallable
    >>> from scipy.integrate import quad
    >>> x = wt.scalar("x", dtype="float64")
    >>> f = as_cfunc([x], wt.exp(-x * x))
    >>> round(quad(LowLevelCallable(f.ctypes), 0, 10)[0], 6)
    0.886227
    """
    for v in (*inputs, output):
        if not isinstance(v.type, TensorType) or v.type.ndim or v.type.dtype != "float64":
            raise TypeError(f"as_cfunc: {v!r} is no number of float64; for arrays, see `as_njit`")
    function = as_njit(inputs, output, exact=exact)
    names = ", ".join(f"x{k}" for k in range(len(inputs)))
    source = (
        f"def weft_c({names}):\n"
        "    try:\n"
        f"        return function({names})\n"
        "    except Exception:\n"
        "        return nan\n"
    )
    call = load_source("weft_c", source, {"function": function, "nan": float("nan")})
    double = numba.types.float64
    return c_function(double(*[double] * len(inputs)), call, of=function)


def _njit(function: Callable[..., Any]) -> Dispatcher:
    """As the linker compiles, but with what C code needs, and without the GIL."""
    return PartDispatcher(
        function, targetoptions={"nopython": True, "nogil": True, "error_model": "numpy"}
    )


def _rank(v: Variable) -> int:
    return v.type.ndim if isinstance(v.type, TensorType) else 0
