"""Indexing with integers, slices, index arrays and masks; and updates of what is indexed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

import numpy as np

from weft_graph import Variable
from weft_tensor.build.convert import as_tensor, as_tensors
from weft_tensor.build.kinds import Gather, Scatter
from weft_tensor.build.op import Cotangents, Examples, Shapes, TensorApply, TensorOp, Tensors, Value
from weft_tensor.build.variable import Size, TensorLike, TensorVariable
from weft_tensor.ops.elementwise.arithmetic import maximum, minimum, mul
from weft_tensor.ops.elementwise.comparison import eq, where
from weft_tensor.ops.elementwise.op import broadcast_dims
from weft_tensor.ops.indexing.slice_length import SliceLength
from weft_tensor.ops.indexing.slices import SCALAR, Slice
from weft_tensor.ops.indexing.subscript import (
    ARRAY,
    NEW,
    Entry,
    advanced_place,
    build_key,
    parse,
    with_axes_for_bools,
)
from weft_tensor.ops.reduction.sum_to import sum_to
from weft_tensor.ops.shape.length import lengths_of, static_length
from weft_tensor.ops.shape.reshape import expand_dims, squeeze
from weft_tensor.types.dtypes import promote
from weft_tensor.types.shape_rules import broadcast_shapes
from weft_tensor.types.symbolic_dims import Length, show_shape
from weft_tensor.types.tensor_type import TensorType

__all__ = ["Index", "IndexUpdate", "changed", "index", "updated"]

FULL = Slice(None, None, None)

_BACKWARDS = Slice(None, None, -1)
_WHOLE: Final = frozenset([FULL, _BACKWARDS, NEW])
_UFUNCS: Final[dict[str, np.ufunc]] = {
    "inc": np.add,
    "mul": np.multiply,
    "maximum": np.maximum,
    "minimum": np.minimum,
}
_FUNCTIONS: Final[dict[str, Callable[[Any, Any], TensorVariable]]] = {
    "set": lambda x, y: y,
    "inc": lambda x, y: x + y,
    "mul": mul,
    "maximum": maximum,
    "minimum": minimum,
}


def _slice_length(n: Size, part: Slice, values: Iterator[TensorVariable]) -> Size:
    """The length of a slice of an axis of length `n`: a number where it is known."""
    variables = part.variables(values)
    if part.is_full or part == _BACKWARDS:
        return n
    length = part.known_length(static_length(n))
    return length if isinstance(length, int) else SliceLength(part)(n, *variables)


def _result_lengths(
    entries: Sequence[Entry], x: TensorVariable, values: Tensors
) -> tuple[Size, ...]:
    """The lengths of the axes of `x[entries]`: numbers where known, else int64 scalars."""
    rest = iter(values)
    axes = iter(lengths_of(x))
    result: list[Size] = []
    arrays: list[TensorVariable] = []
    for e in entries:
        if e == NEW:
            result.append(1)
            continue
        n = next(axes)
        if isinstance(e, Slice):
            result.append(_slice_length(n, e, rest))
        elif e == ARRAY:
            arrays.append(next(rest))
        elif e == SCALAR:
            next(rest)
    place = advanced_place(entries)
    if place is not None:
        at = sum(isinstance(e, Slice) or e == NEW for e in entries[:place])
        broadcast_shapes(*[v.type.shape for v in arrays])
        result[at:at] = broadcast_dims(*map(lengths_of, arrays))
    return tuple(result)


def _fits(shape: tuple[Length, ...], place: tuple[Length, ...]) -> bool:
    """Whether a tensor of `shape` may be broadcast to the shape `place`."""
    try:
        whole = broadcast_shapes(place, shape)
    except ValueError:
        return False
    ints = [(a, b) for a, b in zip(whole, place, strict=False) if type(a) is type(b) is int]
    return len(whole) == len(place) and all(a == b for a, b in ints)


def _check_bounds(entries: Sequence[Entry], x: TensorType) -> None:
    axes = [e for e in entries if e != NEW]
    if len(axes) != x.ndim:
        raise IndexError(f"{len(axes)} indices for a tensor of rank {x.ndim}")
    for axis, (e, n) in enumerate(zip(axes, x.shape, strict=True)):
        if isinstance(e, int) and isinstance(n, int) and not -n <= e < n:
            raise IndexError(f"index {e} is out of bounds for axis {axis} with size {n}")


class Index(TensorOp):
    """`x[entries]`; SCALAR and ARRAY in `entries` stand for the inputs after x.

    `lifted` are axes that x has for single bools alone: what is updated has them no more.
    """

    entries: tuple[Entry, ...]
    lifted: tuple[int, ...] = ()
    linear = slice(1)
    primitive = True

    @property
    def view_of(self) -> tuple[int, ...]:
        """Of x, unless there are index arrays: what these find is copied."""
        return () if ARRAY in self.entries else (0,)

    def infer_from(self, *inputs: TensorVariable) -> TensorType:
        """NumPy's shape; IndexError for a static index that is out of bounds."""
        x, *values = inputs
        _check_bounds(self.entries, x.type)
        lengths = _result_lengths(self.entries, x, values)
        return TensorType(x.dtype, map(static_length, lengths))

    def goes_by_types(self, count: int) -> bool:
        """Without indices among the inputs."""
        return count == 1

    def impl(self, *values: np.ndarray) -> Value:
        """NumPy's indexing."""
        x, *rest = values
        return x[build_key(self.entries, rest, int)]

    def kind(self, *inputs: TensorVariable) -> Gather:
        """Where the entries say."""
        return Gather(self.entries)

    def pullback(self, inputs: Tensors, outputs: Tensors, cotangents: Tensors) -> Cotangents:
        """The cotangent added into zeros; of whole axes, in their order or backwards, alike.

        New axes beside them are left again.
        """
        x, *values = inputs
        if _WHOLE.issuperset(self.entries):
            axes = tuple([e for e in self.entries if e != NEW])
            new = tuple([a for a, e in enumerate(self.entries) if e == NEW])
            slope = squeeze(cotangents[0], new) if new else cotangents[0]
            return [Index(axes)(slope) if _BACKWARDS in axes else slope]
        slope = IndexUpdate(self.entries, "inc")(x.zeros_like(), cotangents[0], *values)
        return [slope, *([None] * len(values))]

    def infer_shape(self, fgraph: object, node: TensorApply, input_shapes: Shapes) -> Shapes:
        """The lengths of slices and of the index arrays, broadcast."""
        x, *values = node.inputs
        return [_result_lengths(self.entries, x, values)]

    @classmethod
    def examples(cls) -> Examples:
        """Every kind of entry, alone and mixed."""
        return [(cls(entries), [x, *values]) for entries, x, values in _cases()]

    def __str__(self) -> str:
        return f"index[{_shown(self.entries)}]"


class IndexUpdate(TensorOp):
    """`x` with `x[entries]` replaced ("set"), or increased ("inc"), multiplied, ... by y.

    Modes besides are "mul", "maximum" and "minimum". By all but "set", elements that are indexed
    several times are changed several times.
    """

    view_of = ()
    entries: tuple[Entry, ...]
    mode: str
    primitive = True

    @property
    def linear(self) -> slice | None:
        """In x and y, where they are not multiplied or compared."""
        return slice(2) if self.mode in ("set", "inc") else None

    def convert(self, inputs: tuple[TensorLike, ...]) -> tuple[Variable, ...]:
        """As tensors; a number takes the dtype of x."""
        x, y, *values = inputs
        return (*as_tensors((x, y)), *map(as_tensor, values))

    def infer_from(self, *inputs: TensorVariable) -> TensorType:
        """The type of x.

        Raises TypeError where y would lose something in the dtype of x, ValueError where
        its shape does not fit.
        """
        x, y, *values = inputs
        if promote([x.dtype, y.dtype]) != x.dtype:
            raise TypeError(
                f"can't put {y.dtype} into a tensor of {x.dtype} without loss: "
                f"convert one of them, as with .astype({x.dtype!r})"
            )
        if x.is_complex and self.mode in ("maximum", "minimum"):
            raise TypeError(f"no complex number of {x!r} is the {self.mode} of several")
        _check_bounds(self.entries, x.type)
        place = tuple(map(static_length, _result_lengths(self.entries, x, values)))
        if not _fits(y.type.shape, place):
            raise ValueError(
                f"can't put shape {show_shape(y.type.shape)} into the shape {show_shape(place)}"
            )
        return x.type

    def goes_by_types(self, count: int) -> bool:
        """Without indices among the inputs."""
        return count == 2

    def impl(self, *values: np.ndarray) -> Value:
        """A copy, updated."""
        x, y, *rest = values
        key = build_key(self.entries, rest, int)
        result = np.array(x)
        if self.mode == "set":
            result[key] = y
        elif ARRAY in self.entries:
            if 0 < y.ndim < max(map(np.ndim, rest)):  # NumPy 2.4 would read beyond the end of y
                y = np.broadcast_to(y, result[key].shape)
            _UFUNCS[self.mode].at(result, key, y)
        else:
            result[key] = _UFUNCS[self.mode](result[key], y)
        return result

    def kind(self, *inputs: TensorVariable) -> Scatter:
        """Where the entries say."""
        return Scatter(self.entries, self.mode)

    def pullback(self, inputs: Tensors, outputs: Tensors, cotangents: Tensors) -> Cotangents:
        """For y, the cotangent there; for x, all of it, without what "set" replaced.

        With "set", an element that is indexed several times counts for every one of them. What
        is multiplied gets the product of the others; the largest and the smallest share equally.
        """
        _, y, *values = inputs
        (g,) = cotangents
        if self.mode == "set":
            gx, there = self._in_mode("set")(g, 0, *values), self._found(g, values)
        elif self.mode == "inc":
            gx, there = g, self._found(g, values)
        else:
            share = self._of_products if self.mode == "mul" else self._of_extremes
            gx, there = share(inputs, outputs[0], g)
        return [gx, sum_to(there, lengths_of(y)).astype(y.dtype), *([None] * len(values))]

    def _in_mode(self, mode: str) -> IndexUpdate:
        return IndexUpdate(self.entries, mode)

    def _found(self, x: TensorVariable, values: Tensors) -> TensorVariable:
        return Index(self.entries)(x, *values)

    def _of_products(
        self, inputs: Tensors, out: TensorVariable, g: TensorVariable
    ) -> tuple[TensorVariable, TensorVariable]:
        """Products of the others, also where some are zero."""
        x, y, *values = inputs
        zero_x, zero_y = (eq(v, 0).astype("int64") for v in (x, y))
        nonzero_x, nonzero_y = where(zero_x, 1, x), where(zero_y, 1, y)
        product = self(nonzero_x, nonzero_y, *values)
        zeros = self._in_mode("inc")(zero_x, zero_y, *values)
        of_x = where(eq(zeros, zero_x), product / nonzero_x, 0)
        at_y = self._found(product, values) / nonzero_y
        of_y = where(eq(self._found(zeros, values), zero_y), at_y, 0)
        return g * of_x.conj(), self._found(g, values) * of_y.conj()

    def _of_extremes(
        self, inputs: Tensors, out: TensorVariable, g: TensorVariable
    ) -> tuple[TensorVariable, TensorVariable]:
        """Equal parts for all that equal the result."""
        x, y, *values = inputs
        is_x, is_y = eq(x, out), eq(y, self._found(out, values))
        count = self._in_mode("inc")(is_x.astype("int64"), is_y.astype("int64"), *values)
        part = g / count.astype(g.dtype)
        return where(is_x, part, 0), where(is_y, self._found(part, values), 0)

    @classmethod
    def examples(cls) -> Examples:
        """Every kind of entry, all modes, values of full and of smaller shape; bools."""
        bools, places = np.array([False, True, False]), np.array([0, 0])
        arguments = [bools, np.array([True, False]), places]
        cases: list[Any] = [(cls((ARRAY,), mode), arguments) for mode in _UFUNCS]
        windows = np.array([[0, 1], [1, 2]])
        cases.append((cls((ARRAY,), "inc"), [np.zeros(3), np.array([0.5, 2.0]), windows]))
        products_and_extremes = list(_UFUNCS)[1:]
        for k, (entries, x, values) in enumerate(_cases()):
            key = build_key(entries, values, int)
            places = np.arange(x.size).reshape(x.shape)[key]
            y = np.full(places.shape, 0.5)
            if len(np.unique(places)) == places.size:
                cases.append((cls(entries, "set"), [x, y, *values]))
            cases.append((cls(entries, "inc"), [x, y, *values]))
            cases.append((cls(entries, "inc"), [x, np.array(2.0), *values]))
            others = np.linspace(-2.5, 30.5, places.size).reshape(places.shape)
            cases.append((cls(entries, products_and_extremes[k % 3]), [x, others, *values]))
        places = np.array([1, 0, 1, 2, 2])
        zeros = [np.array([0.0, 1.5, 2.0]), np.array([3.0, 0.0, 2.0, 0.0, 0.0]), places]
        whole = [np.array([3, -1, 2]), np.array([4, -5, 2, 0, 7]), places]
        strange = [np.array([1.0, np.nan, -np.inf]), np.array([np.inf, np.nan, 1, 2, 3]), places]
        for mode in products_and_extremes:
            cases += [(cls((ARRAY,), mode), arguments) for arguments in (zeros, whole, strange)]
        return cases

    def __str__(self) -> str:
        return f"{self.mode}[{_shown(self.entries)}]"


def _cases() -> Iterator[tuple[tuple[Entry, ...], Any, list[Any]]]:
    x = np.arange(24.0).reshape(2, 3, 4)
    twice = np.array([[0, -1], [1, 1]])
    once = np.array([1, 0])
    yield (1, FULL, FULL), x, []
    yield (FULL, Slice(None, None, -1), -1), x, []
    yield (NEW, Slice(1, 9, None), FULL, Slice(-3, -1, None)), x, []
    yield (FULL, SCALAR, Slice(SCALAR, None, 2)), x, [np.int64(-2), np.int64(1)]
    yield (FULL, Slice(None, SCALAR, None), FULL), x, [np.int64(2)]
    yield (ARRAY, FULL, FULL), x, [twice]
    yield (FULL, ARRAY, ARRAY), x, [once, once]
    yield (ARRAY, FULL, ARRAY), x, [twice, once]
    yield (0, FULL, ARRAY), x, [np.array([3, 0, 3])]
    yield (FULL, ARRAY, SCALAR), x, [once, np.int64(2)]
    yield (Slice(2, 1, None),), np.arange(3.0), []
    yield (), np.array(1.5), []


def _shown(entries: Sequence[Entry]) -> str:
    names: dict[Entry, str] = {NEW: "new", SCALAR: "?", ARRAY: "array"}

    def shown(e: Entry) -> str:
        if isinstance(e, Slice):
            parts = ["" if p is None else "?" if p == SCALAR else str(p) for p in e]
            return ":".join(parts if e.step is not None else parts[:2])
        return names.get(e, str(e))

    return ", ".join(map(shown, entries))


def index(x: TensorLike, subscript: object) -> TensorVariable:
    """`x[subscript]`: what the brackets of tensor variables do.

    Raises IndexError, TypeError as NumPy does, as far as it can be told from the types.

    >>> index([[1, 2], [3, 4]], (slice(None), 0)).eval()
    array([1, 3])
    """
    tensor = as_tensor(x)
    key, lifted = with_axes_for_bools(subscript, tensor.ndim)
    if lifted:
        tensor = expand_dims(tensor, lifted)
    entries, values = parse(key, tensor.type.shape, lengths_of(tensor))
    return Index(entries, lifted)(tensor, *values)


def changed(mode: str, x: TensorVariable, y: TensorVariable) -> TensorVariable:
    """What an `IndexUpdate` makes of an element x with y.

    >>> changed("mul", as_tensor(2.0), as_tensor(3.0)).eval().item()
    6.0
    """
    return _FUNCTIONS[mode](x, y)


def updated(x: TensorVariable, mode: str, y: TensorLike) -> TensorVariable:
    """`x`, which was made by indexing, as a whole again with `y` in (or added at) its place.

    Raises TypeError if `x` is not the direct result of indexing.
    """
    op = x.op
    if not isinstance(op, Index):
        raise TypeError(
            f"{x!r} is not the direct result of indexing: write y[i].{mode}(value), in one go"
        )
    whole, *values = x.inputs
    result = IndexUpdate(op.entries, mode)(whole, y, *values)
    return squeeze(result, op.lifted) if op.lifted else result
