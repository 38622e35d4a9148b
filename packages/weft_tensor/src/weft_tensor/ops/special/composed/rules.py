"""Numbers that no variable goes into: places and weights of Gauss' rules, and known sequences."""

from __future__ import annotations

import sys
from collections.abc import Callable
from math import isfinite
from typing import Any, Final

from weft_tensor.build.convert import as_tensor
from weft_tensor.build.lazy_import import lazy_import
from weft_tensor.build.variable import TensorVariable

__all__ = [
    "bernoulli",
    "euler",
    "roots_chebyc",
    "roots_chebys",
    "roots_chebyt",
    "roots_chebyu",
    "roots_gegenbauer",
    "roots_genlaguerre",
    "roots_hermite",
    "roots_hermitenorm",
    "roots_jacobi",
    "roots_laguerre",
    "roots_legendre",
    "roots_sh_chebyt",
    "roots_sh_chebyu",
    "roots_sh_jacobi",
    "roots_sh_legendre",
]

Rule = Callable[..., tuple[TensorVariable, ...]]


def _numbers(name: str, values: tuple[Any, ...]) -> None:
    for v in values:
        if not isinstance(v, (int, float)) or not isfinite(v):
            raise TypeError(
                f"{name} makes constants: it takes numbers that are known, not {v!r}; for others, "
                "the values of `linalg.eigh_tridiagonal` of the recurrence's factors are the places"
            )


def _rule(name: str, weight: str, count: int) -> Rule:
    """The function for users, of the degree and so many parameters."""
    others = ("alpha", "beta") if name == "roots_jacobi" else ("p1", "q1")
    parameters = ("alpha",) if count == 1 else others[:count]

    def call(n: int, *args: float, mu: bool = False, **named: float) -> tuple[TensorVariable, ...]:
        args = (*args, *[named.pop(p) for p in parameters[len(args) :] if p in named])
        if len(args) == count + 1:
            args, mu = args[:-1], bool(args[-1])
        if len(args) != count or named:
            raise TypeError(
                f"{name} takes n{', '.join(['', *parameters])}, got {(n, *args, *named)}"
            )
        _numbers(name, (n, *args))
        *arrays, whole = lazy_import(f"scipy.special.{name}")(n, *args, mu=True)
        return (*map(as_tensor, arrays), *[as_tensor(float(whole))] * mu)

    example = ", ".join(["2", *["1.5"] * count])
    call.__name__ = call.__qualname__ = name
    call.__module__ = sys._getframe(1).f_globals["__name__"]
    call.__doc__ = (
        f"The n places and weights of Gauss' rule for {weight}.\n\n"
        "With `mu`, the sum of the weights, too. Raises TypeError for what is no number. See\n"
        f"`scipy.special.{name}`.\n\n"
        f">>> places, weights = {name}({example})\n>>> places.type.shape\n(2,)\n"
    )
    return call


_INTERVAL: Final = "from -1 to 1"
_UNIT: Final = "from 0 to 1"
roots_legendre = _rule("roots_legendre", f"the weight 1 {_INTERVAL}", 0)
roots_chebyt = _rule("roots_chebyt", f"the weight (1 - x²)^(-1/2) {_INTERVAL}", 0)
roots_chebyu = _rule("roots_chebyu", f"the weight (1 - x²)^(1/2) {_INTERVAL}", 0)
roots_chebyc = _rule("roots_chebyc", "the weight (1 - x²/4)^(-1/2) from -2 to 2", 0)
roots_chebys = _rule("roots_chebys", "the weight (1 - x²/4)^(1/2) from -2 to 2", 0)
roots_gegenbauer = _rule("roots_gegenbauer", f"the weight (1 - x²)^(alpha - 1/2) {_INTERVAL}", 1)
roots_jacobi = _rule("roots_jacobi", f"the weight (1 - x)^alpha (1 + x)^beta {_INTERVAL}", 2)
roots_hermite = _rule("roots_hermite", "the weight exp(-x²)", 0)
roots_hermitenorm = _rule("roots_hermitenorm", "the weight exp(-x²/2)", 0)
roots_laguerre = _rule("roots_laguerre", "the weight exp(-x) above 0", 0)
roots_genlaguerre = _rule("roots_genlaguerre", "the weight x^alpha exp(-x) above 0", 1)
roots_sh_legendre = _rule("roots_sh_legendre", f"the weight 1 {_UNIT}", 0)
roots_sh_chebyt = _rule("roots_sh_chebyt", f"the weight (x - x²)^(-1/2) {_UNIT}", 0)
roots_sh_chebyu = _rule("roots_sh_chebyu", f"the weight (x - x²)^(1/2) {_UNIT}", 0)
roots_sh_jacobi = _rule("roots_sh_jacobi", f"the weight (1 - x)^(p1 - q1) x^(q1 - 1) {_UNIT}", 2)


def bernoulli(n: int) -> TensorVariable:
    """Bernoulli's numbers B0 to Bn: a constant. See `scipy.special.bernoulli`.

    Raises TypeError for an n that is no number.

    >>> bernoulli(2).eval().round(6)
    array([ 1.      , -0.5     ,  0.166667])
    """
    _numbers("bernoulli", (n,))
    return as_tensor(lazy_import("scipy.special.bernoulli")(n)[: n + 1])


def euler(n: int) -> TensorVariable:
    """Euler's numbers E0 to En: a constant. See `scipy.special.euler`.

    Raises TypeError for an n that is no number.

    >>> euler(4).eval()
    array([ 1.,  0., -1.,  0.,  5.])
    """
    _numbers("euler", (n,))
    return as_tensor(lazy_import("scipy.special.euler")(n)[: n + 1])
