"""The import check finds what a package does not declare, and what its layout contradicts."""

import ast
from pathlib import Path
from typing import Any

import pytest

from tools.check_imports import check
from tools.layout import import_statements
from tools.workspace import ROOT

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
        "try:\n    pass\nexcept ImportError:\n    import stranger",
        "match 1:\n    case 1:\n        import stranger",
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


def test_what_a_package_shows_to_authors_is_a_public_face(module: Path) -> None:
    assert problems(module, "from lower.extend import thing") == []


BASE = "packages/weft_high/src/weft_high"
ORDER = "against the order low < ops < modules beside them"


@pytest.fixture
def rooms(tmp_path: Path) -> Path:
    """Return the sources of a backend with two folders, beside a package of Ops."""
    tables = {
        "weft_tensor": "",
        "weft_high": 'entry-points."weft.linkers" = {}\n[tool.weft]\nfolders = ["low", "ops"]\n',
    }
    for name, declared in tables.items():
        (tmp_path / "packages" / name).mkdir(parents=True)
        text = f'[project]\nname = "{name}"\nversion = "1.0.0"\n{declared}'
        (tmp_path / "packages" / name / "pyproject.toml").write_text(text)
    ops = tmp_path / "packages/weft_tensor/src/weft_tensor/ops/family"
    ops.mkdir(parents=True)
    (ops / "sine.py").touch()
    for place in ("__init__", "low/__init__", "low/a", "low/b", "ops/family/sine", "linker"):
        file = tmp_path / BASE / f"{place}.py"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    return tmp_path


def test_imports_along_the_order_pass(rooms: Path) -> None:
    (rooms / BASE / "ops/family/sine.py").write_text("from weft_high.low import a, b\n")
    (rooms / BASE / "low/b.py").write_text("from . import a\n")
    (rooms / BASE / "linker.py").write_text("import weft_high.ops.family.sine\n")
    (rooms / BASE / "__init__.py").write_text("from weft_high.linker import *\n")
    (rooms / BASE / "low/__init__.py").write_text("from weft_high.low.a import *\n")
    assert check(rooms) == []


@pytest.mark.parametrize(
    ("statement", "target"),
    [
        ("from weft_high.ops.family import sine", "ops/family/sine.py"),
        ("from ..ops.family.sine import thing", "ops/family/sine.py"),
        ("from weft_high.linker import Linker", "linker.py"),
        ("from weft_high import Linker", "__init__.py"),
        ("import weft_high.linker as linker", "linker.py"),
    ],
)
def test_an_import_against_the_order_is_named(rooms: Path, statement: str, target: str) -> None:
    (rooms / BASE / "low/a.py").write_text(f"if TYPE_CHECKING:\n    {statement}\n")
    assert check(rooms) == [f"{BASE}/low/a.py:2: imports {BASE}/{target}, {ORDER}"]


def test_circles_are_named(rooms: Path) -> None:
    (rooms / BASE / "low/a.py").write_text("from weft_high.low.b import thing\n")
    (rooms / BASE / "low/b.py").write_text("def f():\n    from .a import thing\n")
    (found,) = check(rooms)
    assert found.startswith("a circle of imports: ")
    assert found.count("low/a.py") + found.count("low/b.py") == 3


def test_large_modules_and_folders_are_named(rooms: Path) -> None:
    (rooms / BASE / "low/a.py").write_text("pass\n" * 401)
    for number in range(14):
        (rooms / BASE / f"low/more{number}.py").touch()
    assert check(rooms) == [
        f"{BASE}/low/a.py: has 401 lines, of at most 400",
        f"{BASE}/low: has 16 modules, of at most 15",
    ]


def test_folders_that_are_not_declared_or_not_there_are_named(rooms: Path) -> None:
    (rooms / BASE / "other").mkdir()
    (rooms / BASE / "other/__init__.py").touch()
    declared = rooms / "packages/weft_high/pyproject.toml"
    declared.write_text(declared.read_text().replace('"ops"]', '"ops", "gone"]'))
    order = "low < ops < gone < modules beside them"
    assert check(rooms) == [
        f"{BASE}/other/__init__.py: the folder other is not among those declared: {order}",
        "weft_high declares the folder gone, and has none of that name",
    ]


def test_a_lowering_without_an_op_is_named(rooms: Path) -> None:
    (rooms / BASE / "ops/family/sines.py").touch()
    assert check(rooms) == [
        f"{BASE}/ops/family/sines.py: there is no weft_tensor/ops/family/sines.py of which it "
        "could be the lowering"
    ]


def test_statements_are_those_of_the_whole_tree(few: Any) -> None:
    files = sorted(ROOT.glob("packages/*/src/**/*.py"))
    assert len(files) > 1000
    for file in few(files, 20):
        text = file.read_text(encoding="utf-8")
        nodes = ast.walk(ast.parse(text))
        wanted = [n for n in nodes if isinstance(n, (ast.Import, ast.ImportFrom))]
        found, told = (
            sorted((n.lineno, ast.unparse(n)) for n in statements)
            for statements in (import_statements(text), wanted)
        )
        assert found == told, file
