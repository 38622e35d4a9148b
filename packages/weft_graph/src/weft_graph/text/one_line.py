"""Expressions on one line, for messages and tables."""

from __future__ import annotations

import re

from weft_graph.core.constant import Constant
from weft_graph.core.nodes import Input, Item, Named, Variable

__all__ = ["phrase", "short_place"]

_PLACE = re.compile(r"^(line \d+ of )(?:\w:)?(?:[^:]*[/\\])?([^:]*?)(?:, in [^:]*)?(:|$)")

_DEEPEST = 6
_WIDEST = 4


def phrase(v: Variable, width: int = 70) -> str:
    """The expression of `v` on one line; what does not fit into `width` is left out.

    >>> from weft_graph import Op, Type
    >>> class Join(Op):
    ...     def infer(self, *types):
    ...         return types[0]
    >>> join, x = Join(), Type()("x")
    >>> print(phrase(join(join(x, x), x)))
    Join(Join(x, x), x)
    >>> print(phrase(join(join(join(join(x), x), x), x), width=25))
    Join(Join(Join(…), x), x)
    """
    for depth in range(_DEEPEST, 0, -1):
        text = _phrase(v, depth)
        if len(text) <= width:
            return text
    text = _phrase(v, 0)
    return text if len(text) <= width else text[: width - 1] + "…"


def _phrase(v: Variable, depth: int) -> str:
    op = v.op
    if isinstance(op, (Input, Named, Constant)):
        return str(v)
    if type(op) is Item:
        return f"{_phrase(v.inputs[0], depth)}[{op.index}]"
    if depth == 0 and v.inputs:
        return f"{op}(…)"
    parts = [_phrase(i, depth - 1) for i in v.inputs[:_WIDEST]]
    if len(v.inputs) > _WIDEST:
        parts.append("…")
    return f"{op}({', '.join(parts)})"


def short_place(made_at: str | None, width: int = 80) -> str:
    """A place without folders and the name of the function, cut to `width`.

    >>> short_place("line 6 of /home/me/model.py, in density: y = exp(x)")
    'line 6 of model.py: y = exp(x)'
    """
    text = _PLACE.sub(r"\1\2\3", made_at or "")
    return text if len(text) <= width else text[: width - 1] + "…"
