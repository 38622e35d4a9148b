"""The values of every variable in a graph, for given or drawn values of its inputs."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from weft_graph.core.constant import Constant, constant
from weft_graph.core.nodes import Item, Variable
from weft_graph.core.toposort import toposort
from weft_graph.linking.error_notes import node_note
from weft_graph.linking.python_linker import py_funcify
from weft_graph.observe.op_contract import check_result
from weft_graph.ops.assume import Assumed
from weft_graph.ops.effects import Print
from weft_graph.ops.shared import Shared, get_value
from weft_graph.rewriting.facts import ask
from weft_graph.rewriting.rule import RewriteError

__all__ = ["Sample", "VerificationError", "sampled"]

_ATTEMPTS = 60


class VerificationError(RewriteError):
    """A rule changed a result, or an Op returned what it did not declare."""

    __module__ = "weft_graph"


class Sample:
    """Values of inputs, and of all that is computed from them, each computed once.

    Raises VerificationError if an Op returns what is not of the type that it declared, or
    changes its inputs.

    >>> from weft_graph import Op, Type
    >>> class Twice(Op):
    ...     def infer(self, x):
    ...         return x
    ...     def impl(self, x):
    ...         return x + x
    >>> x = Type()("x")
    >>> Sample({x: "ha"}).value(Twice()(x))
    'haha'
    """

    def __init__(self, inputs: Mapping[Variable, Any]) -> None:
        self.values: dict[Variable, Any] = {}
        self._lengths: dict[str, tuple[int, Variable]] = {}
        for v, value in inputs.items():
            self._keep(v, value)

    def value(self, variable: Variable) -> Any:
        """The value of `variable`, by the Python implementations."""
        values = self.values
        for v in toposort([variable], values):
            if v not in values:
                try:
                    self._keep(v, _computed(v, values))
                except Exception as error:
                    if not isinstance(error, VerificationError):
                        error.add_note(node_note(v))
                    raise
        return values[variable]

    def check_assumptions(self) -> None:
        """Raise ValueError if a value is not what `assume` says of it."""
        for v, value in list(self.values.items()):
            for fact, holds in v.op.answers if isinstance(v.op, Assumed) else ():
                if ask(constant(v.type, value), fact) is (not holds):
                    claim = fact if holds else f"not {fact}"
                    raise ValueError(f"{v.inputs[0]} is assumed to be {claim}, and is {value!r}")

    def _keep(self, v: Variable, value: Any) -> None:
        _check(v, value)
        for symbol, where in v.type.symbols("value"):
            length = eval(where, {"value": value, "len": len})
            before, first = self._lengths.setdefault(symbol, (length, v))
            if before != length:
                raise VerificationError(
                    f"{v!r} has length {length} where its type says {symbol}, "
                    f"which is {before} in {first!r}\n{node_note(v)}"
                )
        self.values[v] = value


def sampled(
    variables: Iterable[Variable], outputs: Iterable[Variable], presets: Mapping[Variable, Any]
) -> Callable[[int], Sample]:
    """A function from a seed to a sample in which `outputs` can be computed.

    What is not preset and not shared is drawn, again and again until no Op refuses and what is
    assumed holds.
    """
    inputs, results = list(variables), list(outputs)
    values = {v: get_value(v) for v in inputs if isinstance(v.op, Shared)}
    values |= {v: v.type.filter(value) for v, value in presets.items()}

    def draw(seed: int) -> Sample:
        from random import Random  # slow to import, and needed for checks only

        refusal: Exception | None = None
        for attempt in range(_ATTEMPTS):
            random, lengths = Random(f"{seed} {attempt}"), dict[str, int]()
            draws = {v: v.type.draw(random, lengths) for v in inputs if v not in values}
            sample = Sample({v: values[v] if v in values else draws[v] for v in inputs})
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", RuntimeWarning)
                    for v in results:
                        sample.value(v)
                    sample.check_assumptions()
                return sample
            except (VerificationError, NotImplementedError):
                raise
            except Exception as error:
                if not draws:
                    raise
                refusal = error
        raise ValueError(
            f"no values that were drawn for {', '.join(map(str, draws))} suit the graph: give "
            f"some, as verify={{{next(iter(draws))}: value}}"
        ) from refusal

    return draw


def _computed(v: Variable, values: Mapping[Variable, Any]) -> Any:
    if isinstance(v.op, Constant):
        return v.op.value
    arguments = [values[i] for i in v.inputs]
    if isinstance(v.op, Print):
        return arguments[0]
    compute = v.op.impl if type(v.op) is Item else py_funcify(v.op, node=v)
    copies = [i.type.copy(value) for i, value in zip(v.inputs, arguments, strict=True)]
    result = compute(*arguments)
    for i, copy, value in zip(v.inputs, copies, arguments, strict=True):
        if copy is not value and not i.type.equal_values(copy, value):
            raise VerificationError(
                f"{v.op} changed the value of its input {i!r}: it must work on a copy\n"
                + node_note(v)
            )
    return result


def _check(v: Variable, value: Any) -> None:
    """Raise VerificationError if `value` is not what the Op of `v` declared."""
    try:
        check_result(v, value)
    except TypeError as error:
        raise VerificationError(str(error)) from error.__cause__
