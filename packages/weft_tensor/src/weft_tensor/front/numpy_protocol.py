"""Which functions here are those of NumPy and SciPy, and calls of one that another answers."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import import_module
from inspect import Parameter, isfunction, signature
from typing import Any, Final, NoReturn

import numpy as np

from weft_graph.extend import no_such_name
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.scalar_calls import Options
from weft_tensor.build.variable import TensorVariable
from weft_tensor.front.absences.reasons import absences
from weft_tensor.front.ufunc_methods import ufunc_method

__all__ = [
    "answer",
    "array_function",
    "array_ufunc",
    "counterpart",
    "names_by_numpy",
    "no_attribute",
    "unanswered",
]

_OTHERWISE: Final = {
    "absolute": "abs",
    "amax": "max",
    "amin": "min",
    "around": "round",
    "asfortranarray": "ascontiguousarray",
    "conjugate": "conj",
    "degrees": "rad2deg",
    "divide": "true_div",
    "equal": "eq",
    "expit": "sigmoid",
    "floor_divide": "floor_div",
    "greater": "gt",
    "greater_equal": "ge",
    "invert": "bitwise_not",
    "less": "lt",
    "less_equal": "le",
    "multiply": "mul",
    "negative": "neg",
    "not_equal": "neq",
    "power": "pow",
    "radians": "deg2rad",
    "remainder": "mod",
    "subtract": "sub",
}
"""What functions of NumPy and SciPy are called here, where that is another name."""

_IN_PLACE: Final = {"fill_diagonal", "place", "put_along_axis"}
"""What changes its argument in NumPy, and gives a new tensor here."""

_AS_METHODS: Final = {"astype": "x.astype(dtype)", "ndim": "x.ndim", "shape": "x.shape"}
"""What functions of NumPy's are properties and methods of tensors alone."""

_OF_ARRAYS: Final = (
    "arrays of NumPy have it, but not tensors without a value: compose it of weft.tensor's "
    "functions, or take the value, `.eval({input: value})`"
)
_CHANGING: Final = {"byteswap", "fill", "itemset", "put", "resize", "setfield", "setflags"}
_CHANGES: Final = (
    "it changes an array in place, which a tensor can't be: write x = x[i].set(value), or use "
    "weft.tensor's full_like, where, resize"
)
_ELSEWHERE: Final = {
    "at": "x[i] is a tensor, which never changes: write x[i].set(y), and .inc for .add, .mul for "
    ".multiply, .minimum for .min, .maximum for .max, take(x, i, mode='fill') for .get",
    "backward": "write grad(cost, x), which gives a variable",
    "detach": "write stop_gradient(x)",
    **dict.fromkeys(
        ("base", "ctypes", "data", "flags", "strides"),
        "a tensor without a value lies nowhere in memory: its shape and dtype are known alone",
    ),
    **dict.fromkeys(
        ("addressable_shards", "device", "devices", "sharding", "to_device"),
        "the backend places values: see function(..., mode='jax'), and shard(x, mesh, spec)",
    ),
    "flat": "write x.ravel()",
    "ptp": "write ptp(x)",
    "view": "write x.astype(dtype) for other numbers, or wrap NumPy's with `wrap_py` for bits",
    **dict.fromkeys(
        ("block_until_ready", "numpy", "to_numpy", "value", "values"),
        "a shared variable has get_value(); another has a value when it is computed, by a "
        "compiled function([...], x) or `.eval({input: value})`",
    ),
}
"""What arrays of other libraries have."""
_OPTIONS: Final = Options.__optional_keys__
_IDENTITY: Final = {np.equal: "eq", np.not_equal: "neq"}

_EVERYTHING: Final = ("numpy", "numpy.lib.stride_tricks", "scipy.special")
"""Modules with functions of all families of Ops."""
_MODULES: Final = (*_EVERYTHING, "numpy.fft", "numpy.linalg")

_OPS: Final = "weft_tensor.ops."
_Functions = dict[str, Callable[..., Any]]


@cache
def _offered() -> dict[str, _Functions]:
    """The public functions of the families of Ops, by the modules that have some of their names."""
    everything = _of_all() | {
        "astype": lambda x, dtype, *, copy=True: as_tensor(x).astype(dtype),
        "divmod": lambda x, y: divmod(as_tensor(x), y),
        "ndim": lambda a: as_tensor(a).ndim,
        "result_type": lambda *xs: np.result_type(*map(_dtype_if_variable, xs)),
    }
    return {
        **dict.fromkeys(_EVERYTHING, everything),
        "numpy.fft": _of_module("fft"),
        "numpy.linalg": _of_module("linalg"),
    }


def _dtype_if_variable(x: Any) -> Any:
    return np.dtype(x.dtype) if isinstance(x, TensorVariable) else x


def _of_module(name: str) -> _Functions:
    """The functions that a named module of ours offers."""
    items = vars(import_module(f"weft_tensor.{name}")).items()
    return {n: f for n, f in items if isfunction(f)}


def _of_all() -> _Functions:
    """Public functions of Ops, by their own names."""
    face = import_module("weft_tensor")
    members = [getattr(face, name) for name in face.__all__]
    functions = [f for f in members if isfunction(f)]
    return {f.__name__: f for f in functions if f.__module__.startswith(_OPS)}


def _named(path: str, name: str) -> Callable[..., Any] | None:
    """The function for that of a module of NumPy's or SciPy's, without imports for all others."""
    face = import_module("weft_tensor")
    if path in _EVERYTHING and name in face.__all__:
        own = getattr(face, name)
        if isfunction(own) and own.__name__ == name and own.__module__.startswith(_OPS):
            return own
    return _offered()[path].get(name)


@cache
def counterpart(function: Callable[..., Any]) -> Callable[..., Any] | None:
    """What computes here what `function`, of NumPy or SciPy, does; None if nothing does.

    >>> counterpart(np.exp).__name__, counterpart(np.multiply).__name__, counterpart(np.isfortran)
    ('exp', 'mul', None)
    """
    name = getattr(function, "__name__", "")
    for path in _MODULES:
        if getattr(sys.modules.get(path), name, None) is function:
            return _named(path, _OTHERWISE.get(name, name))
    return None


@cache
def names_by_numpy() -> dict[str, str]:
    """What functions here are called in NumPy and SciPy, and what to write for them.

    >>> names_by_numpy()["multiply"], names_by_numpy()["acos"], names_by_numpy()["shape"]
    ('mul', 'arccos', 'x.shape')
    """
    aliases = {
        name: partner.__name__
        for name, function in list(vars(np).items())  # imports may add to them
        if callable(function) and (partner := counterpart(function))
    }
    own = {name: name for name in _offered()["numpy"]}
    return {**aliases, **own, **_OTHERWISE, **_AS_METHODS}


def answer(
    function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any], variable: Any
) -> Any:
    """What a function of NumPy's would compute of variables, `variable` among them.

    Raises TypeError for what nothing here computes.

    >>> answer(np.reshape, [[1, 2], (2, 1)], {"order": "C"}, None).eval()
    array([[1],
           [2]])
    """
    own = counterpart(function)
    name = getattr(function, "__name__", "")
    if own is not None and name in _IN_PLACE:
        raise TypeError(
            f"{_path(function)} changes an array in place, and {variable!r} can't be changed: "
            f"write x = weft.tensor.{name}(x, ...), which gives a new one"
        )
    if own is None:
        raise unanswered(_path(function), variable)
    if not isinstance(function, np.ufunc) or (
        kwargs and (function.signature or function.nout > 1 or not _OPTIONS.issuperset(kwargs))
    ):
        args, kwargs = _arranged(function, own, args, kwargs)
    return own(*args, **kwargs)


def unanswered(path: str, variable: Any, instead: str | None = None) -> TypeError:
    """The error for a function of NumPy's that nothing here computes, and what to do `instead`.

    >>> raise unanswered("numpy.put", as_tensor(1.0))
    Traceback (most recent call last):
    ...
    TypeError: numpy.put: <1.0 : float64> has no value yet, and weft.tensor has no such function:...
    """
    place, _, name = path.rpartition(".")
    group = absences(place).get(name)
    reason = instead or (
        group.reason if group else "compose it of those that there are, or wrap it with `wrap_py`"
    )
    return TypeError(
        f"{path}: {variable!r} has no value yet, and weft.tensor has no such function: {reason}"
    )


def _arranged(
    function: Callable[..., Any],
    partner: Callable[..., Any],
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
) -> tuple[Sequence[Any], Mapping[str, Any]]:
    """The arguments of a call of `function` as `partner` takes them."""
    try:
        bound = signature(function).bind(*args, **kwargs)
    except ValueError:  # an older NumPy does not tell
        return args, kwargs
    own = signature(partner).parameters
    positional: list[Any] = []
    by_name: dict[str, Any] = {}
    for name, value in bound.arguments.items():
        parameter = bound.signature.parameters[name]
        if parameter.kind is Parameter.VAR_POSITIONAL:
            positional += value
        elif parameter.kind is Parameter.VAR_KEYWORD:
            by_name |= value
        elif parameter.default is Parameter.empty or parameter.kind is Parameter.POSITIONAL_ONLY:
            positional.append(value)
        elif name in own:
            by_name[name] = value
        elif value is not parameter.default:
            raise TypeError(
                f"{_path(function)} of variables takes no {name!r}: weft.tensor has "
                f"{partner.__name__}({', '.join(own)})"
            )
    return positional, by_name


def _path(function: Callable[..., Any]) -> str:
    """How to call `function` in messages."""
    module = getattr(function, "__module__", None) or "numpy"
    return f"{module}.{getattr(function, '__name__', function)}"


def array_ufunc(
    self: TensorVariable, ufunc: np.ufunc, method: str, *inputs: object, **kwargs: object
) -> object:
    """NumPy's functions of numbers, and its arrays' operators, make variables.

    Raises TypeError for `out`, and for comparisons that could be of identity or of elements.
    """
    if "out" in kwargs:
        raise TypeError(
            f"the value of {self!r} is not known yet, so no array can take it: write "
            "`a = a + x` in the place of `a += x`, and leave `out` away; weft.tensor's functions "
            "take one beside `where`, and give it with what is computed there in a new tensor"
        )
    if ufunc in _IDENTITY:
        raise TypeError(
            f"`==` and `!=` compare variables, as {self!r}, by identity, and arrays by "
            f"element: say which, with `is` or with weft.tensor's {_IDENTITY[ufunc]}(a, b)"
        )
    if method != "__call__":
        own, instead = ufunc_method(ufunc, method, counterpart(ufunc))
        if own is None:
            raise unanswered(f"numpy.{ufunc.__name__}.{method}", self, instead)
        return own(*inputs, **kwargs)
    return answer(ufunc, inputs, kwargs, self)


def array_function(
    self: TensorVariable,
    func: Callable[..., object],
    types: Sequence[type[object]],
    args: Sequence[object],
    kwargs: Mapping[str, object],
) -> object:
    """NumPy's functions of arrays make variables, too."""
    return answer(func, args, kwargs, self)


def no_attribute(self: TensorVariable, name: str) -> NoReturn:
    """Raise the AttributeError for a `name` that tensors have not, with what may be meant."""
    owner = f"{type(self).__name__!r} object"
    if name.startswith("_"):  # tools ask often, and in vain
        raise AttributeError(f"{owner} has no attribute {name!r}")
    advice = _CHANGES if name in _CHANGING else _OF_ARRAYS if hasattr(np.ndarray, name) else ""
    if name in _ELSEWHERE:
        raise AttributeError(f"{owner} has no attribute {name!r}: {_ELSEWHERE[name]}")
    functions = {n: f"weft.tensor.{f}(x)" for n, f in names_by_numpy().items()}
    names = {**functions, **{n: n for n in dir(type(self))}}
    raise no_such_name(owner, name, names, advice)
