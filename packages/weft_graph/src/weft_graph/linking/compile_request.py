"""What is asked of a linker (`CompileRequest`), and what it gives (`CompiledGraph`)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property, partial
from time import perf_counter
from typing import Any, Literal

from weft_graph.core.constant import Constant
from weft_graph.core.function_graph import FunctionGraph
from weft_graph.core.nodes import Input, Item, Variable
from weft_graph.linking.program import Program
from weft_graph.rewriting.rulebook import RuleBook

__all__ = ["CompileRequest", "CompiledGraph", "Unshared", "may_share", "memory_of"]

Book = RuleBook | Callable[[FunctionGraph], FunctionGraph]


class CompileRequest:
    """A graph as its user wrote it, and what is applied to it before it is linked.

    >>> from weft_graph import Type
    >>> x = Type()("x")
    >>> request = CompileRequest(FunctionGraph([x], [x.named("y")]), [], lambda graph, books: graph)
    >>> request.graph is request.written
    True
    """

    def __init__(
        self,
        written: FunctionGraph,
        books: Iterable[Book],
        rewrite: Callable[[FunctionGraph, tuple[Book, ...]], FunctionGraph],
        updated: Iterable[Variable] = (),
    ) -> None:
        self.written = written
        self.updated = tuple(updated)
        """The shared variables whose new values are the last outputs."""
        self.books = tuple(books)
        self.again = partial(rewrite, self.written, self.books)
        """Rewrites the graph once more: for those who watch."""
        self.seconds = 0.0
        """How long rewriting it took, if this process did."""

    @cached_property
    def leaves(self) -> tuple[Variable, ...]:
        """The inputs and constants of the graph as it was written, by appearance.

        Graphs of equal digest have theirs in the same order. Of other nodes that is not so: names
        of results are nodes, too, and no part of the digest.

        >>> from weft_graph import Type
        >>> graph = FunctionGraph(outputs=[Type()("x").named("y")])
        >>> CompileRequest(graph, [], lambda graph, books: graph).leaves
        (<x : Type>,)
        """
        return tuple([v for v in self.written.order if isinstance(v.op, (Constant, Input))])

    @cached_property
    def graph(self) -> FunctionGraph:
        """The graph after rewriting, which happens when it is first asked for."""
        start = perf_counter()
        graph = self.again()
        self.seconds = perf_counter() - start
        return graph


class CompiledGraph:
    """A graph that can be run.

    Parameters
    ----------
    run
        From the values of the graph's inputs to those of its outputs, as a tuple.
    program
        Makes the program behind `run`, if someone wants to see it.
    finish
        For every output, what makes of it the array (or other value) that users get; None if
        it is that already.
    rescue
        Told of an error of `run`, and the values it was given: may add a note, or raise
        another error in its place.
    conditions
        Python expressions over the values of the inputs, written {0}, {1}, ...: calls for which
        one does not hold go to `others`.
    others
        Does for all values what `run` does where the conditions hold.
    arranged
        Does it for values that `Linker.admit` lets in, though `Linker.filter` would change them.
    """

    def __init__(
        self,
        run: Callable[..., Any],
        program: Callable[[], Program],
        finish: Sequence[Callable[[Any], Any] | None],
        rescue: Callable[..., None],
        conditions: Sequence[str] = (),
        others: Callable[..., Any] | None = None,
        arranged: Callable[..., Any] | None = None,
    ) -> None:
        self.run = run
        self.finish = tuple(finish)
        self.rescue = rescue
        self.conditions = tuple(conditions)
        self.others = others
        self.arranged = arranged
        self._program = program

    @cached_property
    def program(self) -> Program:
        """The source that was linked, and what its names stand for."""
        return self._program()


def may_share(graph: FunctionGraph) -> list[bool]:
    """For every output, whether its memory may be that of an input, constant or other output.

    It may, where an Op does not say whose memory its result has (`Op.view_of`).

    >>> from weft_graph import Type
    >>> x = Type()("x")
    >>> may_share(FunctionGraph([x], [x.named("y")]))
    [True]
    """
    return [owners != "itself" for owners in memory_of(graph)]


Owner = Literal["itself", "inputs", "others"]


def _always(variable: Variable) -> bool:
    return True


def memory_of(
    graph: FunctionGraph, has_memory: Callable[[Variable], bool] = _always
) -> list[Owner]:
    """For every output, who else may have its memory: nobody, inputs alone, or others, too.

    `has_memory` says what a backend keeps in memory at all, for instance no scalars.

    >>> from weft_graph import Type
    >>> x = Type()("x")
    >>> memory_of(FunctionGraph([x], [x, x.named("y"), x.named("y")]))
    ['inputs', 'inputs', 'others']
    """
    inputs = set(graph.inputs)
    others: set[Variable] = set()
    result: list[Owner] = []
    for output in graph.outputs:
        own: set[Variable] = set()
        todo = [output]
        owner: Owner = "itself"
        while todo:
            v = todo.pop()
            if v in others or v in inputs or isinstance(v.op, (Constant, Input)):
                if has_memory(v) and owner != "others":
                    owner = "inputs" if v in inputs and v not in others else "others"
            elif v not in own:
                own.add(v)
                if isinstance(v.op, Item) and v.inputs[0].op.view_of == ():
                    continue
                views = v.op.view_of
                todo.extend(v.inputs if views is None else [v.inputs[k] for k in views])
        result.append(owner)
        others |= own
    return result


class Unshared:
    """Makes an array of a result that may have an input's memory: a copy if so.

    A call gives it the values of the inputs, too; without these, it copies.

    Parameters
    ----------
    copy
        Makes an array of its own.
    finish
        Makes an array of what has memory of its own.
    shares
        Whether a value may have memory of one of some others.
    """

    def __init__(
        self,
        copy: Callable[[Any], Any],
        finish: Callable[[Any], Any],
        shares: Callable[[Any, Sequence[Any]], bool],
    ) -> None:
        self._copy, self._finish, self._shares = copy, finish, shares

    def __call__(self, value: Any, *inputs: Any) -> Any:
        """The array."""
        is_own = inputs and not self._shares(value, inputs)
        return self._finish(value) if is_own else self._copy(value)
