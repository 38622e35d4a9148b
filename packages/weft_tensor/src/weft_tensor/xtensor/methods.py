"""The methods of labelled tensors: functions of this package, bound when it is imported."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from weft_tensor.ops.elementwise import arithmetic, comparison
from weft_tensor.ops.elementwise.cast import cast
from weft_tensor.ops.elementwise.complex import conj, imag, real
from weft_tensor.ops.elementwise.power import pow as power
from weft_tensor.ops.indexing.choices import where
from weft_tensor.ops.numbers.rounding import round as rounded
from weft_tensor.xtensor import combining, indexing, rearranging
from weft_tensor.xtensor.alignment import elementwise
from weft_tensor.xtensor.along_dims import ALONG, ARGUMENTS, REDUCTIONS
from weft_tensor.xtensor.variable import XTensor, labelled

__all__ = ["METHODS", "XTensor"]

_OPERATORS: Final = {
    "add": arithmetic.add,
    "and": comparison.bitwise_and,
    "floordiv": arithmetic.floor_div,
    "lshift": comparison.left_shift,
    "mod": arithmetic.mod,
    "mul": arithmetic.mul,
    "or": comparison.bitwise_or,
    "pow": power,
    "rshift": comparison.right_shift,
    "sub": arithmetic.sub,
    "truediv": arithmetic.true_div,
    "xor": comparison.bitwise_xor,
}
"""What has a reflected form, too."""


def _reflected(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    return lambda x, y: function(y, x)


def _where(x: XTensor, cond: Any, other: Any) -> XTensor:
    """`x` where the condition holds, else `other`. See `xarray.DataArray.where`."""
    chosen: XTensor = elementwise(lambda x, cond, other: where(cond, x, other), "where")(
        x, cond, other
    )
    return chosen


def _astype(x: XTensor, dtype: Any) -> XTensor:
    """In another dtype."""
    return labelled(cast(x.values, dtype), x.dims)


METHODS: Final[dict[str, Callable[..., Any]]] = {
    **{f"__{n}__": elementwise(f) for n, f in _OPERATORS.items()},
    **{f"__r{n}__": _reflected(elementwise(f)) for n, f in _OPERATORS.items()},
    **{f"__{n}__": elementwise(getattr(comparison, n)) for n in ("ge", "gt", "le", "lt")},
    "__abs__": elementwise(arithmetic.abs),
    "__getitem__": indexing.getitem,
    "__invert__": elementwise(comparison.bitwise_not),
    "__matmul__": combining.dot,
    "__neg__": elementwise(arithmetic.neg),
    **REDUCTIONS,
    **ALONG,
    **ARGUMENTS,
    "astype": _astype,
    "broadcast_like": rearranging.broadcast_like,
    "clip": combining.clip,
    "conj": elementwise(conj),
    "dot": combining.dot,
    "expand_dims": rearranging.expand_dims,
    "inc": indexing.inc,
    "isel": indexing.isel,
    "rename": rearranging.rename,
    "round": elementwise(rounded),
    "set": indexing.set,
    "squeeze": rearranging.squeeze,
    "stack": rearranging.stack,
    "transpose": rearranging.transpose,
    "unstack": rearranging.unstack,
    "where": _where,
}

_PROPERTIES: Final = {
    "T": rearranging.transpose,
    "imag": elementwise(imag),
    "real": elementwise(real),
}

for _name, _method in METHODS.items():
    setattr(XTensor, _name, _method)
for _name, _method in _PROPERTIES.items():
    setattr(XTensor, _name, property(_method, doc=f"`{_name}` of the values."))
