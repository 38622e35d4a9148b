"""Checking that rewriting changes no result, step by step."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

from weft_graph.core.function_graph import FunctionGraph
from weft_graph.core.nodes import TupleType, Type, Variable
from weft_graph.core.protocols import shortened
from weft_graph.core.traversal import graph_inputs
from weft_graph.observe.samples import Sample, VerificationError, sampled
from weft_graph.rewriting.rule import Rule
from weft_graph.rewriting.watchers import Watcher
from weft_graph.text.one_line import phrase

__all__ = ["Verification", "VerificationError"]

_SAMPLES = 3
_SHOWN = 5


class Verification(Watcher):
    """Evaluates what every rule makes and what it replaces, and all outputs after each phase.

    Parameters
    ----------
    values
        Values of inputs; for those that are not given, several are drawn (see `Type.draw`).

    Raises
    ------
    VerificationError
        at the first rule or pass that changes a result by more than rounding, with its name,
        the expressions, their values and the user's line; and for an Op that returns what
        is not of the type that it declared, or changes its inputs. Where a result was infinite
        or not a number, a rule may change it.

    Examples
    --------
    >>> from weft_graph import FunctionGraph, Op, Rule, RuleBook, Type, rewrite_graph, wildcard
    >>> class Twice(Op):
    ...     def infer(self, x):
    ...         return x
    ...     def impl(self, x):
    ...         return x + x
    >>> a, x = wildcard("a"), Type()("x")
    >>> wrong = RuleBook("wrong", [Rule(Twice()(a), a, name="forget to double")])
    >>> with Verification({x: 3}):
    ...     rewrite_graph(FunctionGraph([x], [Twice()(x)]), [wrong])
    Traceback (most recent call last):
    ...
    weft_graph.VerificationError: rule forget to double (in wrong) changed a result:
      before  Twice(x) = 6
      after   x = 3
      where   x = 3
    ...
    """

    def __init__(self, values: Mapping[Variable, Any] | None = None) -> None:
        self._given = dict(values or {})
        self.samples: list[Sample] = []
        """The values that the last graph was evaluated with."""
        self._phase = ""
        self._start: tuple[Variable, ...] = ()

    def renamed(self, stand_ins: Mapping[Variable, Variable]) -> None:
        """Take what was given for a variable for its stand-in, too."""
        for old, new in stand_ins.items():
            if old in self._given:
                self._given[new] = self._given[old]

    def begin(self, phase: str, graph: FunctionGraph) -> None:
        """Have values for all inputs, and compute the outputs with them."""
        self._phase = phase
        self._start = graph.outputs
        inputs = graph_inputs(graph.outputs)
        if not self.samples or any(v not in self.samples[0].values for v in inputs):
            draw = sampled(inputs, graph.outputs, self._given)
            count = 1 if all(v in self._given for v in inputs) else _SAMPLES
            self.samples = [draw(seed) for seed in range(count)]

    def tried(self, rule: Rule, node: Variable, new: Variable | None, seconds: float) -> None:
        """Compare the values before and after the rule."""
        if new is not None:
            self._compare(f"rule {rule.name} (in {self._phase})", node, new)

    def end(self, phase: str, graph: FunctionGraph, seconds: float) -> None:
        """Compare the outputs with those before the phase."""
        for old, new in zip(self._start, graph.outputs, strict=True):
            self._compare(phase, old, new)

    def _compare(self, culprit: str, old: Variable, new: Variable) -> None:
        for sample in self.samples:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", RuntimeWarning)
                before = sample.value(old)
                try:
                    after = sample.value(new)
                except VerificationError:
                    raise
                except Exception as error:
                    raise VerificationError(
                        f"{culprit} made what can't be computed: {error}"
                        + _described(sample, old, new, before, "an error")
                    ) from error
            if not _close(old.type, before, after):
                raise VerificationError(
                    f"{culprit} changed a result:"
                    + _described(sample, old, new, before, _shown(new, after))
                )


def _described(sample: Sample, old: Variable, new: Variable, before: Any, after: str) -> str:
    inputs = [v for v in graph_inputs([old, new]) if v in sample.values][:_SHOWN]
    where = ", ".join(f"{v} = {_shown(v, sample.values[v])}" for v in inputs)
    lines = [
        f"\n  before  {phrase(old)} = {_shown(old, before)}",
        f"\n  after   {phrase(new)} = {after}",
        f"\n  where   {where}" if where else "",
        f"\n  made at {old.made_at}" if old.made_at else "",
    ]
    return "".join(lines)


def _shown(v: Variable, value: Any) -> str:
    plain = None if isinstance(v.type, TupleType) else v.type.literal(value)
    return " ".join(shortened.repr(value if plain is None else plain).split())


def _close(kind: Type, before: Any, after: Any) -> bool:
    if not isinstance(kind, TupleType):
        return kind.close_values(before, after)
    return len(before) == len(after) and all(
        item.close_values(a, b) for item, a, b in zip(kind.items, before, after, strict=True)
    )
