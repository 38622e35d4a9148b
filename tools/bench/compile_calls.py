"""How many Python functions of Weft a compile calls: `python -m tools.bench.compile_calls`.

A count does not depend on the machine, so it shows work that is done twice where times don't. It is
of `wt.function([x], total)`, where `total` is `wt.exp(x).sum()`, after the same has been compiled
and called before, without the cache on disk. Generators count as often as they are resumed.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Callable
from time import perf_counter
from types import FrameType

from tools.workspace import ROOT

__all__ = ["LIMITS", "calls", "compiling"]

LIMITS = {"numba": 1000, "jax": 400}
"""By mode, how many calls a warm compile may make."""

_PACKAGES = str(ROOT / "packages")
_ROUNDS = 200


def compiling(mode: str) -> Callable[[], object]:
    """Return what compiles `exp(x).sum()`, which has been done before."""
    import numpy as np

    import weft.tensor as wt

    x = wt.vector("x")
    total = wt.exp(x).sum()

    def compiled() -> Callable[..., object]:
        return wt.function([x], total, mode=mode)

    for _ in range(3):
        compiled()(np.ones(3))
    return compiled


def calls(action: Callable[[], object]) -> Counter[str]:
    """Count the calls of Weft's functions that `action` makes, by module and name."""
    found: Counter[str] = Counter()

    def note(frame: FrameType, event: str, argument: object) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(_PACKAGES):
            module = code.co_filename.rpartition("/src/")[2]
            found[f"{module}: {getattr(code, 'co_qualname', code.co_name)}"] += 1

    sys.setprofile(note)
    try:
        action()
    finally:
        sys.setprofile(None)
    return found


def main() -> int:
    """Print the counts, and the functions that are called most; 1 if there are too many calls."""
    os.environ["WEFT_CACHE_DIR"] = "off"
    missed = False
    for mode, limit in LIMITS.items():
        compiled = compiling(mode)
        found = calls(compiled)
        times = []
        for _ in range(_ROUNDS if mode == "jax" else 10):
            start = perf_counter()
            compiled()
            times.append(perf_counter() - start)
        missed |= found.total() > limit
        print(f"{mode}: {found.total()} calls, limit {limit}; {min(times) * 1e6:,.0f} µs")
        for name, count in found.most_common(5):
            print(f"{count:6} {name}")
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
