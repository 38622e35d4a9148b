"""Variables that one result only is made of, such as keys of random numbers."""

from __future__ import annotations

import warnings
from collections import defaultdict
from collections.abc import MutableMapping
from typing import Final, NamedTuple
from weakref import WeakKeyDictionary

from weft_graph.core.function_graph import FunctionGraph
from weft_graph.core.nodes import Variable

__all__ = ["USES", "uses_up", "warn_of_second_uses"]


class Use(NamedTuple):
    """How a result was made of something that one result only may be made of."""

    variable: Variable
    parts: tuple[Variable, ...]
    remedy: str


USES: Final[MutableMapping[Variable, Use]] = WeakKeyDictionary()
"""By a result."""


def uses_up(
    variable: Variable, result: Variable, remedy: str, parts: tuple[Variable, ...] = ()
) -> None:
    """Have `function` warn where another result than `result` uses `variable` up, too.

    With `remedy` in the warning: what to do. `parts` are nodes on the way to the result that might
    be results by themselves.

    >>> from weft_graph import Op, Type
    >>> class Half(Op):
    ...     def infer(self, x):
    ...         return x
    >>> cake = Type()("cake")
    >>> uses_up(cake, Half()(cake), "bake another one")
    """
    USES[result] = Use(variable, parts, remedy)


def warn_of_second_uses(graph: FunctionGraph) -> None:
    """Warn of what several results in `graph` use up, with the places of all of them."""
    members, results = set(graph.order), defaultdict[Variable, list[Variable]](list)
    for result, use in USES.items():
        if result in members:
            results[use.variable].append(result)
    for variable, several in results.items():
        parts = {v for r in several for v in USES[r].parts}.difference(graph.outputs)
        apart = [r for r in several if r not in parts]
        if len(apart) > 1:
            lines = "".join([f"\n  {r!r}, made at {r.made_at}" for r in apart])
            text = f"{variable!r} is used for {len(apart)} results: {USES[apart[0]].remedy}.{lines}"
            warnings.warn(text, stacklevel=3)
