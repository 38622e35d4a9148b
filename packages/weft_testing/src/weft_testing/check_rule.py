"""`check_rule` and `check_book`: everything that is wrong with rules between tensors."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from weft_graph import FunctionGraph, Mode, Rule, RuleBook, Variable, audit, function, graph_inputs
from weft_graph.extend import FP_CHANGES
from weft_testing.drawing import KINDS, Arrays, array_of
from weft_testing.fp_difference import WRONG, fp_differences
from weft_testing.instances import Instance, applied, at_shapes, on_grids, same_at

__all__ = ["check_book", "check_rule", "contract_table"]

_LENGTHS: Final = (4, 3, 1, 0)
"""What lengths of examples that are not known are taken to be."""

_SHOWN: Final = 6
"""No more elements of inputs than this are shown."""

Example = Variable | tuple[Variable, Sequence[Any]]
"""An expression, alone or with values for its inputs in the order in which these appear."""
Phase = RuleBook | Callable[[FunctionGraph], FunctionGraph]


def check_rule(
    rule: Rule, examples: Iterable[Example] = (), numbers: Sequence[float] = ()
) -> frozenset[str]:
    """Check that both sides of a rule between tensors are equal, and say in what they are not.

    A left side that is a pattern is tried with wildcards of many dtypes and shapes, on all
    combinations of values, extreme ones, infinities and NaN among them. Examples are tried on
    such values for their inputs.

    Parameters
    ----------
    rule
        The rule.
    examples
        Expressions that it applies to. Needed where the left side is an Op, has classes of
        Ops, or asks for facts that neither inputs nor their `abs` or `exp` have. A pair of an
        expression and values for its inputs is computed for these values alone, as if no
        others had the properties that the expression assumes.
    numbers
        What wildcards are, instead of the usual values: for functions that have no right digits
        for some of these, so that the left side is no truth.

    Returns
    -------
    What the rule was seen to change: names of `weft_graph.extend.FP_CHANGES`, at most those that it
    declares in `may_change`. Nothing, if the sides are equal to the last bit.

    Raises
    ------
    AssertionError
        listing what is wrong: a loop; another type, dtype, shape or value on the right; an
        error there where the left has none; changes that the rule does not declare.

    Examples
    --------
    >>> import weft_tensor as wt
    >>> from weft_graph import wildcard
    >>> x = wildcard("x", kind=wt.TensorVariable)
    >>> check_rule(Rule(wt.abs(wt.abs(x)), wt.abs(x)))
    frozenset()
    >>> check_rule(Rule(wt.cos(-x), wt.cos(x), name="even"))
    Traceback (most recent call last):
    AssertionError: rule even changes the value: for np.uint8(1) the left side is ...
    """
    cases = list(examples)
    for example in cases:
        applied(rule, _node(example))
    instances = list(on_grids(rule, numbers))
    problems = audit(
        RuleBook("alone", [rule]),
        examples={rule.name: [*map(_node, cases), *(i.node for i in instances)]},
    )
    report = _Found(rule, numbers)
    if not problems:
        report.compare(instances, cases)
    problems += report.problems
    if problems:
        raise AssertionError("\n".join(problems))
    return frozenset(report.changes)


def check_book(
    book: RuleBook,
    *,
    earlier: Iterable[Phase] = (),
    examples: Mapping[str, Sequence[Example]] | None = None,
    numbers: Mapping[str, Sequence[float]] | None = None,
) -> dict[str, frozenset[str]]:
    """Check the rules of a book, each by itself and all together (see `audit`).

    Parameters
    ----------
    book
        The book.
    earlier
        The books and passes that are applied before it.
    examples, numbers
        By name of the rule, what `check_rule` needs.

    Returns
    -------
    For every rule, by name, what it was seen to change.

    Raises
    ------
    AssertionError
        listing all that is wrong.

    Examples
    --------
    >>> import weft_tensor as wt
    >>> from weft_graph import wildcard
    >>> x = wildcard("x", kind=wt.TensorVariable)
    >>> check_book(RuleBook("mine", [Rule(wt.abs(wt.abs(x)), wt.abs(x), name="abs abs")]))
    {'abs abs': frozenset()}
    """
    own_examples, values = examples or {}, numbers or {}
    changes: dict[str, frozenset[str]] = {}
    problems: list[str] = []
    places: dict[str, list[Variable]] = {}
    for r in book:
        places[r.name] = list(map(_node, own_examples.get(r.name, ())))
        try:
            for instance in on_grids(r, values.get(r.name, ())):
                places[r.name].append(instance.node)
            changes[r.name] = check_rule(r, own_examples.get(r.name, ()), values.get(r.name, ()))
        except AssertionError as error:
            problems += str(error).split("\n")
    places.update({name: [] for name in own_examples if name not in places})
    problems += audit(book, examples=places, earlier=earlier)
    if problems:
        raise AssertionError("\n".join(dict.fromkeys(problems)))
    return changes


def contract_table(book: RuleBook) -> str:
    """What the rules of a book may change, as a table in Markdown.

    >>> import weft_tensor as wt
    >>> from weft_graph import wildcard
    >>> x = wildcard("x", kind=wt.TensorVariable)
    >>> twice = Rule(wt.abs(wt.abs(x)), wt.abs(x), name="abs abs")
    >>> print(contract_table(RuleBook("mine", [twice])))
    | rule | may change |
    | --- | --- |
    | `abs abs` | nothing |
    """
    order = list(FP_CHANGES)
    rows = []
    for r in book:
        name = r.name.replace("|", r"\|")
        changes = ", ".join(sorted(r.may_change, key=order.index))
        rows.append(f"| `{name}` | {changes or 'nothing'} |")
    return "\n".join(["| rule | may change |", "| --- | --- |", *rows])


class _Compiled(NamedTuple):
    left: Callable[..., Any]
    right: Callable[..., Any]


class _Found:
    """What comparing both sides of a rule brings to light."""

    def __init__(self, rule: Rule, numbers: Sequence[float]) -> None:
        self.rule = rule
        self.numbers = numbers
        self.changes: set[str] = set()
        self._wrong: dict[str, str] = {}

    @property
    def problems(self) -> list[str]:
        """A sentence for each kind of what is wrong; one is enough where values are."""
        wrong = self._wrong
        texts = [wrong[WRONG]] if WRONG in wrong else wrong.values()
        return [f"rule {self.rule.name}{text}" for text in texts]

    def compare(self, instances: Sequence[Instance], examples: Sequence[Example]) -> None:
        """Compare at all instances and examples."""
        for instance in instances:
            truth = None
            if str(instance.bound[0].dtype) == "float32":
                precise = same_at(self.rule, "float64", instance, self.numbers)
                truth = precise and _evaluated(precise)
            compiled = self._compiled(instance.node, instance.inputs)
            self._at(compiled, instance.inputs, instance.values, instance.bound, truth=truth)
        for instance in instances[:1]:
            for shaped in at_shapes(self.rule, instance):
                compiled = self._compiled(shaped.node, shaped.inputs)
                self._at(compiled, shaped.inputs, shaped.values, shaped.bound)
        for example in examples:
            self._at_example(example)

    def _compiled(self, node: Variable, inputs: Sequence[Variable]) -> _Compiled:
        new = self.rule(node)
        return _Compiled(_plain(inputs, node), _plain(inputs, new))

    def _at_example(self, example: Example) -> None:
        node = _node(example)
        inputs = graph_inputs([node])
        compiled = self._compiled(node, inputs)
        evaluated = False
        for values in _drawn(inputs) if isinstance(example, Variable) else [_given(example)]:
            evaluated |= self._at(compiled, inputs, values, values, scale=_scale(values))
        if not evaluated:
            self._wrong["example"] = f": its example {node!r} fails for all drawn values"

    def _at(
        self,
        compiled: _Compiled,
        inputs: Sequence[Variable],
        values: Arrays,
        bound: Arrays,
        *,
        truth: np.ndarray | None = None,
        scale: float = 0.0,
    ) -> bool:
        """Compare at these values; False if the left side has none there."""
        with np.errstate(all="ignore"):
            try:
                left = compiled.left(*values)
            except (ValueError, IndexError, ZeroDivisionError, MemoryError):
                return False
            try:
                right = compiled.right(*values)
            except Exception as error:
                self.changes.add("error")
                if "error" not in self.rule.may_change:
                    text = f"the right side raises {type(error).__name__}: {error}"
                    self._report("error", text, inputs, values)
                return True
            if (left.dtype, left.shape) != (right.dtype, right.shape):
                sides = [f"{v.dtype}{v.shape}" for v in (left, right)]
                text = f"the left side is {sides[0]}, the right side {sides[1]}"
                self._report("shape", text, inputs, values)
                return True
            for name, where in fp_differences(left, right, bound, truth=truth, scale=scale):
                self._judge(self._known(name, left[where], truth), where, left, right, bound)
        return True

    def _known(self, name: str, left: np.ndarray, truth: np.ndarray | None) -> str:
        """What is different: where the truth is not known, as it was where it was known."""
        if name == "digits" and truth is None and name not in self.changes:
            return WRONG
        overflown = name == "smaller domain" and np.isinf(left).all()
        return "domain" if overflown and "domain" in self.changes else name

    def _judge(
        self, name: str, where: np.ndarray, left: np.ndarray, right: np.ndarray, bound: Arrays
    ) -> None:
        self.changes.add(name)
        if name in self.rule.may_change or name in self._wrong:
            return
        place = tuple(np.argwhere(where)[0])
        at = ", ".join(_shown(v, place, np.shape(left)) for v in bound)
        sides = f"for {at} the left side is {left[place]!r}, the right side {right[place]!r}"
        if name == WRONG:
            self._wrong[name] = f" changes the value: {sides}"
        else:
            self._wrong[name] = f" changes more than it declares, {name!r}: {sides}"

    def _report(self, kind: str, text: str, inputs: Sequence[Variable], values: Arrays) -> None:
        at = ", ".join(f"{v} {a.dtype}{a.shape}" for v, a in zip(inputs, values, strict=True))
        self._wrong.setdefault(kind, f": {text} (for {at})")


def _node(example: Example) -> Variable:
    return example if isinstance(example, Variable) else example[0]


def _given(example: tuple[Variable, Sequence[Any]]) -> list[np.ndarray]:
    return [np.asarray(value) for value in example[1]]


def _drawn(inputs: Sequence[Variable]) -> Iterator[list[np.ndarray]]:
    rng = np.random.default_rng(0)
    for length in _LENGTHS:
        for of in KINDS:
            yield [array_of(v.type, length, of, rng) for v in inputs]  # type: ignore[arg-type]  # a tensor


def _plain(inputs: Sequence[Variable], output: Variable | None) -> Callable[..., Any]:
    """`output` as a function, computed as it is written."""
    return function(list(inputs), output, mode=Mode("py", books=[]))


def _evaluated(instance: Instance) -> Any:
    with np.errstate(all="ignore"):
        return _plain(instance.inputs, instance.node)(*instance.values)


def _scale(values: Arrays) -> float:
    """The largest finite number among `values`."""
    floats = [np.abs(v[np.isfinite(v)]).max(initial=0.0) for v in values if v.dtype.kind in "fc"]
    return float(max(floats, default=0.0))


def _shown(value: np.ndarray, place: tuple[int, ...], shape: tuple[int, ...]) -> str:
    """The element of an input that belongs to a place of the result, or all of a small one."""
    try:
        return repr(np.broadcast_to(value, shape)[place])
    except ValueError:
        return np.array2string(value.ravel()[:_SHOWN], separator=", ")
