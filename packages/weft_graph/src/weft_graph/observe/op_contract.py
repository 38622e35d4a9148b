"""Whether an Op keeps its word: that it computes what it declared, and that it pickles.

Compiled functions do not ask this at every call; `verify=` and `weft_testing.check_op` do.
"""

from __future__ import annotations

from typing import Any

from weft_graph.core.interned import Interned
from weft_graph.core.nodes import TupleType, Variable
from weft_graph.linking.error_notes import node_note

__all__ = ["check_pickles", "check_result"]


def check_result(node: Variable, value: Any) -> None:
    """Raise TypeError, naming the Op, if `value` is not what it declared for `node`.

    >>> from weft_graph import Op, Type
    >>> class Several(Op):
    ...     def infer(self, x):
    ...         return x, x
    >>> first, second = Several()(Type()("x"))
    >>> check_result(first.inputs[0], (1, 2))
    >>> check_result(first.inputs[0], (1, 2, 3))
    Traceback (most recent call last):
    ...
    TypeError: Several returned what is not of its declared type: expected 2 results, got 3
    ...
    """
    several = isinstance(node.type, TupleType)
    kinds = node.type.items if isinstance(node.type, TupleType) else (node.type,)
    results = tuple(value) if several and isinstance(value, (tuple, list)) else (value,)
    try:
        if len(results) != len(kinds):
            raise TypeError(f"expected {len(kinds)} results, got {len(results)}")
        for kind, result in zip(kinds, results, strict=True):
            kind.check_value(result)
    except (TypeError, ValueError) as error:
        unfilled = node.op.defines("perform") and any(result is None for result in results)
        hint = "; `perform` must fill output_storage[i][0] for every result" if unfilled else ""
        raise TypeError(
            f"{node.op} returned what is not of its declared type: {error}{hint}\n{node_note(node)}"
        ) from error


def check_pickles(value: Interned) -> None:
    """Raise TypeError, naming class and parameter, if an Op or Type does not pickle to itself.

    >>> from weft_graph import Op
    >>> class Mapped(Op):
    ...     function: object
    >>> check_pickles(Mapped(lambda x: x))
    Traceback (most recent call last):
    ...
    TypeError: Mapped: parameter 'function' can't be pickled: ...
    """
    import pickle  # slow to import, and needed for checks only

    name = type(value).__name__
    for field in value.__props__:
        try:
            pickle.dumps(getattr(value, field))
        except Exception as error:
            raise TypeError(
                f"{name}: parameter {field!r} can't be pickled: {error}. Give functions and "
                "classes that are defined at the top of a module"
            ) from error
    if pickle.loads(pickle.dumps(value)) is not value:
        raise TypeError(
            f"{value!r} does not come back from pickling as itself: list all that it needs as "
            "its parameters"
        )
