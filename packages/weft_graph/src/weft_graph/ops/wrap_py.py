"""`wrap_py`: a Python function of values as an Op."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import attrgetter
from sys import modules
from typing import Any, ClassVar, overload

from weft_graph.core.constant import constant
from weft_graph.core.nodes import Apply, Op, Type, Variable
from weft_graph.core.protocols import ShapeUnknownError, UndefinedGradientError
from weft_graph.ops.tracing import name_of_function

__all__ = ["PythonFunction", "wrap_py"]


class PythonFunction(Op):
    """The Op of a function that `wrap_py` has wrapped."""

    runs_in_python: ClassVar[bool] = True
    function: Callable[..., Any]
    itypes: tuple[Type, ...]
    otypes: tuple[Type, ...]
    shape_function: Callable[..., Any] | None = None
    derivative: Callable[..., Any] | None = None

    def convert(self, inputs: tuple[Any, ...]) -> tuple[Variable, ...]:
        """Values that are no variables become constants of the types that were declared."""
        if len(inputs) != len(self.itypes):
            raise TypeError(f"{self} takes {len(self.itypes)} inputs, not {len(inputs)}")
        return tuple(
            v if isinstance(v, Variable) else constant(kind, v)
            for v, kind in zip(inputs, self.itypes, strict=True)
        )

    def impl(self, *values: Any) -> Any:
        """What the function returns, if it is of the types that were declared."""
        results = self.function(*values)
        if len(self.otypes) == 1:
            return self._checked(self.otypes[0], results)
        if not isinstance(results, (tuple, list)) or len(results) != len(self.otypes):
            raise TypeError(f"{self} must return {len(self.otypes)} values, not {results!r}")
        return tuple(map(self._checked, self.otypes, results))

    def _checked(self, kind: Type, value: Any) -> Any:
        try:
            return kind.filter(value)
        except (TypeError, ValueError) as error:
            raise TypeError(f"{self} returned what it did not declare: {error}") from None

    def pullback(
        self, inputs: Sequence[Variable], outputs: Sequence[Variable], cotangents: Sequence[Any]
    ) -> Sequence[Variable | None]:
        """The derivative that was given."""
        if self.derivative is None:
            raise UndefinedGradientError(
                f"{self} was wrapped without a derivative: give `wrap_py` one, as "
                "`pullback=` a function of `(inputs, outputs, cotangents)`, all variables, that "
                "returns the cotangents of the inputs"
            )
        results: Sequence[Any] = self.derivative(inputs, outputs, cotangents)
        return results

    def infer_shape(self, fgraph: Any, node: Apply, input_shapes: Sequence[Any]) -> Sequence[Any]:
        """The shapes that were given."""
        if self.shape_function is None:
            raise ShapeUnknownError(f"{self} was wrapped without `infer_shape`")
        shapes: Sequence[Any] = self.shape_function(fgraph, node, input_shapes)
        return shapes

    def __reduce__(self) -> tuple[object, ...]:
        module, name = self.function.__module__, self.function.__qualname__
        decorated = getattr(modules.get(module), name, None)
        return (_decorated, (module, name)) if decorated is self else super().__reduce__()

    def __str__(self) -> str:
        return name_of_function(self.function)


def _decorated(module: str, name: str) -> Any:
    from importlib import import_module  # slow to import, and needed for texts only

    return attrgetter(name)(import_module(module))


@overload
def wrap_py(
    function: None = ...,
    *,
    itypes: Sequence[Any],
    otypes: Sequence[Any],
    infer_shape: Callable[..., Any] | None = ...,
    pullback: Callable[..., Any] | None = ...,
) -> Callable[[Callable[..., Any]], PythonFunction]: ...
@overload
def wrap_py(
    function: Callable[..., Any],
    *,
    itypes: Sequence[Any],
    otypes: Sequence[Any],
    infer_shape: Callable[..., Any] | None = ...,
    pullback: Callable[..., Any] | None = ...,
) -> PythonFunction: ...
def wrap_py(
    function: Callable[..., Any] | None = None,
    *,
    itypes: Sequence[Any],
    otypes: Sequence[Any],
    infer_shape: Callable[..., Any] | None = None,
    pullback: Callable[..., Any] | None = None,
) -> Any:
    """An Op of a Python function of values; also as a decorator.

    It runs in Python on every backend, between what is compiled before and after it. The
    function must not change its arguments, nor depend on anything else.

    Parameters
    ----------
    function
        From values of the inputs to that of the output, or to a tuple of several.
    itypes
        The types of the inputs, or functions that make variables of them, such as `dvector`.
    otypes
        The types of the outputs.
    infer_shape
        As the Op's method: from `(fgraph, node, input_shapes)` to the shapes of the outputs.
    pullback
        As the Op's method: from `(inputs, outputs, cotangents)`, all variables, to the
        cotangents of the inputs.

    Raises
    ------
    TypeError
        without any type in `otypes`.

    Examples
    --------
    >>> from weft_graph import function
    >>> @wrap_py(itypes=[Type(), Type()], otypes=[Type()])
    ... def joined(words, between):
    ...     return between.join(words)
    >>> words = Type()("words")
    >>> function([words], joined(words, "-"), mode="py")(["a", "b"])
    'a-b'
    """
    if function is None:
        return lambda f: wrap_py(
            f, itypes=itypes, otypes=otypes, infer_shape=infer_shape, pullback=pullback
        )
    if not otypes:
        raise TypeError(f"{name_of_function(function)} needs at least one type in `otypes`")
    parameters, results = (tuple(map(_type_of, types)) for types in (itypes, otypes))
    return PythonFunction(function, parameters, results, infer_shape, pullback)


def _type_of(kind: Any) -> Type:
    result: Any = kind if isinstance(kind, Type) else kind().type
    return result  # type: ignore[no-any-return]  # of any callable
