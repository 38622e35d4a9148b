"""Compare random graphs, compiled for a backend, with NumPy: `python -m tools.fuzz 5000`.

With `--books`, they are rewritten first. With `--loops`, which are rewritten as well, random loops
and their derivatives are compared with Python and with differences. With `--siblings`, which are
rewritten as well, models of many terms alike, and their slopes, are compared with Python.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence

from weft_graph import Mode
from weft_testing import (
    faults_in_random_graphs,
    faults_in_random_loops,
    faults_in_random_siblings,
)

KINDS: dict[str, tuple[Callable[..., list[str]], int, str]] = {
    "graphs": (faults_in_random_graphs, 20, "graphs of all kinds of Ops (the default)"),
    "loops": (faults_in_random_loops, 1, "loops in place of other graphs"),
    "siblings": (faults_in_random_siblings, 1, "models of many terms alike"),
}
"""What is compared: by which function, and how many are compiled as one (with 10 loops in one
function, Numba takes twice as long for each)."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Print what is wrong; 1 if anything is."""
    parser = argparse.ArgumentParser(prog="python -m tools.fuzz", description=__doc__)
    parser.add_argument("count", type=int, help="how many graphs")
    parser.add_argument("--start", type=int, default=0, metavar="SEED", help="the first one's seed")
    parser.add_argument("--mode", default="numba", help="the backend (default: numba)")
    parser.add_argument("--books", action="store_true", help="rewrite the graphs")
    for what, (_, _, text) in KINDS.items():
        parser.add_argument(f"--{what}", dest="what", action="store_const", const=what, help=text)
    parser.set_defaults(what="graphs")
    options = parser.parse_args(arguments)
    what = options.what
    faults, batch, _ = KINDS[what]
    mode = Mode(options.mode) if options.books else options.mode
    found = 0
    end = options.start + options.count
    for first in range(options.start, end, batch):
        for fault in faults(mode, range(first, min(first + batch, end))):
            print(fault, flush=True)
            found += 1
    print(f"{options.count} {what} compared in mode {options.mode}, {found} results wrong")
    return int(found > 0)


if __name__ == "__main__":
    raise SystemExit(main())
