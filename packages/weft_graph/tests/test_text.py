"""The text form: what is written, and that it is read back as the same graph."""

from __future__ import annotations

import enum
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from typing import Any, NamedTuple

import pytest

from weft_graph import (
    FunctionGraph,
    GraphTextError,
    Op,
    OpFromGraph,
    Type,
    constant,
    diff,
    from_text,
    large_constants,
    stop_gradient,
    to_text,
)
from weft_graph.extend import Interned


class Span(NamedTuple):
    start: int
    stop: int | None


class Colour(enum.Enum):
    RED = 1


@dataclass(frozen=True)
class Spot:
    colour: Colour


class Weight(Interned):
    kilograms: float


class Painted(Op):
    """Parameters of every kind."""

    what: Any

    def infer(self, *types: Type) -> Type:
        return types[0]


class Pair(Op):
    """Two inputs, of any type."""

    def infer(self, *types: Type) -> Type:
        return types[0]


class Word(Type):
    """Strings; one may be required to begin in a certain way."""

    beginning: str = ""

    def spelling(self) -> str:
        return f"word[{self.beginning}]"

    @classmethod
    def from_spelling(cls, text: str) -> Word | None:
        return cls(text[5:-1]) if text.startswith("word[") else None


class Slogan(Word):
    """Has no spelling of its own."""


ReadAgain = Callable[..., None]


@pytest.fixture
def read_again(calc: Any) -> ReadAgain:
    """Reads a graph's text, and checks that it is the graph itself over its inputs."""

    def check(graph: FunctionGraph, names: Sequence[type] = ()) -> None:
        text = to_text(graph)
        found = {**vars(calc), **{kind.__name__: kind for kind in names}}
        constants = large_constants(graph)
        again = from_text(text, inputs=graph.inputs, constants=constants, names=found)
        assert again == graph
        assert to_text(again) == text
        anew = from_text(text, constants=constants, names=found)
        assert to_text(anew) == text
        assert diff(graph, anew) == ""

    return check


def test_one_line_a_node(x: Any, y: Any, calc: Any, read_again: ReadAgain) -> None:
    mu = (x * 2.0).named("mu")
    total, product = calc.SumAndProduct()(mu, y)
    graph = FunctionGraph([y, x], [calc.Power(2)(total + mu), -product, mu])
    assert to_text(graph) == (
        "y = input : Number\n"
        "x = input : Number\n"
        "mu = Mul(x, 2.0:Number) : Number\n"
        "%0 = SumAndProduct(mu, y) : (Number, Number)\n"
        "%1 = %0[0] : Number\n"
        "%2 = Add(%1, mu) : Number\n"
        "%3 = Power(exponent=2)(%2) : Number\n"
        "%4 = %0[1] : Number\n"
        "%5 = Neg(%4) : Number\n"
        "return %3, %5, mu"
    )
    read_again(graph)


def test_names_that_can_not_stand_at_the_left(x: Any, calc: Any, read_again: ReadAgain) -> None:
    number = calc.Number()
    inputs = [number("x"), number("x"), number("return"), number("a b"), number(), number("a·b")]
    total = sum(inputs[1:], inputs[0])
    graph = FunctionGraph(inputs, [total.named("x").named("y"), (-total).named("y"), total])
    text = to_text(graph)
    assert text.splitlines()[:6] == [
        "x = input : Number",
        "%0 = input('x') : Number",
        "%1 = input('return') : Number",
        "%2 = input('a b') : Number",
        "%3 = input : Number",
        "%4 = input('a·b') : Number",
    ]
    assert text.splitlines()[-4:] == [
        "y = Named(name='x')(%9) : Number",
        "%10 = Neg(%9) : Number",
        "%11 = Named(name='y')(%10) : Number",
        "return y, %11, %9",
    ]
    read_again(graph)
    assert [v.name for v in from_text(text, names=vars(calc)).inputs] == [v.name for v in inputs]


def test_a_name_stands_before_what_is_used_by_that_name_alone(
    x: Any, read_again: ReadAgain
) -> None:
    minus = -x
    shared = [minus.named("m"), minus]
    assert to_text(FunctionGraph([x], shared)).splitlines()[1:] == [
        "%0 = Neg(x) : Number",
        "m = %0 : Number",
        "return m, %0",
    ]
    twice = FunctionGraph([x], [x.named("a"), minus.named("b").named("c")])
    assert to_text(twice).splitlines()[1:] == [
        "a = x : Number",
        "b = Neg(x) : Number",
        "c = b : Number",
        "return a, c",
    ]
    read_again(FunctionGraph([x], shared))
    read_again(twice)


def test_a_graph_is_cut_at_its_inputs(x: Any, read_again: ReadAgain) -> None:
    middle = (-x).named("middle")
    graph = FunctionGraph([middle], [middle + middle])
    assert to_text(graph).splitlines()[0] == "middle = input : Number"
    read_again(graph)


@pytest.mark.parametrize(
    "value",
    [2, -3, 2.5, -0.0, 1e300, math.inf, -math.inf, 10**40, 1e-7],
    ids=repr,
)
def test_numbers_stand_in_place(value: Any, calc: Any, x: Any, read_again: ReadAgain) -> None:
    c = calc.number(value)
    graph = FunctionGraph([x], [x + c, c, c.named("c")])
    assert to_text(graph).splitlines()[1] == f"%0 = Add(x, {value!r}:Number) : Number"
    read_again(graph)


@pytest.mark.parametrize(
    "value",
    [
        True, "it's", 'say "it\'s"', "a\nb\\", b"\x00'", 1 + 2j, complex(-0.0, math.inf),
        (1, ("a", None)), (), (3,), frozenset({1, 2}), frozenset(), "(", "# {",
    ],
    ids=repr,
)  # fmt: skip
def test_plain_values_in_constants_and_parameters(value: Any, read_again: ReadAgain) -> None:
    x = Type()("x")
    read_again(FunctionGraph([x], [Painted(value)(x, constant(Type(), value))]))


OF_CLASSES = pytest.mark.parametrize(
    "value",
    [
        Span(1, None),
        (Span(0, 2), "a"),
        Colour.RED,
        Spot(Colour.RED),
        Weight(0.5),
        Word("b"),
        Type(),
        Pair(),
        Painted(Painted(Span(1, 2))),
        Pair,
        math.sin,
        test_a_graph_is_cut_at_its_inputs,
    ],
)


@OF_CLASSES
def test_parameters_that_are_values_of_classes(value: Any, read_again: ReadAgain) -> None:
    x = Type()("x")
    read_again(FunctionGraph([x], [Painted(value)(x)]))


class Opened(Type):
    """Holds what is in a list of one, and takes no value of its own."""

    def filter(self, value: Any) -> Any:
        if isinstance(value, Held):
            return value
        return Held(value.pop())


@dataclass(frozen=True)
class Held:
    content: object


@OF_CLASSES
def test_constants_that_are_values_of_classes(value: Any, read_again: ReadAgain) -> None:
    """Wherever one may stand: among inputs, at the right side, as a result, in inner graphs."""
    x, c = Type()("x"), constant(Type(), value)
    name = type(value).__name__
    inner = OpFromGraph([x], [Pair()(x, c), c])(x)
    looks_like_it = Type()(name), Type()(Span.__module__), Type()(value.__class__.__module__)
    named = Painted("named")(c.named("c"))
    graph = FunctionGraph([x, *looks_like_it], [Pair()(c, x), named, c.named("d"), c, *inner])
    read_again(graph)
    assert large_constants(graph) == {}
    graph = FunctionGraph([x], [Pair()(x, constant(Opened(), [value]))])
    read_again(graph)


@pytest.mark.parametrize("value", [Fraction(1, 3), (Fraction(1, 3), 2), date(2020, 2, 29), None])
def test_constants_of_other_classes_are_left_out(value: Any, read_again: ReadAgain) -> None:
    x = Type()("x")
    graph = FunctionGraph([x], [Pair()(x, constant(Type(), value))])
    assert large_constants(graph) == {"$0": value}
    read_again(graph)


def test_types_are_written_as_they_spell_themselves(calc: Any, read_again: ReadAgain) -> None:
    x, bag = Word("a")("x"), calc.Bag("n")("bag")
    graph = FunctionGraph([x, bag], [Pair()(x, constant(Word(), "b")), bag])
    assert to_text(graph) == (
        "x = input : word[a]\n"
        "bag = input : Bag(length='n')\n"
        "%0 = Pair(x, 'b':word[]) : word[a]\n"
        "return %0, bag"
    )
    read_again(graph)
    slogan = Slogan("a")("s")
    assert to_text(slogan).splitlines()[0] == "s = input : Slogan(beginning='a')"
    read_again(FunctionGraph(outputs=[slogan]))


def test_large_constants_are_given_by_name(calc: Any, read_again: ReadAgain) -> None:
    values = [list(range(1000)), list(range(2000))]
    first, second = (constant(calc.Bag(), value) for value in values)
    graph = FunctionGraph([], [Pair()(first, second), Pair()(second, first)])
    text = to_text(graph)
    assert text.splitlines()[0].startswith("$0 = constant('")
    assert text.splitlines()[2:] == [
        "%0 = Pair($0, $1) : Bag(length=None)",
        "%1 = Pair($1, $0) : Bag(length=None)",
        "return %0, %1",
    ]
    assert large_constants(graph) == {"$0": values[0], "$1": values[1]}
    read_again(graph)
    other = FunctionGraph([], [Pair()(first, constant(calc.Bag(), values[0][::-1]))])
    assert to_text(other).splitlines()[1] != text.splitlines()[1]
    with pytest.raises(GraphTextError, match=r"line 1, column 1: .*constants=\{'\$0': value\}"):
        from_text(text)
    with pytest.raises(GraphTextError, match=r"line 2, column 1: it holds something else"):
        from_text(text, constants={"$0": values[0], "$1": values[0]})


def test_graphs_in_ops_are_indented_and_written_once(x: Any, y: Any, read_again: ReadAgain) -> None:
    square = OpFromGraph([x], [x * x], name="square")
    fourth = OpFromGraph([x], [square(square(x))], name="to the 4th")
    graph = FunctionGraph([x, y], [fourth(square(x)) + fourth(y)])
    shown = re.sub(r"(?<='), \w+=.*\)$", ")", to_text(graph), flags=re.MULTILINE)
    assert shown == (
        "x = input : Number\n"
        "y = input : Number\n"
        "@square = OpFromGraph(graph={\n"
        "    i0 = input(0) : Number\n"
        "    %0 = Mul(i0, i0) : Number\n"
        "    return %0\n"
        "}, name='square')\n"
        "@OpFromGraph = OpFromGraph(graph={\n"
        "    i0 = input(0) : Number\n"
        "    %0 = @square(i0) : Number\n"
        "    %1 = @square(%0) : Number\n"
        "    return %1\n"
        "}, name='to the 4th')\n"
        "%0 = @square(x) : Number\n"
        "%1 = @OpFromGraph(%0) : Number\n"
        "%2 = @OpFromGraph(y) : Number\n"
        "%3 = Add(%1, %2) : Number\n"
        "return %3"
    )
    read_again(graph)


def test_ops_of_one_name_get_names_of_their_own(x: Any, read_again: ReadAgain) -> None:
    ops = [OpFromGraph([x], [x + float(i)], name="f") for i in range(3)]
    graph = FunctionGraph([x], [op(x) for op in ops])
    assert [line.split()[0] for line in to_text(graph).splitlines() if line[0] == "@"] == [
        "@f",
        "@f_2",
        "@f_3",
    ]
    read_again(graph)


def test_every_op_has_a_text_without_inputs(x: Any, read_again: ReadAgain) -> None:
    class Nothing(Op):
        def infer(self, *types: Type) -> Type:
            return x.type  # type: ignore[no-any-return]  # of any variable

    graph = FunctionGraph([], [Nothing()(), stop_gradient(Nothing()())])
    assert to_text(graph).splitlines()[0] == "%0 = Nothing() : Number"
    read_again(graph, names=[Nothing])


def test_empty_graphs(x: Any, read_again: ReadAgain) -> None:
    assert to_text([]) == "return"
    assert to_text(FunctionGraph([x], [])) == "x = input : Number\nreturn"
    read_again(FunctionGraph([x], []))
    read_again(FunctionGraph([x], [x, x]))


def test_nodes_of_the_tradition(x: Any, y: Any, calc: Any, read_again: ReadAgain) -> None:
    low, high = calc.OldMinMax()(calc.OldSum(3)(x, y), x)
    graph = FunctionGraph([x, y], [high, low])
    assert "%0 = OldSum(scale=3)(x, y) : Number" in to_text(graph)
    read_again(graph)


def test_classes_of_one_name_are_written_with_their_module(
    x: Any, calc: Any, read_again: ReadAgain
) -> None:
    class Round(Op):
        def infer(self, *types: Type) -> Type:
            return types[0]

    graph = FunctionGraph([x], [Round()(calc.Round()(x))])
    text = to_text(graph)
    for kind in (Round, calc.Round):
        assert f"= {kind.__module__}:{kind.__qualname__}()(" in text
    read_again(graph)
    only = FunctionGraph([x], [Round()(x)])
    number = calc.Number  # docstrings have other classes of that name
    with pytest.raises(
        GraphTextError, match=r"line 2, .*several classes are called Round: .*names="
    ):
        from_text(to_text(only), names=[number])
    read_again(only, names=[Round, number])
    names = {"Round": Round, "Number": number, "other": 1}
    again = from_text(to_text(only), inputs=[x], names=names)
    assert again == only


def test_what_has_no_text_is_named() -> None:
    x = Type()("x")
    with pytest.raises(TypeError, match=r"Painted: parameter 'what': .*<lambda>"):
        to_text(Painted(lambda v: v)(x))
    with pytest.raises(TypeError, match=r"Painted: parameter 'what': no text .* a object"):
        to_text(Painted(object())(x))

    with pytest.raises(TypeError, match=r"constant <<function .*<lambda>.* be found by name"):
        to_text(Pair()(x, constant(Type(), lambda v: v)))

    class Lonely(Op):
        def __init__(self) -> None:
            pass

        def infer(self, *types: Type) -> Type:
            return types[0]

    with pytest.raises(TypeError, match=r"Lonely.*equals only itself.*__props__"):
        to_text(Lonely()(x))


@pytest.mark.cases(0)
def test_100_000_nodes(x: Any, calc: Any) -> None:
    v = x
    for _ in range(50_000):
        v = -v + v
    graph = FunctionGraph([x], [v])
    assert from_text(to_text(graph), inputs=[x], names=vars(calc)) == graph
