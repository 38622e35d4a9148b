"""Names that users give: strings, and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from weft_graph import (
    Fact,
    In,
    Named,
    OpFromGraph,
    Rule,
    RuleBook,
    Type,
    any_constant,
    constant,
    function,
    shared,
    wildcard,
)

NAMED: list[Callable[[Any], Any]] = [
    Type(),
    Type().make_variable,
    lambda name: shared(Type(), 1, name),
    Type()("x").named,
    wildcard,
    any_constant,
    lambda name: function([In(Type()("x"), name=name)], [], mode="py"),
    lambda name: function({name: Type()("x")}, [], mode="py"),
    lambda name: OpFromGraph([], [constant(Type(), 1)], name=name),
    lambda name: Rule(Named, lambda node: None, name=name),
    lambda name: RuleBook(name, []),
    lambda name: Fact(name, "what it means"),
]


@pytest.mark.parametrize("make", NAMED)
@pytest.mark.parametrize("name", [3, ("n",), b"x", 0.5])
def test_a_name_is_a_string(make: Callable[[Any], Any], name: Any) -> None:
    with pytest.raises(TypeError, match=r"name of .* must be a string, not .* \(\w+\)"):
        make(name)


@pytest.mark.parametrize("make", [Type(), Type()("x").named])
def test_names_of_other_classes_of_strings_are_plain_ones(make: Callable[[Any], Any]) -> None:
    class Word(str):
        __slots__ = ()

    assert type(make(Word("mu")).name) is str
    assert Type()("x").named(Word("mu")).op is Named("mu")
