"""The generated function between the values of a call and what JAX compiled."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import jax
import numpy as np

from weft_graph import (
    FunctionGraph,
    Print,
    Program,
    PythonLinker,
    Reference,
    Shared,
    Variable,
    ancestors,
    load_source,
)
from weft_jax.batched import Batched
from weft_jax.faults import better_error
from weft_jax.options import FEW, jit_told, told_for
from weft_jax.packing import SMALL, chosen, packed, unpacked
from weft_jax.precision import widened
from weft_jax.program import plain
from weft_jax.static import Plan
from weft_tensor import TensorType

__all__ = ["call_of"]


def call_of(
    graph: FunctionGraph,
    plan: Plan,
    jitted: Callable[..., Any],
    program: Program,
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
    results = [f"r{k}" for k in range(len(graph.outputs))]
    assigned = "".join(f"{r}, " for r in results)
    namespace: dict[str, Any] = {
        "jitted": jitted,
        "asarray": np.asarray,
        "concatenate": np.concatenate,
        "ndarray": np.ndarray,
        "plain": plain,
        "better": better_error(Reference(graph), program),
    }
    passed = {f"c{k}": value for k, value in enumerate(constants)}
    namespace |= passed
    arguments = values = [*(names[k] for k in plan.arrays), *passed]
    lines = [f"def run({', '.join(names)}):"]
    if plan.sizes:
        lines += _sizes(graph, plan, names, namespace)
        arguments = ["*sizes", *values]
    on_host = " or ".join(f"type({x}) is ndarray" for x in given) or "True"
    count = len(results)
    call = f"found = jitted({', '.join(arguments)})"
    taken = [
        f"    if len(found) > {count}:",
        f"        error = found[{count}].first({', '.join(values)})",
        "        if error: raise error",
        f"        found = found[:{count}]",
    ]
    taken += [f"    {assigned}= found"] if results else []
    lines += [f"    on_host = {on_host}", "    try:"]
    told = told_for(plan.graph) if small is not None and not plan.sizes else None
    pack = _packing(
        graph, plan, small, namespace, partial(jit_told, told=told[0]) if told else jax.jit
    )
    calls = [call]
    if small and told and all(isinstance(v.type, TensorType) for v in graph.inputs):
        namespace["jit_told"] = jit_told(small, told[0])
        total = " + ".join(f"{names[k]}.size" for k in plan.arrays) or "0"
        fits = f" and {total} <= {FEW}" if told[1] else ""
        calls = [call.replace("jitted", f"(jit_told() if on_host{fits} else jitted)")]
    if "packed" in namespace:
        small_arrays = [names[k] for k in pack]
        arguments = [*(names[k] for k in plan.arrays if k not in pack), *passed]
        if pack:
            arguments.insert(0, f"concatenate(({', '.join(small_arrays)}), None)")
        condition = " and ".join(f"type({x}) is ndarray" for x in small_arrays) or "on_host"
        condition += f" and {' + '.join(f'{x}.size' for x in small_arrays)} <= {SMALL}" * bool(pack)
        shapes = "".join(f"{x}.shape, " for x in small_arrays)
        bundled = "packed()" if told else "packed"
        calls = [
            f"if {condition}:",
            f"    bundle, *flags = {bundled}({', '.join([f'({shapes})', *arguments])})",
            "    found = unpacked(bundle) + flags",
            "else:",
            f"    {calls[0]}",
        ]
    if batched is not None:
        namespace["batched"] = batched
        condition = " and ".join(f"type({names[k]}) is ndarray" for k in plan.arrays)
        calls = [
            f"found = batched({', '.join(values)}) if {condition} else None",
            "if found is None:",
            *["    " + line for line in calls],
        ]
    lines += ["        " + line for line in widened(calls, namespace)]
    explained = [
        "except Exception as error:",
        f"    fault = better({', '.join(['error', *names])})",
        "    if fault is error: raise",
        "    raise fault from error",
    ]
    lines += ["    " + line for line in explained]
    if any(isinstance(v.op, Print) for v in plan.graph.nodes):
        namespace["effects_barrier"] = jax.effects_barrier
        lines.append("    effects_barrier()")
    lines += taken
    if results and not keep:
        awaited = "".join(f"asarray({r}), " for r in results)  # where some errors come first
        lines += ["    if on_host:", f"        try: return ({awaited})"]
        lines += ["        " + line for line in explained]
    lines.append(f"    return ({assigned})")
    return load_source("run", "\n".join(lines) + "\n", namespace)


def _sizes(
    graph: FunctionGraph, plan: Plan, names: list[str], namespace: dict[str, Any]
) -> list[str]:
    python = PythonLinker()
    host, host_program = python.link(FunctionGraph(graph.inputs, plan.sizes))
    needed = set(ancestors(plan.sizes))
    values = [
        f"asarray({x})" if v in needed else x for x, v in zip(names, graph.inputs, strict=True)
    ]
    namespace |= {"host": host, "explain": python.explain, "program": host_program}
    return [
        "    try:",
        f"        sizes = [plain(n) for n in host({', '.join(values)})]",
        "    except Exception as error:",
        "        explain(error, program)",
        "        raise",
    ]


def _packing(
    graph: FunctionGraph,
    plan: Plan,
    small: Callable[..., Any] | None,
    namespace: dict[str, Any],
    jit: Callable[..., Any],
) -> list[int]:
    """The positions of inputs that go as one if they are small."""
    if small is None or plan.sizes:
        return []
    inputs = [graph.inputs[k] for k in plan.arrays]
    places = chosen([None if isinstance(v.op, Shared) else _dtype(v) for v in inputs])
    if places or chosen(list(map(_dtype, graph.outputs))):
        bundled = jit(packed(small, places, len(graph.outputs)), static_argnums=0)
        namespace |= {"packed": bundled, "unpacked": unpacked}
    return [plan.arrays[k] for k in places]


def _dtype(v: Variable) -> str | None:
    return v.type.dtype if isinstance(v.type, TensorType) else None
