"""Why a rule does not apply to a node: the part of its pattern that fails, or who says no."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count, product
from typing import Any, NamedTuple

from weft_graph.core.constant import Constant
from weft_graph.core.nodes import Variable
from weft_graph.core.source_location import describe
from weft_graph.core.toposort import toposort
from weft_graph.rewriting.patterns import Each, Form, Wildcard, fixed, is_swappable
from weft_graph.rewriting.rule import Kind, Rule
from weft_graph.text.one_line import phrase, short_place

__all__ = ["Mismatch", "kind_text", "mismatch"]


class Mismatch(NamedTuple):
    """How many parts of the pattern fit, and what does not."""

    fitting: int
    text: str


def mismatch(rule: Rule, node: Variable) -> Mismatch | None:
    """Why `rule` does not apply to `node`; None if it does.

    >>> from weft_graph import Op, Type, wildcard
    >>> class Join(Op):
    ...     def infer(self, x, y):
    ...         return x
    >>> a, x, y = wildcard("a"), Type()("x"), Type()("y")
    >>> mismatch(Rule(Join()(a, a), a, name="same"), Join()(x, y)).text
    'argument 2 of Join should be a again, which is x, and is y'
    """
    if rule(node) is not None:
        return None
    if isinstance(rule.left, Variable):
        reasons = [_walk(rule.left, swapped, node) for swapped in _orders(rule.left)]
        failures = [m for m in reasons if m is not None]
        if len(failures) == len(reasons):
            return max(failures, key=lambda m: m.fitting)
    elif not rule.may_match([v.op for v in node.inputs]):
        kinds = " or ".join(map(kind_text, rule.over))
        return Mismatch(1, f"no argument of {node.op} is made by {kinds}")
    fitting = len(toposort([rule.left])) if isinstance(rule.left, Variable) else 2
    if rule.when is not None and _free(rule)(node) is None:
        return Mismatch(fitting, f"the pattern fits, but its condition says no{_at(rule.when)}")
    return Mismatch(
        fitting + 1, f"the pattern fits, but its function returns nothing{_at(rule.right)}"
    )


def kind_text(kind: Kind) -> str:
    """An Op, or a class of Ops, in a sentence."""
    return kind.__name__ if isinstance(kind, type) else str(kind)


def _at(function: Any) -> str:
    code = getattr(function, "__code__", None)
    return f" ({short_place(describe((code, 0)))})" if code else ""


def _free(rule: Rule) -> Rule:
    """A rule that applies wherever the condition of `rule` holds."""
    return Rule(rule.left, lambda node: node.named("met"), when=rule.when, over=rule.over)


def _orders(pattern: Variable) -> Iterator[set[Variable]]:
    swappable = [v for v in toposort([pattern]) if is_swappable(v)]
    for choice in product((False, True), repeat=len(swappable)):
        yield {v for v, swap in zip(swappable, choice, strict=True) if swap}


def _walk(pattern: Variable, swapped: set[Variable], node: Variable) -> Mismatch | None:
    """The first part of `pattern` that `node` does not fit, with arguments in this order."""
    bound: dict[str, Variable] = {}
    fitting = 0
    stack = [(pattern, node, "it")]
    while stack:
        part, v, place = stack.pop()
        target = _wanted(part, v, bound)
        if target is not None:
            near = isinstance(part.op, Constant) and isinstance(v.op, Constant)
            return Mismatch(fitting + near, f"{place} should be {target}, and is {phrase(v)}")
        if isinstance(part.op, Wildcard):
            bound[part.op.name or ""] = v
        else:
            fitting += 1
        inputs = part.inputs[::-1] if part in swapped else part.inputs[: fixed(part)]
        own = part.op.parts(v) if isinstance(part.op, Form) else v.inputs
        arguments = [
            (s, i, f"argument {k} of {v.op}")
            for k, s, i in zip(count(1), inputs, own, strict=False)
        ]
        stack += arguments[::-1]
    return None


def _wanted(part: Variable, v: Variable, bound: dict[str, Variable]) -> str | None:
    """What should stand where `v` does; None if `v` will do."""
    op = part.op
    if isinstance(op, Wildcard):
        if op.constant and not isinstance(v.op, Constant):
            return "a constant"
        partner = bound.get(op.name or "", v)
        return None if partner is v else f"{op.name} again, which is {phrase(partner)}"
    if isinstance(op, Constant):
        literal = op.literal
        same = part is v or (
            literal is not None and isinstance(v.op, Constant) and v.op.literal == literal
        )
        return None if same else str(part)
    if isinstance(op, Form):
        return None if op.parts(v) is not None else f"of the form {op}"
    fits = isinstance(v.op, op.op_class) if isinstance(op, Each) else v.op is op
    if not fits:
        return f"made by {op.op_class.__name__ if isinstance(op, Each) else op}"
    least = fixed(part)
    most = least if least == len(part.inputs) else len(v.inputs)
    if not least <= len(v.inputs) <= most:
        return f"{op} of {len(part.inputs)} arguments"
    return None
