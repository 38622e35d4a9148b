"""Expressions as one writes them in formulas, for the names of rules."""

from __future__ import annotations

from typing import Any, Final

from weft_graph import Constant, toposort

__all__ = ["written"]

_INFIX: Final[dict[str, tuple[str, int, tuple[int, ...]]]] = {
    "gt": ("{} > {}", 1, (2, 2)),
    "ge": ("{} >= {}", 1, (2, 2)),
    "lt": ("{} < {}", 1, (2, 2)),
    "le": ("{} <= {}", 1, (2, 2)),
    "eq": ("{} == {}", 1, (2, 2)),
    "neq": ("{} != {}", 1, (2, 2)),
    "add": ("{} + {}", 2, (2, 3)),
    "sub": ("{} - {}", 2, (2, 3)),
    "mul": ("{} * {}", 3, (3, 4)),
    "true_div": ("{} / {}", 3, (3, 4)),
    "floor_div": ("{} // {}", 3, (3, 4)),
    "mod": ("{} % {}", 3, (3, 4)),
    "neg": ("-{}", 4, (5,)),
    "pow": ("{} ** {}", 5, (6, 5)),
}
"""Per function the form, how tightly it binds, and how tightly its parts must."""
_TIGHT: Final = 9


def written(side: Any) -> str:
    """A formula of letters, numbers and elementwise functions.

    >>> from weft_rewrites.dsl.equation import letter
    >>> from weft_tensor import log
    >>> x, y = letter("x"), letter("y")
    >>> written(-(x - y) * log(1 + x))
    '-(x - y) * log(1 + x)'
    """
    texts: dict[Any, tuple[str, int]] = {}
    for v in toposort([side]):
        texts[v] = _text(v, [texts[x] for x in v.inputs])
    return texts[side][0]


def _text(v: Any, parts: list[tuple[str, int]]) -> tuple[str, int]:
    """A formula, and how tightly it binds."""
    if not parts:
        return str(v.op.value) if isinstance(v.op, Constant) else v.name or str(v.op), _TIGHT
    if str(v.op) not in _INFIX:
        return f"{v.op}({', '.join(text for text, _ in parts)})", _TIGHT
    form, binds, wanted = _INFIX[str(v.op)]
    shown = [t if tight >= w else f"({t})" for (t, tight), w in zip(parts, wanted, strict=True)]
    return form.format(*shown), binds
