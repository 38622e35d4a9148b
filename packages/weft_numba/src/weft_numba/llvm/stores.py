"""How a loop nest writes its results: element by element, combined, at indices, or compressed."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from typing import Final

from weft_numba.ir.kernel import Kernel, Result, Statement
from weft_numba.ir.llvm_writer import Code, Number, Pair, Value, number
from weft_numba.ir.signature import parts
from weft_numba.llvm.accumulate import accumulator, combined, extreme, fill, is_extreme, start
from weft_numba.llvm.frames import framed, part
from weft_numba.llvm.scalar.table import calls_of_vectors, row
from weft_numba.llvm.scatter_address import certain, element

__all__ = ["Results", "scalar"]

_COPY: Final = "@llvm.memcpy.p0.p0.i64"
_BEFORE_ALL: Final = {"maximum": "max", "minimum": "min", "add": "inc", "mul": "prod"}
"""By what a scan combines with: the reduction that starts from what changes no number."""


class Results:
    """Writes what a kernel does with values; %r0, %r1, ... are where its results are in memory."""

    def __init__(self, code: Code, kernel: Kernel, layouts: str) -> None:
        self.code = code
        self.kernel = kernel
        self.layouts = layouts
        calls = (calls_of_vectors(s.name, s.computed, len(s.arguments)) for s in kernel.statements)
        self.calls = any(calls)
        """Whether functions of whole vectors are called: LLVM looks for no NaN beside these."""
        self.hidden: dict[Statement, str] = {}
        """Literals that LLVM must not see, in registers."""
        self.in_chunks = False
        """Whether results are made by chunks, of which each adds to one of its own."""
        self.rest = ""
        """The label of a loop that goes on where an index is negative; if there is one."""

    def strides(self) -> None:
        """%e{k}_{a}: how many elements of result k lie between neighbours along axis a."""
        for k, r in enumerate(self.kernel.results):
            stride = "1"
            axes, length = (range(r.ndim), f"%m{k}_") if r.scatters else (r.kept, "%n")
            for a in reversed(axes):
                self.code.lines.append(f"%e{k}_{a} = mul i64 1, {stride}")
                stride = self.code("mul i64 {}, {}", f"{length}{a}", stride)

    def initialise(self) -> None:
        """Put into results that are not stored, or combined in registers, what they start from."""
        self.strides()
        for k, r in enumerate(self.kernel.results):
            if r.scatters and r.base >= 0:
                self._start_from_base(k, r)
            elif r.reduces and not _in_register(r):
                value = start(r.how, number(r.dtype))
                self._fill(k, value, f"f{k}", "0", self.code.product([f"%n{a}" for a in r.kept]))

    def reserve(self) -> None:
        """Registers, before the nest."""
        for k, r in enumerate(self.kernel.results):
            if r.compresses:
                self.code.lines += [f"%c{k} = alloca i64", f"store i64 0, ptr %c{k}"]
            elif self._has_register(r):
                n = accumulator(number(r.dtype))
                self.code.lines.append(f"%a{k} = alloca {n.memory}")
                if self._looks_for_nan(r, n):
                    self.code.lines.append(f"%q{k} = alloca i1")
                if self._hides_choice(r):
                    self.code.lines.append(f"%h{k} = load volatile {n.memory}, ptr %zero")
                if r.reduces and self._looks_for_nan(r, n):
                    self._hide_start(r, n)

    def begin(self, axis: int) -> None:
        """Before the loop over an axis."""
        for k, r in enumerate(self.kernel.results):
            if r.along == axis and self._starts(r):
                self._start(k, r, _BEFORE_ALL[r.how])
        for k, r in self._combined_within(axis):
            self._start(k, r, r.how)

    def _start(self, k: int, r: Result, how: str) -> None:
        """Put into the register of result k what it starts from."""
        n = number(r.dtype)
        self.code.store(accumulator(n), start(how, n), f"%a{k}")
        if self._looks_for_nan(r, n):
            self.code.lines.append(f"store i1 false, ptr %q{k}")

    def end(self, axis: int, indices: Sequence[str]) -> None:
        """After the loop over an axis, at these indices of those around it."""
        for k, r in self._combined_within(axis):
            n = number(r.dtype)
            total = self.code.load(accumulator(n), f"%a{k}")
            if self._looks_for_nan(r, n):
                total = self._or_nan(k, n, str(total))
            self.code.store(n, total, self._place(k, r, indices))

    def _or_nan(self, k: int, n: Number, value: str) -> str:
        """The largest or smallest number, or NaN if there was one."""
        some, nan = self.code(f"load i1, ptr %q{k}"), self.code.literal(math.nan, n)
        return self.code("select i1 {}, {} {}, {} {}", some, n.register, nan, n.register, value)

    def write(
        self, indices: Sequence[str], values: Mapping[int, Value], update: int | None = None
    ) -> None:
        """What is done with the values at one point; of several updates one, if that is given.

        All indices are looked at before anything is written.
        """
        updates = [
            (k, r, values[which], self._looked_at(k, places, values))
            for k, r in enumerate(self.kernel.results)
            if r.scatters
            for which, places in (r.updates if update is None else r.updates[update : update + 1])
        ]
        for k, r, value, indices_there in updates:
            self._scatter(k, r, value, indices_there)
        for k, r in enumerate(self.kernel.results):
            if r.compresses:
                self._compress(k, r, values)
            elif r.accumulates:
                self._accumulate(k, r, indices, values[r.value])
            elif r.reduces:
                self._combine(k, r, indices, values[r.value])
            elif not r.scatters:
                self.code.store(number(r.dtype), values[r.value], self._place(k, r, indices))

    def finish(self) -> None:
        """After the nest."""
        for k, r in enumerate(self.kernel.results):
            if r.compresses:
                count = self.code(f"load i64, ptr %c{k}")
                self.code.lines.append(f"store i64 {count}, ptr %m{k}")

    def _looks_for_nan(self, r: Result, n: Number) -> bool:
        """Whether the largest number is looked for, and NaN apart from it."""
        if r.accumulates:
            return self._starts(r) and is_extreme(r.how[:3], n)
        return is_extreme(r.how, n) and not self.calls

    def _starts(self, r: Result) -> bool:
        """Whether a scan starts from a number, so that the first one is as all others."""
        kept = r.accumulates and self._has_register(r) and r.how in _BEFORE_ALL
        return kept and number(r.dtype).kind in "fiu"

    def _combined_within(self, axis: int) -> Iterator[tuple[int, Result]]:
        """Reductions in registers, of which one is ready after each loop over `axis`."""
        for k, r in enumerate(self.kernel.results):
            if r.reduces and _in_register(r) and len(r.kept) == axis:
                yield k, r

    def _has_register(self, r: Result) -> bool:
        """Whether what is known so far is kept in a register."""
        if r.accumulates:
            return r.along == self.kernel.ndim - 1
        return r.reduces and _in_register(r)

    def _hides_choice(self, r: Result) -> bool:
        """Whether LLVM must not see that each integer is the largest or smallest so far.

        It would make a branch of it, which takes ten times as long where it goes now one way, now
        the other, even if it is told that none foresees it.
        """
        is_integer = number(r.dtype).kind in "iu"
        return is_integer and r.how in ("maximum", "minimum") and self._has_register(r)

    def _hide_start(self, r: Result, n: Number) -> None:
        """Keep from LLVM what stands for elements that do not count, where it is a literal.

        Of a largest number with a choice of minus infinity, it would make a choice of largest
        numbers, for which it has no instructions on many: those of 10^6 take six times as long.
        """
        code, bits = self.code, f"i{n.bits}"
        what = Statement("literal", (), r.dtype, r.dtype, str(start(r.how, n)))
        if what in self.kernel.statements:
            word = code("bitcast {} {} to {}", n.register, what.literal, bits)
            word = code("or {} {}, {}", bits, word, code("load volatile {}, ptr %zero", bits))
            self.hidden[what] = code("bitcast {} {} to {}", bits, word, n.register)

    def literal(self, s: Statement) -> Value:
        """The number that a statement says."""
        if s in self.hidden:
            return self.hidden[s]
        return Pair(*s.literal.split()) if number(s.dtype).kind == "c" else s.literal

    def _fill(self, k: int, value: Value, name: str, first: str, count: str) -> None:
        n = number(self.kernel.results[k].dtype)
        place = self.code("getelementptr {}, ptr {}, i64 {}", n.memory, f"%r{k}", first)
        fill(self.code, name, place, n, value, count)

    def _start_from_base(self, k: int, r: Result) -> None:
        """Put what it is before anything is written there into result k."""
        lengths = [f"%m{k}_{a}" for a in range(r.ndim)]
        value = self._repeated(r)
        if value is None and self.layouts[r.base] != "C":
            self._copy(k, r, lengths)
            return
        put = partial(self._copy_some, k) if value is None else partial(self._fill, k, value)
        if self._is_part(r) and (value is not None or r.how == "set"):
            framed(self.code, self.kernel, k, put)
        else:
            put(f"f{k}", "0", self.code.product(lengths))

    def _repeated(self, r: Result) -> Value | None:
        """The number that a result is everywhere before anything is written there, if it is one."""
        kernel = self.kernel
        if r.base >= len(kernel.operands):
            return self.literal(kernel.statements[r.base - len(kernel.operands)])
        if r.base < 0 or kernel.operands[r.base].table:
            return None
        return scalar(number(r.dtype), f"%p{r.base}")

    def _is_part(self, r: Result) -> bool:
        """Whether a part of a result is written, each element of it once."""
        return not self.in_chunks and bool(part(self.kernel, r))

    def _copy_some(self, k: int, name: str, first: str, count: str) -> None:
        """Copy contiguous elements of the table that result k starts from."""
        r, code = self.kernel.results[k], self.code
        offset, size = (
            code("mul i64 {}, {}", n, str(number(r.dtype).bytes)) for n in (first, count)
        )
        to, source = (
            code("getelementptr i8, ptr {}, i64 {}", p, offset) for p in (f"%r{k}", f"%p{r.base}")
        )
        code.lines.append(f"call void {_COPY}(ptr {to}, ptr {source}, i64 {size}, i1 false)")
        code.declarations[_COPY] = f"declare void {_COPY}(ptr, ptr, i64, i1)"

    def _copy(self, k: int, r: Result, lengths: Sequence[str]) -> None:
        """Copy the table that result k starts from, element by element."""
        n = number(r.dtype)
        with ExitStack() as loops:
            indices = [
                loops.enter_context(self.code.loop(f"c{k}_{a}", length))
                for a, length in enumerate(lengths)
            ]
            source = element(self.code, f"%p{r.base}", f"%s{r.base}_", indices)
            self.code.store(n, self.code.load(n, source), self._written(k, indices))

    def _written(self, k: int, indices: Sequence[str]) -> str:
        """The address of the element of result k at indices of its own."""
        memory, place = number(self.kernel.results[k].dtype).memory, f"%r{k}"
        for a, index in enumerate(indices):
            step = self.code("mul i64 {}, {}", index, f"%e{k}_{a}")
            place = self.code("getelementptr {}, ptr {}, i64 {}", memory, place, step)
        return place

    def _place(self, k: int, r: Result, indices: Sequence[str]) -> str:
        """The address of the element of result k at these indices of the kernel."""
        place, memory = f"%r{k}", number(r.dtype).memory
        for a in r.kept:
            step = indices[a]
            if a != r.kept[-1]:
                step = self.code("mul i64 {}, {}", step, f"%e{k}_{a}")
            place = self.code(f"getelementptr inbounds {memory}, ptr {place}, i64 {step}")
        return place

    def _combine(self, k: int, r: Result, indices: Sequence[str], value: Value) -> None:
        """Combine a value with those before it."""
        code, n, place = self.code, number(r.dtype), f"%a{k}"
        if _in_register(r) and self._looks_for_nan(r, n):
            self._compare(k, r, str(value))
            return
        if _in_register(r):
            n = accumulator(n)
        else:
            place = self._place(k, r, indices)
        code.store(n, combined(code, n, r.how, code.load(n, place), value), place)

    def _compare(self, k: int, r: Result, value: str) -> None:
        """Look for the largest or smallest, and for NaN apart: that takes half the instructions."""
        code, n = self.code, number(r.dtype)
        place, nans = f"%a{k}", f"%q{k}"
        so_far = str(code.load(n, place))
        code.store(n, extreme(code, n, r.how[:3], so_far, value, flags="nnan nsz"), place)
        is_nan = code("fcmp uno {} {}, {}", n.register, value, value)
        some = code("or i1 {}, {}", code(f"load i1, ptr {nans}"), is_nan)
        code.lines.append(f"store i1 {some}, ptr {nans}")

    def _accumulate(self, k: int, r: Result, indices: Sequence[str], value: Value) -> None:
        """Write the combination of a value with all before it along an axis."""
        code, n = self.code, number(r.dtype)
        place = self._place(k, r, indices)
        if self._looks_for_nan(r, n):
            self._compare(k, r, str(value))
            code.store(n, self._or_nan(k, n, str(code.load(n, f"%a{k}"))), place)
            return
        first = code("icmp eq i64 {}, 0", indices[r.along])
        if self._has_register(r):
            before = f"%a{k}"
        else:
            back = code("sub i64 0, {}", f"%e{k}_{r.along}")
            back = code("select i1 {}, i64 0, i64 {}", first, back)
            before = code(f"getelementptr {n.memory}, ptr {place}, i64 {back}")
        last, go_on, choose = code.load(n, before), row(r.how, n.kind), row("where", n.kind)
        assert go_on is not None
        assert choose is not None
        if self._hides_choice(r):
            so_far = self._chosen(k, r, str(last), str(value))
        else:
            so_far = go_on(code, n, last, value)
            if not self._starts(r):
                so_far = choose(code, n, first, value, so_far)
        code.store(n, so_far, place)
        if self._has_register(r):
            code.store(n, so_far, before)

    def _chosen(self, k: int, r: Result, last: str, value: str) -> Value:
        """The larger or smaller of two integers, by an instruction that chooses."""
        code, n = self.code, number(r.dtype)
        better = row("gt" if r.how == "maximum" else "lt", n.kind)
        assert better is not None
        is_better = better(code, n, code("add {} {}, {}", n.register, value, f"%h{k}"), last)
        kinds = f"{n.register} {value}, {n.register} {last}"
        return code(f"select i1 {is_better}, {kinds}, !unpredictable !{{{{}}}}")

    def _looked_at(
        self, k: int, places: Sequence[int], values: Mapping[int, Value]
    ) -> Sequence[str]:
        """Indices of result k, all within bounds."""
        indices, _ = certain(self.code, self.kernel, values, places, f"%m{k}_", rest=self.rest)
        return indices

    def _scatter(self, k: int, r: Result, value: Value, indices: Sequence[str]) -> None:
        """Write to the element of result k at these indices of its own."""
        code, n, place = self.code, number(r.dtype), self._written(k, indices)
        if r.how == "inc":
            before = self._repeated(r) if self._is_part(r) else None
            before = code.load(n, place) if before is None else before
            value = combined(code, n, "inc", before, value)
        elif r.how != "set":
            compute = row(r.how, n.kind)
            assert compute is not None
            value = compute(code, n, code.load(n, place), value)
        code.store(n, value, place)

    def _compress(self, k: int, r: Result, values: Mapping[int, Value]) -> None:
        """Write to the place after the last one, which counts only if the value is wanted."""
        n, code = number(r.dtype), self.code
        count = code("load i64, ptr {}", f"%c{k}")
        there = code("getelementptr inbounds {}, ptr {}, i64 {}", n.memory, f"%r{k}", count)
        code.store(n, values[r.value], there)
        more = code("zext i1 {} to i64", str(values[r.places[0]]))
        code.lines.append(f"store i64 {code('add i64 {}, {}', count, more)}, ptr %c{k}")


def _in_register(r: Result) -> bool:
    """Whether a reduction can be combined in a register, and stored when it is ready."""
    return sorted(r.kept) == list(range(len(r.kept)))


def scalar(n: Number, name: str) -> Value:
    """The number in the registers called `name`."""
    return Pair(*parts(n, name)) if n.kind == "c" else name
