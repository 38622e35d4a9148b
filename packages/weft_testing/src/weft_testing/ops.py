"""Which Ops there are to check."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from zlib import crc32

from weft_graph import Op
from weft_graph.extend import import_all
from weft_tensor import Elemwise
from weft_tensor.extend import SCALARS, Blank

__all__ = ["op_groups", "tensor_ops"]


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
    rows = map(Elemwise, sorted(SCALARS))
    return [*sorted(with_examples, key=lambda k: (k.__name__, k.__module__)), *rows]


def op_groups(ops: Iterable[Op | type[Op]], count: int) -> list[list[Op | type[Op]]]:
    """At most `count` groups of Ops: in which one is, its name alone decides.

    What is compiled of a group is the same, whatever other Ops there are.

    >>> for group in op_groups(map(Elemwise, ["sin", "cos", "tan", "exp"]), 3):
    ...     print(*group)
    tan
    cos
    sin exp
    """
    groups: dict[int, list[Op | type[Op]]] = {}
    for op in ops:
        name = op.__name__ if isinstance(op, type) else str(op)
        groups.setdefault(crc32(name.encode()) % count, []).append(op)
    return [groups[number] for number in sorted(groups)]


def _has_examples(kind: Any) -> bool:
    """Whether there are any; what is still blank is to be checked, too, and reported so."""
    return isinstance(kind.examples, Blank) or bool(kind.examples())
