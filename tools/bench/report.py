"""Tables of results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.table import Table

from tools.bench.imports import ImportCost
from tools.bench.runner import Result, ratios
from tools.bench.workload import Workload

# Weft's peers, and those each of them is to be compared with.
AGAINST = {
    "weft": ("pytensor", "jax"),
    "weft-py": ("numpy",),
    "weft-numba": ("numba", "pytensor-numba"),
    "weft-jax": ("jax", "pytensor-jax"),
}


def number(value: float | None, scale: float) -> str:
    """Write a time in units of 1/scale seconds, with three digits.

    >>> number(0.0012345, 1e6), number(1234.5, 1), number(None, 1)
    ('1,234', '1,234', '')
    >>> number(1.2345e-6, 1e6), number(45.67e-6, 1e6)
    ('1.23', '45.7')
    """
    if value is None:
        return ""
    scaled = value * scale
    return f"{scaled:,.{0 if scaled >= 100 else 1 if scaled >= 10 else 2}f}"


def results_table(workload: Workload, results: Sequence[Result]) -> Table:
    """Return the table of one workload."""
    graphs = workload.group == "graphs"
    again = any(r.again is not None for r in results)
    table = Table()
    table.add_column("peer")
    if graphs:
        columns = ["ms", "nodes", "µs per node"]
    else:
        columns = ["first ms", "compile ms", *["again ms"] * again, "µs per call"]
    for column in (*columns, "x best"):
        table.add_column(column, justify="right")
    if any(r.error or r.wrong for r in results):
        table.add_column("problem", overflow="fold")
    best = ratios(results)
    for r in results:
        if graphs:
            per_node = None if r.seconds is None else r.seconds / r.nodes
            cells = [number(r.seconds, 1e3), f"{r.nodes:,}", number(per_node, 1e6)]
        else:
            cells = [number(r.wake, 1e3), number(r.compile, 1e3)]
            cells += [number(r.again, 1e3)] * again + [number(r.seconds, 1e6)]
        ratio = number(best.get(r.peer), 1)
        problem = r.error or (f"WRONG: {r.wrong}" if r.wrong else "")
        table.add_row(r.peer, *cells, ratio, *[problem] * (len(table.columns) > len(columns) + 2))
    return table


def comparisons(results: Sequence[Result]) -> str:
    """Say how Weft's times per call compare with those of its peers; with NumPy, the difference."""
    best: Mapping[str, float] = ratios(results)
    seconds = {r.peer: r.seconds or 0.0 for r in results}
    pairs = [
        (ours, theirs)
        for ours, others in AGAINST.items()
        for theirs in others
        if ours in best and theirs in best
    ]
    parts = [
        f"{ours} / {theirs} = {number(best[ours] / best[theirs], 1)}"
        f" (1/{number(best[theirs] / best[ours], 1)})"
        for ours, theirs in pairs
    ]
    parts += [
        f"{ours} - {theirs} = {(seconds[ours] - seconds[theirs]) * 1e6:.2f} µs"
        for ours, theirs in pairs
        if theirs == "numpy"
    ]
    return ", ".join(parts)


def stages(result: Result, unit: str = "s") -> str:
    """Say what each stage took that a call has timed by itself."""
    parts = [f"{stage} {number(amount, 1)}" for stage, amount in result.stages.items()]
    return f"{result.peer}, {unit}: {', '.join(parts)}" if parts else ""


def imports_table(costs: Sequence[ImportCost]) -> Table:
    """Return the table of imports: as such, and over an empty program and over NumPy."""
    table = Table()
    table.add_column("statement")
    columns = ("wall", "CPU", "wall over pass", "CPU over pass", "wall over numpy")
    for column in (*columns, "CPU over numpy"):
        table.add_column(column, justify="right")
    table.add_column("", overflow="fold")
    by_statement = {c.statement: c for c in costs}
    empty, numpy = by_statement.get("pass"), by_statement.get("import numpy")
    for c in costs:
        cells = [number(c.wall, 1e3), number(c.cpu, 1e3)]
        cells += over(c, empty)
        cells += over(c, numpy)
        table.add_row(c.statement, *cells, c.error)
    return table


def over(cost: ImportCost, base: ImportCost | None) -> list[str]:
    """Return wall and CPU over those of another statement, in ms."""
    if base is None or None in (cost.wall, cost.cpu, base.wall, base.cpu):
        return ["", ""]
    pairs = ((cost.wall, base.wall), (cost.cpu, base.cpu))
    return [f"{((a or 0.0) - (b or 0.0)) * 1e3:.0f}" for a, b in pairs]
