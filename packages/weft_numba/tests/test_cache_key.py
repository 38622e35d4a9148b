"""What the key of an entry is made of: whatever changes the machine code."""

from dataclasses import replace
from pathlib import Path
from textwrap import dedent
from typing import Any

import numpy as np
import pytest

import weft_tensor as wt
from weft_graph import FunctionGraph, Mode, Rule, function, grad, rewrite_graph, wildcard
from weft_graph.disk import request_key as key_module
from weft_graph.extend import Compiler, CompileRequest
from weft_numba import NumbaLinker, cache, numba_funcify
from weft_numba.disk.cache_key import NUMBA

pytestmark = pytest.mark.usefixtures("cache_folder")


def phase(mode: Any = "numba") -> str:
    """What compiling a function ended with: "link" or "recall"."""
    x = wt.vector("x")
    return str(function([x], wt.exp(x) + 1.0, mode=mode).log[-1].name)


def test_a_key_is_computed_once_and_not_for_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def counted(compiler: Any, linker: Any, request: CompileRequest) -> str | None:
        asked.append(request)
        return usual(compiler, linker, request)

    usual = Compiler.key
    monkeypatch.setattr(Compiler, "key", counted)
    assert [phase() for _ in range(2)] == ["link for numba", "recall for numba"]
    assert len(asked) == 2
    monkeypatch.setenv("WEFT_CACHE_DIR", "off")
    assert phase() == "link for numba"
    assert len(asked) == 2


def test_constants_count_by_content() -> None:
    x = wt.vector("x")
    for scale in (1.0, 1.0, 3.0):
        data = wt.constant(scale * np.arange(1000.0))
        f = function([x], [x * data, wt.log(data + 1.0)], mode="numba")
        product, folded = f(np.ones(1000))
        assert product.tolist() == (scale * np.arange(1000.0)).tolist()
        np.testing.assert_allclose(folded, np.log1p(scale * np.arange(1000.0)))
    assert cache.info().entries == 2


def test_constants_are_found_whatever_names_results_have() -> None:
    x, first, second = wt.vector("x"), np.arange(3.0), np.sqrt(np.arange(3.0))
    scaled = wt.exp(x) * wt.constant(first)
    for result, expected in ((scaled.named("scaled"), "link"), (scaled, "recall")):
        f = function([x], result + wt.sin(x) * wt.constant(second), mode="numba")
        assert f.log[-1].name == f"{expected} for numba"
        assert f(np.zeros(3)).tolist() == first.tolist()
        np.testing.assert_allclose(f(np.ones(3)), np.e * first + np.sin(1.0) * second)


def test_minima_are_recalled_and_have_their_derivatives() -> None:
    for _ in range(2):
        a = wt.scalar("a")
        found = wt.optimize.minimize_scalar(
            lambda x, a: (x - a) ** 4 + x**2, bounds=(-5.0, 5.0), args=(a,)
        )
        f = function([a], [found.x, grad(found.x, a)], mode="numba")
        x, slope = f(2.0)
        assert abs(4 * (x - 2) ** 3 + 2 * x) < 1e-6
        np.testing.assert_allclose(slope, 12 * (x - 2) ** 2 / (12 * (x - 2) ** 2 + 2), 1e-6)
    assert f.log[-1].name == "recall for numba"


OPS = """
    import numpy as np
    from weft_graph import Op
    from weft_numba import numba_funcify
    import helping

    class Scaled(Op):
        def infer(self, x):
            return x
        def impl(self, x):
            return 2.0 * x

    @numba_funcify.register(Scaled)
    def lowered(op, **kwargs):
        return helping.scaled
"""

HELPING = """
    def scaled(x):
        return FACTOR * x
"""

USER = """
    import weft_tensor as wt
    from weft_graph import function
    from ops import Scaled

    x = wt.vector("x")
    f = function([x], Scaled()(x), mode="numba")
    print(f([1.0])[0], f.log[-1].name, sep=",")
"""


@pytest.mark.cases(0)
def test_a_lowering_of_the_user_counts_by_its_source(tmp_path: Path, run: Any) -> None:
    (tmp_path / "ops.py").write_text(dedent(OPS))
    for factor, found in ((2, "link"), (2, "recall"), (3, "link"), (3, "recall")):
        text = dedent(HELPING).replace("FACTOR", f"{factor}.0")
        if not (tmp_path / "helping.py").exists() or found == "link":
            (tmp_path / "helping.py").write_text(text)
        assert run(USER, tmp_path) == [f"{factor}.0", f"{found} for numba"]


KIND = """
    import weft_tensor as wt
    import helping

    class Scaled(wt.TensorOp):
        def kind(self, x):
            return wt.Pointwise(helping.scaled)
"""


@pytest.mark.cases(0)
def test_a_kind_of_the_user_counts_by_its_source(tmp_path: Path, run: Any) -> None:
    (tmp_path / "ops.py").write_text(dedent(KIND))
    for factor, found in ((2, "link"), (2, "recall"), (3, "link"), (3, "recall")):
        if found == "link":
            text = dedent(HELPING).replace("FACTOR", f"{factor}.0")
            (tmp_path / "helping.py").write_text(text)
        assert run(USER, tmp_path) == [f"{factor}.0", f"{found} for numba"]


def key(mode: Mode, compiler: Compiler = NUMBA) -> str | None:
    x = wt.vector("x")
    books = [*mode.books, *mode.linker.books]
    return compiler.key(
        mode.linker, CompileRequest(FunctionGraph([x], [wt.exp(x)]), books, rewrite_graph)
    )


def test_the_key_tells_modes_and_linkers_apart() -> None:
    plain = Mode("numba")
    modes = [
        plain,
        Mode("numba", books=[]),
        Mode(NumbaLinker(exact=True)),
        Mode(NumbaLinker(parallel=True)),
        Mode(NumbaLinker(nogil=True)),
    ]
    keys = [key(mode) for mode in modes]
    assert None not in keys
    assert len({*keys}) == len(modes)
    assert key(Mode("numba")) == keys[0]


@pytest.mark.parametrize("changed", ["version", "processor", "option"])
def test_the_key_tells_versions_processors_and_options_apart(
    changed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, machine = key(Mode("numba")), vars(NUMBA)["machine"]
    machine.cache_clear()
    with monkeypatch.context() as patched:
        if changed == "version":
            patched.setitem(NUMBA.versions, "numba", "999.0")
        elif changed == "processor":
            patched.setattr("llvmlite.binding.get_host_cpu_name", lambda: "another")
        else:
            patched.setenv("NUMBA_OPT", "1")
        assert key(Mode("numba")) not in (before, None)
    machine.cache_clear()
    assert key(Mode("numba")) == before


@pytest.mark.parametrize("changed", ["weft_graph", "weft_tensor", "weft_numba"])
def test_the_key_changes_with_the_sources_of_weft(
    changed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, usual = key(Mode("numba")), key_module._stamp
    monkeypatch.setattr(
        key_module, "_stamp", lambda name: "new" if name == changed else usual(name)
    )
    assert key(Mode("numba")) not in (before, None)


def test_what_other_processes_can_not_know_has_no_key() -> None:
    a = wildcard("a")
    rule = Rule(wt.exp(wt.log(a)), a, name="my own")
    assert key(Mode("numba").including(rule)) is None
    assert key(Mode("numba", books=[lambda graph: graph])) is None


def test_a_lowering_without_a_source_file_has_no_key() -> None:
    namespace: dict[str, Any] = {"__name__": "typed_in_a_shell"}
    exec("def lowered(op, **kwargs): return None", namespace)
    table = {**numba_funcify.registry, wt.Elemwise: namespace["lowered"]}
    assert key(Mode("numba")) is not None
    typed = replace(NUMBA, table=type("Table", (), {"registry": table}))
    assert key(Mode("numba"), typed) is None
