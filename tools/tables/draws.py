"""Write docs/draws.md, how far draws differ between backends: `python -m tools.tables.draws`."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

import weft.tensor as wt
from tools.workspace import ROOT
from weft_tensor.stats import Continuous

__all__ = ["PAGE", "SETS", "Difference", "difference", "measured", "page"]

PAGE: Final = ROOT / "docs" / "draws.md"
MODES: Final = ("py", "numba", "jax")
_COUNT: Final = 100_000
_HEAD: Final = """\
# Draws on several backends

How far 100,000 draws from one key differ between Python, Numba and JAX, in units in the last place:
the largest difference of any two, how many differ by more than 2, and the largest difference in
last places of the spread (the distance between the quartiles) where a number is smaller than that.

What is large in the first column and small in the last is next to 0, where numbers are differences
of larger ones: sums such as those of `exponnorm` and `skewnorm`, and the logarithms of `moyal`.
What is large in both is a power or an exponential that magnifies: gamma numbers are d r³ u^(1/a)
with r = 1 + c z for a normal number z, r of a small one is a difference, and negative powers of it
are large (`invgamma`, `halft`, `t`); `lognorm`, exp(s z), has s z times the difference of z.
Normal numbers themselves differ by 3, as XLA rounds a b + c once and others twice. Draws by halving
a distribution function, as those of `truncnorm`, are as right as that function is.
All distributions of integers give equal draws. Written by `python -m tools.tables.draws`.

"""
SETS: Final[dict[str, tuple[tuple[float, ...], ...]]] = {
    "alpha": ((3.57,),),
    "argus": ((1.0,),),
    "beta": ((2.0, 3.0), (0.3, 0.5), (300.0, 200.0)),
    "betaprime": ((3.0, 5.0), (0.3, 4.0), (40.0, 50.0)),
    "bradford": ((0.3,), (0.001,), (1.0,)),
    "burr": ((3.0, 2.0), (0.5, 1.0), (1.0, 0.1)),
    "burr12": ((3.0, 2.0), (0.5, 1.0), (1.0, 0.1)),
    "chi": ((3.0,), (0.1,), (1.0,)),
    "chi2": ((1.0,), (0.2,), (50.0,)),
    "crystalball": ((1.0, 4.5),),
    "dgamma": ((2.5,), (0.05,), (1.0,)),
    "dpareto_lognorm": ((0.3, 0.8, 3.0, 2.5),),
    "dweibull": ((1.7,), (0.3,), (1.0,)),
    "erlang": ((3.0,),),
    "exponnorm": ((1.5,), (0.1,), (20.0,)),
    "exponpow": ((2.5,), (0.3,), (1.0,)),
    "exponweib": ((2.0, 1.5), (0.1, 2.0), (1.0, 1.0)),
    "f": ((5.0, 7.0), (1.0, 20.0), (50.0, 60.0)),
    "fatiguelife": ((0.8,), (0.01,), (3.0,)),
    "fisk": ((3.0,), (0.5,), (1.0,)),
    "foldcauchy": ((1.2,),),
    "foldnorm": ((1.2,), (0.0,), (0.1,)),
    "gamma": ((2.5,), (0.3,), (10000.0,)),
    "gausshyper": ((2.5, 1.5, 1.2, 3.0),),
    "genexpon": ((1.0, 2.0, 0.5),),
    "genextreme": ((-0.2,), (0.0,), (0.7,)),
    "gengamma": ((1.2, -2.0), (0.3, 2.0), (5.0, 1.0)),
    "genhalflogistic": ((0.8,), (0.01,), (1.0,)),
    "genhyperbolic": ((1.3, 1.5, 0.5), (-2.0, 0.4, -0.3)),
    "geninvgauss": ((2.3, 1.5), (-1.5, 0.3)),
    "genlogistic": ((0.7,), (0.1,), (1.0,)),
    "gennorm": ((1.3,), (0.3,), (2.0,)),
    "genpareto": ((-0.4,), (0.0,), (1.5,)),
    "gompertz": ((1.5,), (0.001,), (1.0,)),
    "halfgennorm": ((1.3,), (0.3,), (2.0,)),
    "halft": ((5.0,), (1.0,), (100.0,)),
    "invgamma": ((5.0,), (0.3,), (100.0,)),
    "invgauss": ((0.8,), (0.05,), (20.0,)),
    "invweibull": ((3.5,), (0.5,), (1.0,)),
    "irwinhall": ((5.0,), (100.0,)),
    "jf_skew_t": ((3.0, 2.0),),
    "johnsonsb": ((0.3, 0.8), (-3.0, 2.0), (0.0, 0.3)),
    "johnsonsu": ((0.3, 0.8), (-3.0, 2.0), (0.0, 0.3)),
    "kappa3": ((1.5,), (0.3,), (1.0,)),
    "kappa4": ((-0.4, -0.3),),
    "ksone": ((5.0,),),
    "kstwo": ((5.0,),),
    "kumaraswamy": ((2.0, 3.0), (0.1, 0.5), (20.0, 30.0)),
    "laplace_asymmetric": ((0.4,), (1.0,), (5.0,)),
    "levy_stable": ((1.7, 0.3), (0.6, -0.5)),
    "loggamma": ((2.5,), (0.01,), (1.0,)),
    "logitnorm": ((0.3, 0.8), (-3.0, 0.1), (0.0, 4.0)),
    "loglaplace": ((3.5,), (0.5,), (1.0,)),
    "lognorm": ((0.7,), (0.05,), (5.0,)),
    "loguniform": ((0.5, 4.0), (1e-06, 1000000.0), (1.0, 1.01)),
    "lomax": ((3.0,), (0.3,), (1.0,)),
    "mielke": ((3.0, 2.5), (0.1, 1.0), (1.0, 0.5)),
    "nakagami": ((2.5,), (0.1,), (1.0,)),
    "ncf": ((5.0, 9.0, 3.0), (0.6, 30.0, 20.0)),
    "ncx2": ((5.0, 3.0), (0.3, 20.0)),
    "nct": ((5.0, 1.5), (0.7, -2.0)),
    "norminvgauss": ((1.5, 0.5), (3.0, -2.9)),
    "pareto": ((3.0,), (0.5,), (50.0,)),
    "pearson3": ((0.5,), (-2.5,)),
    "powerlaw": ((2.5,), (0.1,), (1.0,)),
    "powerlognorm": ((2.5, 0.7), (0.1, 0.3), (1.0, 1.0)),
    "powernorm": ((2.5,), (0.1,), (1.0,)),
    "rdist": ((3.5,), (0.5,), (2.0,)),
    "recipinvgauss": ((0.8,),),
    "reciprocal": ((0.5, 4.0),),
    "rel_breitwigner": ((1.5,),),
    "rice": ((1.2,), (0.1,), (30.0,)),
    "skewcauchy": ((0.4,), (0.0,), (-0.9,)),
    "skewnorm": ((2.0,), (-0.3,), (20.0,)),
    "studentized_range": ((5.0, 10.0),),
    "t": ((4.0,), (0.5,), (100.0,)),
    "trapezoid": ((0.2, 0.85),),
    "triang": ((0.3,), (0.0,), (1.0,)),
    "truncexpon": ((2.0,), (0.1,), (50.0,)),
    "truncnorm": ((4.0, 9.0), (-1.0, 2.0), (-9.0, -8.0)),
    "truncpareto": ((2.0, 5.0),),
    "truncweibull_min": ((2.5, 0.25, 1.75),),
    "tukeylambda": ((-0.4,), (0.3,)),
    "vonmises": ((2.0,), (0.01,), (40.0,)),
    "vonmises_line": ((0.4,), (5.0,)),
    "weibull_max": ((1.7,), (0.5,), (20.0,)),
    "weibull_min": ((0.6,), (1.5,), (20.0,)),
    "wrapcauchy": ((0.4,),),
}
"""Parameters; distributions without an entry have none."""


class Difference(NamedTuple):
    """Between the draws of several backends, in units in the last place."""

    largest: float
    share: float
    """Of draws that differ by more than 2."""
    of_spread: float


def difference(draws: list[Any]) -> Difference:
    """Between arrays of one shape, taken two at a time."""
    first = draws[0]
    low, high = np.quantile(first, [0.25, 0.75])
    apart = np.max([abs(a - b) for a in draws for b in draws], axis=0)
    units = apart / np.spacing(abs(first))
    of_spread = apart / np.spacing(np.maximum(abs(first), high - low))
    return Difference(units.max(), float((units > 2).mean()), of_spread.max())


def measured(name: str, parameters: tuple[float, ...], count: int) -> Difference:
    """Between the draws of a distribution."""
    of = getattr(wt.stats, name)
    draws = of.rvs(wt.random.key(20261124), *parameters, size=count)
    return difference([wt.function([], draws, mode=mode)() for mode in MODES])


def _lines(name: str, count: int) -> list[str]:
    lines = []
    for p in SETS.get(name, ((),)):
        found = measured(name, p, count)
        of = ", ".join(f"{v:g}" for v in p)
        last = " | ".join(f"{n:.2g}" if n > 99 else f"{n:.0f}" for n in (found[0], found[2]))
        share = f"{100 * found.share:.2g} %" if found.share else "none"
        lines.append(f"| `{name}` | {of} | {last.replace(' | ', f' | {share} | ')} |")
    return lines


def page(count: int = _COUNT) -> str:
    """The page's text."""
    names = [n for n in sorted(wt.stats.__all__) if isinstance(getattr(wt.stats, n), Continuous)]
    head = "| distribution | parameters | largest | above 2 | of the spread |"
    lines = [line for name in names for line in _lines(name, count)]
    return "\n".join([_HEAD + head, "| --- | --- | --- | --- | --- |", *lines, ""])


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
