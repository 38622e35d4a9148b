"""A loop in parts, of which some can be taken out of its body."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final
from weakref import WeakKeyDictionary

from weft_graph import Item, Variable, replace
from weft_graph.extend import toposort
from weft_rewrites.dsl.result import Result
from weft_tensor import Recurrence, TensorType
from weft_tensor.extend import is_batched, of_one_shape

__all__ = ["Place", "State", "Taken", "needed_of"]

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
    most: int | None = None
    """How many steps there are at most, if that is known."""
    names: dict[str, None] = field(default_factory=dict)
    """Those of the loops."""

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
        self.most = op.most if self.most is None else self.most
        if op.body.name:
            self.names[op.body.name] = None
        fresh: list[Any] = [u.type() for u in op.body.graph.inputs]
        inner, outer = op.parts(fresh), op.parts(inputs[1:])
        same: dict[Any, Any] = {}
        for mine, own, values in (
            (self.sequences, inner.sequences, outer.sequences),
            (self.others, inner.others, outer.others),
        ):
            elements = {value: element for element, value in mine.items()}
            for element, value in zip(own, values, strict=True):
                same[element] = elements.setdefault(value, element)
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

    @property
    def name(self) -> str | None:
        """The names of the loops."""
        return " and ".join(self.names) or None

    def change(self, new_of: Mapping[Any, Any] | Callable[[Any], Any]) -> None:
        """Put other expressions in the places of some, everywhere in the body."""
        results = [what for what, _ in self.wanted.values() if not isinstance(what, State)]
        roots = [*[s.after for s in self.states], *results]
        roots += [] if self.condition is None else [self.condition]
        replacements = iter(replace(roots, new_of))
        for s in self.states:
            s.after = next(replacements)
        for place, (what, whole) in self.wanted.items():
            if not isinstance(what, State):
                self.wanted[place] = next(replacements), whole
        self.condition = next(replacements, None)

    def unite_equal_states(self, joined: Callable[[list[Any]], Sequence[Any]]) -> None:
        """States that begin and go on alike are one: all that begin alike, until steps differ.

        `joined` gives expressions of which the inner loops over one range are one.
        """
        groups: dict[Any, list[State]] = {}
        for s in self.states:
            groups.setdefault(s.first, []).append(s)
        classes = list(groups.values())
        while True:
            first_of = {s.inner: same[0].inner for same in classes for s in same}
            afters = replace([s.after for same in classes for s in same], first_of)
            left = iter(joined(afters) if len(classes) < len(self.states) else afters)
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
        exprs = self.steps_and_results()
        self.change(dict(zip(exprs, joined(exprs), strict=True)))

    def drop_unused(self) -> bool:
        """States that nothing wanted depends on, and inputs that nothing is computed of.

        Whether an inner loop is still handed some of these states, at their first values.
        """
        used = self._used()
        idle = self._idle_states(used) if any(type(v.op) is Recurrence for v in used) else []
        if idle:
            self.others |= {s.inner: s.first for s in idle}
            self.states = [s for s in self.states if s not in idle]
            used = self._used()
        self.states = [s for s in self.states if s.inner in used]
        self.sequences = {e: x for e, x in self.sequences.items() if e in used}
        self.others = {e: x for e, x in self.others.items() if e in used}
        return bool(idle)

    def _used(self) -> set[Any]:
        """What is wanted, and all nodes that it is computed of, from step to step."""
        roots = self._wanted()
        used: set[Any] = set()
        while roots:
            nodes = set(toposort(roots, used)) - used
            used |= nodes
            roots = [s.after for s in self.states if s.inner in nodes]
        return used

    def _wanted(self) -> list[Any]:
        roots = [
            what.inner if isinstance(what, State) else what for what, _ in self.wanted.values()
        ]
        return roots if self.condition is None else [*roots, self.condition]

    def _idle_states(self, used: set[Any]) -> list[State]:
        """States that inner loops hand on, and nothing else needs."""
        roots = self._wanted()
        needed: set[Any] = set()
        while not needed.issuperset(roots):
            needed = needed_of(roots, toposort(roots))[0]
            roots += [s.after for s in self.states if s.inner in needed]
        return [s for s in self.states if s.inner in used and s.inner not in needed]

    def inputs(self) -> list[Any]:
        """What the loop is computed of."""
        firsts = [s.first for s in self.states]
        return [self.steps, *self.sequences.values(), *firsts, *self.others.values()]

    def results(self) -> list[Any]:
        """The expressions of the body that are wanted of each step."""
        expressions = [what for what, _ in self.wanted.values() if not isinstance(what, State)]
        expressions += [y for _, y in self.sums.values()]
        expressions += [factor for _, *factors in self.products.values() for factor in factors]
        return expressions if self.condition is None else [*expressions, self.condition]

    def of_one_shape(self, values: Sequence[Any]) -> set[Any]:
        """Those of the body's expressions that surely have one shape in all steps."""
        moving = [*self.sequences, *[s.inner for s in self.states]]
        return of_one_shape(values, moving, list(self.others))

    def border(self, order: Sequence[Any], inside: set[Any]) -> list[Any]:
        """Of what is `inside`, that which others use, or which is wanted."""
        used = {i for v in order if v not in inside for i in v.inputs}
        used |= {s.after for s in self.states} | set(self.results())
        return [v for v in order if v in inside and v in used]

    def put_in(self, border: Sequence[Any], values: Sequence[Any]) -> None:
        """Expressions of the body become inputs, of values that are computed outside."""
        new_of = {v: v.type() for v in border}
        for v, value in zip(border, values, strict=True):
            inputs = self.sequences if is_batched(value, v) else self.others
            inputs[new_of[v]] = value
        self.change(new_of)
        self.drop_unused()

    def steps_and_results(self) -> list[Any]:
        """What a step makes of states, and the expressions that are wanted of it."""
        return [*[s.after for s in self.states], *self.results()]


_needed: Final[WeakKeyDictionary[Recurrence, dict[tuple[int, ...], list[int]]]] = (
    WeakKeyDictionary()
)


def _needed_inputs(v: Result[Recurrence], places: tuple[int, ...]) -> list[Any]:
    """What a loop is computed of that some of its results need.

    That is asked again of each copy of a loop, as copies of loops around it are made.
    """
    known = _needed.setdefault(v.op, {})
    if places not in known:
        each = [i.type() for i in v.inputs]
        taken = Taken.of(v, each, places)
        taken.drop_unused()
        needed = set(taken.inputs())
        known[places] = [k for k, i in enumerate(each) if i in needed]
    return [v.inputs[k] for k in known[places]]


def needed_of(roots: Sequence[Any], order: Sequence[Any]) -> tuple[set[Any], dict[Any, list[int]]]:
    """Of the nodes in `order`, those that `roots` need; and which results of loops.

    A loop whose results are not told apart is not among the latter.
    """
    needed: set[Any] = set(roots)
    whole = {v for v in roots if not isinstance(v.type, TensorType)}
    places: dict[Any, set[int]] = {}
    used_places: dict[Any, list[int]] = {}
    for v in reversed(order):
        if v not in needed:
            continue
        if type(v.op) is Item and type(v.inputs[0].op) is Recurrence:
            places.setdefault(v.inputs[0], set()).add(v.op.index)
            needed.add(v.inputs[0])
        elif type(v.op) is Recurrence and v not in whole:
            used_places[v] = sorted(places.get(v, {0}))
            needed.update(_needed_inputs(v, tuple(used_places[v])))
        else:
            needed.update(v.inputs)
            whole.update([i for i in v.inputs if not isinstance(i.type, TensorType)])
    return needed, used_places
