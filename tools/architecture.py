"""Draw the packages and their folders, from the code: `python -m tools.architecture`.

Writes docs/architecture.svg, where arrows are imports, and the tables of folders between the marks
in docs/architecture.md, which are the docstrings of the folders.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from tools.layout import arrows, folder, imports, modules
from tools.workspace import ROOT, Package, read_packages

PAGE: Final = ROOT / "docs" / "architecture.md"
PICTURE: Final = ROOT / "docs" / "architecture.svg"
BEGIN, END = "<!-- written by tools/architecture.py -->\n", "<!-- up to here -->\n"
COLUMNS: Final = (
    ("weft_graph",),
    ("weft_tensor",),
    ("weft_rewrites", "weft_testing"),
    ("weft_jax", "weft_numba"),
    ("weft",),
)
WIDTH, ROW, GAP = 130, 26, 110


class Stage(NamedTuple):
    """A folder of a package: what its docstring says."""

    name: str
    does: str
    takes: str
    gives: str


def stages(package: Package) -> list[Stage]:
    """Return the folders of a package, in the declared order, or as their docstrings say."""
    found = {}
    follows: dict[str, str] = {}
    for file in sorted(package.source.glob("*/__init__.py")):
        text = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""
        summary, _, rest = text.partition("\n")
        said = dict(line.partition(": ")[::2] for line in rest.splitlines() if ": " in line)
        name = file.parent.name
        follows[name] = said.get("Next", "").partition("`")[2].partition("`")[0]
        found[name] = Stage(name, summary, said.get("In", ""), said.get("Out", ""))
    order = package.folders or _chain(follows)
    return [found[name] for name in order]


def _chain(follows: Mapping[str, str]) -> list[str]:
    """Folders in the order in which each names the next; those that nobody names begin."""
    order: list[str] = []
    for start in sorted(follows, key=lambda name: name in follows.values()):
        name = start
        while name in follows and name not in order:
            order.append(name)
            name = follows[name]
    return order


def table(packages: Iterable[Package]) -> str:
    """Return the folders of all packages as Markdown, one table per package."""
    parts = []
    for package in packages:
        rows = [f"| `{s.name}` | {s.does} | {s.takes} | {s.gives} |" for s in stages(package)]
        if rows:
            head = ["| folder | what it is | in | out |", "| --- | --- | --- | --- |"]
            parts.append("\n".join([f"### {package.name}", "", *head, *rows]))
    return "\n\n".join(parts) + "\n"


def page(text: str, packages: Mapping[str, Package]) -> str:
    """Return the page with the tables that are true now."""
    before, _, rest = text.partition(BEGIN)
    after = rest.partition(END)[2]
    listed = table(packages[name] for column in COLUMNS for name in column)
    return f"{before}{BEGIN}\n{listed}\n{END}{after}"


def between(package: Package, names: Iterable[str]) -> list[str]:
    """Return the other packages that a package imports."""
    seen = {
        full.partition(".")[0]
        for name, file in modules(package).items()
        for _, full, _ in imports(file.read_text("utf-8"), name, False)
    }
    return sorted(seen & set(names) - {package.name})


def inside(package: Package) -> list[tuple[str, str]]:
    """Return which folders of a package import which."""
    files = modules(package)
    pairs = ((folder(a.source, files), folder(a.target, files)) for a in arrows(package, files))
    return sorted({(a, b) for a, b in pairs if a and b and a != b})


def picture(packages: Mapping[str, Package]) -> str:
    """Return the drawing: a column per level, a box per folder, arrows to what is imported."""
    tops: dict[str, tuple[int, int]] = {}
    shapes: list[str] = []
    for column, names in enumerate(COLUMNS):
        y = 20
        for name in names:
            x, listed = 60 + column * (WIDTH + GAP), stages(packages[name])
            tops[name] = (x, y)
            height = ROW * (len(listed) + 1) + 8
            shapes.append(_box(x, y, WIDTH, height, name, "package"))
            places = {s.name: y + ROW * (k + 1) for k, s in enumerate(listed)}
            for stage, top in places.items():
                shapes.append(_box(x + 8, top, WIDTH - 16, ROW - 6, stage, "folder"))
            shapes += [
                _bow(x + 8, places[a] + 10, places[b] + 10) for a, b in inside(packages[name])
            ]
            y += height + 30
    for name, (x, y) in tops.items():
        for other in between(packages[name], tops):
            to_x, to_y = tops[other]
            shapes.append(_line(x, y + 12, to_x + WIDTH * (to_x < x), to_y + 12))
    height = max(sum(ROW * (len(stages(packages[n])) + 1) + 38 for n in names) for names in COLUMNS)
    return _svg(shapes, 60 + len(COLUMNS) * (WIDTH + GAP), height + 20)


def _box(x: int, y: int, width: int, height: int, text: str, kind: str) -> str:
    return (
        f'<rect class="{kind}" x="{x}" y="{y}" width="{width}" height="{height}" rx="4"/>'
        f'<text x="{x + 8}" y="{y + 14}">{text}</text>'
    )


def _bow(x: int, start: int, end: int) -> str:
    """An arrow at the left of a column, wider the farther it goes."""
    reach = x - 12 - abs(end - start) // 8
    return f'<path d="M{x},{start} C{reach},{start} {reach},{end} {x},{end}"/>'


def _line(x: int, y: int, to_x: int, to_y: int) -> str:
    middle = (x + to_x) // 2
    return f'<path class="far" d="M{x},{y} C{middle},{y} {middle},{to_y} {to_x},{to_y}"/>'


def _svg(shapes: Sequence[str], width: int, height: int) -> str:
    style = (
        "text{font:12px sans-serif}.package{fill:#eef3fb;stroke:#5b7bb0}.folder{fill:#fff;"
        "stroke:#9ab}path{fill:none;stroke:#999;marker-end:url(#tip)}.far{stroke:#3a66b0}"
    )
    tip = (
        '<marker id="tip" viewBox="0 0 6 6" refX="6" refY="3" markerWidth="6" markerHeight="6" '
        'orient="auto"><polygon points="0,0 6,3 0,6" fill="#777"/></marker>'
    )
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}">'
    return "\n".join([head, f"<style>{style}</style><defs>{tip}</defs>", *shapes, "</svg>\n"])


def main(page_file: Path = PAGE, picture_file: Path = PICTURE) -> None:
    """Write the picture and the tables."""
    packages = read_packages()
    picture_file.write_text(picture(packages), encoding="utf-8")
    page_file.write_text(page(page_file.read_text(encoding="utf-8"), packages), encoding="utf-8")


if __name__ == "__main__":
    main()
