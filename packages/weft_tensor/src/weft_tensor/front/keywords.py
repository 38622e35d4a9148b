"""Keywords of NumPy's, SciPy's and JAX's functions, for the functions of the same names here."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, MutableMapping
from functools import wraps
from inspect import CO_VARKEYWORDS, isfunction, unwrap
from types import CodeType
from typing import Any, Final, NamedTuple

import numpy as np

from weft_graph import Variable
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.lazy_import import lazy_import
from weft_tensor.build.needless import may_say
from weft_tensor.build.scalar_calls import Options
from weft_tensor.build.variable import TensorVariable

__all__ = ["take_keywords", "taking_keywords"]

_OF_FIRST: Final = """
A M X a a1 ar ar1 arg arg1 arr array arrays ary data elems f filt fun input int_type m object
operand operands prototype pyfunc target tup v val x
"""
_FIRST: Final = frozenset(_OF_FIRST.split())
"""What the first argument is called elsewhere."""

_OTHERWISE: Final[Mapping[str, tuple[str, ...]]] = {
    "A": ("x", "a"),
    "B": ("b",),
    "C": ("q",),
    "M": ("m",),
    "N": ("n",),
    "a": ("x",),
    "a2": ("y",),
    "alpha": ("a",),
    "ar2": ("b",),
    "arr": ("x",),
    "b": ("y",),
    "body_fun": ("body",),
    "cond_fun": ("cond",),
    "dimension": ("axis",),
    "dimensions": ("axis",),
    "elems": ("xs",),
    "init_val": ("init",),
    "is_stable": ("stable",),
    "lhs": ("a",),
    "maxval": ("high",),
    "minval": ("low",),
    "new_sizes": ("shape",),
    "newshape": ("shape",),
    "num": ("n",),
    "operand": ("x",),
    "permutation": ("axes",),
    "rhs": ("b",),
    "shape": ("size",),
    "x": ("a",),
    "x1": ("x", "a"),
    "x2": ("y", "b"),
    "xs": ("sequences",),
}
"""What other arguments are called here: the first that the function has is meant."""

_TAKING: Final[dict[Callable[..., Any], Callable[..., Any]]] = {}
"""What takes other keywords, by what does not, and by itself."""

_SEEDS: Final = ("random_state", "rng", "seed")
_KEYS: Final = ("key", "rng")


def take_keywords(names: MutableMapping[str, Any]) -> None:
    """Let the functions that a module offers take the keywords of other libraries.

    `names` are those of the module. The homes of the functions have them from then on too, so that
    they can be pickled by name.

    >>> names = {"__all__": ["halved", "three"], "halved": lambda x: x / 2, "three": 3}
    >>> take_keywords(names)
    >>> names["halved"](a=6)
    3.0
    """
    for name in names["__all__"]:
        if name in names:  # another may be imported when it is asked for
            names[name] = taking_keywords(names[name])


def taking_keywords(function: Any) -> Any:
    """`function`, which takes what others call its arguments, and says why it does not.

    Arguments that it has are its own business: what is said here is of the others. What gives the
    first argument by another name, as NumPy's `a`, `arr` and `m`, gives it; `N` is `n`. What says
    how to compute and where to put the result may say what is the case here anyway; other values
    raise TypeError, as do seeds: draws are of a key. With `check_finite=True`, NaN and infinite
    elements are an error when it is computed.

    >>> import weft_tensor as wt
    >>> wt.eye(N=2, M=1, order="F").eval()
    array([[1.],
           [0.]])
    >>> wt.sum(a=[1.0, 2.0], out=np.empty(()))
    Traceback (most recent call last):
    ...
    TypeError: sum takes no out=array(...): tensors are never changed: write y = sum(...)
    """
    if not isfunction(function):
        return function
    if function in _TAKING:
        return _TAKING[function]
    arguments = _Arguments.of(function)
    if arguments is None:
        return function
    known = frozenset(arguments.known)

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if kwargs and not known.issuperset(kwargs):
            args, kwargs = _Call(arguments, args, kwargs).translated()
        return function(*args, **kwargs)

    _TAKING[function] = _TAKING[call] = call
    home = sys.modules.get(arguments.home)
    if home and getattr(home, arguments.name, None) is function:
        setattr(home, arguments.name, call)
    return call


class _Arguments(NamedTuple):
    """What a function takes."""

    name: str
    home: str
    places: tuple[str, ...]
    known: tuple[str, ...]
    by_place_only: int

    @classmethod
    def of(cls, function: Any) -> _Arguments | None:
        """Those of `function`; None where what it does not know is for another function.

        Nor are there namesakes elsewhere of functions of graphs.
        """
        inner = unwrap(function)
        code = getattr(inner, "__code__", None)
        if code is None or code.co_flags & CO_VARKEYWORDS:
            return None
        places = code.co_varnames[: code.co_argcount]
        if places[:1] == ("graph",):
            return None
        known = _named(code)
        if inner is not function and function.__code__.co_flags & CO_VARKEYWORDS:
            known += (*_named(function.__code__), *Options.__optional_keys__)
        return cls(function.__name__, function.__module__, places, known, code.co_posonlyargcount)


def _named(code: CodeType) -> tuple[str, ...]:
    return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]


class _Call:
    """The arguments of a call by other keywords than the function has."""

    def __init__(self, own: _Arguments, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
        self.name, _, self.places, self.known, self.by_place_only = own
        self.args = args
        self.kwargs = dict(kwargs)

    def translated(self) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments as the function takes them."""
        for name in [name for name in self.kwargs if name not in self.known]:
            value = self.kwargs.pop(name)
            own = self._own_name(name)
            if name == "check_finite":
                self._check(value)
            elif name in _SEEDS:
                self._take_seed(name, value)
            elif own is not None:
                self.kwargs[own] = value
            elif not may_say(self.name, name, value):
                self.kwargs[name] = value  # Python says that it is not known
        first = self.places[:1]
        if self.by_place_only and not self.args and first and first[0] in self.kwargs:
            self.args = (self.kwargs.pop(first[0]),)
        return self.args, self.kwargs

    def _own_name(self, name: str) -> str | None:
        """What is not given yet that may be meant by `name`."""
        open_ = {*self.known, *self.places} - {*self.kwargs, *self.places[: len(self.args)]}
        for own in _OTHERWISE.get(name, ()):
            if own in open_:
                return own
        first = self.places[0] if self.places else None
        return first if name in _FIRST and first in open_ else None

    def _check(self, wanted: Any) -> None:
        if wanted:
            self.args = tuple(_finite(x, self.name) for x in self.args)
            self.kwargs = {key: _finite(x, self.name) for key, x in self.kwargs.items()}

    def _take_seed(self, name: str, value: Any) -> None:
        own = next((key for key in _KEYS if key in self.known), None)
        if own is None:  # nothing is drawn
            return
        if not isinstance(value, Variable):
            raise TypeError(
                f"{self.name} takes no {name}={value!r}: draws are of a key: write "
                f"{own}=wt.random.key(seed)"
            )
        self.kwargs[own] = value


def _finite(x: Any, name: str) -> Any:
    """`x`, of which NaN and infinite elements are an error, if it is a tensor, or if some are."""
    if isinstance(x, (tuple, list)) and any(isinstance(v, Variable | np.ndarray) for v in x):
        return type(x)([_finite(v, name) for v in x])
    if isinstance(x, np.ndarray):
        x = as_tensor(x)
    if not isinstance(x, TensorVariable) or x.dtype[0] not in "fc":
        return x
    return lazy_import("weft_tensor.ops.linalg.square.finite")(x, name)
