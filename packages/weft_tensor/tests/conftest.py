"""One profile for property tests: the same examples in every run, fewer in the quick one."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile(
    "weft",
    derandomize=True,
    max_examples=min(50, settings().max_examples),
    deadline=None,
    database=None,
    print_blob=False,
)
settings.load_profile("weft")
