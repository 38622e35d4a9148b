"""Functions of series of six families of polynomials, by the names of `numpy.polynomial`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from weft_tensor.ops.polynomials import series, series_products
from weft_tensor.ops.polynomials.families import FAMILIES, Family

__all__ = ["functions"]


def functions() -> dict[str, Callable[..., Any]]:
    """All functions of all families, by NumPy's names.

    >>> functions()["legval"]([0.5, 1.0], [1.0, 0.0, 2.0]).eval()
    array([0.75, 3.  ])
    """
    every: dict[str, Callable[..., Any]] = {}
    for family in FAMILIES:
        of_all = {**series.KINDS, **series_products.KINDS}
        kinds = {f"{family.prefix}{kind}": f for kind, f in of_all.items()}
        if family.prefix == "poly":
            kinds = {n: f for n, f in kinds.items() if n not in ("polygauss", "polyweight")}
        else:
            both = series_products.CONVERSIONS.items()
            kinds |= {name.format(family.prefix): f for name, f in both}
        every |= {name: _bound(f, family, name) for name, f in kinds.items()}
    return every | series.OF_ONE | series_products.OF_ONE


def _bound(f: Callable[..., Any], family: Family, name: str) -> Callable[..., Any]:
    bound = partial(f, family)
    words = {"family": family.place.replace("_e", "").capitalize(), "place": family.place}
    bound.__doc__ = str(f.__doc__).format(name=name, **words)
    return bound
