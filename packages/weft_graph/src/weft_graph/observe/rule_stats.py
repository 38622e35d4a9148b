"""How often each rule was tried, how often it applied, and what that cost."""

from __future__ import annotations

from weft_graph.core.nodes import Variable
from weft_graph.rewriting.rule import Rule
from weft_graph.rewriting.watchers import Log

__all__ = ["Count", "Stats"]


class Count:
    """How often the rules of one name were tried and applied, and their time in seconds."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.attempts = 0
        self.hits = 0
        self.seconds = 0.0

    def __repr__(self) -> str:
        return f"Count({self.name}: {self.hits} of {self.attempts}, {self.seconds:.3g} s)"


class Stats(Log):
    """Attempts, hits and time of every rule; prints as a table, slowest first, then the phases.

    It counts what happens in its `with` block. `rewrite_graph` and `function` take it as
    `stats=`, too.

    >>> from weft_graph import FunctionGraph, Op, Rule, RuleBook, Type, rewrite_graph, wildcard
    >>> class Invert(Op):
    ...     def infer(self, x):
    ...         return x
    >>> a, x = wildcard("a"), Type()("x")
    >>> book = RuleBook("logic", [Rule(Invert()(Invert()(a)), a, name="double inversion")])
    >>> with Stats() as stats:
    ...     graph = rewrite_graph(FunctionGraph([x], [Invert()(Invert()(x))]), [book])
    >>> stats.of("double inversion").attempts, stats.of("double inversion").hits
    (1, 1)
    >>> print(stats)
          ms  share  tries  hits  rule
       ... 100.0%      1     1  double inversion
    ...
    """

    def __init__(self) -> None:
        super().__init__()
        self._counts: dict[str, Count] = {}

    def tried(self, rule: Rule, node: Variable, new: Variable | None, seconds: float) -> None:
        """Count one attempt."""
        count = self._counts.get(rule.name)
        if count is None:
            count = self._counts[rule.name] = Count(rule.name)
        count.attempts += 1
        count.hits += new is not None
        count.seconds += seconds

    @property
    def counts(self) -> list[Count]:
        """All rules that were tried, slowest first."""
        return sorted(self._counts.values(), key=lambda count: -count.seconds)

    def of(self, name: str) -> Count:
        """The numbers of the rule called `name`; zeros if it was never tried."""
        return self._counts.get(name, Count(name))

    def __str__(self) -> str:
        total = sum(c.seconds for c in self._counts.values()) or 1.0
        lines = [f"{'ms':>8}  share  tries  hits  rule"]
        for c in self.counts:
            numbers = f"{c.seconds * 1e3:8.3f} {c.seconds / total:6.1%} {c.attempts:6} {c.hits:5}"
            lines.append(f"{numbers}  {c.name}")
        return "\n".join([*lines, "", super().__str__()])
