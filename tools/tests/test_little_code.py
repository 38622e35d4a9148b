"""Code that is soon written computes what users' does."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import pytest
from numba.core.codegen import JITCPUCodegen

from tools.little_code import LittleCodegen, choose


@pytest.mark.parametrize("little", [True, False])
def test_functions_call_one_another(little: bool) -> None:
    """The next test chooses again, whatever was chosen here."""
    choose(little=not little)
    double: Any = numba.njit(lambda x: np.exp(x) * 2)
    expected = double(np.zeros(3))
    choose(little=little)
    sums: Any = numba.njit(lambda x: double(x).sum())
    assert sums(np.zeros(3)) == expected.sum() == 6
    (compiled,) = sums.overloads.values()
    kind = LittleCodegen if little else JITCPUCodegen
    assert type(compiled.library.codegen) is kind


def test_what_nobody_calls_is_no_code() -> None:
    choose(little=True)
    f: Any = numba.njit(lambda n: np.zeros(n).sum())
    assert f(3) == 0
    (compiled,) = f.overloads.values()
    names = [function.name for function in compiled.library.get_defined_functions()]
    assert any("NRT" in name for name in names)
    assert "NRT_MemInfo_varsize_alloc" not in names
