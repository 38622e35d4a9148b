"""`python -m weft_numba` says what is kept on disk; with `clear`, it is removed."""

from __future__ import annotations

import sys

from weft_numba import cache

__all__: list[str] = []

if sys.argv[1:] == ["clear"]:
    cache.clear()
elif sys.argv[1:]:
    sys.exit("usage: python -m weft_numba [clear]")
print(cache.info())
