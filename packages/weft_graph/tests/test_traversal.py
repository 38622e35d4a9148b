from __future__ import annotations

from typing import Any

import pytest

from weft_graph import Type, ancestors, graph_inputs, replace


def test_graph_inputs_are_the_inputs_in_order_of_appearance(x: Any, y: Any) -> None:
    assert graph_inputs([y + x * 2.0, x]) == [y, x]
    assert ancestors([x + y]) == [x, y, x + y]


def test_replacing_several_at_once(x: Any, y: Any, z: Any) -> None:
    assert replace([x + y], {x: y, y: x}) == [y + x]
    assert replace([x * y, x], {x: z}) == [z * y, z]


def test_what_a_replacement_contains_is_not_replaced(x: Any, y: Any) -> None:
    assert replace([-x], {x: x + y}) == [-(x + y)]
    negative = -x
    assert replace([-negative], {negative: x * y, x: y}) == [-(x * y)]


def test_what_does_not_change_is_the_same_object(x: Any, y: Any, z: Any) -> None:
    total = x + y
    assert replace([total], {z: x})[0] is total
    assert replace([total], {})[0] is total


def test_replacing_by_a_function(x: Any, y: Any, calc: Any) -> None:
    def unnegated(v: Any) -> Any:
        return v.inputs[0] if v.op is calc.Neg() else None

    negative = -x
    assert replace([-negative + y], unnegated) == [x + y]


def test_it_stops_where_it_is_told(x: Any, y: Any) -> None:
    kept = -x
    assert replace([kept + x], {x: y}, stop=[kept]) == [kept + y]
    assert replace([kept], lambda v: y if v is x else None, stop=[kept]) == [kept]


def test_the_type_must_fit(x: Any) -> None:
    text = Type()("text")
    with pytest.raises(TypeError, match=r"can't replace <x : Number> by <text : Type>") as caught:
        replace([-x], {x: text})
    assert "x was made at line" in str(caught.value)
    with pytest.raises(TypeError, match=r"can't replace <x : Number> by <text : Type>"):
        replace([-x], lambda v: text if v is x else None)


def test_ops_of_the_tradition_are_made_anew(x: Any, y: Any, calc: Any) -> None:
    low, high = calc.OldMinMax()(x, y)
    new_low, new_high = calc.OldMinMax()(y, y)
    assert replace([low + high], {x: y}) == [new_low + new_high]


def test_replace_gives_what_it_is_given(x: Any, y: Any, calc: Any) -> None:
    old, new = calc.Neg()(x), calc.Neg()(y)
    assert replace(old, {x: y}) is new
    assert replace([old, x], {x: y}) == [new, y]
    assert replace((v for v in [old]), {x: y}) == [new]
    assert replace({"a": old, "b": [x, None]}, {x: y}) == {"a": new, "b": [y, None]}
    assert graph_inputs(old) == [x]
    assert ancestors(old) == [x, old]
