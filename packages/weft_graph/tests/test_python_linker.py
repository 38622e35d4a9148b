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


class Even(Type):
    """Even numbers; what they are can be told quickly."""

    def guard(self, name: str, namespace: dict[str, Any]) -> str:
        return f"type({name}) is int and {name} % 2 == 0"

    def filter(self, value: Any) -> Any:
        if int(value) != value or value % 2:
            raise ValueError(f"{value!r} is not even")
        return int(value)


class Half(Op):
    several: bool = False

    def infer(self, *types: Type) -> Any:
        return (types[0], Type()) if self.several else types[0]

    def impl(self, *values: Any) -> Any:
        half = values[0] / 2
        return [half, "rest"] if self.several else half


def test_what_an_implementation_returns_is_what_its_type_says() -> None:
    x = Even()("x")
    f = function([x], Half()(Half()(x)), mode="py")
    assert f(8) == 2
    assert type(f(8)) is int
    with pytest.raises(TypeError, match=r"of Half.* returned 1\.0, but the Op promises Even") as e:
        f(4)
    assert str(e.value.__cause__) == "1.0 is not even"
    (note,) = e.value.__notes__
    assert note.startswith("while computing Half")
    first, second = Half(True)(x)
    assert function([x], [first, second], mode="py")(8) == [4, "rest"]
    with pytest.raises(TypeError, match=r"a list of 2: 1\.0, 'rest', but .* promises \(Even, Type"):
        function([x], first, mode="py")(2)


def test_what_can_not_be_told_quickly_is_taken_as_it_is() -> None:
    x = Type()("x")
    assert function([x], Half()(x), mode="py")(1) == 0.5
