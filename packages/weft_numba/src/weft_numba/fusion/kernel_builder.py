"""A kernel from the nodes that are computed in one pass: operands, statements, results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from weft_graph import Constant, FunctionGraph, Variable
from weft_numba.analysis.access import (
    ACCUMULATIONS,
    REDUCTIONS,
    Read,
    is_accumulation,
    is_collected,
    is_compressed,
    is_reduction,
    is_sum_to,
)
from weft_numba.analysis.compress import counted
from weft_numba.analysis.fusion_plan import Plan
from weft_numba.analysis.slices import count
from weft_numba.ir.axis_sizes import Space, View, straight
from weft_numba.ir.kernel import Kernel, Length, Operand, Result, Statement
from weft_numba.ir.llvm_writer import Code, number
from weft_numba.llvm.accumulate import start
from weft_numba.llvm.scalar.table import argument_dtypes
from weft_tensor import (
    Arange,
    Elemwise,
    Eye,
    Index,
    IndexUpdate,
    Nonzero,
    SliceLength,
    Sum,
    constant,
)

__all__ = ["Builder", "Fused", "Pack"]


class Pack:
    """Values of one dtype that a kernel stores in one array, for other kernels."""

    def __init__(self, members: Sequence[Variable]) -> None:
        self.members = members


class Fused(NamedTuple):
    """A kernel with what it reads and computes."""

    kernel: Kernel
    inputs: tuple[Variable | Pack, ...]
    outputs: tuple[Variable | Pack, ...]
    nodes: tuple[Variable, ...]
    """All that is computed on the way."""


class _Said(NamedTuple):
    """What is said about a length, before operands have numbers."""

    known: int | None
    sizes: tuple[Any, ...] = ()
    tables: tuple[Any, ...] = ()
    sure: bool = True
    wanted: tuple[Any, ...] = ()


class _Made(NamedTuple):
    """A result, before values have numbers."""

    value: Any
    dtype: str
    how: str
    kept: tuple[int, ...]
    places: tuple[Any, ...] = ()
    base: Any = None
    shape: tuple[_Said, ...] = ()
    more: tuple[tuple[Any, tuple[Any, ...]], ...] = ()
    slot: int = -1
    along: int = -1
    may_be_empty: bool = False


class Builder:
    """Makes a kernel of the nodes that go together."""

    def __init__(
        self,
        plan: Plan,
        members: Sequence[Variable],
        space: Space,
        stored: set[Variable],
        packed: Mapping[Variable, tuple[Pack, int]],
    ) -> None:
        self.plan = plan
        self.members = members
        self.space = space
        self.here = tuple(range(len(space)))
        self.inside = {v for v in members if not is_collected(v)}
        self.stored = stored
        self.packed = packed
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
                _, slot = self.packed.get(v, (None, -1))
                results.append(_Made(self.number[v], _dtype(v), "store", self.here, slot=slot))
            elif is_reduction(v):
                value = self._argument(v.inputs[0], _dtype(v), self.here)
                kept = tuple([a for a in self.here if a not in v.op.axis])  # type: ignore[attr-defined]  # a reduction
                how, empty = REDUCTIONS[type(v.op)], getattr(v.op, "or_infinity", False)
                results.append(_Made(value, _dtype(v), how, kept, may_be_empty=empty))
            elif is_accumulation(v):
                value = self._argument(v.inputs[0], _dtype(v), self.here)
                how, axis = ACCUMULATIONS[type(v.op)], v.op.axis  # type: ignore[attr-defined]  # an accumulation
                results.append(_Made(value, _dtype(v), how, self.here, along=axis))
            elif is_sum_to(v):
                results.append(self._summed_to(v))
            elif is_compressed(v):
                results.append(self._compressed(v))
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
            open_ += [r.variable for r in self.plan.read[v] if self._computes(r.variable, v)]
        position = self.plan.position
        return sorted(wanted, key=position.__getitem__)

    def _computes(self, i: Variable, v: Variable) -> bool:
        """Whether the input `i` of `v` is computed here, not read."""
        if i in self.inside:
            return True
        return i not in self.stored and self.plan.together(i, v)

    def _length(self, a: int) -> _Said:
        """What says how long axis `a` is, besides the operands that have it."""
        wanted = [
            self._operand(v.inputs[2], (None,) * len(self.space))
            for v in self.computed
            if isinstance(v.op, Nonzero) and v.op.axis == a and len(v.inputs) == 3
        ]
        return self._told(a)._replace(wanted=tuple(wanted))

    def _told(self, a: int) -> _Said:
        """What tells how long axis `a` is."""
        key = self.space[a]
        if isinstance(key, int):
            return _Said(key)
        told: set[Any] = set()
        spaces = self.plan.spaces
        for (v, view, _), o in list(self.operands.items()):
            own = view[a]
            if own is not None and not o.table:
                told |= _members(spaces.of(v)[own])
        missing = _members(key) - told
        scalars = [
            *(r.variable for v in self.computed for r in self.plan.read[v] if not r.table),
            *(n for v in self.computed for n in self._sizes_of_filled(v)),
        ]
        found = {
            spaces.size(n): n
            for n in scalars
            if missing and not _rank(n) and n.type.dtype[0] in "iu"
        }
        nowhere: View = (None,) * len(self.space)
        sizes = [self._operand(n, nowhere) for k, n in found.items() if k in missing or k == key]
        tables = [
            (("operand", at), own)
            for at in self.operands
            for own, k in enumerate(spaces.of(at[0]))
            if at[2] and missing and k == key
        ]
        if tables:
            return _Said(None, (), tuple(tables))
        return _Said(None, tuple(sizes), (), len(_members(key)) == 1)

    def _sizes_of_filled(self, v: Any) -> Sequence[Any]:
        """The lengths of what `v` updates, if that is filled with a number only here."""
        if not isinstance(v.op, IndexUpdate):
            return ()
        x = [*self.plan.before.get(v, ()), v][0].inputs[0]
        return x.inputs[1:] if self.plan.is_filled(x) else ()

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
            if set(wanted) == {"int64", "uint64"}:
                self._compare_by_value(v, arguments, wanted.index("int64"))
            else:
                self._add(v, (op.name, arguments, wanted[-1], v.dtype, ""))
        elif isinstance(op, Index):
            table = self._operand(v.inputs[0], (None,) * ndim, table=True)
            where = tuple(self._indices(v))
            self._add(v, ("gather", (table, *where), v.dtype, v.dtype, ""))
        elif isinstance(op, SliceLength):
            self._expand(v, count(op.part, v.inputs[0], v.inputs[1:]))
        elif isinstance(op, Arange):  # the same number, but as an index it may be out of bounds
            self._add(v, ("cast", (self._position(0),), "int64", "int64", ""))
        elif isinstance(op, Eye):
            shift = self._argument(v.inputs[2], "int64", (None,) * ndim)
            at = [self._position(a) for a in (0, 1)]
            moved = self._add((v, 0), ("add", (at[0], shift), "int64", "int64", ""))
            same = self._add((v, 1), ("eq", (moved, at[1]), "int64", "bool", ""))
            self._add(v, ("cast", (same,), "bool", v.dtype, ""))
        else:  # a Cast, a BroadcastTo or a reduction of a scalar: the same number, in its dtype
            have = v.inputs[0].dtype
            argument = self._argument(v.inputs[0], have, straight(ndim, v.inputs[0].ndim))
            if not isinstance(op, Sum):
                self._add(v, ("cast", (argument,), have, v.dtype, ""))
                return
            same = self._add((v, 0), ("cast", (argument,), have, v.dtype, ""))
            zero = self._literal(constant(0, v.dtype))  # what a sum begins with: -0.0 becomes 0.0
            self._add(v, ("add", (same, zero), v.dtype, v.dtype, ""))

    def _compare_by_value(self, v: Any, arguments: tuple[int, ...], signed: int) -> None:
        """Compare int64, which is the argument `signed`, with uint64: no dtype has all values."""
        zero = self._literal(constant(0, "int64"))
        negative = self._add((v, 0), ("lt", (arguments[signed], zero), "int64", "bool", ""))
        without_sign = list(arguments)
        without_sign[signed] = self._add(
            (v, 1), ("cast", (arguments[signed],), "int64", "uint64", "")
        )
        compared = self._add((v, 2), (v.op.name, tuple(without_sign), "uint64", "bool", ""))
        of_negative = v.op.scalar.numpy(*((0, -1) if signed else (-1, 0)))
        outcome = self._literal(constant(of_negative, "bool"))
        self._add(v, ("where", (negative, outcome, compared), "bool", "bool", ""))

    def _expand(self, v: Variable, expression: Variable) -> None:
        """Compute `v` by an expression of scalar functions of its inputs."""
        for node in FunctionGraph(dict.fromkeys(v.inputs), [expression]).order:
            if node.inputs and node not in v.inputs and node not in self.number:
                self._statement(node)
        self.number[v] = self._argument(expression, "int64", self.here)

    def _indices(self, v: Any) -> Iterator[Any]:
        """Per axis of a table, the index: a number of the kernel."""
        spaces = self.plan.spaces
        for what, length in zip(self.plan.indices[v], spaces.of(v.inputs[0]), strict=True):
            if isinstance(what, Read):
                if isinstance(what.variable.op, Arange) and spaces.of(what.variable) == (length,):
                    yield self._position(what.view.index(0))
                else:
                    yield self._argument(what.variable, "int64", what.view)
            elif isinstance(what, int):
                yield self._whole(what)
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

    def _update(self, v: Any) -> _Made:
        """What is written at computed indices, and how."""
        first, *others = [*self.plan.before.get(v, ()), v]
        x = first.inputs[0]
        shape: tuple[_Said, ...] = ()
        nowhere: View = (None,) * len(self.space)
        if self.plan.is_filled(x):
            base = self._argument(x.inputs[0], v.dtype, nowhere)
            shape = tuple(
                [
                    self._size(n, s)
                    for n, s in zip(self.plan.spaces.of(x), x.inputs[1:], strict=True)
                ]
            )
        else:
            base = self._operand(x, nowhere, table=True)
        value, places = self._change(first)
        more = tuple(map(self._change, others))
        return _Made(value, v.dtype, v.op.mode, (), places, base, shape, more)

    def _summed_to(self, v: Any) -> _Made:
        """A sum into what has some axes of length 1: at 0 along these, at the same place else."""
        x, *sizes = v.inputs
        nowhere: View = (None,) * len(self.space)
        places = []
        for a, size in enumerate(sizes):
            given = (self._argument(size, "int64", nowhere), self._whole(1))
            kept = self._add((v, a, "kept"), ("neq", given, "int64", "bool", ""))
            step = self._add((v, a, "step"), ("cast", (kept,), "bool", "int64", ""))
            taken = (self._position(a), step)
            places.append(self._add((v, a), ("mul", taken, "int64", "int64", "")))
        value = self._argument(x, v.dtype, self.here)
        base = self._nothing(v.dtype)
        shape = tuple(map(self._size, self.plan.spaces.of(v), sizes))
        return _Made(value, v.dtype, "inc", (), tuple(places), base, shape)

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

    def _compressed(self, v: Any) -> _Made:
        """What is written where a mask is true: elements, or positions."""
        shape: tuple[_Said, ...] = ()
        if isinstance(v.op, Nonzero):
            mask, count = v.inputs[:2]
            value = self._position(v.op.axis)
            if counted(count) is not mask:
                shape = (self._size(self.plan.spaces.of(v)[0], count),)
        else:
            x, mask = v.inputs
            value = self._argument(x, v.dtype, self.here)
        places = (self._argument(mask, "bool", self.here),)
        return _Made(value, v.dtype, "compress", (), places, None, shape)

    def _position(self, axis: int) -> Any:
        """The index along an axis of the kernel."""
        return self._add(("axis", axis), ("axis", (), "int64", "int64", str(axis)))

    def _size(self, key: Any, size: Variable) -> _Said:
        """A length that no array tells."""
        if isinstance(key, int):
            return _Said(key)
        return _Said(None, (self._operand(size, (None,) * len(self.space)),))

    def _argument(self, v: Any, dtype: str, view: View) -> Any:
        """The number of `v` read by `view`, as `dtype`."""
        source, view, _ = self.plan.seen(v, view)
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

    def _numbered(self, results: Sequence[_Made], outputs: list[Variable]) -> Fused:
        lengths = [self._length(a) for a in range(len(self.space))]
        place = {("operand", key): k for k, key in enumerate(self.operands)}
        count = len(place)

        def final(value: Any) -> int:
            return place[value] if value[0] == "operand" else count + value[1]

        def length(said: _Said) -> Length:
            tables = tuple([(place[table], own) for table, own in said.tables])
            sizes, wanted = (tuple(map(final, those)) for those in (said.sizes, said.wanted))
            return Length(said.known, sizes, tables, said.sure, wanted)

        def result(r: _Made) -> Result:
            return Result(
                final(r.value),
                r.dtype,
                r.how,
                r.kept,
                tuple(map(final, r.places)),
                -1 if r.base is None else final(r.base),
                tuple([length(said) for said in r.shape]),
                tuple([(final(value), tuple(map(final, places))) for value, places in r.more]),
                r.slot,
                r.along,
                r.may_be_empty,
            )

        statements = [
            Statement(name, tuple(map(final, arguments)), computed, dtype, literal)
            for name, arguments, computed, dtype, literal in self.statements
        ]
        packed = self.packed
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
        return Fused(kernel, tuple(arguments), (*alone, *packs), tuple(self.computed))


def _members(key: Any) -> set[Any]:
    """The keys of which `key` is what they broadcast to."""
    return set(key) if isinstance(key, frozenset) else {key}


def _dtype(v: Any) -> str:
    dtype: str = v.dtype
    return dtype


def _rank(v: Any) -> int:
    ndim: int = v.ndim
    return ndim
