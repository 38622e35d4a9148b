from __future__ import annotations

import dataclasses
import enum
import fractions
import math
import operator
import os
import pickle
import subprocess
import sys
from typing import Any

import pytest

from weft_graph import FunctionGraph, Op, OpFromGraph, Type, constant, digest
from weft_graph.core.encoding import encoded
from weft_graph.extend import Interned, apply


class Color(enum.Enum):
    RED = 1
    BLUE = 2


class Level(enum.IntEnum):
    LOW = 1


@dataclasses.dataclass(frozen=True)
class Window:
    width: int
    label: str = ""


class Tagged(Type):
    tag: str = ""


class With(Op):
    parameter: Any

    def infer(self, *types: Type) -> Type:
        return types[0]


class Without(Op):
    def infer(self, *types: Type) -> Type:
        return types[0]


class Alone(Op):
    """Equal only to itself."""

    def __init__(self, size: int) -> None:
        self.size = size

    def infer(self, *types: Type) -> Type:
        return types[0]


def half(value: float) -> float:
    return value / 2


def third(value: float) -> float:
    return value / 3


def graph_of(*outputs: Any) -> FunctionGraph:
    return FunctionGraph(outputs=outputs)


PARAMETERS = [
    None,
    ...,
    True,
    False,
    1,
    1.0,
    1 + 0j,
    0,
    0.0,
    -0.0,
    complex(0.0, -0.0),
    math.nan,
    math.inf,
    -(10**40),
    "",
    "1",
    b"1",
    "\ud800",
    (),
    (1,),
    ((1,),),
    (1, 2),
    (2, 1),
    (12,),
    ("ab", "c"),
    ("a", "bc"),
    frozenset(),
    frozenset({1, 2}),
    frozenset({True, 2}),
    frozenset({"1", "2"}),
    range(3),
    range(0, 6, 2),
    Color.RED,
    Color.BLUE,
    Level.LOW,
    Window(1),
    Window(1, "a"),
    fractions.Fraction(1, 3),
    fractions.Fraction(1, 4),
    int,
    float,
    Color,
    half,
    third,
    math.sin,
    operator.add,
    len,
    math,
    Type(),
    Tagged(),
    Tagged("a"),
    Without(),
    With(1),
    With(1.0),
]


@pytest.mark.parametrize("value", PARAMETERS)
def test_every_parameter_counts(value: Any) -> None:
    same = [p for p in PARAMETERS if encoded(p) == encoded(value)]
    assert len(same) == 1
    x = Type()("x")
    assert digest(With(value)(x)) != digest(Without()(x))


@pytest.mark.parametrize("value", [p for p in PARAMETERS if p is not math])
def test_pickling_changes_no_digest(value: Any) -> None:
    assert encoded(pickle.loads(pickle.dumps(value))) == encoded(value)


def test_they_make_different_ops() -> None:
    assert len({With(p) for p in PARAMETERS}) == len(PARAMETERS)


def test_lists_sets_and_dicts_in_what_pickle_keeps() -> None:
    assert encoded([1, 2]) != encoded((1, 2))
    assert encoded({1, 2}) == encoded({2, 1}) != encoded(frozenset({1, 2}))
    assert encoded({"a": 1, "b": 2}) == encoded({"b": 2, "a": 1}) != encoded({"a": 2, "b": 1})


def test_names_and_places_do_not_count(x: Any, y: Any, calc: Any) -> None:
    first = graph_of(x * y + 1)
    second = FunctionGraph([a := calc.Number()("a"), b := calc.Number()()], [a * b + 1])
    assert first.digest == second.digest
    assert first.digest == digest(first.outputs) == digest(x * y + 1)
    assert first.digest == first.nominal.digest


def test_derivatives_that_are_given_do_not_count(x: Any, y: Any) -> None:
    rules: list[Any] = [None, lambda *_: [], lambda *_: []]
    ops = [OpFromGraph([x], [-x], "f", pullback=rule) for rule in rules]
    none, one, two = (FunctionGraph([y], [op(y)]) for op in ops)
    assert none.digest == one.digest == two.digest
    assert digest(With(none)(x)) == digest(With(two)(x))
    assert digest([ops[1](y), ops[1](y)]) != digest([ops[1](y), ops[2](y)])


def test_names_of_results_do_not_count(x: Any, y: Any) -> None:
    product = x * y
    assert digest(product.named("p") + product.named("q")) == digest(product + product)
    assert digest((x * y).named("p")) == digest(x * y)


def test_types_of_inputs_count(calc: Any) -> None:
    assert digest(Tagged("a")()) != digest(Tagged("b")())
    assert FunctionGraph([Tagged("a")()], []).digest != FunctionGraph([Tagged("b")()], []).digest


def test_the_order_of_inputs_and_outputs_counts(x: Any, y: Any) -> None:
    assert FunctionGraph([x, y], [x + y]).digest != FunctionGraph([y, x], [x + y]).digest
    assert FunctionGraph([x, y], [x, y]).digest != FunctionGraph([x, y], [y, x]).digest
    assert FunctionGraph([x], [x]).digest != FunctionGraph([x, y], [x]).digest
    assert digest([x, x]) != digest([x])


def test_the_order_of_arguments_counts(x: Any, y: Any, calc: Any) -> None:
    old_sum = calc.OldSum()
    made = [old_sum(x, y), old_sum(y, x), old_sum(x, x), old_sum(x, x, y)]
    assert len({FunctionGraph([x, y], [v]).digest for v in made}) == 4


def test_what_is_shared_counts(calc: Any) -> None:
    """Two constants of equal content, which are two objects, are not one."""

    a, b = (apply(With(object_of), (Type()("x"),)) for object_of in (1, 2))
    assert digest([a, a]) != digest([a, b])
    one, other = constant(Large(), [1.0]), constant(Large(), [1.0])
    assert one is not other
    assert digest(one) == digest(other)
    assert digest([one, one]) != digest([one, other]) == digest([other, one])


class Large(Type):
    """Lists, of which each is a constant of its own."""

    def constant_key(self, value: Any) -> Any:
        return id(value)

    def literal(self, value: Any) -> Any:
        return None


def test_constants_count_by_content() -> None:
    one, two = constant(Large(), [1.0, math.nan]), constant(Large(), [2.0])
    assert digest(one) != digest(two)
    assert digest(constant(Type(), 1)) != digest(constant(Type(), True))
    assert digest(constant(Type(), 1)) != digest(constant(Tagged(), 1))


def test_large_constants_may_count_by_type_alone() -> None:
    one, two = constant(Large(), [1.0]), constant(Large(), [2.0])
    small, other = constant(Type(), 1), constant(Type(), 2)
    assert digest(one, contents=False) == digest(two, contents=False) != digest(one)
    assert digest(small, contents=False) != digest(other, contents=False)
    assert digest([one, one], contents=False) != digest([one, two], contents=False)


def test_a_result_may_be_an_input(x: Any, y: Any, calc: Any) -> None:
    middle = (x * y).named("middle")
    cut = FunctionGraph([middle], [-middle])
    assert cut.digest == FunctionGraph([x], [-x]).digest == digest([-middle], [middle])
    assert cut.digest == cut.nominal.digest
    assert cut.nominal.outputs == FunctionGraph([x], [-x]).nominal.outputs


def test_an_input_that_is_not_listed(x: Any, y: Any) -> None:
    with pytest.raises(TypeError, match="equals only itself, so it has no digest"):
        digest([x + y], [x])


def test_graphs_as_parameters_count_by_structure(x: Any, y: Any) -> None:
    first, second = FunctionGraph([x], [x + 1]), FunctionGraph([y], [y.named("y") + 1])
    third = FunctionGraph([x], [x * 1])
    assert first != second
    assert With(first) is With(second) is not With(third)
    assert digest(With(first)(x)) == digest(With(second)(y)) != digest(With(third)(x))
    assert pickle.loads(pickle.dumps(With(first))) is With(first)


def test_graphs_within_graphs(x: Any, y: Any) -> None:
    inner = [With(FunctionGraph([v], [-v]))(v) for v in (x, y)]
    outer = [With(FunctionGraph([v], [w]))(v) for v, w in zip((x, y), inner, strict=True)]
    assert outer[0].op is outer[1].op
    assert digest(outer[0]) == digest(outer[1]) != digest(inner[0])


def test_a_nominal_graph_is_its_own(x: Any, y: Any) -> None:
    graph = FunctionGraph([y, x], [x + y, -x])
    nominal = graph.nominal
    assert graph.nominal is nominal is nominal.nominal
    assert [str(v) for v in nominal.inputs] == ["i0", "i1"]
    assert nominal == FunctionGraph([x, y], [y + x, -y]).nominal


@pytest.mark.parametrize(
    ("parameter", "message"),
    [
        (lambda x: x, r"With: parameter 'parameter': <function <lambda> at .* can't be found by"),
        ((1, lambda x: x), r"With: parameter 'parameter': <function <lambda>"),
        ([].append, r"parameter 'parameter': <built-in method append of list"),
        (With(lambda x: x), r"With: parameter 'parameter': With: parameter 'parameter': <func"),
        (Alone(3), r"parameter 'parameter': Alone\(\) equals only itself.*Alone in `__props__`"),
    ],
)
def test_what_has_no_digest(parameter: Any, message: str, x: Any) -> None:
    with pytest.raises(TypeError, match=message):
        digest(With(parameter)(x))


def test_local_functions_and_classes_have_none(x: Any) -> None:
    def local(value: Any) -> Any:
        return value

    class Local(Without):
        pass

    for op in (With(local), Local(), With(Local)):
        with pytest.raises(TypeError, match=r"<locals>.* can't be found by name"):
            digest(op(x))


def test_what_pickle_refuses_has_none(x: Any) -> None:
    class Refused:
        def __reduce__(self) -> str:
            raise pickle.PicklingError("not found")

    with pytest.raises(TypeError, match="a Refused, has no digest: not found"):
        digest(With(Refused())(x))


def test_a_generator_has_none(x: Any) -> None:
    generator = (i for i in [1])
    with pytest.raises(TypeError, match=r"'parameter': <generator .* has no digest: cannot pickle"):
        digest(With(generator)(x))


def test_an_op_that_equals_only_itself_has_none(x: Any) -> None:
    with pytest.raises(TypeError, match=r"list the parameters of Alone in `__props__`"):
        digest(Alone(3)(x))


class Parity(Interned):
    even: bool


SCRIPT = """
from __future__ import annotations
import enum, math
from typing import Any
from weft_graph import FunctionGraph, Op, OpFromGraph, Type, constant

class Color(enum.Enum):
    RED = 1

class Number(Type):
    unit: str = "m"

class Mix(Op):
    parameter: Any
    def infer(self, *types):
        return types[0], Number("s")

x, y = Number()("x"), Number()("y")
words = frozenset({"a", "b", "c", "d", "e"})
a, b = Mix((words, Color.RED, math.sin, int, Number("kg"), None, -0.0, 2**70, True))(x, y)
inner = Mix(FunctionGraph([y], [y.named("y")]))(a)
c = OpFromGraph([x], Mix(1.5)(x))(inner[0])
graph = FunctionGraph([x, y], [a, *c, constant(Number(), ("text", b"bytes", math.nan, 1j))])
print(graph.digest)
"""


@pytest.mark.parametrize("seed", ["0", "1", "2024"])
def test_it_is_the_same_in_every_process_and_version(seed: str) -> None:
    environment = {**os.environ, "PYTHONHASHSEED": seed}
    printed = subprocess.run(
        [sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, check=True
    )
    assert printed.stdout.strip() == "6fe08a039315355104a876efe41912401a68525c"
