"""A kernel from the nodes that are computed in one pass: operands, statements, results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from weft_graph import Constant, FunctionGraph, Variable
from weft_numba.analysis.access import COMBINED, Access, own_index
from weft_numba.analysis.compress import counted
from weft_numba.analysis.uses import Plan
from weft_numba.fusion.numbering import Fused, LengthSource, Pack, PendingResult, numbered
from weft_numba.ir.axis_keys import Space, View, straight
from weft_numba.ir.kernel import Operand
from weft_numba.ir.llvm_writer import Code, number
from weft_numba.llvm.accumulate import start
from weft_numba.llvm.scalar.table import argument_dtypes
from weft_tensor import (
    Compress,
    Cut,
    Gather,
    Pointwise,
    Reduction,
    Scan,
    Scatter,
    SumOver,
    TensorType,
    constant,
)
from weft_tensor.extend import SCALARS, static_length

__all__ = ["Builder"]

_SIZE = TensorType("int64")
"""The type of a length."""


class Builder:
    """Makes a kernel of the nodes that go together."""

    def __init__(
        self,
        plan: Plan,
        members: Sequence[Variable],
        space: Space,
        stored: set[Variable],
        packed: Mapping[Variable, tuple[Pack | Variable, int]],
    ) -> None:
        self.plan = plan
        self.members = members
        self.space = space
        self.here = tuple(range(len(space)))
        self.inside = {v for v in members if v not in plan.collected}
        self.stored = stored
        self.packed = packed
        self.operands: dict[tuple[Variable, View, bool], Operand] = {}
        self.statements: list[tuple[Any, ...]] = []
        self.number: dict[Any, Any] = {}
        self.points: set[Variable] = set()
        """Scalars that are computed anew at each point."""

    def fused(self) -> Fused | None:
        """The kernel; None if nothing of it is needed outside."""
        outputs = [v for v in self.members if v not in self.inside or v in self.stored]
        self.computed = self._wanted(outputs)
        for v in self.computed:
            if v not in self.plan.collected:
                self._statement(v)
        results: list[PendingResult] = []
        for v in outputs:
            if v in self.inside:
                _, slot = self.packed.get(v, (None, -1))
                results.append(
                    PendingResult(self.number[v], _dtype(v), "store", self.here, slot=slot)
                )
            else:
                results.append(self._collected(v))
        if not outputs:
            return None
        lengths = [self._length(a) for a in range(len(self.space))]
        alone: list[Variable | Pack] = [v for v in outputs if v not in self.packed]
        packs = dict.fromkeys(self.packed[v][0] for v in outputs if v in self.packed)
        kernel, arguments = numbered(lengths, self.operands, self.packed, self.statements, results)
        return Fused(kernel, arguments, (*alone, *packs), tuple(self.computed))

    def _collected(self, v: Any) -> PendingResult:
        """What is ready only when all points have been visited."""
        match self.plan.kind(v):
            case Reduction(axis=tuple(axes)) as kind:
                value = self._argument(v.inputs[0], v.dtype, self.here)
                axes_left = tuple([a for a in self.here if a not in axes])
                how, empty = COMBINED[kind.combine], kind.or_infinity
                return PendingResult(value, v.dtype, how, axes_left, may_be_empty=empty)
            case Scan(axis, how):
                value = self._argument(v.inputs[0], v.dtype, self.here)
                return PendingResult(value, v.dtype, how, self.here, along=axis)
            case SumOver():
                return self._summed_to(v)
            case Compress(axis):
                return self._compressed(v, axis)
            case Scatter(_, how):
                return self._update(v, how)
        raise TypeError(f"{v.op} is computed at each point, not collected")

    def _wanted(self, outputs: Sequence[Variable]) -> list[Variable]:
        """The nodes to compute here for `outputs`, inputs first; some are computed again."""
        nodes: set[Variable] = set()
        open_ = list(outputs)
        while open_:
            v = open_.pop()
            if v in nodes:
                continue
            nodes.add(v)
            open_ += [r.variable for r in self.plan.read[v] if self._computes(r.variable, v)]
        position = self.plan.position
        return sorted(nodes, key=position.__getitem__)

    def _computes(self, i: Variable, v: Variable) -> bool:
        """Whether the input `i` of `v` is computed here, not read."""
        if i in self.inside:
            return True
        return i not in self.stored and self.plan.together(i, v)

    def _length(self, a: int) -> LengthSource:
        """What says how long axis `a` is, besides the operands that have it."""
        wanted, broadcast = [], []
        for v in self.computed:
            match self.plan.kind(v):
                case Compress(axis) if axis == a and len(v.inputs) == 3:
                    wanted.append(v.inputs[2])
                case SumOver() if self.plan.spaces.size(v.inputs[1 + a]) != self.space[a]:
                    broadcast.append(v.inputs[1 + a])
        nowhere: View = (None,) * len(self.space)
        operands, others = (
            tuple([self._operand(n, nowhere) for n in some]) for some in (wanted, broadcast)
        )
        key, space = self.space[a], self.space
        like = space.index(key) if space.count(key) > 1 else -1
        return self._told(a)._replace(wanted=operands, broadcast=others, like=like)

    def _told(self, a: int) -> LengthSource:
        """What tells how long axis `a` is."""
        key = self.space[a]
        if isinstance(key, int):
            return LengthSource(key)
        members: set[Any] = set()
        spaces = self.plan.spaces
        for (v, view, _), o in list(self.operands.items()):
            own = view[a]
            if own is not None and not o.table:
                members |= _members(spaces.of(v)[own])
        missing = _members(key) - members
        if not missing:
            return LengthSource(None, (), (), len(_members(key)) == 1)
        scalars = [
            *(r.variable for v in self.computed for r in self.plan.read[v] if not r.table),
            *(n for v in self.computed for n in self._sizes_of_filled(v)),
        ]
        scalar_of = {
            k: n for n in scalars if n.type == _SIZE for k in (static_length(n), spaces.size(n))
        }
        nowhere: View = (None,) * len(self.space)
        missing.add(key)
        if isinstance(key, Variable):  # of lengths found equal since, it may be another one
            missing.add(spaces.size(key))
        sizes = [self._operand(n, nowhere) for k, n in scalar_of.items() if k in missing]
        tables = [
            (("operand", at), own)
            for at in self.operands
            for own, k in enumerate(spaces.of(at[0]))
            if at[2] and k == key
        ]
        if tables:
            return LengthSource(None, (), tuple(tables))
        return LengthSource(None, tuple(sizes), (), len(_members(key)) == 1)

    def _sizes_of_filled(self, v: Any) -> Sequence[Any]:
        """The lengths of what `v` updates, if that is filled with a number only here."""
        if not isinstance(self.plan.kind(v), Scatter):
            return ()
        x = [*self.plan.before.get(v, ()), v][0].inputs[0]
        return x.inputs[1:] if self.plan.is_filled(x) else ()

    def _statement(self, v: Any) -> None:
        match self.plan.kind(v):
            case Pointwise(str(name)) if name != "cast":
                self._function(v, name)
            case Pointwise(of, True) if callable(of):
                places = [TensorType("int64")() for _ in self.here]
                for place, a in zip(places, self.here, strict=True):
                    self.number[place] = self._position(a)
                self._expand(v, of(*v.inputs, *places), places)
            case Cut(_, of):
                self._expand(v, of(*v.inputs))
            case Gather():
                table = self._operand(v.inputs[0], (None,) * len(self.space), table=True)
                where = tuple(self._indices(v))
                self._add(v, ("gather", (table, *where), v.dtype, v.dtype, ""))
            case Reduction(combine="add"):  # begins with a zero: -0.0 becomes 0.0
                same = self._same((v, 0), v)
                zero = self._literal(constant(0, v.dtype))
                self._add(v, ("add", (same, zero), v.dtype, v.dtype, ""))
            case _:  # a cast, a view or a reduction of a scalar
                self._same(v, v)

    def _same(self, key: Any, v: Any) -> Any:
        """The number that the first input is, in the dtype of `v`."""
        x = v.inputs[0]
        argument = self._argument(x, x.dtype, straight(len(self.space), x.ndim))
        return self._add(key, ("cast", (argument,), x.dtype, v.dtype, ""))

    def _function(self, v: Any, name: str) -> None:
        """The scalar function `name` of the inputs."""
        ndim = len(self.space)
        dtypes = argument_dtypes(name, tuple([i.dtype for i in v.inputs]))
        arguments = tuple(
            [
                self._argument(i, want, straight(ndim, i.ndim))
                for i, want in zip(v.inputs, dtypes, strict=True)
            ]
        )
        if set(dtypes) == {"int64", "uint64"}:
            self._compare_by_value(v, name, arguments, dtypes.index("int64"))
        else:
            self._add(v, (name, arguments, dtypes[-1], v.dtype, ""))

    def _compare_by_value(self, v: Any, name: str, arguments: tuple[int, ...], signed: int) -> None:
        """Compare int64, which is the argument `signed`, with uint64: no dtype has all values."""
        zero = self._literal(constant(0, "int64"))
        negative = self._add((v, 0), ("lt", (arguments[signed], zero), "int64", "bool", ""))
        without_sign = list(arguments)
        without_sign[signed] = self._add(
            (v, 1), ("cast", (arguments[signed],), "int64", "uint64", "")
        )
        compared = self._add((v, 2), (name, tuple(without_sign), "uint64", "bool", ""))
        of_negative = SCALARS[name].numpy(*((0, -1) if signed else (-1, 0)))
        outcome = self._literal(constant(of_negative, "bool"))
        self._add(v, ("where", (negative, outcome, compared), "bool", "bool", ""))

    def _expand(self, v: Any, expression: Variable, places: Sequence[Variable] = ()) -> None:
        """Compute `v` by an expression of scalar functions of its inputs and `places`."""
        graph = FunctionGraph(dict.fromkeys([*v.inputs, *places]), [expression])
        if places:
            self.points.update(node for node in graph.order if node not in v.inputs)
        for node in graph.order:
            if node.inputs and node not in v.inputs and node not in self.number:
                self._statement(node)
        if expression in places:  # the same number, but as an index it may be out of bounds
            self._add(v, ("cast", (self.number[expression],), "int64", v.dtype, ""))
        else:
            self.number[v] = self._argument(expression, v.dtype, self.here)

    def _indices(self, v: Any) -> Iterator[Any]:
        """Per axis of a table, the index: a number of the kernel."""
        spaces = self.plan.spaces
        for what, length in zip(self.plan.indices[v], spaces.of(v.inputs[0]), strict=True):
            if isinstance(what, Access):
                own = own_index(what.variable)
                if own is not None and spaces.of(what.variable)[own] == length:
                    yield self._position(what.view.index(own))
                else:
                    yield self._argument(what.variable, "int64", what.view)
            elif isinstance(what, int):
                yield self._whole(what)
            elif what.is_rolled:
                begin, axis = self._whole(what.begin), str(what.axis)
                yield self._add((what, "roll"), ("roll", (begin,), "int64", "int64", axis))
            elif (what.begin, what.step) == (0, 1):
                yield self._position(what.axis)
            else:
                ends = tuple(map(self._whole, what[1:3]))
                axis = str(what.axis)
                yield self._add((what, "run"), ("run", ends, "int64", "int64", axis))

    def _whole(self, n: Any) -> Any:
        """A number, or a scalar variable."""
        if isinstance(n, int):
            return self._add(("literal", n), ("literal", (), "int64", "int64", str(n)))
        return self._argument(n, "int64", (None,) * len(self.space))

    def _update(self, v: Any, how: str) -> PendingResult:
        """What is written at computed indices."""
        first, *others = [*self.plan.before.get(v, ()), v]
        x = first.inputs[0]
        shape: tuple[LengthSource, ...] = ()
        nowhere: View = (None,) * len(self.space)
        if self.plan.is_filled(x):
            base = self._argument(x.inputs[0], v.dtype, nowhere)
            shape = tuple(map(self._size, self.plan.spaces.of(x), x.inputs[1:]))
        else:
            base = self._operand(x, nowhere, table=True)
        value, places = self._change(first)
        more = tuple(map(self._change, others))
        return PendingResult(value, v.dtype, how, (), places, base, shape, more)

    def _summed_to(self, v: Any) -> PendingResult:
        """A sum into what has some axes of length 1: at 0 along these, at the same place else."""
        x, *sizes = v.inputs
        nowhere: View = (None,) * len(self.space)
        places = []
        for a, size in enumerate(sizes):
            sides = (self._argument(size, "int64", nowhere), self._whole(1))
            is_long = self._add((v, a, "kept"), ("neq", sides, "int64", "bool", ""))
            step = self._add((v, a, "step"), ("cast", (is_long,), "bool", "int64", ""))
            positions = (self._position(a), step)
            places.append(self._add((v, a), ("mul", positions, "int64", "int64", "")))
        value = self._argument(x, v.dtype, self.here)
        base = self._nothing(v.dtype)
        shape = tuple(map(self._size, self.plan.spaces.of(v), sizes))
        return PendingResult(value, v.dtype, "inc", (), tuple(places), base, shape)

    def _nothing(self, dtype: str) -> Any:
        """What changes nothing when it is added."""
        zero = start("inc", number(dtype))
        text = zero if isinstance(zero, str) else " ".join(zero)
        return self._add(("literal", dtype), ("literal", (), dtype, dtype, text))

    def _change(self, v: Any) -> tuple[Any, tuple[Any, ...]]:
        """The value that an update writes, and where."""
        y = v.inputs[1]
        value = self._argument(y, v.dtype, straight(len(self.space), y.ndim))
        return value, tuple(self._indices(v))

    def _compressed(self, v: Any, axis: int | None) -> PendingResult:
        """What is written where a mask is true: elements, or positions."""
        shape: tuple[LengthSource, ...] = ()
        if axis is not None:
            mask, count = v.inputs[:2]
            value = self._position(axis)
            if counted(count) is not mask:
                shape = (self._size(self.plan.spaces.of(v)[0], count),)
        else:
            x, mask = v.inputs
            value = self._argument(x, v.dtype, self.here)
        places = (self._argument(mask, "bool", self.here),)
        return PendingResult(value, v.dtype, "compress", (), places, None, shape)

    def _position(self, axis: int) -> Any:
        """The index along an axis of the kernel."""
        return self._add(("axis", axis), ("axis", (), "int64", "int64", str(axis)))

    def _size(self, key: Any, size: Variable) -> LengthSource:
        """A length that no array tells."""
        if isinstance(key, int):
            return LengthSource(key)
        return LengthSource(None, (self._operand(size, (None,) * len(self.space)),))

    def _argument(self, v: Any, dtype: str, view: View) -> Any:
        """The number of `v` read by `view`, as `dtype`."""
        source, view, _ = self.plan.seen(v, view)
        if source in self.number and (view == self.here or source in self.points):
            position = self.number[source]
        elif isinstance(source.op, Constant) and not _rank(source):
            position = self._literal(source)
        else:
            position = self._operand(source, view)
        have = _dtype(source)
        if have == dtype:
            return position
        key = ("cast", position, dtype)
        return self._add(key, ("cast", (position,), have, dtype, ""))

    def _literal(self, v: Any) -> Any:
        n, value = number(v.dtype), v.op.value.item()
        parts = (value.real, value.imag) if n.kind == "c" else (value,)
        text = " ".join([Code().literal(part, n.part) for part in parts])
        return self._add(("literal", v), ("literal", (), v.dtype, v.dtype, text))

    def _operand(self, v: Any, view: View, *, table: bool = False) -> Any:
        key = (v, view, table)
        if key not in self.operands:
            own = self.plan.spaces.of(v)
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


def _members(key: Any) -> set[Any]:
    """The keys of which `key` is what they broadcast to."""
    return set(key) if isinstance(key, frozenset) else {key}


def _dtype(v: Any) -> str:
    dtype: str = v.dtype
    return dtype


def _rank(v: Any) -> int:
    ndim: int = v.ndim
    return ndim
