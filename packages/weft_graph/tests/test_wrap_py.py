"""Python functions of values as Ops."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

from weft_graph import Type, UndefinedGradientError, function, grad, wrap_py


class Amount(Type):
    """Numbers of Python's; `add` and the like are Ops of them."""

    differentiable = True

    def filter(self, value: Any) -> Any:
        """A float."""
        if not isinstance(value, (int, float)):
            raise TypeError(f"expected a number, got {value!r}")
        return float(value)

    def seed(self, cost: Any) -> Any:
        return one()

    def zeros_like(self, x: Any) -> Any:
        return times(x, 0.0)

    def add(self, a: Any, b: Any) -> Any:
        return plus(a, b)


@wrap_py(itypes=[], otypes=[Amount()])
def one() -> float:
    return 1.0


@wrap_py(itypes=[Amount(), Amount()], otypes=[Amount()])
def plus(a: float, b: float) -> float:
    return a + b


def product_rule(inputs: Any, outputs: Any, cotangents: Any) -> Any:
    return [times(cotangents[0], inputs[1]), times(cotangents[0], inputs[0])]


@wrap_py(itypes=[Amount(), Amount()], otypes=[Amount()], pullback=product_rule)
def times(a: float, b: float) -> float:
    return a * b


@wrap_py(itypes=[Amount()], otypes=[Amount(), Amount()])
def parts(a: float) -> Any:
    return divmod(a, 1.0) if a >= 0 else "none"


x, y = Amount()("x"), Amount()("y")


def test_numbers_become_constants() -> None:
    assert function([x], times(x, 3), mode="py")(2) == 6.0
    assert times(x, 3) is times(x, 3.0)
    assert str(times(x, y)) == "times"


def test_several_results() -> None:
    whole, rest = parts(x)
    assert function([x], [rest, whole], mode="py")(2.5) == [0.5, 2.0]
    with pytest.raises(TypeError, match="parts must return 2 values, not 'none'"):
        function([x], whole, mode="py")(-1.0)


def test_derivatives() -> None:
    assert function([x, y], grad(times(times(x, x), y), x), mode="py")(3.0, 2.0) == 12.0
    with pytest.raises(
        UndefinedGradientError, match=r"parts was wrapped .* as `pullback=`"
    ) as caught:
        grad(times(x, parts(x)[0]), x)
    assert "PythonFunction" not in str(caught.value)
    assert "grad(times(x, parts(x)[0]), x)" in "".join(caught.value.__notes__)


def test_what_was_not_declared() -> None:
    with pytest.raises(TypeError, match=r"plus takes 2 inputs, not 1"):
        plus(x)
    with pytest.raises(TypeError, match="input 1 must be Amount, not Type") as caught:
        plus(x, Type()("text"))
    assert "while applying plus to" in "".join(caught.value.__notes__)
    with pytest.raises(TypeError, match="expected a number, got 'a'"):
        plus(x, "a")
    bad = wrap_py(lambda a: "text", itypes=[Amount()], otypes=[Amount()])
    with pytest.raises(TypeError, match=r"<lambda> returned what it did not declare: .*'text'"):
        function([x], bad(x), mode="py")(1.0)
    with pytest.raises(TypeError, match=r"at least one type in `otypes`"):
        wrap_py(lambda: None, itypes=[], otypes=[])


def test_decorated_functions_pickle() -> None:
    assert pickle.loads(pickle.dumps(plus)) is plus
    again = pickle.loads(pickle.dumps(function([x, y], times(x, y), mode="py")))
    assert again(2.0, 4.0) == 8.0
