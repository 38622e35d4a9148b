from __future__ import annotations

from typing import Any

import pytest

from weft_graph import FunctionGraph, Type, constant, diff


def of(*outputs: Any) -> FunctionGraph:
    return FunctionGraph(outputs=outputs)


def test_no_difference(x: Any, y: Any, calc: Any) -> None:
    a, b = calc.Number()("a"), calc.Number()("b")
    total, product = calc.SumAndProduct()(x, y)
    other = calc.SumAndProduct()(a, b)
    left = FunctionGraph([x, y], [total * product.named("p") + 1])
    right = FunctionGraph([a, b], [other[0] * other[1] + 1])
    assert diff(left, right) == diff(left, left) == diff(left, left.nominal) == ""
    assert left.digest == right.digest


def test_another_op(x: Any, y: Any) -> None:
    assert diff(of(-(x + y)), of(-(x * y))) == (
        "output 0 > input 0 of Neg: Add on the left, Mul on the right"
    )


def test_another_constant(x: Any) -> None:
    assert diff(of(x + 1), of(x + 2)) == (
        "output 0 > input 1 of Add: constant 1 on the left, constant 2 on the right"
    )


def test_constants_of_equal_content_do_not_differ(x: Any) -> None:
    class Kept(Type):
        def constant_key(self, value: Any) -> Any:
            return id(value)

    one, same, other = (constant(Kept(), [n]) for n in (1, 1, 2))
    assert one is not same
    assert diff(of(one), of(same)) == ""
    assert "constant [1] on the left, constant [2]" in diff(of(one), of(other))


def test_another_input(x: Any, y: Any) -> None:
    left, right = FunctionGraph([x, y], [x + y]), FunctionGraph([x, y], [x + x])
    assert diff(left, right) == (
        "output 0 > input 1 of Add: input 1 (y) on the left, input 0 (x) on the right"
    )


def test_other_interfaces(x: Any, y: Any) -> None:
    text = diff(FunctionGraph([x], [-x, x]), FunctionGraph([Type()("z"), y], [-y]))
    assert text.splitlines() == [
        "1 inputs on the left, 2 on the right",
        "2 outputs on the left, 1 on the right",
        "input 0 (x, z): Number on the left, Type on the right",
        "output 0 > input 0 of Neg: input 0 (x) on the left, input 1 (y) on the right",
    ]


def test_more_arguments(x: Any, calc: Any) -> None:
    assert diff(of(calc.OldSum()(x)), of(calc.OldSum()(x, x))) == (
        "output 0: OldSum(scale=1) of 1 inputs on the left, "
        "OldSum(scale=1) of 2 inputs on the right"
    )


def test_ops_that_print_alike(x: Any, calc: Any) -> None:
    class Add(calc.Add):  # type: ignore[misc]  # a class from a fixture
        pass

    assert diff(of(x + x), of(Add()(x, x))) == (
        "output 0: Add : Number on the left, Add : Number on the right"
    )


def test_an_item(x: Any, y: Any, calc: Any) -> None:
    total, product = calc.SumAndProduct()(x, y)
    assert diff(FunctionGraph([x, y], [total]), FunctionGraph([x, y], [product])) == (
        "output 0: Item(index=0) on the left, Item(index=1) on the right"
    )


def test_what_is_shared(x: Any) -> None:
    class Kept(Type):
        def constant_key(self, value: Any) -> Any:
            return id(value)

    one, other = constant(Kept(), [1]), constant(Kept(), [1])
    assert diff(of(one, one), of(one, other)) == (
        "output 1: constant [1], which is shared on the left, another one on the right"
    )


def test_many_differences(x: Any) -> None:
    left, right = of(*[x + n for n in range(15)]), of(*[x * n for n in range(15)])
    lines = diff(left, right).splitlines()
    assert lines[0] == "output 0: Add on the left, Mul on the right"
    assert len(lines) == 11
    assert lines[-1] == "and 5 more"


@pytest.mark.cases(0)
def test_a_long_way(x: Any, y: Any) -> None:
    left, right = x, y
    for _ in range(50_000):
        left, right = -left, -right
    text = diff(FunctionGraph([x, y], [left]), FunctionGraph([x, y], [right]))
    assert text.startswith("output 0 > input 0 of Neg > ... 49996 more ... > input 0 of Neg >")
    assert text.endswith(": input 0 (x) on the left, input 1 (y) on the right")


@pytest.mark.parametrize("number", [0, 3])
def test_types_alone(number: int) -> None:
    class Unit(Type):
        name: str

    left, right = (FunctionGraph([], [constant(Unit(n), number)]) for n in "ab")
    assert diff(left, right) == (
        f"output 0: constant {number} : Unit(a) on the left, "
        f"constant {number} : Unit(b) on the right"
    )
