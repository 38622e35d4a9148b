"""The public face of the package."""

from __future__ import annotations

import ast
import importlib
from inspect import signature
from pathlib import Path
from typing import Any

import pytest

import weft_tensor
from weft_tensor import TensorVariable, extend
from weft_tensor.build import variable
from weft_tensor.front.methods import METHODS

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
    missing = set(offered) - {*weft_tensor.__all__, *extend.__all__}
    assert not missing


def test_the_list_has_no_name_twice_and_none_that_is_not_there() -> None:
    assert len(set(weft_tensor.__all__)) == len(weft_tensor.__all__)
    assert [name for name in weft_tensor.__all__ if not hasattr(weft_tensor, name)] == []


DECLARED = {
    node.name: [a.arg for a in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]
    for interface in ast.parse(Path(variable.__file__).read_text()).body
    if isinstance(interface, ast.ClassDef) and interface.name == "TensorVariable"
    for block in interface.body
    if isinstance(block, ast.If)
    for node in block.body
    if isinstance(node, ast.FunctionDef)
}
"""The methods that stand in the interface of variables alone, and their parameters."""


def test_each_method_of_the_interface_is_bound_to_what_computes_it() -> None:
    unchecked = {"__array_function__", "__getattr__"}  # type checkers are to see less of them
    assert METHODS.keys() - unchecked == DECLARED.keys()
    assert all(vars(TensorVariable)[name] is method for name, method in METHODS.items())


@pytest.mark.parametrize("name", [n for n in DECLARED if not n.startswith("__")])
def test_a_method_takes_what_its_interface_says(name: str) -> None:
    method = METHODS[name]
    function: Any = method.fget if isinstance(method, property) else method
    everything = signature(function).parameters.values()
    _, *taken = [p for p in everything if p.kind is not p.VAR_POSITIONAL]
    _, *declared = DECLARED[name]
    assert [p.name for p in taken[: len(declared)]] == declared
    rest = taken[len(declared) :]
    assert isinstance(method, property) or not rest
    assert all(p.default is not p.empty for p in rest)
