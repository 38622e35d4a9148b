"""Command line: `python -m tools.bench [NAME ...] [--peers A,B] [--quick] [--json FILE]`."""

from __future__ import annotations

import argparse
import contextlib
import json
import platform
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape

from tools.bench import report
from tools.bench.bounds import Judgement, bounds_table, lines
from tools.bench.catalogue import WORKLOADS
from tools.bench.imports import import_judgements, measure_imports
from tools.bench.runner import judgements, measure
from tools.bench.workload import PEERS

IMPORTS = "imports"
GROUPS = {
    group: [w.name for w in WORKLOADS.values() if w.group == group] for group in ("graphs", "calls")
}


def parse(arguments: list[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.bench",
        description="Compare Weft with its peers. Times are CPU seconds, or wall time if under "
        "2 ms, the best of rounds in turns: trust ratios within one run.",
    )
    names = [IMPORTS, *GROUPS, *WORKLOADS]
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(names))
    parser.add_argument("--peers", type=lambda text: text.split(","), help=", ".join(PEERS))
    parser.add_argument("--quick", action="store_true", help="fewer workloads and rounds")
    parser.add_argument("--rounds", type=int, help="rounds per workload (7 if quick, else 25)")
    parser.add_argument("--starts", type=int, help="cold starts, the mean counts (1 or 3)")
    parser.add_argument("--limit", type=float, default=300.0, help="seconds a peer may be silent")
    parser.add_argument("--json", type=Path, help="write all results to this file, too")
    options = parser.parse_args(arguments)
    if unknown := [name for name in options.names if name not in names]:
        parser.error(f"no such workload: {', '.join(unknown)}; there are {', '.join(names)}")
    if unknown := [name for name in options.peers or () if name not in PEERS]:
        parser.error(f"no such peer: {', '.join(unknown)}; there are {', '.join(PEERS)}")
    if options.rounds is None:
        options.rounds = 7 if options.quick else 25
    if options.starts is None:
        options.starts = 1 if options.quick else 3
    return options


def versions() -> dict[str, str]:
    """Return the versions of Python and of what is compared."""
    found = {"python": platform.python_version()}
    for name in ("numpy", "numba", "llvmlite", "jax", "pytensor"):
        with contextlib.suppress(PackageNotFoundError):
            found[name] = version(name)
    return found


def chosen(options: argparse.Namespace) -> list[str]:
    """Return the names of what is to be run: all, or as the command line says."""
    given = options.names or [IMPORTS, *GROUPS]
    names = [name for given_name in given for name in GROUPS.get(given_name, [given_name])]
    if options.quick:
        names = [n for n in names if n in options.names or n == IMPORTS or WORKLOADS[n].quick]
    return list(dict.fromkeys(names))


def run_workload(
    name: str, options: argparse.Namespace, console: Console
) -> tuple[dict[str, Any], list[Judgement]]:
    """Measure one workload, show its table, and return its results and what its bounds say."""
    workload = WORKLOADS[name]
    peers = [p for p in PEERS if p in workload.peers and p in (options.peers or PEERS)]
    calls = workload.group == "calls"
    results = measure(
        workload,
        peers,
        rounds=options.rounds,
        limit=options.limit,
        budget=1.0 if options.quick else 10.0,
        again=calls and not options.quick,
        starts=options.starts if calls else 1,
    )
    judged = judgements(workload, results)
    console.print(f"[bold]{name}[/bold]: {escape(workload.title)}", highlight=False)
    if not all(r.stages for r in results):
        console.print(report.results_table(workload, results))
    taken = [report.stages(r, workload.unit) for r in results]
    for line in (report.comparisons(results), *taken, *lines(judged)):
        if line:
            console.print(line, highlight=False)
    console.print()
    return {r.peer: r.as_json() for r in results}, judged


def main(arguments: list[str] | None = None) -> int:
    """Run what the command line asks for."""
    options = parse(arguments)
    console = Console(width=None if sys.stdout.isatty() else 120)
    found: dict[str, Any] = {"versions": versions()}
    judged: list[Judgement] = []
    told = ", ".join(f"{name} {number}" for name, number in found["versions"].items())
    console.print(told, end="\n\n", highlight=False)
    for name in chosen(options):
        if name == IMPORTS:
            costs = measure_imports(min(options.rounds, 10), options.limit)
            console.print("[bold]imports[/bold]: ms, the best of rounds in turns")
            console.print(report.imports_table(costs))
            of_workload = import_judgements(costs)
            for line in lines(of_workload):
                console.print(line, highlight=False)
            console.print()
            found[name] = {cost.statement: cost.as_json() for cost in costs}
        else:
            found[name], of_workload = run_workload(name, options, console)
        judged += of_workload
        found["bounds"] = [j.as_json() for j in judged]
        if options.json:
            options.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    if judged:
        console.print(bounds_table(judged))
    return 0


if __name__ == "__main__":
    sys.exit(main())
