"""`two_processes.py` is a script for the launcher, and no module with tests."""

import pytest

collect_ignore = ["two_processes.py"]


@pytest.fixture(autouse=True)
def nothing_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests of how JAX compiles recall nothing from disk."""
    monkeypatch.setenv("WEFT_CACHE_DIR", "off")
