"""Compare random graphs, compiled for a backend, with NumPy: `python -m tools.fuzz 5000`.

With `--books`, they are rewritten first. With `--loops`, which are rewritten as well, random loops
and their derivatives are compared with Python and with differences.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from weft_graph import Mode
from weft_testing import faults_in_random_graphs, faults_in_random_loops

GRAPHS = 20
"""Graphs that are compiled as one function."""
LOOPS = 1
"""And loops: with 10 in one function, Numba takes twice as long for each."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Print what is wrong; 1 if anything is."""
    parser = argparse.ArgumentParser(prog="python -m tools.fuzz", description=__doc__)
    parser.add_argument("count", type=int, help="how many graphs")
    parser.add_argument("--start", type=int, default=0, metavar="SEED", help="the first one's seed")
    parser.add_argument("--mode", default="numba", help="the backend (default: numba)")
    parser.add_argument("--books", action="store_true", help="rewrite the graphs")
    parser.add_argument("--loops", action="store_true", help="loops in place of other graphs")
    options = parser.parse_args(arguments)
    faults = faults_in_random_loops if options.loops else faults_in_random_graphs
    mode = Mode(options.mode) if options.books else options.mode
    what, batch = ("loops", LOOPS) if options.loops else ("graphs", GRAPHS)
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
