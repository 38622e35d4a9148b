"""Functions that others call are no machine code of their own, and can be called all the same."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import pytest
from numba.core.codegen import JITCodeLibrary

import weft_tensor as wt
from weft_graph import function, grad
from weft_numba import numba_funcify
from weft_numba.lowering.njit_source import compiled, njit

m, S, rows = wt.vector("m"), wt.matrix("S"), wt.matrix("rows")


@pytest.fixture
def finalized(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of what became machine code."""
    names: list[str] = []
    usual: Any = JITCodeLibrary._finalize_specific

    def noted(library: Any) -> None:
        names.append(library.name)
        usual(library)

    monkeypatch.setattr(JITCodeLibrary, "_finalize_specific", noted)
    monkeypatch.setenv("WEFT_CACHE_DIR", "off")
    return names


@pytest.mark.cases(0)
def test_all_of_a_graph_becomes_machine_code_at_once(finalized: list[str]) -> None:
    density = wt.stats.multivariate_normal.logpdf
    total = wt.map(lambda row: density(row, m, S), rows).sum()
    f = function([rows, m, S], [total, *grad(total, [m, S])], mode="numba")
    f(np.ones((5, 3)), np.zeros(3), np.eye(3))
    assert [name for name in finalized if name != "nrt"] == ["weft_function"]


def test_a_part_can_be_called_before_and_after() -> None:
    half = compiled("def lowered(x):\n    return x / 2  # a part\n")
    quarter = njit(lambda x: half(half(x)))
    assert quarter(8.0) == half(4.0) == 2.0
    assert njit(lambda x: half(x) + quarter(x))(8.0) == 6.0
    assert numba.njit(lambda x: half(x))(np.float32(1.0)) == 0.5


class Shown(wt.TensorOp):
    """An Op whose code asks Python."""

    def infer(self, *types: Any) -> Any:
        return types[0]

    def impl(self, *values: Any) -> Any:
        return values[0]


@numba_funcify.register(Shown)
def shown(op: Shown, **kwargs: object) -> Any:
    def lowered(x: Any) -> Any:
        with numba.objmode(y="float64"):
            y = float(str(x))
        return y

    return lowered


@pytest.mark.parametrize("addend", [1.0, 2.0])
def test_parts_find_the_objects_of_python(addend: float) -> None:
    x = wt.vector("x")
    f = function([x], wt.map(lambda v: Shown()(v) + addend, x), mode="numba")
    assert f([1.5, 2.5]).tolist() == [1.5 + addend, 2.5 + addend]
