"""Every step of rewriting, recorded: to read, to step through, and to take again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from weft_graph.core.function_graph import FunctionGraph
from weft_graph.core.nodes import Variable
from weft_graph.observe.savings import Savings
from weft_graph.pictures.late import page_of
from weft_graph.rewriting.driver import normalise
from weft_graph.rewriting.rule import Rule
from weft_graph.rewriting.watchers import Log, Phase
from weft_graph.text.one_line import phrase, short_place

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["Change", "Trace", "TracedPhase"]


class Change(NamedTuple):
    """What one rule made of one node."""

    rule: Rule
    before: Variable
    after: Variable

    def __str__(self) -> str:
        text = f"{self.rule.name}: {phrase(self.before)} → {phrase(self.after)}"
        place = short_place(self.before.made_at)
        return f"{text}   ({place})" if place else text


class TracedPhase(Phase):
    """A book or a pass that was applied, with every change that rules made."""

    def __init__(self, name: str, graph: FunctionGraph, *, follows: bool) -> None:
        super().__init__(name, 0.0, len(graph))
        self.before = graph
        self.after = graph
        self.changes: list[Change] = []
        self.follows = follows
        """Whether it was applied to what the phase before it had made."""

    @property
    def is_idle(self) -> bool:
        """Whether nothing changed."""
        return not self.changes and self.before.outputs == self.after.outputs

    def replay(self, outputs: list[Variable]) -> list[Variable]:
        """What `outputs` become by the same steps."""
        if not self.changes:
            return list(self.after.outputs)
        replacements = {change.before: (change.after, change.rule) for change in self.changes}
        return normalise(outputs, replacements.get, {}, self.name)

    def __str__(self) -> str:
        count = len(self.changes)
        by = f"{count} step{'s' * (count != 1)}, " if count else ""
        head = f"{self.name}: {by}{len(self.before)} → {len(self.after)} nodes"
        return "\n".join([head, *(f"  {change}" for change in self.changes)])


class Trace(Log):
    """A log of rewriting that knows every change; prints with one line for each.

    It records what is rewritten in its `with` block. `rewrite_graph` and `function` take it
    as `trace=`, too.

    >>> from weft_graph import FunctionGraph, Op, Rule, RuleBook, Type, rewrite_graph, wildcard
    >>> class Invert(Op):
    ...     def infer(self, x):
    ...         return x
    >>> a, x = wildcard("a"), Type()("x")
    >>> book = RuleBook("logic", [Rule(Invert()(Invert()(a)), a, name="double inversion")])
    >>> with Trace() as trace:
    ...     graph = rewrite_graph(FunctionGraph([x], [Invert()(Invert()(Invert()(x)))]), [book])
    >>> print(trace)
    logic: 1 step, 3 → 1 nodes
      double inversion: Invert(Invert(x)) → x   (line ...)
    >>> trace.replay() == list(graph.outputs)
    True
    """

    def begin(self, phase: str, graph: FunctionGraph) -> None:
        """Open a phase."""
        last = self.traced[-1] if self.traced else None
        follows = last is not None and last.after == graph
        self._phases.append(TracedPhase(phase, graph, follows=follows))

    def tried(self, rule: Rule, node: Variable, new: Variable | None, seconds: float) -> None:
        """Record the change, if the rule made one."""
        if new is not None:
            self.traced[-1].changes.append(Change(rule, node, new))

    def end(self, phase: str, graph: FunctionGraph, seconds: float) -> None:
        """Close the phase."""
        last = self.traced[-1]
        last.after, last.seconds, last.nodes = graph, seconds, len(graph)

    @property
    def traced(self) -> list[TracedPhase]:
        """The phases in which graphs were rewritten."""
        return [p for p in self if isinstance(p, TracedPhase)]

    @property
    def changes(self) -> Iterator[Change]:
        """All changes of all phases."""
        return (change for phase in self.traced for change in phase.changes)

    @property
    def savings(self) -> Savings:
        """What each rule and each pass saved."""
        return Savings.of(self.traced)

    def replay(self) -> list[Variable]:
        """The final outputs once more: every recorded step, taken again from the first graph.

        Of several graphs that were rewritten one after the other, those of the last one.
        """
        outputs: list[Variable] = []
        for phase in self.traced:
            start = outputs if phase.follows else list(phase.before.outputs)
            outputs = phase.replay(start)
        return outputs

    def to_html(self, path: str | Path | None = None) -> str:
        """A page on which one steps through the graph as it changes; written to `path` if given.

        It needs no network. Arrow keys, buttons and a slider go from step to step.
        """
        page = page_of(self.traced)
        if path is not None:
            from pathlib import Path  # slow to import, as what is imported below, and seldom wanted

            Path(path).write_text(page, encoding="utf-8")
        return page

    def show(self) -> Path:
        """Open the page in a browser; the file that it was written to."""
        import tempfile
        import webbrowser
        from pathlib import Path

        folder = Path(tempfile.mkdtemp(prefix="weft-trace-"))
        path = folder / "trace.html"
        self.to_html(path)
        webbrowser.open(path.as_uri())
        return path

    def __str__(self) -> str:
        return "\n".join(str(phase) for phase in self.traced if not phase.is_idle)
