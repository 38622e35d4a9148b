"""What a Type and an Op may define: the hooks that the rest of Weft asks."""

from __future__ import annotations

import reprlib
from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, Self, TypeVar

from weft_graph.core.encoding import encoded
from weft_graph.core.interned import Interned, identifying
from weft_graph.core.source_location import Placed

if TYPE_CHECKING:
    from random import Random

__all__ = ["OpHooks", "PassesOnHooks", "ShapeUnknownError", "TypeHooks", "UndefinedGradientError"]


class Application(Protocol):
    """An Op applied to inputs."""

    @property
    def inputs(self) -> Sequence[object]: ...

    @property
    def outputs(self) -> Sequence[object]: ...


T = TypeVar("T")
"""The Types of the values."""
V = TypeVar("V")
"""The variables."""
A = TypeVar("A", bound=Application)
"""What `make_node` makes."""

shortened = reprlib.Repr()
shortened.maxother = shortened.maxstring = 80


class TypeHooks(Interned, Generic[V]):
    """What a Type may say of its values; each method has a default that fits plain ones."""

    absorbs: ClassVar[bool] = False
    differentiable: ClassVar[bool] = False

    def filter(self, value: Any) -> Any:
        """`value` as this type holds it.

        Raises TypeError (or ValueError) if it can't be that without loss.
        """
        return value

    def narrowed(self, value: Any) -> Any:
        """`value` as this type holds it, also where something is lost (`allow_input_downcast`)."""
        return value

    def guard(self, name: str, namespace: dict[str, Any]) -> str:
        """A Python expression over `name`, true only where `filter` would change nothing.

        Compiled functions test it before they call `filter`. What it mentions besides
        `name` goes into `namespace`.
        """
        return "False"

    def shortcut(self, name: str, namespace: dict[str, Any]) -> str:
        """Source to stand before the call of `filter`: what it gives for some values, at once.

        As "VALUE if CONDITION else ", both over `name`; empty, as by default, for none.
        """
        return ""

    def symbols(self, name: str) -> tuple[tuple[str, str], ...]:
        """(symbol, expression over `name`) pairs: equal symbols must have equal values."""
        return ()

    def freeze(self, value: Any) -> Any:
        """`value` as a constant keeps it, safe from changes by others."""
        return value

    def finish(self, value: Any) -> Any:
        """`value` as a compiled function hands it to its caller."""
        return value

    def copy(self, value: Any) -> Any:
        """`value` without memory shared; needed where values are mutable."""
        return value

    def equal_values(self, a: Any, b: Any) -> bool:
        """Whether two values of this type are the same value."""
        return bool(a == b)

    def constant_key(self, value: Any) -> Hashable:
        """What tells constants of this type apart."""
        return identifying(value)

    def digest_of(self, value: Any) -> bytes:
        """The content of a constant as bytes, the same in every process (see `digest`)."""
        return encoded(value)

    def literal(self, value: Any) -> Any:
        """The Python number, string, ... that `value` amounts to, else None (see `Rule`)."""
        return value

    def plain(self, value: Any) -> Any:
        """Numbers, strings and lists of them of which `filter` makes `value`, else None."""
        return self.literal(value)

    def format(self, value: Any) -> str:
        """A short text for a constant."""
        return repr(value)

    def summary(self, value: Any) -> str:
        """A short text on a value at hand, for error messages: for arrays, dtype and shape."""
        return shortened.repr(value)

    def check_value(self, value: Any) -> None:
        """Raise TypeError or ValueError if a computed `value` is not of this type as it is.

        What `filter` would convert is wrong here: an Op promised this very type.
        """
        self.filter(value)

    def close_values(self, before: Any, after: Any) -> bool:
        """Whether `after` may stand for `before`: equal but for rounding.

        Where `before` is infinite or not a number, anything may.
        """
        if isinstance(before, float | complex) and isinstance(after, int | float | complex):
            from cmath import isclose, isfinite  # needed for checks only

            near = isclose(before, after, rel_tol=1e-9, abs_tol=1e-9)
            return near or not isfinite(before)
        return self.equal_values(before, after)

    def draw(self, random: Random, lengths: dict[str, int]) -> Any:
        """A value of this type to try things on (see `Verification`).

        Lengths that have names are to be those in `lengths`, or are added to it. Raises TypeError
        where the Type defines none.
        """
        raise TypeError(
            f"{self} draws no values: give them as verify={{x: value}}, or define "
            f"`{type(self).__name__}.draw(self, random, lengths)`"
        )

    def is_true(self, value: Any) -> bool:
        """Whether a value of this type, as a condition, holds: for arrays, everywhere."""
        return bool(value)

    def accepts(self, other: Self) -> bool:
        """Whether a variable of type `other` may replace one of this type."""
        return other is self

    def zeros_like(self, x: V) -> V:
        """The zero of the cotangents of `x` (a variable of this type).

        Raises TypeError where the Type defines none.
        """
        raise TypeError(f"{self} has no zeros_like: derivatives need it")

    def seed(self, cost: V) -> V:
        """The cotangent 1 of a scalar cost; TypeError if `cost` is not a scalar."""
        raise TypeError(f"{self} has no seed: it can't be the type of a cost")

    def add(self, a: V, b: V) -> V:
        """The sum of two cotangents of this type.

        Raises TypeError where the Type defines none.
        """
        raise TypeError(f"{self} has no add: derivatives need it")

    def __str__(self) -> str:
        fields = ", ".join(str(getattr(self, field)) for field in self.__props__)
        return f"{type(self).__name__}({fields})" if fields else type(self).__name__


def _type_of(kind: Any) -> Any:
    """A Type, or that of what a function such as `dmatrix` makes."""
    return kind if isinstance(kind, TypeHooks) else kind().type


class OpHooks(Interned, Generic[T, V, A]):
    """What an Op may say of itself."""

    view_of: ClassVar[tuple[int, ...] | None] = None
    """Positions of the inputs whose memory the result may share; `()` if it is always new.

    Nor do several results that are new share it with each other. Without it, a result that leaves
    a compiled function is copied, in case it shares some.
    """
    destroy_map: ClassVar[Mapping[int, Sequence[int]]] = {}
    """The tradition's: which inputs each result overwrites. They are copied before."""
    linear: ClassVar[slice | None] = None
    """Which inputs the Op is linear in, all together: its pushforward is then itself."""
    keeps_name: ClassVar[bool] = False
    """Whether the result goes by the name of the first input."""
    runs_in_python: ClassVar[bool] = False
    """Whether it is meant to run in Python, so that no backend warns of it."""
    none_for_zero: ClassVar[bool] = False
    """Whether `pullback` takes None, not only zeros, for results that nothing depends on."""

    def infer(self, *types: Any) -> T | Sequence[T]:
        """The type, or types, of the results for inputs of `types`.

        Without it and `make_node`, the tradition's class attributes `itypes` and `otypes` say.
        Raises TypeError (or ValueError) for types that the Op is not for.
        """
        if not (hasattr(self, "itypes") and hasattr(self, "otypes")):
            raise TypeError(f"{type(self).__name__} defines neither `infer` nor `make_node`")
        parameters, results = (tuple(map(_type_of, kinds)) for kinds in (self.itypes, self.otypes))
        if len(types) != len(parameters):
            raise TypeError(
                f"{type(self).__name__} takes {len(parameters)} inputs, not {len(types)}"
            )
        for position, (argument, kind) in enumerate(zip(types, parameters, strict=True)):
            if not kind.accepts(argument):
                raise TypeError(
                    f"{type(self).__name__}: input {position} must be {kind}, not {argument}"
                )
        return results if len(results) > 1 else results[0]

    def infer_from(self, *inputs: Any) -> T | Sequence[T]:
        """The same from the inputs themselves: for Ops whose result's type depends on more
        than their types, as on the value of a constant. It takes the place of `infer`.

        Raises TypeError (or ValueError) for inputs that the Op is not for.
        """
        raise TypeError(f"{type(self).__name__} defines no `infer_from`")

    def goes_by_types(self, count: int) -> bool:
        """Whether `count` inputs of equal types always give results of equal types."""
        return type(self).infer_from is OpHooks.infer_from

    def convert(self, inputs: tuple[Any, ...]) -> tuple[V, ...]:
        """What the Op was called with, as variables (used together with `infer`).

        Raises TypeError for what is no Variable.
        """
        for position, value in enumerate(inputs):
            if not isinstance(value, Placed):
                raise TypeError(
                    f"{self}: argument {position} is {value!r}, a {type(value).__name__}, "
                    "not a Variable; make a constant of it with `constant(type, value)`"
                )
        return inputs

    def impl(self, *values: Any) -> Any:
        """The result (a tuple, if several) for the inputs' values.

        Raises TypeError where the Op defines neither this nor `perform`.
        """
        raise TypeError(f"{type(self).__name__} defines neither `impl` nor `perform`")

    def perform(
        self, node: Any, inputs: Sequence[Any], output_storage: Sequence[list[Any]]
    ) -> None:
        """Put the results for the values `inputs` into `output_storage[i][0]`."""
        values = self.impl(*inputs)
        results = values if len(output_storage) > 1 else (values,)
        for cell, value in zip(output_storage, results, strict=True):
            cell[0] = value

    def pullback(
        self, inputs: Sequence[Any], outputs: Sequence[Any], cotangents: Sequence[Any]
    ) -> Sequence[V | None]:
        """Cotangents of the inputs, given those of the outputs (vector-Jacobian product).

        None stands for zero: an input on which the outputs depend by steps, or not at all. Raises
        UndefinedGradientError where the Op defines none.
        """
        if self._has("L_op"):
            return self.L_op(inputs, outputs, cotangents)  # type: ignore[attr-defined,no-any-return]  # the tradition's
        if self._has("grad"):
            return self.grad(inputs, cotangents)  # type: ignore[attr-defined,no-any-return]  # the tradition's
        raise UndefinedGradientError(
            f"{type(self).__name__} has no derivative: define "
            f"`{type(self).__name__}.pullback(self, inputs, outputs, cotangents)`"
        )

    def pushforward(
        self, inputs: Sequence[Any], outputs: Sequence[Any], tangents: Sequence[Any]
    ) -> Any:
        """Tangents of the outputs, given those of the inputs (Jacobian-vector product).

        None stands for a zero tangent. An Op need not define this: where it is not defined,
        or gives NotImplemented, an Op that is `linear` is applied to the tangents, and any
        other is differentiated forward by way of its `pullback`.
        """
        if self._has("R_op"):
            return self.R_op(inputs, tangents)  # type: ignore[attr-defined]  # the tradition's
        return NotImplemented

    def connection_pattern(self, node: Any) -> Sequence[Sequence[bool]]:
        """For each input, for each output, whether that output's values depend on the input's.

        By a derivative or by steps: where they do, a derivative that `pullback` and
        `pushforward` do not give is zero; where they don't, as the length of an array does not
        on its elements, to ask for it is an error.
        """
        return [[True] * len(node.outputs) for _ in node.inputs]

    def step_pattern(self, node: Any) -> Sequence[Sequence[str]]:
        """For each input, for each output, what `add_step` said of a value inside, or nothing.

        That is for Ops with graphs inside: of a value that the output depends on, and that depends
        on the input.
        """
        return [[""] * len(node.outputs) for _ in node.inputs]

    def _has(self, method: str) -> bool:
        """Whether the class has one of the tradition's methods, which `Op` itself has not."""
        return callable(getattr(type(self), method, None))

    def infer_shape(self, fgraph: Any, node: Any, input_shapes: Sequence[Any]) -> Sequence[Any]:
        """The shapes of the outputs as variables, from those of the inputs.

        Raises ShapeUnknownError where the Op defines none.
        """
        raise ShapeUnknownError(f"{type(self).__name__} defines no `infer_shape`")

    def cost(self, node: Any) -> float:
        """About how long `node`, which the Op makes, takes: as many times as a sum of two numbers.

        Only logs tell it. Lengths that nobody knows count as 100.
        """
        return 1.0

    def do_constant_folding(self, fgraph: Any, node: Any) -> bool:
        """Whether the Op may be computed while compiling, where all its inputs are constants."""
        return True

    @property
    def commutative(self) -> bool:
        """Whether the order of the (two) inputs makes no difference to the result."""
        return False

    @property
    def result_name(self) -> str | None:
        """The name that the user gave the result, if the Op is there to carry it."""
        return None

    def __str__(self) -> str:
        return repr(self) if self.__props__ else type(self).__name__


class PassesOnHooks(OpHooks[T, V, A]):
    """Those of an Op that passes its first input on."""

    view_of: ClassVar[tuple[int, ...] | None] = (0,)

    def infer(self, *types: Any) -> T:
        """The type of the first input."""
        first: T = types[0]
        return first

    def pullback(
        self, inputs: Sequence[Any], outputs: Sequence[Any], cotangents: Sequence[Any]
    ) -> Sequence[V | None]:
        """The cotangent goes to the first input."""
        return [cotangents[0], *[None] * (len(inputs) - 1)]

    def pushforward(
        self, inputs: Sequence[Any], outputs: Sequence[Any], tangents: Sequence[Any]
    ) -> Sequence[V | None]:
        """The tangent of the first input."""
        return [tangents[0]]

    def connection_pattern(self, node: Any) -> Sequence[Sequence[bool]]:
        """The value is that of the first input, whatever the others are."""
        return [[True], *[[False]] * (len(node.inputs) - 1)]

    def infer_shape(self, fgraph: Any, node: Any, input_shapes: Sequence[Any]) -> Sequence[Any]:
        """The shape of the first input."""
        return [input_shapes[0]]


class UndefinedGradientError(TypeError):
    """A derivative was asked of an Op that has none."""

    __module__ = "weft_graph"


class ShapeUnknownError(TypeError):
    """A shape was asked of an Op that does not say it."""

    __module__ = "weft_graph"
