"""Values of orthogonal polynomials, by their recurrences of three terms.

NIST Digital Library of Mathematical Functions, 18.9.1 and 18.9.2. Those of degrees that are not
whole, or negative, are hypergeometric functions of real numbers, as SciPy has it (18.5.7 to
18.5.12): without slopes in the degree. Their series cancel for large degrees: the recurrences go
there from the degree's fraction. Laguerre's does not, since it loses digits and the series none.
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import Parameter, signature
from math import nan
from typing import Any, Final

from weft_graph import stop_gradient
from weft_graph.extend import called, sweep_forward
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.control.loops import fori_loop, while_loop
from weft_tensor.ops.elementwise.arithmetic import floor, rint
from weft_tensor.ops.elementwise.comparison import eq, isfinite, where
from weft_tensor.ops.elementwise.op import binary
from weft_tensor.ops.elementwise.table import LOOP, POSITIVE, floating
from weft_tensor.ops.reduction.standard import max as largest
from weft_tensor.ops.shape.concatenate import stack
from weft_tensor.ops.special.composed.far_slopes import FAR_CHEBYT, FAR_CHEBYU, FAR_LEGENDRE, Far
from weft_tensor.ops.special.composed.formula import Formula, documented, floats
from weft_tensor.ops.special.confluent.kummer import hyp1f1
from weft_tensor.ops.special.gamma import binom, gamma, poch
from weft_tensor.ops.special.hypergeometric import hyp2f1
from weft_tensor.ops.special.slope_rows import doubled, slope_row
from weft_tensor.types.dtypes import promote

__all__ = [
    "assoc_laguerre",
    "eval_chebyc",
    "eval_chebys",
    "eval_chebyt",
    "eval_chebyu",
    "eval_gegenbauer",
    "eval_genlaguerre",
    "eval_hermite",
    "eval_hermitenorm",
    "eval_jacobi",
    "eval_laguerre",
    "eval_legendre",
    "eval_sh_chebyt",
    "eval_sh_chebyu",
    "eval_sh_jacobi",
    "eval_sh_legendre",
]

_MOST: Final = 1_000_000
"""The largest degree of those that are not known when the graph is built."""
_NEAR: Final = 0.02
"""The recurrence loses the digits of a denominator that is so near 0."""
_WRITTEN_OUT: Final = 20
"""Up to this degree there is no loop."""


def _polynomials(
    name: str,
    summary: str,
    example: tuple[float, ...],
    first: Callable[..., Any],
    step: Callable[..., Any],
    between: Callable[..., Any] | None = None,
    start: float = 1.0,
    climbs: Callable[..., Any] | None = lambda *_: True,
    of_real: Callable[..., Any] | None = None,
) -> Formula:
    """The function of the degree, parameters and x.

    `between`, of the same, has the values for degrees that are none, which are NaN without; where
    the recurrence `climbs`, of all of these, it is called for the fractions of degrees.
    `of_real`, of the same, is there for all real degrees of real numbers, if it is given.
    `start` is the polynomial of degree 0, `first` makes that of degree 1; `step`, of k, parameters
    and x, the factors of the last one and of the one before, for that of degree k + 1.
    """

    def call(n: TensorLike, *arguments: TensorLike) -> TensorVariable:
        if isinstance(n, int) and n < 0:
            raise ValueError(f"{name}: the degree must not be negative, got {n}")
        signature(first).bind(*arguments)
        xs, degree = floats(arguments), as_tensor(n)
        if degree.is_complex:
            raise TypeError(f"{name}: the degree is a real number, not {degree!r}{called()}")
        if isinstance(n, float):
            if n >= 0 and n.is_integer():
                return call(int(n), *arguments)
            dtype = promote([v.dtype for v in xs])
            if between is None:
                return as_tensor(nan + 0 * xs[-1]).astype(dtype)
            if climbs is None or n < 0:
                return as_tensor(between(n, *xs)).astype(dtype)
        elif not isinstance(n, int):
            xs = [v.astype(promote([degree.dtype, v.dtype])) for v in xs]
        linear = as_tensor(first(*xs))
        constant = 0 * linear + start

        def after(k: Any, pair: Any) -> Any:
            a, b = step(k, *xs)
            return pair[1], (a * pair[1] - b * pair[0]).astype(pair[1].dtype)

        if isinstance(n, int):
            return _of_number(n, (constant, linear), after)
        of_tensor = not isinstance(n, float)
        known = degree.dtype[0] != "f" or (of_tensor and any(v.is_complex for v in xs))
        if between is None or known:
            return _of_tensor(degree, (constant, linear), after)
        degree = stop_gradient(degree)
        if of_real is not None and not linear.is_complex:
            return as_tensor(of_real(degree, *xs)).astype(linear.dtype)
        if climbs is None:
            value, valid = _of_tensor(degree, (constant, linear), after), _is_degree(degree)
            apart = between(where(valid, 0.5, degree), *xs)
            return where(valid, value, apart).astype(value.dtype)
        of: Any = between
        return _of_real(
            degree, (constant, linear), after, climbs(degree, *xs),
            lambda n: of(stack([n, n + 1]), *xs), _climbed,
        )  # fmt: skip

    x = signature(first)
    leading = Parameter("n", Parameter.POSITIONAL_OR_KEYWORD)
    arguments = x.replace(parameters=[leading, *x.parameters.values()])
    return documented(call, name, f"{summary} of degree n at x.", example, arguments)


def _of_number(n: int, pair: Any, after: Callable[[Any, Any], Any]) -> TensorVariable:
    if n > _WRITTEN_OUT:
        pair = fori_loop(1, n, lambda k, s: after(k.astype("float64"), s), pair)
    else:
        for k in range(1, n):
            pair = after(float(k), pair)
    result: TensorVariable = pair[min(n, 1)]
    return result


def _of_tensor(n: TensorVariable, pair: Any, after: Callable[[Any, Any], Any]) -> TensorVariable:
    """By a loop up to the largest degree; NaN for what is no degree, and above `_MOST`."""
    valid = _is_degree(n)
    degree = where(valid, n, 0).astype("int64")
    pair = tuple((v + 0 * degree).astype(v.dtype) for v in pair)
    value = _climbed(degree, pair, after)
    return where(valid, value, nan).astype(value.dtype)


def _of_real(
    n: TensorVariable, pair: Any, after: Callable[[Any, Any], Any], climbs: Any, two: Any,
    climbed: Callable[..., TensorVariable], by_fraction: bool = False,
) -> TensorVariable:  # fmt: skip
    """By a loop up to the largest degree, from the fractions of those that climb."""
    whole, constant = _is_degree(n), pair[0]
    up = (n >= 0) & (n <= _MOST) & climbs
    whole = whole & climbs & (not by_fraction)
    as_many = stop_gradient(0 * where(isfinite(constant), constant, 0).real)
    steps = where(up, floor(n), 0) + as_many
    begun = where(whole, 0, n - steps)
    first = where(whole, 0.5, begun)
    apart = two(first)
    pair = tuple(where(whole, v, apart[k]).astype(v.dtype) for k, v in enumerate(pair))
    value = climbed(steps.astype("int64"), pair, lambda k, s: after(k + begun, s))
    return where(whole | isfinite(apart[0]), value, pair[0])


def _real_row(
    name: str, first: Callable[..., Any], step: Callable[..., Any], between: Callable[..., Any],
    far: Far, values: tuple[float, ...],
) -> Callable[..., Any]:  # fmt: skip
    """The polynomial of a real degree n at x, of one number: shorter to compile than of arrays."""

    def form(n: TensorVariable, x: TensorVariable, by_fraction: bool = False) -> TensorVariable:
        def after(k: Any, pair: Any) -> Any:
            a, b = step(k, x)
            return pair[1], a * pair[1] - b * pair[0]

        linear = first(x)
        pair = (0 * linear + 1, linear)

        def two(n: TensorVariable) -> Any:
            return between(n, x), between(n + 1, x)

        return _of_real(n, pair, after, True, two, _climbed_each, by_fraction)

    def by_x(n: TensorVariable, x: TensorVariable) -> Any:
        return sweep_forward([form(n, x)], {x: 0 * x + 1})[0]

    def by_degree(n: TensorVariable, x: TensorVariable) -> Any:
        near = where(far.holds(n, x), 2.0, x)
        slope: Any = sweep_forward([form(n, near, by_fraction=True)], {n: 0 * n + 1})[0]
        return where(far.holds(n, x), row(n, x) * far.of_logarithm(n, x), slope)

    domain = (POSITIVE, (-0.9, 0.9))
    slopes = [
        slope_row(f"{name}_slope{k}", name, domain, (2.5, 0.5, v), slope, f"{k + 1}.")
        for k, (v, slope) in enumerate(zip(values[1:], (by_degree, by_x), strict=True))
    ]
    row: Callable[..., Any] = binary(
        name, None, f"What `eval_{name.removesuffix('_of_real')}` is of a real degree.", domain,
        (2.5, 0.5, values[0]), lambda n, x, r: [slope(n, x) for slope in slopes],
        summation=doubled(form), dtypes=floating, cost=LOOP,
    )  # fmt: skip
    return row


def _climbed(steps: TensorVariable, pair: Any, after: Callable[[Any, Any], Any]) -> TensorVariable:
    """What stands so many steps behind the first of a pair."""

    def body(k: Any, state: Any) -> Any:
        before, last = after(k.astype("float64"), state[:2])
        return before, last, where(eq(steps, k + 1), last, state[2])

    start = *pair, where(eq(steps, 0), *pair)
    value: TensorVariable = fori_loop(1, largest(steps, initial=1), body, start)[2]
    return value


def _climbed_each(
    steps: TensorVariable, pair: Any, after: Callable[[Any, Any], Any]
) -> TensorVariable:
    """The same, of which each number has its own count: no derivatives backwards."""

    def body(state: Any) -> Any:
        k, before, last = state
        goes_on = k < steps
        following = after(k.astype("float64"), (before, last))
        return k + 1, *[
            where(goes_on, v, w) for v, w in zip(following, (before, last), strict=True)
        ]

    start = 0 * steps + 1, *pair
    _, _, last = while_loop(lambda state: (state[0] < steps).any(), body, start)
    return where(eq(steps, 0), pair[0], last)


def _is_degree(n: TensorVariable) -> TensorVariable:
    return (n >= 0) & (n <= _MOST) & eq(n, rint(n.astype("float64")))


def _chebyt(n: Any, x: Any) -> Any:
    return hyp2f1(-n, n, 0.5, 0.5 * (1 - x))


def _chebyu(n: Any, x: Any) -> Any:
    return (n + 1) * hyp2f1(-n, n + 2, 1.5, 0.5 * (1 - x))


def _legendre(n: Any, x: Any) -> Any:
    return hyp2f1(-n, n + 1, 1.0, 0.5 * (1 - x))


def _jacobi_between(n: Any, alpha: Any, beta: Any, x: Any) -> Any:
    return binom(n + alpha, n) * hyp2f1(-n, n + alpha + beta + 1, alpha + 1, 0.5 * (1 - x))


def _gegenbauer_between(n: Any, alpha: Any, x: Any) -> Any:
    factor = poch(2 * alpha, n) / gamma(n + 1.0)
    return factor * hyp2f1(-n, n + 2 * alpha, alpha + 0.5, 0.5 * (1 - x))


def _genlaguerre_between(n: Any, alpha: Any, x: Any) -> Any:
    return binom(n + alpha, n) * hyp1f1(-n, alpha + 1, x)


def _jacobi_climbs(n: Any, alpha: Any, beta: Any, x: Any) -> Any:
    """Whether no denominator is almost 0 on the way from the degree's fraction."""
    both = (alpha + beta).real
    fraction = n - floor(n)
    climbs: Any = True
    for k in (-both - 1 - fraction, -both / 2 - fraction):
        climbs = climbs & ((abs(k - rint(k)) > _NEAR) | (k < 0.5) | (k > n))
    return climbs


def _jacobi(k: Any, alpha: Any, beta: Any, x: Any) -> tuple[Any, Any]:
    both = alpha + beta
    twice = 2 * k + both
    scale = 2 * (k + 1) * (k + both + 1) * twice
    straight = (twice + 2) * twice * x + (alpha - beta) * both
    before = 2 * (k + alpha) * (k + beta) * (twice + 2)
    return (twice + 1) * straight / scale, before / scale


# fmt: off
_REAL: Final = {
    "legendre": _real_row(
        "legendre_of_real", lambda x: x, lambda k, x: ((2 * k + 1) / (k + 1) * x, k / (k + 1)),
        _legendre, FAR_LEGENDRE, (-0.3391984625, -0.3191552575, 1.140126114),
    ),
    "chebyt": _real_row(
        "chebyt_of_real", lambda x: x, lambda k, x: (2 * x, 1), _chebyt,
        FAR_CHEBYT, (-0.8660254038, -0.5235987756, 1.443375673),
    ),
    "chebyu": _real_row(
        "chebyu_of_real", lambda x: 2 * x, lambda k, x: (2 * x, 1), _chebyu,
        FAR_CHEBYU, (-0.5773502692, -1.047197551, 3.656551705),
    ),
}
eval_legendre = _polynomials(
    "eval_legendre", "Legendre's polynomial", (2, 0.5, -0.125), lambda x: x,
    lambda k, x: ((2 * k + 1) / (k + 1) * x, k / (k + 1)),
    _legendre, of_real=_REAL["legendre"],
)
eval_chebyt = _polynomials(
    "eval_chebyt", "Chebyshev's polynomial of the first kind", (2, 0.5, -0.5), lambda x: x,
    lambda k, x: (2 * x, 1),
    _chebyt, of_real=_REAL["chebyt"],
)
eval_chebyu = _polynomials(
    "eval_chebyu", "Chebyshev's polynomial of the second kind", (2, 0.25, -0.75), lambda x: 2 * x,
    lambda k, x: (2 * x, 1),
    _chebyu, of_real=_REAL["chebyu"],
)
eval_hermite = _polynomials(
    "eval_hermite", "Hermite's polynomial, the physicists',", (2, 0.5, -1.0), lambda x: 2 * x,
    lambda k, x: (2 * x, 2 * k),
)
eval_hermitenorm = _polynomials(
    "eval_hermitenorm", "Hermite's polynomial, the probabilists',", (2, 0.5, -0.75), lambda x: x,
    lambda k, x: (x, k),
)
eval_sh_legendre = _polynomials(
    "eval_sh_legendre", "Legendre's polynomial of 2x - 1", (2, 0.75, -0.125), lambda x: 2 * x - 1,
    lambda k, x: ((2 * k + 1) / (k + 1) * (2 * x - 1), k / (k + 1)),
    lambda n, x: _legendre(n, 2 * x - 1),
    of_real=lambda n, x: _REAL["legendre"](n, 2 * x - 1),
)
eval_sh_chebyt = _polynomials(
    "eval_sh_chebyt", "Chebyshev's polynomial of the first kind, of 2x - 1", (2, 0.75, -0.5),
    lambda x: 2 * x - 1, lambda k, x: (2 * (2 * x - 1), 1),
    lambda n, x: _chebyt(n, 2 * x - 1),
    of_real=lambda n, x: _REAL["chebyt"](n, 2 * x - 1),
)
eval_sh_chebyu = _polynomials(
    "eval_sh_chebyu", "Chebyshev's polynomial of the second kind, of 2x - 1", (2, 0.75, 0.0),
    lambda x: 2 * (2 * x - 1), lambda k, x: (2 * (2 * x - 1), 1),
    lambda n, x: _chebyu(n, 2 * x - 1),
    of_real=lambda n, x: _REAL["chebyu"](n, 2 * x - 1),
)
eval_chebyc = _polynomials(
    "eval_chebyc", "Chebyshev's polynomial of the first kind, twice that of x / 2,",
    (2, 0.5, -1.75), lambda x: x, lambda k, x: (x, 1),
    lambda n, x: 2 * _chebyt(n, 0.5 * x), start=2.0,
    of_real=lambda n, x: 2 * _REAL["chebyt"](n, 0.5 * x),
)
eval_chebys = _polynomials(
    "eval_chebys", "Chebyshev's polynomial of the second kind, of x / 2,", (2, 0.5, -0.75),
    lambda x: x, lambda k, x: (x, 1),
    lambda n, x: _chebyu(n, 0.5 * x), of_real=lambda n, x: _REAL["chebyu"](n, 0.5 * x),
)
eval_laguerre = _polynomials(
    "eval_laguerre", "Laguerre's polynomial", (2, 0.5, 0.125), lambda x: 1 - x,
    lambda k, x: ((2 * k + 1 - x) / (k + 1), k / (k + 1)),
    lambda n, x: hyp1f1(-n, 1.0, x), climbs=None,
)
eval_genlaguerre = _polynomials(
    "eval_genlaguerre", "The generalized polynomial of Laguerre", (2, 1.0, 0.5, 1.625),
    lambda alpha, x: 1 + alpha - x,
    lambda k, alpha, x: ((2 * k + 1 + alpha - x) / (k + 1), (k + alpha) / (k + 1)),
    _genlaguerre_between, climbs=None,
)
eval_gegenbauer = _polynomials(
    "eval_gegenbauer", "Gegenbauer's polynomial", (2, 1.0, 0.25, -0.75),
    lambda alpha, x: 2 * alpha * x,
    lambda k, alpha, x: (2 * (k + alpha) / (k + 1) * x, (k + 2 * alpha - 1) / (k + 1)),
    _gegenbauer_between,
)
eval_jacobi = _polynomials(
    "eval_jacobi", "Jacobi's polynomial", (2, 1.0, 0.5, 0.5, 0.398437),
    lambda alpha, beta, x: alpha + 1 + 0.5 * (alpha + beta + 2) * (x - 1), _jacobi,
    _jacobi_between, climbs=_jacobi_climbs,
)
# fmt: on


def eval_sh_jacobi(n: TensorLike, p: TensorLike, q: TensorLike, x: TensorLike) -> TensorVariable:
    """Jacobi's shifted polynomial of degree n at x. See `scipy.special.eval_sh_jacobi`.

    Elementwise, with broadcasting; integers become float64.

    >>> print(eval_sh_jacobi(2, 3.0, 2.0, 0.5).eval().round(6))
    -0.05
    """
    degree, first, second = floats((n, p, q))
    value = eval_jacobi(n, first - second, second - 1, 2 * floats((x,))[0] - 1)
    return value / binom(2 * degree + first - 1, degree).astype(value.dtype)


def assoc_laguerre(x: TensorLike, n: TensorLike, k: TensorLike = 0.0) -> TensorVariable:
    """`eval_genlaguerre(n, k, x)`. See `scipy.special.assoc_laguerre`.

    >>> print(assoc_laguerre(0.5, 2, 1.0).eval().round(6))
    1.625
    """
    return eval_genlaguerre(n, k, x)
