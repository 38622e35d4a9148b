"""A model as the C functions that nutpie's sampler calls, in threads of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from itertools import pairwise
from threading import Lock
from typing import Any

import numba
import numpy as np
from numba import types
from numpy.typing import NDArray

import weft_tensor as wt
from weft_graph import Variable, get_value, graph_inputs, replace
from weft_graph.extend import Shared
from weft_numba import as_njit
from weft_numba.extend import c_function
from weft_tensor import TensorVariable

__all__ = ["first_points", "native_model"]

_DOUBLES: Any = types.CPointer(types.double)
_array: Any = getattr(numba, "carray")  # noqa: B009  # which types of Numba leave out


def native_model(
    model: Any,
    point: TensorVariable,
    density: Sequence[Variable],
    expanded: dict[str, TensorVariable],
    shapes: Sequence[tuple[int, ...]],
    first: Callable[[int | None], NDArray[np.float64]],
) -> Any:
    """The model for `nutpie.sample`, with its data as they are now.

    Errors: ImportError without nutpie.
    """
    from nutpie.compile_pymc import CompiledPyMCModel  # optional
    from pandas import Index  # which comes with it

    sizes = [int(np.prod(shape)) for shape in shapes]
    ends = np.cumsum([0, *sizes])
    whole = wt.concatenate(
        [wt.zeros((0,)), *[v.astype("float64").reshape((-1,)) for v in expanded.values()]]
    )
    fixed = _with_data_of_now([*density, whole])
    names = list(expanded)
    slices = [slice(a, b) for a, b in pairwise(ends)]
    return CompiledPyMCModel(
        _n_dim=point.type.shape[0],
        dims={k: tuple(v) for k, v in model.named_vars_to_dims.items() if k in expanded},
        _coords={k: Index(v) for k, v in model.coords.items() if v is not None},
        _shapes=dict(zip(names, shapes, strict=True)),
        compiled_logp_func=_density(as_njit([point], fixed[:2])),
        compiled_expand_func=_expansion(as_njit([point], fixed[2])),
        initial_point_func=first,
        shared_data={},
        user_data=np.zeros(1),
        n_expanded=int(ends[-1]),
        shape_info=(names, slices, list(shapes)),
        logp_func=None,
        expand_func=None,
        **{f.name: {} for f in fields(CompiledPyMCModel) if f.name == "shared_var_keys"},
    )


def first_points(
    model: Any, flat: Callable[[Mapping[str, Any]], NDArray[np.float64]]
) -> Callable[[int | None], NDArray[np.float64]]:
    """Where a chain begins: near PyMC's point, where slopes may be 0, which nutpie refuses.

    PyMC compiles a function for its point, once here: nutpie asks for one per chain, in threads.
    """
    from pymc.initial_point import make_initial_point_fn  # optional

    point_of, lock = make_initial_point_fn(model=model), Lock()

    def first(seed: int | None) -> NDArray[np.float64]:
        with lock:
            point = flat(point_of(seed))
        return point + np.random.default_rng(seed).uniform(-1, 1, point.shape)

    return first


def _with_data_of_now(outputs: Sequence[Variable]) -> list[Any]:
    """The outputs with constants in the place of shared variables."""
    shared = [v for v in graph_inputs(outputs) if isinstance(v.op, Shared)]
    return replace(outputs, {v: wt.constant(get_value(v)) for v in shared})


def _density(density: Any) -> Any:
    """`int64 f(uint64 n, double *x, double *slope, double *density, void *)`; 0 if it is finite."""

    def call(n, point, slope, value, _):  # type: ignore[no-untyped-def]  # for Numba
        try:
            logp, derivative = density(_array(point, (n,)))
            value[0] = logp
            for k in range(n):
                slope[k] = derivative[k]
                if not np.isfinite(derivative[k]):
                    return 3
            return 0 if np.isfinite(logp) else 4
        except Exception:
            return 1

    signature = types.int64(types.uint64, _DOUBLES, _DOUBLES, _DOUBLES, types.voidptr)
    return c_function(signature, call, of=density)


def _expansion(expand: Any) -> Any:
    """`int64 f(uint64 n, uint64 m, double *x, double *values, void *)`; 0 if there is no error."""

    def call(n, m, point, values, _):  # type: ignore[no-untyped-def]
        try:
            expansion = expand(_array(point, (n,)))
            for k in range(m):
                values[k] = expansion[k]
        except Exception:
            return -2
        return 0

    signature = types.int64(types.uint64, types.uint64, _DOUBLES, _DOUBLES, types.voidptr)
    return c_function(signature, call, of=expand)
