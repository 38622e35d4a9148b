"""`python -m weft_numba` says what is kept on disk: `list` tells all of it, `clear` removes it."""

from __future__ import annotations

import sys

from weft_numba import cache

__all__: list[str] = []

if sys.argv[1:] == ["clear"]:
    cache.clear()
elif sys.argv[1:] == ["list"]:
    print(*cache.entries(), sep="\n")
elif sys.argv[1:]:
    sys.exit("usage: python -m weft_numba [list | clear]")
print(cache.info())
