"""The keywords `trace`, `verify` and `stats` of what rewrites graphs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any, Literal

from weft_graph.core.nodes import Variable
from weft_graph.observe.rule_stats import Stats
from weft_graph.observe.savings import Savings
from weft_graph.observe.trace import Trace
from weft_graph.observe.verification import Verification
from weft_graph.rewriting.watchers import Log, unwatched

__all__ = ["FunctionLog", "StatsWanted", "TraceWanted", "VerifyWanted", "observed"]

TraceWanted = bool | Literal["browser"] | Trace
VerifyWanted = bool | Mapping[Variable, Any]
StatsWanted = bool | Stats


class FunctionLog(Log):
    """The log of a compiled function, which finds out when asked what rules saved.

    >>> from weft_graph import Op, Rule, RuleBook, Mode, Type, function, wildcard
    >>> class Invert(Op):
    ...     def infer(self, x):
    ...         return x
    ...     def impl(self, x):
    ...         return not x
    >>> a, x = wildcard("a"), Type()("x")
    >>> book = RuleBook("logic", [Rule(Invert()(Invert()(a)), a, name="double inversion")])
    >>> f = function([x], Invert()(Invert()(Invert()(x))), mode=Mode("py", books=[book]))
    >>> print(f.log.savings)
         saved  times  by
             2      1  double inversion
             2         of 3 in all
    """

    again: Callable[[], object]
    """Takes the steps once more."""

    @property
    def savings(self) -> Savings:
        """What each rule and pass saved."""
        with unwatched(), Trace() as trace:
            self.again()
        return trace.savings


@contextmanager
def observed(
    trace: TraceWanted = False, verify: VerifyWanted = False, stats: StatsWanted = False
) -> Iterator[Log]:
    """A block whose rewriting is traced, verified and counted as asked; its log.

    The log is a `Trace` if one is wanted. What is wanted as True is printed at the end, also
    if that is an error. Raises TypeError for a `verify` or `stats` of another kind.

    >>> with observed(stats=True) as log:
    ...     pass
          ms  share  tries  hits  rule
    <BLANKLINE>
          ms  nodes  phase
    """
    log = _log(trace)
    if not isinstance(stats, (bool, Stats)):
        raise TypeError(f"stats must be True, False or a Stats, not {stats!r}")
    if not isinstance(verify, (bool, Mapping)):
        raise TypeError(f"verify must be True, False or a dict of inputs' values, not {verify!r}")
    counts = Stats() if stats is True else stats
    with ExitStack() as stack:
        stack.enter_context(log)
        if isinstance(counts, Stats):
            stack.enter_context(counts)
        if verify is not False:
            stack.enter_context(Verification(None if verify is True else verify))
        try:
            yield log
        finally:
            if trace is True:
                print(log)
            if stats is True:
                print(counts)
            if trace == "browser" and isinstance(log, Trace):
                log.show()


def _log(trace: TraceWanted) -> Log:
    if isinstance(trace, Trace):
        return trace
    if trace is False:
        return FunctionLog()
    if trace is True or trace == "browser":
        return Trace()
    raise TypeError(f"trace must be True, False, 'browser' or a Trace, not {trace!r}")
