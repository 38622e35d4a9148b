"""Functions of tensors that go by their names for labelled ones, too."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import cache
from importlib import import_module
from typing import Any, Final

from weft_graph.extend import no_such_name
from weft_tensor.ops.elementwise.table import SCALARS
from weft_tensor.xtensor.alignment import elementwise
from weft_tensor.xtensor.along_dims import ALONG, ARGUMENTS, REDUCTIONS

__all__ = ["function"]

_ALONG_DIMS: Final = {**REDUCTIONS, **ALONG, **ARGUMENTS}

_ELEMENTWISE: Final = """
absolute acos acosh angle around asin asinh atan atan2 atanh bitwise_count bitwise_invert
bitwise_left_shift bitwise_right_shift complex conjugate degrees divide divmod elu equal
expit fabs fix float_power floor_divide fmax fmin frexp gelu greater greater_equal heaviside
invert isclose iscomplex isneginf isposinf isreal lcm ldexp leaky_relu less less_equal log1pexp
modf multiply nan_to_num negative not_equal positive power radians relu remainder round sgn
signbit silu sinc sqr stop_gradient subtract true_divide
"""
"""Of `weft_tensor`, beside the functions of numbers that Ops apply to each element."""
_NOT_OF_EACH: Final = ("bernoulli", "euler", "log_softmax", "logsumexp", "softmax")
"""Of `weft_tensor.special`."""


def function(module: str, name: str, others: Collection[str]) -> Callable[..., Any]:
    """What `name` is in `module`, which has `others` beside; AttributeError where it is nothing.

    >>> from weft_tensor.xtensor.variable import as_xtensor
    >>> function("xtensor", "exp", ())(as_xtensor([0.0], "a")).values.eval()
    array([1.])
    """
    found = _function(name)
    if found is None:
        offered = {n: n for n in (*others, *_ALONG_DIMS, *_ELEMENTWISE.split(), *SCALARS)}
        reason = "" if name.startswith("_") else "other functions go through apply_ufunc"
        raise no_such_name(f"module {module!r}", name, offered, reason)
    return found


@cache
def _function(name: str) -> Callable[..., Any] | None:
    if name in _ALONG_DIMS:
        return _ALONG_DIMS[name]
    tensors, special = map(import_module, ("weft_tensor", "weft_tensor.special"))
    plain = getattr(tensors, name, None) or getattr(special, name, None)
    is_special = name in special.__all__ and name not in _NOT_OF_EACH
    is_of_each = is_special or name in _ELEMENTWISE.split() or name in SCALARS
    return elementwise(plain, name) if is_of_each and plain is not None else None
