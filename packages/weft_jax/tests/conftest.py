"""`two_processes.py` is a script for the launcher, and no module with tests."""

import pytest

collect_ignore = ["two_processes.py"]


OF_VALUES = "as_jax banded chosen_elements joined_functions lu short_lanes sort_keys steady_slices"
"""Tests that compare values alone."""


@pytest.fixture(autouse=True)
def nothing_kept(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, in_quick_run: bool
) -> None:
    """Tests of how JAX compiles recall nothing from disk; in the quick run those of values may."""
    of_values = request.path.stem.removeprefix("test_") in OF_VALUES.split()
    if not (in_quick_run and of_values):
        monkeypatch.setenv("WEFT_CACHE_DIR", "off")
