"""A loop in parts: what can be taken out of its body, and what is left of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from weft_graph import Apply, Constant, Item, OpFromGraph, TupleType, Variable, ancestors, replace
from weft_graph.extend import toposort
from weft_rewrites.dsl.result import Result
from weft_rewrites.ops.control.map import is_whole
from weft_tensor import BroadcastTo, Elemwise, Map, Matmul, Recurrence, Sum
from weft_tensor.extend import applied, batched, is_batched, lengths_of, repeated

__all__ = ["Place", "State", "Taken"]

Place = tuple[Variable, int]
"""A node that is a loop, and the number of one of its results."""


@dataclass(eq=False)
class State:
    """A state: the input of the body, its first value, and what a step makes of it."""

    inner: Any
    first: Any
    after: Any


@dataclass
class Taken:
    """Loops over one range that are taken apart, to be put together as one."""

    steps: Any
    backwards: bool
    conditional: bool
    place: Any
    sequences: dict[Any, Any] = field(default_factory=dict)
    """By the input of the body that is its element."""
    others: dict[Any, Any] = field(default_factory=dict)
    """What is the same for all steps, by the input of the body."""
    states: list[State] = field(default_factory=list)
    wanted: dict[Place, tuple[State | Any, bool]] = field(default_factory=dict)
    """States, or expressions of the body; whether all values of a state are wanted."""
    sums: dict[Place, tuple[Any, Any]] = field(default_factory=dict)
    """First values, and expressions of the body that are added to them in each step."""
    products: dict[Place, tuple[Any, Any, Any]] = field(default_factory=dict)
    """First values, and matrices of the body of which a product is added in each step."""
    counts: list[Place] = field(default_factory=list)
    """Where the number of steps is wanted that a conditional loop made."""
    condition: Any = None

    @classmethod
    def of(cls, v: Result[Recurrence], inputs: Sequence[Any], places: Sequence[int]) -> Taken:
        """The loop of the node `v`, of whose results those at `places` are used."""
        op = v.op
        taken = cls(inputs[0], op.backwards, op.conditional, v.place)
        taken.add(v, inputs, places)
        return taken

    def add(self, v: Result[Recurrence], inputs: Sequence[Any], places: Sequence[int]) -> None:
        """Take the body of another loop over the same range besides."""
        op = v.op
        fresh: list[Any] = [u.type() for u in op.body.graph.inputs]
        inner, outer = op.parts(fresh), op.parts(inputs[1:])
        same: dict[Any, Any] = {}
        for mine, own, given in (
            (self.sequences, inner.sequences, outer.sequences),
            (self.others, inner.others, outer.others),
        ):
            known = {value: element for element, value in mine.items()}
            for element, value in zip(own, given, strict=True):
                same[element] = known.setdefault(value, element)
                mine[same[element]] = value
        outputs: Sequence[Any] = replace(op.body.body(fresh), same)
        count = len(op.kept)
        states = [
            State(*parts) for parts in zip(inner.states, outer.states, outputs[:count], strict=True)
        ]
        self.states += states
        if self.conditional:
            self.condition = outputs[count]
        for k in places:
            if k < count:
                self.wanted[v, k] = states[k], op.kept[k]
            elif self.conditional:
                self.counts.append((v, k))
            else:
                self.wanted[v, k] = outputs[k], False

    def change(self, new_of: Mapping[Any, Any]) -> None:
        """Put other expressions in the places of some, everywhere in the body."""
        results = [what for what, _ in self.wanted.values() if not isinstance(what, State)]
        roots = [*[s.after for s in self.states], *results]
        roots += [] if self.condition is None else [self.condition]
        made = iter(replace(roots, dict(new_of)))
        for s in self.states:
            s.after = next(made)
        for place, (what, whole) in self.wanted.items():
            if not isinstance(what, State):
                self.wanted[place] = next(made), whole
        self.condition = next(made, None)

    def unite_equal_states(self) -> None:
        """States that begin and go on alike are one: all that begin alike, until steps differ."""
        groups: dict[Any, list[State]] = {}
        for s in self.states:
            groups.setdefault(s.first, []).append(s)
        classes = list(groups.values())
        while True:
            first_of = {s.inner: same[0].inner for same in classes for s in same}
            afters = replace([s.after for same in classes for s in same], first_of)
            left = iter(afters)
            finer: list[list[State]] = []
            for same in classes:
                parts: dict[Any, list[State]] = {}
                for s in same:
                    parts.setdefault(next(left), []).append(s)
                finer += parts.values()
            if len(finer) == len(classes):
                break
            classes = finer
        if len(classes) == len(self.states):
            return
        kept_of = {s: same[0] for same in classes for s in same}
        self.states = [same[0] for same in classes]
        for place, (what, whole) in self.wanted.items():
            if isinstance(what, State):
                self.wanted[place] = kept_of[what], whole
        self.change(first_of)

    def drop_unused(self) -> None:
        """States that nothing wanted depends on, and inputs that nothing is computed of."""
        roots = [
            what.inner if isinstance(what, State) else what for what, _ in self.wanted.values()
        ]
        roots += [] if self.condition is None else [self.condition]
        used: set[Any] = set()
        while roots:
            found = set(toposort(roots, used)) - used
            used |= found
            roots = [s.after for s in self.states if s.inner in found]
        self.states = [s for s in self.states if s.inner in used]
        self.sequences = {e: x for e, x in self.sequences.items() if e in used}
        self.others = {e: x for e, x in self.others.items() if e in used}

    def inputs(self) -> list[Any]:
        """What the loop is computed of."""
        firsts = [s.first for s in self.states]
        return [self.steps, *self.sequences.values(), *firsts, *self.others.values()]

    def results(self) -> list[Any]:
        """The expressions of the body that are wanted of each step."""
        found = [what for what, _ in self.wanted.values() if not isinstance(what, State)]
        found += [y for _, y in self.sums.values()]
        found += [factor for _, *factors in self.products.values() for factor in factors]
        return found if self.condition is None else [*found, self.condition]

    def take_out_what_never_changes(self) -> None:
        """What depends on nothing that changes from step to step is computed before the loop."""
        for e, x in list(self.sequences.items()):
            if isinstance(x.op, BroadcastTo) and x.inputs[0].ndim <= e.ndim:
                value, _, *sizes = x.inputs
                self.others[e] = value.broadcast_to(sizes) if sizes else value
                del self.sequences[e]
        order = toposort([*[s.after for s in self.states], *self.results()])
        same = set(self.others)
        moving = {*self.sequences, *[s.inner for s in self.states]}
        for v in order:
            if (
                v not in moving
                and v not in same
                and same.issuperset([i for i in v.inputs if not isinstance(i.op, Constant)])
            ):
                same.add(v)
        border = [
            v
            for v in self._border(order, same)
            if v not in self.others and not isinstance(v.op, Constant)
        ]
        self._replace(border, replace(border, self.others))

    def take_out_what_comes_before(self) -> None:
        """What depends on elements of sequences only is computed of whole sequences, before.

        Not so if it has more axes than these: of all elements it may not fit into memory.
        """
        order: Sequence[Any] = toposort([*[s.after for s in self.states], *self.results()])
        rank = {e: e.type.ndim for e in self.sequences}
        free = {*self.others, *self.sequences}
        for v in order:
            if v in free or isinstance(v.op, Constant):
                free.add(v)
                continue
            ranks = [rank[i] for i in v.inputs if i in rank]
            if not ranks or not free.issuperset(v.inputs) or not is_whole(v):
                continue
            if v.type.ndim <= max(ranks):
                free.add(v)
                rank[v] = max(ranks)
        border = [v for v in self._border(order, free) if v in rank and v not in self.sequences]
        if border:
            made = batched(border, {**self.sequences, **self.others})
            self._replace(border, made)

    def _border(self, order: Sequence[Any], inside: set[Any]) -> list[Any]:
        """Of what is `inside`, that which others use, or which is wanted."""
        used = {i for v in order if v not in inside for i in v.inputs}
        used |= {s.after for s in self.states} | set(self.results())
        return [v for v in order if v in inside and v in used]

    def _replace(self, border: Sequence[Any], values: Sequence[Any]) -> None:
        """Expressions of the body become inputs, of values that are computed outside."""
        new_of = {v: v.type() for v in border}
        for v, value in zip(border, values, strict=True):
            inputs = self.sequences if is_batched(value, v) else self.others
            inputs[new_of[v]] = value
        self.change(new_of)
        self.drop_unused()

    def _batched(self, outputs: Sequence[Any], given: Mapping[Any, Any]) -> list[Any]:
        made = batched(outputs, given)
        return [repeated(v, old, self.steps) for v, old in zip(made, outputs, strict=True)]

    def take_out_sums(self) -> None:
        """A state to which each step adds what does not depend on it is a sum.

        That is, of numbers and of sums: others, of all steps, may not fit into memory. The sum of
        products of matrices is one product, of what lies side by side.
        """
        results = self.results()
        users: dict[Any, int] = {}
        for v in toposort([*[s.after for s in self.states], *results]):
            for i in v.inputs:
                users[i] = users.get(i, 0) + 1
        for s in list(self.states):
            places = [p for p, (what, _) in self.wanted.items() if what is s]
            whole = any(self.wanted[p][1] for p in places)
            added = _added(s)
            if added is None or whole or users[s.inner] > 1 or s.inner in results:
                continue
            self.states.remove(s)
            for place in places:
                del self.wanted[place]
                if isinstance(added.op, Matmul):
                    self.products[place] = (s.first, *added.inputs)
                else:
                    self.sums[place] = s.first, added

    def finished(self) -> dict[Place, Any]:
        """What is wanted, by a loop of what must be in it, and whole arrays after it."""
        after = self._after()
        inner = [y for y in dict.fromkeys(self.results()) if y not in after]
        core = _with_items(
            toposort([*[s.after for s in self.states], *inner]), toposort(list(after))
        )
        order = toposort(list(after), core)
        border = [
            v
            for v in order
            if (v in core or v in self.sequences or v in self.others)
            and not isinstance(v.type, TupleType)
        ]
        begun = {s.inner: s for s in self.states}
        ended = {s.after: s for s in self.states}
        whole = {s for what, w in self.wanted.values() if w for s in [what]}
        whole |= {begun[v] for v in border if v in begun}
        whole |= {ended[v] for v in border if v in ended}
        stacked = [
            v
            for v in border
            if not (v in self.sequences or v in self.others or v in begun or v in ended)
            and not isinstance(v.op, Constant)
        ]
        inner = list(dict.fromkeys([*inner, *stacked]))
        made = self._loop(whole, inner)
        traces = dict(zip(self.states, made, strict=False))
        rows = dict(zip(inner, made[len(self.states) :], strict=False))
        early, late = slice(None, -1), slice(1, None)
        if self.backwards:
            early, late = late, early
        given = {**self.sequences, **self.others}
        given |= {v: traces[begun[v]][early] for v in border if v in begun}
        given |= {v: traces[ended[v]][late] for v in border if v in ended and v not in begun}
        given |= {v: rows[v] for v in stacked}
        lifted = list(after)
        rows |= dict(zip(lifted, self._batched(lifted, given), strict=True)) if lifted else {}
        results: dict[Place, Any] = {}
        for place, (what, w) in self.wanted.items():
            if not isinstance(what, State):
                results[place] = rows[what]
            elif what in whole and not w:
                results[place] = traces[what][0 if self.backwards else -1]
            else:
                results[place] = traces[what]
        for place, (first, y) in self.sums.items():
            total = applied(Sum((0,)), (rows[y],), self.place).astype(first.dtype)
            results[place] = first + total
        for place, (first, left, right) in self.products.items():
            results[place] = first + _product(rows[left], rows[right])
        results.update({place: made[len(self.states)] for place in self.counts})
        return results

    def together(self) -> dict[Place, Any]:
        """What is wanted, by one loop."""
        inner = list(dict.fromkeys(self.results()))
        whole = {what for what, w in self.wanted.values() if w}
        made = self._loop(whole, inner)
        values = dict(zip([*self.states, *inner], made, strict=True))
        return {
            place: values[what][0 if self.backwards else -1]
            if what in whole and not w
            else values[what]
            for place, (what, w) in self.wanted.items()
        }

    def _after(self) -> dict[Any, None]:
        """The results that need not be in the loop: Ops of whole arrays make them after it.

        What is kept of each step for this has no more axes than the result.
        """
        if self.conditional:
            return {}
        core = _with_items(toposort([s.after for s in self.states]), toposort(self.results()))
        core |= {*self.sequences, *self.others, *[s.inner for s in self.states]}
        found: dict[Any, None] = {}
        for y in dict.fromkeys(self.results()):
            nodes: Sequence[Any] = toposort([y], core)
            own = [v for v in nodes if v not in core and not isinstance(v.op, Constant)]
            border = [v for v in nodes if v in core and v not in self.others]
            rank = max([y.type.ndim, *[v.type.ndim for v in border if v in self.sequences]])
            if all(is_whole(v) and v.type.ndim <= rank for v in own) and all(
                v.type.ndim <= rank for v in border
            ):
                found[y] = None
        return found

    def _loop(self, whole: set[Any], results: Sequence[Any]) -> Sequence[Any]:
        """The loop of what is left; none if nothing is."""
        if not self.states and not results:
            return []
        exprs = [*[s.after for s in self.states], *results]
        used = set(ancestors(exprs))
        sequences = [e for e in self.sequences if e in used]
        others = [e for e in self.others if e in used]
        inner = [*sequences, *[s.inner for s in self.states], *others]
        body = OpFromGraph(inner, exprs, inline=False)
        given = [
            *[self.sequences[e] for e in sequences],
            *[s.first for s in self.states],
            *[self.others[e] for e in others],
        ]
        if not self.states and sequences and not self.conditional:
            mapped = tuple([e in self.sequences for e in inner])
            op: Any = Map(body, mapped, (False,) * len(results))
        else:
            kept = tuple([s in whole for s in self.states])
            op = Recurrence(body, len(sequences), kept, self.backwards, self.conditional)
            given = [self.steps, *given]
        return Apply.of(applied(op, tuple(given), self.place)).outputs


def _with_items(inside: Sequence[Any], order: Sequence[Any]) -> set[Any]:
    """What is `inside`, and, in `order`, each of several results of an Op that is."""
    found = set(inside)
    found.update(v for v in order if type(v.op) is Item and v.inputs[0] in found)
    return found


def _product(left: Any, right: Any) -> Any:
    """The sum of the products of matrices, along the first axis of both."""
    n, rows, inner = lengths_of(left)
    columns = lengths_of(right)[2]
    beside = left.transpose((1, 0, 2)).reshape((rows, n * inner))
    return Matmul()(beside, right.reshape((n * inner, columns)))


def _added(s: State) -> Any:
    """What is added to a state, if that is all that happens to it, and if it can be summed."""
    v = s.after
    if not isinstance(v.op, Elemwise) or v.op.name != "add" or s.inner not in v.inputs:
        return None
    left, right = v.inputs
    other = right if left is s.inner else left
    is_product = isinstance(other.op, Matmul) and all(i.type.ndim == 2 for i in other.inputs)
    if v.type.ndim and (other.type != v.type or not (is_product or isinstance(other.op, Sum))):
        return None
    return None if s.inner in ancestors([other]) else other
