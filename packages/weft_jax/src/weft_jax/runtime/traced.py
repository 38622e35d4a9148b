"""What JAX traces of a segment: its outputs, and what the host is to check."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from weft_graph import Variable
from weft_graph.extend import Program
from weft_jax.analysis.static_values import Plan
from weft_jax.compile.compile_stats import Compiles
from weft_jax.compile.named_scopes import Names
from weft_jax.compile.recomputation import recomputes
from weft_jax.compile.separate_calls import in_calls
from weft_jax.compile.tracing import Run, elements, program_of
from weft_jax.lowering.x64 import of_dtype
from weft_jax.runtime.host_memory import near
from weft_jax.runtime.runtime_checks import Bounds, Flags, noting
from weft_tensor import TensorType

__all__ = ["Tracer"]


@dataclass(frozen=True)
class Tracer:
    """Makes what JAX traces of the graphs of one segment."""

    funcify: Callable[[Variable], Callable[..., Any]]
    names: Names
    bounds: Bounds
    compiles: Compiles
    """What counts how often JAX compiles, and knows which lengths come first."""
    host_looks: bool
    """Whether who calls has all arguments, and can look at their values on a CPU."""

    def program(self, plan: Plan) -> tuple[Run, Program]:
        """The graph of `plan` as a function, and its source."""
        return program_of(plan, self.funcify, self.names)

    def traced(
        self,
        plan: Plan,
        run: Run,
        places: Sequence[int | None] | None = None,
        *,
        speculates: bool = False,
    ) -> Run:
        """`run`, which computes `plan`: its results, with `Flags` if anything is to be checked.

        They come as a list if few elements are computed, else as a tuple.
        `places` says where the arguments behind the lengths are among those of a call, if the host
        has them there; by default in order.
        """
        width = len(plan.sizes)

        def traced(*values: object) -> Sequence[object]:
            before = elements()
            looks = self.host_looks and jax.default_backend() == "cpu"
            order = range(len(values) - width) if places is None else places
            pairs = zip(order, values[width:], strict=True) if looks else ()
            arguments = {k: value for k, value in pairs if k is not None}
            checking = noting(self.bounds, arguments, speculates=speculates)
            with checking as checks, self.compiles.tracing(values):
                arrays = [_as_jax(value) for value in values]
                results = run(*arrays)
            kinds = [v.type for v in plan.graph.outputs]
            outputs = tuple(
                _apart(of_dtype(r, kind.dtype), arrays) if isinstance(kind, TensorType) else r
                for r, kind in zip(results, kinds, strict=True)
            )
            flags = Flags.of(checks)
            found = outputs if flags is None else (*outputs, near(flags, plan.graph))
            return list(found) if elements() - before <= _FEW else found

        return in_calls(traced, width) if recomputes(plan.graph) else traced


_FEW = 2**17
"""For so many elements there is memory, where there is for what JAX takes to compute them."""


def _apart(result: Any, arguments: Sequence[object]) -> Any:
    """`result` in memory of its own: JAX would hand on an argument, which others may delete."""
    return jnp.copy(result) if any(result is a for a in arguments) else result


def _as_jax(value: object) -> object:
    """`value` as JAX has it, where it is not tracing."""
    return jnp.asarray(value) if isinstance(value, np.ndarray) else value
