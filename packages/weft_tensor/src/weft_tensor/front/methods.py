"""The methods of TensorVariable: by their names, the functions that compute them.

Each is imported when it is first asked for.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from weft_tensor.build.lazy_import import LateMethod, lazy_import
from weft_tensor.build.variable import TensorVariable

__all__ = ["METHODS", "TensorVariable"]

_SAME_NAMES: Final = """
all any argmax argmin argpartition argsort choose clip conj cumprod cumsum diagonal dimshuffle dot
eq expand_dims flatten max mean min neq nonzero partition prod ravel repeat round searchsorted sort
squeeze std sum swapaxes take trace var zeros_like
"""
"""Methods that are the functions of `weft_tensor` of their names."""

_OPERATORS: Final = {
    "add": "elementwise.arithmetic.add",
    "and": "elementwise.comparison.bitwise_and",
    "floordiv": "elementwise.arithmetic.floor_div",
    "lshift": "elementwise.comparison.left_shift",
    "matmul": "linalg.matmul.matmul",
    "mod": "elementwise.arithmetic.mod",
    "mul": "elementwise.arithmetic.mul",
    "or": "elementwise.comparison.bitwise_or",
    "pow": "elementwise.power.pow",
    "rshift": "elementwise.comparison.right_shift",
    "sub": "elementwise.arithmetic.sub",
    "truediv": "elementwise.arithmetic.true_div",
    "xor": "elementwise.comparison.bitwise_xor",
}
"""What computes the operators that have a reflected form too."""

_FUNCTIONS: Final = {
    "__abs__": "elementwise.arithmetic.abs",
    "__ge__": "elementwise.comparison.ge",
    "__getitem__": "indexing.index.index",
    "__gt__": "elementwise.comparison.gt",
    "__invert__": "elementwise.comparison.bitwise_not",
    "__le__": "elementwise.comparison.le",
    "__lt__": "elementwise.comparison.lt",
    "__neg__": "elementwise.arithmetic.neg",
    "astype": "elementwise.cast.cast",
    "conjugate": "elementwise.complex.conj",
}
"""Methods that are functions of other names."""

_PROPERTIES: Final = {
    "T": "shape.transpose.transpose",
    "imag": "elementwise.complex.imag",
    "mT": "shape.transpose.matrix_transpose",
    "real": "elementwise.complex.real",
    "shape": "shape.length.shape",
    "size": "reduction.standard.size",
}

_OTHER_ARGUMENTS: Final = {
    "__array_namespace__": "array_methods.array_namespace",
    "broadcast_to": "array_methods.broadcast_to",
    "compress": "array_methods.compress",
    "inc": "array_methods.inc",
    "maximum": "array_methods.maximum",
    "minimum": "array_methods.minimum",
    "mul": "array_methods.mul",
    "reshape": "array_methods.reshape",
    "set": "array_methods.set",
    "transpose": "array_methods.transpose",
    "__array_function__": "numpy_protocol.array_function",
    "__array_ufunc__": "numpy_protocol.array_ufunc",
}
"""What is written for methods alone."""


def _property(function: Callable[[Any], Any]) -> property:
    """A property that says the first line of what its function says, whose examples call that."""
    return property(function, doc=(function.__doc__ or "").partition("\n")[0])


def _deferring(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """An operator that leaves to others what they alone can do, as sparse matrices."""

    def operator(x: Any, y: Any, /) -> Any:
        try:
            return function(x, y)
        except TypeError:
            if getattr(y, "__array_ufunc__", y) is None:
                return NotImplemented
            raise

    return operator


def _reflected(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    return lambda x, y, /: function(y, x)


def _no_attribute(self: TensorVariable, name: str) -> object:
    return lazy_import("weft_tensor.front.numpy_protocol.no_attribute")(self, name)


_OPS, _FRONT = "weft_tensor.ops", "weft_tensor.front"

METHODS: Final[dict[str, LateMethod | Callable[..., object]]] = {
    **{f"__{n}__": LateMethod(f"{_OPS}.{path}", _deferring) for n, path in _OPERATORS.items()},
    **{f"__r{n}__": LateMethod(f"{_OPS}.{path}", _reflected) for n, path in _OPERATORS.items()},
    **{n: LateMethod(f"{_OPS}.{path}") for n, path in _FUNCTIONS.items()},
    **{n: LateMethod(f"weft_tensor.{n}") for n in _SAME_NAMES.split()},
    **{n: LateMethod(f"{_OPS}.{path}", _property) for n, path in _PROPERTIES.items()},
    **{n: LateMethod(f"{_FRONT}.{path}") for n, path in _OTHER_ARGUMENTS.items()},
    "__getattr__": _no_attribute,
}
"""What each method that `TensorVariable` declares is made of."""

for _name, _method in METHODS.items():
    if isinstance(_method, LateMethod):
        _method.name = _name
    setattr(TensorVariable, _name, _method)
