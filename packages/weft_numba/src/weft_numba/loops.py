"""Kernels as LLVM code: one loop nest each.

The innermost loop reads with unit stride where types say that memory is contiguous; where only
the call can tell, there are two versions of the nest. Sums may be added up in any order, as
vector units do; nothing else is changed about floating-point arithmetic.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import cache
from hashlib import blake2b
from typing import Final, NamedTuple

from weft_numba import threads
from weft_numba.cast import cast
from weft_numba.combining import accumulator, combined, fill, start
from weft_numba.kernel import Kernel, Operand, Result, Statement
from weft_numba.machine_code import Code, Number, Pair, Value, number
from weft_numba.rows import rows_of
from weft_numba.scalars import row
from weft_numba.splitting import bounds, can_split, estimate, split

__all__ = ["OUT_OF_BOUNDS", "Lowered", "can_collapse", "collapsed", "lower", "stride_axes"]

OUT_OF_BOUNDS: Final = "index is out of bounds"

_INDICES: Final = ("axis", "run")
"""Statements that are within bounds."""
_COPY: Final = "@llvm.memcpy.p0.p0.i64"
_NOTHING_THERE: Final = ["store [2 x i64] zeroinitializer, ptr %nowhere"]
"""What is read, and written, in place of elements that do not exist."""


class Lowered(NamedTuple):
    """A function in LLVM's language."""

    name: str
    module: str
    faults: tuple[str, ...]
    """What the inputs can be refused for; the function returns a bit for each."""
    needs: tuple[tuple[str, str], ...]
    """Names and modules of other functions that it calls."""


def stride_axes(operand: Operand) -> list[int]:
    """The axes for which the function is given the operand's stride: the kernel's.

    For a table, they are its own.
    """
    if operand.table:
        return list(range(operand.ndim))
    return [a for a, extent in enumerate(operand.extent) if extent in "n?"]


@cache
def lower(kernel: Kernel, layouts: str, *, exact: bool = False, parallel: bool = False) -> Lowered:
    """The function that runs `kernel` on operands of these memory layouts (C or A).

    Its parameters are the lengths of the axes; for each operand a scalar, or a pointer and the
    strides in bytes (for tables, of all axes, and their lengths); and a pointer for each result,
    whose memory is contiguous, with its lengths if it is written at computed indices, and with
    a pointer for its length if it is compressed; it has room for all points then. With
    `parallel`, it splits the nest over threads where that pays.
    """
    writer = _Writer(kernel, layouts, exact)
    if parallel and threads.are_available() and can_split(kernel):
        needs = writer.write_split()
    else:
        writer.write()
        needs = ()
    module = writer.code.module("\n".join(writer.code.definitions))
    name = f"weft_{blake2b(module.encode(), digest_size=12).hexdigest()}"
    return Lowered(name, module.replace("@NAME", f"@{name}"), tuple(writer.code.faults), needs)


def can_collapse(kernel: Kernel, layouts: str) -> bool:
    """Whether one loop over all elements does: everything is contiguous and of one shape."""
    everything = tuple(range(kernel.ndim))
    return (
        kernel.ndim > 1
        and all(
            o.ndim == 0 or (layout == "C" and o.view == everything and set(o.extent) == {"n"})
            for o, layout in zip(kernel.operands, layouts, strict=True)
        )
        and all(r.kept in ((), everything) and not r.scatters for r in kernel.results)
        and all(s.name not in _INDICES for s in kernel.statements)
    )


def collapsed(kernel: Kernel) -> Kernel:
    """The same kernel over one axis, which stands for all."""
    operands = [o._replace(view=(0,), extent="n") if o.ndim else o for o in kernel.operands]
    results = [r._replace(kept=(0,) if r.kept else ()) for r in kernel.results]
    return kernel._replace(
        lengths=kernel.lengths[:1], operands=tuple(operands), results=tuple(results)
    )


class _Writer:
    """Writes the function of one kernel."""

    def __init__(self, kernel: Kernel, layouts: str, exact: bool) -> None:
        self.kernel = kernel
        self.layouts = layouts
        self.code = Code(exact=exact)
        self.inner = kernel.ndim - 1
        self.unit: set[int] = set()
        self.ranges = [("0", f"%n{a}") for a in range(kernel.ndim)]
        self.suffix = ""
        self.branches = any(r.scatters for r in kernel.results)
        self.early: dict[int, Value] = {}
        """Values that are computed before the innermost loop; for lookups in a row, its place."""

    def write(self) -> None:
        """The function, called NAME, all in one."""
        with self._defined("NAME", self._parameters()):
            self._initialise()
            self._nest()

    def write_split(self) -> tuple[tuple[str, str], ...]:
        """The function, called NAME, of all, of a chunk, and of a part; gives what these need."""
        parameters = self._parameters()
        with self._defined("NAME_part", [*parameters, *bounds(self.kernel)], "noinline"):
            self.ranges = [(f"%begin{a}", f"%end{a}") for a in range(self.kernel.ndim)]
            self._element_strides()
            self._nest()
            versions = 2 if self._units()[1] else 1
            cost = estimate(self.code.lines) / versions
        with self._defined("NAME", parameters, "minsize optsize"):
            self._initialise()
            return split(self.code, self.kernel, parameters, cost)

    @contextmanager
    def _defined(
        self, name: str, parameters: Sequence[str], attributes: str = ""
    ) -> Iterator[None]:
        """A function around what is written inside, which returns what is in %faults."""
        code = self.code
        linkage = "internal " if name != "NAME" else ""
        head = f"define {linkage}i8 @{name}({', '.join(parameters)}) nounwind {attributes}"
        with code.definition(head):
            code.lines += ["%faults = alloca i8", "store i8 0, ptr %faults"]
            yield
            code.lines.append(f"ret i8 {code('load i8, ptr %faults')}")

    def _parameters(self) -> list[str]:
        kernel = self.kernel
        parameters = [f"i64 %n{a}" for a in range(kernel.ndim)]
        for k, o in enumerate(kernel.operands):
            n = number(o.dtype)
            if o.ndim == 0:
                parameters += [f"{n.register} {part}" for part in _parts(n, f"%p{k}")]
            else:
                parameters.append(f"ptr noalias readonly %p{k}")
                parameters += [f"i64 %s{k}_{a}" for a in stride_axes(o)]
                if o.table:
                    parameters += [f"i64 %l{k}_{a}" for a in range(o.ndim)]
        for k, r in enumerate(kernel.results):
            parameters.append(f"ptr noalias %r{k}")
            if r.scatters:
                parameters += [f"i64 %m{k}_{a}" for a in range(r.ndim)]
            if r.compresses:
                parameters.append(f"ptr noalias %m{k}")
        return parameters

    def _initialise(self) -> None:
        """Put into results that are not stored, or combined in registers, what they start from."""
        self._element_strides()
        for k, r in enumerate(self.kernel.results):
            if r.scatters:
                self._start_from_base(k, r)
            elif r.how not in ("store", "compress") and not self._in_register(r):
                self._fill(k, r)

    def _nest(self) -> None:
        """The loops, in two versions where the call must tell what is contiguous."""
        kernel, code = self.kernel, self.code
        if any(s.name == "gather" for s in kernel.statements) or any(
            r.scatters for r in kernel.results
        ):
            code.lines += ["%nowhere = alloca [2 x i64]", *_NOTHING_THERE]
        for k, r in enumerate(kernel.results):
            if r.compresses:
                code.lines += [f"%c{k} = alloca i64", f"store i64 0, ptr %c{k}"]
            elif r.how != "store" and self._in_register(r):
                code.lines.append(f"%a{k} = alloca {accumulator(number(r.dtype)).memory}")
        sure, perhaps = self._units()
        if perhaps:
            self._two_versions(sure, perhaps)
        else:
            self.unit = sure
            self._axis(0)
        for k, r in enumerate(kernel.results):
            if r.compresses:
                code.lines.append(f"store i64 {code(f'load i64, ptr %c{k}')}, ptr %m{k}")

    def _element_strides(self) -> None:
        """%e{k}_{a}: how many elements of result k lie between neighbours along axis a."""
        for k, r in enumerate(self.kernel.results):
            stride = "1"
            axes, length = (range(r.ndim), f"%m{k}_") if r.scatters else (r.kept, "%n")
            for a in reversed(axes):
                self.code.lines.append(f"%e{k}_{a} = mul i64 1, {stride}")
                stride = self.code("mul i64 {}, {}", f"{length}{a}", stride)

    def _in_register(self, r: Result) -> bool:
        """Whether a reduction can be combined in a register, and stored when it is ready."""
        return not r.places and r.kept == tuple(range(len(r.kept)))

    def _units(self) -> tuple[set[int], set[int]]:
        """Operands that surely, or perhaps, lie contiguous along the innermost axis."""
        sure: set[int] = set()
        perhaps: set[int] = set()
        if self.kernel.ndim:
            for k, o in enumerate(self.kernel.operands):
                if (
                    o.ndim
                    and not o.table
                    and o.view[self.inner] == o.ndim - 1
                    and o.extent[self.inner] in "n?"
                ):
                    known = self.layouts[k] == "C" and o.extent[self.inner] == "n"
                    (sure if known else perhaps).add(k)
        return sure, perhaps

    def _two_versions(self, sure: set[int], perhaps: set[int]) -> None:
        code, fits = self.code, "true"
        for k in sorted(perhaps):
            size = number(self.kernel.operands[k].dtype).bytes
            fits = code("and i1 {}, {}", fits, code(f"icmp eq i64 %s{k}_{self.inner}, {size}"))
        code.lines.append(f"br i1 {fits}, label %contiguous, label %strided")
        for name, unit in (("contiguous", sure | perhaps), ("strided", sure)):
            code.lines.append(f"{name}:")
            self.unit = unit
            self.suffix = name[0]
            self._axis(0)
            code.lines.append("br label %done")
        code.lines.append("done:")

    def _fill(self, k: int, r: Result) -> None:
        """Put the start of the reduction into all elements of result k."""
        self._fill_with(k, start(r.how, number(r.dtype)), [f"%n{a}" for a in r.kept])

    def _fill_with(self, k: int, value: Value, lengths: Sequence[str]) -> None:
        count = self.code.product(lengths)
        fill(self.code, f"f{k}", f"%r{k}", number(self.kernel.results[k].dtype), value, count)

    def _start_from_base(self, k: int, r: Result) -> None:
        """Put what it is before anything is written there into result k."""
        kernel, n = self.kernel, number(r.dtype)
        lengths = [f"%m{k}_{a}" for a in range(r.ndim)]
        if r.base >= len(kernel.operands):
            self._fill_with(k, _literal(kernel.statements[r.base - len(kernel.operands)]), lengths)
        elif not kernel.operands[r.base].table:
            self._fill_with(k, _scalar(n, f"%p{r.base}"), lengths)
        else:
            self._copy(k, r, lengths)

    def _copy(self, k: int, r: Result, lengths: Sequence[str]) -> None:
        """Copy the table that result k starts from."""
        n = number(r.dtype)
        if self.layouts[r.base] == "C":
            size = self.code.product([*lengths, str(n.bytes)])
            given = f"ptr %r{k}, ptr %p{r.base}, i64 {size}, i1 false"
            self.code.lines.append(f"call void {_COPY}({given})")
            self.code.declarations[_COPY] = f"declare void {_COPY}(ptr, ptr, i64, i1)"
            return
        with ExitStack() as loops:
            indices = [
                loops.enter_context(self.code.loop(f"c{k}_{a}", length))
                for a, length in enumerate(lengths)
            ]
            source = self._element(f"%p{r.base}", f"%s{r.base}_", indices)
            self.code.store(n, self.code.load(n, source), self._written(k, indices))

    def _element(self, pointer: str, strides: str, indices: Sequence[str]) -> str:
        """The address of the element of an array at these indices."""
        for a, index in enumerate(indices):
            offset = self.code("mul i64 {}, {}", index, f"{strides}{a}")
            pointer = self.code("getelementptr i8, ptr {}, i64 {}", pointer, offset)
        return pointer

    def _written(self, k: int, indices: Sequence[str]) -> str:
        """The address of the element of result k at indices of its own."""
        memory, place = number(self.kernel.results[k].dtype).memory, f"%r{k}"
        for a, index in enumerate(indices):
            step = self.code("mul i64 {}, {}", index, f"%e{k}_{a}")
            place = self.code("getelementptr {}, ptr {}, i64 {}", memory, place, step)
        return place

    def _checked(
        self, values: Mapping[int, Value], which: Sequence[int], lengths: str
    ) -> tuple[list[str], str]:
        """Indices counted from 0, and whether one of them is out of bounds."""
        code, bad = self.code, "false"
        count = len(self.kernel.operands)
        found = []
        for a, k in enumerate(which):
            index = str(values[k])
            if k < count or self.kernel.statements[k - count].name not in _INDICES:
                length = f"{lengths}{a}"
                below = code("icmp slt i64 {}, 0", index)
                wrapped = code("add i64 {}, {}", index, length)
                index = code("select i1 {}, i64 {}, i64 {}", below, wrapped, index)
                bad = code("or i1 {}, {}", bad, code("icmp uge i64 {}, {}", index, length))
            found.append(index)
        return found, bad

    def _rows(self, indices: Sequence[str], pointers: Sequence[str], begin: str, end: str) -> str:
        """Find rows before the innermost loop; gives its end: it does nothing if there are none."""
        kernel, code, count = self.kernel, self.code, len(self.kernel.operands)
        rows = rows_of(kernel, self.layouts)
        self.early = {}
        for k in sorted(rows.needed):
            self.early[k] = self._value(k, indices, pointers, self.early)
        for k in rows.lookups:
            table, *which = kernel.statements[k - count].arguments
            found, bad = self._checked(self.early, which[:-1], f"%l{table}_")
            self.early[k] = self._element(f"%p{table}", f"%s{table}_", found)
            if bad != "false":
                code.fail(bad, OUT_OF_BOUNDS)
                end = code("select i1 {}, i64 {}, i64 {}", bad, begin, end)
        return end

    def _gathered(self, k: int, s: Statement, values: Mapping[int, Value]) -> Value:
        """The element of a table at computed indices."""
        table, *which = s.arguments
        if k in self.early:
            n, at = number(s.dtype), str(values[which[-1]])
            text = f"getelementptr inbounds {n.memory}, ptr {self.early[k]}, i64 {at}"
            return self.code.load(n, self.code(text))
        indices, bad = self._checked(values, which, f"%l{table}_")
        n, place = number(s.dtype), f"%p{table}"
        if self.branches and bad != "false":
            self._leave(bad)
            bad = "false"
        place = self._element(place, f"%s{table}_", indices)
        if bad != "false":
            self.code.fail(bad, OUT_OF_BOUNDS)
            place = self.code("select i1 {}, ptr %nowhere, ptr {}", bad, place)
        return self.code.load(n, place)

    def _scattered(
        self, k: int, r: Result, which: int, places: Sequence[int], values: Mapping[int, Value]
    ) -> None:
        """Write to the element of result k at computed indices."""
        n = number(r.dtype)
        indices, bad = self._checked(values, places, f"%m{k}_")
        if bad != "false":
            self._leave(bad)
        place = self._written(k, indices)
        value = values[which]
        if r.how == "inc":
            value = combined(self.code, n, "inc", self.code.load(n, place), value)
        self.code.store(n, value, place)

    def _leave(self, bad: str) -> None:
        """Return at once where an index is out of bounds: nothing is written there.

        A branch that is never taken costs nothing; to select another place does.
        """
        code, name = self.code, self.code.new()[1:]
        code.lines += [f"br i1 {bad}, label %bad_{name}, label %good_{name}", f"bad_{name}:"]
        code.fail("true", OUT_OF_BOUNDS)
        code.lines += [f"ret i8 {code('load i8, ptr %faults')}", f"good_{name}:"]

    def _compressed(self, k: int, r: Result, values: Mapping[int, Value]) -> None:
        """Write to the place after the last one, which counts only if the value is wanted."""
        n, code = number(r.dtype), self.code
        count = code("load i64, ptr {}", f"%c{k}")
        there = code("getelementptr inbounds {}, ptr {}, i64 {}", n.memory, f"%r{k}", count)
        code.store(n, values[r.value], there)
        more = code("zext i1 {} to i64", str(values[r.places[0]]))
        code.lines.append(f"store i64 {code('add i64 {}, {}', count, more)}, ptr %c{k}")

    def _axis(self, a: int, indices: Sequence[str] = (), pointers: Sequence[str] = ()) -> None:
        """The loop over axis `a` and all within it."""
        kernel, code = self.kernel, self.code
        pointers = pointers or [f"%p{k}" for k in range(len(kernel.operands))]
        starting = [
            k for k, r in enumerate(kernel.results) if r.how != "store" and self._ready(r, a)
        ]
        for k in starting:
            n = number(kernel.results[k].dtype)
            code.store(accumulator(n), start(kernel.results[k].how, n), f"%a{k}")
        if a == kernel.ndim:
            self._body(indices, pointers)
        else:
            begin, end = self.ranges[a]
            if a == self.inner:
                end = self._rows(indices, pointers, begin, end)
            with code.loop(f"{a}{self.suffix}", end, begin) as i:
                moved = [self._moved(k, a, i, p) for k, p in enumerate(pointers)]
                self._axis(a + 1, [*indices, i], moved)
        for k in starting:
            r = kernel.results[k]
            n = number(r.dtype)
            total = code.load(accumulator(n), f"%a{k}")
            code.store(n, total, self._place(k, r, indices))

    def _ready(self, r: Result, a: int) -> bool:
        return self._in_register(r) and len(r.kept) == a

    def _moved(self, k: int, a: int, i: str, pointer: str) -> str:
        """Where operand k is read once the index of axis `a` is known."""
        o = self.kernel.operands[k]
        if o.ndim == 0 or o.table or o.extent[a] not in "n?":
            return pointer
        if a == self.inner and k in self.unit:
            memory = number(o.dtype).memory
            return self.code(f"getelementptr inbounds {memory}, ptr {pointer}, i64 {i}")
        offset = self.code("mul i64 {}, {}", i, f"%s{k}_{a}")
        return self.code(f"getelementptr i8, ptr {pointer}, i64 {offset}")

    def _place(self, k: int, r: Result, indices: Sequence[str]) -> str:
        """The address of the element of result k at these indices."""
        place, memory = f"%r{k}", number(r.dtype).memory
        for a in r.kept:
            step = indices[a]
            if a != r.kept[-1]:
                step = self.code("mul i64 {}, {}", step, f"%e{k}_{a}")
            place = self.code(f"getelementptr inbounds {memory}, ptr {place}, i64 {step}")
        return place

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
            return code.load(n, pointer) if o.ndim else _scalar(n, pointer)
        s = kernel.statements[k - len(kernel.operands)]
        n = number(s.computed)
        arguments = [values[a] for a in s.arguments if s.name != "gather"]
        if s.name == "literal":
            return _literal(s)
        if s.name == "axis":
            return indices[int(s.literal)]
        if s.name == "run":
            begin, step = map(str, arguments)
            taken = code("mul i64 {}, {}", indices[int(s.literal)], step)
            return code("add i64 {}, {}", begin, taken)
        if s.name == "gather":
            return self._gathered(k, s, values)
        if s.name == "cast":
            return cast(code, arguments[0], n, number(s.dtype))
        compute = row(s.name, n.kind)
        assert compute is not None
        return compute(code, n, *arguments)

    def _body(self, indices: Sequence[str], pointers: Sequence[str]) -> None:
        """What is done at one point."""
        kernel, code = self.kernel, self.code
        values: dict[int, Value] = {}
        rows = rows_of(kernel, self.layouts).lookups
        for k in range(len(kernel.operands) + len(kernel.statements)):
            early = k in self.early and k not in rows
            values[k] = self.early[k] if early else self._value(k, indices, pointers, values)
        for k, r in enumerate(kernel.results):
            if r.scatters:
                for which, places in ((r.value, r.places), *r.more):
                    self._scattered(k, r, which, places, values)
                continue
            if r.compresses:
                self._compressed(k, r, values)
                continue
            n, value = number(r.dtype), values[r.value]
            if r.how == "store":
                code.store(n, value, self._place(k, r, indices))
                continue
            place = self._place(k, r, indices)
            if self._in_register(r):
                n, place = accumulator(n), f"%a{k}"
            code.store(n, combined(code, n, r.how, code.load(n, place), value), place)


def _parts(n: Number, name: str) -> tuple[str, ...]:
    """The registers called `name` that hold a number."""
    return (f"{name}r", f"{name}i") if n.kind == "c" else (name,)


def _scalar(n: Number, name: str) -> Value:
    """The number in the registers called `name`."""
    return Pair(*_parts(n, name)) if n.kind == "c" else name


def _literal(s: Statement) -> Value:
    return Pair(*s.literal.split()) if number(s.dtype).kind == "c" else s.literal
