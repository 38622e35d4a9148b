"""The version tool finds and mends versions and pins that disagree."""

from pathlib import Path

import pytest

from tools.version import RELEASE, check, set_version


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a workspace of two packages that agree."""
    add_package(tmp_path, "left_part", 'dependencies = ["numpy>=2.0"]')
    add_package(tmp_path, "right_part", 'dependencies = ["left-part[extra]==0.1.*"]')
    return tmp_path


def add_package(root: Path, name: str, declarations: str) -> None:
    source = root / "packages" / name / "src" / name
    source.mkdir(parents=True)
    (source / "__init__.py").write_text('"""A part."""\n\n__version__ = "0.1.0"\n')
    project = f'[project]\nname = "{name.replace("_", "-")}"\nversion = "0.1.0"\n{declarations}\n'
    (root / "packages" / name / "pyproject.toml").write_text(project)


def edit(file: Path, old: str, new: str) -> None:
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))


def test_agreeing_packages_pass(root: Path) -> None:
    assert check(root) == []


@pytest.mark.parametrize(
    ("file", "old", "new", "problem"),
    [
        ("pyproject.toml", "0.1.0", "0.1.1", "right_part: version 0.1.1, not 0.1.0"),
        ("pyproject.toml", "==0.1.*", "==0.2.*", "right_part: left_part ==0.2.*, not ==0.1.*"),
        ("pyproject.toml", "==0.1.*", "", "right_part: left_part any version, not ==0.1.*"),
        ("src/right_part/__init__.py", "0.1.0", "9.0", "right_part: __version__ 9.0, not 0.1.0"),
    ],
)
def test_disagreement_is_named(root: Path, file: str, old: str, new: str, problem: str) -> None:
    edit(root / "packages" / "right_part" / file, old, new)
    assert check(root) == [problem]


def test_setting_writes_versions_and_pins_and_nothing_else(root: Path) -> None:
    set_version("1.3.0", root)
    assert check(root) == []
    left, right = (
        (root / "packages" / name / "pyproject.toml").read_text()
        for name in ("left_part", "right_part")
    )
    assert 'version = "1.3.0"' in left
    assert '"numpy>=2.0"' in left
    assert '"left-part[extra]==1.3.*"' in right


@pytest.mark.parametrize("version", ["1.2.3", "0.2.0rc1", "0.2.0.dev4"])
def test_release_numbers(version: str) -> None:
    assert RELEASE.fullmatch(version)


@pytest.mark.parametrize("version", ["1.2", "v1.2.3", "1.2.3-beta", "1.2.3rc"])
def test_other_numbers_are_refused(version: str) -> None:
    assert not RELEASE.fullmatch(version)
