"""Which axes of which variables have the same length, as far as the graph can tell.

Where lengths meet that are known at a call only, and come straight from inputs, equality can be
assumed: `AxisEqualities.conditions` says what a call has to check.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

from weft_graph import Constant, Item, Variable, ask
from weft_numba.ir.axis_keys import (
    SIZE,
    Space,
    and_a_number,
    changed,
    cut,
    inferred_lengths,
    is_length,
    joined,
    more_than,
    order,
    put,
    updated_part,
    wholes,
)
from weft_tensor import (
    Cut,
    Dim,
    Length,
    Pointwise,
    Recurrence,
    Scatter,
    TensorType,
    TensorVariable,
    constant,
    facts,
)
from weft_tensor import View as Seen
from weft_tensor.extend import ARRAY, SCALAR, Slice, kind_of, length_of_part, lengths_of

__all__ = ["NOTHING", "AxisEqualities", "Same"]

Same = Mapping[Hashable, Hashable]
"""What keys of axes of inputs, and inputs that are lengths, are known to equal."""

NOTHING: Final[Same] = MappingProxyType({})


class AxisEqualities:
    """The spaces of variables, found from those of their inputs and kept.

    With `assume`, unknown lengths of inputs that meet are taken for equal; `same` says which of
    them are.
    """

    def __init__(
        self, inputs: Sequence[Variable], *, assume: bool = False, same: Same = NOTHING
    ) -> None:
        self._known: dict[Variable, Space] = {}
        self._same: dict[Hashable, Hashable] = dict(same)
        self._position = {v: k for k, v in enumerate(inputs)}
        self._assume = assume
        self._names: dict[Hashable, tuple[Variable, int]] = {}
        self._lengths: dict[Hashable, Variable] = {}
        """For keys, a scalar of the graph that is as long."""
        self._standing: dict[Variable, Hashable] = {}
        """The keys of those that stand for the length of an axis."""
        self._keys: dict[Variable, Hashable] = {}
        """For scalars of the graph, their keys, until more lengths are known to be equal."""
        self._sizes: dict[Variable, Hashable] = {}
        """The same for what lengths are computed from: else each asks both that it is made of."""
        self._met: dict[Hashable, Sequence[tuple[Hashable, Hashable]]] = {}
        """For loops, and what is known of their inputs, the conditions of their bodies."""
        self.conditions: list[tuple[Hashable, Hashable]] = []
        """Pairs of lengths that were assumed to be equal, as `at_inputs` gives them."""
        self.least: dict[Hashable, int] = {}
        """Lengths of inputs that were assumed to be so much, or more."""
        for v in inputs:
            if isinstance(v.type, TensorType):
                for axis, n in enumerate(v.type.shape):
                    self._names.setdefault(n, (v, axis))

    def of(self, v: Variable) -> Space:
        """The space of `v`, whose inputs must have been asked for before."""
        space = self._known.get(v)
        if space is None:
            space = self._known[v] = self._found(v)
        return tuple(map(self.key, space))

    def size(self, size: Variable) -> Hashable:
        """The key of axes of this length, a scalar of the graph."""
        op = size.op
        if isinstance(op, Constant):
            return int(op.value)
        if isinstance(op, Length) and size.inputs[0] in self._known:
            return self.of(size.inputs[0])[op.axis]
        key = self._sizes.get(size)
        if key is None:
            key = self._computed(size)
            self._sizes[size] = key  # after what it takes for equal, which empties these
        return key

    def _computed(self, size: Variable) -> Hashable:
        kind = kind_of(size)
        if isinstance(kind, Pointwise) and kind.of == "broadcast_length":
            return self._merged(map(self.size, size.inputs))
        if isinstance(kind, Pointwise) and kind.of == "add":
            parts = [self.size(i) for i in size.inputs if isinstance(i.op, Length)]
            if (whole := joined(*parts)) is not None:
                return whole
        if isinstance(kind, Cut):
            if (rest := self._of_part(size)) is not None:
                return self.size(rest)
            n = self.size(size.inputs[0])
            if kind.part == _FIRST and self._is_share(size.inputs[1], n):
                return self.size(size.inputs[1])
            part, keys = self._from_the_end(kind.part, n, size.inputs[1:])
            return cut(part, n, keys)
        if isinstance(kind, Pointwise) and kind.of == "maximum":
            for one, other in (size.inputs, size.inputs[::-1]):
                if self.size(other) == 0 and more_than(self.size(one))[1]:
                    return self.size(one)  # the length of an arange, say
        base, more = and_a_number(size)
        if more > 0 and is_length(base):
            key, offset = more_than(self.size(base))
            if offset >= 0 or self._has(key, -offset):
                return changed(key, offset + more)
        return self.key(size)

    def _canonical(self, size: Variable, depth: int) -> Variable:
        """The same scalar, of one and the same length for all that are known to be equal."""
        if isinstance(size.op, Length) and size.inputs[0] in self._known:
            key = self.of(size.inputs[0])[size.op.axis]
            length: Variable = self.length(size.inputs[0], size.op.axis)
            if isinstance(key, tuple):
                self._standing[length] = key
            return self._lengths.setdefault(key, length)
        if size in self._standing:  # is made of lengths that it stands for
            return self._lengths.get(self.key(self._standing[size]), size)
        kind = kind_of(size)
        if not (depth and isinstance(kind, Pointwise | Cut)):
            return size
        inputs = [self._canonical(i, depth - 1) for i in size.inputs]
        if isinstance(kind, Cut):
            is_share = kind.part == _FIRST and self._is_share(inputs[1], self.size(inputs[0]))
            return inputs[1] if is_share else size
        if kind.of in ("minimum", "maximum") and inputs[0] is inputs[1]:
            return inputs[0]
        if kind.of == "add":
            for one, other in (inputs, inputs[::-1]):
                rest = kind_of(other)
                if isinstance(rest, Pointwise) and rest.of == "sub" and other.inputs[1] is one:
                    return other.inputs[0]
        changed = any(new is not old for new, old in zip(inputs, size.inputs, strict=True))
        return size.op(*inputs) if changed else size

    def _of_part(self, size: Variable) -> Variable | None:
        """The length of a part of a sum of lengths, for which others are known to be equal."""
        op: Any = size.op
        sizes: list[Any] = [self._canonical(i, _DEEPEST) for i in size.inputs]
        return length_of_part(op.part, sizes, lambda n: ask(n, facts.nonnegative) is True)

    def _from_the_end(
        self, part: Slice, n: Hashable, variables: Sequence[Variable]
    ) -> tuple[Slice, list[Hashable]]:
        """A slice without its variables that are the axis's length `n` less a number."""
        values, left = iter(variables), list[Hashable]()
        ends: list[int | str | None] = []
        for k, end in enumerate(part):
            if end != SCALAR:
                ends.append(end)
                continue
            value = next(values)
            offset = self._less(value, n) if k < _STEP else None
            if offset is None or (offset >= 0 and k != _STOP):
                left.append(self.size(value))
                ends.append(SCALAR)
            else:
                ends.append(None if offset >= 0 else offset)
        return Slice(*ends), left

    def _less(self, value: Variable, n: Hashable) -> int | None:
        """What `value` is more than `n`, if it is surely, or can be assumed to be, 0 or more."""
        base, more = and_a_number(value)
        (one, own), (other, offset) = more_than(self.size(base)), more_than(n)
        more += own - offset
        return more if one == other and min(own, offset) >= 0 and self._has(n, -more) else None

    def _is_share(self, value: Variable, n: Hashable) -> bool:
        """Whether `value` is n // 2 + 1 or the like, and surely, or assumed to be, at most `n`."""
        base, more = and_a_number(value)
        kind = kind_of(base)
        if isinstance(kind, Pointwise) and kind.of == "minimum" and more <= 0:
            return n in map(self.size, base.inputs)
        if not (isinstance(kind, Pointwise) and kind.of == "floor_div"):
            return False
        whole, divisor = (self.size(i) for i in base.inputs)
        if whole != n or not isinstance(divisor, int) or divisor < 2 or more < 0:
            return False
        return self._has(n, -(-more * divisor // (divisor - 1)))

    def _has(self, n: Hashable, least: int) -> bool:
        """Whether an axis of key `n` is surely, or can be assumed to be, so long or longer."""
        n, offset = more_than(n)
        least -= offset
        if least <= 0 or (isinstance(n, int) and n >= least):
            return True
        where = self.at_inputs(n)
        if not self._assume or where is None or isinstance(where, int):
            return False
        self.least[where] = max(least, self.least.get(where, 0))
        return True

    def inside(self, loop: Variable) -> Same:
        """What is known of the inputs of a loop's body by what it is given."""
        op: Any = loop.op
        facts: dict[Hashable, Hashable] = {}
        place_of: dict[Hashable, Hashable] = {}
        inner = op.body.graph.inputs
        for own, v, less, moves in zip(inner, loop.inputs[1:], op.mapped, op.moving, strict=True):
            if not (isinstance(v, TensorVariable) and isinstance(own, TensorVariable)):
                continue
            keys: list[tuple[Hashable, Hashable]] = [
                ((own, axis), key) for axis, key in enumerate(self.of(v)[less:])
            ]
            if own.type is SIZE and v.type is SIZE and not moves:
                keys.append((own, self.size(v)))
            for place, key in keys:
                same = put(key, place_of)
                if same is None:
                    place_of[key] = place
                else:
                    facts[place] = same
        return facts

    def _look_inside(self, loop: Variable) -> None:
        """Take for equal what meets in the body of a loop, as far as inputs tell these lengths."""
        op: Any = loop.op
        inner = op.body.graph.inputs
        given = dict(zip(inner, zip(loop.inputs[1:], op.mapped, strict=True), strict=True))
        same = self.inside(loop)
        asked = loop.op, frozenset(same.items())  # by each result of a loop, and of each around it
        if asked not in self._met:
            self._met[asked] = self._conditions_inside(op, same)
        for places in self._met[asked]:
            keys = [p if isinstance(p, int) else self._outside(p, given) for p in places]
            if None not in keys:
                self._merged(keys)

    def _conditions_inside(self, op: Any, same: Same) -> Sequence[tuple[Hashable, Hashable]]:
        """What a loop takes for equal of the inputs of its body."""
        graph = op.body.graph
        body = AxisEqualities(graph.inputs, assume=True, same=same)
        body._met = self._met
        for v in graph.order:
            if isinstance(v, TensorVariable):
                body.of(v)
        for state, after in zip(op.parts(graph.inputs).states, graph.outputs, strict=False):
            for lengths in zip(body.of(state), body.of(after), strict=True):
                body._merged(lengths)  # a state keeps its shape
        return body.conditions

    def _outside(self, place: Any, given: Mapping[Variable, tuple[Variable, bool]]) -> Hashable:
        """The key of an axis of an input of a body; None for what is no axis."""
        if not isinstance(place, tuple):
            return None
        (v, less), axis = given[place[0]], int(place[1])
        return self.of(v)[axis + less]

    def length(self, v: Any, axis: int) -> Any:
        """The length of an axis of `v` as a scalar of the graph, from an input if it is there."""
        key = self.of(v)[axis]
        where: Any = self.at_inputs(key)
        if isinstance(where, int):
            return constant(where, "int64")
        if isinstance(where, tuple):
            return lengths_of(where[0])[where[1]]
        if where is None:
            where = key if isinstance(key, Variable) else inferred_lengths(v)[axis]
        return lengths_of(v)[axis] if where is None else where

    def at_inputs(self, key: Any) -> Hashable:
        """Where a call finds the length: an int, an integer input, or (input, axis); or None."""
        if isinstance(key, int):
            return key
        if isinstance(key, Dim):
            return self._names.get(key)
        if isinstance(key, tuple):
            return key if key[0] in self._position else None
        return key if key in self._position else None

    def key(self, key: Hashable) -> Hashable:
        """What stands for all that is known to equal `key`."""
        if isinstance(key, frozenset):
            keys = self._flat(key)
            return next(iter(keys)) if len(keys) == 1 else keys
        while key in self._same:
            key = self._same[key]
        if isinstance(key, Slice):
            return key
        if isinstance(key, Variable):
            return self._key_of(key)
        if isinstance(key, tuple) and isinstance(key[0], str):
            how, *parts = key
            return how, *map(self.key, parts)
        return key

    def _key_of(self, size: Variable) -> Hashable:
        """The key of a scalar of the graph, found anew when more lengths are known to be equal."""
        if size not in self._keys:
            same = self._canonical(size, _DEEPEST)
            is_length = same is not size and isinstance(same.op, Length | Constant)
            self._keys[size] = self.size(same) if is_length else same
        return self._keys[size]

    def _found(self, v: Any) -> Space:
        shape = v.type.shape
        if self._assume and isinstance(v.op, Item) and isinstance(v.inputs[0].op, Recurrence):
            self._look_inside(v.inputs[0])
        if v in self._position or not v.inputs:
            return tuple([self._default(v, axis) for axis in range(len(shape))])
        kind = kind_of(v)
        if isinstance(kind, Pointwise) and not kind.positions:
            return tuple([self._broadcast(v, axis) for axis in range(len(shape))])
        if isinstance(kind, Seen) and not kind.stretched:
            source = self.of(v.inputs[0])
            return tuple([1 if a is None else source[a] for a in kind.axes])
        entries = kind.at if isinstance(kind, Scatter) and not callable(kind.at) else ()
        if self._assume and ARRAY in entries:
            change, part = self.of(v.inputs[1]), self.of(updated_part(v, entries))
            for lengths in zip(change[::-1], part[::-1], strict=False):
                self._merged(lengths)
        keys = [
            self._default(v, axis) if size is None or shape[axis] is not None else self.size(size)
            for axis, size in enumerate(inferred_lengths(v))
        ]
        if isinstance(kind, Seen):
            x = v.inputs[0]
            extra = v.ndim - x.ndim
            for axis, key in enumerate(self.of(x), extra):
                if key != 1 and not isinstance(self._merged([key, keys[axis]]), frozenset):
                    keys[axis] = self._merged([key, keys[axis]])
        return tuple(keys)

    def _default(self, v: Any, axis: int) -> Hashable:
        n: Hashable = v.type.shape[axis]
        return (v, axis) if n is None else n

    def _broadcast(self, v: Any, axis: int) -> Hashable:
        keys: list[Hashable] = []
        for i in v.inputs:
            own = axis - (v.ndim - i.ndim)
            if own >= 0:
                keys.append(self.of(i)[own])
        length: Hashable = v.type.shape[axis]
        if length is None:
            return self._merged(keys)
        if length != 1:
            self._merged([length, *keys])
        return length

    def _flat(self, keys: Iterable[Hashable]) -> frozenset[Hashable]:
        """The keys that stand for these, without 1."""
        flat: set[Hashable] = set()
        for key in keys:
            flat.update(map(self.key, key if isinstance(key, frozenset) else (key,)))
        return frozenset(flat - {1})

    def _merged(self, keys: Iterable[Hashable]) -> Hashable:
        """The key of what broadcasts to lengths of these keys; a set of keys if in doubt."""
        flat = self._flat(keys)
        if not flat:
            return 1
        if self._assume and (longer := wholes(flat)):
            self._merged(longer)
            flat = self._flat(flat)
        numbers = sum(isinstance(k, int) for k in flat)
        if len(flat) == 1:
            return next(iter(flat))
        if not self._assume or numbers > 1 or any(self.at_inputs(k) is None for k in flat):
            return flat
        first, *others = sorted(flat, key=lambda k: order(k, self.at_inputs(k), self._position))
        for other in others:
            self._same[other] = first
            self._keys.clear()
            self._sizes.clear()
            self.conditions.append((self.at_inputs(first), self.at_inputs(other)))
        return first


_FIRST: Final = Slice(None, SCALAR, None)
_DEEPEST: Final = 8
"""In so many Ops on numbers lengths are looked for."""
_STOP, _STEP = 1, 2
"""Parts of a slice."""
