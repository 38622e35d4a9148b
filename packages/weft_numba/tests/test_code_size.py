"""How much code graphs become before LLVM improves it: its time depends on that."""

from __future__ import annotations

from typing import Any

import pytest
from numba.core.codegen import CPUCodeLibrary

import weft_tensor as wt
from weft_graph import function


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


def lines(modules: list[str], steps: int) -> int:
    modules.clear()
    weights, state = wt.matrix("weights"), wt.vector("state")
    out = state
    for _ in range(steps):
        out = wt.tanh(weights @ out)
    function([weights, state], out, mode="numba")
    return sum(text.count("\n") for text in modules)


def test_a_step_more_is_a_few_instructions(modules: list[str]) -> None:
    lines(modules, 1)
    few, some, many = (lines(modules, steps) for steps in (10, 20, 30))
    assert 0 < some - few == many - some <= 10 * 40
