"""`to_pytensor`: Weft's graphs as Ops of PyTensor."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Any

import numba
import numpy as np
import pytensor.tensor as pt
from pytensor.configdefaults import config
from pytensor.gradient import DisconnectedType, disconnected_type, grad_undefined
from pytensor.graph.basic import Apply
from pytensor.graph.basic import Variable as Theirs
from pytensor.graph.null_type import NullType
from pytensor.link.jax.ops import JAXOp
from pytensor.tensor.exceptions import ShapeError
from pytensor.tensor.type import TensorType as TheirTensorType
from pytensor.tensor.type import continuous_dtypes

import weft_tensor as wt
from weft_graph import Function, FunctionGraph, OpFromGraph, ShapeUnknownError, Variable, function
from weft_graph import graph_inputs as inputs_of
from weft_graph.extend import Shared, load_source, pattern_of_graph
from weft_numba import as_njit
from weft_pytensor.convert.types import their_type, type_of

__all__ = ["WeftOp", "to_pytensor"]


class WeftOp(JAXOp):  # type: ignore[misc]  # PyTensor's class has no types
    """A graph of Weft's as an Op of PyTensor, made by `to_pytensor`.

    Its derivatives are Weft's, and are such Ops, too. It is a JAXOp because that is what PyTensor
    asks for `perform_jax`, so that JAX need not be imported for the registration of another class.
    """

    __props__ = ("op",)

    op: OpFromGraph
    """The same as an Op of Weft."""

    def __init__(self, op: OpFromGraph) -> None:
        self.op = op
        _register_with_numba()

    @property
    def graph(self) -> FunctionGraph:
        """The graph, over inputs without names."""
        return self.op.graph

    @cached_property
    def input_types(self) -> tuple[TheirTensorType, ...]:
        """PyTensor's types of the inputs, in order."""
        return tuple([their_type(v.type) for v in self.graph.inputs])

    @cached_property
    def output_types(self) -> tuple[TheirTensorType, ...]:
        """PyTensor's types of the outputs, in order."""
        return tuple([their_type(v.type) for v in self.graph.outputs])

    def make_node(self, *inputs: Any) -> Apply:
        """Of what PyTensor makes variables of.

        Errors: TypeError for variables of other types, which names both.
        """
        wanted = self.input_types
        if len(inputs) != len(wanted):
            raise TypeError(f"{self} takes {len(wanted)} inputs, got {len(inputs)}")
        filled = [
            _fitting(self, k, v, t) for k, (v, t) in enumerate(zip(inputs, wanted, strict=True))
        ]
        pairs = [
            (v.type, type_of(theirs)) for v, theirs in zip(self.graph.inputs, filled, strict=True)
        ]
        results = self.op.infer(*[own if kind.accepts(own) else kind for kind, own in pairs])
        kinds = results if isinstance(results, tuple) else (results,)
        return Apply(self, filled, [their_type(kind)() for kind in kinds])

    @cached_property
    def _call(self) -> Function:
        return function(self.graph.inputs, list(self.graph.outputs), on_unused_input="ignore")

    def perform(self, node: Apply, inputs: Sequence[Any], outputs: Sequence[list[Any]]) -> None:
        """By Weft's usual backend."""
        for cell, value in zip(outputs, self._call(*inputs), strict=True):
            cell[0] = np.asarray(value)

    @cached_property
    def _traced(self) -> Callable[..., object]:
        from weft_jax import as_jax  # optional

        return as_jax(self.graph)

    def perform_jax(self, *inputs: object) -> object:
        """What JAX traces: one result, or a tuple of several.

        Of numbers alone, which lengths are to JAX, it makes numbers.
        """
        from jax.core import Tracer  # as above

        run = self._traced if any(isinstance(v, Tracer) for v in inputs) else self._call
        results: Any = run(*inputs)
        return tuple(results) if len(results) > 1 else results[0]

    def connection_pattern(self, node: Apply) -> list[list[bool]]:
        """As the graph connects them."""
        return [list(row) for row in pattern_of_graph(self.graph)]

    def pullback(
        self, inputs: Sequence[Theirs], outputs: Sequence[Theirs], cotangents: Sequence[Theirs]
    ) -> list[Theirs]:
        """By the graph's own derivative, an Op of this class as well."""
        slopes = self._slopes("pullback", inputs, outputs, cotangents)
        linked = [
            {type(g.type) for g, link in zip(cotangents, row, strict=True) if link}
            for row in self.connection_pattern(None)
        ]
        return [
            _cotangent(self, k, v, slope, kinds - {DisconnectedType})
            for k, (v, slope, kinds) in enumerate(zip(inputs, slopes, linked, strict=True))
        ]

    L_op = pullback

    def pushforward(
        self, inputs: Sequence[Theirs], outputs: Sequence[Theirs], tangents: Sequence[Theirs]
    ) -> list[Theirs]:
        """By the graph's own derivative, likewise."""
        return [disconnected_type() if v is None else v for v in self.R_op(inputs, tangents)]

    def R_op(
        self, inputs: Sequence[Theirs], eval_points: Sequence[Theirs | None]
    ) -> list[Theirs | None]:
        """The same, as PyTensor's Rop asks for it."""
        tangents = [disconnected_type() if v is None else v for v in eval_points]
        slopes = self._slopes("pushforward", inputs, inputs, tangents)
        return [None if isinstance(slope, Variable) else slope for slope in slopes]

    def _slopes(
        self,
        mode: Any,
        inputs: Sequence[Theirs],
        moving: Sequence[Theirs],
        directions: Sequence[Theirs],
    ) -> list[Theirs | Variable | None]:
        """For directions of what moves: slopes, None for zero, or a variable of UndefinedType."""
        pairs = enumerate(zip(moving, directions, strict=True))
        present = [
            (k, g.astype(v.type.dtype))
            for k, (v, g) in pairs
            if v.type.dtype in continuous_dtypes
            and not isinstance(g.type, DisconnectedType | NullType)
        ]
        op, places = self.op.derivative(mode, tuple([k for k, _ in present]))
        values = [g for _, g in present]
        results = WeftOp(op)(*inputs, *values, return_list=True) if op else []
        return [results[place] if isinstance(place, int) else place for place in places]

    def infer_shape(self, *given: Any) -> list[tuple[Theirs, ...]]:
        """Lengths that follow from those of the inputs, by a graph that computes nothing else.

        `given` is the node and the lengths; before them, older versions give their graph.
        """
        node, shapes = given[-2:]
        ours = self.graph.inputs
        theirs_of: dict[Variable, Any] = dict(zip(ours, node.inputs, strict=True))
        lengths = []
        for v, shape in zip(ours, shapes, strict=True):
            own = [n if isinstance(n, int) else wt.lscalar() for n in _shape_of(v)]
            theirs_of |= {n: m for n, m in zip(own, shape, strict=True) if isinstance(n, Variable)}
            lengths.append(tuple(own))
        try:
            results = self.op.infer_shape(None, self.op.make_node(*ours), lengths)
        except ShapeUnknownError as error:
            raise ShapeError(str(error)) from error
        return [tuple([_length(n, theirs_of) for n in shape]) for shape in results]

    def __reduce__(self) -> tuple[object, ...]:
        return WeftOp, (self.op,)

    def __str__(self) -> str:
        return f"WeftOp({self.op})"

    __repr__ = __str__


def _shape_of(v: Variable) -> Sequence[object]:
    assert isinstance(v.type, wt.TensorType)
    return v.type.shape


def _fitting(op: WeftOp, place: int, value: Any, wanted: Any) -> Theirs:
    """A value, or variable, as one of the wanted type, if nothing is lost."""
    theirs = pt.as_tensor_variable(value)
    try:
        if np.can_cast(theirs.dtype, wanted.dtype):
            return wanted.filter_variable(theirs.astype(wanted.dtype))
    except TypeError:
        pass
    ours = op.graph.inputs[place].type
    raise TypeError(f"{op}: input {place} must be Weft's {ours}, not PyTensor's {theirs.type}")


def _cotangent(op: WeftOp, place: int, v: Theirs, slope: Any, kinds: set[type]) -> Theirs:
    """A slope as PyTensor has it, where `kinds` are the types of the cotangents that it is of."""
    if not kinds:
        return disconnected_type()
    if isinstance(slope, Variable) or kinds == {NullType}:
        return grad_undefined(op, place, v, str(slope))
    if slope is None:
        return v.zeros_like(dtype=v.dtype if v.dtype in continuous_dtypes else config.floatX)
    return slope


def _length(length: Any, theirs_of: Mapping[Variable, Theirs]) -> Theirs:
    """One of Weft's lengths as PyTensor's."""
    if isinstance(length, int):
        return pt.constant(length, dtype="int64")
    if length in theirs_of:
        return theirs_of[length]
    used = inputs_of([length])
    return WeftOp(OpFromGraph(used, [length]))(*[theirs_of[v] for v in used])


@lru_cache(maxsize=1)
def _register_with_numba() -> None:
    """Tell PyTensor's Numba mode how to call Weft's machine code, once there may be some."""
    from pytensor.link.numba.dispatch import numba_funcify  # which takes its time

    @numba_funcify.register(WeftOp)  # type: ignore[untyped-decorator]
    def weft_op(op: WeftOp, **_: Any) -> Any:
        names = [f"x{k}" for k in range(len(op.graph.inputs))]
        arguments = [
            f"ascontiguousarray({x})" if _shape_of(v) else f"{x}.item()"
            for x, v in zip(names, op.graph.inputs, strict=True)
        ]
        results = [
            f"results[{k}]" if _shape_of(v) else f"asarray(results[{k}])"
            for k, v in enumerate(op.graph.outputs)
        ]
        source = (
            f"def weft_op({', '.join(names)}):\n"
            f"    results = machine({', '.join(arguments)})\n"
            f"    return {', '.join(results)}\n"
        )
        machine = as_njit(op.graph.inputs, list(op.graph.outputs))
        functions = {"ascontiguousarray": np.ascontiguousarray, "asarray": np.asarray}
        return numba.njit(load_source("weft_op", source, {"machine": machine, **functions}))


def to_pytensor(
    outputs: wt.TensorVariable | Sequence[wt.TensorVariable],
    inputs: Sequence[wt.TensorVariable],
    *,
    name: str | None = None,
) -> WeftOp:
    """Weft's variables as an Op of PyTensor, to be called with a variable of PyTensor's per input.

    It may stand in `pm.Potential`, in the log-density of a `pm.CustomDist`, and in whatever else
    is made of PyTensor's variables. Its derivatives, of any order, are Weft's; it says its results'
    shapes; and PyTensor's C, Numba and JAX modes compile it by the backend of Weft that fits. In
    `mode="WEFT"`, and for `from_pytensor`, it is the graph that it was made of.

    Parameters
    ----------
    outputs
        What it computes. Called, it gives one variable of PyTensor's for one, a list for several.
    inputs
        All inputs that the outputs depend on, in the order of the arguments.
    name
        What it is printed as.

    Errors: TypeError for inputs and outputs that are no arrays, and for shared variables of
    Weft's; MissingInputError for an input that is not among `inputs`. Calling it with another
    rank or dtype is a TypeError that names both types.

    >>> import pytensor, pytensor.tensor as pt, weft.tensor as wt
    >>> x = wt.vector("x")
    >>> softplus_sum = to_pytensor(wt.softplus(x).sum(), [x])
    >>> v = pt.dvector("v")
    >>> slope = pytensor.grad(softplus_sum(2 * v), v)
    >>> pytensor.function([v], slope, mode="FAST_COMPILE")([0.0, 800.0]).tolist()
    [1.0, 2.0]
    """
    flat: list[Any] = list(outputs) if isinstance(outputs, list | tuple) else [outputs]
    for v in (*inputs, *flat):
        if not isinstance(v, Variable):
            raise TypeError(f"to_pytensor: {v!r} is of {type(v)}, and no variable of Weft's")
        their_type(v.type)
    for v in inputs_of(flat):
        if isinstance(v.op, Shared):
            raise TypeError(f"to_pytensor: {v!r} is shared: give its value as an input")
    return WeftOp(OpFromGraph(inputs, flat, name=name))
