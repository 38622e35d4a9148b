"""`map` in Numba: a loop that calls the function of the body, over threads if that is wanted."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Any, Final, NamedTuple

from llvmlite.ir import IRBuilder, Value
from numba.core import cgutils, types
from numba.core.dispatcher import Dispatcher

from weft_graph import Item, Op, OpFromGraph, Print, Variable
from weft_graph.extend import nodes_inside
from weft_numba.llvm.threads import GRAIN, MOST, are_available
from weft_numba.lowering.dispatch import numba_funcify, uses_builtin_lowering
from weft_numba.lowering.intrinsics import intrinsic
from weft_numba.lowering.njit_source import compiled, indices, nest
from weft_numba.numba_layer.linalg.batch_loop import in_chunks
from weft_numba.numba_layer.linalg.blas import I32
from weft_numba.numba_layer.new_array import new_array
from weft_numba.numba_layer.rooms import borrowed
from weft_tensor import Map
from weft_tensor.extend import NO_ELEMENTS, lengths_of_elements

__all__ = ["numba_funcify_map"]

_NODE: Final = 10
"""Nanoseconds that a node of a body takes, besides what it does with elements of arrays.

Measured for matrices of 2, 5 and 20 rows: a density by Cholesky takes 166, 263 and 1183 ns, and
is taken for 138, 210 and 1380; its gradient by the smallest 765, for 520.
"""
_PACE: Final = 4
"""How many of these elements take a nanosecond, about."""


@numba_funcify.register(Map)
def numba_funcify_map(
    op: Map, *, node: Variable, parallel: bool = False, **kwargs: Any
) -> Dispatcher:
    """The body is a function of its own; each result is written to its place.

    With threads, the elements are divided, and what is done for one of them is not.
    """
    lengths_graph = lengths_of_elements(op)
    divided = parallel and lengths_graph is not None and are_available() and _may_run_anywhere(op)
    kwargs |= {"node": node, "parallel": parallel and not divided}
    names = {"steps": numba_funcify(op.body, **kwargs), "new_array": new_array}
    source = _Source(op)
    if lengths_graph is None:
        return compiled(source.of_unknown_shapes(), **names)
    if lengths_graph.outputs:
        lengths = OpFromGraph(lengths_graph.inputs, lengths_graph.outputs, inline=False)
        names["lengths"] = numba_funcify(lengths, **kwargs)
    part = compiled(source.part(), borrowed=borrowed, **names)
    if not divided:
        return compiled(source.whole(), part=part, **names)
    return compiled(source.whole(_chunks(op)), part=part, split=_split, **names)


def _may_run_anywhere(op: Op) -> bool:
    """Whether no step takes Python's lock, for which a thread might wait forever."""
    return all(uses_builtin_lowering(v.op) and type(v.op) is not Print for v in nodes_inside(op))


class _Result(NamedTuple):
    """A result: of sums there is one per chunk, of others one per element, along the first axis."""

    name: str
    value: str
    """What the body gives for one element."""
    kind: Any
    is_summed: bool

    def made(self, make: str, shape: Sequence[str]) -> str:
        """The memory, for results of one element of this shape."""
        dtype = "bool_" if self.kind.dtype == "bool" else self.kind.dtype
        first = "chunks" if self.is_summed else "n"
        return f"{self.name} = {make}(({', '.join([first, *shape])},), {dtype})"

    def each(self, statement: str, depth: int) -> list[str]:
        """Loops over the elements of one result, `{j}` being the indices in the statement."""
        names = indices(self.kind.ndim, "j")
        lengths = [f"{self.name}.shape[{axis + 1}]" for axis in range(len(names))]
        value = f"{self.value}[{', '.join(names)}]" if names else self.value
        line = statement.format(j=", ".join(["", *names]), value=value)
        return nest(lengths, [line], "j", depth)

    def kept(self, depth: int) -> list[str]:
        """What is done with the value for element i of chunk c."""
        pad = "    " * depth
        lines = []
        for axis in range(self.kind.ndim):
            lines.append(f"{pad}if {self.value}.shape[{axis}] != {self.name}.shape[{axis + 1}]:")
            lines.append(f"{pad}    raise ValueError('map: results of different shapes')")
        target = f"{self.name}[c{{j}}] +=" if self.is_summed else f"{self.name}[i{{j}}] ="
        return lines + self.each(f"{target} {{value}}", depth)


class _Source:
    """The source of the functions around a body, which is called `steps`."""

    def __init__(self, op: Map) -> None:
        self.inputs = [f"x{k}" for k in range(len(op.mapped))]
        self.sequences = [x for x, m in zip(self.inputs, op.mapped, strict=True) if m]
        kinds: list[Any] = [v.type for v in op.body.graph.outputs]
        self.results = [
            _Result(f"r{k}", f"v{k}", kind, is_summed)
            for k, (kind, is_summed) in enumerate(zip(kinds, op.summed, strict=True))
        ]
        kinds = [v.type for v in op.body.graph.inputs]
        self.arrays = [
            x
            for x, kind, is_mapped in zip(self.inputs, kinds, op.mapped, strict=True)
            if is_mapped or kind.ndim
        ]
        elements = [f"{x}[i]" if x in self.sequences else x for x in self.inputs]
        values = ", ".join(r.value for r in self.results)
        self.call = f"{values} = steps({', '.join(elements)})"
        self.given = ", ".join(["n", "chunks", *self.inputs, *[r.name for r in self.results]])

    def part(self) -> str:
        """The function of a range of chunks."""
        lines = ["def lowered(begin, end, given):", f"    {self.given} = given"]
        lines += [f"    {x} = borrowed({x})" for x in self.arrays]
        lines.append("    for c in range(begin, end):")
        for r in self.results:
            lines += r.each(f"{r.name}[c{{j}}] = 0", 2) if r.is_summed else []
        lines.append("        for i in range(c * n // chunks, (c + 1) * n // chunks):")
        lines.append(f"            {self.call}")
        for r in self.results:
            lines += r.kept(3)
        return "\n".join(lines) + "\n"

    def whole(self, chunks: Sequence[str] = ()) -> str:
        """The function that makes room for results; `chunks` are lines that say how many."""
        lines = self._head()
        names = [f"l{k}" for k in range(sum(r.kind.ndim for r in self.results))]
        if names:
            lines.append(f"    {', '.join(names)} = lengths({', '.join(self.inputs)})")
        lines += [f"    {line}" for line in chunks or ["chunks = 1"]]
        left = iter(names)
        for r in self.results:
            lines.append(f"    {r.made('new_array', list(islice(left, r.kind.ndim)))}")
        lines.append(f"    given = ({self.given})")
        if chunks:  # what failed is done again, and raises
            lines += ["    if chunks < 2 or split(part, chunks, given):"]
        lines.append(f"    {'    ' if chunks else ''}part(0, chunks, given)")
        for r in self.results:
            if r.is_summed and chunks:
                lines.append("    for c in range(1, chunks):")
                lines += r.each(f"{r.name}[0{{j}}] += {r.name}[c{{j}}]", 2)
        return "\n".join([*lines, self._last()]) + "\n"

    def of_unknown_shapes(self) -> str:
        """The function where the first element says what shapes results have."""
        lines = [*self._head(), "    if n == 0:", f"        raise ValueError({NO_ELEMENTS!r})"]
        lines += ["    c, chunks = 0, 1"]
        lines += [f"    {r.made('new_array', ['0'] * r.kind.ndim)}" for r in self.results]
        lines += ["    for i in range(n):", f"        {self.call}", "        if i == 0:"]
        for r in self.results:
            shape = [f"{r.value}.shape[{axis}]" for axis in range(r.kind.ndim)]
            lines.append(f"            {r.made('np.zeros', shape)}")
        for r in self.results:
            lines += r.kept(2)
        return "\n".join([*lines, self._last()]) + "\n"

    def _head(self) -> list[str]:
        first, *others = self.sequences
        lines = [f"def lowered({', '.join(self.inputs)}):", f"    n = {first}.shape[0]"]
        for x in others:
            lines.append(f"    if {x}.shape[0] != n:")
            lines.append("        raise ValueError('map: sequences of different lengths')")
        return lines

    def _last(self) -> str:
        return "    return " + ", ".join(
            f"{r.name}[0]" if r.is_summed else r.name for r in self.results
        )


def _chunks(op: Map) -> list[str]:
    """Lines that say into how many chunks to cut the work."""
    nodes = sum(1 for v in nodes_inside(op) if type(v.op) is not Item)
    sizes = []
    for k, (v, is_mapped) in enumerate(zip(op.body.graph.inputs, op.mapped, strict=True)):
        kind: Any = v.type
        if kind.ndim:
            sizes.append(f"x{k}.size // (n or 1)" if is_mapped else f"x{k}.size")
    size = " + ".join(sizes) or "0"
    each = f"{nodes} * ({_NODE} + ({size}) // {_PACE})"
    return [f"chunks = max(1, min(n, {MOST}, n * ({each}) // {GRAIN}))"]


@intrinsic
def _split(typing_context: object, part: Any, chunks: types.Type, values: types.Type) -> Any:
    """part(k, k + 1, values) for every chunk k, over threads; not 0 if one of them failed."""
    signature = part.get_call_type(typing_context, (types.intp, types.intp, values), {})

    def write(context: Any, builder: IRBuilder, sig: Any, args: Sequence[Value]) -> Value:
        compiled_part = part.dispatcher.overloads[signature.args]
        context.active_code_library.add_linking_library(compiled_part.library)
        place = cgutils.alloca_once_value(builder, args[2])

        def range_of_chunks(inside: IRBuilder, begin: Value, end: Value, at: Value) -> Value:
            status, _ = context.call_internal_no_propagate(
                inside, compiled_part.fndesc, signature, [begin, end, inside.load(at)]
            )
            return inside.zext(status.is_error, I32)

        name = f"{compiled_part.fndesc.mangled_name}_range"
        count = args[1]
        return in_chunks(context, builder, name, count, count, [place], range_of_chunks)

    return types.int32(part, types.intp, values), write
