"""Calls of functions that compute together what is alike: one vector in, few arrays out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np

from weft_graph import FunctionGraph, Input, Variable
from weft_jax.analysis.sibling_batching import WORTH_IT, Together, computed_together
from weft_jax.analysis.static_values import plan_for
from weft_jax.compile.compile_stats import Compiles
from weft_jax.compile.named_scopes import Names
from weft_jax.compile.tracing import program_of
from weft_jax.compile.xla_options import QUICKLY, Telling, told_for
from weft_jax.lowering.x64 import of_dtype
from weft_jax.runtime.packing import Bundle, Place, unpacked
from weft_jax.runtime.runtime_checks import Bounds, Flags, noting
from weft_tensor import TensorType

__all__ = ["Batched", "may_batch"]

_KEPT: Final = 64
"""For how many sets of shapes compiled programs are kept."""


def may_batch(graph: FunctionGraph) -> bool:
    """Whether to look, at a call, what `graph` does alike."""
    tensors = all(isinstance(v.type, TensorType) for v in graph.inputs)
    given = sum(type(v.op) is Input for v in graph.inputs)
    return tensors and given > 1 and len(graph.nodes) > WORTH_IT


class Batched:
    """`graph` for NumPy arrays, with what is alike computed together.

    Called with the values of its inputs, it returns a list of results, and a `Flags` if anything
    is to be checked; or None where computing together does not pay, which depends on shapes.

    Parameters
    ----------
    graph
        Its inputs are those that JAX takes as arrays.
    funcify, names, bounds
        As for the linker.
    compiles
        What counts how often JAX compiles.

    Examples
    --------
    >>> import weft_tensor as wt
    >>> from weft_jax import jax_funcify
    >>> xs = [wt.vector(f"x{k}", "float32") for k in range(40)]
    >>> graph = FunctionGraph(xs, [wt.exp(wt.square(x - 1)).sum() for x in xs])
    >>> f = Batched(graph, lambda v: jax_funcify(v.op, node=v), {}, "check", Compiles("jax", 160))
    >>> f(*[np.ones(3, "float32")] * 40)[39]
    array(3., dtype=float32)
    >>> f(*[np.ones(k, "float32") for k in range(40)]) is None
    True
    """

    def __init__(
        self,
        graph: FunctionGraph,
        funcify: Callable[[Variable], Callable[..., Any]],
        names: Names,
        bounds: Bounds,
        compiles: Compiles,
    ) -> None:
        self.graph = graph
        self.funcify = funcify
        self.names = names
        self.bounds = bounds
        self.compiles = compiles
        self.made: dict[Any, Any] = {}

    def __call__(self, *values: Any) -> list[Any] | None:
        """The results."""
        shapes = tuple([value.shape for value in values])
        try:
            made = self.made[shapes]
        except KeyError:
            made = self._made(shapes)
        if made is None:
            return None
        together, telling = made
        vector = np.concatenate([values[k] for k in together.joined], None)
        bundle, *flags = telling.run(vector, *[values[k] for k in together.rest])
        return [*unpacked(bundle), *flags]

    def _made(self, shapes: tuple[tuple[int, ...], ...]) -> Any:
        if len(self.made) == _KEPT:
            for made in filter(None, self.made.values()):
                made[1].clear_cache()
            self.made = {}
        try:
            together = computed_together(self.graph, shapes)
        except (TypeError, ValueError):  # they don't fit: what is computed one by one says which
            together = None
        self.made[shapes] = None if together is None else self._compiled(together)
        return self.made[shapes]

    def _compiled(self, together: Together) -> Any:
        """What to call, with the vector and the rest."""
        plan = plan_for(together.graph)
        if plan.sizes or len(plan.arrays) < len(together.graph.inputs):
            return None
        program = program_of(plan, self.funcify, self.names)
        outputs: Sequence[Any] = plan.graph.outputs
        dtypes = [v.type.dtype for v in outputs]

        def traced(*arrays: Any) -> tuple[Any, ...]:
            seen: list[Any] = [None] * len(self.graph.inputs)
            for k, array in zip(together.rest, arrays[1:], strict=True):
                seen[k] = array
            on_cpu = jax.default_backend() == "cpu"
            with (
                noting(program, self.bounds, seen if on_cpu else ()) as checks,
                self.compiles.tracing(arrays),
            ):
                found = program.run(*arrays)
            results = list(map(of_dtype, found, dtypes))
            flags = Flags.of(checks)
            bundle = _bundle(results, together.places)
            return (bundle,) if flags is None else (bundle, flags)

        told, _ = told_for(plan.graph)
        return together, Telling(traced, told | QUICKLY)


def _bundle(results: Sequence[Any], places: Sequence[tuple[int, int | None]]) -> Bundle:
    """The results, rows of which are results for users."""
    found = []
    for array, row in places:
        if row is None:
            found.append(Place(array, 0, 0, None))
        else:
            shape = results[array].shape[1:]
            size = int(np.prod(shape))
            found.append(Place(array, row * size, (row + 1) * size, shape))
    by_row = {array for array, row in places if row is not None}
    arrays = [jnp.ravel(r) if k in by_row else r for k, r in enumerate(results)]
    return Bundle(arrays, tuple(found))
