"""Bessel functions, modified ones, and their slopes in the order."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from weft_tensor.build.lazy_import import in_double
from weft_tensor.ops.elementwise.arithmetic import sign
from weft_tensor.ops.elementwise.comparison import eq, where
from weft_tensor.ops.elementwise.op import Binary, Unary, binary, unary
from weft_tensor.ops.elementwise.table import ANY, LOOP, POSITIVE, floating
from weft_tensor.ops.special.bessel_forms import (
    i0_by_series,
    i0e_by_series,
    i1_by_series,
    i1e_by_series,
)
from weft_tensor.ops.special.bessel_modified import (
    iv_slope,
    iv_sum,
    ive_slope,
    ive_sum,
    kv_slope,
    kv_sum,
    kve_slope,
    kve_sum,
)
from weft_tensor.ops.special.bessel_paths import jv_slope, jv_sum
from weft_tensor.ops.special.cylinder.whole_orders import first_kind, modified, second_kind
from weft_tensor.ops.special.slope_rows import doubled, slope_row

__all__ = [
    "i0",
    "i0e",
    "i1",
    "i1e",
    "iv",
    "ive",
    "j0",
    "j1",
    "jv",
    "k0",
    "k0e",
    "k1",
    "k1e",
    "kv",
    "kve",
    "y0",
    "y1",
]

Form = Callable[..., Any]
_ORDER = (0.2, 2.8)


# fmt: off
_SUMMARIES: dict[str, str] = {
    "j": "Bessel function of the first kind", "y": "Bessel function of the second kind",
    "i": "Modified Bessel function of the first kind",
    "k": "Modified Bessel function of the second kind",
}
_SCALED = {"i": ", times exp(-abs(x))", "k": ", times exp(x)"}


def _summary(name: str) -> str:
    scaled = _SCALED[name[0]] if name.endswith("e") else ""
    order = "real order" if name[1] == "v" else f"order {name[1]}"
    return f"{_SUMMARIES[name[0]]}, of {order}{scaled}."


def _over(r: Any, x: Any) -> Any:
    """r / x for a function that is 0 at 0, with a slope of 1/2."""
    at_0 = eq(x, 0)
    return where(at_0, 0.5, r / where(at_0, 1, x))


def _one(name: str, result: float, slope: Form, **fields: Any) -> Unary:
    domain = ANY if name[0] in "ij" else POSITIVE
    function = f"scipy.special.{name}" if name[0] == "k" else None  # SciPy's others are less exact
    return unary(
        name, function, _summary(name), domain, (1.0, result), lambda x, r: (slope(x, r),),
        dtypes=floating, **fields,
    )


def _two(
    name: str, result: float, slope: tuple[Form, float], along: Form, form: Form
) -> Binary:
    domain = (_ORDER, POSITIVE)
    slope_form, slope_result = slope
    row = slope_row(f"{name}_slope", name, domain, (0.5, 1.0, slope_result), slope_form)
    return binary(
        name, partial(in_double, f"scipy.special.{name}"), _summary(name), domain,
        (0.5, 1.0, result), lambda v, x, r: (row(v, x), along(v, x, r)), summation=doubled(form),
        dtypes=floating, cost=LOOP, of_complex=f"complex_{name}",
    )


jv: Binary = _two(
    "jv", 0.671396707, (jv_slope, -0.408103781),
    lambda v, x, r: 0.5 * (jv(v - 1, x) - jv(v + 1, x)), jv_sum,
)
iv: Binary = _two(
    "iv", 0.937674888, (iv_slope, -0.780126178),
    lambda v, x, r: 0.5 * (iv(v - 1, x) + iv(v + 1, x)), iv_sum,
)
kv: Binary = _two(
    "kv", 0.461068504, (kv_slope, 0.166597245),
    lambda v, x, r: -0.5 * (kv(v - 1, x) + kv(v + 1, x)), kv_sum,
)
ive: Binary = _two(
    "ive", 0.344951314, (ive_slope, -0.286992382),
    lambda v, x, r: 0.5 * (ive(v - 1, x) + ive(v + 1, x)) - sign(x) * r, ive_sum,
)
kve: Binary = _two(
    "kve", 1.253314137, (kve_slope, 0.452858264),
    lambda v, x, r: r - 0.5 * (kve(v - 1, x) + kve(v + 1, x)), kve_sum,
)
j0: Unary = _one("j0", 0.765197687, lambda x, r: -j1(x), expansion=first_kind(0))
j1: Unary = _one(
    "j1", 0.440050586, lambda x, r: j0(x) - _over(r, x),
    expansion=first_kind(1),
)
y0: Unary = _one("y0", 0.088256964, lambda x, r: -y1(x), expansion=second_kind(0))
y1: Unary = _one("y1", -0.781212821, lambda x, r: y0(x) - r / x, expansion=second_kind(1))
i0: Unary = _one("i0", 1.266065878, lambda x, r: i1(x), expansion=i0_by_series)
i1: Unary = _one(
    "i1", 0.565159104, lambda x, r: i0(x) - _over(r, x), expansion=i1_by_series,
)
i0e: Unary = _one("i0e", 0.465759608, lambda x, r: i1e(x) - sign(x) * r, expansion=i0e_by_series)
i1e: Unary = _one(
    "i1e", 0.207910415, lambda x, r: i0e(x) - _over(r, x) - sign(x) * r,
    expansion=i1e_by_series,
)
k0: Unary = _one("k0", 0.421024438, lambda x, r: -k1(x), expansion=modified(0, scaled=False))
k1: Unary = _one(
    "k1", 0.601907230, lambda x, r: -k0(x) - r / x, expansion=modified(1, scaled=False),
)
k0e: Unary = _one("k0e", 1.144463080, lambda x, r: r - k1e(x), expansion=modified(0, scaled=True))
k1e: Unary = _one(
    "k1e", 1.636153486, lambda x, r: r - k0e(x) - r / x, expansion=modified(1, scaled=True),
)
# fmt: on
