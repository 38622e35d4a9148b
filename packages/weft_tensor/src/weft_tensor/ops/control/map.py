"""`map`: a function of the elements of arrays, for each of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import compress
from typing import Any, ClassVar, Literal

import numpy as np

from weft_graph import (
    Apply,
    FunctionGraph,
    OpFromGraph,
    Type,
    py_funcify,
)
from weft_graph.extend import Loop, closed_over, in_python, rebuilt
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.op import Cotangents, Examples, Shapes, TensorApply, TensorOp, Tensors
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.control.element_shapes import (
    lengths_within,
    shapes_of_elements,
    shapes_of_nothing,
)
from weft_tensor.ops.control.structures import is_data, with_axes
from weft_tensor.ops.shape.transpose import moveaxis
from weft_tensor.types.axes import as_axes
from weft_tensor.types.symbolic_dims import Length as KnownLength
from weft_tensor.types.symbolic_dims import provably_differ
from weft_tensor.types.tensor_type import TensorType

__all__ = ["NO_ELEMENTS", "Map", "lengths_of_elements", "map", "mapped_by"]

NO_ELEMENTS = (
    "map: there is no element, and without one the shape of the results can't be told: give the "
    "function's results a shape that does not depend on the values of elements"
)
"""What is said where the shape of no results is wanted."""


class Map(TensorOp, Loop):
    """What `body` gives for each element, along the first axis, of the inputs that are `mapped`.

    The other inputs are the same for all elements. A result that is `summed` is the sum over
    the elements; of others the results are put together along a new first axis.
    """

    view_of = ()
    __props__ = ("body", "mapped", "summed")
    none_for_zero: ClassVar[bool] = True
    body: OpFromGraph
    mapped: tuple[bool, ...]
    summed: tuple[bool, ...]

    def with_body(self, body: OpFromGraph) -> Map:
        """The same for another graph."""
        return Map(body, self.mapped, self.summed)

    @property
    def moving(self) -> tuple[bool, ...]:
        """Which inputs of the body differ from element to element."""
        return self.mapped

    def infer(self, *types: TensorType) -> Type | tuple[Type, ...]:
        """The types that the body gives for elements, with one axis more."""
        n: KnownLength = None
        elements: list[Any] = []
        for k, (kind, is_mapped) in enumerate(zip(types, self.mapped, strict=True)):
            if not is_mapped:
                elements.append(kind)
                continue
            if not kind.ndim:
                raise TypeError(f"map: input {k}, {kind}, has no axis to go along")
            if provably_differ(n, kind.shape[0]):
                raise ValueError(f"map: input {k} has length {kind.shape[0]}, another has {n}")
            n = kind.shape[0] if n is None else n
            elements.append(TensorType(kind.dtype, kind.shape[1:]))
        inner: Any = self.body.infer(*elements)
        kinds = inner if isinstance(inner, tuple) else (inner,)
        results = [
            kind if is_summed else TensorType(kind.dtype, (n, *kind.shape))
            for kind, is_summed in zip(kinds, self.summed, strict=True)
        ]
        return tuple(results) if len(results) > 1 else results[0]

    def pullback(self, inputs: Tensors, outputs: Tensors, cotangents: Tensors) -> Cotangents:
        """A map of the body's pullback; summed for what is the same for all elements."""
        return self._slopes("pullback", inputs, cotangents)

    def pushforward(self, inputs: Tensors, outputs: Tensors, tangents: Cotangents) -> Cotangents:
        """A map of the body's pushforward."""
        return self._slopes("pushforward", inputs, tangents)

    def _slopes(
        self,
        mode: Literal["pullback", "pushforward"],
        inputs: Sequence[Any],
        seeds: Sequence[Any],
    ) -> Sequence[Any]:
        present = tuple([k for k, g in enumerate(seeds) if g is not None])
        derivative, places = self.body.derivative(mode, present)
        if derivative is None:
            return places
        whole = [not m for m in self.mapped]
        of_seeds, of_slopes = (self.summed, whole) if mode == "pullback" else (whole, self.summed)
        op = Map(
            OpFromGraph(derivative.graph.inputs, derivative.graph.outputs, inline=False),
            (*self.mapped, *[not of_seeds[k] for k in present]),
            tuple([of_slopes[k] for k, place in enumerate(places) if isinstance(place, int)]),
        )
        results = op.make_node(*inputs, *[seeds[k] for k in present]).outputs
        return [results[place] if isinstance(place, int) else place for place in places]

    def connection_pattern(self, node: Apply) -> Sequence[Sequence[bool]]:
        """That of the body."""
        return self.body.connection_pattern(node)

    def step_pattern(self, node: Apply) -> Sequence[Sequence[str]]:
        """That of the body."""
        return self.body.step_pattern(node)

    def infer_shape(self, fgraph: object, node: TensorApply, input_shapes: Shapes) -> Shapes:
        """The length of the inputs, and what the body's Ops tell of the shape of an element."""
        element_shapes = [
            shape[1:] if is_mapped else shape
            for shape, is_mapped in zip(input_shapes, self.mapped, strict=True)
        ]
        shapes = shapes_of_elements(self.body, self.mapped, node.inputs, element_shapes)
        n = next(shape[0] for shape in compress(input_shapes, self.mapped))
        return [
            shape if is_summed else (n, *shape)
            for shape, is_summed in zip(shapes, self.summed, strict=True)
        ]

    @classmethod
    def examples(cls) -> Examples:
        """One and several inputs and results; what is the same for all, and sums."""
        x, y, w = (TensorType("float64", (None,))(name) for name in "xyw")
        s = TensorType("float64")("s")
        rows = np.arange(6.0).reshape(2, 3) / 4
        one = OpFromGraph([x], [x * x.sum()], inline=False)
        scalar = OpFromGraph([s], [s * s * s], inline=False)
        two = OpFromGraph([x, y, w], [x * w, (x * y * w).sum()], inline=False)
        return [
            (cls(one, (True,), (False,)), [rows]),
            (cls(one, (True,), (True,)), [rows]),
            (cls(one, (True,), (False,)), [rows[:0]]),
            (cls(one, (True,), (True,)), [rows[:0]]),
            (cls(scalar, (True,), (False,)), [rows[0]]),
            (cls(two, (True, True, False), (True, False)), [rows, rows + 1, rows[1]]),
        ]

    def __str__(self) -> str:
        return "map"


def lengths_of_elements(op: Map) -> FunctionGraph | None:
    """From the inputs of a map to the lengths of what its body gives for one element, in order.

    None where these can't be told without an element.

    >>> x = TensorType("float64", (None, 3))("x")
    >>> graph = lengths_of_elements(map(lambda row: row + row, x).op)
    >>> [v.op.value.item() for v in graph.outputs]
    [3]
    """
    return lengths_within(op.body, op.mapped, op.mapped)


def mapped_by(op: Map, run: Callable[..., Any], values: Sequence[np.ndarray]) -> Any:
    """What `op` gives, if `run` gives what its body does for one element: NumPy's arrays.

    Raises ValueError if results for two elements have different shapes.

    >>> x = TensorType("float64", (None,))("x")
    >>> mapped_by(map(lambda number: number * 2.0, x).op, lambda number: number * 2.0, [np.ones(2)])
    array([2., 2.])
    """
    n = _common_length(op, values)
    kinds: list[Any] = [v.type for v in op.body.graph.outputs]
    results: list[Any] = []
    for i in range(n):
        try:
            value = run(*[x[i, ...] if m else x for x, m in zip(values, op.mapped, strict=True)])
        except Exception as error:
            error.add_note(f"for element {i} of a map")
            raise
        parts = value if len(kinds) > 1 else (value,)
        if not i:
            results = _made(op, kinds, n, [np.shape(part) for part in parts])
        for result, part, is_summed in zip(results, parts, op.summed, strict=True):
            if (result.shape if is_summed else result.shape[1:]) != np.shape(part):
                raise ValueError(
                    f"map: the function gives {result.shape[not is_summed :]} for element 0 and "
                    f"{np.shape(part)} for element {i}: all must have one shape"
                )
            if is_summed:
                result += part
            else:
                result[i, ...] = part
    results = results or _made(op, kinds, n, _shapes_of_nothing(op, values))
    return tuple(results) if len(results) > 1 else results[0]


@py_funcify.register(Map)
def _element_after_element(op: Map, **kwargs: object) -> Callable[..., object]:
    body = in_python(op.body)
    return lambda *values: mapped_by(op, body, values)


def _made(op: Map, kinds: Sequence[Any], n: int, shapes: Sequence[Any]) -> list[Any]:
    """Arrays for results."""
    return [
        np.zeros(shape, kind.dtype) if is_summed else np.empty((n, *shape), kind.dtype)
        for kind, shape, is_summed in zip(kinds, shapes, op.summed, strict=True)
    ]


def _common_length(op: Map, values: Sequence[np.ndarray]) -> int:
    lengths = [len(x) for x in compress(values, op.mapped)]
    for k, n in enumerate(lengths):
        if n != lengths[0]:
            raise ValueError(f"map: sequence {k} has length {n}, sequence 0 has {lengths[0]}")
    return lengths[0]


def _shapes_of_nothing(op: Map, values: Sequence[np.ndarray]) -> list[tuple[int, ...]]:
    """The shapes of what the body would give, for no element."""
    graph = lengths_of_elements(op)
    if graph is None:
        raise ValueError(NO_ELEMENTS)
    return shapes_of_nothing(graph, op.body, values)


def map(
    function: Callable[..., Any],
    sequences: object,
    non_sequences: Sequence[object] = (),
    in_axes: Any = 0,
) -> Any:
    """`function`, applied to each element of `sequences` along their first axes.

    What `function` uses besides its arguments, it has in full for every element. Derivatives are
    taken through it. What works on whole arrays at once, as elementwise functions and linear
    algebra with stacks of matrices do, needs no map.

    Parameters
    ----------
    function
        Takes a variable for an element of each sequence, of one dimension less, then
        `non_sequences`. Returns a variable, or a nested structure of them (lists, tuples, dicts,
        dataclasses), of the same shapes for all elements.
    sequences
        A tensor; or several, in a list or tuple, of the same length along the first axis. Each
        may be a nested structure, of whose elements `function` gets a like one.
    non_sequences
        Further arguments of `function`, the same for all elements.
    in_axes
        The axis of sequences along which the elements are, None for what is the same for all of
        them; or one for each sequence, which may be a structure as well, as for `vmap`.

    Returns
    -------
    The results for all elements along a new first axis, in the structure that `function` returns.

    Raises
    ------
    TypeError
        if there is no sequence, or one is a scalar.
    ValueError
        if the lengths of sequences differ, or axes do not fit them; when the map is computed,
        also if the shapes of results differ.

    Examples
    --------
    >>> from weft_tensor import matrix, sort
    >>> x = matrix("x")
    >>> map(lambda row: sort(row)[-2], x).eval({x: [[1.0, 5.0, 3.0], [2.0, 0.0, 1.0]]})
    array([3., 1.])
    """
    tensors: list[Any] = []
    outputs: list[Any] = []
    elements: list[Any] = []

    def element(sequence: TensorLike, axis: int | None) -> TensorVariable:
        x = as_tensor(sequence)
        if axis is None:
            return x
        if not x.ndim:
            raise TypeError(f"map takes elements along axis {axis}, but {x!r} has none")
        tensors.append(moveaxis(x, as_axes(axis, x.ndim)[0], 0))
        elements.append(TensorType(x.dtype, tensors[-1].type.shape[1:])(x.name))
        return elements[-1]

    def place(result: TensorLike) -> int:
        outputs.append(as_tensor(result))
        return len(outputs) - 1

    several = type(sequences) in (list, tuple)
    parts: Sequence[Any] = sequences if isinstance(sequences, (list, tuple)) else [sequences]
    axes = in_axes if several and isinstance(in_axes, (list, tuple)) else [in_axes] * len(parts)
    if len(axes) != len(parts):
        raise ValueError(f"map: in_axes has {len(axes)} entries for {len(parts)} sequences")
    arguments = [with_axes(part, a, element, "map") for part, a in zip(parts, axes, strict=True)]
    _check(tensors)
    result = function(*arguments, *(rebuilt(part, as_tensor, is_data) for part in non_sequences))
    places = rebuilt(result, place, lambda part: part is not result and is_data(part))
    if not outputs:
        raise TypeError("the function given to map returns nothing")
    others = closed_over(outputs, elements)
    body = OpFromGraph([*elements, *others], outputs, inline=False)
    mapped = (*[True] * len(tensors), *[False] * len(others))
    results = Map(body, mapped, (False,) * len(outputs)).make_node(*tensors, *others).outputs
    return rebuilt(places, results.__getitem__)


def _check(sequences: Tensors) -> None:
    if not sequences:
        raise TypeError("map needs a sequence to take elements from")
    first = sequences[0]
    for x in sequences:
        if provably_differ(x.type.shape[0], first.type.shape[0]):
            raise ValueError(
                f"map needs sequences of one length, but {first!r} has {first.type.shape[0]} "
                f"elements and {x!r} has {x.type.shape[0]}"
            )
