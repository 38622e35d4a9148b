"""Finding by Python which node of a backend's function failed."""

from __future__ import annotations

from typing import Any

from weft_graph import FunctionGraph, print_value
from weft_graph.extend import Reference, retold


def test_an_error_of_the_same_type_gets_the_note(x: Any, calc: Any) -> None:
    reference = Reference(FunctionGraph([x], [calc.Reciprocal()(x)]))
    error = ZeroDivisionError("by a backend")
    assert reference.better(error, 0.0) is error
    assert error.__notes__[0].startswith(
        "while computing Reciprocal : Number\n  input 0: <x : Number>"
    )


def test_python_tells_the_numbers_that_a_backend_does_not_know() -> None:
    python = ValueError("no place for 2 in 3")
    said = [str(retold(ValueError(text), python)) for text in ("no place", "none for 2 in 3")]
    assert said == ["no place for 2 in 3", "none for 2 in 3"]
    assert str(retold(ValueError("no elements"), ValueError("an empty sequence"))) == "no elements"


def test_of_two_types_pythons_is_raised(x: Any, calc: Any) -> None:
    reference = Reference(FunctionGraph([x], [calc.Reciprocal()(x)]))
    better = reference.better(TypeError("by a backend"), 0.0)
    assert type(better) is ZeroDivisionError
    assert better.__notes__[0].startswith("while computing Reciprocal")


def test_what_python_computes_without_an_error_stays(x: Any, calc: Any) -> None:
    error = TypeError("by a backend")
    assert Reference(FunctionGraph([x], [calc.Reciprocal()(x)])).better(error, 1.0) is error
    assert not hasattr(error, "__notes__")


def test_an_op_that_python_can_not_compute(x: Any, calc: Any) -> None:
    error = TypeError("by a backend")
    assert Reference(FunctionGraph([x], [calc.Abstract()(x)])).better(error, 0.0) is error


def test_nothing_is_printed_again(x: Any, calc: Any, capsys: Any) -> None:
    graph = FunctionGraph([x], [calc.Reciprocal()(print_value(x, "x")), print_value(x, "y")])
    assert type(Reference(graph).error(0.0)) is ZeroDivisionError
    assert capsys.readouterr().out == ""
