"""What Weft is to reach: `Bound`s on what is measured, and whether they hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any

from rich.table import Table

CALL, COMPILE, AGAIN, MEMORY, IMPORT = "call", "compile", "again", "memory", "import"
MILLISECONDS = (1e3, "ms")
SCALES = {
    CALL: (1e6, "µs"),
    MEMORY: (1e-6, "MB"),
    **dict.fromkeys((COMPILE, AGAIN, IMPORT), MILLISECONDS),
}


@dataclass(frozen=True)
class Bound:
    """A peer's figure is at most `ratio` times that of another, and `plus` more.

    Without another peer, `plus` is the limit. Figures are seconds per call, of compiling with the
    first call, and of both again in a second process; bytes of memory; or a stage that the
    workload times by itself.

    >>> Bound("weft-numba", "numba", 1.2).name
    'weft-numba: call / numba'
    >>> Bound("weft-numba", plus=0.06, figure=AGAIN).name
    'weft-numba: again'
    """

    peer: str
    against: str = ""
    ratio: float = 0.0
    plus: float = 0.0
    figure: str = CALL

    @property
    def name(self) -> str:
        """Say what is compared with what."""
        sign = "-" if self.plus else "/"
        return f"{self.peer}: {self.figure}" + (f" {sign} {self.against}" if self.against else "")


@dataclass(frozen=True)
class Judgement:
    """What was found, in the bound's terms: a ratio, or a difference in units of `unit`."""

    workload: str
    bound: Bound
    limit: float
    found: float | None
    unit: str = ""
    problem: str = ""

    @property
    def holds(self) -> bool | None:
        """Whether the bound holds; None if there is nothing to compare with."""
        if self.found is None:
            return None
        return self.found <= self.limit

    @property
    def verdict(self) -> str:
        """Say whether the bound holds."""
        return {True: "holds", False: "MISSED", None: "not measured"}[self.holds]

    def as_json(self) -> dict[str, Any]:
        """Return all of it, as plain values."""
        return {
            "workload": self.workload,
            **vars(self.bound),
            "found": None if self.found == inf else self.found,
            "limit": self.limit,
            "unit": self.unit,
            "verdict": self.verdict,
            "problem": self.problem,
        }


def usual(
    numba: float | None = None, jax: float = 1.05, *, cold: float | None = None
) -> tuple[Bound, ...]:
    """Return the bounds that most workloads share.

    `numba` and `jax` are the factors on the time per call of hand-written Numba and JAX, `cold`
    is that on PyTensor's time for compiling with empty caches.
    """
    bounds = [Bound("weft-numba", "numba", numba)] if numba else []
    if cold:
        bounds.append(Bound("weft-numba", "pytensor-numba", cold, figure=COMPILE))
    return (
        *bounds,
        Bound("weft-numba", "pytensor-numba", 1.0),
        Bound("weft-numba", plus=0.06, figure=AGAIN),
        Bound("weft-jax", "jax", jax),
        Bound("weft-jax", "jax", 1.1, figure=COMPILE),
    )


Figures = Mapping[str, Mapping[str, float]]
"""By peer, what was measured by the name of the figure."""


def judge(
    workload: str, bounds: Sequence[Bound], figures: Figures, problems: Mapping[str, str]
) -> list[Judgement]:
    """Compare what was measured with the bounds; those of peers that did not run are left out.

    `problems` says why a peer has no figures, or wrong results. Weft's are misses.

    >>> (found,) = judge("w", [Bound("a", "b", 1.2)], {"a": {"call": 3.0}, "b": {"call": 2.0}}, {})
    >>> found.found, found.limit, found.verdict
    (1.5, 1.2, 'MISSED')
    """
    ran = {*figures, *problems}
    return [
        judged(workload, b, figures, problems)
        for b in bounds
        if b.peer in ran and (not b.against or b.against in ran)
    ]


def judged(workload: str, bound: Bound, figures: Figures, problems: Mapping[str, str]) -> Judgement:
    """Compare what was measured with one bound."""
    scale, unit = SCALES.get(bound.figure, (1.0, ""))
    limit = bound.plus * scale if bound.plus or not bound.against else bound.ratio
    if problem := problems.get(bound.peer):
        return Judgement(workload, bound, limit, inf, problem=problem)
    ours = figures[bound.peer].get(bound.figure)
    if not bound.against:
        found = None if ours is None else ours * scale
        return Judgement(workload, bound, limit, found, unit)
    problem = problems.get(bound.against, "")
    theirs = None if problem else figures[bound.against].get(bound.figure)
    if ours is None or theirs is None:
        return Judgement(workload, bound, limit, None, problem=f"{bound.against}: {problem}")
    if bound.plus:
        return Judgement(workload, bound, limit, (ours - bound.ratio * theirs) * scale, unit)
    return Judgement(workload, bound, limit, ours / theirs)


def three(value: float | None) -> str:
    """Write a number with three digits.

    >>> three(1.2345), three(1234.5), three(None)
    ('1.23', '1234', '')
    """
    if value is None:
        return ""
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def bounds_table(judgements: Sequence[Judgement]) -> Table:
    """Return the table of all bounds; what is missed comes last."""
    counts = {v: sum(j.verdict == v for j in judgements) for v in ("holds", "MISSED")}
    title = f"bounds: {counts['holds']} of {len(judgements)} hold, {counts['MISSED']} are missed"
    table = Table(title=title)
    for column in ("workload", "bound"):
        table.add_column(column)
    for column in ("found", "limit"):
        table.add_column(column, justify="right")
    table.add_column("")
    table.add_column("problem", overflow="fold")
    order = ("holds", "not measured", "MISSED")
    for j in sorted(judgements, key=lambda j: order.index(j.verdict)):
        limit = f"{three(j.limit)} {j.unit}".strip()
        table.add_row(j.workload, j.bound.name, three(j.found), limit, j.verdict, j.problem)
    return table


def lines(judgements: Sequence[Judgement]) -> list[str]:
    """Say for each bound what was found, the limit, and whether it holds."""
    return [
        j.bound.name
        + (
            ""
            if j.found is None
            else f" = {three(j.found)}, limit {three(j.limit)} {j.unit}".rstrip()
        )
        + f": {j.verdict}{f' ({j.problem})' if j.problem else ''}"
        for j in judgements
    ]
