"""What tells two graphs apart, as text for tests and messages."""

from __future__ import annotations

from collections.abc import Iterator

from weft_graph.core.constant import Constant
from weft_graph.core.function_graph import FunctionGraph, Graph, as_graph
from weft_graph.core.nodes import Item, Named, Variable

__all__ = ["diff"]

_SHOWN = 10
_STEPS = 6


def diff(a: Graph, b: Graph) -> str:
    """Where `b` differs from `a`, one line for each place; empty for equal structure.

    Graphs are compared from their outputs, and below a node only if its Op is the same.
    Inputs are compared by position; names do not count.

    >>> from weft_graph import Op, Type
    >>> class Turn(Op):
    ...     degrees: int
    ...     def infer(self, x):
    ...         return x
    >>> x, y = Type()("x"), Type()("y")
    >>> print(diff(FunctionGraph([x], [Turn(1)(Turn(2)(x))]), FunctionGraph([y], [Turn(1)(y)])))
    output 0 > input 0 of Turn(degrees=1): Turn(degrees=2) on the left, input 0 (y) on the right
    """
    left, right = as_graph(a), as_graph(b)
    lines = [*_interfaces(left, right), *_nodes(left, right)]
    if len(lines) > _SHOWN:
        lines[_SHOWN:] = [f"and {len(lines) - _SHOWN} more"]
    return "\n".join(lines)


def _interfaces(a: FunctionGraph, b: FunctionGraph) -> Iterator[str]:
    for what, left, right in (("input", a.inputs, b.inputs), ("output", a.outputs, b.outputs)):
        if len(left) != len(right):
            yield f"{len(left)} {what}s on the left, {len(right)} on the right"
    for i, (v, w) in enumerate(zip(a.inputs, b.inputs, strict=False)):
        if v.type is not w.type:
            yield f"input {i} ({v}, {w}): {v.type} on the left, {w.type} on the right"


def _nodes(a: FunctionGraph, b: FunctionGraph) -> Iterator[str]:
    place_a = {v: i for i, v in enumerate(a.inputs)}
    place_b = {v: i for i, v in enumerate(b.inputs)}
    # A pair is found under its path: the pair above it and the position there.
    above: dict[tuple[Variable, Variable], tuple[tuple[Variable, Variable] | None, int]] = {}
    twin: dict[Variable, Variable] = {}
    stack = []
    for i, (v, w) in reversed(list(enumerate(zip(a.outputs, b.outputs, strict=False)))):
        pair = _seen_through(v, place_a), _seen_through(w, place_b)
        above[pair] = None, i
        stack.append(pair)
    visits = set()
    while stack:
        pair = stack.pop()
        if pair in visits:
            continue
        visits.add(pair)
        v, w = pair
        texts = _told_apart(v, w, place_a, place_b)
        if texts is None and twin.setdefault(v, w) is not w:
            texts = f"{_shown(v, place_a)}, which is shared", "another one"
        if texts is not None:
            yield f"{_path(pair, above)}: {texts[0]} on the left, {texts[1]} on the right"
        elif v not in place_a:
            for i, (below_v, below_w) in reversed(
                list(enumerate(zip(v.inputs, w.inputs, strict=True)))
            ):
                below = _seen_through(below_v, place_a), _seen_through(below_w, place_b)
                above.setdefault(below, (pair, i))
                stack.append(below)


def _seen_through(v: Variable, inputs: dict[Variable, int]) -> Variable:
    while type(v.op) is Named and v not in inputs:
        v = v.inputs[0]
    return v


def _told_apart(
    v: Variable, w: Variable, place_a: dict[Variable, int], place_b: dict[Variable, int]
) -> tuple[str, str] | None:
    """How to call `v` and `w` where they differ in themselves; None if they do not."""
    if v in place_a or w in place_b:
        if place_a.get(v) == place_b.get(w):
            return None
        return _shown(v, place_a), _shown(w, place_b)
    same_op = v.op is w.op or _same_constant(v, w)
    if not same_op or len(v.inputs) != len(w.inputs):
        left, right = _shown(v, place_a), _shown(w, place_b)
        if left == right:
            left, right = f"{left} : {v.type}", f"{right} : {w.type}"
        if same_op:
            left, right = (f"{x.op} of {len(x.inputs)} inputs" for x in (v, w))
        return left, right
    if v.type is not w.type and all(
        x.type is y.type for x, y in zip(v.inputs, w.inputs, strict=True)
    ):
        return f"{v.op} : {v.type}", f"{w.op} : {w.type}"
    return None


def _same_constant(v: Variable, w: Variable) -> bool:
    """Whether two constants that are different objects have the same content."""
    if not (isinstance(v.op, Constant) and isinstance(w.op, Constant)):
        return False
    return v.type is w.type and v.type.digest_of(v.op.value) == v.type.digest_of(w.op.value)


def _shown(v: Variable, place: dict[Variable, int]) -> str:
    if v in place:
        return f"input {place[v]} ({v})"
    return f"constant {v}" if isinstance(v.op, Constant) else str(v.op)


def _path(
    pair: tuple[Variable, Variable],
    above: dict[tuple[Variable, Variable], tuple[tuple[Variable, Variable] | None, int]],
) -> str:
    """How to come from an output to `pair`; the middle of a long way is left out."""
    steps: list[str] = []
    at: tuple[Variable, Variable] | None = pair
    while at is not None:
        upper, i = above[at]
        if upper is None:
            steps.append(f"output {i}")
        elif type(upper[0].op) is not Item:
            steps.append(f"input {i} of {upper[0].op}")
        at = upper
    steps.reverse()
    if len(steps) > _STEPS:
        steps[2:-3] = [f"... {len(steps) - 5} more ..."]
    return " > ".join(steps)
