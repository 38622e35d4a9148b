"""The base of tensor Ops: inputs are converted to tensors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from math import prod
from typing import TYPE_CHECKING, Any, ClassVar, Final, Protocol

import numpy as np

from weft_graph import FunctionGraph, Op, OpFromGraph, Variable
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.kinds import Cut, Gather, Kind, View
from weft_tensor.build.lazy_import import lazy_import
from weft_tensor.build.variable import Size, TensorLike, TensorVariable
from weft_tensor.types.tensor_type import TensorType

__all__ = [
    "Cotangents",
    "Examples",
    "Shapes",
    "TensorApply",
    "TensorOp",
    "Tensors",
    "Value",
    "elements",
    "kind_of",
    "kinds_of",
    "length",
    "pushforward_of_expansion",
]

Tensors = Sequence[TensorVariable]
"""What the derivatives of an Op are given."""

Cotangents = Sequence[TensorVariable | None]
"""What they give, or tangents: None stands for zero."""

Shapes = Sequence[Sequence[Size]]
"""The shapes of several tensors of a graph."""

Value = np.ndarray | np.generic
"""What an Op computes: an array, or NumPy's scalar for one of rank 0."""

Examples = Sequence[tuple[Op, Sequence[Any]]]
"""Ops with values of their inputs."""

_EXPAND: Final = "weft_tensor.front.expansions.expand"
NOMINAL: Final = 100
"""A length that nobody knows, where costs are estimated."""
_SHAPE: Final = "weft_tensor.front.expansions.shape_by_kind"
"""What follows from kinds is written with Ops, so it comes after them."""


class TensorApply(Protocol):
    """An `Apply` of an Op to tensors."""

    @property
    def inputs(self) -> Tensors:
        """What the Op is applied to."""

    @property
    def outputs(self) -> Tensors:
        """Its results."""


class TensorOp(Op):
    """An Op whose inputs are tensors; numbers and arrays become constants.

    A class that says a `kind`, or an `expansion`, need say no more: from these follow, where it
    does not define them, its types, its shape, its values, its derivatives and its lowerings. A
    class that computes otherwise than what it inherits from has no kind until it says one.

    >>> import weft_tensor as wt
    >>> class SumOfSquares(wt.TensorOp):
    ...     axis: int
    ...     def kind(self, x):
    ...         return wt.Reduction(self.axis, "add", start=wt.square)
    >>> SumOfSquares(0)([1.0, 2.0]).eval()
    array(5.)
    """

    primitive: ClassVar[bool] = False
    """Whether backends compute Ops of the class by their kind; others they expand."""
    facts: ClassVar[str] = ""
    """What results have, for which inputs: "nonnegative; keeps not_nan; finite if nonpositive
    not_nan". A clause is about floating results; about those of integers too, if it begins with
    "signed", "real" (also unsigned ones) or "any". `keeps`: where all inputs have it. Alternatives
    are parted by "or", inputs by ", ": of "_", nothing is needed. Said is what floating numbers
    do: where sums overflow, products underflow or integers wrap around, nothing is."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        own = vars(cls).keys()
        if "kind" in own or "expansion" in own:
            cls.primitive = vars(cls).get("primitive", False)
            above = [vars(c).keys() for c in cls.__mro__ if c not in TensorOp.__mro__]
            for names, following in _FOLLOWING.items():
                shape_alone = cls.primitive and "infer_shape" not in names
                if not shape_alone and not any(names & defined for defined in above):
                    for name, method in following.items():
                        setattr(cls, name, method)
        elif "impl" in own or "perform" in own:
            cls.primitive = False
            by_kind = [name for f in _FOLLOWING.values() for name in f if cls.defines_by_kind(name)]
            for name in ("kind", "expansion", *by_kind):
                setattr(cls, name, getattr(TensorOp, name))

    def convert(self, inputs: tuple[TensorLike, ...]) -> tuple[Variable, ...]:
        """Each input by `as_tensor`."""
        return tuple([as_tensor(v) for v in inputs])

    def kind(self, *inputs: Any) -> Kind | None:
        """What the Op is for `inputs`, which are variables; None, as by default, tells nothing."""
        return None

    def expansion(self, *inputs: Any) -> TensorVariable | None:
        """The result for `inputs` as an expression of other Ops; by default, what the kind says.

        None if there is none.
        """
        if self.primitive:
            return self(*inputs)
        kind = self.kind(*inputs)
        return None if kind is None else lazy_import(_EXPAND)(kind, self, inputs)

    def expanded(self, *inputs: Any) -> Any:
        """The expansion in the dtype that the Op promises; None if there is none.

        Raises TypeError where it is something else than what the Op promises.
        """
        result: Any = self.expansion(*inputs)
        if result is None or self.defines_by_kind("infer_from"):
            return result
        target: Any = self(*inputs).type
        if result.ndim == target.ndim:
            result = result.astype(target.dtype)
        if not target.accepts(result.type):
            raise TypeError(f"{self} promises {target}, but by its kind it is {result.type}")
        return result

    def cost(self, node: Any) -> float:
        """By its kind. Without one: of matrices, as many sums as a product of them takes."""
        match self.kind(*node.inputs):
            case View() | Cut():
                return 0
            case Gather():
                return elements(node)
            case None:
                return max(map(_cubic, [*node.inputs, node]))
        return max(map(elements, [*node.inputs, node]))

    @classmethod
    def defines_by_kind(cls, method: str) -> bool:
        """Whether `method` follows from the kind."""
        return any(getattr(cls, method) is f.get(method) for f in _FOLLOWING.values())

    def invariants(self, *outputs: TensorVariable) -> Tensors:
        """What is equal for all that compute the Op: its results, unless they may choose."""
        return outputs

    @classmethod
    def examples(cls) -> Examples:
        """(Op, input values) pairs from which `weft_testing.check_op` tests the class."""
        return []

    if TYPE_CHECKING:  # the same as `Op.__call__`, which says less of its result

        def __call__(self, *inputs: TensorLike, **kwargs: object) -> TensorVariable:
            """Apply this Op."""


def elements(v: Any) -> int:
    """About how many numbers a tensor has, of which lengths may be unknown; 0 for other things.

    >>> import weft_tensor as wt
    >>> elements(wt.matrix("m", shape=(None, 3)))
    300
    """
    return prod(map(length, v.type.shape)) if isinstance(v.type, TensorType) else 0


def length(n: Any) -> int:
    """A length of a type, or one to count with where it is not known."""
    return n if isinstance(n, int) else NOMINAL


def _cubic(v: Any) -> int:
    """Cubic in the lengths of matrices, ten times the length of vectors."""
    if not isinstance(v.type, TensorType):
        return 0
    return elements(v) * (length(v.type.shape[-1]) if v.ndim > 1 else 10)


def _infer_from(self: Any, *inputs: Any) -> Any:
    """The type of the expansion."""
    result = self.expansion(*inputs)
    if not isinstance(result, Variable):
        name = type(self).__name__
        raise TypeError(
            f"{name}.expansion must return one variable, not {result!r}: an Op of several results, "
            "or of none that is an expression, defines `infer` and `impl`"
            if result is not None
            else f"{name} says neither its kind nor an expansion: define `infer` and `impl`"
        )
    return result.type


def _infer_shape(self: Any, fgraph: Any, node: Any, input_shapes: Sequence[Any]) -> Sequence[Any]:
    """What follows from the kind, or from the expansion."""
    kind = self.kind(*node.inputs)
    if kind is None:
        types = tuple([v.type for v in node.inputs])
        return _graph(self, types).infer_shape(fgraph, node, input_shapes)
    return [lazy_import(_SHAPE)(kind, node.inputs, input_shapes)]


def _impl(self: Any, *values: Any) -> Any:
    """The values of the expansion."""
    types = tuple([TensorType(v.dtype, [None] * v.ndim) for v in values])
    return lazy_import("weft_graph.extend.in_python")(_graph(self, types))(*values)


def _pullback(self: Any, inputs: Sequence[Any], outputs: Any, cotangents: Any) -> Sequence[Any]:
    """That of the expansion."""
    return _graph(self, tuple([v.type for v in inputs])).pullback(inputs, outputs, cotangents)


def pushforward_of_expansion(self: Any, inputs: Sequence[Any], outputs: Any, tangents: Any) -> Any:
    """That of the expansion."""
    return _graph(self, tuple([v.type for v in inputs])).pushforward(inputs, outputs, tangents)


_FOLLOWING: Final[dict[frozenset[str], dict[str, Callable[..., Any]]]] = {
    frozenset({"infer", "infer_from", "make_node", "otypes"}): {"infer_from": _infer_from},
    frozenset({"infer_shape"}): {"infer_shape": _infer_shape},
    frozenset({"impl", "perform"}): {"impl": _impl},
    frozenset({"pullback", "pushforward", "L_op", "grad"}): {
        "pullback": _pullback,
        "pushforward": pushforward_of_expansion,
    },
}
"""What an Op gets from its kind if it defines none of these."""


@lru_cache(maxsize=512)
def _graph(op: TensorOp, types: tuple[TensorType, ...]) -> OpFromGraph:
    """The expansion of `op` for inputs of these types."""
    inputs: list[Any] = [kind() for kind in types]
    return OpFromGraph(inputs, op.expanded(*inputs))


def kind_of(v: Variable) -> Kind | None:
    """What the Op of `v` says that it is, if that is not said by others into which it expands.

    >>> import weft_tensor as wt
    >>> kind_of(wt.exp(wt.vector("x"))), kind_of(wt.vector("x"))
    (Pointwise(of='exp', positions=False), None)
    """
    op = v.op
    return op.kind(*v.inputs) if isinstance(op, TensorOp) and op.primitive else None


def kinds_of(graph: FunctionGraph) -> dict[Variable, Kind | None]:
    """The nodes of `graph`, in order, and what their Ops say that they are."""
    return {v: kind_of(v) for v in graph.nodes}
