"""The strategy of packing: many small arrays go as one to a compiled function, and come as one.

Each argument and each result of a call costs microseconds, which for small arrays is more
than copying them. Benchmark `scalars`: 13.5 µs a call in place of 28.8, compiled in 32 ms in
place of 45.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from functools import partial
from typing import Any, Final, NamedTuple

import jax
import numpy as np
from jax import lax

from weft_graph.extend import Shared
from weft_jax.compile.tracing import Run
from weft_jax.compile.xla_options import xla_options_for
from weft_jax.runtime.call import Call, Variant, tensor_type
from weft_jax.runtime.host_memory import near
from weft_jax.runtime.jit_with_options import compiled
from weft_tensor import TensorType

__all__ = [
    "FEWEST",
    "SMALL",
    "Bundle",
    "Packing",
    "Place",
    "chosen",
    "packed",
    "packing_of",
    "unpacked",
    "with_packed_arrays",
]

FEWEST = 4
"""From this many arrays of one dtype on, packing pays."""
_NUMBERS: Final = 2
"""From this many numbers of one dtype on, packing them pays."""
SMALL = 1024
"""Up to this many elements in all."""


def with_packed_arrays(call: Call) -> Variant | None:
    """For small NumPy arrays of one dtype, or a few numbers."""
    inputs = [call.graph.inputs[k] for k in call.plan.arrays]
    types = [None if isinstance(v.op, Shared) else tensor_type(v) for v in inputs]
    packing = packing_of(types, list(map(tensor_type, call.graph.outputs)))
    if not (packing.inputs or packing.bundles):
        return None
    packs = [call.arrays[k] for k in packing.inputs]
    arguments = [*(x for x in call.arrays if x not in packs), *call.hidden]
    test = call.are_on_host(packs) if packs else "on_host"
    static: tuple[int, ...] = ()
    if packing.are_numbers and packs:
        arguments.insert(0, f"array(({', '.join(packs)}))")
    elif not packing.are_numbers:
        test += f" and {' + '.join(f'{x}.size' for x in packs)} <= {SMALL}"
        shapes = "".join(f"{x}.shape, " for x in packs)
        arguments = [f"({shapes})", f"concatenate(({', '.join(packs)}), None)", *arguments]
        static = (0,)
    options, _ = xla_options_for(call.plan.graph)
    run_packed = packed(call.traced, packing, len(call.graph.outputs))

    def whole(*values: Any) -> object:
        return near(run_packed(*values), call.plan.graph)

    function, namespace = compiled("packed", call, whole, options, static)
    run = f"{function}({', '.join(arguments)})"
    statements = [f"found = {run}"]
    if packing.bundles:
        statements = [f"bundle, *flags = {run}", "found = unpacked(bundle) + flags"]
    namespace |= {"array": np.array, "concatenate": np.concatenate, "unpacked": unpacked}
    return Variant(test, statements, namespace)


class Place(NamedTuple):
    """Where a result is: which array, and which part of it."""

    array: int
    start: int
    stop: int
    shape: tuple[int, ...] | None
    """None: the whole array."""


@jax.tree_util.register_pytree_node_class
class Bundle:
    """Results, some of which are parts of one array."""

    def __init__(self, arrays: Sequence[object], places: tuple[Place, ...]) -> None:
        self.arrays = arrays
        self.places = places

    @classmethod
    def of(cls, results: Sequence[Any]) -> Bundle:
        """`results`, the small ones of the most frequent dtype joined.

        >>> import jax.numpy as jnp
        >>> bundle = Bundle.of([jnp.zeros(2), jnp.ones(()), jnp.ones((1, 1)), jnp.zeros(0)])
        >>> len(bundle.arrays), unpacked(bundle)[2]
        (1, array([[1.]], dtype=float32))
        """
        together = chosen([r.dtype if r.size <= SMALL else None for r in results])
        if sum(results[k].size for k in together) > SMALL:
            together = ()
        arrays = [r for k, r in enumerate(results) if k not in set(together)]
        places = []
        start, alone = 0, 0
        for k, r in enumerate(results):
            if k in together:
                places.append(Place(-1, start, start + r.size, r.shape))
                start += r.size
            else:
                places.append(Place(alone, 0, 0, None))
                alone += 1
        if together:
            flat = [lax.reshape(results[k], (results[k].size,)) for k in together]
            arrays.append(lax.concatenate(flat, 0))
        return cls(arrays, tuple(places))

    def tree_flatten(self) -> tuple[Sequence[object], tuple[Place, ...]]:
        """For JAX: the arrays, and where results are as static data."""
        return self.arrays, self.places

    @classmethod
    def tree_unflatten(cls, places: tuple[Place, ...], arrays: Sequence[object]) -> Bundle:
        """For JAX: the opposite."""
        return cls(arrays, places)


def unpacked(bundle: Bundle) -> list[object]:
    """The results in `bundle` as NumPy arrays."""
    arrays = [np.asarray(a) for a in bundle.arrays]
    return [
        arrays[array] if shape is None else arrays[array][start:stop].reshape(shape)
        for array, start, stop, shape in bundle.places
    ]


class Packing(NamedTuple):
    """How arguments and results of a function are packed."""

    inputs: tuple[int, ...] = ()
    """The positions of the arguments that go as one vector."""
    are_numbers: bool = False
    """Whether all of these have rank 0."""
    bundles: bool = False
    """Whether the results come as a `Bundle`."""


def packing_of(
    inputs: Sequence[TensorType | None], outputs: Sequence[TensorType | None]
) -> Packing:
    """What pays; None is no array, or one that JAX keeps.

    Many small arrays go as one, or else a few numbers, which are cheap to put together.

    >>> import weft_tensor as wt
    >>> x, n = wt.dvector().type, wt.dscalar().type
    >>> packing_of([x, n, n], [x])
    Packing(inputs=(1, 2), are_numbers=True, bundles=False)
    >>> packing_of([x, n, n, n, x], [x] * 4)
    Packing(inputs=(0, 1, 2, 3, 4), are_numbers=False, bundles=True)
    """
    bundles = bool(chosen([t and t.dtype for t in outputs]))
    numbers = [t.dtype if t and not t.ndim else None for t in inputs]
    places = chosen([t and t.dtype for t in inputs]) or chosen(numbers, _NUMBERS)
    return Packing(places, all(numbers[k] for k in places), bundles)


def chosen(dtypes: Sequence[object], fewest: int = FEWEST) -> tuple[int, ...]:
    """The positions of the most frequent dtype, if packing pays; None is no dtype.

    >>> chosen(["float64"] * 3 + ["int64", None]), chosen(["float64"] * 4 + ["int64"])
    ((), (0, 1, 2, 3))
    """
    if len(dtypes) < fewest:
        return ()
    frequent = [dtype for dtype in dtypes if dtype is not None]
    if len(frequent) < fewest:
        return ()
    dtype, count = Counter(frequent).most_common(1)[0]
    return tuple([k for k, d in enumerate(dtypes) if d == dtype]) if count >= fewest else ()


def packed(function: Run, packing: Packing, outputs: int) -> Run:
    """`function` of its packed arguments' shapes, a vector of their elements, and the others.

    If nothing is packed, there is no vector. The first `outputs` results are what `packing`
    says, the rest follow as they are.
    """

    def run(shapes: tuple[tuple[int, ...], ...], *arguments: Any) -> object:
        arrays = list(arguments)
        if packing.inputs:
            pieces = lax.split(arrays.pop(0), list(map(math.prod, shapes)))
            for position, piece, shape in zip(packing.inputs, pieces, shapes, strict=True):
                arrays.insert(position, lax.reshape(piece, shape))
        results = function(*arrays)
        if packing.bundles:
            results = Bundle.of(results[:outputs]), *results[outputs:]
        return results

    return partial(run, ((),) * len(packing.inputs)) if packing.are_numbers else run
