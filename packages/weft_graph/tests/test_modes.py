from __future__ import annotations

import gc
from collections.abc import Iterator
from typing import Any

import pytest

from weft_graph import FunctionGraph, Mode, Rule, RuleBook, function, rewrite_graph, wildcard
from weft_graph.compile import mode as modes
from weft_graph.extend import PythonLinker, installed_books


class Entry:
    def __init__(self, name: str, what: Any) -> None:
        self.name = name
        self.what = what

    def load(self) -> Any:
        return self.what


class Other(PythonLinker):
    name = "other"


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, dict[str, Any]]]:
    """The entry points that seem to be installed, by group: at first none."""
    groups: dict[str, dict[str, Any]] = {"weft.linkers": {}, "weft.rewrites": {}}
    monkeypatch.setattr(modes, "_found", groups.__getitem__)
    for cached in (modes._linker, installed_books):
        cached.cache_clear()
    yield groups
    for cached in (modes._linker, installed_books):
        cached.cache_clear()


@pytest.mark.parametrize("name", ["py", "PY", "python"])
def test_the_python_linker_is_always_there(name: str, installed: Any) -> None:
    assert isinstance(Mode(name).linker, PythonLinker)


@pytest.mark.parametrize("name", ["jax", "numba", "JAX"])
def test_a_mode_whose_package_is_not_installed(name: str, installed: Any, x: Any) -> None:
    package = f"weft-{name.lower()}"
    message = f"'{name}' needs the package {package}, which is not installed: pip install {package}"
    with pytest.raises(ValueError, match=message):
        function([x], x, mode=name)


def test_an_unknown_mode(installed: Any, x: Any) -> None:
    installed["weft.linkers"]["other"] = Entry("other", Other)
    with pytest.raises(ValueError, match="unknown mode 'fortran'; installed are: py, other"):
        function([x], x, mode="fortran")
    with pytest.raises(TypeError, match="a mode is a Mode, a Linker or a name, not 3"):
        function([x], x, mode=3)  # type: ignore[arg-type]  # what is tested


def test_an_installed_linker_is_found_by_name(installed: Any, x: Any) -> None:
    installed["weft.linkers"]["other"] = Entry("other", Other)
    compiled = function([x], -x, mode="Other")
    assert type(compiled.mode.linker) is Other
    assert compiled(3) == -3


def test_an_entry_point_must_give_a_linker(installed: Any) -> None:
    installed["weft.linkers"]["odd"] = Entry("odd", dict)
    with pytest.raises(TypeError, match=r"entry point weft.linkers:odd gave \{\}, not a Linker"):
        Mode("odd")


def test_numba_is_the_default_if_it_is_there(installed: Any) -> None:
    assert type(Mode().linker) is PythonLinker
    modes._linker.cache_clear()
    installed["weft.linkers"]["numba"] = Entry("numba", Other)
    assert type(Mode().linker) is Other


def test_installed_books_are_the_default(installed: Any, x: Any, calc: Any) -> None:
    book = RuleBook("drop", [Rule(calc.Neg, lambda node: node.inputs[0])])
    installed["weft.rewrites"]["some"] = Entry("some", [book])
    assert installed_books() == (book,)
    assert function([x], -x, mode="py")(3) == 3
    assert function([x], -x, mode=Mode("py", books=[]))(3) == -3
    assert rewrite_graph(FunctionGraph([x], [-x])).outputs == (x,)


def test_real_entry_points_are_read_once() -> None:
    assert modes._found("weft.linkers") is modes._found("weft.linkers")
    assert modes._found("weft.no_such_group") == {}


def test_books_and_passes_in_order(x: Any, y: Any, calc: Any) -> None:
    book = RuleBook("round", [Rule(calc.Neg, lambda node: calc.Round()(node.inputs[0]))])

    def doubled(graph: FunctionGraph) -> FunctionGraph:
        return FunctionGraph(graph.inputs, [calc.Add()(v, v) for v in graph.outputs])

    graph = FunctionGraph([x], [-x])
    rounded = calc.Round()(x)
    assert rewrite_graph(graph, [book, doubled]).outputs == (rounded + rounded,)
    mode = Mode("py", books=[book, doubled])
    assert repr(mode) == "Mode(py, books: round, doubled)"
    assert repr(mode.excluding("doubled")) == "Mode(py, books: round)"
    assert repr(mode.excluding("round")) == "Mode(py, books: doubled)"
    with pytest.raises(ValueError, match="no rule, pass or book is called tripled"):
        mode.excluding("doubled", "tripled")


def test_a_book_within_a_later_one_is_tried_only_on_what_is_new(x: Any, y: Any, calc: Any) -> None:
    tried: list[Any] = []

    def turned(node: Any) -> Any:
        tried.append(node)
        return node.inputs[0] if node.inputs[0] is x else None

    first = RuleBook("first", [Rule(calc.Neg, turned, name="-x = x")])
    minus = calc.Neg()
    double = Rule(calc.Power, lambda node: minus(minus(node.inputs[0])), name="double")
    second = RuleBook("second", [RuleBook("own", [double]), first])
    graph = FunctionGraph([x, y], [-(y + 1), calc.Power(2)(-x)])
    unchanged, changed = rewrite_graph(graph, [first, second]).outputs
    assert unchanged is graph.outputs[0]
    assert tried.count(unchanged) == 1
    assert tried.count(-x) == 2
    assert changed is x


def test_rewriting_removes_names(x: Any, y: Any) -> None:
    graph = rewrite_graph(FunctionGraph([x], [(-x.named("a")).named("b")]), [])
    assert graph.outputs == (-x,)


def test_a_graph_that_needs_no_rewriting_is_the_same_object(x: Any, calc: Any) -> None:
    graph = FunctionGraph([x], [-x])
    book = RuleBook("idle", [Rule(calc.Mul, lambda node: None)])
    assert rewrite_graph(graph, [book]) is graph


def test_inputs_in_the_middle_are_left_alone(x: Any, calc: Any) -> None:
    middle = (-x.named("a")).named("b")
    book = RuleBook("drop", [Rule(calc.Neg, lambda node: node.inputs[0])])
    graph = rewrite_graph(FunctionGraph([middle], [-middle]), [book])
    assert graph.inputs == graph.outputs == (middle,)


def test_rules_do_not_see_what_an_input_was_computed_from(x: Any, y: Any, calc: Any) -> None:
    a = wildcard("a")
    book = RuleBook("drop", [Rule(calc.Round()(calc.Neg()(a)), a)])
    middle = -x
    behind = middle * y
    graph = FunctionGraph([middle, y, behind], [calc.Round()(middle) + behind])
    assert rewrite_graph(graph, [book]) is graph
    assert function([middle], calc.Round()(middle), mode=Mode("py", books=[book]))(2.6) == 3


def test_nothing_looks_for_garbage_while_a_graph_is_rewritten(x: Any) -> None:
    seen = []

    def look(graph: FunctionGraph) -> FunctionGraph:
        seen.append(gc.isenabled())
        return graph

    rewrite_graph(FunctionGraph([x], [x]), [look])
    assert (seen, gc.isenabled()) == ([False], True)
