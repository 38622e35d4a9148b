"""A loop nest in chunks, for threads: along which axis it is cut, and how results become one.

Results that have the axis are written in place, each chunk its part. Of others every chunk but
the first has its own, which are combined at the end, in order.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from weft_numba.combining import combined, fill, start
from weft_numba.kernel import Kernel, Result
from weft_numba.machine_code import Code, Number, number
from weft_numba.threads import GRAIN, MOST

__all__ = ["bounds", "can_split", "estimate", "split"]

_ENOUGH: Final = 16
"""The outermost axis of this length is cut; if there is none, the longest."""
_LINE: Final = 64
"""Bytes that processors keep together: results of chunks are this far apart."""
_WORTH: Final = 4
"""How many points a chunk has at least for each element of a result of its own."""
_NANOSECONDS: Final = 0.15
"""What an instruction takes, about, in a loop that computes several numbers at once."""
_VECTOR_CALL: Final = 2.0
_CALL: Final = 15.0


def can_split(kernel: Kernel) -> bool:
    """Whether the order in which points are computed is free.

    >>> can_split(Kernel((), (), (), ()))
    False
    """
    return kernel.ndim > 0 and all(r.how != "set" for r in kernel.results)


def bounds(kernel: Kernel) -> list[str]:
    """The parameters that say which part of a nest is meant: from where to where per axis.

    >>> bounds(Kernel((), (), (), ()))
    []
    """
    return [f"i64 %{word}{a}" for a in range(kernel.ndim) for word in ("begin", "end")]


def estimate(lines: Sequence[str]) -> float:
    """Nanoseconds per point, from the instructions of a loop.

    >>> estimate(["%v0 = fadd double %x, %y", "%v1 = call double @exp(double %v0) #1"])
    2.3
    """
    total = 0.0
    for line in lines:
        is_call = " call " in line and "@llvm." not in line
        of_vectors = "#" in line and not line.endswith("#0")
        total += _NANOSECONDS
        total += (_VECTOR_CALL if of_vectors else _CALL) if is_call else 0.0
    return total


class _Partial(NamedTuple):
    """A result of which chunks may have their own."""

    k: int
    kind: Number
    how: str
    elements: str
    """How many elements it has."""
    size: str
    """How many bytes lie between those of neighbouring chunks."""
    own: str
    """Whether each chunk has its own, for the axis that is cut: one bit."""


def split(code: Code, kernel: Kernel, parameters: Sequence[str], cost: float) -> None:
    """Write calls of NAME_part: one of all, or several on threads, by way of NAME_chunk.

    `cost` says how many nanoseconds a point takes.
    """
    writer = _Writer(code, kernel, parameters)
    grain = max(1, int(GRAIN / cost))
    total = code.product([f"%n{a}" for a in range(kernel.ndim)])
    large = code("icmp sge i64 {}, {}", total, str(2 * grain))
    code.lines += [f"br i1 {large}, label %consider, label %alone", "consider:"]
    writer.consider(total, grain)
    several = code("icmp sge i64 {}, 2", writer.chunks)
    code.lines += [f"br i1 {several}, label %allocate, label %alone", "allocate:"]
    writer.allocate()
    frame = writer.frame()
    code.lines.append(f"call void @weft_split(ptr @NAME_chunk, ptr {frame}, i64 {writer.chunks})")
    writer.combine()
    code.lines += ["br label %done", "alone:"]
    writer.all_in_one()
    code.label("done")
    writer.write_chunk()


class _Writer:
    """Writes the parts of what splits one kernel."""

    def __init__(self, code: Code, kernel: Kernel, parameters: Sequence[str]) -> None:
        self.code = code
        self.kernel = kernel
        self.parameters = [(p.split()[0], p.split()[-1]) for p in parameters]
        self.chunks = ""
        self.memory = ""
        self.partials: list[_Partial] = []
        self.others: list[str] = []
        self.places: list[str] = []

    def consider(self, total: str, grain: int) -> None:
        """Which axis is cut, and into how many chunks."""
        code = self.code
        self.axis, self.length = self._axis()
        chunks = self._least(code("udiv i64 {}, {}", total, str(grain)), str(MOST))
        chunks = self._least(chunks, self.length)
        self.partials = [
            self._partial(k, r) for k, r in enumerate(self.kernel.results) if r.how != "store"
        ]
        for p in self.partials:
            few = code("udiv i64 {}, {}", total, code("mul i64 {}, {}", p.elements, str(_WORTH)))
            chunks = self._either(p.own, self._least(chunks, few), chunks)
        self.chunks = chunks

    def _axis(self) -> tuple[str, str]:
        """The axis that is cut, and its length."""
        axis, length = "0", "%n0"
        for a in range(1, self.kernel.ndim):
            short = self.code("icmp slt i64 {}, {}", length, str(_ENOUGH))
            longer = self.code("icmp sgt i64 {}, {}", f"%n{a}", length)
            better = self.code("and i1 {}, {}", short, longer)
            axis = self._either(better, str(a), axis)
            length = self._either(better, f"%n{a}", length)
        return axis, length

    def _partial(self, k: int, r: Result) -> _Partial:
        code = self.code
        lengths = [f"%m{k}_{a}" for a in range(r.ndim)] if r.scatters else None
        count = code.product(lengths or [f"%n{a}" for a in r.kept])
        count = code("or i64 {}, 1", count)  # at least 1
        bytes_ = code("mul i64 {}, {}", count, str(number(r.dtype).bytes))
        size = code("and i64 {}, {}", code("add i64 {}, {}", bytes_, str(_LINE - 1)), str(-_LINE))
        own = "false"
        for a in [a for a in range(self.kernel.ndim) if a not in r.kept]:
            own = code("or i1 {}, {}", own, code("icmp eq i64 {}, {}", self.axis, str(a)))
        return _Partial(k, number(r.dtype), r.how, count, size, own)

    def allocate(self) -> None:
        """Memory for what chunks have of their own; where there is none, no chunks."""
        code = self.code
        if not self.partials:
            return
        code.declarations["malloc"] = "declare ptr @malloc(i64)"
        code.declarations["free"] = "declare void @free(ptr)"
        others = code("sub i64 {}, 1", self.chunks)
        self.others = [self._either(p.own, others, "0") for p in self.partials]
        offset, offsets = "0", []
        for p, n in zip(self.partials, self.others, strict=True):
            offsets.append(offset)
            offset = code("add i64 {}, {}", offset, code("mul i64 {}, {}", n, p.size))
        wanted = code("or i64 {}, 1", offset)
        self.memory = code("call ptr @malloc(i64 {})", wanted)
        lacking = code("icmp eq ptr {}, null", self.memory)
        code.lines += [f"br i1 {lacking}, label %alone, label %together", "together:"]
        self.places = [code("getelementptr i8, ptr {}, i64 {}", self.memory, o) for o in offsets]
        for p, place, n in zip(self.partials, self.places, self.others, strict=True):
            with code.loop(f"own{p.k}", n) as c:
                where = self._place(p, place, c)
                fill(code, f"fill{p.k}", where, p.kind, start(p.how, p.kind), p.elements)

    def _place(self, p: _Partial, place: str, c: str) -> str:
        """Where the results of chunk c + 1 lie."""
        return self.code(
            "getelementptr i8, ptr {}, i64 {}", place, self.code("mul i64 {}, {}", c, p.size)
        )

    def combine(self) -> None:
        """Make one result of those of all chunks, in order."""
        code = self.code
        for p, place, n in zip(self.partials, self.places, self.others, strict=True):
            with code.loop(f"join{p.k}", n) as c:
                where = self._place(p, place, c)
                with code.loop(f"each{p.k}", p.elements) as i:
                    element = f"getelementptr {p.kind.memory}, ptr {{}}, i64 {i}"
                    to, source = code(element, f"%r{p.k}"), code(element, where)
                    so_far, value = code.load(p.kind, to), code.load(p.kind, source)
                    code.store(p.kind, combined(code, p.kind, p.how, so_far, value), to)
        if self.partials:
            code.lines.append(f"call void @free(ptr {self.memory})")

    def all_in_one(self) -> None:
        """The call of NAME_part for the whole nest."""
        ends = [x for a in range(self.kernel.ndim) for x in (("i64", "0"), ("i64", f"%n{a}"))]
        refused = self.code("call i8 @NAME_part({})", _listed([*self.parameters, *ends]))
        self.code.lines.append(f"store i8 {refused}, ptr %faults")

    def frame(self) -> str:
        """What the chunks are told, in memory."""
        code = self.code
        self.told = [*self.parameters]
        self.told += [("i64", self.axis), ("i64", self.length), ("i64", self.chunks)]
        self.told.append(("ptr", "%faults"))
        for p, place in zip(self.partials, self.places, strict=True):
            before = code("getelementptr i8, ptr {}, i64 {}", place, code("sub i64 0, {}", p.size))
            base = code("select i1 {}, ptr {}, ptr %r{}", p.own, before, str(p.k))
            self.told += [("ptr", base), ("i64", self._either(p.own, p.size, "0"))]
        self.kinds = f"{{{', '.join(kind for kind, _ in self.told)}}}"
        frame = code("alloca {}", self.kinds)
        for k, (kind, name) in enumerate(self.told):
            place = code("getelementptr {}, ptr {}, i32 0, i32 {}", self.kinds, frame, str(k))
            code.lines.append(f"store {kind} {name}, ptr {place}")
        return frame

    def write_chunk(self) -> None:
        """The function NAME_chunk of a frame and a number."""
        code = self.code
        head = "define internal void @NAME_chunk(ptr %frame, i64 %k) nounwind minsize optsize"
        with code.definition(head):
            read = []
            for k, (kind, _) in enumerate(self.told):
                place = code("getelementptr {}, ptr %frame, i32 0, i32 {}", self.kinds, str(k))
                read.append(code(f"load {kind}, ptr {place}"))
            count = len(self.parameters)
            known = {name: read[k] for k, (_, name) in enumerate(self.parameters)}
            axis, length, chunks, faults, *rest = read[count:]
            follows = code("add i64 %k, 1")
            begin, end = (
                code("udiv i64 {}, {}", code("mul i64 {}, {}", k, length), chunks)
                for k in ("%k", follows)
            )
            is_first = code("icmp eq i64 %k, 0")
            for p, base, step in zip(self.partials, rest[::2], rest[1::2], strict=True):
                own = code("getelementptr i8, ptr {}, i64 {}", base, code("mul i64 %k, {}", step))
                name = f"%r{p.k}"
                known[name] = code("select i1 {}, ptr {}, ptr {}", is_first, known[name], own)
            ends = []
            for a in range(self.kernel.ndim):
                cut = code("icmp eq i64 {}, {}", axis, str(a))
                ends.append(("i64", self._either(cut, begin, "0")))
                ends.append(("i64", self._either(cut, end, known[f"%n{a}"])))
            given = [(kind, known[name]) for kind, name in self.parameters]
            refused = code("call i8 @NAME_part({})", _listed([*given, *ends]))
            code(f"atomicrmw or ptr {faults}, i8 {refused} monotonic")
            code.lines.append("ret void")

    def _least(self, x: str, y: str) -> str:
        return self._either(self.code("icmp ult i64 {}, {}", x, y), x, y)

    def _either(self, condition: str, x: str, y: str) -> str:
        return self.code("select i1 {}, i64 {}, i64 {}", condition, x, y)


def _listed(arguments: Sequence[tuple[str, str]]) -> str:
    return ", ".join([f"{kind} {name}" for kind, name in arguments])
