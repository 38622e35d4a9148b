"""Lazy branches in JAX."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array
from jax.extend.core import jaxpr_as_fun

from weft_graph import OpFromGraph
from weft_graph.extend import Branch
from weft_jax.lowering.dispatch import Lowering, jax_funcify
from weft_jax.ops.control.ifelse import refuse_other_shapes
from weft_jax.ops.control.op_from_graph import inner_function
from weft_jax.runtime.runtime_checks import Failure, noting, require
from weft_tensor.extend import Undefined

__all__ = ["jax_funcify_branch"]


@jax_funcify.register(Branch)
def jax_funcify_branch(op: Branch, **kwargs: object) -> Lowering:
    """`jax.lax.cond`; where the condition is known while JAX traces, what it chooses."""
    cases = [_Case(op.on_true), _Case(op.on_false)]

    def branch(condition: Any, *values: Any) -> object:
        if not isinstance(condition, jax.core.Tracer):
            results = cases[0 if condition else 1].run(*values)
            return results if len(results) > 1 else results[0]
        places = [k for k, x in enumerate(values) if isinstance(x, jax.Array)]
        then, otherwise = [case.traced(values, places) for case in cases]
        results, holds = jax.lax.cond(
            condition,
            then.beside(otherwise, first=True),
            otherwise.beside(then, first=False),
            *[values[k] for k in places],
        )
        for k, failure in enumerate(then.failures + otherwise.failures):
            require(holds[k], failure.made)
        return results if len(results) > 1 else results[0]

    return branch


class _Case:
    """One graph of a Branch."""

    def __init__(self, op: OpFromGraph) -> None:
        self.run = inner_function(op)
        self.blank = [type(v.op) is Undefined for v in op.graph.outputs]

    def traced(self, values: Sequence[Array], places: Sequence[int]) -> _Traced:
        """The case as JAX's own program, of the values at `places`; the others are numbers."""
        failures: list[Failure] = []

        def whole(*arrays: Array) -> object:
            arguments = list(values)
            for k, array in zip(places, arrays, strict=True):
                arguments[k] = array
            with noting() as checks:
                results = self.run(*arguments)
            failures.extend(checks.failures)
            return results, jnp.array(checks.conditions, bool)

        jaxpr, (shapes, _) = jax.make_jaxpr(whole, return_shape=True)(*[values[k] for k in places])
        return _Traced(jaxpr_as_fun(jaxpr), shapes, self.blank, failures)


class _Traced:
    """One case as JAX's own program, with the failures that its conditions prevent."""

    def __init__(
        self,
        run: Lowering,
        shapes: Sequence[Array],
        blank: Sequence[bool],
        failures: list[Failure],
    ) -> None:
        self.run = run
        self.shapes = shapes
        self.blank = blank
        self.failures = failures

    def beside(self, other: _Traced, *, first: bool) -> Lowering:
        """The case with results of the same shapes, and flags for the same conditions, as `other`.

        The conditions of the `first` case come first.
        """
        for mine, its, blank in zip(self.shapes, other.shapes, self._blank(other), strict=True):
            if not blank:
                refuse_other_shapes(mine.shape, its.shape)
        idle = jnp.ones(len(other.failures), bool)

        def run(*arrays: Array) -> object:
            *results, holds = self.run(*arrays)
            outputs = tuple(
                jnp.zeros(its.shape, its.dtype) if blank else result
                for result, its, blank in zip(results, other.shapes, self.blank, strict=True)
            )
            return outputs, jnp.concatenate([holds, idle] if first else [idle, holds])

        return run

    def _blank(self, other: _Traced) -> list[bool]:
        return [a or b for a, b in zip(self.blank, other.blank, strict=True)]
