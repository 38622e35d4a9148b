"""Functions of many numbers in JAX, each side of a choice computed where it is taken.

XLA computes both sides of a choice, of all elements. Of what takes long and one side alone needs,
the elements that take that side are gathered, and computed in parts of few, so that a loop ends
when those of its part have converged, and sums of many places need no more memory than a part.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import itemgetter
from typing import Any, Final

import jax
import jax.numpy as jnp
from jax import Array, lax

from weft_graph import Constant, FunctionGraph, Item
from weft_graph.extend import Loop, Needs, needed_alone
from weft_jax.lowering.dispatch import jax_funcify
from weft_jax.lowering.x64 import outside_dtype
from weft_tensor import Elemwise, Reduction
from weft_tensor.extend import LOOP, kind_of

__all__ = ["of_vectors", "where_needed"]

Compute = Callable[..., Any]
_PART: Final = 1024


def of_vectors(graph: FunctionGraph) -> Compute:
    """What `graph` makes of vectors of one length, its inputs."""
    constants = {v: v.op.value for v in graph.order if isinstance(v.op, Constant)}
    wide = dict.fromkeys([v for v in graph.nodes if _is_wide(v)])
    needed = {v: _of_places(v, wide) for v in graph.nodes if v not in wide}
    needs = {v: _needs(v, needed[v], wide) for v in needed}
    alone = needed_alone(needs)
    inside = {k for group in alone.values() for k in group}
    functions: dict[Any, Compute] = {
        v: itemgetter(v.op.index) if isinstance(v.op, Item) else jax_funcify(v.op, node=v)
        for v in graph.nodes
    }

    def put(order: Iterable[Any], values: dict[Any, Any]) -> None:
        for v in order:
            groups = [alone.get((v, place), ()) for place in (1, 2)]
            for w in needed[v]:
                if w not in values:
                    values[w] = functions[w](*[values[i] for i in w.inputs])
            arguments: list[Any] = [values.get(i) for i in v.inputs]
            if any(groups):
                mask = arguments[0]
                for place, group in enumerate(groups, 1):
                    if group:
                        where = mask if place == 1 else ~mask
                        arguments[place] = _side(where, v.inputs[place], group, values)
            values[v] = functions[v](*arguments)

    def _side(mask: Array, result: Any, group: Sequence[Any], values: dict[Any, Any]) -> Array:
        members = dict.fromkeys(_with_inner(group, alone))
        begun = [m for m in members if isinstance(m.op, Item) and m.inputs[0] not in members]
        put([m for m in begun if m not in values], values)
        outer = dict.fromkeys(
            [
                *begun,
                *(
                    i
                    for m in members
                    for i in needs[m].arguments
                    if m not in begun and i not in members
                ),
            ]
        )
        arrays = [i for i in outer if i.type.shape[:1] == (None,)]
        numbers = {i: values[i] for i in outer if i not in arrays}
        dtype = outside_dtype(result.type.dtype)

        def compute(*parts: Array) -> Array:
            local = dict(zip(arrays, parts, strict=True)) | numbers
            put([m for m in group if m not in local], local)
            return jnp.broadcast_to(local[result], parts[0].shape[:1])

        return where_needed(compute, mask, [values[i] for i in arrays], dtype)

    def compute(*arrays: Any) -> Any:
        values = dict(zip(graph.inputs, arrays, strict=True)) | constants
        put((v for v in needed if v not in inside), values)
        return values[graph.outputs[0]]

    return compute


def _is_wide(v: Any) -> bool:
    """Whether it has an axis of places: what sums need is computed for each of them."""
    return len(getattr(v.type, "shape", ())) > 1


def _of_places(v: Any, wide: Mapping[Any, None]) -> list[Any]:
    """What has that axis and `v` needs, in order."""
    found: set[Any] = set()
    todo = [*v.inputs]
    while todo:
        w = todo.pop()
        if w in wide and w not in found:
            found.add(w)
            todo += w.inputs
    return [w for w in wide if w in found] if found else []


def _needs(v: Any, places: Sequence[Any], wide: Mapping[Any, None]) -> Needs[Any]:
    op, kind = v.op, kind_of(v)
    is_sum = isinstance(kind, Reduction) and kind.combine == "add"
    is_row = isinstance(op, Elemwise)
    return Needs(
        [i for w in (*places, v) for i in w.inputs if i not in wide],
        chooses=is_row and op.name == "where" and all(_is_vector(i) for i in v.inputs),
        takes_long=lambda: is_sum or isinstance(op, Loop) or (is_row and op.scalar.cost >= LOOP),
    )


def _is_vector(v: Any) -> bool:
    return bool(v.type.shape == (None,))


def _with_inner(group: Iterable[Any], alone: Any) -> Iterable[Any]:
    for v in group:
        yield v
        for place in (1, 2):
            yield from _with_inner(alone.get((v, place), ()), alone)


def where_needed(
    compute: Compute, mask: Array, arrays: Sequence[Array], dtype: Any, part: int = _PART
) -> Array:
    """`compute` of arrays along their first axes, where the mask says so; elsewhere anything.

    A `part` has so many elements: few of what takes longer than to call it, as one element takes
    as long as a part.
    """
    size: Any = mask.size  # in exported graphs a symbol
    if not isinstance(size, int) or size <= 2 * part or jax.default_backend() != "cpu":
        nothing = jnp.zeros(mask.shape, dtype)
        result: Array = lax.cond(mask.any(), compute, lambda *v: nothing, *arrays)
        return result
    if mask.ndim > 1:
        flat = [a.reshape(size, *a.shape[mask.ndim :]) for a in arrays]
        result = where_needed(compute, mask.reshape(-1), flat, dtype, part)
        return result.reshape(mask.shape)
    count = mask.sum()
    chosen = jnp.nonzero(mask, size=-(-size // part) * part, fill_value=jnp.argmax(mask))[0]

    def advance(state: tuple[Array, Array]) -> tuple[Array, Array]:
        k, results = state
        places = lax.dynamic_slice(chosen, (k,), (part,))
        return k + part, results.at[places].set(compute(*[a[places] for a in arrays]))

    first = jnp.zeros((), int), jnp.zeros(size, dtype)
    return lax.while_loop(lambda state: state[0] < count, advance, first)[1]
