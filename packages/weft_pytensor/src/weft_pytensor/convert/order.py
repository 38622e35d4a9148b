"""The nodes of a graph of PyTensor, each after those that it depends on."""

from __future__ import annotations

from collections.abc import Container, Sequence

from pytensor.graph.basic import Apply
from pytensor.graph.basic import Variable as Theirs

__all__ = ["in_order"]


def in_order(outputs: Sequence[Theirs], given: Container[Theirs]) -> list[Apply]:
    """The nodes that `outputs` depend on, as far as what is `given`.

    >>> import pytensor.tensor as pt
    >>> x = pt.dvector("x")
    >>> y = pt.exp(x)
    >>> [str(node.op) for node in in_order([y * y + x], [x])]
    ['Exp', 'Mul', 'Add']
    """
    order: dict[Apply, None] = {}
    waiting = [v.owner for v in reversed(outputs) if v.owner is not None and v not in given]
    while waiting:
        node = waiting[-1]
        if node in order:
            waiting.pop()
            continue
        count = len(waiting)
        for v in reversed(node.inputs):
            owner = v.owner
            if owner is not None and owner not in order and v not in given:
                waiting.append(owner)
        if len(waiting) == count:
            order[node] = None
            waiting.pop()
    return list(order)
