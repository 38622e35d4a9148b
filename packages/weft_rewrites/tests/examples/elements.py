"""Examples of rules about functions of numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

import weft_tensor as wt
from packages.weft_rewrites.tests.examples.operands import (
    ABOVE,
    BELOW,
    BETWEEN,
    SMALL,
    C,
    K,
    N,
    S,
    T,
    V,
    W,
    X,
    Z,
    at,
    n,
)
from weft_graph.extend import Assumed, apply

__all__ = ["EXAMPLES"]

EXAMPLES: dict[str, list[Any]] = {
    "cast to the same dtype": [wt.Cast("float64")(X)],
    "cast of a cast that loses nothing": [
        wt.Cast("int8")(wt.Cast("float64")(SMALL)),
        wt.Cast("float32")(wt.Cast("int32")(SMALL)),
        wt.Cast("bool")(wt.Cast("int64")(C)),
    ],
    "conjugate of real numbers": [wt.conj(SMALL)],
    "where(x < c, c, x) = maximum(x, c)": [wt.where(X < 0.5, 0.5, X)],
    "where(x > c, c, x) = minimum(x, c)": [wt.where(X > 0.5, 0.5, X)],
    "where with a negated condition": [wt.where(wt.logical_not(C), S, Z)],
    "sqrt(c * square(x)) = sqrt(c) * abs(x) for a number c > 0": [
        *(at(wt.sqrt(c * wt.square(S)), S=v) for c in (4, 3) for v in (-0.3, 0, 1e-100, 1e200)),
    ],
    "log(c * (1 + x)) = log1p(x) + log(c) for a number c > 0, x not negative": [
        *(at(wt.log(c * (1 + wt.square(S))), S=v) for c in (3.5, 0.5) for v in (0, 1, 1e-9, 1e154)),
        wt.log(1e300 * (1 + wt.exp(700.0 * ABOVE))),
    ],
    "log(c * (exp(x) + exp(y))) = log(exp(x) + exp(y)) + log(c) for a number c > 0": [
        wt.log(0.5 * (wt.exp(V) + wt.exp(W))),
        wt.log(1e300 * (wt.exp(700.0 * ABOVE) + wt.exp(700.0 * ABOVE * S))),
        wt.log(0.3 * (wt.exp(V) + W * wt.exp(W) + wt.exp(S))),
    ],
    "log1p(c * exp(x)) = softplus(x + log(c)) for a number c > 0": [
        *(at(wt.log1p(c * wt.exp(S)), S=v) for c in (2.5, 0.1) for v in (-800, -30, 0, 1, 800)),
    ],
    "log(c + exp(x)) = log(c) + softplus(x - log(c)) for a number c >= 1": [
        *(at(wt.log(2.5 + wt.exp(S)), S=v) for v in (-800, -0.1, 0.3, 2.7, 800)),
        wt.log(3 + wt.exp(BETWEEN)),
    ],
    "log of a sum of products with exponentials, shifted": [
        wt.log(S * wt.exp(-wt.square(V)) + (1 - S) * wt.exp(W)),
        *(at(wt.log(S * wt.exp(T) - wt.exp(2 * T)), S=3, T=v) for v in (-500, -800)),
        *(at(wt.log(S * wt.exp(T) + wt.exp(-T)), S=3, T=v) for v in (-800, 800)),
        at(wt.log(S * wt.exp(T) + T * wt.exp(-T)), S=0, T=500),
    ],
    "sigmoids and exponentials cancelled in a product": [
        wt.sigmoid(V / 99) * W * wt.exp(-(V / 99)),
        (W / wt.sigmoid(V / 99) + 1 / wt.sigmoid(-(V / 99))) * wt.square(wt.sigmoid(V / 99)),
        *(at(wt.exp(T) * (3.5 / (S * wt.exp(T))), S=3, T=v) for v in (-800, 0.5, 800)),
    ],
    "sigmoids and exponentials cancelled in a quotient": [
        (S * wt.sigmoid(X * 2)) / wt.exp(X * 2),
        S / (wt.sigmoid(X - S) * (1 + wt.exp(S - X)) * wt.sigmoid(S - X)),
    ],
    **{
        f"{name} of a product with erfc": [
            log(wt.erfc(V)),
            log(wt.erfc(V) * 3.5 / W),
            log(0.5 * wt.erfc(X / 2**0.5)),
            log(wt.square(wt.erfc(S)) / wt.erfc(V)),
        ]
        for name, log in (("log", wt.log), ("log2", wt.log2), ("log10", wt.log10))
    },
    "log1p of a product with erf or erfc": [
        wt.log1p(-wt.erf(V)),
        wt.log1p(wt.erf(V)),
        wt.log1p(wt.erfc(X / 2**0.5) * -0.5),
        wt.log1p(-(wt.erfc(V) / 2)),
    ],
    "add of a number and a multiple of erf or erfc": [
        0.5 + 0.5 * wt.erf(V),
        1 + wt.erfc(V) * -0.5,
    ],
    "sub of a number and a multiple of erf or erfc": [
        0.5 - 0.5 * wt.erf(V),
        1 - wt.erfc(X) / 2,
        wt.erf(V) * -2 - 2,
    ],
    "exponential of a square and erfc in a product": [
        wt.exp(wt.square(V)) * wt.erfc(V),
        wt.exp(-0.5 * wt.square(V / 3)) * (W / wt.erfc(V / 3 / 2**0.5)),
        (2 / wt.erfc(-V)) * (wt.exp(-wt.square(V)) * 0.5),
    ],
    "exponential of a square and erfc in a quotient": [
        wt.exp(-wt.square(V)) / wt.erfc(V),
        wt.exp(wt.square(V / W) * -2) * S / wt.square(wt.erfc(V / W * 2**0.5)),
        wt.erfc(S) / wt.exp(-wt.square(S)),
    ],
    "exp(x) - exp(y) = 2 * sinh(x) where y = -x": [wt.exp(V) - wt.exp(-V), wt.exp(-X) - wt.exp(X)],
    "exp(x) + exp(y) = 2 * cosh(x) where y = -x": [
        wt.exp(V) + wt.exp(-V),
        wt.exp(X * 0.3) + wt.exp(X * -0.3),
    ],
    "sigmoid(x) - sigmoid(y) = tanh(0.5 * x) where y = -x": [wt.sigmoid(-V) - wt.sigmoid(V)],
    "(x * (y / z)) / (x / z) = y": [
        (W * (V / S)) / (W / S),
        *(at((S * (T / (S + T))) / (S / (S + T)), S=a, T=b) for a, b in ((1, 1e-300), (0, 2))),
    ],
    "(x - c) + c = x for a number c up to 1000": [
        (S - 1) + 1,
        *(at((S - 1) + 1, S=v) for v in (1e-20, -0.0, -np.inf)),
    ],
    "((x + y) - c) - x = y - c for a constant c where x is finite": [
        ((BETWEEN + X) - 1) - BETWEEN,
        ((N + V) - 1) - N,
        at(((K.astype("float64") + S) - 1) - K.astype("float64"), K=7, S=1 + 1e-15),
    ],
    "x / (x / y) = y": [V / (V / S), *(at(S / (S / T), S=v, T=3) for v in (0, 1e-300, 1e300))],
    "log1p(x) - log1p(y) = 2 * arctanh(x) where y = -x": [
        wt.log1p(BETWEEN) - wt.log1p(-BETWEEN),
        wt.log1p(X) - wt.log1p(-X),
    ],
    "expm1(x) * sigmoid(y) = tanh(0.5 * x) where y = -x": [
        wt.expm1(V) * wt.sigmoid(-V),
        wt.expm1(X * 3) * wt.sigmoid(X * -3),
    ],
    "x + c = x - -c where c is negative": [V + -2.5, SMALL + wt.constant(-3, "int8")],
    "softplus(x) + y = softplus(y) where y = -x": [wt.softplus(-V) + V],
    "softplus(x) - softplus(y) = x where y = -x": [wt.softplus(V) - wt.softplus(-V)],
    "log of a product with exponentials": [
        wt.log(wt.exp(V) * W / wt.cosh(W)),
        wt.log(wt.exp(-wt.square(X) / 2) / 2.5),
        wt.log(-wt.square(wt.sigmoid(V))),
        wt.log(wt.exp(X).sum(1) / 3.0),
        wt.log(wt.square(X)),
        wt.log(-(wt.exp(V) * W)),
    ],
    "log(x ** y) = y * log(abs(x)), NaN where x ** y is": [
        wt.log(V**2.5),
        wt.log(V**W),
        wt.log(wt.exp(X) ** S),
        wt.log(X**7.0),
    ],
    "log(x ** n) = n * log(abs(x)) for even n": [wt.log(V**100.0), wt.log(V**-66.0)],
    "log(x ** c) = c * log(x) for a number c that is known": [
        wt.log(V**2.5),
        wt.log(X**-99.0),
        wt.log(X**99.0),
    ],
    "x / exp(y) = x * exp(-y) where y is one number for many": [
        V / wt.exp(S),
        at(V / wt.exp(S), V=[np.inf, 1e300], S=720),
        at(V / wt.exp(S), V=[1e-320, 1e-310], S=-740),
    ],
    "cosh(x)² - sinh(x)² = 1": [wt.square(wt.cosh(wt.sin(X))) - wt.square(wt.sinh(wt.sin(X)))],
    "fold constants": [
        wt.constant([1.0, 2.0]) + wt.constant(3),
        wt.constant([[1, 2]], "int8") / wt.constant(3, "int8"),
    ],
    "what is known need not be assumed": [
        apply(Assumed((("nonnegative", True),)), (wt.exp(X),)),
    ],
    "abs(x) = -x where x is negative": [wt.abs(-1 - wt.square(X))],
    "sign of what is positive or negative": [wt.sign(ABOVE), wt.sign(BELOW)],
    "maximum of what is not negative and what is not positive": [
        wt.maximum(n, 0),
        wt.maximum(wt.exp(X), 0),
        wt.maximum(wt.minimum(N.astype("float64"), -0.5), wt.abs(V)),
    ],
    "minimum of what is not negative and what is not positive": [
        wt.minimum(wt.maximum(N.astype("float64"), 0.5), -wt.exp(V)),
        wt.minimum(-1 - wt.square(V), 0),
    ],
    "gt that is decided": [ABOVE > 0, wt.gt(0, wt.exp(X))],
    "ge that is decided": [ABOVE >= 0, wt.ge(-1, wt.exp(X))],
    "lt that is decided": [BELOW < 0, wt.exp(X) < 0],
    "le that is decided": [BELOW <= 0, wt.exp(X) <= -1],
    "eq that is decided": [wt.eq(1 + wt.square(X), 0), wt.eq(wt.exp(X), -1)],
    "neq that is decided": [wt.neq(1 + wt.square(X), 0)],
    "isnan of what is not": [wt.isnan(SMALL / 2), wt.isnan(wt.exp(BETWEEN))],
    "isinf of what is finite": [wt.isinf(BETWEEN)],
    "isfinite of what is finite": [wt.isfinite(BETWEEN)],
    **{
        f"{name}(x) = x for whole numbers": [
            wt.Elemwise(name)(wt.rint(X) * 2),
            wt.Elemwise(name)(SMALL.astype("float32")),
        ]
        for name in ("floor", "ceil", "trunc", "rint")
    },
    "log(x ** y) = y * log(x) for positive x": [
        wt.log(ABOVE**3.5),
        wt.log(ABOVE**1e4),
        wt.log(ABOVE**BETWEEN),
    ],
    "x ** n = x * ... * x for whole n up to 64": [
        *(X**n for n in (0, 3, 6, 7, -2, -5, 63.0, 64, -64)),
        *(SMALL**n for n in (0, 2, 3, 64, -3.0)),
        *(Z**n for n in (0, 2, 3, 5, -2, -3)),
        *(C**2, C**0, K ** wt.constant(3, "uint8"), S ** wt.constant(2j * 2j)),
        *(X.astype("float32") ** 9, V ** wt.constant([4]), S**0),
    ],
    "x ** [n, ...] = a product of squares for each whole n up to 64": [
        *(S ** wt.constant(n) for n in ([0, 1, 2, 3], [3.0, 3.0], [-1, 5, -64], [0, 0])),
        *(X[..., None] ** wt.arange(n) for n in (2, 4, 65)),
        X[..., None].astype("float32") ** wt.constant([1, 2, 5], "float32"),
    ],
    "x ** (n + 1/2) = x ** n * sqrt(x) up to x ** 2.5": [
        *(X**y for y in (1.5, -0.5, -1.5, 2.5, -2.5)),
        *(X.astype("float32") ** 2.5, V ** wt.constant([1.5]), SMALL**1.5),
    ],
    "c * (d * x) = (c * d) * x": [
        wt.mul(3.7, wt.mul(S, 1.3)),
        wt.mul(wt.mul(1e200, V), 1e-190),
        wt.mul(wt.mul(1e300, wt.exp(700.0 * ABOVE)), 1e-200),
    ],
    "c + (d + x) = (c + d) + x": [1.5 + (V + 2.25), (1e-9 + X) + 1e-9],
    "real part of real numbers": [wt.real(X)],
    "cast(x * conj(exp(y))) = cast(conj(x) * exp(y))": [
        (Z * wt.conj(wt.exp(1j * V))).astype("float64"),
        (V * wt.conj(wt.exp(1j * Z)) * (1j * Z)).astype("float64"),
        (wt.conj(wt.exp(Z)) * wt.conj(wt.exp(Z * Z))).astype("float64"),
    ],
    "re(x * conj(exp(y))) = re(conj(x) * exp(y))": [
        wt.real(Z * wt.conj(wt.exp(1j * V))),
        wt.real(V * wt.conj(wt.exp(1j * Z)) * (1j * Z)),
        wt.real(wt.conj(wt.exp(Z)) * wt.conj(wt.exp(Z * Z))),
    ],
    **{
        f"exp({inner}) = cos(y) + 1j * sin(y) for {inner} = 1j * y": examples
        for inner, examples in {
            "-x": [wt.exp(-(X * 1j))],
            "x * z": [wt.exp(1j * V), wt.exp(1j * X.astype("float32"))],
            "x / z": [wt.exp(-2j * X / 7)],
            "x + z": [wt.exp(1j * V + 0.5j)],
            "x - z": [wt.exp(V * 2j - 0.3j), wt.exp(1j * X - V * 1j)],
        }.items()
    },
    "where with a constant condition": [
        wt.where(wt.constant(True), X, S),
        wt.where(wt.constant(False), X, S),
        wt.where(wt.constant(True), SMALL, X[:, :1]),
        wt.where([True, True, True], X, S),
        wt.where([[False], [False]], X[:1], wt.stack([S, T, S])),
        wt.where([True, True], S, T),
    ],
    "both or either with a constant": [
        C & [True],
        C[:1] & [False, False],
        [[True], [True]] | C,
        C[:1] | [[False, False]],
    ],
    **{
        f"abs(x) {sign} c by squares, of complex numbers": [compare(wt.abs(Z), 1.25)]
        for sign, compare in (
            ("<", wt.less),
            ("<=", wt.less_equal),
            (">", wt.greater),
            (">=", wt.greater_equal),
        )
    },
    "where between equals": [wt.where(C[0], X, X), wt.where(C, S, S)],
    **{
        f"x {sign} x is {result} of a whole number": [compare(K, K)]
        for sign, compare, result in (
            ("<=", wt.less_equal, True),
            (">=", wt.greater_equal, True),
            ("==", wt.equal, True),
            ("<", wt.less, False),
            (">", wt.greater, False),
            ("!=", wt.not_equal, False),
        )
    },
}
