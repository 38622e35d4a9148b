"""The steps of a fused graph as Python source for Numba: calls of kernels and functions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from weft_graph import Constant, FunctionGraph, Item, Variable
from weft_graph.extend import Branch, Program, lowered
from weft_numba.fusion.fuse import Fused, Pack, fuse
from weft_numba.fusion.parameters import Groups, names
from weft_numba.lowering.dispatch import is_ours
from weft_numba.lowering.result_check import type_check, with_lengths
from weft_numba.numba_layer.bundles import bundled
from weft_numba.numba_layer.kernel_intrinsic import callable_kernel
from weft_numba.ops.shape.concatenate import Source, joined
from weft_tensor import Concatenate, Length, Stack

__all__ = ["written"]


def written(
    graph: FunctionGraph,
    funcify: Callable[[Variable], Callable[..., Any]],
    given: Groups,
    returned: Groups,
    *,
    exact: bool = False,
    parallel: bool = False,
    assume: bool = False,
) -> Program:
    """The function that takes the steps of `graph` one after another.

    `given` and `returned` say which inputs and outputs are in bundles.
    """
    writer = _Writer(funcify, len(graph.inputs), exact=exact, parallel=parallel)
    parameters = [f"x{k}" for k in range(len(given))]
    for name, group in zip(parameters, given, strict=True):
        writer.elements.update((f"{name}[{k}]", (name, k)) for k in range(len(group)))
    writer.body.append(f"def weft_function({', '.join(parameters)}):")
    outputs = writer.steps(graph, names(given), assume=assume)
    results = [writer.together([outputs[k] for k in group]) for group in returned]
    writer.body.append(f"    return ({''.join(result + ', ' for result in results)})")
    source = "\n".join(writer.body) + "\n"
    return Program("weft_function", source, writer.namespace, writer.lines, writer.groups)


class _Writer:
    """Writes lines, and collects what their names stand for."""

    def __init__(
        self,
        funcify: Callable[[Variable], Callable[..., Any]],
        inputs: int,
        *,
        exact: bool,
        parallel: bool,
    ) -> None:
        self.funcify = funcify
        self.options = {"exact": exact, "parallel": parallel}
        self.body: list[str] = []
        self.namespace: dict[str, Any] = {}
        self.elements: dict[str, tuple[str, int]] = {}
        """What is read from a bundle: from which, and where in it."""
        self.lines: dict[int, Variable] = {}
        self.groups: dict[int, tuple[Variable, ...]] = {}
        self.indent = "    "
        self._values = inputs

    def steps(self, graph: FunctionGraph, given: Sequence[str], *, assume: bool) -> list[str]:
        """The lines of a graph whose inputs have these names; gives the names of its outputs."""
        scope = _Scope()
        scope.names.update(zip(graph.inputs, given, strict=True))
        graph = with_lengths(graph)
        for step in fuse(graph, assume=assume):
            if isinstance(step, Fused):
                self._kernel(step, scope)
            elif isinstance(step.op, Branch) and is_ours(step.op):
                scope.parts[step] = self._branch(step, scope)
                scope.names[step] = scope.parts[step][0]
            elif isinstance(step.op, Item) and step.inputs[0] in scope.parts:
                scope.names[step] = scope.parts[step.inputs[0]][step.op.index]
            else:
                self._assign([step], self._expression(step, scope), scope)
                if not is_ours(step.op):
                    self.body.append(
                        f"{self.indent}{self._called(type_check(step), [step], scope)}"
                    )
        return self._read(graph.outputs, scope)

    def together(self, values: Sequence[str]) -> str:
        """An expression for one value, or for a bundle of several."""
        if len(values) == 1:
            return values[0]
        return self._call(bundled(len(values)), values)

    def _kernel(self, step: Fused, scope: _Scope) -> None:
        kernel = callable_kernel(step.kernel, **self.options)
        self._assign(step.outputs, self._called(kernel, step.inputs, scope), scope)
        self.groups[len(self.body)] = step.nodes

    def _expression(self, step: Variable, scope: _Scope) -> str:
        if isinstance(step.op, Item):
            return f"{self._read(step.inputs, scope)[0]}[{step.op.index}]"
        if isinstance(step.op, (Concatenate, Stack)) and is_ours(step.op):
            return self._joined(step, scope)
        if isinstance(step.op, Length):
            return f"{self._read(step.inputs, scope)[0]}.shape[{step.op.axis}]"
        return self._called(lowered(step, self.funcify), step.inputs, scope)

    def _joined(self, step: Variable, scope: _Scope) -> str:
        """A join, which takes bundles as they are."""
        arguments: dict[str, int] = {}
        sources: list[Source] = []
        for read in self._read(step.inputs, scope):
            name, k = self.elements.get(read, (read, None))
            sources.append((arguments.setdefault(name, len(arguments)), k))
        return self._call(joined(step, tuple(sources)), arguments)

    def _branch(self, step: Variable, scope: _Scope) -> list[str]:
        """The lines of both cases, where they are called for; gives the names of the results."""
        op: Any = step.op
        condition, *given = self._read(step.inputs, scope)
        results = [self._name() for _ in op.types]
        outside = self.indent
        for test, case in ((f"if {condition}:", op.on_true), ("else:", op.on_false)):
            self.body.append(f"{outside}{test}")
            self.indent = f"{outside}    "
            found = self.steps(case.graph, given, assume=False)
            self.body += [
                f"{self.indent}{name} = {value}" for name, value in zip(results, found, strict=True)
            ]
        self.indent = outside
        self.lines[len(self.body)] = step
        return results

    def _assign(self, outputs: Sequence[Variable | Pack], expression: str, scope: _Scope) -> None:
        """A line that computes `outputs`."""
        for v in outputs:
            scope.names[v] = self._name()
        targets = ", ".join(scope.names[v] for v in outputs)
        self.body.append(f"{self.indent}{targets} = {expression}")
        first = outputs[0]
        self.lines[len(self.body)] = first.members[0] if isinstance(first, Pack) else first

    def _called(
        self, callee: Callable[..., Any], inputs: Sequence[Variable | Pack], scope: _Scope
    ) -> str:
        return self._call(callee, self._read(inputs, scope))

    def _call(self, callee: Callable[..., Any], given: Iterable[str]) -> str:
        name = f"f{len(self.namespace)}"
        self.namespace[name] = callee
        return f"{name}({', '.join(given)})"

    def _read(self, values: Iterable[Variable | Pack], scope: _Scope) -> list[str]:
        """The names of values; constants get theirs when they are first read."""
        for v in values:
            if v not in scope.names:
                assert isinstance(v, Variable)
                assert isinstance(v.op, Constant)
                scope.names[v] = f"c{len(self.namespace)}"
                self.namespace[scope.names[v]] = v.op.value
        return [scope.names[v] for v in values]

    def _name(self) -> str:
        self._values += 1
        return f"t{self._values - 1}"


class _Scope:
    """The names of the values of a graph."""

    def __init__(self) -> None:
        self.names: dict[Variable | Pack, str] = {}
        self.parts: dict[Variable, list[str]] = {}
        """Those of the results of branches."""
