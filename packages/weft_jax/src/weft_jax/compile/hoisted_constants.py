"""Large constants as arguments: XLA would copy them into its programs, and try to fold them."""

from __future__ import annotations

from typing import Any, Final
from weakref import WeakValueDictionary

import jax

from weft_graph import Constant, FunctionGraph, Variable
from weft_jax.analysis.static_values import static_positions
from weft_jax.lowering.x64 import enable_x64
from weft_tensor import TensorType

__all__ = ["is_on_device", "on_device", "passed_constants", "placed"]

_SMALL = 4096
"""Up to this many bytes, constants are part of the program."""


def passed_constants(graph: FunctionGraph) -> list[Variable]:
    """The large floating constants of `graph` that no Op needs as plain numbers.

    >>> import numpy as np
    >>> import weft_tensor as wt
    >>> small, large = wt.constant(np.ones(10)), wt.constant(np.ones(1000))
    >>> passed_constants(FunctionGraph(outputs=[small.sum() * large])) == [large]
    True
    """
    inputs = set(graph.inputs)
    constants = [
        v for v in graph.order if type(v.op) is Constant and v not in inputs and _is_large(v)
    ]
    if not constants:
        return []
    fixed = {v.inputs[k] for v in graph.nodes for k in static_positions(v.op, v)}
    return [v for v in constants if v not in fixed]


def on_device(v: Variable) -> jax.Array:
    """The value of a constant, where JAX computes."""
    assert isinstance(v.op, Constant)
    array = _on_device.get(v)
    if array is None:
        array = _on_device[v] = placed(v.op.value)
    return array


def is_on_device(v: Variable) -> bool:
    """Whether some function has the value of a constant where JAX computes."""
    return v in _on_device


def placed(array: Any) -> jax.Array:
    """An array where JAX computes, with its own dtype."""
    with enable_x64(True):
        value: jax.Array = jax.device_put(array)
    return value


_on_device: Final[WeakValueDictionary[Variable, jax.Array]] = WeakValueDictionary()
"""The values of large constants."""


def _is_large(v: Variable) -> bool:
    if not isinstance(v.op, Constant) or not isinstance(v.type, TensorType):
        return False
    return v.type.differentiable and bool(v.op.value.nbytes > _SMALL)
