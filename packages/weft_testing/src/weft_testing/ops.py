"""Which Ops there are to check."""

from __future__ import annotations

from typing import Any

from weft_graph import Op
from weft_graph.extend import import_all
from weft_tensor import Elemwise
from weft_tensor.extend import SCALARS, Blank

__all__ = ["tensor_ops"]


def tensor_ops() -> list[Op | type[Op]]:
    """All that `check_op` should be called with: classes with examples, and elementwise Ops.

    These are the classes that are imported at the moment; an elementwise Op stands for a row
    of the table of scalar functions.

    >>> [op.__name__ for op in tensor_ops() if isinstance(op, type)][:3]
    ['All', 'Any_', 'Arange']
    """
    import_all()
    classes: set[type[Op]] = set()
    todo: list[type[Op]] = [Op]
    while todo:
        kind = todo.pop()
        todo += kind.__subclasses__()
        if kind is not Elemwise and not kind.__subclasses__() and hasattr(kind, "examples"):
            classes.add(kind)
    with_examples = [kind for kind in classes if _has_examples(kind)]
    return [*sorted(with_examples, key=lambda k: k.__name__), *map(Elemwise, SCALARS)]


def _has_examples(kind: Any) -> bool:
    """Whether there are any; what is still blank is to be checked, too, and reported so."""
    return isinstance(kind.examples, Blank) or bool(kind.examples())
