"""Write docs/distributions.md, the table of distributions: `python -m tools.distributions`."""

from __future__ import annotations

import re
from typing import Final

import weft.tensor as wt
from tools.workspace import ROOT
from weft_tensor.stats import Continuous, Discrete, Multivariate

PAGE: Final = ROOT / "docs" / "distributions.md"

_HEAD = """\
# The distributions of `wt.stats`

The formula is that of the standard form. Continuous distributions have `loc` and `scale` besides
their own parameters, those of integers `loc`. All have the methods {shared}; those that compute a
moment as a sum or an integral, for want of a formula, are marked. How to use them says
[the page on distributions](stats.md).
"""
_MOMENTS: Final = ("mean", "var", "entropy")


def _line(of: Continuous | Discrete) -> str:
    ends = of.standard_ends()
    needs = ", ".join(f"`{n}` {c.says}" for n, c in of.parameters.items())
    missing = ", ".join(n for n in _MOMENTS if n not in of.rows)
    scipy = "" if of.scipy else "not in SciPy"
    notes = "; ".join(v for v in (f"no formula of {missing}" if missing else "", scipy) if v)
    density = re.sub(r"\|(\w)\|", r"abs(\1)", of.density)  # bars end cells
    return f"| `{of.name}` | `{density}` | {needs} | {ends} | {notes} |"


def _table(title: str, kind: type[Continuous | Discrete], formula: str) -> str:
    found = [getattr(wt.stats, name) for name in sorted(wt.stats.__all__)]
    lines = [_line(of) for of in found if isinstance(of, kind)]
    head = f"| name | {formula} | parameters | support | notes |\n| --- | --- | --- | --- | --- |"
    return "\n".join([f"\n## {title}\n", head, *lines, ""])


def _many(of: Multivariate) -> str:
    """A line of a distribution of vectors or matrices."""
    needs = ", ".join(f"`{n}` {p.must.says}" for n, p in of.parameters.items())
    ways = [n for n, p in of.parameters.items() if p.is_optional]
    notes = [f"one of {', '.join(ways)}"] if ways else []
    notes += [f"draws need `{of.length}`"] if of.length else []
    methods = ", ".join(f"`{n}`" for n in of.methods)
    return f"| `{of.name}` | `{of.density}` | {needs} | {methods} | {'; '.join(notes)} |"


def _vectors() -> str:
    found = [getattr(wt.stats, name) for name in sorted(wt.stats.__all__)]
    head = "| name | density | parameters | methods | notes |\n| --- | --- | --- | --- | --- |"
    lines = [_many(of) for of in found if isinstance(of, Multivariate)]
    return "\n".join(["\n## Of classes, vectors and matrices\n", head, *lines, ""])


def page() -> str:
    """The page's text."""
    shared = ", ".join(f"`{n}`" for n in ("cdf", "logcdf", "sf", "logsf", "ppf", "isf", "rvs"))
    return "".join(
        [
            _HEAD.format(shared=shared),
            _table("Continuous", Continuous, "density"),
            _table("Of integers", Discrete, "probability"),
            _vectors(),
        ]
    )


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
