"""Kernels as LLVM code: one loop nest each.

The innermost loop reads with unit stride where types say that memory is contiguous; where only
the call can tell, there are two versions of the nest. Sums may be added up in any order, as
vector units do; nothing else is changed about floating-point arithmetic.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cache, partial
from hashlib import blake2b
from typing import Any, Final, NamedTuple

from weft_numba.ir.kernel import Kernel, Statement
from weft_numba.ir.llvm_writer import Code, Value, number
from weft_numba.ir.signature import parameters_of
from weft_numba.llvm import loop_marks, short_axes, threads
from weft_numba.llvm.needed_alone import choices_of, needed_by, updates_apart
from weft_numba.llvm.prefetching import Apart, in_blocks, rooms, streams
from weft_numba.llvm.row_lookups import PLACES, between_seams, goes_anywhere, index, rows_of
from weft_numba.llvm.scalar.cast_rows import cast
from weft_numba.llvm.scalar.table import row
from weft_numba.llvm.scatter_address import (
    OUT_OF_BOUNDS,
    certain,
    checked,
    element,
    go_on,
    is_certain,
)
from weft_numba.llvm.stores import Results, scalar
from weft_numba.llvm.thread_chunks import bounds, can_split, estimate, split

__all__ = ["Lowered", "lower"]

_FEW_REPEATED: Final = 3
"""Of at most so many operands, there is a version for each that is repeated along a row."""


class Lowered(NamedTuple):
    """A function in LLVM's language."""

    name: str
    module: str
    faults: tuple[str, ...]
    """What the inputs can be refused for; the function returns a bit for each."""
    needs: tuple[tuple[str, str], ...]
    """Names and modules of other functions that it calls."""


@cache
def lower(kernel: Kernel, layouts: str, *, exact: bool = False, parallel: bool = False) -> Lowered:
    """The function that runs `kernel` on operands of memory layouts C, R (contiguous rows) or A.

    Its parameters are the lengths of the axes; for each operand a scalar, or a pointer and the
    strides in bytes (for tables, of all axes, and their lengths); and a pointer for each result,
    whose memory is contiguous, with its lengths if it is written at computed indices, and with
    a pointer for its length if it is compressed; it has room for all points then. With
    `parallel`, it splits the nest over threads where that pays.
    """
    writer = _Writer(kernel, layouts, loop_marks.code_for(kernel, exact=exact))
    if parallel and threads.are_available() and can_split(kernel):
        needs = writer.write_split()
    else:
        writer.write()
        needs = ()
    # The function is called after the digest of its own text, so that equal code is one function
    # wherever modules meet; NAME stands for the digest until there is a text to take it of.
    module = writer.code.module("\n".join(writer.code.definitions))
    name = f"weft_nest_{blake2b(module.encode(), digest_size=12).hexdigest()}"
    return Lowered(name, module.replace("@NAME", f"@{name}"), tuple(writer.code.faults), needs)


class _Writer:
    """Writes the function of one kernel."""

    def __init__(self, kernel: Kernel, layouts: str, code: Code) -> None:
        self.kernel = kernel
        self.layouts = layouts
        self.code = code
        self.results = Results(code, kernel, layouts)
        self.inner = kernel.ndim - 1
        self.unit: set[int] = set()
        self.repeated: set[int] = set()
        self.hidden: dict[int, str] = {}
        self.copies: dict[int, str] = {}
        self.rooms: dict[int, str] = {}
        self.ranges = [("0", f"%n{a}") for a in range(kernel.ndim)]
        self.suffix = ""
        """What tells its names from those of other nests in the same function."""
        self.branches = goes_anywhere(kernel, layouts)
        """Whether loops are not faster with vectors: branches are faster then."""
        self.early: dict[int, Value] = {}
        """Values that are computed before the innermost loop; for lookups in a row, its place."""
        self.offsets: dict[int, str] = {}
        """What rolled indices are more than that of the innermost loop."""

    def write(self) -> None:
        """The function, called NAME, all in one."""
        parameters = parameters_of(self.kernel)
        self._write_short(parameters)
        with self._defined("NAME", parameters, loop_marks.place_of_code(self.kernel)):
            self.results.initialise()
            self._nest(parameters)

    def write_split(self) -> tuple[tuple[str, str], ...]:
        """The function, called NAME, of all, of a chunk, and of a part; gives what these need."""
        parameters = parameters_of(self.kernel)
        of_part = [*parameters, *bounds(self.kernel)]
        self.results.in_chunks = True
        self.ranges = [(f"%begin{a}", f"%end{a}") for a in range(self.kernel.ndim)]
        self._write_short(of_part)
        with self._defined("NAME_part", of_part, "noinline"):
            self.results.strides()
            self._nest(of_part)
            versions = 1 + len(self._special(self._units()[1]))
            cost = estimate(self.code.lines) / versions
        with self._defined("NAME", parameters, "minsize optsize"):
            self.results.initialise()
            return split(self.code, self.kernel, parameters, cost)

    @contextmanager
    def _defined(
        self, name: str, parameters: Sequence[str], attributes: str = ""
    ) -> Iterator[None]:
        """A function around what is written inside, which returns what is in %faults."""
        code = self.code
        linkage = "internal" if name != "NAME" else "linkonce_odr"
        attributes = f"nounwind {attributes} {loop_marks.width_of_vectors(self.kernel)}"
        head = f"define {linkage} i8 @{name}({', '.join(parameters)}) {attributes}"
        with code.definition(head):
            code.lines += ["%faults = alloca i8", "store i8 0, ptr %faults", *loop_marks.ZERO]
            yield
            code.lines.append(f"ret i8 {code('load i8, ptr %faults')}")

    def _write_short(self, parameters: Sequence[str]) -> None:
        """The functions NAME_one and NAME_short, for a short innermost axis that is told."""
        for name, attributes, kernel in short_axes.nests(self.kernel):
            other = _Writer(kernel, self.layouts, self.code)
            other.ranges = self.ranges
            with self._defined(f"NAME_{name}", parameters, attributes):
                other.results.strides()
                other.reserve()
                other.loops(once=name == "short")
                other.results.finish()

    def _nest(self, parameters: Sequence[str]) -> None:
        """The loops, and calls of those for a short innermost axis."""
        for n in short_axes.lengths_for(self.kernel):
            short_axes.call_for_short(self.code, self.kernel, parameters, n)
        if any(s.name == "gather" for s in self.kernel.statements):
            self.code.lines += PLACES
        self.reserve()
        self.loops()
        self.results.finish()

    def reserve(self) -> None:
        """Registers and memory, before the nest."""
        self.strides = short_axes.strides_by_lengths(self.code, self.kernel, self.layouts)
        self.results.reserve()
        if not self.branches:
            self.rooms = rooms(self.code, self.kernel)

    def loops(self, *, once: bool = False) -> None:
        """The loops; not `once`, in two versions where the call must tell what is contiguous."""
        sure, perhaps = self._units()
        self.hidden = loop_marks.strides_apart(self.kernel, self.code, sure | perhaps)
        if perhaps and not once:
            self._versions(sure, perhaps)
        else:
            self.unit = sure
            self._axis(0)

    def _units(self) -> tuple[set[int], set[int]]:
        """Operands that surely, or perhaps, lie contiguous along the innermost axis."""
        sure, perhaps = set[int](), set[int]()
        if self.kernel.ndim and not loop_marks.is_by_number(self.kernel):
            for k, o in enumerate(self.kernel.operands):
                moves = o.ndim and not o.table and o.extent[self.inner] in "n?"
                if moves and o.is_last(self.inner):
                    (sure if self._is_contiguous(k) else perhaps).add(k)
        return sure, perhaps

    def _is_contiguous(self, k: int) -> bool:
        """Whether operand `k` surely is along the innermost axis, which is its last."""
        o, a = self.kernel.operands[k], self.inner
        fits = self.layouts[k] == "C" or (self.layouts[k] == "R" and o.view[a] == o.ndim - 1)
        return fits and o.extent[a] == "n"

    def _versions(self, sure: set[int], perhaps: set[int]) -> None:
        """One where all lie contiguous, some where one of them is repeated, one for the rest."""
        code, own = self.code, self.suffix
        for still in self._special(perhaps):
            name = "contiguous" if still is None else f"repeated{still}_"
            fits = "true"
            for k in sorted(perhaps):
                size = 0 if k == still else number(self.kernel.operands[k].dtype).bytes
                fits = code("and i1 {}, {}", fits, code(f"icmp eq i64 %s{k}_{self.inner}, {size}"))
            code.lines += [f"br i1 {fits}, label %{name}{own}, label %not_{name}{own}"]
            self._version(name, sure | perhaps - {still}, set() if still is None else {still})
            code.lines.append(f"not_{name}{own}:")
        self.hidden |= loop_marks.hidden_strides(self.kernel, code, perhaps)
        code.lines.append(f"br label %strided{own}")
        self._version("strided", sure, set())
        code.lines.append(f"done{own}:")

    def _special(self, perhaps: set[int]) -> list[int | None]:
        """For each special version, the operand that is repeated in it; None where none is."""
        repeated = perhaps if 1 < len(perhaps) <= _FEW_REPEATED else ()
        either = [k for k in sorted(repeated) if self.kernel.operands[k].extent[self.inner] == "?"]
        return [None, *either] if perhaps else []

    def _version(self, name: str, unit: set[int], repeated: set[int]) -> None:
        """The loops for some operands that are contiguous, and some that do not move."""
        own = self.suffix
        self.code.lines.append(f"{name}{own}:")
        self.unit, self.repeated, self.suffix = unit, repeated, name + own
        self._axis(0)
        self.code.lines.append(f"br label %done{own}")
        self.suffix, self.repeated = own, set()

    def _rows(self, indices: Sequence[str], pointers: Sequence[str], begin: str, end: str) -> str:
        """Find rows before the innermost loop; gives its end: it does nothing if there are none."""
        kernel, code, count = self.kernel, self.code, len(self.kernel.operands)
        rows = rows_of(kernel, self.layouts)
        self.early = {}
        for k in sorted(rows.needed):
            self.early[k] = self._value(k, indices, pointers, self.early)
        for k in rows.lookups:
            table, *which = kernel.statements[k - count].arguments
            row_places, bad = checked(code, kernel, self.early, which[:-1], f"%l{table}_")
            self.early[k] = element(code, f"%p{table}", f"%s{table}_", row_places)
            if bad != "false":
                code.fail(bad, OUT_OF_BOUNDS)
                end = code("select i1 {}, i64 {}, i64 {}", bad, begin, end)
        return end

    def _gathered(self, k: int, s: Statement, values: Mapping[int, Value]) -> Value:
        """The element of a table at computed indices."""
        code, (table, *which) = self.code, s.arguments
        if k in self.early:
            n, at = number(s.dtype), str(values[which[-1]])
            text = f"getelementptr inbounds {n.memory}, ptr {self.early[k]}, i64 {at}"
            return code.load(n, code(text))
        look = partial(certain, rest=self.results.rest) if self.branches else checked
        indices, bad = look(code, self.kernel, values, which, f"%l{table}_")
        place = element(code, f"%p{table}", f"%s{table}_", indices)
        if bad != "false":
            code.fail(bad, OUT_OF_BOUNDS)
            place = code("select i1 {}, ptr %nowhere, ptr {}", bad, place)
        return code.load(number(s.dtype), place)

    def _axis(
        self,
        a: int,
        indices: Sequence[str] = (),
        pointers: Sequence[str] = (),
        update: int | None = None,
    ) -> None:
        """The loop over axis `a` and all within it; of several updates one, if that is given."""
        kernel = self.kernel
        pointers = pointers or [f"%p{k}" for k in range(len(kernel.operands))]
        self.results.begin(a)
        if a == kernel.ndim:
            self._body(indices, pointers, update)
        else:
            loop = self._innermost if a == self.inner else partial(self._loop, a)
            loop(indices, pointers, *self.ranges[a])
        self.results.end(a, indices)

    def _innermost(
        self, indices: Sequence[str], pointers: Sequence[str], begin: str, end: str
    ) -> None:
        """The innermost loop, once or from seam to seam."""
        end = self._rows(indices, pointers, begin, end)
        name = f"{self.inner}{self.suffix}"
        loop = self._in_two_ways if loop_marks.can_be_masked(self.kernel) else self._loop
        with between_seams(self.code, self.kernel, self.early, name, begin, end) as part:
            first, last, self.offsets = part
            loop(self.inner, indices, pointers, first, last)

    def _in_two_ways(
        self, a: int, indices: Sequence[str], pointers: Sequence[str], begin: str, end: str
    ) -> None:
        """The innermost loop: where rows are short, with masks for what is no whole vector."""
        code, name, self.copies = self.code, f"{a}{self.suffix}", {}
        count = code("sub i64 {}, {}", end, begin)
        is_short = code("icmp slt i64 {}, {}", count, str(loop_marks.SHORT_ROW))
        code.lines += [f"br i1 {is_short}, label %short{name}, label %long{name}", f"short{name}:"]
        with code.loop(f"{name}m", end, begin, marks=loop_marks.MASKED) as i:
            places = [self._moved(k, a, i, p) for k, p in enumerate(pointers)]
            self._axis(a + 1, [*indices, i], places)
        code.lines += [f"br label %row{name}", f"long{name}:"]
        self._loop(a, indices, pointers, begin, end)
        code.label(f"row{name}")

    def _loop(
        self, a: int, indices: Sequence[str], pointers: Sequence[str], begin: str, end: str
    ) -> None:
        """The loop over axis `a`."""
        kernel, code, name = self.kernel, self.code, f"{a}{self.suffix}"
        updates: Sequence[int | None] = (None,)
        blocks: AbstractContextManager[Any] = nullcontext((begin, end, {}))
        if a == self.inner:
            updates = updates_apart(kernel)
            read = {} if self.branches or code.exact else streams(kernel, self.unit, pointers)
            apart = self._apart(pointers)
            if read or apart or len(updates) > 1:
                blocks = in_blocks(code, name, begin, end, read, apart)
        still = self.unit | self.repeated if a == self.inner else set()
        strided = short_axes.is_strided(kernel, self.layouts, a, still)
        marks = loop_marks.loop_marks(kernel, a, hidden=self.hidden, strided=strided)
        with blocks as (first, last, self.copies):
            for update in updates:
                own = name if update is None else f"{name}u{update}_"
                each = partial(self._each, a, indices, pointers, update, last, marks)
                if a == self.inner and self.branches:
                    go_on(self.code, self.results, own, first, each)
                else:
                    each(own, first)

    def _each(
        self,
        a: int,
        indices: Sequence[str],
        pointers: Sequence[str],
        update: int | None,
        last: str,
        marks: Sequence[str],
        name: str,
        first: str,
    ) -> str:
        """A loop over a part of axis `a`; gives its index."""
        marks = (*marks, *loop_marks.ALIGNED) if self.results.rest else marks
        with self.code.loop(name, last, first, marks=marks) as i:
            places = [self._moved(k, a, i, p) for k, p in enumerate(pointers)]
            self._axis(a + 1, [*indices, i], places, update)
        return i

    def _apart(self, pointers: Sequence[str]) -> dict[int, Apart]:
        """Operands that are better collected before the innermost loop."""
        hidden = [(k, self.kernel.operands[k].dtype) for k in self.hidden if k in self.rooms]
        return {k: Apart(pointers[k], self.hidden[k], number(n), self.rooms[k]) for k, n in hidden}

    def _moved(self, k: int, a: int, i: str, pointer: str) -> str:
        """Where operand k is read once the index of axis `a` is known."""
        o = self.kernel.operands[k]
        fixed = o.ndim == 0 or o.table or o.extent[a] not in "n?"
        if fixed or (a == self.inner and k in self.repeated):
            return pointer
        if a == self.inner and (k in self.unit or k in self.copies):
            memory, begin = number(o.dtype).memory, self.copies.get(k, pointer)
            return self.code(f"getelementptr inbounds {memory}, ptr {begin}, i64 {i}")
        hidden = self.hidden.get(k) if a == self.inner else None
        stride = hidden or self.strides.get((k, a), f"%s{k}_{a}")
        offset = self.code("mul i64 {}, {}", i, stride)
        return self.code(f"getelementptr i8, ptr {pointer}, i64 {offset}")

    def _value(
        self,
        k: int,
        indices: Sequence[str],
        pointers: Sequence[str],
        values: Mapping[int, Value],
    ) -> Value:
        """An operand or what a statement computes, by number."""
        kernel, code = self.kernel, self.code
        if k < len(kernel.operands):
            o, pointer = kernel.operands[k], pointers[k]
            if o.table:
                return pointer
            n = number(o.dtype)
            return code.load(n, pointer) if o.ndim else scalar(n, pointer)
        s = kernel.statements[k - len(kernel.operands)]
        n = number(s.computed)
        arguments = [values[a] for a in s.arguments if s.name != "gather"]
        if s.name == "literal":
            return self.results.literal(s)
        if is_certain(kernel, k):
            return index(code, s, indices, arguments, self.offsets.get(k))
        if s.name == "gather":
            return self._gathered(k, s, values)
        if s.name == "cast":
            return cast(code, arguments[0], n, number(s.dtype))
        compute = row(s.name, n.kind)
        assert compute is not None
        return compute(code, n, *arguments)

    def _body(self, indices: Sequence[str], pointers: Sequence[str], update: int | None) -> None:
        """What is done at one point."""
        rows = rows_of(self.kernel, self.layouts).lookups
        values = {k: v for k, v in self.early.items() if k not in rows}
        order = [k for k in needed_by(self.kernel, update) if k not in values]
        compute = partial(self._value, indices=indices, pointers=pointers, values=values)
        choices_of(self.kernel).compute(self.code, order, values, compute)
        self.results.write(indices, values, update)
