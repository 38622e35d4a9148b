"""What errors of compiled functions say of the node that they come from."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from weft_graph.core.nodes import Variable
from weft_graph.linking.usage_site import NodeNote

__all__ = ["names_node", "node_note", "retold", "says_more"]

_WHILE = "while computing"


def node_note(node: Variable, values: Sequence[Any] = ()) -> str:
    """Op, types, the values at hand and the user's line of `node`, for error messages.

    >>> from weft_graph import Type
    >>> print(node_note(Type()("x").named("mu"), ["some text"]))
    while computing Named(name='mu') : Type
      input 0: <x : Type> = 'some text'
      made at ...
    """
    lines = [f"{_WHILE} {node.op} : {node.type}"]
    for index, v in enumerate(node.inputs):
        value = f" = {v.type.summary(values[index])}" if index < len(values) else ""
        lines.append(f"  input {index}: {v!r}{value}")
    if node.made_at:
        lines.append(f"  made at {node.made_at}")
    return NodeNote.of("\n".join(lines), node.place)


def names_node(error: BaseException) -> bool:
    """Whether a note on `error` says which node it came from.

    >>> names_node(ValueError("n"))
    False
    """
    return any(note.startswith(_WHILE) for note in getattr(error, "__notes__", ()))


def says_more(error: Exception, again: Exception) -> bool:
    """Whether `again` begins as `error`, of the same type, and goes on.

    >>> says_more(ValueError("x must be positive"), ValueError("x must be positive, got -1.0"))
    True
    """
    return type(again) is type(error) and str(again).startswith(f"{error},")


def retold(error: Exception, again: Exception) -> Exception:
    """`error` with the notes on nodes of `again`, of the same type, which Python has raised.

    Also with its words, where these tell numbers that compiled code does not know.

    >>> retold(IndexError("out of bounds"), IndexError("index 7 is out of bounds"))
    IndexError('index 7 is out of bounds')
    """
    tells = [bool(re.search(r"\d", str(e))) for e in (error, again)]
    if isinstance(error, IndexError) or tells == [False, True] or says_more(error, again):
        error.args = again.args
    notes = getattr(again, "__notes__", ())  # on steps of loops, too
    own = [n for n in getattr(error, "__notes__", ()) if not n.startswith(_WHILE)]
    error.__notes__ = [*[n for n in own if n not in notes], *notes]
    return error
