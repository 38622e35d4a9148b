"""`python -m weft_numba` says what is kept on disk: `list` tells all of it, `clear` removes it.

It also says which directories are not used, and why.
"""

from __future__ import annotations

import sys

from weft_graph.extend import disk_cache as cache

__all__: list[str] = []

if sys.argv[1:] == ["clear"]:
    cache.clear()
elif sys.argv[1:] == ["list"]:
    print(*cache.entries(), sep="\n")
elif sys.argv[1:]:
    sys.exit("usage: python -m weft_numba [list | clear]")
print(cache.info())
shared = cache.shared_directory()
if shared is not None:
    print(f"and those in {shared}, which are shared")
for folder in (cache.directory(), shared):
    if folder is not None and (reason := cache.refused(folder)):
        print(f"what is in {folder} is not used: {reason}")
