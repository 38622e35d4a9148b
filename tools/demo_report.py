"""What the demo prints, and the page with its graphs."""

from __future__ import annotations

import io
from collections.abc import Mapping
from pathlib import Path

from rich import box
from rich.columns import Columns
from rich.console import Console
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

import weft
from tools.demo_model import BACKENDS


def operations(graph: weft.FunctionGraph) -> int:
    """Count what is computed; names are no operations."""
    return sum(type(v.op) is not weft.Named for v in graph.nodes)


def show_graphs(console: Console, graph: weft.FunctionGraph, rewritten: weft.FunctionGraph) -> None:
    """Print the log-posterior before and after, side by side if there is room."""
    panels = []
    for title, shown in (("as written", graph), ("after rewriting", rewritten)):
        text = io.StringIO()
        weft.dprint(shown.outputs[0], text)
        panels.append(Panel.fit(Text(text.getvalue().rstrip()), title=f"the log-posterior {title}"))
    console.print(Columns(panels, padding=(0, 2)), highlight=False)
    counts = f"{operations(graph)} operations as written, {operations(rewritten)} after rewriting"
    console.print(f"Together with its gradient: {counts}.", highlight=False)


def table_of(
    nodes: Mapping[str, str],
    processes: Mapping[str, list[dict[str, float]]],
    times: Mapping[str, float],
    posteriors: Mapping[str, float],
    accuracies: Mapping[str, float],
) -> Table:
    """Return the table that the demo prints, one row per backend."""
    title = "Value and gradient on three backends"
    table = Table(box=box.SIMPLE_HEAD, padding=0, title=title, title_style="bold")
    table.add_column("backend", vertical="bottom", no_wrap=True)
    compiling = ("compile ms\nin a first\nprocess", "compile ms\nin a second\nprocess")
    before = ("nodes\nbefore/\nafter", "build\nms", *compiling)
    for heading in (*before, "µs per\ncall", "log-\nposterior", "accuracy"):
        table.add_column(heading, justify="right", vertical="bottom", no_wrap=True)
    for backend, (first, second) in processes.items():
        table.add_row(
            BACKENDS[backend],
            nodes[backend],
            f"{first['build']:.0f}",
            f"{first['compile']:.0f}",
            f"{second['compile']:.0f}",
            f"{times[backend]:.1f}",
            f"{posteriors[backend]:.5f}",
            f"{accuracies[backend]:.1%}",
        )
    return table


def write_graphs(graph: weft.FunctionGraph, rewritten: weft.FunctionGraph, path: Path) -> None:
    """Write the page that shows both graphs, their outputs under the same names."""
    named = {}
    for title, shown in (("As written", graph), ("After rewriting", rewritten)):
        outputs = zip(shown.outputs, ("log_posterior", "d_alpha", "d_beta"), strict=True)
        named[title] = weft.FunctionGraph(
            shown.inputs, [v if v.name == name else v.named(name) for v, name in outputs]
        )
    weft.to_html(named, path)
