"""`Recurrence` in Numba: a loop that calls the function of the body; states stay in registers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from numba.core.dispatcher import Dispatcher

from weft_graph import OpFromGraph, Variable
from weft_numba.lowering.dispatch import numba_funcify
from weft_numba.lowering.njit_source import compiled, indices, nest
from weft_tensor import Recurrence
from weft_tensor.extend import NO_STEP, lengths_of_steps

__all__ = ["numba_funcify_recurrence"]


@numba_funcify.register(Recurrence)
def numba_funcify_recurrence(op: Recurrence, *, node: Variable, **kwargs: Any) -> Dispatcher:
    """The body is a function of its own; each result is written to its place."""
    names = {"steps": numba_funcify(op.body, node=node, **kwargs)}
    source = _Source(op)
    known = lengths_of_steps(op) if source.results else None
    if known is not None and known.outputs:
        lengths = OpFromGraph(known.inputs, known.outputs, inline=False)
        names["lengths"] = numba_funcify(lengths, node=node, **kwargs)
    return compiled(source.text(known is not None), **names)


class _Value(NamedTuple):
    """What a step gives: a state or a result."""

    name: str
    """Of the array of all values."""
    step: str
    """What a step gives."""
    kind: Any
    number: int
    """Which of the states it is, or of the results."""

    def made(self, rows: str, shape: Sequence[str]) -> str:
        """The memory for all values."""
        dtype = "bool_" if self.kind.dtype == "bool" else self.kind.dtype
        return f"{self.name} = np.empty(({', '.join([rows, *shape])},), {dtype})"

    def stored(self, row: str, value: str, depth: int) -> list[str]:
        """`value` is written to a row."""
        names = indices(self.kind.ndim, "j")
        lengths = [f"{self.name}.shape[{axis + 1}]" for axis in range(len(names))]
        target = f"{self.name}[{', '.join([row, *names])}]"
        line = f"{target} = {value}[{', '.join(names)}]" if names else f"{target} = {value}"
        return nest(lengths, [line], "j", depth)

    def checked(self, other: str, first: int, what: str, depth: int) -> list[str]:
        """The shape of what the step gives is compared with that of `other` from axis `first`."""
        pad = "    " * depth
        lines = []
        for axis in range(self.kind.ndim):
            lines.append(f"{pad}if {self.step}.shape[{axis}] != {other}.shape[{axis + first}]:")
            lines.append(f"{pad}    raise ValueError('loop: {what} {self.number} {_CHANGES}')")
        return lines


_CHANGES = "changes its shape from step to step: all must have one shape"


class _Source:
    """The source of the loop around the body, which is called `steps`."""

    def __init__(self, op: Recurrence) -> None:
        self.op = op
        inputs = [f"x{k}" for k in range(len(op.body.graph.inputs))]
        self.inputs = op.parts(inputs)
        kinds: list[Any] = [v.type for v in op.body.graph.outputs]
        count = len(op.kept)
        self.states = [_Value(f"t{k}", f"v{k}", kinds[k], k) for k in range(count)]
        self.results = [
            _Value(f"r{k}", f"v{k}", kinds[k], k - count)
            for k in range(count, len(kinds) - op.conditional)
        ]
        self.given = ["n", *inputs]
        self.arguments = [*[f"{x}[i]" for x in self.inputs.sequences]]
        self.arguments += [f"s{k}" for k in range(count)] + list(self.inputs.others)
        self.values = [f"v{k}" for k in range(len(kinds))]

    def text(self, shapes_are_known: bool) -> str:
        """The function; of results whose shapes are not known, the first step tells them."""
        op = self.op
        lines = [f"def lowered({', '.join(self.given)}):", *self._head()]
        if self.results and not shapes_are_known:
            lines += ["    if n == 0:", f"        raise ValueError({NO_STEP!r})"]
            lines += [f"    {r.made('0', ['0'] * r.kind.ndim)}" for r in self.results]
        elif self.results:
            lines += self._room()
        lines.append("    made = 0")
        lines.append("    for m in range(n):")
        lines.append(f"        i = {'n - 1 - m' if op.backwards else 'm'}")
        lines.append(f"        {', '.join(self.values)} = steps({', '.join(self.arguments)})")
        lines.append("        made += 1")
        if self.results and not shapes_are_known:
            lines.append("        if m == 0:")
            for r in self.results:
                shape = [f"{r.step}.shape[{axis}]" for axis in range(r.kind.ndim)]
                lines.append(f"            {r.made('n', shape)}")
        for s in self.states:
            lines += s.checked(f"s{s.number}", 0, "state", 2)
            lines.append(f"        s{s.number} = {s.step}")
            if op.kept[s.number]:
                lines += s.stored("i" if op.backwards else "i + 1", s.step, 2)
        for r in self.results:
            lines += r.checked(r.name, 1, "result", 2) + r.stored("i", r.step, 2)
        if op.conditional:
            lines += [f"        if not {self.values[-1]}:", "            break"]
        return "\n".join([*lines, self._last()]) + "\n"

    def _head(self) -> list[str]:
        op = self.op
        lines = ["    if n < 0:"]
        lines.append("        raise ValueError('loop: the number of steps is negative')")
        for k, x in enumerate(self.inputs.sequences):
            lines.append(f"    if {x}.shape[0] != n:")
            lines.append(
                f"        raise ValueError('loop: sequence {k} has not one element a step')"
            )
        for s, x in zip(self.states, self.inputs.states, strict=True):
            lines.append(
                f"    s{s.number} = {x}.copy()" if s.kind.ndim else f"    s{s.number} = {x}"
            )
            if op.kept[s.number]:
                shape = [f"{x}.shape[{axis}]" for axis in range(s.kind.ndim)]
                lines.append(f"    {s.made('n + 1', shape)}")
                lines += s.stored("n" if op.backwards else "0", x, 1)
        return lines

    def _room(self) -> list[str]:
        """Memory for results, of the lengths that the inputs tell."""
        ranks = [v.kind.ndim for v in (*self.states, *self.results)]
        names = [f"l{k}" for k in range(sum(ranks))]
        lines = []
        if names:
            inputs = ", ".join(self.given[1:])
            lines.append(f"    {', '.join(names)} = lengths({inputs})")
        left = iter(names)
        shapes = [[next(left) for _ in range(rank)] for rank in ranks][len(self.states) :]
        return lines + [f"    {r.made('n', s)}" for r, s in zip(self.results, shapes, strict=True)]

    def _last(self) -> str:
        lasts = [
            s.name if is_kept else f"s{s.number}.copy()" if s.kind.ndim else f"s{s.number}"
            for s, is_kept in zip(self.states, self.op.kept, strict=True)
        ]
        return "    return " + ", ".join(
            [*lasts, *[r.name for r in self.results], *["made"] * self.op.conditional]
        )
