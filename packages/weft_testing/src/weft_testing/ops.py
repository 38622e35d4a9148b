"""Which Ops there are to check."""

from __future__ import annotations

from weft_graph import Op
from weft_tensor import Elemwise
from weft_tensor.extend import SCALARS

__all__ = ["tensor_ops"]


def tensor_ops() -> list[Op | type[Op]]:
    """All that `check_op` should be called with: classes with examples, and elementwise Ops.

    These are the classes that are imported at the moment; an elementwise Op stands for a row
    of the table of scalar functions.

    >>> [op.__name__ for op in tensor_ops() if isinstance(op, type)][:3]
    ['All', 'Any_', 'Arange']
    """
    found: set[type[Op]] = set()
    todo: list[type[Op]] = [Op]
    while todo:
        kind = todo.pop()
        todo += kind.__subclasses__()
        if kind is not Elemwise and not kind.__subclasses__() and hasattr(kind, "examples"):
            found.add(kind)
    with_examples = [kind for kind in found if kind.examples()]  # type: ignore[attr-defined]  # hasattr above
    return [*sorted(with_examples, key=lambda k: k.__name__), *map(Elemwise, SCALARS)]
