"""One profile for property tests: the same examples in every run."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile(
    "weft", derandomize=True, max_examples=50, deadline=None, database=None, print_blob=False
)
settings.load_profile("weft")
