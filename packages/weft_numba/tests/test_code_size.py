"""How much code graphs become before LLVM improves it: its time depends on that."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numba.core.codegen import CPUCodeLibrary

import weft_tensor as wt
from weft_graph import function, grad
from weft_numba import llvm_code
from weft_tensor.ops.distributions.groups.one_sided_share import ksone_sf
from weft_tensor.ops.special.incomplete import betainc
from weft_tensor.ops.special.noncentral.chi_square import log_ncx2cdf, log_ncx2sf


@pytest.fixture
def modules(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The text of all that is given to LLVM."""
    given: list[str] = []
    usual: Any = CPUCodeLibrary.add_ir_module

    def noted(library: Any, module: Any) -> None:
        given.append(str(module))
        usual(library, module)

    monkeypatch.setattr(CPUCodeLibrary, "add_ir_module", noted)
    monkeypatch.setenv("WEFT_CACHE_DIR", "off")
    return given


def written(modules: list[str], inputs: list[Any], outputs: Any) -> int:
    """How many lines `outputs` are."""
    modules.clear()
    function(inputs, outputs, mode="numba")
    return sum(text.count("\n") for text in modules)


def lines(modules: list[str], steps: int) -> int:
    weights, state = wt.matrix("weights"), wt.vector("state")
    out = state
    for _ in range(steps):
        out = wt.tanh(weights @ out)
    return written(modules, [weights, state], out)


@pytest.mark.cases(0)
def test_a_step_more_is_a_few_instructions(modules: list[str]) -> None:
    lines(modules, 1)
    few, some, many = (lines(modules, steps) for steps in (10, 20, 30))
    assert 0 < some - few == many - some <= 10 * 35


def vectors(count: int) -> list[Any]:
    return [wt.vector(f"x{k}") for k in range(count)]


def handed_on(xs: list[Any]) -> list[Any]:
    """Numbers of each vector that the next one needs, and all do in the end."""
    numbers = [wt.sum(x) for x in xs]
    for _ in range(3):
        numbers = [wt.sum(x * a) for x, a in zip(xs, [*numbers[1:], numbers[0]], strict=True)]
    return [sum(numbers[1:], numbers[0])]


GROWING: dict[str, tuple[int, Callable[[list[Any]], Any]]] = {
    "inputs": (0, lambda xs: xs[0]),
    "concatenate": (10, wt.concatenate),
    "stack": (10, wt.stack),
    "inputs and outputs": (70, lambda xs: xs),
    "results": (170, lambda xs: [x + 1 for x in xs]),
    "joined results": (170, lambda xs: wt.concatenate([x + 1 for x in xs])),
    "results of one pass": (150, lambda xs: [xs[0] + k for k in range(len(xs))]),
}


@pytest.mark.cases(1)
@pytest.mark.parametrize("name", GROWING)
def test_an_array_more_is_a_few_instructions(name: str, modules: list[str]) -> None:
    """Not a few times as many instructions as there are arrays."""
    most, compute = GROWING[name]
    few, some, many = (
        written(modules, xs, compute(xs)) for xs in (vectors(20), vectors(40), vectors(60))
    )
    assert 0 <= some - few <= 20 * most
    assert many - some <= some - few + 20


def looped(xs: list[Any]) -> list[Any]:
    """The last values of so many states of one loop."""
    turned, _ = wt.loop.scan(lambda states, _: ([*states[1:], states[0]], None), xs, length=3)
    return list(turned)


@pytest.mark.cases(0)
def test_a_state_more_is_a_few_instructions(modules: list[str]) -> None:
    """Not one more wherever a step may fail, for each of the others."""
    few, some, many = (written(modules, xs, looped(xs)) for xs in map(vectors, (5, 10, 15)))
    assert some - few <= 5 * 220
    assert many - some <= some - few + 20


def test_a_state_that_nobody_reads_is_not_copied(modules: list[str]) -> None:
    x, y = wt.vector("x"), wt.vector("y")
    last, before = wt.fori_loop(0, 4, lambda k, s: (s[0] + wt.exp(s[1]), s[0]), (x, y))

    def calls(outputs: list[Any]) -> int:
        written(modules, [x, y], outputs)
        return "".join(modules).count('call i32 @"weft_apart_')

    assert calls([last]) < calls([last, before])


def test_memory_is_not_filled_with_zeros_in_vain(modules: list[str]) -> None:
    """LLVM takes such a store apart, number by number."""
    x = wt.vector("x")
    written(modules, [x], wt.fori_loop(0, 4, lambda k, s: wt.exp(s) - wt.sum(wt.exp(s)), x))
    text = "".join(modules)
    assert "[128 x i64]" in text
    assert not re.search(r"store \[\d+ x i(64|8\*)\] zeroinitializer", text)


@pytest.mark.cases(0)
def test_a_number_that_loops_hand_on_is_a_few_instructions(modules: list[str]) -> None:
    """Who needs one of those that a loop gives takes no other apart."""
    few, many = (written(modules, xs, handed_on(xs)) for xs in map(vectors, (20, 60)))
    assert many - few <= 40 * 60


REARRANGED: dict[str, Callable[[Any], Any]] = {
    "transpose": lambda x: x.T,
    "slice": lambda x: x[1:, :2],
    "expand_dims": lambda x: x.expand_dims(1),
    "concatenate": lambda x: wt.concatenate([x, x]),
    "argsort": lambda x: wt.argsort(x, axis=1),
}


@pytest.mark.cases(0)
@pytest.mark.parametrize("name", REARRANGED)
def test_an_array_rearranged_is_a_few_instructions(name: str, modules: list[str]) -> None:
    """Beside those that take it in and give it back."""
    few, some = (
        written(modules, xs, [REARRANGED[name](x) for x in xs])
        for xs in ([wt.matrix(f"x{k}") for k in range(count)] for count in (5, 10))
    )
    assert some - few <= 5 * 170


@pytest.mark.cases(0)
def test_a_loop_has_views_in_place(modules: list[str]) -> None:
    """Calls would take as long as the views."""
    x = wt.vector("x")

    def functions_apart(compute: Callable[[Any], Any]) -> int:
        written(modules, [x], compute(x))
        return "".join(modules).count('\ndefine internal i32 @"weft_apart_')

    def twice(read: Callable[[Any], Any]) -> Callable[[Any], Any]:
        return lambda x: wt.fori_loop(0, 2, lambda k, state: read(wt.sin(state)), x)

    assert functions_apart(lambda x: wt.sin(x)[::-1]) == functions_apart(wt.sin) + 1
    assert functions_apart(twice(lambda x: x[::-1])) == functions_apart(twice(lambda x: x))


def test_arrays_of_one_rank_are_allocated_by_one_function(modules: list[str]) -> None:
    x, y = wt.vector("x"), wt.matrix("y")
    written(modules, [x, y], [wt.exp(x), wt.sort(x), wt.exp(y), y @ y, wt.concatenate([y, y])])
    text = "".join(modules)
    assert len(re.findall(r"define internal i32 @.?weft_new_array_1_8", text)) == 1
    assert len(re.findall(r"call i32 @.?weft_new_array_2_8", text)) > 2
    assert len(re.findall(r"call i8\* @.?NRT_weft_allocate", text)) == 2


@pytest.mark.cases(0)
def test_what_is_held_on_many_ways_out_stays_in_memory(modules: list[str]) -> None:
    """In registers, each array would take an instruction for each way out."""
    x, y = wt.matrix("x"), wt.matrix("y")
    products = [x]
    for _ in range(24):
        products.append(wt.tanh(products[-1] @ y))
    written(modules, [x, y], products)
    assert re.search(r"call void @.?weft_give_back", "".join(modules))
    written(modules, [x, y], products[:2])
    assert "weft_give_back" not in "".join(modules)


@pytest.mark.parametrize("slow", [wt.special.jv, wt.special.hyperu, wt.special.betainc])
def test_functions_of_vectors_are_where_loops_call_them(slow: Any) -> None:
    """A loop that calls a function which knows no vectors is never made of these."""
    x, y = wt.vector("x"), wt.matrix("y")
    fast = wt.special.gammaln(y) + x
    others = (x, y, 0.5)[: 3 if slow is not wt.special.jv else 2]
    assert "weft_gammaln_double_" in llvm_code(function([x, y], fast, mode="numba"))
    text = llvm_code(function([x, y], fast + slow(*others), mode="numba"))
    assert "weft_gammaln_double(" in text
    assert "weft_gammaln_double_" not in text
    assert "contiguous" not in text


def test_tails_and_slopes_of_the_same_numbers_are_one_function() -> None:
    """A function of other numbers is its own."""
    x, df, nc = wt.vectors("x", "df", "nc")
    below, above = log_ncx2cdf(x, df, nc), log_ncx2sf(x, df, nc)
    text = llvm_code(function([x, df, nc], [below, above], mode="numba"))
    defined = re.findall(r"define [^@]*@(weft_sum_\w+)\(", text)
    assert defined == ["weft_sum_log_ncx2cdf__log_ncx2sf_double"]
    apart = log_ncx2sf(x + 1, df, nc)
    text = llvm_code(function([x, df, nc], [below, apart], mode="numba"))
    defined = re.findall(r"define [^@]*@(weft_sum_\w+)\(", text)
    assert sorted(defined) == ["weft_sum_log_ncx2cdf_double", "weft_sum_log_ncx2sf_double"]


def test_tails_of_which_a_search_takes_one_are_one_function() -> None:
    p, df, nc = wt.vectors("p", "df", "nc")
    text = llvm_code(function([p, df, nc], wt.special.chndtrix(p, df, nc), mode="numba"))
    defined = re.findall(r"define [^@]*@weft_sum_(\w*log_ncx2[cs]\w+)\(", text)
    assert defined == ["log_ncx2sf__log_ncx2cdf_double"]


def test_logarithms_outside_loops_are_called() -> None:
    """Where functions with loops are called, and in these before their loops."""
    x, n = wt.vectors("x", "n")
    text = llvm_code(function([x, n], wt.log(betainc(n, 2.0, x)) + wt.log(x), mode="numba"))
    assert len(re.findall(r"define [^@]*@weft_log_double\(", text)) == 1
    assert len(re.findall(r"call double @weft_log_double\(", text)) == 2
    assert "weft_log_double" not in llvm_code(function([x], wt.log(x) + 1, mode="numba"))


def test_sums_of_each_step_of_a_recurrence_are_loops() -> None:
    x, n = wt.vectors("x", "n")
    text = llvm_code(function([x, n], ksone_sf(x, n), mode="numba"))
    whole = text[text.index("define linkonce_odr double @weft_sum_ksone_sf") :]
    assert whole[: whole.index("\n}")].count("!llvm.loop") == 2
    assert whole.count("@weft_sum_ksone_sf_double(") == 2


@pytest.mark.cases(0)
def test_what_leads_to_loops_once_is_left_as_written(modules: list[str]) -> None:
    """LLVM only translates it where there is much; what runs often it optimises."""
    m = wt.matrix("m")

    def left(output: Any) -> list[str]:
        written(modules, [m], output)
        functions = re.findall(r"(?m)^define[^{}]*weft_apart_[^$]*?^}", "".join(modules))
        calling = [text for text in functions if re.search(r"call i8 @.?weft_nest", text)]
        assert calling
        left_for_python = re.findall(r"(?m)^define.*_ZN7cpython.*optnone", "".join(modules))
        found = [text for text in calling if "optnone" in text]
        assert bool(left_for_python) == bool(found)
        return found

    def slope(m: Any) -> Any:
        return grad(wt.sum(wt.linalg.funm(m, wt.exp) ** 2), m)

    assert left(slope(m))
    assert not left(wt.exp(m).T)
    assert not left(wt.fori_loop(0, 4, lambda k, s: slope(s), m))


@pytest.mark.cases(0)
def test_a_long_program_without_loops_is_left_as_written(modules: list[str]) -> None:
    x = wt.vector("x")
    fifties = x[wt.arange(x.shape[0] - 49)[:, None] + wt.arange(50)]
    slope = grad(wt.sum(wt.std(fifties, axis=-1)), x)

    def is_left(output: Any) -> bool:
        written(modules, [x], output)
        heads = re.findall(r"(?m)^define i32.*13weft_function.*", "".join(modules))
        assert heads
        return any("optnone" in head for head in heads)

    assert not is_left(wt.exp(x))
    assert is_left(slope)
    values = np.sin(np.arange(120.0) ** 2)
    found, expected = (function([x], slope, mode=mode)(values) for mode in ("numba", "py"))
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-14)


def test_what_is_read_of_an_array_of_many_is_read_once(modules: list[str]) -> None:
    x = wt.vector("x")

    def steps(count: int) -> int:
        values = [wt.special.gammaln(x + k) for k in range(count)]
        return written(
            modules, [x], sum(wt.exp(v - wt.max(v)) / k for k, v in enumerate(values, 1))
        )

    assert steps(8) - steps(4) <= 4 * 20
