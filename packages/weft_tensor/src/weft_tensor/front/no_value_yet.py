"""What Python and NumPy ask of a value, asked of a tensor that has none yet."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NoReturn

import numpy as np

from weft_graph.extend import no_such_name
from weft_tensor.front.numpy_protocol import answer, names_by_numpy, unanswered

__all__ = ["Symbolic"]

_OF_ARRAYS: Final = (
    "arrays of NumPy have it, but not tensors without a value: compose it of weft.tensor's "
    "functions, or take the value, `.eval({input: value})`"
)
_IDENTITY: Final = {np.equal: "eq", np.not_equal: "neq"}


class Symbolic:
    """The part of a tensor variable that has no value: an error, but where a graph can answer."""

    __slots__ = ()
    __array_priority__ = 1000.0

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> NoReturn:
            owner = f"{type(self).__name__!r} object"
            if name.startswith("_"):  # tools ask often, and in vain
                raise AttributeError(f"{owner} has no attribute {name!r}")
            known = _OF_ARRAYS if hasattr(np.ndarray, name) else ""
            functions = {n: f"weft.tensor.{f}(x)" for n, f in names_by_numpy().items()}
            offered = {**functions, **{n: n for n in dir(type(self))}}
            raise no_such_name(owner, name, offered, known)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        """NumPy's functions of numbers, and its arrays' operators, make variables."""
        if "out" in kwargs:
            raise TypeError(
                f"the value of {self!r} is not known yet, so no array can take it: write "
                "`a = a + x` in the place of `a += x`, and leave `out` away"
            )
        if ufunc in _IDENTITY:
            raise TypeError(
                f"`==` and `!=` compare variables, as {self!r}, by identity, and arrays by "
                f"element: say which, with `is` or with weft.tensor's {_IDENTITY[ufunc]}(a, b)"
            )
        if method != "__call__":
            raise unanswered(f"numpy.{ufunc.__name__}.{method}", self)
        return answer(ufunc, inputs, kwargs, self)

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        """NumPy's functions of arrays make variables, too."""
        return answer(func, args, kwargs, self)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NoReturn:
        raise TypeError(
            f"{self!r} has no value yet, so NumPy can't make an array of it: use the functions "
            "of weft.tensor, `stack` for a list of tensors, `as_tensor(array)[i]` to index an "
            "array, or `.eval({input: value})`"
        )

    def __float__(self) -> float:
        raise self._unknown(
            "a float", "go on with the tensor, and with weft.tensor's exp, sqrt, ..."
        )

    def __int__(self) -> int:
        raise self._unknown("an int", "use `.astype('int64')`")

    def __complex__(self) -> complex:
        raise self._unknown("a complex number", "use `.astype('complex128')`")

    def __index__(self) -> int:
        raise self._unknown(
            "an index", "index a tensor, `as_tensor(list)[i]`; for a range, use `arange`"
        )

    def __round__(self, digits: int | None = None) -> int:
        raise self._unknown("a round number", "use weft.tensor's rint")

    def __format__(self, spec: str) -> str:
        if not spec:
            return str(self)
        raise self._unknown(f"a text like {spec!r}", "print it with `print_value`")

    def _unknown(self, wanted: str, advice: str) -> TypeError:
        return TypeError(
            f"the value of {self!r} is not known while the graph is built, so Python can't make "
            f"{wanted} of it: {advice}, or `.eval({{input: value}})`"
        )
