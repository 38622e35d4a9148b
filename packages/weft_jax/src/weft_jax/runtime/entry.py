"""The generated function between the values of a call and what JAX compiled."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np

from weft_graph import FunctionGraph, Print, Variable, ancestors
from weft_graph.extend import PythonLinker, Shared, load_source
from weft_jax.analysis.static_values import Plan
from weft_jax.compile.tracing import plain
from weft_jax.compile.xla_options import FEW, Telling, told_for
from weft_jax.lowering.on_host import are_tensors, on_host
from weft_jax.lowering.x64 import widened
from weft_jax.runtime.batched_call import Batched
from weft_jax.runtime.packing import SMALL, Packing, packed, packing_of, unpacked
from weft_tensor import TensorType

__all__ = ["call_of"]


def call_of(
    graph: FunctionGraph,
    plan: Plan,
    jitted: Callable[..., Any],
    constants: Sequence[Any] = (),
    small: Callable[..., Any] | None = None,
    batched: Batched | None = None,
    *,
    keep: bool = False,
) -> Callable[..., Any]:
    """The function that computes the sizes, calls, awaits the results and raises errors.

    Results are NumPy arrays, unless all inputs are arrays of JAX: then they are, too, and
    need not be there yet. With `keep` they always are. `constants` are further arguments of
    `jitted`. `small` is what may be compiled once more for small arrays, which go as one;
    `batched` what computes together what is alike.
    """
    names = [f"x{k}" for k in range(len(graph.inputs))]
    given = [x for x, v in zip(names, graph.inputs, strict=True) if not isinstance(v.op, Shared)]
    count = len(graph.outputs)
    namespace: dict[str, Any] = {
        "jitted": jitted,
        "array": np.array,
        "asarray": np.asarray,
        "concatenate": np.concatenate,
        "ndarray": np.ndarray,
        "plain": plain,
    }
    passed = {f"c{k}": value for k, value in enumerate(constants)}
    namespace |= passed
    arguments = values = [*(names[k] for k in plan.arrays), *passed]
    lines = [f"def run({', '.join(names)}):"]
    if plan.sizes:
        lines += _sizes(graph, plan, names, namespace)
        arguments = ["*sizes", *values]
    is_on_host = " or ".join(f"type({x}) is ndarray" for x in given) or "True"
    compiled = "jitted.run" if isinstance(jitted, Telling) else "jitted"
    call = f"found = {compiled}({', '.join(arguments)})"
    lines.append(f"    on_host = {is_on_host}")
    calls = [call]
    if small and not plan.sizes:
        told, only_small = told_for(plan.graph)
        if told and all(isinstance(v.type, TensorType) for v in graph.inputs):
            namespace["telling"] = Telling(small, told)
            total = " + ".join(f"{names[k]}.size" for k in plan.arrays) or "0"
            fits = f" and {total} <= {FEW}" if only_small else ""
            calls = [call.replace("jitted", f"(telling if on_host{fits} else jitted)")]
        if packing := _packing(graph, plan):
            arrays, static = [names[k] for k in plan.arrays], () if packing.are_numbers else (0,)
            calls = _packed(packing, arrays, list(passed), calls[0])
            whole = packed(small, packing, count)
            namespace["packed"] = Telling(whole, told, static_argnums=static)
            namespace["unpacked"] = unpacked
    if batched is not None:
        namespace["batched"] = batched
        condition = " and ".join(f"type({names[k]}) is ndarray" for k in plan.arrays)
        calls = [
            f"found = batched({', '.join(values)}) if {condition} else None",
            "if found is None:",
            *["    " + line for line in calls],
        ]
    lines += ["    " + line for line in widened(calls, namespace)]
    if any(isinstance(v.op, Print) for v in plan.graph.nodes):
        namespace["effects_barrier"] = jax.effects_barrier
        lines.append("    effects_barrier()")
    lines.append(f"    if len(found) > {count}: found[{count}].judge({', '.join(values)})")
    if not are_tensors(*graph.outputs):  # JAX returns the arrays of such values
        namespace["tree"] = lambda value: jax.tree.map(on_host, value)
        taken = [f"{'' if _tensor(v) else 'tree'}(found[{k}])" for k, v in enumerate(graph.outputs)]
        lines.append(f"    found = ({', '.join(taken)},)")
    if not keep:
        results = "".join(
            f"{'asarray' if _tensor(v) else ''}(found[{k}]), " for k, v in enumerate(graph.outputs)
        )
        lines.append(f"    if on_host: return ({results})")
    lines.append(f"    return found[:{count}]")
    return load_source("run", "\n".join(lines) + "\n", namespace)


def _sizes(
    graph: FunctionGraph, plan: Plan, names: list[str], namespace: dict[str, Any]
) -> list[str]:
    python = PythonLinker()
    host, host_program = python.link(FunctionGraph(graph.inputs, plan.sizes))
    needed = set(ancestors(plan.sizes))
    others = {k for k, v in enumerate(plan.sizes) if not _tensor(v)}
    values = [
        f"asarray({x})" if v in needed and _tensor(v) else x
        for x, v in zip(names, graph.inputs, strict=True)
    ]
    numbers = f"host({', '.join(values)})"
    sizes = f"[plain(n) for n in {numbers}]"
    if others:
        sizes = f"[n if k in {others} else plain(n) for k, n in enumerate({numbers})]"
    namespace |= {"host": host, "explain": python.explain, "program": host_program}
    return [
        "    try:",
        f"        sizes = {sizes}",
        "    except Exception as error:",
        "        explain(error, program)",
        "        raise",
    ]


def _packing(graph: FunctionGraph, plan: Plan) -> Packing:
    inputs = [graph.inputs[k] for k in plan.arrays]
    kept = [None if isinstance(v.op, Shared) else _tensor(v) for v in inputs]
    return packing_of(kept, list(map(_tensor, graph.outputs)))


def _packed(packing: Packing, names: list[str], passed: list[str], otherwise: str) -> list[str]:
    """The lines of a call with what is packed, if that comes from NumPy and is small."""
    pack = [names[k] for k in packing.inputs]
    arguments = [*(x for x in names if x not in pack), *passed]
    condition = " and ".join(f"type({x}) is ndarray" for x in pack) or "on_host"
    if not packing.are_numbers:
        condition += f" and {' + '.join(f'{x}.size' for x in pack)} <= {SMALL}"
        shapes = "".join(f"{x}.shape, " for x in pack)
        arguments = [f"({shapes})", f"concatenate(({', '.join(pack)}), None)", *arguments]
    elif pack:
        arguments.insert(0, f"array(({', '.join(pack)}))")
    call = f"packed.run({', '.join(arguments)})"
    taken = ["bundle, *flags = " + call, "found = unpacked(bundle) + flags"]
    calls = taken if packing.bundles else ["found = " + call]
    return [f"if {condition}:", *["    " + line for line in calls], "else:", f"    {otherwise}"]


def _tensor(v: Variable) -> TensorType | None:
    return v.type if isinstance(v.type, TensorType) else None
