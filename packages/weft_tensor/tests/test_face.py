"""The public face of the package."""

from __future__ import annotations

import ast
import importlib
from pathlib import Path

import pytest

import weft_tensor

SOURCE = Path(weft_tensor.__file__)
STARRED = [
    node.module
    for node in ast.parse(SOURCE.read_text()).body
    if isinstance(node, ast.ImportFrom) and node.module and node.names[0].name == "*"
]


@pytest.mark.parametrize("module", STARRED)
def test_all_that_a_module_offers_is_listed(module: str) -> None:
    home = importlib.import_module(module)
    offered = getattr(home, "__all__", [name for name in vars(home) if not name.startswith("_")])
    missing = set(offered) - set(weft_tensor.__all__)
    assert not missing


def test_the_list_has_no_name_twice_and_none_that_is_not_there() -> None:
    assert len(set(weft_tensor.__all__)) == len(weft_tensor.__all__)
    assert [name for name in weft_tensor.__all__ if not hasattr(weft_tensor, name)] == []
