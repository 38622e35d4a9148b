"""The import check finds what a package does not declare."""

from pathlib import Path

import pytest

from tools.check_imports import check

DECLARED = 'dependencies = ["lower", "third-party>=1"]\noptional-dependencies.fast = ["faster"]'


@pytest.fixture
def module(tmp_path: Path) -> Path:
    """Return a module, still to be written, of a package above another one."""
    for name, declarations in [("lower", ""), ("upper", DECLARED), ("stranger", "")]:
        source = tmp_path / "packages" / name / "src" / name
        source.mkdir(parents=True)
        project = f'[project]\nname = "{name}"\nversion = "1.0.0"\n{declarations}\n'
        (tmp_path / "packages" / name / "pyproject.toml").write_text(project)
    return tmp_path / "packages" / "upper" / "src" / "upper" / "module.py"


def problems(module: Path, source: str) -> list[str]:
    module.write_text(source)
    return check(module.parents[4])


@pytest.mark.parametrize(
    "statement",
    [
        "import collections.abc",
        "import lower",
        "from lower import thing",
        "import third_party.deep.inside",
        "from . import sibling",
        "from .sibling import thing",
        "from upper.sibling import thing",
        "import faster",
    ],
)
def test_declared_imports_pass(module: Path, statement: str) -> None:
    assert problems(module, statement) == []


@pytest.mark.parametrize(
    "source",
    [
        "import stranger",
        "from stranger import thing",
        "if TYPE_CHECKING:\n    import stranger",
        "def function():\n    from stranger import thing",
        "try:\n    import stranger\nexcept ImportError:\n    pass",
    ],
)
def test_undeclared_import_is_named(module: Path, source: str) -> None:
    line = 1 + source[: source.index("stranger")].count("\n")
    place = f"packages/upper/src/upper/module.py:{line}"
    assert problems(module, source) == [f"{place}: imports stranger, which upper does not declare"]


def test_import_past_the_public_face_is_named(module: Path) -> None:
    assert problems(module, "from lower.inside import thing") == [
        "packages/upper/src/upper/module.py:1: imports lower.inside; import from lower itself"
    ]
