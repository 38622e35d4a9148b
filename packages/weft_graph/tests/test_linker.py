from __future__ import annotations

import gc
import linecache
import pickle
from typing import Any

import pytest

import weft_graph
from weft_graph import FunctionGraph, LoweringError, Mode, Type, function
from weft_graph.extend import Linker, Program, PythonLinker, transpile
from weft_graph.linking.program import Names, identifier, load_source


def impl_of(node: Any) -> Any:
    return node.op.impl


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("mu", "mu"),
        ("a b-c", "a_b_c"),
        ("_private_", "private"),
        ("lambda", "fallback"),
        ("2x", "fallback"),
        ("", "fallback"),
        ("x²", "x2"),
        ("µ", "μ"),
    ],
)
def test_identifiers(text: str, expected: str) -> None:
    assert identifier(text, "fallback") == expected


def test_names_are_handed_out_once() -> None:
    names = Names()
    assert [names.new(n) for n in ("x", "x", "x_2", "x")] == ["x", "x_2", "x_2_2", "x_3"]


def test_a_program_is_straight_line_source(x: Any, y: Any) -> None:
    graph = FunctionGraph([x, y], [-(x + y) * 2, y])
    program = transpile(graph, impl_of, reuse=False)
    assert program.source == (
        "def weft_function(x, y):\n"
        "    t = Add(x, y)\n"
        "    t_2 = Neg(t)\n"
        "    t_3 = Mul(t_2, c)\n"
        "    return (t_3, y, )\n"
    )
    assert program.namespace["c"] == 2
    assert program.steps[3].node is -(x + y)
    assert program.load()(1, 2) == (-6, 2)


def test_a_program_tells_what_its_lines_call(x: Any, calc: Any) -> None:
    first, _ = calc.SumAndProduct()(x, x)
    program = transpile(FunctionGraph([x], [first]), impl_of, reuse=False)
    assert program.callee(2) == calc.SumAndProduct().impl
    assert program.callee(3) is None  # it takes an item


def test_memory_is_reused_where_nothing_needs_it(x: Any) -> None:
    inner = -x
    graph = FunctionGraph([x], [-(-inner + x), inner])
    program = transpile(graph, impl_of, reuse=True)
    assert program.source == (
        "def weft_function(x):\n"
        "    t = Neg(x)\n"
        "    t_2 = Neg(t)\n"
        "    t_2 = Add(t_2, x)\n"
        "    t_2 = Neg(t_2)\n"
        "    return (t_2, t, )\n"
    )
    assert program.load()(3) == (-6, -3)


def test_items_are_taken_by_index(x: Any, calc: Any) -> None:
    graph = FunctionGraph([x], calc.SumAndProduct()(x, x)[::-1])
    program = transpile(graph, impl_of, reuse=False)
    assert "t_2 = t[1]" in program.source
    assert program.load()(5) == (25, 10)


def test_inputs_of_one_name_and_of_the_functions_name(calc: Any) -> None:
    kind = calc.Number()
    inputs = [kind("weft_function"), kind("a"), kind("a"), kind(), kind("def")]
    graph = FunctionGraph(inputs, [calc.OldSum()(*inputs)])
    program = transpile(graph, lambda node: lambda *values: values, reuse=True)
    assert "def weft_function(weft_function_2, a, a_2, x, x_2):" in program.source
    assert program.load()(1, 2, 3, 4, 5) == ((1, 2, 3, 4, 5),)


def test_a_graph_without_outputs() -> None:
    assert transpile(FunctionGraph([], []), impl_of, reuse=True).load()() == ()


def test_the_source_is_shown_as_long_as_the_function_lives() -> None:
    namespace: dict[str, Any] = {}
    loaded = load_source("answer", "def answer():\n    return 42\n", namespace)
    filename = loaded.__code__.co_filename
    assert linecache.getline(filename, 2) == "    return 42\n"
    assert loaded() == 42
    gc.disable()
    try:
        del loaded
        assert filename not in linecache.cache
    finally:
        gc.enable()


def test_an_error_at_run_time_names_the_node_and_the_users_line(x: Any, y: Any, calc: Any) -> None:
    total = x + y
    inverse = calc.Reciprocal()(total)
    compiled = function([x, y], inverse * x, mode="py")
    with pytest.raises(ZeroDivisionError) as caught:
        compiled(1.0, -1.0)
    (note,) = caught.value.__notes__
    assert note.splitlines()[:2] == [
        "while computing Reciprocal : Number",
        "  input 0: <Add : Number> = 0.0",
    ]
    assert note.endswith("inverse = calc.Reciprocal()(total)")


def test_the_note_points_at_the_user_also_after_rewriting(x: Any, calc: Any) -> None:
    mu = (x * 1.0).named("mu")
    inverse = calc.Reciprocal()(mu)
    compiled = function([x], inverse, mode="py")
    with pytest.raises(ZeroDivisionError) as caught:
        compiled(0.0)
    assert caught.value.__notes__[0].endswith("inverse = calc.Reciprocal()(mu)")


def test_a_linker_of_ones_own(x: Any) -> None:
    class Logging(Linker):
        name = "logging"

        def __init__(self) -> None:
            self.calls: list[str] = []

        def funcify(self, node: Any) -> Any:
            def logged(*values: Any) -> Any:
                self.calls.append(str(node.op))
                return node.op.impl(*values)

            return logged

        def link(self, graph: FunctionGraph) -> tuple[Any, Program]:
            program = transpile(graph, self.funcify, reuse=False)
            return program.load(), program

    linker = Logging()
    assert function([x], -(x + x), mode=linker)(2) == -4
    assert linker.calls == ["Add", "Neg"]
    assert repr(Mode(linker, books=[])) == "Mode(logging, books: none)"
    with pytest.raises(TypeError, match="abstract"):
        Linker()  # type: ignore[abstract]  # what is tested
    assert not isinstance(PythonLinker(), Logging)


def test_the_error_of_a_backend_names_the_op() -> None:
    error = LoweringError.of("Numba", "no such thing", Type()("x").named("mu"))
    said = "Numba can't compile the implementation of Named(name='mu'): no such thing"
    assert str(error) == said


@pytest.mark.parametrize(
    "name", [n for n in weft_graph.__all__ if n.endswith(("Error", "Warning"))]
)
def test_tracebacks_call_errors_by_their_public_names(name: str) -> None:
    kind = getattr(weft_graph, name)
    assert f"{kind.__module__}.{kind.__qualname__}" == f"weft_graph.{name}"
    assert pickle.loads(pickle.dumps(kind("text"))).args == ("text",)
