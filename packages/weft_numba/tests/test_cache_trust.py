"""Whose files a cache takes: what others may write to is machine code that nobody trusts."""

import os
import pickle
import runpy
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import weft_tensor as wt
from weft_graph import function
from weft_numba import cache

pytestmark = pytest.mark.usefixtures("cache_folder")


def phase(calculate: Callable[[Any], Any] = wt.exp) -> str:
    """What compiling a function ended with: "link" or "recall"."""
    x = wt.vector("x")
    return str(function([x], calculate(x), mode="numba").log[-1].name)


class Run:
    """What unpickling calls."""

    def __init__(self, place: Path) -> None:
        self.place = place

    def __reduce__(self) -> Any:
        return Path.touch, (self.place,)


def planted(cache_folder: Path, kind: str) -> Path:
    """A file that appears if what others have put in the place of an entry is unpickled."""
    phase()
    (path,) = cache_folder.iterdir()
    seen = cache_folder.parent / "seen"
    cache.store(path.stem, pickle.dumps(Run(seen)))
    place = path if kind.endswith("file") else cache_folder
    if kind.startswith("chown"):
        if os.geteuid():
            pytest.skip("only root can give files away")
        os.chown(place, 1234, -1)
    else:
        place.chmod(0o720 if kind.startswith("group") else 0o702)
    return seen


FOREIGN = [f"{how} {what}" for how in ("chown", "group", "others") for what in ("folder", "file")]


@pytest.mark.cases(2)
@pytest.mark.parametrize("kind", FOREIGN)
def test_what_others_may_have_written_is_not_read(cache_folder: Path, kind: str) -> None:
    seen = planted(cache_folder, kind)
    said = "it belongs to another user, of number 1234" if "chown" in kind else "others may write"
    with pytest.warns(RuntimeWarning, match=f"cache are not used .{said}") as warned:
        assert phase() == "link for numba"
    assert len(warned) == 1
    assert "WEFT_SHARED_CACHE_DIR" in str(warned[0].message)
    assert phase() == ("link" if "folder" in kind else "recall") + " for numba"
    assert not seen.exists()


def test_the_command_tells_what_is_not_used(
    cache_folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    phase()
    cache_folder.chmod(0o777)
    monkeypatch.setenv("WEFT_SHARED_CACHE_DIR", str(cache_folder / "other"))
    monkeypatch.setattr(sys, "argv", ["weft_numba"])
    runpy.run_module("weft_numba")
    assert capsys.readouterr().out.splitlines()[1:] == [
        f"and those in {cache_folder / 'other'}, which are shared",
        f"what is in {cache_folder} is not used: others may write to it",
    ]


@pytest.fixture
def shared(cache_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory with an entry, which belongs to another user if that can be."""
    phase()
    place = tmp_path / "shared"
    cache_folder.rename(place)
    monkeypatch.setenv("WEFT_SHARED_CACHE_DIR", str(place))
    for path in (*place.iterdir(), place):
        os.utime(path, (0, 0))
        path.chmod(0o755)
        if not os.geteuid():
            os.chown(path, 1234, -1)
    return place


@pytest.mark.parametrize("own", ["", "cache"])
def test_a_shared_directory_is_read_and_not_changed(
    own: str, shared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WEFT_CACHE_DIR", str(tmp_path / own) if own else own)
    assert phase() == "recall for numba"
    (entry,) = shared.iterdir()
    before = entry.read_bytes()
    assert entry.stat().st_mtime == shared.stat().st_mtime == 0
    again = [phase(wt.cos) for _ in range(2)]
    assert again == ["link for numba", "recall for numba" if own else "link for numba"]
    entry.write_bytes(before[:-1])
    cache.clear()
    cache.shrink(0)
    assert phase() == "link for numba"
    assert [path.read_bytes() for path in shared.iterdir()] == [before[:-1]]


@pytest.mark.cases(1)
@pytest.mark.parametrize("what", ["folder", "file", "owner"])
def test_a_shared_directory_is_its_owners_alone(what: str, shared: Path) -> None:
    (entry,) = shared.iterdir()
    if what != "owner":
        (entry if what == "file" else shared).chmod(0o775)
    elif os.geteuid():
        pytest.skip("only root can give files away")
    else:
        os.chown(entry, 1235, -1)
    with pytest.warns(RuntimeWarning, match="unset WEFT_SHARED_CACHE_DIR") as warned:
        assert phase() == "link for numba"
    assert len(warned) == 1


def test_where_files_have_no_modes_the_users_own_folder_counts(
    cache_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    phase()
    monkeypatch.delattr(os, "geteuid")
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    assert phase() == "recall for numba"
    monkeypatch.setattr(Path, "home", lambda: tmp_path / "other")
    with pytest.warns(RuntimeWarning, match="it is not in .*other"):
        assert phase() == "link for numba"
    monkeypatch.setattr(cache, "_usual", lambda: cache_folder)
    assert phase() == "recall for numba"
