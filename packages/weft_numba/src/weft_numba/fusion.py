"""From a graph to a short program: loop nests of many Ops each, and calls of what is left.

Nodes that are computed at every point of the same space go into the same kernel if nothing
outside has to be computed between them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

from weft_graph import Constant, FunctionGraph, Variable, in_stages
from weft_numba.kernel import Kernel, Length, Operand, Result, Statement
from weft_numba.levels import is_light, levels
from weft_numba.machine_code import Code, number
from weft_numba.reading import (
    REDUCTIONS,
    Read,
    home,
    indices,
    is_collected,
    is_reduction,
    is_update,
    reads,
)
from weft_numba.scalars import argument_dtypes
from weft_numba.spaces import VIEWS, Space, Spaces, View, see_through, straight
from weft_tensor import (
    Arange,
    BroadcastTo,
    Cast,
    Elemwise,
    Eye,
    Index,
    TensorType,
)

__all__ = ["Fused", "Pack", "Step", "fuse"]

LARGEST: Final = 120
"""More statements than this make a second kernel: compile time stays linear."""
CHEAP: Final = 6
"""Values that take no more operations than this are computed again, not stored."""
_COSTLY: Final = 1000
PACKED: Final = 4
"""So many values that only kernels read share one array: calls with few arguments compile fast."""


class Pack:
    """Values of one dtype that a kernel stores in one array, for other kernels."""

    def __init__(self, members: Sequence[Variable]) -> None:
        self.members = members


class Fused(NamedTuple):
    """A kernel with what it reads and computes."""

    kernel: Kernel
    inputs: tuple[Variable | Pack, ...]
    outputs: tuple[Variable | Pack, ...]


Step = Fused | Variable
"""A kernel, or a node to call a function for."""


def fuse(graph: FunctionGraph, *, assume: bool = False) -> list[Step]:
    """The steps that compute `graph`, in an order in which they can be done.

    `assume`: take unknown lengths that meet for equal, as `narrowed` does.
    """
    return _Planner(graph, assume).steps()


_Key = tuple[int, Space, int]


class _Planner:
    """Finds out which nodes go together."""

    def __init__(self, graph: FunctionGraph, assume: bool) -> None:
        self.inputs = set(graph.inputs)
        self.outputs = set(graph.outputs)
        self.spaces = Spaces(graph.inputs, assume=assume)
        self.order = [v for v in in_stages(graph.order) if v not in self.inputs and v.inputs]
        for v in graph.order:
            if isinstance(v.type, TensorType):
                self.spaces.of(v)
        self.home: dict[Variable, Space] = {}
        for v in self.order:
            if isinstance(v.type, TensorType):
                space = home(v, self.spaces)
                if space is not None:
                    self.home[v] = space
        self.read = {v: self._read(v) for v in self.order}
        self.live = self._live()
        self.nodes = [v for v in self.order if v in self.live]
        self.position = {v: k for k, v in enumerate(self.nodes)}
        self.cost = self._costs()

    def steps(self) -> list[Step]:
        """The steps in order: by level, and as in the graph among equals."""
        level = levels(
            self.nodes,
            self.home,
            lambda v: [(r.variable, not r.table) for r in self.read[v]],
            self.together,
            frozenset(v for v in self.nodes if v in self.outputs or is_collected(v)),
        )
        kernels: dict[_Key, list[Variable]] = {}
        sizes: dict[tuple[int, Space], int] = {}
        order: list[tuple[int, int, Any]] = []
        for v in self.nodes:
            if v in self.home:
                place = level[v], self.home[v]
                sizes[place] = sizes.get(place, 0) + 1
                key = (*place, sizes[place] // LARGEST)
                if key not in kernels:
                    order.append((level[v], 1 if self.home[v] == () else 2, key))
                kernels.setdefault(key, []).append(v)
            else:
                order.append((level[v], 0 if is_light(v, self.home) else 2, v))
        order.sort(key=lambda entry: entry[:2])
        part_of = {v: key for key, members in kernels.items() for v in members}
        stored = self._stored(part_of)
        self.packed = self._packed(kernels, stored)
        made = [
            what
            if isinstance(what, Variable)
            else _Builder(self, kernels[what], what[1], stored).fused()
            for _, _, what in order
        ]
        return [step for step in made if step is not None]

    def _read(self, v: Any) -> list[Read]:
        """What is read to compute `v`; a fused node sees through views."""
        if v not in self.home:
            return [Read(i, (), table=True) for i in v.inputs]
        found = []
        for r in reads(v, len(self.home[v])):
            if r.table:
                found += self._base(v, r)
            else:
                source, view, sizes = self.seen(r.variable, r.view)
                found.append(Read(source, view))
                found += [Read(size, (None,) * len(view)) for size in sizes]
        return found

    def _base(self, v: Any, r: Read) -> list[Read]:
        """What is read as a table; an update of what is all one number needs only that."""
        filled = is_update(v) and self.is_filled(r.variable)
        return [r._replace(variable=i) for i in r.variable.inputs] if filled else [r]

    def is_filled(self, v: Any) -> bool:
        """Whether `v` is one number, repeated."""
        if v in self.inputs or not isinstance(v.op, BroadcastTo):
            return False
        return not _rank(v.inputs[0])

    def seen(self, v: Any, view: View) -> tuple[Variable, View, list[Variable]]:
        """What is behind views, how it is read from where `v` was read, and lengths met."""
        sizes: list[Variable] = []
        while isinstance(v.op, VIEWS) and v not in self.inputs:
            through = see_through(v)
            sizes += v.inputs[1:]
            view = tuple([None if a is None else through[a] for a in view])
            v = v.inputs[0]
        return v, view, sizes

    def _live(self) -> set[Variable]:
        """What has to be computed."""
        live = set(self.outputs)
        for v in reversed(self.order):
            if v in live:
                live.update(r.variable for r in self.read[v])
        return live

    def together(self, i: Variable, v: Variable) -> bool:
        """Whether `v` can be computed in the pass that computes `i`."""
        space = self.home.get(i)
        return space is not None and space == self.home.get(v) and self.is_here(i, v)

    def is_here(self, i: Variable, v: Variable) -> bool:
        """Whether `v` reads `i` at the point that is computed, and nowhere else."""
        here = tuple(range(len(self.home[v])))
        views = [r.view for r in self.read[v] if r.variable is i]
        return not is_collected(i) and all(view == here for view in views)

    def _costs(self) -> dict[Variable, int]:
        """How many operations it takes to compute a value from what is in memory anyway."""
        cost: dict[Variable, int] = {}
        for v in self.nodes:
            if v not in self.home or is_collected(v):
                continue
            total = _price(v)
            for r in self.read[v]:
                i = r.variable
                if self.home.get(i) == self.home[v] and not is_collected(i):
                    total += cost[i] if self.is_here(i, v) else _COSTLY
            cost[v] = min(total, _COSTLY)
        return cost

    def _stored(self, part_of: dict[Variable, _Key]) -> set[Variable]:
        """Values of kernels that are needed outside of these."""
        stored = {v for v in self.outputs if v in part_of}
        for v in self.nodes:
            for r in self.read[v]:
                i = r.variable
                if i not in part_of or part_of[i] == part_of.get(v):
                    continue
                if not (self.together(i, v) and self.cost[i] <= CHEAP):
                    stored.add(i)
        return stored

    def _packed(
        self, kernels: dict[_Key, list[Variable]], stored: set[Variable]
    ) -> dict[Variable, tuple[Pack, int]]:
        """The values that are stored in one array with others, and where in it."""
        alone = set(self.outputs)
        for v in self.nodes:
            alone.update(r.variable for r in self.read[v] if r.table)
        found: dict[Variable, tuple[Pack, int]] = {}
        for (_, space, _), members in kernels.items():
            groups: dict[str, list[Variable]] = {}
            for v in members if space else ():
                if v in stored and v not in alone and not is_collected(v):
                    groups.setdefault(_dtype(v), []).append(v)
            for group in groups.values():
                if len(group) >= PACKED:
                    pack = Pack(group)
                    found.update({v: (pack, slot) for slot, v in enumerate(group)})
        return found


def _price(v: Any) -> int:
    """How costly the operation of `v` is."""
    if isinstance(v.op, (Elemwise, Cast)):
        name = v.op.name if isinstance(v.op, Elemwise) else "cast"
        return 1 if name in _QUICK else _COSTLY
    return 1 if isinstance(v.op, (Arange, BroadcastTo, Eye)) else _COSTLY


_QUICK: Final = frozenset(
    (
        *("abs", "add", "cast", "maximum", "minimum", "mul", "neg", "square", "sub", "where"),
        *("eq", "ge", "gt", "isfinite", "isnan", "le", "lt", "ne"),
        *("logical_and", "logical_not", "logical_or"),
    )
)
"""Functions that take about as long as reading a number."""


class _Said(NamedTuple):
    """What is said about a length, before operands have numbers."""

    known: int | None
    sizes: tuple[Any, ...] = ()
    tables: tuple[Any, ...] = ()
    sure: bool = True


class _Made(NamedTuple):
    """A result, before values have numbers."""

    value: Any
    dtype: str
    how: str
    kept: tuple[int, ...]
    places: tuple[Any, ...] = ()
    base: Any = None
    shape: tuple[_Said, ...] = ()
    slot: int = -1


class _Builder:
    """Makes a kernel of the nodes that go together."""

    def __init__(
        self, planner: _Planner, members: Sequence[Variable], space: Space, stored: set[Variable]
    ) -> None:
        self.planner = planner
        self.members = members
        self.space = space
        self.here = tuple(range(len(space)))
        self.inside = {v for v in members if not is_collected(v)}
        self.stored = stored
        self.operands: dict[tuple[Variable, View, bool], Operand] = {}
        self.statements: list[tuple[Any, ...]] = []
        self.number: dict[Any, Any] = {}

    def fused(self) -> Fused | None:
        """The kernel; None if nothing of it is needed outside."""
        outputs = [v for v in self.members if v not in self.inside or v in self.stored]
        self.computed = self._wanted(outputs)
        for v in self.computed:
            if not is_collected(v):
                self._statement(v)
        results: list[_Made] = []
        for v in outputs:
            if v in self.inside:
                _, slot = self.planner.packed.get(v, (None, -1))
                results.append(_Made(self.number[v], _dtype(v), "store", self.here, slot=slot))
            elif is_reduction(v):
                value = self._argument(v.inputs[0], _dtype(v), self.here)
                kept = tuple([a for a in self.here if a not in v.op.axis])  # type: ignore[attr-defined]  # a reduction
                results.append(_Made(value, _dtype(v), REDUCTIONS[type(v.op)], kept))
            else:
                results.append(self._update(v))
        return self._numbered(results, outputs) if outputs else None

    def _wanted(self, outputs: Sequence[Variable]) -> list[Variable]:
        """The nodes to compute here for `outputs`, inputs first; some are computed again."""
        wanted: set[Variable] = set()
        open_ = list(outputs)
        while open_:
            v = open_.pop()
            if v in wanted:
                continue
            wanted.add(v)
            open_ += [r.variable for r in self.planner.read[v] if self._computes(r.variable, v)]
        position = self.planner.position
        return sorted(wanted, key=position.__getitem__)

    def _computes(self, i: Variable, v: Variable) -> bool:
        """Whether the input `i` of `v` is computed here, not read."""
        if i in self.inside:
            return True
        return i not in self.stored and self.planner.together(i, v)

    def _length(self, a: int) -> _Said:
        """What says how long axis `a` is, besides the operands that have it."""
        key = self.space[a]
        if isinstance(key, int):
            return _Said(key)
        told: set[Any] = set()
        spaces = self.planner.spaces
        for (v, view, _), o in list(self.operands.items()):
            own = view[a]
            if own is not None and not o.table:
                told |= _members(spaces.of(v)[own])
        missing = _members(key) - told
        found = {
            spaces.size(r.variable): r.variable
            for v in self.computed
            for r in self.planner.read[v]
            if missing and not r.table and not _rank(r.variable)
        }
        nowhere: View = (None,) * len(self.space)
        sizes = [self._operand(n, nowhere) for k, n in found.items() if k in missing]
        tables = [
            (("operand", at), own)
            for at in self.operands
            for own, k in enumerate(spaces.of(at[0]))
            if at[2] and missing and k == key
        ]
        if tables:
            return _Said(None, (), tuple(tables))
        return _Said(None, tuple(sizes), (), len(_members(key)) == 1)

    def _statement(self, v: Any) -> None:
        op = v.op
        ndim = len(self.space)
        if isinstance(op, Elemwise):
            wanted = argument_dtypes(op.name, tuple([i.dtype for i in v.inputs]))
            arguments = tuple(
                [
                    self._argument(i, want, straight(ndim, i.ndim))
                    for i, want in zip(v.inputs, wanted, strict=True)
                ]
            )
            self._add(v, (op.name, arguments, wanted[-1], v.dtype, ""))
        elif isinstance(op, Index):
            x, *values = v.inputs
            table = self._operand(x, (None,) * ndim, table=True)
            where = tuple(self._indices(v, values))
            self._add(v, ("gather", (table, *where), v.dtype, v.dtype, ""))
        elif isinstance(op, Arange):
            self._add(v, ("axis", (), "int64", "int64", "0"))
        elif isinstance(op, Eye):
            shift = self._argument(v.inputs[2], "int64", (None,) * ndim)
            at = [self._add(("axis", a), ("axis", (), "int64", "int64", str(a))) for a in (0, 1)]
            moved = self._add((v, 0), ("add", (at[0], shift), "int64", "int64", ""))
            same = self._add((v, 1), ("eq", (moved, at[1]), "int64", "bool", ""))
            self._add(v, ("cast", (same,), "bool", v.dtype, ""))
        else:  # a Cast, or a BroadcastTo: the same number, in its dtype
            have = v.inputs[0].dtype
            argument = self._argument(v.inputs[0], have, straight(ndim, v.inputs[0].ndim))
            self._add(v, ("cast", (argument,), have, v.dtype, ""))

    def _indices(self, v: Any, values: Sequence[Any]) -> Iterator[Any]:
        """Per axis of a table, the index: a number of the kernel."""
        for what in indices(v, values, len(self.space)):
            if isinstance(what, Read):
                yield self._argument(what.variable, "int64", what.view)
                continue
            kind, text = ("axis", what[5:]) if what.startswith("axis ") else ("literal", what)
            yield self._add((kind, int(text)), (kind, (), "int64", "int64", text))

    def _update(self, v: Any) -> _Made:
        """What is written at computed indices, and how."""
        x, y, *values = v.inputs
        shape: tuple[_Said, ...] = ()
        nowhere: View = (None,) * len(self.space)
        if self.planner.is_filled(x):
            base = self._argument(x.inputs[0], v.dtype, nowhere)
            shape = tuple(
                [
                    self._size(n, s)
                    for n, s in zip(self.planner.spaces.of(x), x.inputs[1:], strict=True)
                ]
            )
        else:
            base = self._operand(x, nowhere, table=True)
        value = self._argument(y, v.dtype, straight(len(self.space), y.ndim))
        places = tuple(self._indices(v, values))
        return _Made(value, v.dtype, v.op.mode, (), places, base, shape)

    def _size(self, key: Any, size: Variable) -> _Said:
        """A length that no array tells."""
        if isinstance(key, int):
            return _Said(key)
        return _Said(None, (self._operand(size, (None,) * len(self.space)),))

    def _argument(self, v: Any, dtype: str, view: View) -> Any:
        """The number of `v` read by `view`, as `dtype`."""
        source, view, _ = self.planner.seen(v, view)
        if view == self.here and source in self.number:
            found = self.number[source]
        elif isinstance(source.op, Constant) and not _rank(source):
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

    def _operand(self, v: Any, view: View, *, table: bool = False) -> Any:
        key = (v, view, table)
        if key not in self.operands:
            own = self.planner.spaces.of(v)
            extent = "".join(
                "-" if a is None else "n" if own[a] == n else "1" if own[a] == 1 else "?"
                for a, n in zip(view, self.space, strict=True)
            )
            self.operands[key] = Operand(v.dtype, v.ndim, view, extent, table)
        return ("operand", key)

    def _add(self, key: Any, statement: tuple[Any, ...]) -> Any:
        if key not in self.number:
            self.number[key] = ("statement", len(self.statements))
            self.statements.append(statement)
        return self.number[key]

    def _numbered(self, results: Sequence[_Made], outputs: list[Variable]) -> Fused:
        lengths = [self._length(a) for a in range(len(self.space))]
        place = {("operand", key): k for k, key in enumerate(self.operands)}
        count = len(place)

        def final(value: Any) -> int:
            return place[value] if value[0] == "operand" else count + value[1]

        def length(said: _Said) -> Length:
            tables = tuple([(place[table], own) for table, own in said.tables])
            return Length(said.known, tuple(map(final, said.sizes)), tables, said.sure)

        def result(r: _Made) -> Result:
            return Result(
                final(r.value),
                r.dtype,
                r.how,
                r.kept,
                tuple(map(final, r.places)),
                final(r.base) if r.places else -1,
                tuple([length(said) for said in r.shape]),
                r.slot,
            )

        statements = [
            Statement(name, tuple(map(final, arguments)), computed, dtype, literal)
            for name, arguments, computed, dtype, literal in self.statements
        ]
        packed = self.planner.packed
        arguments: dict[Variable | Pack, int] = {}
        operands = []
        for (v, _, _), o in self.operands.items():
            given, slot = packed.get(v, (v, -1))
            argument = arguments.setdefault(given, len(arguments))
            operands.append(o._replace(argument=argument, slot=slot))
        kernel = Kernel(
            tuple([length(said) for said in lengths]),
            tuple(operands),
            tuple(statements),
            tuple(map(result, results)),
        )
        alone: list[Variable | Pack] = [v for v in outputs if v not in packed]
        packs = dict.fromkeys(packed[v][0] for v in outputs if v in packed)
        return Fused(kernel, tuple(arguments), (*alone, *packs))


def _members(key: Any) -> set[Any]:
    """The keys of which `key` is what they broadcast to."""
    return set(key) if isinstance(key, frozenset) else {key}


def _dtype(v: Any) -> str:
    dtype: str = v.dtype
    return dtype


def _rank(v: Any) -> int:
    ndim: int = v.ndim
    return ndim
