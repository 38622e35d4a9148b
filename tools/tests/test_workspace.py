"""The workspace's declarations are read, and followed, as their authors mean them."""

import pytest

from tools.affected import affected, paths
from tools.workspace import Requirement, closure, read_packages

PACKAGES = read_packages()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("numpy>=2.0", Requirement("numpy", frozenset(), ">=2.0")),
        ("weft-graph==0.1.*", Requirement("weft_graph", frozenset(), "==0.1.*")),
        ("weft[jax, numba]", Requirement("weft", frozenset({"jax", "numba"}), "")),
        ("Some.Name ~= 1.0 ; os_name == 'nt'", Requirement("some_name", frozenset(), "~= 1.0")),
    ],
)
def test_requirement(text: str, expected: Requirement) -> None:
    assert Requirement.parse(text) == expected


def test_text_that_is_no_requirement_is_refused() -> None:
    with pytest.raises(ValueError, match="not a requirement"):
        Requirement.parse("==1.0")


def test_graph_core_depends_on_nothing() -> None:
    assert PACKAGES["weft_graph"].requires == ()
    assert closure(PACKAGES, "weft_graph") == {"weft_graph"}


def test_closure_follows_dependencies_but_no_extras() -> None:
    assert closure(PACKAGES, "weft") == {"weft", "weft_graph", "weft_rewrites", "weft_tensor"}


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ([], []),
        (["docs/index.md", "README.md"], []),
        (["packages/weft/README.md"], ["weft", "weft_pytensor"]),
        (
            ["packages/weft_numba/src/weft_numba/any.py"],
            ["weft", "weft_numba", "weft_pytensor", "weft_testing"],
        ),
        (["packages/weft_graph/src/weft_graph/any.py"], sorted(PACKAGES)),
        (["packages/weft/pyproject.toml", "pyproject.toml"], sorted(PACKAGES)),
    ],
)
def test_affected_packages(changed: list[str], expected: list[str]) -> None:
    assert affected(changed, PACKAGES) == expected


def test_what_is_tested_of_affected_packages() -> None:
    shared = ["tests-integration", "tools/tests", "docs", "README.md"]
    assert paths(["weft_jax"], PACKAGES) == ["packages/weft_jax", *shared]
    assert paths([], PACKAGES) == ["docs", "README.md"]
