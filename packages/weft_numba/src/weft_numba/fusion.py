"""From a graph to a short program: loop nests of many Ops each, and calls of what is left.

Nodes that are computed at every point of the same space go into the same kernel if nothing
outside has to be computed between them. A node's level counts how often one has to leave a
space on the way to it; nodes of equal space and level can be computed in one pass.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from weft_graph import Constant, FunctionGraph, Variable
from weft_numba.kernel import Kernel, Length, Operand, Result, Statement
from weft_numba.machine_code import Code, number
from weft_numba.scalars import row
from weft_numba.spaces import VIEWS, Space, Spaces, View, see_through, straight
from weft_tensor import (
    All,
    Any_,
    BroadcastTo,
    Cast,
    Elemwise,
    Max,
    Min,
    Prod,
    Sum,
    TensorType,
    loop_dtypes,
)

__all__ = ["Fused", "Step", "fuse"]

REDUCTIONS: Final[dict[type, str]] = {
    Sum: "sum",
    Prod: "prod",
    Max: "max",
    Min: "min",
    Any_: "any",
    All: "all",
}
LARGEST: Final = 120
"""More statements than this make a second kernel: compile time stays linear."""


class Fused(NamedTuple):
    """A kernel with the variables that it reads and computes."""

    kernel: Kernel
    inputs: tuple[Variable, ...]
    outputs: tuple[Variable, ...]


Step = Fused | Variable
"""A kernel, or a node to call a function for."""


def fuse(graph: FunctionGraph) -> list[Step]:
    """The steps that compute `graph`, in an order in which they can be done."""
    planner = _Planner(graph)
    return planner.steps()


def is_pointwise(v: Any) -> bool:
    """Whether `v` is computed element by element, by machine code that we have.

    >>> import weft_tensor as wt
    >>> is_pointwise(wt.exp(wt.vector("x"))), is_pointwise(wt.zvector("z") + 1)
    (True, True)
    """
    op = v.op
    if isinstance(op, Cast):
        return True
    if not isinstance(op, Elemwise):
        return False
    wanted, _ = loop_dtypes(op.name, tuple([i.dtype for i in v.inputs]))
    return row(op.name, number(wanted[-1]).kind) is not None


def is_reduction(v: Any) -> bool:
    """Whether `v` combines elements over axes, by machine code that we have."""
    return type(v.op) in REDUCTIONS and v.inputs[0].ndim > 0


class _Planner:
    """Finds out which nodes go together."""

    def __init__(self, graph: FunctionGraph) -> None:
        self.graph = graph
        self.inputs = set(graph.inputs)
        self.spaces = Spaces()
        self.nodes = [v for v in graph.order if v not in self.inputs and v.inputs]
        self.home: dict[Variable, Space] = {}
        self.sizes: dict[Any, Variable] = {}
        for v in graph.order:
            if isinstance(v.type, TensorType):
                space = self.spaces.of(v)
                if isinstance(v.op, BroadcastTo):
                    self.sizes.update(zip(space, v.inputs[1:], strict=True))
        for v in self.nodes:
            if not isinstance(v.type, TensorType):
                continue
            if is_pointwise(v):
                self.home[v] = self.spaces.of(v)
            elif is_reduction(v):
                self.home[v] = self.spaces.of(v.inputs[0])

    def steps(self) -> list[Step]:
        """The steps in order: by level, and as in the graph among equals."""
        levels = self._levels()
        needed = self._needed(levels)
        kernels: dict[tuple[int, Space, int], list[Variable]] = {}
        sizes: dict[tuple[int, Space], int] = {}
        order: list[tuple[int, Any]] = []
        for v in self.nodes:
            if v in self.home:
                place = levels[v], self.home[v]
                sizes[place] = sizes.get(place, 0) + 1
                key = (*place, sizes[place] // LARGEST)
                if key not in kernels:
                    order.append((levels[v], key))
                kernels.setdefault(key, []).append(v)
            elif not isinstance(v.op, Constant) and v in needed:
                order.append((levels[v], v))
        order.sort(key=lambda entry: entry[0])
        part_of = {v: key for key, members in kernels.items() for v in members}
        result: list[Step] = []
        for _, what in order:
            if isinstance(what, Variable):
                result.append(what)
            else:
                result.append(self._fused(kernels[what], what, part_of))
        return result

    def _levels(self) -> dict[Variable, int]:
        """As early as possible; then pointwise nodes as late as their users allow."""
        level: dict[Variable, int] = dict.fromkeys(self.graph.inputs, 0)
        for v in self.graph.order:
            if v not in level:
                level[v] = max((self._after(i, v, level[i]) for i in self._read(v)), default=0)
        users: dict[Variable, list[Variable]] = {}
        for v in self.nodes:
            for i in self._read(v):
                users.setdefault(i, []).append(v)
        outputs = set(self.graph.outputs)
        for v in reversed(self.nodes):
            if v in self.home and v in users and v not in outputs:
                latest = min(level[u] - self._after(v, u, 0) for u in users[v])
                level[v] = max(level[v], latest)
        return level

    def _after(self, i: Variable, v: Variable, level: int) -> int:
        """The first level for `v` if its input `i` has `level`."""
        if i in self.inputs or not i.inputs:
            return 0
        stays = (
            i in self.home
            and v in self.home
            and not is_reduction(i)
            and self.home[i] == self.home[v]
        )
        return level if stays else level + 1

    def _read(self, v: Variable) -> list[Variable]:
        """What is read to compute `v`: the inputs of a fused node, seen through views."""
        if v not in self.home:
            return list(v.inputs)
        read: list[Variable] = []
        for i in v.inputs:
            while isinstance(i.op, VIEWS) and i not in self.inputs:
                read += i.inputs[1:]
                i = i.inputs[0]
            read.append(i)
        return read

    def _seen(self, v: Any, view: View) -> tuple[Variable, View]:
        """What is behind views, and how it is read from where `v` was read by `view`."""
        while isinstance(v.op, VIEWS) and v not in self.inputs:
            through = see_through(v)
            view = tuple([None if a is None else through[a] for a in view])
            v = v.inputs[0]
        return v, view

    def _needed(self, levels: dict[Variable, int]) -> set[Variable]:
        """The nodes that are not fused, and are read by something."""
        needed = set(self.graph.outputs)
        for v in reversed(self.nodes):
            if v in self.home or v in needed:
                needed.update(self._read(v))
        return needed

    def _fused(
        self,
        members: Sequence[Variable],
        key: tuple[int, Space, int],
        part_of: dict[Variable, Any],
    ) -> Fused:
        return _Builder(self, members, key, part_of).fused()


def _rank(v: Any) -> int:
    ndim: int = v.ndim
    return ndim


class _Builder:
    """Makes a kernel of the nodes that go together."""

    def __init__(
        self,
        planner: _Planner,
        members: Sequence[Variable],
        key: tuple[int, Space, int],
        part_of: dict[Variable, Any],
    ) -> None:
        self.planner = planner
        self.members = members
        self.space = key[1]
        self.inside = {v for v in members if not is_reduction(v)}
        self.part_of = part_of
        self.key = key
        self.operands: dict[tuple[Variable, View], Operand] = {}
        self.statements: list[tuple[Any, ...]] = []
        self.number: dict[Any, Any] = {}

    def fused(self) -> Fused:
        """The kernel."""
        for v in self.members:
            if v in self.inside:
                self._statement(v)
        results: list[tuple[Any, Result]] = []
        outputs: list[Variable] = []
        everything = tuple(range(len(self.space)))
        used_outside = self._used_outside()
        for v in self.members:
            if v in self.inside:
                if v in used_outside:
                    results.append((self.number[v], Result(0, _dtype(v), "store", everything)))
                    outputs.append(v)
            else:
                value = self._argument(v.inputs[0], _dtype(v), straight_to(self.space))
                kept = tuple([a for a in everything if a not in v.op.axis])  # type: ignore[attr-defined]  # a reduction
                results.append((value, Result(0, _dtype(v), REDUCTIONS[type(v.op)], kept)))
                outputs.append(v)
        return self._numbered(results, outputs)

    def _length(self, a: int) -> tuple[int | None, Any]:
        """What says how long axis `a` is, besides the operands that have it."""
        n = self.space[a]
        if isinstance(n, int):
            return n, None
        if any(o.extent[a] in "n?" for o in self.operands.values()):
            return None, None
        return None, self._operand(self.planner.sizes[n], (None,) * len(self.space))

    def _used_outside(self) -> set[Variable]:
        """Members that something outside of the kernel needs."""
        planner = self.planner
        found = self.inside.intersection(planner.graph.outputs)
        for v in planner.nodes:
            if self.part_of.get(v) != self.key:
                found |= self.inside.intersection(planner._read(v))
        return found

    def _statement(self, v: Any) -> None:
        op = v.op
        ndim = len(self.space)
        if isinstance(op, Cast):
            have = v.inputs[0].dtype
            argument = self._argument(v.inputs[0], have, straight(ndim, v.inputs[0].ndim))
            self._add(v, ("cast", (argument,), have, v.dtype, ""))
            return
        wanted, dtype = loop_dtypes(op.name, tuple([i.dtype for i in v.inputs]))
        arguments = tuple(
            [
                self._argument(i, want, straight(ndim, i.ndim))
                for i, want in zip(v.inputs, wanted, strict=True)
            ]
        )
        self._add(v, (op.name, arguments, wanted[-1], dtype, ""))

    def _argument(self, v: Any, dtype: str, view: View) -> Any:
        """The number of `v` read by `view`, as `dtype`."""
        source, view = self.planner._seen(v, view)
        if source in self.inside and view == straight(len(self.space), _rank(source)):
            found = self.number[source]
        elif isinstance(source.op, Constant) and _rank(source) == 0:
            found = self._literal(source)
        else:
            found = self._operand(source, view)
        have = _dtype(source)
        if have == dtype:
            return found
        key = ("cast", found, dtype)
        return self._add(key, ("cast", (found,), have, dtype, ""))

    def _literal(self, v: Any) -> Any:
        n, value = number(v.dtype), v.op.value.item()
        parts = (value.real, value.imag) if n.kind == "c" else (value,)
        text = " ".join([Code().literal(part, n.part) for part in parts])
        return self._add(("literal", v), ("literal", (), v.dtype, v.dtype, text))

    def _operand(self, v: Any, view: View) -> Any:
        key = (v, view)
        if key not in self.operands:
            own = self.planner.spaces.of(v)
            extent = "".join(
                "-" if a is None else "n" if own[a] == n else "1" if own[a] == 1 else "?"
                for a, n in zip(view, self.space, strict=True)
            )
            self.operands[key] = Operand(v.dtype, v.ndim, view, extent)
        return ("operand", key)

    def _add(self, key: Any, statement: tuple[Any, ...]) -> Any:
        if key not in self.number:
            self.number[key] = ("statement", len(self.statements))
            self.statements.append(statement)
        return self.number[key]

    def _numbered(self, results: Sequence[tuple[Any, Result]], outputs: list[Variable]) -> Fused:
        lengths = [self._length(a) for a in range(len(self.space))]
        place = {("operand", key): k for k, key in enumerate(self.operands)}
        count = len(place)

        def final(value: Any) -> int:
            return place[value] if value[0] == "operand" else count + value[1]

        statements = [
            Statement(name, tuple(map(final, arguments)), computed, dtype, literal)
            for name, arguments, computed, dtype, literal in self.statements
        ]
        kernel = Kernel(
            tuple([Length(n, None if size is None else place[size]) for n, size in lengths]),
            tuple(self.operands.values()),
            tuple(statements),
            tuple([result._replace(value=final(value)) for value, result in results]),
        )
        return Fused(kernel, tuple([v for v, _ in self.operands]), tuple(outputs))


def straight_to(space: Space) -> View:
    """The view of what has just these axes."""
    return tuple(range(len(space)))


def _dtype(v: Any) -> str:
    dtype: str = v.dtype
    return dtype
