"""The public face of the package."""

from __future__ import annotations

import ast
import importlib
from importlib import import_module
from inspect import signature
from pathlib import Path
from typing import Any

import pytest

import weft_tensor
from weft_tensor import TensorVariable, extend
from weft_tensor.build import variable
from weft_tensor.build.lazy_import import LateMethod
from weft_tensor.front.methods import METHODS

SOURCE = Path(weft_tensor.__file__)
IMPORTS = [
    (node.module, alias.name)
    for node in ast.walk(ast.parse(SOURCE.read_text()))
    if isinstance(node, ast.ImportFrom) and node.module
    for alias in node.names
    if not (alias.asname or "").startswith("_")
]
OFFERED: list[str] = import_module("weft_tensor").__all__
STARRED = [module for module, name in IMPORTS if name == "*"]


@pytest.mark.parametrize("module", STARRED)
def test_all_that_a_module_offers_is_listed(module: str) -> None:
    home = importlib.import_module(module)
    offered = getattr(home, "__all__", [name for name in vars(home) if not name.startswith("_")])
    missing = set(offered) - {*OFFERED, *extend.__all__}
    assert not missing


def test_the_list_has_no_name_twice_and_none_that_is_not_there() -> None:
    assert len(set(OFFERED)) == len(OFFERED)
    assert [name for name in OFFERED if not hasattr(weft_tensor, name)] == []


def test_type_checkers_are_shown_what_is_there() -> None:
    starred = {name for module in STARRED for name in importlib.import_module(module).__all__}
    shown = starred | {name for module, name in IMPORTS if module.startswith("weft_tensor")}
    assert shown - {"*"} == set(OFFERED)


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
    assert METHODS.keys() - unchecked == DECLARED.keys() - {"__len__"}
    for name, method in METHODS.items():
        assert vars(TensorVariable)[name] is method or isinstance(method, LateMethod)
        assert callable(bound(name))


def bound(name: str) -> Any:
    """What computes a method, or a property."""
    getattr(TensorVariable, name)  # now it is imported
    found: Any = vars(TensorVariable)[name]
    return found.fget if isinstance(found, property) else found


@pytest.mark.parametrize("name", [n for n in DECLARED if not n.startswith("__")])
def test_a_method_takes_what_its_interface_says(name: str) -> None:
    everything = signature(bound(name)).parameters.values()
    _, *taken = [p for p in everything if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    _, *declared = DECLARED[name]
    assert [p.name for p in taken[: len(declared)]] == declared
    rest = taken[len(declared) :]
    is_property = isinstance(vars(TensorVariable)[name], property)
    assert is_property or all(p.kind is p.KEYWORD_ONLY for p in rest)
    assert all(p.default is not p.empty for p in rest)


def test_what_overrides_a_method_finds_the_one_above() -> None:
    class Numbers(list[float]):
        mean: Any = LateMethod("statistics.fmean")

    class Doubled(Numbers):
        def mean(self) -> Any:
            return 2 * super().mean()

    assert Doubled([1.0, 2.0]).mean() == 3.0
    assert Numbers([1.0, 2.0]).mean() == 1.5
