"""Digests of graphs: short texts that are equal, in any process, exactly for equal graphs."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence

from weft_graph.core.constant import Constant
from weft_graph.core.encoding import encoded, tagged
from weft_graph.core.interned import Interned
from weft_graph.core.nodes import Input, Named, Variable
from weft_graph.core.toposort import toposort

__all__ = ["digest"]

_BYTES = 20


def digest(
    outputs: Variable | Iterable[Variable],
    inputs: Iterable[Variable] | None = None,
    *,
    contents: bool = True,
) -> str:
    """A text that stands for `outputs` as a function of `inputs`, in any process.

    Classes and parameters of Ops, types, constants, the order of inputs and outputs and what
    is shared between them count. Names of variables, where they were made, and derivatives that
    the user gives to a function, which do not change what it computes, do not.

    Parameters
    ----------
    outputs
        One variable or several.
    inputs
        The variables to take as given, in order; by default all inputs, by appearance.
    contents
        False leaves out what is in large constants: those that amount to no plain Python
        value (`Type.literal`) count by type and by their order of appearance.

    Raises
    ------
    TypeError
        for a parameter or constant that no bytes stand for, such as a lambda.

    Examples
    --------
    >>> from weft_graph import Op, Type
    >>> class Twice(Op):
    ...     def infer(self, x):
    ...         return x
    >>> x, y = Type()("x"), Type()("y")
    >>> digest(Twice()(x)) == digest(Twice()(y)), digest(Twice()(x)) == digest(x)
    (True, False)
    """
    roots = [outputs] if isinstance(outputs, Variable) else list(outputs)
    stop = None if inputs is None else list(inputs)
    order = toposort(roots, frozenset(stop or ()))
    if stop is None:
        stop = [v for v in order if isinstance(v.op, Input)]
    return digest_of(order, stop, roots, contents)


def digest_of(
    order: Sequence[Variable],
    inputs: Sequence[Variable],
    outputs: Sequence[Variable],
    contents: bool = True,
) -> str:
    """The digest of a graph of which `order` is known already."""
    tokens = _Tokens(contents)
    number: dict[Variable, int] = {}
    words: list[int] = [len(inputs)]
    for v in inputs:
        number[v] = len(number)
        words.append(tokens.of(v.type))
    count = len(inputs)
    for v in order:
        if v in number:
            continue
        op = v.op
        if type(op) is Named:
            number[v] = number[v.inputs[0]]
            continue
        number[v] = count
        count += 1
        words += (tokens.of(op), tokens.of(v.type), len(v.inputs))
        words += [number[i] for i in v.inputs]
    words.append(len(outputs))
    words += [number[v] for v in outputs]
    return _hashed(tokens.texts, words)


class _Tokens:
    """Numbers for Ops and Types, by first appearance, and the bytes that they stand for."""

    def __init__(self, contents: bool) -> None:
        self.contents = contents
        self.texts: list[bytes] = []
        self._numbers: dict[Interned, int] = {}

    def of(self, value: Interned) -> int:
        number = self._numbers.get(value)
        if number is None:
            number = self._numbers[value] = len(self.texts)
            self.texts.append(self._text(value))
        return number

    def _text(self, value: Interned) -> bytes:
        if not self.contents and isinstance(value, Constant) and value.literal is None:
            return tagged(b"large", encoded(value.type), b"%d" % len(self.texts))
        return encoded(value)


def _hashed(texts: Sequence[bytes], words: Sequence[int]) -> str:
    from array import array  # these are slow to import, and needed for compiling only
    from hashlib import blake2b

    numbers = array("q", words)
    if sys.byteorder == "big":
        numbers.byteswap()
    state = blake2b(digest_size=_BYTES, person=b"weft graph 1")
    state.update(b"%d;" % len(texts))
    for text in texts:
        state.update(b"%d:" % len(text))
        state.update(text)
    state.update(memoryview(numbers).cast("B"))
    return state.hexdigest()
