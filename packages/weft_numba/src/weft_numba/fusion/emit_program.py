"""The steps of a fused graph as Python source for Numba: calls of kernels and functions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from weft_graph import Constant, FunctionGraph, Item, Variable
from weft_graph.extend import Branch, Program, Step, lowered
from weft_numba.analysis.shifts import Shifted
from weft_numba.analysis.uses import Plan
from weft_numba.fusion.grouping import Fused, Pack, fused
from weft_numba.fusion.grouping import Step as PlannedStep
from weft_numba.fusion.in_place import last_read_by
from weft_numba.fusion.parameters import Groups, names
from weft_numba.fusion.rooms import Rooms
from weft_numba.fusion.row_blocks import RowBlock, by_rows, with_row_blocks
from weft_numba.ir.axis_sizes import NOTHING, Same
from weft_numba.lowering.dispatch import EXPRESSIONS, IN_LINES, has_function, uses_builtin_lowering
from weft_numba.lowering.njit_source import CASTS, compiled
from weft_numba.lowering.parameters import MOST, arguments
from weft_numba.numba_layer.bundles import FROM_BUNDLES, Source, bundled, tupled
from weft_numba.numba_layer.kernel_intrinsic import MISMATCH, callable_kernel
from weft_numba.numba_layer.linalg.batched_matrix import with_rooms
from weft_numba.numba_layer.new_array import new_array
from weft_numba.numba_layer.result_check import type_check, with_lengths
from weft_numba.numba_layer.rooms import SIZE, row_room, stack_room
from weft_numba.numba_layer.row_blocks import borrowed_rows, rows_of_block, size_of_row
from weft_numba.numba_layer.rows import contiguous, required, shift_rows
from weft_tensor import expanded

__all__ = ["Planned", "Writer", "planned", "written"]


def written(
    graph: FunctionGraph,
    funcify: Callable[[Variable], Callable[..., Any]],
    groups: Groups,
    results: Groups,
    *,
    exact: bool = False,
    parallel: bool = False,
    assume: bool = False,
) -> Program:
    """The function that takes the steps of `graph` one after another.

    `groups` and `results` say which inputs and outputs are in bundles.
    """
    program = Program("weft_function", [f"x{k}" for k in range(len(groups))])
    writer = Writer(program, funcify, len(graph.inputs), exact=exact, parallel=parallel)
    for name, group in zip(program.parameters, groups, strict=True):
        writer.elements |= {f"{name}[{k}]": (name, k) for k in range(len(group))}
    outputs = writer.steps(graph, names(groups), assume=assume)
    bundles = [writer.together([outputs[k] for k in group]) for group in results]
    if len(bundles) > MOST:
        program.add(f"return {writer.named(tupled(len(bundles)))}({arguments(bundles)})")
    else:
        program.add(f"return ({''.join([bundle + ', ' for bundle in bundles])})")
    return program


class Planned(NamedTuple):
    """A graph with the steps that compute it."""

    graph: FunctionGraph
    plan: Plan
    steps: list[PlannedStep]


def planned(graph: FunctionGraph, *, assume: bool = False, same: Same = NOTHING) -> Planned:
    """The steps of a graph; `same` says what is known of its inputs' lengths."""
    graph = with_lengths(expanded(graph, has_function))
    plan = Plan(graph, assume=assume, same=same)
    return Planned(graph, plan, fused(plan))


class Writer:
    """Adds lines to a program."""

    def __init__(
        self,
        program: Program,
        funcify: Callable[[Variable], Callable[..., Any]],
        inputs: int,
        *,
        exact: bool,
        parallel: bool,
    ) -> None:
        self.program = program
        self.funcify = funcify
        self.options = {"exact": exact, "parallel": parallel}
        self.elements: dict[str, tuple[str, int]] = {}
        """What is read from a bundle: from which, and where in it."""
        self.parts: dict[str, tuple[str, int]] = {}
        """The same of tuples of numbers: who needs one of these takes no other apart."""
        self.overwritable: dict[Variable, set[str]] = {}
        """What a node may change where it lies, as nobody reads it any more."""
        self.depth = 1
        self._values = inputs
        self._callees: dict[int, str] = {}
        """The names of functions, by their identity: the program holds them."""

    def steps(
        self,
        graph: FunctionGraph,
        inputs: Sequence[str],
        *,
        assume: bool = False,
        same: Same = NOTHING,
    ) -> list[str]:
        """The lines of a graph whose inputs have these names; gives the names of its outputs.

        `same` says what is known of the inputs' lengths.
        """
        return self.lines(planned(graph, assume=assume, same=same), inputs)

    def lines(
        self, planned: Planned, inputs: Sequence[str], rooms: Rooms | None = None
    ) -> list[str]:
        """The same, of a graph that has been planned; with rooms for what is computed."""
        graph, plan, steps = planned
        scope = _Scope(rooms)
        scope.names.update(zip(graph.inputs, inputs, strict=True))
        together = not rooms and not self.options["parallel"]
        every = with_row_blocks(steps, graph.outputs, plan.spaces) if together else steps
        for step in every:
            if isinstance(step, RowBlock):
                kinds = [each.kind for each in every if isinstance(each, RowBlock)]
                is_apart = len({*kinds}) < len(kinds)
                (self._row_block_apart if is_apart else self.row_block)(step, scope)
            elif isinstance(step, Fused):
                self._kernel(step, scope)
            elif isinstance(step.op, Branch) and uses_builtin_lowering(step.op):
                scope.parts[step] = self._branch(step, scope)
                scope.names[step] = scope.parts[step][0]
            elif type(step.op) in IN_LINES and uses_builtin_lowering(step.op):
                read = self._read(step.inputs, scope)
                if not self.options["parallel"]:
                    unread = self._read(last_read_by(step, graph, steps), scope)
                    self.overwritable.setdefault(step, set()).update(unread)
                items = [v.op.index for v, _ in graph.users[step] if isinstance(v.op, Item)]
                write = IN_LINES[type(step.op)]
                scope.parts[step] = write(self, step, read, plan.spaces, items or [0])
                scope.names[step] = scope.parts[step][0]
            elif isinstance(step.op, Item) and step.inputs[0] in scope.parts:
                scope.names[step] = scope.parts[step.inputs[0]][step.op.index]
            else:
                self._node(step, scope)
        return self._read(graph.outputs, scope)

    def _kernel(self, step: Fused, scope: _Scope) -> None:
        """The call of a loop nest, which reads what is in bundles and tuples by itself."""
        outputs, changed = step.outputs, frozenset[int]()
        if scope.rooms and scope.rooms.homes:
            homes = scope.rooms.homes
            numbers = [k for k, r in enumerate(step.kernel.results) if r.slot < 0]
            pairs = zip(numbers, outputs, strict=False)
            changed = frozenset([k for k, v in pairs if v in homes])
            scope.names |= {v: homes[v] for v in outputs if v in homes}
            outputs = tuple([v for v in outputs if v not in homes])
        room_arguments = scope.rooms.told(outputs) if scope.rooms else []
        read = self._read(step.inputs, scope)
        origins = [self.elements.get(x) or self.parts.get(x) or (x, None) for x in read]
        places = {name: k for k, name in enumerate(dict.fromkeys([name for name, _ in origins]))}
        inside = tuple([(places[name], k) for name, k in origins])
        sources = inside if any(k is not None for _, k in inside) else ()
        kernel = callable_kernel(
            step.kernel,
            sources=sources,
            rooms=bool(room_arguments),
            changed=changed,
            **self.options,
        )
        parameters = arguments([*(places if sources else read), *room_arguments])
        self._call_of(kernel, parameters, step.nodes, read, outputs, scope)

    def together(self, values: Sequence[str]) -> str:
        """An expression for one value, or for a bundle of several."""
        if len(values) == 1:
            return values[0]
        return f"{self.named(bundled(len(values)))}({arguments(values)})"

    def _row_block_apart(self, block: RowBlock, scope: _Scope) -> None:
        """A call of the loop over blocks of rows: those of one kind have the same code.

        Without loops, a long program is left to LLVM as it is written, which takes half the time.
        """
        read = self._read(block.inputs, scope)
        if max(len(read), len(block.outputs)) > MOST:
            return self.row_block(block, scope)
        given = [self._as_variable(v, x) for v, x in zip(block.inputs, read, strict=True)]
        program = Program("lowered", [f"x{k}" for k in range(len(read))])
        inside, own = Writer(program, self.funcify, len(read), **self.options), _Scope(None)
        own.names.update(zip(block.inputs, program.parameters, strict=True))
        inside.row_block(block, own)
        program.add(f"return {', '.join([own.names[v] for v in block.outputs])}")
        name = self.named(compiled(program.source, **program.namespace))
        results: dict[Any, str] = {v: self.name() for v in block.outputs}
        self.add(f"{', '.join(results.values())} = {name}({', '.join(given)})")
        self.program.note(Step(block.nodes, tuple(read), depth=self.depth))
        scope.names |= results
        return None

    def row_block(self, block: RowBlock, scope: _Scope) -> None:
        """The loop over blocks of rows, of which the results that are needed are put together."""
        name_of = dict(zip(block.inputs, self._read(block.inputs, scope), strict=True))
        sliced = {v: x for v, x in name_of.items() if block.inputs[v]}
        rows = self._assigned(f"{next(iter(sliced.values()))}.shape[0]")
        for x in [*sliced.values()][1:]:
            self.add(f"{self.named(required(MISMATCH))}({x}.shape[0] == {rows})")
        whole: dict[Any, str] = {}
        for v, (_, *others) in block.outputs.items():
            shape = [
                str(n) if isinstance(n, int) else f"{name_of[n[0]]}.shape[{n[1]}]" for n in others
            ]
            dtype = self.named(CASTS[_dtype(v)])
            whole[v] = self._assigned(
                f"{self.named(new_array)}(({', '.join([rows, *shape])},), {dtype})"
            )
        size = self.named(size_of_row)
        sizes = " + ".join([f"{size}({x})" for x in (*sliced.values(), *whole.values())])
        pace, begin = self._assigned(f"{self.named(rows_of_block)}({sizes})"), self.name()
        self.add(f"for {begin} in range(0, {rows} or 1, {pace}):")
        self.depth += 1
        end = self._assigned(f"{begin} + {pace} if {begin} + {pace} < {rows} else {rows}")
        part, room = self.named(borrowed_rows), self.named(row_room)
        for v, x in sliced.items():
            scope.names[v] = self._assigned(f"{part}({x}, {begin}, {end})")
        room_arguments = {
            v: [f"{room}({x}, {begin})", f"({end} - {begin}) * {size}({x})"]
            for v, x in whole.items()
        }
        for step in block.steps:
            rooms = [
                word for v in step.outputs for word in room_arguments.get(v) or self._on_stack()
            ]
            kernel = callable_kernel(by_rows(step.kernel), rooms=True, **self.options)
            read = self._read(step.inputs, scope)
            self._call_of(kernel, arguments([*read, *rooms]), step.nodes, read, step.outputs, scope)
        self.depth -= 1
        scope.names |= name_of | whole
        self.program.note(Step(block.nodes, tuple(name_of.values()), depth=self.depth))

    def _on_stack(self) -> tuple[str, str]:
        """Source that tells of a room on the stack."""
        return f"{self.named(stack_room)}()", str(SIZE)

    def _assigned(self, expression: str) -> str:
        """A variable for what an expression gives."""
        name = self.name()
        self.add(f"{name} = {expression}")
        return name

    def _node(self, node: Variable, scope: _Scope) -> None:
        """The line of a node that is in no kernel; one more checks what a user's function gives."""
        kind, is_known = type(node.op), uses_builtin_lowering(node.op)
        if kind in FROM_BUNDLES and is_known:
            self._of_bundles(node, scope)
        elif isinstance(node.op, Shifted) and scope.rooms and node in scope.rooms.homes:
            read = self._read(node.inputs, scope)
            step = Step((node,), tuple(read), depth=self.depth)
            self.add(f"{self.named(shift_rows(back=node.op.back))}({', '.join(read)})", step)
            scope.names[node] = scope.rooms.homes[node]
        elif isinstance(node.op, Item) or (kind in EXPRESSIONS and is_known):
            read = self._read(node.inputs, scope)
            index = f"{read[0]}[{node.op.index}]" if isinstance(node.op, Item) else None
            self._assign([node], index or EXPRESSIONS[kind](node.op, read), [node], read, scope)
        else:
            function, read = lowered(node, self.funcify), self._read(node.inputs, scope)
            other = with_rooms(function) if scope.rooms and is_known else None
            room_arguments = scope.rooms.told([node]) if scope.rooms and other else []
            function = other if other and room_arguments else function
            given = [self._as_variable(v, x) for v, x in zip(node.inputs, read, strict=True)]
            self._call_of(
                function, ", ".join([*given, *room_arguments]), [node], read, [node], scope
            )
        if not is_known:
            self.add(f"{self.named(type_check(node))}({scope.names[node]})")

    def _as_variable(self, v: Variable, name: str) -> str:
        """A constant array has another type to Numba, which would compile what gets it again."""
        is_constant = isinstance(v.op, Constant) and _rank(v)
        return f"{self.named(contiguous)}({name})" if is_constant else name

    def _call_of(
        self,
        callee: Callable[..., Any],
        argument_text: str,
        nodes: Sequence[Variable],
        read: Sequence[str],
        outputs: Sequence[Variable | Pack],
        scope: _Scope,
    ) -> None:
        """A line that calls `callee`, which computes `nodes`, of which `outputs` are kept."""
        name = self.named(callee)
        self._assign(outputs, f"{name}({argument_text})", nodes, read, scope, name)

    def _of_bundles(self, node: Variable, scope: _Scope) -> None:
        """A call that takes bundles as they are."""
        places: dict[str, int] = {}
        sources: list[Source] = []
        read = self._read(node.inputs, scope)
        for each in read:
            name, k = self.elements.get(each, (each, None))
            sources.append((places.setdefault(name, len(places)), k))
        callee = self.named(FROM_BUNDLES[type(node.op)](node, tuple(sources)))
        self._assign([node], f"{callee}({arguments([*places])})", [node], read, scope, callee)

    def _branch(self, node: Variable, scope: _Scope) -> list[str]:
        """The lines of both cases, where they are called for; gives the names of the results."""
        op: Any = node.op
        read = self._read(node.inputs, scope)
        condition, *operands = read
        results = [self.name() for _ in op.types]
        for test, case in ((f"if {condition}:", op.on_true), ("else:", op.on_false)):
            self.add(test)
            self.depth += 1
            values = self.steps(case.graph, operands)
            for name, value in zip(results, values, strict=True):
                self.add(f"{name} = {value}")
            self.depth -= 1
        self.program.note(Step((node,), tuple(read), depth=self.depth))
        return results

    def _assign(
        self,
        outputs: Sequence[Variable | Pack],
        expression: str,
        nodes: Sequence[Variable],
        read: Sequence[str],
        scope: _Scope,
        callee: str = "",
    ) -> None:
        """A line that computes `outputs`."""
        step = Step(tuple(nodes), tuple(read), callee, self.depth)
        if len(outputs) > 1 and all(isinstance(v, Variable) and not _rank(v) for v in outputs):
            name = self.name()
            for k, v in enumerate(outputs):
                scope.names[v] = f"{name}[{k}]"
                self.parts[scope.names[v]] = (name, k)
            self.add(f"{name} = {expression}", step)
            return
        for v in outputs:
            scope.names[v] = self.name()
        names = ", ".join([scope.names[v] for v in outputs])
        self.add(f"{names} = {expression}" if names else expression, step)

    def add(self, line: str, step: Step | None = None) -> None:
        """Add a line, indented as deep as we are; it does `step`."""
        self.program.add(line, step, depth=self.depth)

    def named(self, callee: Callable[..., Any]) -> str:
        """A name for a function that lines call."""
        if id(callee) not in self._callees:
            self._callees[id(callee)] = name = f"f{len(self.program.namespace)}"
            self.program.namespace[name] = callee
        return self._callees[id(callee)]

    def _read(self, values: Iterable[Variable | Pack], scope: _Scope) -> list[str]:
        """The names of values; constants get theirs when they are first read."""
        for v in values:
            if v not in scope.names:
                assert isinstance(v, Variable)
                assert isinstance(v.op, Constant)
                scope.names[v] = f"c{len(self.program.namespace)}"
                value = v.op.value
                is_number = isinstance(value, np.ndarray) and not value.ndim
                self.program.namespace[scope.names[v]] = value[()] if is_number else value
        return [scope.names[v] for v in values]

    def name(self) -> str:
        """A name for a value, which no other has."""
        self._values += 1
        return f"t{self._values - 1}"


class _Scope:
    """The names of the values of a graph."""

    def __init__(self, rooms: Rooms | None) -> None:
        self.rooms = rooms
        self.names: dict[Variable | Pack, str] = {}
        self.parts: dict[Variable, list[str]] = {}
        """Those of the results of branches."""


def _rank(v: Any) -> int:
    return getattr(v.type, "ndim", 1)


def _dtype(v: Any) -> str:
    dtype: str = v.dtype
    return dtype
