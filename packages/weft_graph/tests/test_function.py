from __future__ import annotations

import gc
import pickle
import traceback
import weakref
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from weft_graph import (
    FunctionGraph,
    In,
    MissingInputError,
    Mode,
    Rule,
    RuleBook,
    constant,
    function,
    get_value,
    shared,
)
from weft_graph.extend import CompiledFunction, PythonLinker


def test_one_output_or_a_list(x: Any, y: Any) -> None:
    assert function([x, y], x + y, mode="py")(2, 3) == 5
    assert function([x, y], [x + y], mode="py")(2, 3) == [5]
    assert function([x, y], [x + y, x * y, x], mode="py")(2, 3) == [5, 6, 2]
    assert function([x], [], mode="py")(2) == []


def test_arguments_by_name(x: Any, y: Any, calc: Any) -> None:
    compiled = function([x, y], x + -y, mode="py")
    assert compiled(y=2, x=3) == compiled(3, y=2) == 1
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'y'"):
        compiled(3)
    with pytest.raises(TypeError, match="unexpected keyword argument 'z'"):
        compiled(3, z=1)


def test_arguments_that_do_not_fit_are_told_with_the_inputs(x: Any, y: Any, calc: Any) -> None:
    v, w = calc.Number()("type"), calc.Number()("w")
    compiled = function([x, In({"a": y, "b": w}, name="both"), In(v, value=2)], x + y, mode="py")
    shown = r"function\(\[x: Number, both: \{a: Number, b: Number\}, type: Number = 2\], ...\)\(\)"
    for args, kwargs, problem in (
        ((3,), {}, "missing 1 required positional argument: 'both'"),
        ((1, 2, 3, 4), {}, "takes from 2 to 3 positional arguments but 4 were given"),
        ((1, 2), {"z": 1}, "got an unexpected keyword argument 'z'"),
        ((1, 2), {"x": 1}, "got multiple values for argument 'x'"),
    ):
        with pytest.raises(TypeError, match=f"^{shown} {problem}"):
            compiled(*args, **kwargs)
    many = function([calc.Number()(f"x{k}") for k in range(30)], [], mode="py")
    with pytest.raises(
        TypeError, match=r"\[x0: Number, .*, x6: Number, ...\], ...\)\(\) missing 30"
    ):
        many()


@pytest.mark.parametrize(
    "name", ["run", "check", "disagree", "r0", "_x", "c", "t", "Neg", "µ", "type", "weft_call"]
)
def test_an_input_may_have_any_name(name: str, calc: Any) -> None:
    v = calc.Number()(name)
    compiled = function([v], -v * 2, mode="py")
    keyword = {"_x": "x", "µ": "μ", "weft_call": "weft_call_2"}.get(name, name)
    assert compiled(4) == compiled(**{keyword: 4}) == -8


def test_builtins_are_not_hidden_from_guards_and_symbols(calc: Any) -> None:
    number, bag, other = calc.Number()("type"), calc.Bag("n")("len"), calc.Bag("n")("v")
    compiled = function([number, bag, other], [number, other], mode="py")
    assert compiled(2.0, [1], v=[3]) == compiled(type=2.0, len=[1], v=[3]) == [2.0, [3]]
    with pytest.raises(ValueError, match="'n' must have one length everywhere"):
        compiled(2.0, [1], [])
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'v'"):
        compiled(2.0, [1])


def test_updates_and_givens_may_be_pairs_but_name_each_variable_once(
    x: Any, y: Any, calc: Any
) -> None:
    s = shared(calc.Number(), 1, "s")
    compiled = function([x], s, updates=[(s, s + y)], givens=((y, x * x),), mode="py")
    assert (compiled(3), get_value(s)) == (1, 10)
    for twice in ("updates", "givens"):
        wrong: Any = {twice: [(s, s + x), (s, s * x)]}
        with pytest.raises(
            ValueError, match=rf"{twice} has <s : Number>, made at line \d+ of .*twice"
        ):
            function([x], s, mode="py", **wrong)
        for pairs, text in (
            ([s], "or pairs of variables, not <s"),
            ([("s", x)], "'s', a str: it must be a Var"),
        ):
            wrong = {twice: pairs}
            with pytest.raises(TypeError, match=f"{twice}.*{text}"):
                function([x], s, mode="py", **wrong)


def test_arguments_are_checked(calc: Any) -> None:
    weight = calc.Number()("weight")
    compiled = function([weight], -weight, mode="py")
    with pytest.raises(TypeError, match=r"input <weight : Number>, made at line .* 'heavy' is not"):
        compiled("heavy")


def test_errors_that_need_more_than_a_message_are_passed_on(calc: Any) -> None:
    class Utf8(calc.Number):  # type: ignore[misc]  # a class out of a fixture
        def filter(self, value: Any) -> Any:
            return value.decode()

    word = Utf8()("word")
    with pytest.raises(UnicodeDecodeError) as caught:
        function([word], word, mode="py")(b"\xff")
    assert caught.value.__notes__[0].startswith("input <word : Utf8>, made at line")


def test_equal_symbols_need_equal_values(calc: Any) -> None:
    a, b, c = calc.Bag("n")("a"), calc.Bag("n")("b"), calc.Bag("2*n")("c")
    compiled = function([a, b, c], [a, b, c], mode="py")
    assert compiled([1], [2], [3, 4]) == [[1], [2], [3, 4]]
    with pytest.raises(ValueError, match=r"'n' must have one length .* \(1\), but it is 1 in a, 2"):
        compiled([1], [2, 3], [3, 4])
    with pytest.raises(ValueError, match=r"'2\*n' must have one length everywhere \(2\), but it"):
        compiled([1], [2], [3])
    unknown = function([c, calc.Bag("2*n")("d")], [c], mode="py")
    assert unknown([1], [2]) == [[1]]
    with pytest.raises(ValueError, match=r"'2\*n' .* 1 in c, 0 in d"):
        unknown([1], [])


def test_outputs_share_no_memory_with_inputs_constants_or_each_other(calc: Any) -> None:
    bag = calc.Bag()("bag")
    fixed = calc.View()(constant(calc.Bag(), [7]))
    doubled = calc.Doubled()(bag)
    outputs = [bag, calc.View()(bag), fixed, doubled, calc.View()(doubled), doubled]
    compiled = function([bag], outputs, mode="py")
    given = [1]
    results = compiled(given)
    assert results == [[1], [1], [7], [1, 1], [1, 1], [1, 1]]
    for result in results:
        result.append(0)
    assert given == [1]
    assert [len(r) for r in results] == [2, 2, 2, 3, 3, 3]
    assert compiled(given) == [[1], [1], [7], [1, 1], [1, 1], [1, 1]]


def test_givens_replace_before_compiling(x: Any, y: Any, z: Any) -> None:
    assert function([y], x * x, givens={x: y + 1}, mode="py")(2) == 9
    assert function([x], -x, givens={x: x + 1}, mode="py")(2) == -3
    middle = x * y
    assert function([middle, z], middle + y, givens={y: z}, mode="py")(10, 1) == 11


def test_pairs_of_structures_are_pairs_of_what_is_in_them(x: Any, y: Any) -> None:
    old, new = {"a": x, "b": [y, None]}, {"a": y + 1, "b": [x * 2, None]}
    assert function([x, y], x * y, givens=[(old, new)], mode="py")(3, 4) == 30
    with pytest.raises(TypeError, match="givens"):
        function([x, y], x * y, givens=[(old, [y, x])], mode="py")
    with pytest.raises(TypeError, match=r"givens is 3.*: it must be a Variable, or a dict"):
        function([x, y], x * y, givens=[(3, y)], mode="py")


def test_missing_and_repeated_inputs(x: Any, y: Any) -> None:
    with pytest.raises(MissingInputError, match="the outputs depend on <y : Number>"):
        function([x], x + y, mode="py")
    with pytest.raises(ValueError, match="listed twice"):
        function([x, x], x, mode="py")


def test_what_is_no_variable(x: Any) -> None:
    with pytest.raises(TypeError, match=r"inputs must be a .*: write function\(\[x\], ...\)"):
        function(x, x, mode="py")
    with pytest.raises(TypeError, match=r"outputs\[1\] is 'x', a str"):
        function([x], [x, "x"], mode="py")


def test_an_input_may_be_a_named_result(x: Any, y: Any, calc: Any) -> None:
    mu = (x + y).named("mu")
    compiled = function([mu], calc.Power(2)(mu), mode="py")
    assert compiled(mu=3) == 9
    behind = calc.Neg()(mu)
    assert function([behind], behind * 2, mode="py")(5) == 10


def test_what_a_function_shows(x: Any, y: Any) -> None:
    compiled = function([x, y], -(x + y), mode="py")
    assert repr(compiled) == "<Function (x: Number, y: Number), 2 nodes, mode py>"
    named = function([x, y], x + y, mode="py", name="total")
    assert named.name == pickle.loads(pickle.dumps(named)).name == "total"
    assert repr(named).startswith("<Function total(x: Number, y: Number), ")
    assert compiled.graph == FunctionGraph([x, y], [-(x + y)])
    assert "t = Add(x, y)" in compiled.source
    assert compiled.inputs == (x, y)
    assert compiled.outputs is -(x + y)


def test_books_are_applied(x: Any, calc: Any) -> None:
    book = RuleBook("book", [Rule(calc.Neg, lambda node: node.inputs[0], name="drop")])
    mode = Mode("py", books=[book])
    assert function([x], -x * 3, mode=mode)(2) == 6
    assert function([x], -x * 3, mode=mode.excluding("drop"))(2) == -6
    kept = -x
    assert function([kept], kept + kept, mode=mode)(2) == 4


def test_tracebacks_show_the_generated_source(x: Any, calc: Any) -> None:
    compiled = function([x], calc.Reciprocal()(x) + x, mode="py")
    with pytest.raises(ZeroDivisionError) as caught:
        compiled(0)
    text = "".join(traceback.format_exception(caught.value))
    assert "t = Reciprocal(x)" in text
    assert "while computing Reciprocal" in text


def test_many_threads_may_call_one_function(x: Any, y: Any) -> None:
    compiled = function([x, y], (x + y) * (x + -y), mode="py")
    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(lambda i: compiled(i, 1), range(500)))
    assert results == [i * i - 1 for i in range(500)]


def test_a_dropped_function_goes_at_once(x: Any) -> None:
    compiled = function([x], -x, mode="py")
    gone = weakref.ref(compiled)
    called = weakref.ref(compiled.__call__)
    gc.disable()
    try:
        del compiled
        assert gone() is None
        assert called() is None
    finally:
        gc.enable()


def test_a_symbol_that_occurs_once_needs_no_check(calc: Any) -> None:
    a = calc.Bag("n")("a")
    compiled = function([a], calc.Doubled()(a), mode="py")
    assert compiled([1, 2]) == [1, 2, 1, 2]


class Offer:
    """What a backend knows of a function."""

    def __init__(self, compiled: Any) -> None:
        self.compiled = compiled

    @property
    def size(self) -> int:
        return len(self.compiled.graph)

    def called(self, *args: Any) -> Any:
        return self.compiled(*args)


class OfferingLinker(PythonLinker):
    def offers(self, function: CompiledFunction) -> Offer:
        return Offer(function)


def test_linkers_may_offer_more_attributes(x: Any) -> None:
    f = function([x], {"b": x + x, "a": x}, mode=OfferingLinker())
    assert f.size == 1
    assert f.called(3) == {"b": 6, "a": 3}
    assert f.results == (x + x, x)
    with pytest.raises(AttributeError, match="compiled for py has no attribute 'lower_text'"):
        _ = f.lower_text
    with pytest.raises(AttributeError, match="compiled for py has no attribute 'size'"):
        _ = function([x], x, mode="py").size
    with pytest.raises(AttributeError, match=r"attribute 'grpah': did you mean graph\?"):
        _ = function([x], x, mode="py").grpah
    with pytest.raises(AttributeError, match=r"attribute 'caled': did you mean called\?"):
        _ = f.caled
