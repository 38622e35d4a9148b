"""How a graph is compiled: which rule books, which linker; both found by entry point."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from typing import TYPE_CHECKING, Any

from weft_graph.autodiff.connections import Step
from weft_graph.core.function_graph import FunctionGraph, Graph, as_graph
from weft_graph.core.nodes import Input, Named, Variable, apply
from weft_graph.core.traversal import replace
from weft_graph.linking.gc_pause import without_collecting
from weft_graph.linking.linker import Linker
from weft_graph.linking.python_linker import PythonLinker
from weft_graph.observe.observers import StatsWanted, TraceWanted, VerifyWanted, observed
from weft_graph.ops.assume import Assumed, drop_assumptions
from weft_graph.ops.branch import lazy_branches
from weft_graph.ops.loop import Loop, with_bodies
from weft_graph.ops.op_from_graph import inline
from weft_graph.rewriting.driver import Pass, applied
from weft_graph.rewriting.fp_contract import changes_by
from weft_graph.rewriting.rule import Rule
from weft_graph.rewriting.rulebook import RuleBook, name_of, without
from weft_graph.rewriting.watchers import watchers

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

__all__ = ["Mode", "Pass", "book_modules", "installed_books", "rewrite_graph"]

_ROUNDING = frozenset({"rounding"})
_PACKAGES = {"jax": "weft-jax", "numba": "weft-numba"}


class Mode:
    """A linker and the books (and passes) that are applied before it.

    Parameters
    ----------
    linker
        "py", "numba", "jax" (any case), the name of an installed linker, or a `Linker`.
        None: numba if weft-numba is installed, else py.
    books
        Rule books, and functions from FunctionGraph to FunctionGraph, in order.
        None: `inline`, and those of all installed packages.
    exact
        Whether rules and passes are left out that may change more than rounding: with them go
        what the others gain, digits that formulas lose as they are written included. Gradients are
        of what `grad` was given, whatever the mode.

    Examples
    --------
    >>> Mode("py", books=[]).linker.name
    'py'
    """

    def __init__(
        self,
        linker: str | Linker | None = None,
        books: Iterable[RuleBook | Pass] | None = None,
        *,
        exact: bool = False,
    ) -> None:
        self.linker = linker if isinstance(linker, Linker) else _linker(linker)
        pipeline = _by_default(self.linker.omits) if books is None else tuple(books)
        self.books = tuple(_exact(pipeline)) if exact else pipeline

    def including(self, *parts: Rule | RuleBook | Pass) -> Mode:
        """The same mode with more rules, books and passes.

        Rules are added to every book, before its own (without books, they make one); a book
        or a pass is applied after those there are.
        """
        rules = [part for part in parts if isinstance(part, Rule)]
        books = [b.including(*rules) if isinstance(b, RuleBook) else b for b in self.books]
        if rules and not any(isinstance(b, RuleBook) for b in books):
            books.insert(0, RuleBook("included", rules))
        return Mode(self.linker, [*books, *(p for p in parts if not isinstance(p, Rule))])

    def excluding(self, *names: str) -> Mode:
        """The same mode without the rules, passes and books of these names.

        A book is left out of the books that contain it, too. Raises ValueError for a name
        that there is not.
        """
        own_names = {name_of(b) for b in self.books}
        own_names.update(*(b.names for b in self.books if isinstance(b, RuleBook)))
        unknown = set(names) - own_names
        if unknown:
            raise ValueError(f"no rule, pass or book is called {', '.join(sorted(unknown))}")
        return Mode(self.linker, without(self.books, names))

    def __repr__(self) -> str:
        return f"Mode({self.linker.name}, books: {', '.join(map(name_of, self.books)) or 'none'})"


def _exact(books: Iterable[RuleBook | Pass]) -> Iterator[RuleBook | Pass]:
    """What changes no more than rounding."""
    for book in books:
        if not isinstance(book, RuleBook):
            if changes_by(book) <= _ROUNDING:
                yield book
            continue
        yield book.excluding(*{r.name for r in book if not r.may_change <= _ROUNDING})


def as_mode(mode: Mode | Linker | str | None) -> Mode:
    """`mode` as a Mode."""
    return mode if isinstance(mode, Mode) else Mode(mode)


@cache
def _found(group: str) -> dict[str, EntryPoint]:
    from importlib.metadata import entry_points  # half as slow to import as all of weft_graph

    return {e.name.lower(): e for e in sorted(entry_points(group=group), key=lambda e: e.name)}


@cache
def _linker(name: str | None) -> Linker:
    entries = _found("weft.linkers")
    if name is None:
        name = "numba" if "numba" in entries else "py"
    if not isinstance(name, str):
        raise TypeError(f"a mode is a Mode, a Linker or a name, not {name!r}")
    key = name.lower()
    if key in {"py", "python"}:
        return PythonLinker()
    if key in entries:
        linker: Any = entries[key].load()()
        if not isinstance(linker, Linker):
            raise TypeError(f"the entry point weft.linkers:{key} gave {linker!r}, not a Linker")
        return linker
    if key in _PACKAGES:
        raise ValueError(
            f"mode {name!r} needs the package {_PACKAGES[key]}, which is not installed: "
            f"pip install {_PACKAGES[key]}"
        )
    raise ValueError(f"unknown mode {name!r}; installed are: {', '.join(['py', *entries])}")


@cache
def installed_books() -> tuple[RuleBook | Pass, ...]:
    """The books and passes of all installed packages, in order."""
    return tuple(b for e in _found("weft.rewrites").values() for b in e.load())


def book_modules() -> tuple[str, ...]:
    """The modules that the installed books come from, by name."""
    return tuple(e.value.partition(":")[0] for e in _found("weft.rewrites").values())


def _by_default(omits: tuple[str, ...] = ()) -> tuple[RuleBook | Pass, ...]:
    pipeline = (inline, *installed_books())
    return _without(pipeline, omits) if omits else pipeline


@cache
def _without(
    pipeline: tuple[RuleBook | Pass, ...], names: tuple[str, ...]
) -> tuple[RuleBook | Pass, ...]:
    return tuple(without(pipeline, names))


@without_collecting()
def rewrite_graph(
    graph: Graph,
    books: Iterable[RuleBook | Pass] | None = None,
    *,
    trace: TraceWanted = False,
    verify: VerifyWanted = False,
    stats: StatsWanted = False,
) -> FunctionGraph:
    """`graph` after `books` (`inline` and those installed, by default) have been applied in order.

    What an input that is a result was computed from is hidden from them.

    Parameters
    ----------
    graph
        A graph, a variable or several: a graph of all that they need.
    trace
        True: print every change. "browser": show the changes, step by step, in a browser. A
        `Trace`: record them there.
    verify
        True: check that no rule and no pass changes a result, on values that are drawn. A dict
        gives the values of inputs. See `Verification`.
    stats
        True: print how often each rule was tried and applied, and its time. A `Stats`: count
        there.

    Examples
    --------
    >>> from weft_graph import Op, Rule, RuleBook, Type, wildcard
    >>> class Invert(Op):
    ...     def infer(self, x):
    ...         return x
    ...     def impl(self, x):
    ...         return not x
    >>> a, x = wildcard("a"), Type()("x")
    >>> book = RuleBook("logic", [Rule(Invert()(Invert()(a)), a, name="double inversion")])
    >>> graph = FunctionGraph([x], [Invert()(Invert()(x))])
    >>> rewrite_graph(graph, [book], trace=True, verify={x: True}).outputs
    logic: 1 step, 2 → 0 nodes
      double inversion: Invert(Invert(x)) → x   (line ...)
    (<x : Type>,)
    >>> rewrite_graph(Invert()(Invert()(x)), [book]).outputs
    (<x : Type>,)
    """
    graph = as_graph(graph)
    pipeline = _by_default() if books is None else books
    if trace is False and verify is False and stats is False:
        return _without_cuts(graph, pipeline)
    with observed(trace, verify, stats):
        return _without_cuts(graph, pipeline)


def rewrite_lazily(graph: FunctionGraph, books: Iterable[RuleBook | Pass]) -> FunctionGraph:
    """What `rewrite_graph` gives, with branches in the place of choices.

    >>> from weft_graph import Type
    >>> x = Type()("x")
    >>> rewrite_lazily(FunctionGraph([x], [x]), []).outputs
    (<x : Type>,)
    """
    return lazy_branches(rewrite_graph(graph, books))


def _without_cuts(graph: FunctionGraph, books: Iterable[RuleBook | Pass]) -> FunctionGraph:
    """Rewrite `graph` over plain inputs, which stand for those that are results."""
    cuts = {v: v.type(v.name) for v in graph.inputs if not isinstance(v.op, Input)}
    if not cuts:
        return _rewritten(graph, books)
    for w in watchers():
        w.renamed(cuts)
    assumptions = {v: _as_assumed(v, new) for v, new in cuts.items()}
    plain = FunctionGraph(
        [cuts.get(v, v) for v in graph.inputs], replace(graph.outputs, assumptions, graph.inputs)
    )
    result = _rewritten(plain, books)
    outputs = replace(result.outputs, {new: old for old, new in cuts.items()})
    return graph.with_outputs(outputs)


def _as_assumed(v: Variable, new: Variable) -> Variable:
    """`new`, with what was assumed of `v`."""
    return apply(v.op, (new,)) if type(v.op) is Assumed else new


def _rewritten(graph: FunctionGraph, books: Iterable[RuleBook | Pass]) -> FunctionGraph:
    books = tuple(books)
    if not {Named, Step}.isdisjoint(graph.op_classes):
        graph = applied(graph, [drop_names])
    opening = books[:1] if books[:1] == (inline,) else ()
    graph = applied(graph, opening)
    if Loop in graph.op_classes:
        graph = applied(graph, [_rewriting_bodies(books)])
    graph = applied(graph, books[len(opening) :])
    if Assumed in graph.op_classes:
        graph = applied(graph, [drop_assumptions, *books])
    return graph


def _rewriting_bodies(books: tuple[RuleBook | Pass, ...]) -> Pass:
    def bodies_of_loops(graph: FunctionGraph) -> FunctionGraph:
        return with_bodies(graph, lambda body: _rewritten(body, books))

    return bodies_of_loops


def drop_names(graph: FunctionGraph) -> FunctionGraph:
    """A pass: names of results, and steps, which rules need not see, are left out."""
    return graph.with_outputs(replace(graph.outputs, _unnamed))


def _unnamed(v: Variable) -> Variable | None:
    return v.inputs[0] if type(v.op) in (Named, Step) else None
