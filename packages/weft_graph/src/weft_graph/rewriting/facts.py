"""What is known of values before they are computed.

A `Fact` is a property that a value has or has not. `ask` answers True, False, or None for
"not known", from what rules, functions registered by Type and by Op, say of a node and its
inputs. Answers are kept as long as the variables live. `assume` adds what the user knows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib import import_module
from typing import Any
from weakref import WeakKeyDictionary

from weft_graph.autodiff.gradient import StopGradient
from weft_graph.core.argument_checks import as_name
from weft_graph.core.nodes import Named, Op, Type, Variable, apply
from weft_graph.ops.assume import Assumed
from weft_graph.ops.barrier import Barrier
from weft_graph.ops.effects import Assert, CheckAndRaise, Print

__all__ = ["Ask", "Fact", "ask", "assume", "facts_late"]

Answer = bool | None
Ask = Callable[[Any, "Fact"], Answer]
FactRule = Callable[[Any, Ask], Answer]
"""Gets a variable, and a function to ask about the variable's inputs."""
Kind = Op | type[Op] | type[Type]

_facts: dict[str, Fact] = {}
_late: list[str] = []
"""Modules with facts that nobody has asked for yet."""
_answers: WeakKeyDictionary[Variable, dict[Fact, Answer]] = WeakKeyDictionary()
_DEEP = 40
"""So many questions may wait for one another on Python's stack, all others on our own."""
_SEEN_THROUGH = (Assert, Assumed, Barrier, CheckAndRaise, Named, Print, StopGradient)


class Fact:
    """A property of values, with a name that is unique in the process.

    It is pickled by its name.

    Parameters
    ----------
    name
        An identifier: `assume` takes it as a keyword.
    meaning
        A sentence that says when exactly it holds.
    implies
        Facts that hold wherever this one does.
    excludes
        Facts that hold nowhere that this one does.
    about
        The class of Types whose values have the property.

    Raises
    ------
    ValueError
        if the name is no identifier, or that of another fact.

    Examples
    --------
    >>> from weft_graph import Op, Type
    >>> class Twice(Op):
    ...     def infer(self, x):
    ...         return x
    >>> whole = Fact("whole_for_example", "It is a whole number.")
    >>> even = Fact("even_for_example", "It is twice a whole number.", implies=[whole])
    >>> @even.register(Twice)
    ... def even_twice(node, ask):
    ...     return ask(node.inputs[0], whole) or None
    >>> x = Type()("x")
    >>> print(ask(Twice()(x), even))
    None
    >>> ask(Twice()(assume(x, whole_for_example=True)), even)
    True
    """

    name: str
    meaning: str
    about: type[Type]

    def __init__(
        self,
        name: str,
        meaning: str,
        *,
        implies: Iterable[Fact] = (),
        excludes: Iterable[Fact] = (),
        about: type[Type] = Type,
    ) -> None:
        if not as_name(name, "a fact").isidentifier():
            raise ValueError(f"the name of a fact must be an identifier, not {name!r}")
        _import_late()
        if name in _facts:
            raise ValueError(f"there is a fact {name} already ({_facts[name].meaning})")
        self.name = name
        self.meaning = meaning
        self.about = about
        weaker = dict.fromkeys([self])
        for fact in implies:
            weaker.update(fact._weaker)
        self._weaker: dict[Fact, None] = weaker
        self._stronger: dict[Fact, None] = {}
        self._against: dict[Fact, None] = {}
        self._rules: dict[Kind, FactRule] = {}
        self._found: dict[tuple[type[Type], Kind], tuple[FactRule, ...]] = {}
        for fact in list(weaker)[1:]:
            fact._stronger[self] = None
            self._against.update(fact._against)
        for fact in excludes:
            self._against.update({fact: None, **fact._stronger})
        for fact in self._against:
            fact._against[self] = None
        _facts[name] = self

    def register(self, *kinds: Kind) -> Callable[[FactRule], FactRule]:
        """A decorator: the function below speaks of these Ops, or of variables of these Types.

        Ops are given one by one or by their class, Types by their class. The function gets a
        variable and `ask`, for questions about the variable's inputs; it returns True, False
        or None. What Types say comes before what Ops say; registering again replaces.
        """

        def registered(rule: FactRule) -> FactRule:
            self._rules.update(dict.fromkeys(kinds, rule))
            self._found.clear()
            _answers.clear()
            return rule

        return registered

    def rules_for(self, x: Variable) -> tuple[FactRule, ...]:
        """The functions that may know about `x`, in order."""
        rules = self._rules
        kind = x.op if x.op in rules else type(x.op)
        key = type(x.type), kind
        result = self._found.get(key)
        if result is None:
            by_op = [kind] if isinstance(kind, Op) else kind.__mro__
            ways: list[Iterable[Any]] = [type(x.type).__mro__, by_op]
            nearest = [next((rules[k] for k in way if k in rules), None) for way in ways]
            result = self._found[key] = tuple(rule for rule in nearest if rule is not None)
        return result

    def __reduce__(self) -> tuple[object, ...]:
        return _fact, (self.name,)

    def __repr__(self) -> str:
        return self.name


def facts_late(module: str) -> None:
    """Say that `module` has facts: it is imported when the first fact is made, or named."""
    _late.append(module)


def _import_late() -> None:
    while _late:
        import_module(_late.pop())


def ask(x: Variable, fact: Fact | str) -> Answer:
    """Whether `fact` holds for every value that `x` may have: True, False, or None.

    False means that it holds for none of them; None, that it is not known.

    >>> short = Fact("short_for_example", "It has few letters.")
    >>> x = Type()("x")
    >>> print(ask(x, short), ask(assume(x, short_for_example=False), "short_for_example"))
    None False
    """
    question = _fact(fact)
    answer = _asked(x, question)
    return False if answer is None and _unlike(x, question) is not None else answer


def _unlike(x: Variable, fact: Fact) -> str | None:
    """What is known of `x` that tells that `fact` does not hold."""
    for f in fact._against:
        if _asked(x, f) is True:
            return repr(f)
    for f in fact._weaker:
        if _asked(x, f) is False:
            return f"not {f!r}"
    return None


def _asked(x: Variable, fact: Fact) -> Answer:
    """What rules say of the fact itself, or of one that implies it."""
    question = (x, fact)
    inquiry = _Inquiry()
    waiting = {question: None}
    while True:
        try:
            answer = inquiry(*question)
        except _TooDeepError as deeper:
            question = deeper.question
            if question in waiting:
                raise RecursionError(
                    f"the rules of {question[1]!r} ask in a circle about {question[0]!r}: "
                    "a rule may ask about the inputs of its node only"
                ) from None
            waiting[question] = None
        else:
            waiting.popitem()
            if not waiting:
                return answer
            question = next(reversed(waiting))


class _TooDeepError(Exception):
    """A question that must wait: Python's stack is not for the depth of graphs."""

    def __init__(self, x: Variable, fact: Fact) -> None:
        self.question = x, fact


class _Inquiry:
    """Asks, and remembers the answers."""

    def __init__(self) -> None:
        self.depth = 0

    def __call__(self, x: Any, fact: Fact) -> Answer:
        """What rules say of the fact, or of one that implies it."""
        answers = _answers.get(x)
        if answers is None:
            answers = _answers[x] = {}
        elif fact in answers:
            return answers[fact]
        if self.depth == _DEEP:
            raise _TooDeepError(x, fact)
        self.depth += 1
        try:
            answer = self.by_rules(x, fact)
            for f in fact._stronger if answer is None else ():
                if self.by_rules(x, f) is True:
                    answer = True
                    break
        finally:
            self.depth -= 1
        answers[fact] = answer
        return answer

    def by_rules(self, x: Variable, fact: Fact) -> Answer:
        """What is said of the fact itself, without what follows from others."""
        op = x.op
        if type(op) in _SEEN_THROUGH:
            assumption = dict(op.answers).get(fact.name) if isinstance(op, Assumed) else None
            answer = self(x.inputs[0], fact) if assumption is None else assumption
            if answer is not None:
                return answer
        for rule in fact.rules_for(x):
            answer = rule(x, self)
            if answer is not None:
                return answer
        return None


def assume(x: Any, **answers: bool) -> Any:
    """`x`, for which the facts named by keywords hold (True) or do not hold (False).

    Nothing checks the values: where they are otherwise, results may be wrong. Raises
    TypeError for a fact that there is not, or not about such values; ValueError where the
    facts contradict one another or what is known of `x`. What is known already need not
    be assumed: without anything new, the result is `x` itself.

    >>> sorted_ = Fact("sorted_for_example", "It is in order.")
    >>> y = assume(Type()("x"), sorted_for_example=True)
    >>> print(y)
    assume[sorted_for_example]
    >>> assume(y, sorted_for_example=True) is y
    True
    """
    if not isinstance(x, Variable):
        raise TypeError(f"assume takes a Variable, not {x!r}")
    if not answers:
        raise TypeError("assume needs facts as keywords, such as positive=True")
    facts = {_fact(name): holds for name, holds in answers.items()}
    for fact, holds in facts.items():
        if not isinstance(holds, bool):
            raise TypeError(f"assume: {fact!r} must be True or False, not {holds!r}")
        if not isinstance(x.type, fact.about):
            raise TypeError(f"{fact!r} is a fact about {fact.about.__name__}, not about {x!r}")
    _check_together(facts)
    new = {}
    for fact, holds in facts.items():
        answer = ask(x, fact)
        if answer is None:
            new[fact.name] = holds
        elif answer != holds:
            _refuse(x, fact, holds)
    return apply(Assumed(tuple(sorted(new.items()))), (x,)) if new else x


def _check_together(facts: dict[Fact, bool]) -> None:
    for fact, holds in facts.items():
        for other, other_holds in facts.items():
            against = other in fact._against if other_holds else other in fact._weaker
            if holds and against:
                raise ValueError(
                    f"can't assume both {fact!r}={holds} and {other!r}={other_holds}: "
                    f"{fact!r} {'excludes' if other_holds else 'implies'} {other!r}"
                )


def _refuse(x: Variable, fact: Fact, holds: bool) -> None:
    reason = _unlike(x, fact) if holds else repr(fact)
    raise ValueError(
        f"can't assume {fact!r}={holds} of {x!r}: it is known to be {reason}"
        + (f"\n  it was made at {x.made_at}" if x.made_at else "")
    )


def _fact(name: Fact | str) -> Fact:
    if isinstance(name, Fact):
        return name
    _import_late()
    if name not in _facts:
        raise TypeError(f"there is no fact {name!r}; there are {', '.join(sorted(_facts))}")
    return _facts[name]
