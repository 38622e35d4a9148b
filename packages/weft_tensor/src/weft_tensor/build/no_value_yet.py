"""What Python and NumPy ask of a value, asked of a tensor that has none yet."""

from __future__ import annotations

import sys
import warnings
from types import FrameType
from typing import TYPE_CHECKING, NoReturn

from weft_graph.extend import is_internal

__all__ = ["NoValueYet", "doubt_of_flag"]


def doubt_of_flag(function: str, condition: object) -> None:
    """Warn users who call `function` with a bool of Python's, as `x == y` is one."""
    if not isinstance(condition, bool):
        return
    frame, level = sys._getframe(2), 3
    if ".front." in frame.f_globals.get("__name__", "") and frame.f_back:  # took its keywords
        frame, level = frame.f_back, 4
    if _is_users(frame):
        warnings.warn(
            f"{function}: the condition is Python's {condition}, the same for every value: `==` "
            "and `!=` of variables compare identity, weft.tensor's eq(a, b) and neq(a, b) "
            "elements; choose with Python's `if` where a flag of Python's is meant",
            stacklevel=level,
        )


def _is_users(frame: FrameType) -> bool:
    return not is_internal(frame.f_globals.get("__name__", ""))


class NoValueYet:
    """The part of a tensor variable that has no value: an error says what to do instead."""

    __slots__ = ()
    __array_priority__ = 1000.0
    __pandas_priority__ = 5000  # above 4000, a DataFrame's, so that `series * x` is left to us

    if not TYPE_CHECKING:  # who checks types learns that there are none of these

        def __array__(self, dtype: object = None, copy: bool | None = None) -> NoReturn:
            raise TypeError(
                f"{self!r} has no value yet, so NumPy can't make an array of it: use the functions "
                "of weft.tensor, `stack` for a list of tensors, `as_tensor(array)[i]` to index an "
                "array, `as_tensor(frame) @ x` for a DataFrame's product, or "
                "`.eval({input: value})`"
            )

        def __bool__(self) -> bool:
            raise TypeError(
                f"the value of {self!r} is not known while the graph is built: use `where`, "
                "`ifelse`, logical_and/or, or compare identity with `is`"
            )

        def __eq__(self, other: object) -> bool:
            if isinstance(other, (int, float, complex)) and _is_users(sys._getframe(1)):
                raise TypeError(
                    f"`==` and `!=` compare variables, as {self!r}, by identity, which a number "
                    f"such as {other!r} has not: use weft.tensor's eq(a, b) or neq(a, b)"
                )
            if hasattr(other, "__pandas_priority__") and not isinstance(other, NoValueYet):
                raise TypeError(
                    f"`==` and `!=` compare variables, as {self!r}, by identity, and columns of "
                    "tables by element: say which, with `is` or with weft.tensor's eq(a, b)"
                )
            return NotImplemented

        __hash__ = object.__hash__

        def __setitem__(self, subscript: object, value: object) -> NoReturn:
            raise TypeError("tensor variables are immutable: write x = x[i].set(value)")

        def __contains__(self, value: object) -> NoReturn:
            raise TypeError(
                f"whether {self!r} contains a value is not known yet: use any(eq(x, value))"
            )

        def __len__(self) -> int:
            if not self.ndim:
                raise TypeError(
                    f"{self!r} has no length: it is a scalar; several tensors are a list, [x, y]"
                )
            length = self.type.shape[0]
            if not isinstance(length, int):
                raise TypeError(
                    f"the length of {self!r} is not known: use x.shape[0], or give the input a "
                    "shape; instead of iterating, index it or compute on the whole; several "
                    "tensors come as a list, [x, y]"
                )
            return length

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
                "an index",
                "index a tensor, `as_tensor(list)[i]`; for a range, use `arange`; where NumPy "
                "makes an array of this length, weft.tensor's zeros, ones, eye, full, ...",
            )

        def __round__(self, digits: int | None = None) -> int:
            raise self._unknown("a round number", "use weft.tensor's rint")

        def __format__(self, spec: str) -> str:
            if not spec:
                return str(self)
            raise self._unknown(f"a text like {spec!r}", "print it with `print_value`")

    def _unknown(self, purpose: str, advice: str) -> TypeError:
        return TypeError(
            f"the value of {self!r} is not known while the graph is built, so Python can't make "
            f"{purpose} of it: {advice}, or `.eval({{input: value}})`"
        )
