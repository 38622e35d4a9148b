"""The packages fit together: one version, the promised imports and the promised entry points."""

import importlib
import subprocess
import sys
from importlib.metadata import entry_points, version

import pytest

PACKAGES = [
    "weft",
    "weft_graph",
    "weft_jax",
    "weft_numba",
    "weft_rewrites",
    "weft_tensor",
    "weft_testing",
]


def modules_after(statement: str) -> set[str]:
    """Return the top-level modules that a new process holds after the statement."""
    program = f"import sys; {statement}; print(*{{name.partition('.')[0] for name in sys.modules}})"
    command = [sys.executable, "-c", program]
    return set(subprocess.run(command, capture_output=True, check=True, text=True).stdout.split())


@pytest.mark.parametrize("name", PACKAGES)
def test_package_imports_and_says_what_it_is(name: str) -> None:
    assert importlib.import_module(name).__doc__


def test_packages_share_one_version() -> None:
    assert len({version(name) for name in PACKAGES}) == 1


def test_graph_core_imports_nothing_but_the_standard_library() -> None:
    before = modules_after("pass")
    added = modules_after("import weft_graph") - before - {"weft_graph"}
    assert {name for name in added if name not in sys.stdlib_module_names} == set()


def test_facade_imports_no_backend() -> None:
    assert not modules_after("import weft") & {"jax", "numba", "weft_jax", "weft_numba"}


@pytest.mark.parametrize(
    ("group", "name"),
    [("weft.linkers", "jax"), ("weft.linkers", "numba"), ("weft.rewrites", "standard")],
)
def test_entry_point_loads(group: str, name: str) -> None:
    (entry,) = entry_points(group=group, name=name)
    assert entry.load() is not None


@pytest.mark.cases(0)
def test_what_belongs_to_weft_jax_is_imported_when_asked_for() -> None:
    assert "weft_jax" not in modules_after("from weft.tensor import *")
    assert "weft_jax" in modules_after("from weft.tensor import wrap_jax")


@pytest.mark.cases(1)
@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_what_a_function_imports_is_no_part_of_its_building(mode: str) -> None:
    program = f"""if True:
        import weft_tensor as wt
        from weft_graph import function
        x = wt.vector("x")
        first, again = (function([x], wt.exp(x), mode={mode!r}).log for _ in range(2))
        assert first[0].seconds > first[1].seconds, first
        print(first[0].name, first[1].name, again[0].name)
    """
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, check=True, text=True)
    assert done.stdout.split() == ["import", "build", "build"]
