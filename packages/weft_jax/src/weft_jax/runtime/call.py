"""How a compiled function is called: what stands between the values of a call and JAX."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import jax
import numpy as np

from weft_graph import Constant, FunctionGraph, Variable, ancestors
from weft_graph.extend import PythonLinker, Shared, load_source
from weft_jax.analysis.printing import prints
from weft_jax.analysis.static_values import Plan, plan_for
from weft_jax.compile.compile_stats import Compiles
from weft_jax.compile.tracing import Run, plain
from weft_jax.lowering.on_host import are_tensors, on_host
from weft_jax.lowering.x64 import widened
from weft_jax.runtime.host_memory import is_one_gpu, near
from weft_jax.runtime.runtime_checks import judge
from weft_jax.runtime.traced import Tracer
from weft_tensor import TensorType

__all__ = ["Call", "Strategy", "Variant", "tensor_type"]

Statements = list[str]
"""Lines of Python."""


class Variant(NamedTuple):
    """Another way to compute what a call wants, for some of all calls."""

    test: str
    """Whether a call is computed so: an expression of `on_host` and the names of a `Call`."""
    statements: Statements
    """Leave in `found` the results, and perhaps `Flags` behind them."""
    namespace: dict[str, object]
    """What the names in both stand for."""
    is_whole: bool = False
    """Whether it makes a whole call, of lengths that depend on values, too, and returns."""


@dataclass(frozen=True)
class Call:
    """All that is known of calls of a segment: `run` is what they call.

    It computes the lengths that depend on values, has JAX compute by the first variant that is
    for such values, or else as `jitted` does, awaits the results, and raises errors. Results are
    NumPy arrays, unless all inputs are arrays of JAX: then they are, too, and need not be there
    yet. Where state is kept, they always are.
    """

    graph: FunctionGraph
    """The segment, with the inputs that a call brings."""
    plan: Plan
    tracer: Tracer
    run_steps: Run
    """Computes the graph of the plan, for the tracer."""
    traced: Callable[..., Any]
    """What JAX traces: takes the lengths that depend on values, arrays, and constants."""
    jit: Callable[[Run], Run]
    """Compiles that without further ado."""
    constants: Sequence[jax.Array] = ()
    strategies: Sequence[Strategy] = ()
    """Each says whether there is another way for this call; those before are tried before."""
    updated: Sequence[Variable] | None = None
    """The state that the call replaces, whose new values are the last outputs, if it is kept."""

    @cached_property
    def kinds(self) -> list[TensorType | None]:
        """The types of the results that are tensors."""
        return list(map(tensor_type, self.graph.outputs))

    @cached_property
    def compact(self) -> Run:
        """`traced`, but a single array comes as it is where few elements are computed."""
        if self.updated is not None or len(self.kinds) != 1 or self.kinds[0] is None:
            return self.traced

        def run(*values: object) -> object:
            found = self.traced(*values)
            return found[0] if type(found) is list and len(found) == 1 else found

        return run

    @cached_property
    def names(self) -> list[str]:
        """Those of the values of all inputs."""
        return list(map("x{}".format, range(len(self.graph.inputs))))

    @cached_property
    def arrays(self) -> list[str]:
        """Those of the values that JAX takes as arrays."""
        return list(map("x{}".format, self.plan.arrays))

    @cached_property
    def hidden(self) -> list[str]:
        """Those of the constants."""
        return list(map("c{}".format, range(len(self.constants))))

    @cached_property
    def arguments(self) -> str:
        """All that `traced` takes, in order."""
        sizes = ["*sizes"] if self.plan.sizes else []
        return ", ".join([*sizes, *self.arrays, *self.hidden])

    def are_on_host(self, names: Sequence[str]) -> str:
        """The condition that these are NumPy arrays."""
        return " and ".join(f"type({x}) is ndarray" for x in names) or "True"

    def run(self) -> Run:
        """The generated function."""
        graph, kinds = self.graph, self.kinds
        count = len(kinds)
        namespace: dict[str, Any] = {
            "jitted": self.jit(self.compact),
            "asarray": np.asarray,
            "judge": judge,
            "ndarray": np.ndarray,
            "plain": plain,
            **dict(zip(self.hidden, self.constants, strict=True)),
        }
        lines = [f"def run({', '.join(self.names)}):"]
        pairs = zip(self.names, graph.inputs, strict=True)
        conditions = [f"type({x}) is ndarray" for x, v in pairs if not isinstance(v.op, Shared)]
        lines.append(f"    on_host = {' or '.join(conditions) or 'True'}")
        first, others = self._computing(namespace)
        lines += map("    ".__add__, [*first, *widened(others, namespace)])
        if prints(self.plan.graph):
            namespace["effects_barrier"] = jax.effects_barrier
            lines.append("    effects_barrier()")
        if self.compact is not self.traced:
            namespace["many"] = (list, tuple)
            lines.append("    if type(found) not in many:")
            lines.append("        return (asarray(found) if on_host else found,)")
        arrays = [k for k, kind in enumerate(kinds) if kind]
        if arrays:  # JAX 0.10 aborts where what is read had no memory
            lines.append("    if on_host and type(found) is tuple:")
            lines.append(f"        found[{arrays[0]}].block_until_ready()")
        values = ", ".join([*self.arrays, *self.hidden])
        lines.append(f"    if len(found) > {count}: judge(found[{count}], {values})")
        if None in kinds:  # JAX returns the arrays of such values
            namespace["tree"] = lambda value: jax.tree.map(on_host, value)
            items = [f"{'' if kind else 'tree'}(found[{k}])" for k, kind in enumerate(kinds)]
            lines.append(f"    found = ({', '.join(items)},)")
        if self.updated is None:
            items = [f"{'asarray' if kind else ''}(found[{k}]), " for k, kind in enumerate(kinds)]
            lines.append(f"    if on_host: return ({''.join(items)})")
        lines.append(f"    return found[:{count}]")
        return load_source("run", "\n".join(lines) + "\n", namespace)

    def _computing(self, namespace: dict[str, object]) -> tuple[Statements, Statements]:
        """What makes whole calls, and else gives `found`."""
        variants = [v for strategy in self.strategies if (v := strategy(self)) is not None]
        first: Statements = []
        others: Statements = []
        for variant in variants:
            namespace |= variant.namespace
            lines = first if variant.is_whole else others
            word = "elif" if lines else "if"
            lines.append(f"{word} {variant.test}:")
            lines += map("    ".__add__, variant.statements)
        sizes = _sizes(self, namespace) if self.plan.sizes else []
        otherwise = f"found = jitted({self.arguments})"
        others = [*others, "else:", f"    {otherwise}"] if others else [otherwise]
        return first, [*sizes, *others]


Strategy = Callable[[Call], Variant | None]


def tensor_type(v: Variable) -> TensorType | None:
    """The type of a variable, if that is a tensor."""
    return v.type if isinstance(v.type, TensorType) else None


def _sizes(call: Call, namespace: dict[str, object]) -> Statements:
    """What gives `sizes`, the lengths that depend on values."""
    graph, lengths = call.graph, call.plan.sizes
    constants = [v.op.value for v in lengths if isinstance(v.op, Constant)]
    if len(constants) == len(lengths):
        namespace["sizes"] = list(map(plain, constants))
        return []
    python = PythonLinker()
    host, host_program = python.link(FunctionGraph(graph.inputs, lengths))
    sources = set(ancestors(lengths))
    values = [
        f"asarray({x})" if v in sources and are_tensors(v) else x
        for x, v in zip(call.names, graph.inputs, strict=True)
    ]
    items = [f"plain(n{k})" if are_tensors(v) else f"n{k}" for k, v in enumerate(lengths)]
    names = "".join(f"n{k}, " for k in range(len(lengths)))
    namespace |= {"host": host, "explain": python.explain, "program": host_program}
    namespace |= {"is_one_gpu": is_one_gpu, "by_gpu": _Counting(call)}
    return [
        f"sizes = None if on_host or not is_one_gpu() else by_gpu({', '.join(call.names)})",
        "if sizes is None:",
        "    try:",
        f"        {names}= host({', '.join(values)})",
        f"        sizes = [{', '.join(items)}]",
        "    except Exception as error:",
        "        explain(error, program)",
        "        raise",
    ]


class _Counting:
    """Has JAX compute lengths that depend on values: to bring these to the host takes longer."""

    def __init__(self, call: Call) -> None:
        self.call = call

    @cached_property
    def plan(self) -> Plan | None:
        """How; None if it can't."""
        lengths = self.call.plan.sizes
        plan = plan_for(FunctionGraph(self.call.graph.inputs, lengths))
        return None if plan.sizes or not all(map(are_tensors, lengths)) else plan

    @cached_property
    def jitted(self) -> Run:
        """Computes them, and perhaps `Flags`."""
        plan: Any = self.plan
        compiles = Compiles("lengths", len(plan.graph.nodes))
        tracer = replace(self.call.tracer, compiles=compiles)
        run, _ = tracer.program(plan)
        return jax.jit(lambda *values: near(tracer.traced(plan, run)(*values), plan.graph))

    def __call__(self, *values: Any) -> list[Any] | None:
        """The lengths, if it can."""
        if self.plan is None:
            return None
        arrays = [values[k] for k in self.plan.arrays]
        results: Any = self.jitted(*arrays)
        count = len(self.call.plan.sizes)
        for flags in results[count:]:
            judge(flags, *arrays)
        return list(map(plain, results[:count]))
