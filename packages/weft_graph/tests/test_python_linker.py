from __future__ import annotations

from typing import Any

import pytest

from weft_graph import Apply, MissingLoweringError, Op, Type, function, py_funcify


def test_impl_and_perform(x: Any, y: Any, calc: Any) -> None:
    assert function([x, y], x * y, mode="py")(2, 3) == 6
    assert function([x, y], calc.OldSum(10)(x, y), mode="py")(2, 3) == 50
    assert function([x, y], calc.OldMinMax()(y, x), mode="py")(2, 3) == [2, 3]
    assert function([x, y], calc.OldMinMax()(y, x)[1], mode="py")(2, 3) == 3


def test_perform_by_default_calls_impl(x: Any, y: Any, calc: Any) -> None:
    storage: list[list[Any]] = [[None], [None]]
    total, _ = calc.SumAndProduct()(x, y)
    calc.SumAndProduct().perform(total.owner, [2, 5], storage)
    assert storage == [[7], [10]]
    calc.Neg().perform((-x).owner, [2], storage[:1])
    assert storage == [[-2], [10]]


def test_an_op_without_implementation(x: Any, calc: Any) -> None:
    result = calc.Abstract()(x)
    with pytest.raises(MissingLoweringError, match="Abstract has no Python implem") as caught:
        function([x], -result, mode="py")
    (note,) = caught.value.__notes__
    assert note.endswith("result = calc.Abstract()(x)")
    with pytest.raises(TypeError, match="Abstract defines neither `impl` nor `perform`"):
        calc.Abstract().impl(1)


def test_registering_a_function_for_an_op_class(x: Any, calc: Any) -> None:
    class Loud(calc.NumberOp):  # type: ignore[misc]  # a class out of a fixture
        exponent: int

    def louder(op: Any, *, node: Any, **kwargs: Any) -> Any:
        assert node.op is op
        return lambda value: value + op.exponent

    py_funcify.register(Loud, louder)
    assert function([x], Loud(3)(x), mode="py")(1) == 4


def test_what_a_class_defines_comes_before_what_it_inherits() -> None:
    class Twice(Op):
        def infer(self, *types: Type) -> Type:
            return types[0]

        def impl(self, *values: Any) -> Any:
            return values[0] * 2

    class Thrice(Twice):
        def perform(self, node: Apply, inputs: Any, output_storage: Any) -> None:
            output_storage[0][0] = inputs[0] * 3

    class Tenfold(Thrice):
        def impl(self, *values: Any) -> Any:
            return values[0] * 10

    x = Type()("x")
    f = function([x], [Twice()(x), Thrice()(x), Tenfold()(x)], mode="py")
    assert f(1) == [2, 3, 10]
