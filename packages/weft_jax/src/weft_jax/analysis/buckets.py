"""Axes that are padded, so that JAX compiles for a few lengths only.

An input with such an axis becomes the elements that a mask chooses of a longer one. What
`lift_masks` then leaves of the mask says whether the padding can reach a result.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from weft_graph import FunctionGraph, Variable
from weft_graph.extend import Shared, renewed
from weft_jax.analysis.mask_lifting import chosen_by_mask
from weft_jax.analysis.shape_policy import DynamicShapeError
from weft_jax.analysis.static_values import static_positions
from weft_tensor import Compress, Dim, Length, TensorType, vector
from weft_tensor.extend import kind_of

__all__ = ["Bucketed", "Buckets", "bucketed", "check_buckets", "padding"]

Buckets = Mapping[str, int]
"""By the name of a length: the number of which it becomes a multiple."""


class Bucketed(NamedTuple):
    """A graph of longer inputs, and of a mask for each name at the end of its inputs."""

    graph: FunctionGraph
    axes: tuple[tuple[int, int, str], ...]
    """Input, axis, and the name of its length."""
    names: tuple[str, ...]


def bucketed(graph: FunctionGraph, buckets: Buckets) -> Bucketed:
    """`graph` over inputs that are longer along the axes that `buckets` name.

    >>> x = vector("x", shape=("n",))
    >>> made = bucketed(FunctionGraph([x], [x.sum()]), {"n": 64})
    >>> made.graph.inputs, made.axes
    ((<x : float64[padded_n]>, <mask of n : bool[padded_n]>), ((0, 0, 'n'),))
    """
    masks: dict[str, Any] = {}
    axes: list[tuple[int, int, str]] = []
    inputs: list[Variable] = []
    copies: dict[Variable, Any] = {}
    for k, v in enumerate(graph.inputs):
        names = _axes_of(v, buckets)
        longer = v
        if names:
            kind: Any = v.type
            shape = [f"padded_{names[a]}" if a in names else n for a, n in enumerate(kind.shape)]
            longer = TensorType(kind.dtype, shape)(v.name)
        inputs.append(longer)
        copies[v] = longer
        for axis, name in names.items():
            axes.append((k, axis, name))
            if name not in masks:
                masks[name] = vector(f"mask of {name}", "bool", shape=(f"padded_{name}",))
            copies[v] = copies[v][(slice(None),) * axis + (masks[name],)]
    for v in graph.order:
        if v not in copies:
            copies[v] = renewed(v, copies)
    longer_graph = FunctionGraph([*inputs, *masks.values()], [copies[v] for v in graph.outputs])
    return Bucketed(longer_graph, tuple(axes), tuple(masks))


def _axes_of(v: Variable, buckets: Buckets) -> dict[int, str]:
    """The axes of an input that are to be padded."""
    if not isinstance(v.type, TensorType):
        return {}
    names = {a: str(n) for a, n in enumerate(v.type.shape) if isinstance(n, Dim)}
    for text in names.values():
        if text not in buckets and any(name in buckets for name in _words(text)):
            raise ValueError(f"{v!r} has the length {text}: `buckets` can't pad what is computed")
    axes = {a: name for a, name in names.items() if name in buckets}
    if axes and isinstance(v.op, Shared):
        raise ValueError(f"{v!r} is shared: `buckets` pads what a call is given, but no state")
    return axes


def _words(text: str) -> list[str]:
    return "".join(c if c.isalnum() or c == "_" else " " for c in text).split()


def check_buckets(graph: FunctionGraph, masks: int) -> None:
    """Raise DynamicShapeError where `graph`, after masks were lifted, still needs a real length.

    The last `masks` inputs are those of `bucketed`. Elements that are outputs may be chosen.
    """
    own = {v: v.name for v in graph.inputs[len(graph.inputs) - masks :]}
    reached: dict[Variable, Any] = dict(own)
    for v in graph.nodes:
        sources = [reached[i] for i in v.inputs if i in reached]
        if not sources or isinstance(v.op, Length):
            continue
        reached[v] = sources[0]
        if isinstance(kind_of(v), Compress):
            continue
        if any(v.inputs[k] in reached for k in static_positions(v.op, v)):
            _refuse(v, sources[0])
        users = graph.users[v]
        if users and chosen_by_mask(v):
            _refuse(users[0][0], sources[0])


def _refuse(v: Variable, mask: str) -> None:
    name = mask.removeprefix("mask of ")
    origin = f", made at {v.made_at}," if v.made_at else ""
    raise DynamicShapeError(
        f"{v.op}{origin} needs the real length {name!r}, so that padding could change its result: "
        f"leave {name!r} out of `buckets`. What can be padded: elementwise functions, reductions, "
        "products of matrices and vectors, transposes"
    )


def padding(run: Callable[..., Any], plan: Bucketed, buckets: Buckets) -> Callable[..., Any]:
    """`run`, which computes the graph of `plan`, called with the values as they are."""

    def padded(*values: Any) -> tuple[Any, ...]:
        own = [np.asarray(x) if k in touched else x for k, x in enumerate(values)]
        real = {name: own[k].shape[axis] for k, axis, name in plan.axes}
        lengths = {name: max(-(-n // buckets[name]), 1) * buckets[name] for name, n in real.items()}
        for k, axis, name in plan.axes:
            rest = lengths[name] - real[name]
            widths = [(0, rest if a == axis else 0) for a in range(own[k].ndim)]
            own[k] = np.pad(own[k], widths)
        masks = [np.arange(lengths[name]) < real[name] for name in plan.names]
        results: tuple[Any, ...] = run(*own, *masks)
        return results

    touched = {k for k, _, _ in plan.axes}
    return padded
