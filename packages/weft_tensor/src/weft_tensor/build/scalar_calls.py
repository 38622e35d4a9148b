"""Calls of functions of scalars: their types, and the keywords that NumPy's have."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial, wraps
from typing import Any, Final, Protocol, TypedDict, Unpack

import numpy as np

from weft_tensor.build.convert import as_tensor, as_tensors
from weft_tensor.build.lazy_import import lazy_import
from weft_tensor.build.needless import may_say
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.types.dtypes import as_dtype

__all__ = ["Options", "Quaternary", "Ternary", "Unary", "by_options", "with_options"]


class Options(TypedDict, total=False):
    """Keywords of NumPy's functions of scalars."""

    where: TensorLike
    """Where the function is computed; elsewhere the result is `out`, or 0."""
    out: TensorLike
    dtype: Any
    """What the function is computed in, and gives."""
    casting: str
    """Which conversions to `dtype`, and to that of `out`, are allowed; "same_kind" by default."""


class Unary(Protocol):
    """A function of one tensor."""

    def __call__(self, x: TensorLike, /, **options: Unpack[Options]) -> TensorVariable:
        """Apply it."""


class Ternary(Protocol):
    """A function of three tensors."""

    def __call__(
        self, c: TensorLike, x: TensorLike, y: TensorLike, /, **options: Unpack[Options]
    ) -> TensorVariable:
        """Apply it."""


class Quaternary(Protocol):
    """A function of four tensors."""

    def __call__(
        self,
        a: TensorLike,
        b: TensorLike,
        c: TensorLike,
        x: TensorLike,
        /,
        **options: Unpack[Options],
    ) -> TensorVariable:
        """Apply it."""


_WHERE: Final = "weft_tensor.ops.elementwise.comparison.where"


def with_options(function: Any) -> Any:
    """`function` of scalars, composed of others, with the keywords of NumPy's.

    >>> import weft_tensor as wt
    >>> halved = with_options(lambda x: wt.as_tensor(x) / 2)
    >>> halved([2.0, 4.0], where=[True, False], out=[9.0, 8.0]).eval()
    array([1., 8.])
    """

    @wraps(function)
    def call(*inputs: TensorLike, **options: Any) -> TensorVariable:
        if not options:
            result: TensorVariable = function(*inputs)
            return result
        own = {name: options.pop(name) for name in [*options] if name not in _NAMES}
        composed = partial(function, **own)
        return by_options(composed, function.__name__, inputs, options)

    return call


_NAMES: Final = Options.__optional_keys__


def by_options(
    function: Callable[..., TensorVariable],
    name: str,
    inputs: Sequence[TensorLike],
    options: Any,
    usual: Sequence[Any] | None = None,
) -> TensorVariable:
    """`function` of the inputs, in the dtype and at the places that `options` say.

    In the other places it is computed of `usual` inputs, if there are any, which are then as good
    as not given: no warning and no NaN comes from there.

    As NumPy's functions have it, but `out` is never changed: it is what stands in the other
    places. Without it NumPy leaves these as they happen to be, and here they are 0. Derivatives
    there are those of `out`. Raises TypeError for `out` without `where`, for conversions that
    `casting` does not allow, and for a mask that is not of bools.

    >>> import weft_tensor as wt
    >>> wt.divide(1.0, [2.0, 0.0], where=[True, False], out=[5.0, 7.0]).eval()
    array([0.5, 7. ])
    >>> wt.log([1.0, -1.0], where=[True, False]).eval()
    array([0., 0.])
    >>> wt.add(1, 2, dtype="float32").eval()
    array(3., dtype=float32)
    """
    for key, value in options.items():
        if key not in _NAMES and not may_say(name, key, value):
            raise TypeError(f"{name} got an unexpected keyword argument {key!r}")
    casting = options.get("casting", "same_kind")
    mask, out = options.get("where", True), options.get("out")
    everywhere = isinstance(mask, (bool, np.bool_)) and bool(mask)
    if everywhere and out is not None:
        raise TypeError(
            f"tensors are never changed, so {name} has nothing to write to out=: write "
            f"y = {name}(...); with where=, out= is what stands in the other places"
        )
    if everywhere:
        return _in_dtype(function, name, inputs, options.get("dtype"), casting)
    places = as_tensor(mask)
    if places.dtype != "bool":
        raise TypeError(f"where= of {name} takes bools, not {places!r}")
    choice: Callable[..., TensorVariable] = lazy_import(_WHERE)
    if usual is not None:
        inputs = as_tensors(inputs)
        pairs = zip(inputs, usual, strict=True)
        inputs = [choice(places, x, _as_input(v, x.dtype)) for x, v in pairs]
    result = _in_dtype(function, name, inputs, options.get("dtype"), casting)
    if out is None:
        return choice(places, result, np.zeros((), result.dtype))
    rest = as_tensor(out[0] if isinstance(out, tuple) and len(out) == 1 else out)
    _allowed(name, result.dtype, rest.dtype, casting, "result")
    return choice(places, result.astype(rest.dtype), rest)


def _as_input(value: Any, dtype: str) -> np.ndarray:
    """`value`, or 1 if the dtype does not have it."""
    whole = dtype[0] in "biu"
    fits = not whole or (value > 0 and float(value).is_integer())
    return np.array(value if fits else 1).astype(dtype)


def _in_dtype(
    function: Callable[..., TensorVariable],
    name: str,
    inputs: Sequence[TensorLike],
    dtype: Any,
    casting: str,
) -> TensorVariable:
    result = function(*inputs)
    if dtype is None or result.dtype == as_dtype(dtype):
        return result
    kind = as_dtype(dtype)
    tensors = [as_tensor(x) for x in inputs]
    for tensor in tensors:
        _allowed(name, tensor.dtype, kind, casting, "input")
    converted = function(*[tensor.astype(kind) for tensor in tensors])
    if result.dtype == "bool" or converted.dtype != kind:
        raise TypeError(f"{name} has no results of {kind}: leave dtype= away, or cast what it has")
    return converted


def _allowed(name: str, given: str, wanted: str, casting: Any, what: str) -> None:
    if not np.can_cast(given, wanted, casting):
        raise TypeError(
            f"{name} can't convert its {what} of {given} to {wanted} by the rule {casting!r}: "
            'cast it before, or say casting="unsafe"'
        )
