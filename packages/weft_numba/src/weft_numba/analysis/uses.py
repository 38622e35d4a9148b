"""What is known of a graph before it is cut into kernels: who reads what, where and how."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, Final

from weft_graph import FunctionGraph, Variable
from weft_graph.extend import in_stages
from weft_numba.analysis.access import (
    Access,
    SliceIndex,
    TableIndex,
    fused_kind,
    indices,
    is_collected,
    is_part,
    iteration_space,
    reads,
)
from weft_numba.analysis.updates import is_number_repeated
from weft_numba.ir.axis_keys import Space, View
from weft_numba.ir.axis_sizes import NOTHING, AxisEqualities, Same
from weft_numba.llvm.scalar.table import argument_dtypes, calls_of_vectors
from weft_numba.lowering.dispatch import ANY_ORDER
from weft_tensor import (
    BroadcastTo,
    Compress,
    Cut,
    Gather,
    Kind,
    Pointwise,
    Scan,
    Scatter,
    TensorVariable,
)
from weft_tensor import View as Seen
from weft_tensor.extend import SCALARS

__all__ = ["Plan"]

_COSTLY: Final = 1000
_UPDATES: Final = 15
"""More updates than this are not done before another one in one pass: code does not grow."""
_LONG: Final = 10
"""What takes more operations than this is computed with whole vectors before it is written where
arrays say: loops that write there have none."""
_QUICK: Final = 2
"""Operations that cost more than this are never done again."""
_STORED: Final = 16
"""What takes more operations than this in all updates that read it but one is stored before."""


class Plan:
    """The live nodes of a graph in order, where each is computed, and what it reads.

    >>> import weft_tensor as wt
    >>> x = wt.vector("x")
    >>> plan = Plan(FunctionGraph([x], [wt.exp(x) + 1]), assume=False)
    >>> [str(v.op) for v in plan.nodes], [plan.cost[v] < 2 for v in plan.nodes]
    (['exp', 'add'], [False, False])
    """

    def __init__(self, graph: FunctionGraph, *, assume: bool, same: Same = NOTHING) -> None:
        self.inputs = set(graph.inputs)
        self.outputs = set(graph.outputs)
        self.spaces = AxisEqualities(graph.inputs, assume=assume, same=same)
        self.iteration_space: dict[Variable, Space] = {}
        self.kinds: dict[Variable, Kind | None] = {}
        self.collected: set[Variable] = set()
        """What is ready only when all points have been visited."""
        self.indices: dict[Variable, list[TableIndex]] = {}
        """Per axis of the table of a lookup or an update, where it is read or written."""
        self.parts: set[Variable] = set()
        """Views that kernels read where they lie in a table."""
        order = graph.order
        self._locate(order)
        if ends := self._ends_of_slices():
            order = FunctionGraph(graph.inputs, [*ends, *graph.outputs]).order
            self._locate(order)
        self.order = [v for v in in_stages(order) if v not in self.inputs and v.inputs]
        for v in self._left_as_views():
            del self.iteration_space[v]
        self.before = self._earlier_updates()
        """For an update, the updates that are done in the same pass before it."""
        self.read: dict[Variable, list[Access]] = {}
        for v in self.order:
            self.read[v] = self._read(v)
        for v in self._parts_left_as_views():
            del self.iteration_space[v]
            self.parts.remove(v)
            self.read[v] = self._read(v)
        self.live = self._live()
        self.nodes = [v for v in self.order if v in self.live]
        self.position = {v: k for k, v in enumerate(self.nodes)}
        self.cost = self._costs()
        self._calls: set[Variable] = set()
        """Values that take calls of the C library, faster for whole vectors."""
        self._choices: set[Variable] = set()
        """Values chosen by what is in memory, by branches in a loop that is no vector's."""
        self._operations: dict[Variable, int] = {}
        """How many there are in what is computed of whole vectors, without lookups."""
        self._find_costly()

    def _locate(self, order: Sequence[Variable]) -> None:
        """Find the spaces of nodes, and the indices of lookups and updates."""
        tensors = [v for v in order if isinstance(v, TensorVariable)]
        for v in tensors:  # lengths that turn out to be equal are so everywhere
            self.spaces.of(v)
            kind = None if v in self.inputs else self.kind(v)
            if is_collected(v, kind):
                self.collected.add(v)
            if isinstance(kind, Compress | Scatter):
                iteration_space(v, kind, self.spaces)
        for v in tensors:
            kind = None if v in self.inputs else self.kind(v)
            space = None if kind is None else iteration_space(v, kind, self.spaces)
            if space is not None:
                self.iteration_space[v] = space
                if isinstance(kind, (Gather, Scatter)):
                    self.indices[v] = indices(v, kind, self.spaces, len(space))
                    if is_part(v, kind):
                        self.parts.add(v)

    def kind(self, v: Variable) -> Kind | None:
        """What `v` is, if kernels compute it by its kind."""
        if v not in self.kinds:
            self.kinds[v] = fused_kind(v)
        return self.kinds[v]

    def is_update(self, v: Variable) -> bool:
        """Whether `v` is a tensor into which elements are written at computed indices."""
        return v in self.collected and isinstance(self.kind(v), Scatter)

    def _is_addition(self, v: Variable) -> bool:
        kind = self.kind(v)
        return v in self.collected and isinstance(kind, Scatter) and kind.how == "inc"

    def _ends_of_slices(self) -> list[Variable]:
        """Scalars that say where slices of lookups and updates begin and end."""
        ends = [what for at in self.indices.values() for what in at if isinstance(what, SliceIndex)]
        return [n for what in ends for n in what[1:] if isinstance(n, Variable)]

    def _left_as_views(self) -> list[Variable]:
        """What is repeated for functions that take any strides: nothing has to be copied."""
        users: dict[Variable, list[Any]] = {}
        for v in self.order:
            for i in v.inputs:
                users.setdefault(i, []).append(v.op)
        repeated: list[Any] = [v for v in self.order if isinstance(v.op, BroadcastTo)]
        return [
            v
            for v in repeated
            if v.inputs[0].ndim
            and v not in self.outputs
            and all(type(op) in ANY_ORDER for op in users.get(v, ()))
        ]

    def _parts_left_as_views(self) -> list[Variable]:
        """Parts of tables that are not only read by kernels, each at the point it computes."""
        if not self.parts:
            return []
        otherwise = self.parts & self.outputs
        for v in self.order:
            read = {r.variable for r in self.read[v]} & self.parts
            otherwise.update(i for i in read if not self._is_at(i, v))
        return list(otherwise)

    def _is_at(self, i: Variable, v: Variable) -> bool:
        return self.iteration_space.get(v) == self.iteration_space[i] and self.is_here(i, v)

    def _earlier_updates(self) -> dict[Variable, tuple[Variable, ...]]:
        users = Counter(i for v in self.order for i in v.inputs)
        updates_before: dict[Variable, tuple[Variable, ...]] = {}
        updates = [v for v in self.order if v in self.iteration_space and self.is_update(v)]
        for v in updates:
            x = v.inputs[0]
            inner = (
                users[x] == 1
                and x not in self.outputs
                and self.iteration_space.get(x) == self.iteration_space[v]
            )
            earlier = updates_before.get(x, ())
            if inner and self._is_addition(x) and self._is_addition(v):
                updates_before[v] = (*earlier, x) if len(earlier) < _UPDATES else ()
        return updates_before

    def _read(self, v: Any) -> list[Access]:
        """What is read to compute `v`; a fused node sees through views."""
        if v not in self.iteration_space:
            return [Access(i, (), table=True) for i in v.inputs]
        accesses = []
        for r in reads(v, self.kind(v), len(self.iteration_space[v]), self.indices.get(v, ())):
            if r.table and self.before.get(v):
                accesses += self.read[self.before[v][-1]]
            elif r.table:
                accesses += self._base(v, r)
            else:
                source, view, sizes = self.seen(r.variable, r.view)
                accesses.append(Access(source, view))
                accesses += [Access(size, (None,) * len(view)) for size in sizes]
        return accesses

    def _base(self, v: Any, r: Access) -> list[Access]:
        """What is read as a table; an update of what is all one number needs only that."""
        filled = self.is_update(v) and self.is_filled(r.variable)
        return [r._replace(variable=i) for i in r.variable.inputs] if filled else [r]

    def is_filled(self, v: Any) -> bool:
        """Whether `v` is one number, repeated."""
        return v not in self.inputs and is_number_repeated(v)

    def seen(self, v: Any, view: View) -> tuple[Variable, View, list[Variable]]:
        """What is behind views, how it is read from where `v` was read, and lengths met."""
        sizes: list[Variable] = []
        while (through := self._axes_behind(v)) is not None:
            sizes += v.inputs[1:]
            view = tuple([None if a is None else through[a] for a in view])
            v = v.inputs[0]
        return v, view, sizes

    def _axes_behind(self, v: Any) -> View | None:
        """The axes of the input of `v`, a view that needs no code: nothing has to be checked."""
        kind = None if v in self.inputs else self.kind(v)
        if not isinstance(kind, Seen):
            return None
        axes = kind.axes
        ones = all(n == 1 for a, n in enumerate(self.spaces.of(v.inputs[0])) if a not in axes)
        return axes if ones else None

    def _live(self) -> set[Variable]:
        """What has to be computed."""
        live = set(self.outputs)
        for v in reversed(self.order):
            if v in live:
                live.update(r.variable for r in self.read[v])
        return live

    def together(self, i: Variable, v: Variable) -> bool:
        """Whether `v` can, and should, be computed in the pass that computes `i`.

        A loop that writes at computed indices is not vectorised, and updates of neighbours are
        loops of their own, none of which should compute `i` again. Sums of all before are no
        vectors either: what a mask in memory chooses takes a branch there, 4 ns in place of 0.4.
        """
        space = self.iteration_space.get(i)
        if space is None or space != self.iteration_space.get(v) or not self.is_here(i, v):
            return False
        if len(self.before.get(v, ())) * self.cost.get(i, 0) > _STORED:
            return False
        if i in self._choices and isinstance(self.kind(v), Scan):
            return False
        is_long = self._operations.get(i, 0) > _LONG
        return not ((is_long or i in self._calls) and self.is_update(v) and self._has_arrays(v))

    def _has_arrays(self, v: Variable) -> bool:
        """Whether `v` is written where arrays say."""
        where: list[Any] = [what.variable for what in self.indices[v] if isinstance(what, Access)]
        return any(i.ndim for i in where)

    def is_here(self, i: Variable, v: Variable) -> bool:
        """Whether `v` reads `i` at the point that is computed, and nowhere else."""
        here = tuple(range(len(self.iteration_space[v])))
        read = [r for r in self.read[v] if r.variable is i]
        return i not in self.collected and all(r.view == here and not r.table for r in read)

    def _find_costly(self) -> None:
        """Collect what calls, or chooses, or is computed with such; count operations."""
        for v in self.nodes:
            if v not in self.iteration_space or v in self.collected:
                continue
            here = [
                r.variable
                for r in self.read[v]
                if self.iteration_space.get(r.variable) == self.iteration_space[v]
                and r.variable not in self.parts
            ]
            kind: Any = self.kind(v)
            if not isinstance(kind, Gather) and self._operations.keys() >= set(here):
                operations = 1 + sum(map(self._operations.__getitem__, here))
                self._operations[v] = min(operations, _COSTLY)
            if _calls(v, kind) or not self._calls.isdisjoint(here):
                self._calls.add(v)
            chooses = isinstance(kind, Pointwise) and kind.of == "where"
            if (chooses and v.inputs[0] not in here) or not self._choices.isdisjoint(here):
                self._choices.add(v)

    def _costs(self) -> dict[Variable, int]:
        """How many operations it takes to compute a value from what is in memory anyway."""
        cost: dict[Variable, int] = {}
        for v in self.nodes:
            if v not in self.iteration_space or v in self.collected:
                continue
            total = 1 if v in self.parts else _price(self.kind(v))
            for r in self.read[v]:
                i = r.variable
                if (
                    self.iteration_space.get(i) == self.iteration_space[v]
                    and i not in self.collected
                ):
                    total += cost[i] if self.is_here(i, v) else _COSTLY
            cost[v] = min(total, _COSTLY)
        return cost


def _calls(v: Any, kind: Kind | None) -> bool:
    """Whether the operation of `v` calls functions of whole vectors."""
    match kind:
        case Pointwise(str(name)) if name != "cast":
            dtypes = argument_dtypes(name, tuple([i.dtype for i in v.inputs]))
            return calls_of_vectors(name, dtypes[-1], len(v.inputs))
    return False


def _price(kind: Kind | None) -> int:
    """How costly an operation of this kind is."""
    match kind:
        case Pointwise(str(name)):
            cost = 1 if name == "cast" else SCALARS[name].cost
            return cost if cost <= _QUICK else _COSTLY
        case Pointwise() | Seen() | Cut():
            return 1
    return _COSTLY
