"""Indexing and updates in Numba: views for slices, loop nests for index arrays and updates."""

from __future__ import annotations

from typing import Any

from weft_graph import Variable
from weft_numba.dispatch import numba_funcify
from weft_numba.length import count_steps, slice_ends
from weft_numba.source import broadcast, compiled, nest, njit
from weft_numba.views import Cut, Kept, New, Part, Picked, view
from weft_tensor import ARRAY, NEW, SCALAR, Index, IndexUpdate, Slice, advanced_place

__all__ = ["numba_funcify_index", "numba_funcify_index_update"]


@njit
def wrapped(i: Any, n: Any) -> Any:
    """An index counted from 0; IndexError if it is out of bounds."""
    if i < -n or i >= n:
        raise IndexError("index is out of bounds")
    return i + n if i < 0 else i


class Plan:
    """The source that walks over `x[entries]`.

    `names` are the Op's inputs after x; `setup` finds `lengths`, those of the result; inside
    loops over these (i0, i1, ...), `inner` finds where in x the element is: `place`.
    """

    def __init__(self, entries: Any, x: Any, values: list[Any]) -> None:
        self.names: list[str] = []
        self.setup: list[str] = []
        self.inner: list[str] = []
        self._values = iter(values)
        arrays: list[tuple[str, Any]] = []
        sliced: list[tuple[int, str]] = []  # (axis of x, its slice's length)
        order: list[str] = []
        advanced = advanced_place(entries)
        at = None
        axis = 0
        for position, e in enumerate(entries):
            if position == advanced:
                at = len(order)
            if e == NEW:
                order.append("1")
                continue
            if isinstance(e, Slice):
                order.append(self._slice(axis, e))
                sliced.append((axis, order[-1]))
            elif e == ARRAY:
                arrays.append((self._name(), (axis, next(self._values))))
            else:
                value = self._name() if e == SCALAR else str(e)
                if e == SCALAR:
                    next(self._values)
                self.setup.append(f"j{axis} = wrapped({value}, x.shape[{axis}])")
            axis += 1
        rank = self._broadcast([(name, v.ndim) for name, (_, v) in arrays])
        at = at or 0
        order[at:at] = [f"b{k}" for k in range(rank)]
        self.lengths = order
        self.loops = {name: f"i{k}" for k, name in enumerate(order)}
        for name, (a, v) in arrays:
            read = [f"i{at + rank - v.ndim + k} * s_{name}_{k}" for k in range(v.ndim)]
            self.inner.append(f"j{a} = wrapped({name}[{', '.join(read)}], x.shape[{a}])")
        for a, length in sliced:
            self.inner.append(f"j{a} = begin{a} + {self.loops[length]} * step{a}")
        self.place = ", ".join(f"j{a}" for a in range(x.ndim))

    def _name(self) -> str:
        self.names.append(f"v{len(self.names)}")
        return self.names[-1]

    def _slice(self, axis: int, part: Slice) -> str:
        given = []
        for k, p in enumerate(part):
            if p == SCALAR:
                given.append(self._name())
                next(self._values)
            else:
                given.append(str(p if p is not None else (1 if k == 2 else 0)))
        has = f"{part.start is not None}, {part.stop is not None}"
        self.setup += [
            f"step{axis} = {given[2]}",
            f"begin{axis}, end{axis} = slice_ends(x.shape[{axis}], {given[0]}, {given[1]}, "
            f"step{axis}, {has})",
            f"n{axis} = count_steps(0, begin{axis}, end{axis}, step{axis})",
        ]
        return f"n{axis}"

    def _broadcast(self, arrays: list[tuple[str, int]]) -> int:
        """Statements for the lengths b0, b1, ... of the broadcast index arrays; their number."""
        rank = max([ndim for _, ndim in arrays], default=0)
        for k in range(rank):
            owners = [(name, k - (rank - ndim)) for name, ndim in arrays if k >= rank - ndim]
            lengths = [f"{name}.shape[{own}]" for name, own in owners]
            self.setup += broadcast(f"b{k}", lengths, "IndexError")
            for (name, own), length in zip(owners, lengths, strict=True):
                self.setup.append(f"s_{name}_{own} = {length} != 1")
        return rank


_WORDS = {
    "count_steps": count_steps,
    "slice_ends": slice_ends,
    "wrapped": wrapped,
}


@numba_funcify.register(Index)
def numba_funcify_index(op: Index, *, node: Variable, **kwargs: Any) -> Any:
    """A view, or a copy where index arrays are involved."""
    given: list[Any] = [v.type for v in node.inputs]
    x, *values = given
    out: Any = node.type
    plan = Plan(op.entries, x, values)
    lines = [f"def lowered({', '.join(['x', *plan.names])}):"]
    if x.ndim and ARRAY not in op.entries:
        return view(_parts(op.entries))
    if not x.ndim:
        if out.ndim:
            lines.append(f"    return np.full(({'1, ' * out.ndim}), x)")
        else:
            lines.append("    return x")
        return compiled("\n".join(lines) + "\n")
    lines += ["    " + line for line in plan.setup]
    shape = "".join(n + ", " for n in plan.lengths)
    lines.append(f"    out = np.empty(({shape}), {out.dtype})")
    target = ", ".join(f"i{k}" for k in range(out.ndim))
    lines += nest(plan.lengths, [*plan.inner, f"out[{target}] = x[{plan.place}]"])
    lines.append("    return out")
    return compiled("\n".join(lines) + "\n", **_WORDS)


def _parts(entries: Any) -> tuple[Part, ...]:
    """What a view is made of, for entries without index arrays."""
    parts: list[Part] = []
    axis = 0
    for e in entries:
        if e == NEW:
            parts.append(New())
            continue
        if isinstance(e, Slice):
            parts.append(Kept(axis) if e.is_full else Cut(axis, *e))
        else:
            parts.append(Picked(axis, e))
        axis += 1
    return tuple(parts)


@numba_funcify.register(IndexUpdate)
def numba_funcify_index_update(op: IndexUpdate, *, node: Variable, **kwargs: Any) -> Any:
    """A copy of x, into which a loop nest writes."""
    given: list[Any] = [v.type for v in node.inputs]
    x, y, *values = given
    plan = Plan(op.entries, x, values)
    rank = len(plan.lengths)
    lines = [f"def lowered({', '.join(['x', 'y', *plan.names])}):"]
    sign = "=" if op.mode == "set" else "+="
    if not x.ndim:
        y_value = "y" if not y.ndim else "y[" + ", ".join("0" for _ in range(y.ndim)) + "]"
        lines += ["    out = x", f"    out {sign} {x.dtype}({y_value})", "    return out"]
        return compiled("\n".join(lines) + "\n")
    lines += ["    " + line for line in plan.setup]
    lines.append("    out = x.copy()")
    read = []
    for own in range(y.ndim):
        k = own + rank - y.ndim
        lines += [
            f"    if y.shape[{own}] != 1 and y.shape[{own}] != {plan.lengths[k]}:",
            "        raise ValueError('the value does not fit into what is indexed')",
            f"    t{own} = y.shape[{own}] != 1",
        ]
        read.append(f"i{k} * t{own}")
    value = f"y[{', '.join(read)}]" if read else "y"
    lines += nest(plan.lengths, [*plan.inner, f"out[{plan.place}] {sign} {value}"])
    lines.append("    return out")
    return compiled("\n".join(lines) + "\n", **_WORDS)
