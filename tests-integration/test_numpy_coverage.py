"""Each function of NumPy's that is here is drawn against NumPy's in one of the files beside."""

from __future__ import annotations

from pathlib import Path
from runpy import run_path

import weft.tensor as wt
from tools.numpy_names import functions, written

HERE = Path(__file__).parent
BY_THEMSELVES = """
apply_over_axes astype broadcast_shapes can_cast cummax cummin einsum empty empty_like histogramdd
finfo iinfo isdtype
mask_indices ndim poly polyfit ravel reshape result_type roots stack trace unstack
"""
"""Of which the files have tests that are written out."""


def drawn() -> set[str]:
    """The names in the tables of the files, and those of functions that are the same."""
    names: set[str] = set(BY_THEMSELVES.split())
    for path in HERE.glob("test_numpy_*.py"):
        if path == Path(__file__):
            continue
        tables = run_path(str(path))
        for table in ("CASES", "UNARY", "BINARY"):
            names |= set(tables.get(table, ()))
    return names


def test_each_name_is_drawn() -> None:
    found = drawn()
    same = {id(getattr(wt, name)) for name in found if hasattr(wt, name)}
    missing = [
        name
        for name in functions("numpy")
        if (ours := written("numpy", name))
        and name not in found
        and id(getattr(wt, ours, None)) not in same
    ]
    assert missing == []
