"""A loop nest in chunks, for threads: along which axis it is cut, and how results become one.

Results that have the axis are written in place, each chunk its part. Of others every chunk but
the first has its own, which are combined at the end, in order.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Final

from weft_numba.ir.kernel import Kernel, Result
from weft_numba.ir.llvm_writer import Code, number
from weft_numba.llvm.accumulate import combined, fill, start
from weft_numba.llvm.compaction import CHUNKS, FIRST, TOTAL
from weft_numba.llvm.threads import GRAIN, MOST, RUNTIME

__all__ = ["bounds", "can_split", "estimate", "split"]

_ENOUGH: Final = 16
"""The outermost axis of this length is cut; if there is none, the longest."""
_LINE: Final = 64
"""Bytes that processors keep together: results of chunks are this far apart."""
_WORTH: Final = 4
"""How many points a chunk has at least for each element of a result of its own."""
_SMALL: Final = "noinline nounwind minsize optsize"
"""How LLVM is to compile what surrounds the loops."""
_NANOSECONDS: Final = 0.15
"""What an instruction takes, about, in a loop that computes several numbers at once."""
_VECTOR_CALL: Final = 2.0
_CALL: Final = 15.0


def can_split(kernel: Kernel) -> bool:
    """Whether the order in which points are computed is free.

    Chunks along one axis compress each into a part of the room.

    >>> can_split(Kernel((), (), (), ()))
    False
    """
    compresses = any(r.compresses for r in kernel.results)
    ordered = any(r.accumulates or (r.scatters and r.how != "inc") for r in kernel.results)
    return kernel.ndim > 0 and not ordered and (kernel.ndim == 1 or not compresses)


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


_AXIS, _LENGTH, _CHUNKS, _MEMORY, _FAULTS, _LENGTHS = range(6)
"""Where in a frame is what chunks are told: which axis is cut, how long it is, into how many
chunks; the memory of their own results; what is refused. The lengths of all axes follow, and the
other parameters."""

_MASK, _ELEMENTS, _STEP, _BASE = range(4)
"""What is told of a result that not all axes have: a bit for each axis that it has, how many
elements it has, how many bytes lie between those of neighbouring chunks (before: in an element),
and where those of chunk 0 would lie."""


def split(
    code: Code, kernel: Kernel, parameters: Sequence[str], cost: float
) -> tuple[tuple[str, str], ...]:
    """Write calls of NAME_chunk: one for all, or several on threads; and NAME_chunk itself.

    `cost` says how many nanoseconds a point takes. Gives the names and texts of modules that
    have what is called.
    """
    fields = [(p.split()[0], p.split()[-1]) for p in parameters]
    results = list(enumerate(kernel.results))
    partials = [(k, r) for k, r in results if r.how not in ("store", "compress")]
    first = _LENGTHS + len(fields)
    frame = _frame(code, kernel, fields, partials)
    grain = max(1, int(GRAIN / cost))
    total = code.product([f"%n{a}" for a in range(kernel.ndim)])
    large = code("icmp sge i64 {}, {}", total, str(2 * grain))
    code.lines += [f"br i1 {large}, label %together, label %alone", "together:"]
    needs = [("weft_split", RUNTIME), ("weft_plan", _plan())]
    at = _slot(code, frame, first)
    numbers = f"i64 {kernel.ndim}, ptr {at}, i64 {len(partials)}, i64 {grain}"
    _call(code, "weft_plan", "ptr, i64, ptr, i64, i64", f"ptr {frame}, {numbers}")
    chunks = code("load i64, ptr {}", _slot(code, frame, _CHUNKS))
    places = [_slot(code, frame, first + 4 * j) for j in range(len(partials))]
    for (_, r), place in zip(partials, places, strict=True):
        name, text = _filler(r.how, r.dtype)
        _call(code, name, "ptr, i64", f"ptr {place}, i64 {chunks}")
        needs.append((name, text))
    arguments = f"ptr @NAME_chunk, ptr {frame}, i64 {chunks}"
    _call(code, "weft_split", "ptr, ptr, i64", arguments)
    for (k, r), place in zip(partials, places, strict=True):
        name, text = _joiner(r.how, r.dtype)
        _call(code, name, "ptr, i64, ptr", f"ptr {place}, i64 {chunks}, ptr %r{k}")
        needs.append((name, text))
    memory = code("load ptr, ptr {}", _slot(code, frame, _MEMORY))
    _call(code, "free", "ptr", f"ptr {memory}")
    code.lines += ["br label %done", "alone:"]
    code.lines.append(f"call void @NAME_chunk(ptr {frame}, i64 0)")
    code.label("done")
    faults = code("load i8, ptr {}", _slot(code, frame, _FAULTS))
    code.lines.append(f"store i8 {faults}, ptr %faults")
    for k, r in results:
        if r.compresses:
            _count(code, f"%m{k}", code("load i64, ptr {}", _slot(code, frame, _CHUNKS)))
    _write_chunk(code, kernel, fields, [k for k, _ in partials])
    return tuple(dict(needs).items())


def _count(code: Code, counts: str, chunks: str) -> None:
    """Tell how many elements all chunks have compressed."""
    total = _cell(code, "0")
    with code.loop(f"count_{counts[1:]}", chunks) as c:
        own = code("load i64, ptr {}", _slot(code, counts, code("add i64 {}, {}", c, str(FIRST))))
        _change(code, total, "add i64 {}, {}", own)
    for place, value in ((TOTAL, code("load i64, ptr {}", total)), (CHUNKS, chunks)):
        code.lines.append(f"store i64 {value}, ptr {_slot(code, counts, place)}")


def _frame(
    code: Code,
    kernel: Kernel,
    fields: Sequence[tuple[str, str]],
    partials: Sequence[tuple[int, Result]],
) -> str:
    """What chunks are told, in memory: at first, that one is all."""
    size = _LENGTHS + len(fields) + 4 * len(partials)
    frame = code("alloca [{} x i64]", str(size))
    values = [("i64", "0"), ("i64", "%n0"), ("i64", "1"), ("ptr", "null"), ("i64", "0"), *fields]
    for k, r in partials:
        own = [f"%m{k}_{a}" for a in range(r.ndim)] if r.scatters else [f"%n{a}" for a in r.kept]
        elements = code("or i64 {}, 1", code.product(own))  # at least 1
        mask = sum(1 << a for a in r.kept)
        item = number(r.dtype).bytes
        values += [("i64", str(x)) for x in (mask, elements, item)] + [("ptr", f"%r{k}")]
    for place, (kind, name) in enumerate(values):
        code.lines.append(f"store {kind} {name}, ptr {_slot(code, frame, place)}")
    return frame


def _write_chunk(
    code: Code, kernel: Kernel, fields: Sequence[tuple[str, str]], partials: Sequence[int]
) -> None:
    """The function NAME_chunk of a frame and a number."""
    with code.definition(f"define internal void @NAME_chunk(ptr %frame, i64 %k) {_SMALL}"):
        axis, length, chunks = (
            code("load i64, ptr {}", _slot(code, "%frame", place))
            for place in (_AXIS, _LENGTH, _CHUNKS)
        )
        values = {
            name: code("load {}, ptr {}", kind, _slot(code, "%frame", place))
            for place, (kind, name) in enumerate(fields, _LENGTHS)
        }
        begin, end = (
            code("udiv i64 {}, {}", code("mul i64 {}, {}", k, length), chunks)
            for k in ("%k", code("add i64 %k, 1"))
        )
        is_first = code("icmp eq i64 %k, 0")
        for j, k in enumerate(partials):
            place = _slot(code, "%frame", _LENGTHS + len(fields) + 4 * j)
            own = _own(code, place, "%k")
            values[f"%r{k}"] = code("select i1 {}, ptr {}, ptr {}", is_first, values[f"%r{k}"], own)
        for k, r in enumerate(kernel.results):
            if r.compresses:
                offset = code("mul i64 {}, {}", begin, str(number(r.dtype).bytes))
                values[f"%r{k}"] = code(
                    "getelementptr i8, ptr {}, i64 {}", values[f"%r{k}"], offset
                )
                own = code("add i64 %k, {}", str(FIRST))
                values[f"%m{k}"] = _slot(code, values[f"%m{k}"], own)
        ends = []
        for a in range(kernel.ndim):
            cut = code("icmp eq i64 {}, {}", axis, str(a))
            ends.append(("i64", _either(code, cut, begin, "0")))
            ends.append(("i64", _either(code, cut, end, values[f"%n{a}"])))
        arguments = [*((kind, values[name]) for kind, name in fields), *ends]
        text = ", ".join([f"{kind} {name}" for kind, name in arguments])
        faults = code("call i8 @NAME_part({})", text)
        code("atomicrmw or ptr {}, i8 {} monotonic", _slot(code, "%frame", _FAULTS), faults)
        code.lines.append("ret void")


@cache
def _plan() -> str:
    """The module of weft_plan, which decides how to cut a nest, and makes room for it."""
    code = Code()
    code.declarations["malloc"] = "declare ptr @malloc(i64)"
    parameters = "ptr %frame, i64 %ndim, ptr %partials, i64 %count, i64 %grain"
    with code.definition(f"define weak_odr void @weft_plan({parameters}) {_SMALL}"):
        total, axis, length = (_cell(code, value) for value in ("1", "0", "0"))
        with code.loop("axes", "%ndim") as a:
            n = code("load i64, ptr {}", _slot(code, _slot(code, "%frame", _LENGTHS), a))
            _change(code, total, "mul i64 {}, {}", n)
            so_far = code("load i64, ptr {}", length)
            short = code("icmp slt i64 {}, {}", so_far, str(_ENOUGH))
            better = code("and i1 {}, {}", short, code("icmp sgt i64 {}, {}", n, so_far))
            for cell, value in ((axis, a), (length, n)):
                _change(code, cell, f"select i1 {better}, i64 {{1}}, i64 {{0}}", value)
        points, cut, longest = (code("load i64, ptr {}", x) for x in (total, axis, length))
        fit = code("udiv i64 {}, {}", points, "%grain")
        chunks = _cell(code, _least(code, _least(code, fit, str(MOST)), longest))
        with code.loop("limits", "%count") as j:
            place = _slot(code, "%partials", code("mul i64 {}, 4", j))
            elements = code("load i64, ptr {}", _slot(code, place, _ELEMENTS))
            few = code("udiv i64 {}, {}", points, code("mul i64 {}, {}", elements, str(_WORTH)))
            before = code("load i64, ptr {}", chunks)
            fewer = _either(code, _is_own(code, place, cut), _least(code, before, few), before)
            code.lines.append(f"store i64 {fewer}, ptr {chunks}")
        several = code("load i64, ptr {}", chunks)
        others = code("sub i64 {}, 1", several)
        some = code("icmp sgt i64 {}, 0", others)
        others = _either(code, some, others, "0")
        offset = _cell(code, "0")
        with code.loop("sizes", "%count") as j:
            place = _slot(code, "%partials", code("mul i64 {}, 4", j))
            elements, item = (
                code("load i64, ptr {}", _slot(code, place, x)) for x in (_ELEMENTS, _STEP)
            )
            bytes_ = code("add i64 {}, {}", code("mul i64 {}, {}", elements, item), str(_LINE - 1))
            size = code("and i64 {}, {}", bytes_, str(-_LINE))
            step = _either(code, _is_own(code, place, cut), size, "0")
            code.lines.append(f"store i64 {step}, ptr {_slot(code, place, _STEP)}")
            _change(code, offset, "add i64 {}, {}", code("mul i64 {}, {}", step, others))
        target = code("or i64 {}, 1", code("load i64, ptr {}", offset))
        memory = code("call ptr @malloc(i64 {})", target)
        lacking = code("icmp eq ptr {}, null", memory)
        unsplit = code("xor i1 {}, true", some)
        alone = code("or i1 {}, {}", lacking, unsplit)
        final = _either(code, alone, "1", several)
        for k, value in ((_AXIS, cut), (_LENGTH, longest), (_CHUNKS, final)):
            code.lines.append(f"store i64 {value}, ptr {_slot(code, '%frame', k)}")
        code.lines.append(f"store ptr {memory}, ptr {_slot(code, '%frame', _MEMORY)}")
        code.lines.append(f"store i64 0, ptr {offset}")
        with code.loop("bases", "%count") as j:
            place = _slot(code, "%partials", code("mul i64 {}, 4", j))
            step = code("load i64, ptr {}", _slot(code, place, _STEP))
            at = code("sub i64 {}, {}", code("load i64, ptr {}", offset), step)
            own = code("getelementptr i8, ptr {}, i64 {}", memory, at)
            shared = code("load ptr, ptr {}", _slot(code, place, _BASE))
            is_own = code("icmp ne i64 {}, 0", step)
            base = code("select i1 {}, ptr {}, ptr {}", is_own, own, shared)
            code.lines.append(f"store ptr {base}, ptr {_slot(code, place, _BASE)}")
            _change(code, offset, "add i64 {}, {}", code("mul i64 {}, {}", step, others))
        code.lines.append("ret void")
    return code.module("\n".join(code.definitions))


@cache
def _filler(how: str, dtype: str) -> tuple[str, str]:
    """The function that puts the start of a reduction into what chunks have of their own."""
    code, n, name = Code(), number(dtype), f"weft_fill_{how}_{dtype}"
    with code.definition(f"define weak_odr void @{name}(ptr %partial, i64 %chunks) {_SMALL}"):
        elements, end = _own_chunks(code)
        with code.loop("chunk", end, "1") as c:
            fill(code, "each", _own(code, "%partial", c), n, start(how, n), elements)
        code.lines.append("ret void")
    return name, code.module("\n".join(code.definitions))


@cache
def _joiner(how: str, dtype: str) -> tuple[str, str]:
    """The function that makes one result of those of all chunks, in order."""
    code, n, name = Code(), number(dtype), f"weft_join_{how}_{dtype}"
    parameters = "ptr %partial, i64 %chunks, ptr noalias %result"
    with code.definition(f"define weak_odr void @{name}({parameters}) {_SMALL}"):
        elements, end = _own_chunks(code)
        with code.loop("chunk", end, "1") as c:
            own = _own(code, "%partial", c)
            with code.loop("each", elements) as i:
                to, source = (
                    code("getelementptr {}, ptr {}, i64 {}", n.memory, x, i)
                    for x in ("%result", own)
                )
                so_far, value = code.load(n, to), code.load(n, source)
                code.store(n, combined(code, n, how, so_far, value), to)
        code.lines.append("ret void")
    return name, code.module("\n".join(code.definitions))


def _own_chunks(code: Code) -> tuple[str, str]:
    """The elements of %partial, and the number of chunks; 0 if they have none of their own."""
    elements, step = (
        code("load i64, ptr {}", _slot(code, "%partial", x)) for x in (_ELEMENTS, _STEP)
    )
    return elements, _either(code, code("icmp ne i64 {}, 0", step), "%chunks", "0")


def _own(code: Code, partial: str, k: str) -> str:
    """Where the result of chunk k lies."""
    base = code("load ptr, ptr {}", _slot(code, partial, _BASE))
    step = code("load i64, ptr {}", _slot(code, partial, _STEP))
    return code("getelementptr i8, ptr {}, i64 {}", base, code("mul i64 {}, {}", k, step))


def _is_own(code: Code, partial: str, axis: str) -> str:
    """Whether each chunk has its own: the result has not the axis that is cut."""
    mask = code("load i64, ptr {}", _slot(code, partial, _MASK))
    bit = code("and i64 {}, 1", code("lshr i64 {}, {}", mask, axis))
    return code("icmp eq i64 {}, 0", bit)


def _slot(code: Code, place: str, k: int | str) -> str:
    return code("getelementptr i64, ptr {}, i64 {}", place, str(k))


def _cell(code: Code, value: str) -> str:
    cell = code("alloca i64")
    code.lines.append(f"store i64 {value}, ptr {cell}")
    return cell


def _change(code: Code, cell: str, instruction: str, value: str) -> None:
    result = code(instruction, code("load i64, ptr {}", cell), value)
    code.lines.append(f"store i64 {result}, ptr {cell}")


def _call(code: Code, name: str, kinds: str, arguments: str) -> None:
    code.declarations[name] = f"declare void @{name}({kinds})"
    code.lines.append(f"call void @{name}({arguments})")


def _least(code: Code, x: str, y: str) -> str:
    return _either(code, code("icmp ult i64 {}, {}", x, y), x, y)


def _either(code: Code, condition: str, x: str, y: str) -> str:
    return code("select i1 {}, i64 {}, i64 {}", condition, x, y)
