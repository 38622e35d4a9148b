"""Rules that are functions of a node, called without detours."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from weft_graph import Op, Rule, Variable

__all__ = ["node_rule"]


class _NodeRule(Rule):
    """A rule for all nodes of an Op, or of a class of Ops."""

    def __call__(self, node: Variable) -> Variable | None:
        """What the function says; most rules see most nodes in vain, so it is asked at once."""
        assert not isinstance(self.right, Variable)
        return self.right(node)


def node_rule(
    left: Op | type[Op], *, name: str
) -> Callable[[Callable[[Any], Variable | None]], Rule]:
    """Make a rule of the function below, whose only parameter is the node.

    >>> from weft_tensor import Transpose, matrix
    >>> @node_rule(Transpose, name="no transposition")
    ... def forget(node):
    ...     return node.inputs[0]
    >>> x = matrix("x")
    >>> forget(x.T) is x
    True
    """
    return lambda function: _NodeRule(left, function, name=name)
