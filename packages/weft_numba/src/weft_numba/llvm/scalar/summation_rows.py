"""Scalar functions that are sums over places of their own, as machine code: a loop per sum.

A function of the module computes one number. What only needs scalars stands before the loops; in
a loop, what its sums need of each place. The loops stay loops, so that they are short to compile.
A recurrence of scalars is a loop, too. Functions of the same numbers that have most of this in
common, as slopes and both tails of a distribution, are one that gives all their numbers: LLVM sees
that calls of it are one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, Final

import numpy as np

from weft_graph import Constant, FunctionGraph, Item, Variable, replace
from weft_graph.extend import Loop
from weft_numba.ir.contained_loops import without_contained
from weft_numba.ir.llvm_writer import ONCE, Code, Number, Value, number
from weft_numba.llvm.scalar.choices import Choices, Step
from weft_tensor import Pointwise, Reduction, Scan, View
from weft_tensor.extend import SCALARS, kind_of, summation_of

__all__ = ["CALLED", "LONG", "SUMMED", "alike", "call_summation"]

SUMMED: Final = "weft_sum_"
"""What the names of functions with loops begin with."""


LONG: Final = (
    *("erfcx", "expm1mx", "log1mexp", "log1p", "log1pmx", "logaddexp", "log_ndtr", "softplus"),
)
CALLED: Final = ("exp", "hypot", "log", "pow", "tanh", *LONG)
"""What is a function of numbers where it is in no loop: it is long, and computed once."""
Compute = Callable[[Code, Any, dict[Variable, Value]], Value]
"""The code of a node, of the registers of its inputs."""
_RUNNING: Final = {"add": ("fadd", 0.0), "mul": ("fmul", 1.0)}
"""What scans combine by, and begin with."""


_SHARED: Final = 0.75
"""A function joins others if, with them, it is at most that of what they are apart."""


@cache
def alike(names: Sequence[str], dtypes: tuple[str, ...]) -> Sequence[tuple[str, ...]]:
    """Groups of the functions, of the same numbers of these dtypes, that have much in common.

    >>> alike(("log_gammainc_slope", "jv", "log_gammaincc_slope"), ("float64",) * 2)
    (('log_gammainc_slope', 'log_gammaincc_slope'),)
    """
    groups: list[tuple[str, ...]] = []
    for name in names:
        own = _size((name,), dtypes)
        for k, group in enumerate(groups):
            both = (*group, name)
            if _size(both, dtypes) <= _SHARED * (_size(group, dtypes) + own):
                groups[k] = both
                break
        else:
            groups.append((name,))
    return tuple([group for group in groups if len(group) > 1])


def _size(names: tuple[str, ...], dtypes: tuple[str, ...]) -> int:
    return len(_joint(names, dtypes).order)


@cache
def _joint(names: tuple[str, ...], dtypes: tuple[str, ...]) -> FunctionGraph:
    """The results of all the functions, of one list of inputs."""
    graphs = [summation_of(name, dtypes) for name in names]
    inputs = graphs[0].inputs
    outputs = [replace(g.outputs, dict(zip(g.inputs, inputs, strict=True)))[0] for g in graphs]
    return without_contained(FunctionGraph(inputs, outputs))


def call_summation(
    name: str,
    compute: Compute,
    described: Callable[[Any], Step[Any]],
    c: Code,
    n: Number,
    operands: Sequence[Value],
) -> str:
    """A call of the function that computes `name`, which is written when it is first called.

    Kernels of one program that call it share it.
    """
    names = c.joint.get(name, (name,))
    full = f"{SUMMED}{'__'.join(names)}_{n.register}{'_exact' * c.exact}{'_alone' * c.alone}"
    kind = n.register if len(names) == 1 else f"{{{', '.join([n.register] * len(names))}}}"
    if full not in c.declarations:
        c.declarations[full] = ""
        parameters = ", ".join(f"{n.register} %p{k}" for k in range(len(operands)))
        head = f"define linkonce_odr {kind} @{full}({parameters}) noinline nounwind"
        whole, graph = f"{head} willreturn memory(none)", _joint(names, (n.dtype,) * len(operands))
        c.declarations[full] = _function(c, whole, full, graph, kind, compute, described)
    arguments = ", ".join(f"{n.register} {operand}" for operand in operands)
    result = c("call {} @{}({})", kind, full, arguments)
    if len(names) == 1:
        return result
    return c("extractvalue {} {}, {}", kind, result, str(names.index(name)))


def _function(
    c: Code,
    head: str,
    full: str,
    graph: FunctionGraph,
    kind: str,
    compute: Compute,
    described: Callable[[Any], Step[Any]],
) -> str:
    values: dict[Variable, Value] = {v: f"%p{k}" for k, v in enumerate(graph.inputs)}
    outputs: Any = graph.outputs
    with c.definition(head), c.numbers(one_by_one=True), c.joined(), c.calling(*CALLED):
        _numbers(c, full, graph, values, compute, described)
        result = str(values[outputs[0]]) if len(outputs) == 1 else "undef"
        if len(outputs) > 1:
            for k, v in enumerate(outputs):
                word = number(v.type.dtype).register
                result = c(
                    "insertvalue {} {}, {} {}, {}", kind, result, word, str(values[v]), str(k)
                )
        c.lines.append(f"ret {kind} {result}")
    return c.definitions.pop()


def _numbers(
    c: Code,
    name: str,
    graph: FunctionGraph,
    values: dict[Variable, Value],
    compute: Compute,
    described: Callable[[Any], Step[Any]],
) -> None:
    """All numbers of the graph, and its sums, into `values`, which has those of its inputs."""
    levels, outputs = _levels(graph), graph.outputs
    narrow = [v for v in graph.order if v not in values and not _is_wide(v)]
    order = sorted(narrow, key=lambda v: (levels[v], not _is_sum(v)))
    places = {v: _needed(graph, [v]) for v in order if _is_sum(v)}
    steps = {v: _long(v, described, places.get(v)) for v in order}
    ends = {v: s._replace(stays=v in outputs) for v, s in steps.items()}
    choices = Choices(ends, together=True)
    loops: dict[Any, list[Any]] = {}
    for v in places:
        loops.setdefault((levels[v], _count(v), choices.side_of(v)), []).append(v)

    def computed(v: Any) -> Value:
        if isinstance(v.op, Loop):
            found: Value = _repeated(c, name, v, values, compute, described)
            return found
        if v not in places:
            return _computed(c, v, values, compute)
        if v not in values:
            loop = loops[levels[v], _count(v), choices.side_of(v)]
            nodes = _needed(graph, loop)
            _loop(c, f"{name}_{c.new()[1:]}", _count(v), loop, nodes, values, compute)
        return values[v]

    choices.compute(c, order, values, computed)


def _long(v: Any, described: Callable[[Any], Step[Any]], places: list[Any] | None) -> Step[Any]:
    """What is known of a node; of a sum, what it needs is what all its `places` need."""
    if places is not None:
        outside = [i for p in places for i in p.inputs if not _is_wide(i)]
        return Step(outside, "", chooses=False, takes_long=lambda: True, stays=False)
    if isinstance(v.op, Loop):
        return Step(v.inputs, "", chooses=False, takes_long=lambda: True, stays=False)
    return described(v)


def _levels(graph: FunctionGraph) -> dict[Variable, int]:
    """How many sums follow each other up to each node."""
    levels: dict[Variable, int] = {}
    for v in graph.order:
        before = max([levels[i] for i in v.inputs], default=0)
        levels[v] = before + _is_sum(v)
    return levels


def _is_sum(v: Any) -> bool:
    kind = kind_of(v)
    return isinstance(kind, Reduction) and kind.combine == "add"


def _count(v: Any) -> int:
    return int(v.inputs[0].type.shape[0])


def _is_wide(v: Any) -> bool:
    return not isinstance(v.op, Loop) and v.type.shape not in ((), (1,))


def _loop(
    c: Code,
    name: str,
    count: int,
    sums: list[Any],
    nodes: list[Any],
    values: dict[Variable, Value],
    compute: Compute,
) -> None:
    """The sums over as many places, of the nodes that they need of each, into `values`."""
    totals = {v: _slot(c, v, 0.0) for v in sums}
    scans = {v: kind for v in nodes if isinstance(kind := kind_of(v), Scan)}
    running = {v: _slot(c, v, _RUNNING[kind.combine][1]) for v, kind in scans.items()}
    with c.numbers(one_by_one=False), c.calling(), c.loop(name, str(count), marks=ONCE) as index:
        inside = dict(values)
        for v in nodes:
            if isinstance(v.op, Constant):
                inside[v] = _entry(c, v, index)
            elif v in running:
                word, _ = _RUNNING[scans[v].combine]
                inside[v] = _added(c, word, v, running[v], inside[v.inputs[0]])
            else:
                inside[v] = _computed(c, v, inside, compute)
        for v in sums:
            _added(c, "fadd reassoc", v, totals[v], inside[v.inputs[0]])
    for v in sums:
        values[v] = c(f"load {number(v.type.dtype).register}, ptr {totals[v]}")


def _needed(graph: FunctionGraph, sums: list[Any]) -> list[Any]:
    """What there is of each place, inputs first."""
    needed = {v.inputs[0] for v in sums}
    for v in reversed(graph.order):
        if v in needed:
            needed |= {i for i in v.inputs if _is_wide(i)}
    return [v for v in graph.order if v in needed]


def _computed(c: Code, v: Any, values: dict[Variable, Value], compute: Compute) -> Value:
    if isinstance(kind_of(v), View | Reduction):  # of one number
        return values[v.inputs[0]]
    if isinstance(v.op, Item):
        results: Any = values[v.inputs[0]]
        item: Value = results[v.op.index]
        return item
    return compute(c, v, values)


def _repeated(
    c: Code,
    full: str,
    v: Any,
    values: dict[Variable, Value],
    compute: Compute,
    described: Callable[[Any], Step[Any]],
) -> Any:
    """The last states of a loop over numbers, and how many steps were made."""
    steps, *firsts = [values[i] for i in v.inputs]
    body, count = v.op.body.graph, len(v.op.kept)
    numbers = [number(i.type.dtype) for i in body.inputs[:count]]
    slots = [_stored(c, n, x) for n, x in zip(numbers, firsts, strict=False)]
    counter = _stored(c, number("int64"), "0")
    name = c.new()[1:]
    some = c(f"icmp sgt i64 {steps}, 0")
    c.lines += [f"br i1 {some}, label %loop_{name}, label %exit_{name}", f"loop_{name}:"]
    states = [c(f"load {n.register}, ptr {slot}") for n, slot in zip(numbers, slots, strict=True)]
    inside: dict[Variable, Value] = dict(zip(body.inputs, [*states, *firsts[count:]], strict=True))
    with c.calling(*CALLED), c.joined(*_beside(body)):
        _numbers(c, full, body, inside, compute, described)
    *nexts, more = [inside[node] for node in body.outputs]
    for n, slot, x in zip(numbers, slots, nexts, strict=True):
        c.lines.append(f"store {n.register} {x}, ptr {slot}")
    done = c(f"add i64 {c(f'load i64, ptr {counter}')}, 1")
    c.lines.append(f"store i64 {done}, ptr {counter}")
    more = c(f"and i1 {more}, {c(f'icmp slt i64 {done}, {steps}')}")
    c.lines += [f"br i1 {more}, label %loop_{name}, label %exit_{name}", f"exit_{name}:"]
    last = [c(f"load {n.register}, ptr {slot}") for n, slot in zip(numbers, slots, strict=True)]
    return [*last, c(f"load i64, ptr {counter}")]


def _beside(graph: FunctionGraph) -> list[tuple[str, ...]]:
    """Groups of functions that have much in common, and that the graph calls of the same numbers.

    Only one of both tails may be needed, by what is known before: both are hardly more to compute.
    """
    calls: dict[tuple[Any, ...], list[str]] = {}
    for v in graph.order:
        kind = kind_of(v)
        name = str(kind.of) if isinstance(kind, Pointwise) else ""
        if name in SCALARS and SCALARS[name].summation and not _is_wide(v):
            calls.setdefault(v.inputs, []).append(name)
    return [
        group
        for inputs, names in calls.items()
        for group in alike(tuple(names), tuple([v.dtype for v in inputs]))
    ]


def _slot(c: Code, v: Any, start: float) -> str:
    n = number(v.type.dtype)
    return _stored(c, n, c.literal(start, n))


def _stored(c: Code, n: Number, value: Value) -> str:
    slot = c.new()
    c.lines.insert(0, f"{slot} = alloca {n.register}")  # where LLVM looks for what a register holds
    c.lines.append(f"store {n.register} {value}, ptr {slot}")
    return slot


def _added(c: Code, word: str, v: Any, slot: str, value: Value) -> str:
    n = number(v.type.dtype)
    total = c(f"{word} {n.register} {{}}, {{}}", c(f"load {n.register}, ptr {slot}"), str(value))
    c.lines.append(f"store {n.register} {total}, ptr {slot}")
    return total


def _entry(c: Code, v: Any, index: str) -> Value:
    """The entry of a constant vector, which stands in the module."""
    n, text = number(v.type.dtype), _table(v)
    names = [key for key, declaration in c.declarations.items() if declaration.endswith(text)]
    name = names[0] if names else f"weft_places_{len(c.declarations)}"
    c.declarations[name] = f"@{name} = {text}"
    return c.load(n, c(f"getelementptr inbounds {n.memory}, ptr @{name}, i64 {index}"))


@cache
def _table(v: Any) -> str:
    """The entries of a constant vector as a constant of the module."""
    n, array = number(v.type.dtype), np.asarray(v.op.value)
    code = Code()
    literals = [code.literal(x, n) if n.kind == "f" else str(int(x)) for x in array.tolist()]
    entries = ", ".join(f"{n.memory} {x}" for x in literals)
    return f"internal unnamed_addr constant [{array.size} x {n.memory}] [{entries}]"
