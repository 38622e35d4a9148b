"""Ops that do something besides computing: print a value, or raise unless a condition holds.

Both are the identity for derivatives, shapes and rules; rewriting keeps them where they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from weft_graph.core.constant import constant
from weft_graph.core.function_graph import FunctionGraph
from weft_graph.core.nodes import Apply, Identity, Type, Variable, apply
from weft_graph.core.traversal import replace
from weft_graph.ops.breakpoint import Breakpoint

__all__ = [
    "Assert",
    "CheckAndRaise",
    "Print",
    "assert_op",
    "check_and_raise",
    "print_value",
    "without_prints",
]


class Print(Identity):
    """The identity, which prints `message` and the value whenever it is computed.

    Parameters
    ----------
    message
        What to print before the value.
    attrs
        Names of attributes or methods of the value, such as "shape" or "min": they are
        printed in place of the value.

    Examples
    --------
    >>> from weft_graph import Type, function
    >>> x = Type()("x")
    >>> f = function([x], Print("x is")(x), mode="py")
    >>> f(3)
    x is 3
    3
    >>> function([x], Print("x", attrs=["real", "imag"])(x), mode="py")(1 + 2j)
    x real = 1.0
    x imag = 2.0
    (1+2j)
    """

    __props__ = ("message", "attrs")
    message: str
    attrs: tuple[str, ...]

    def __init__(self, message: str = "", attrs: Iterable[str] = ()) -> None:
        self.__dict__.update(message=message, attrs=tuple(attrs))

    def do_constant_folding(self, fgraph: Any, node: Apply) -> bool:
        """No: it prints when the function is called."""
        return False

    def telling(self, node: Variable, step: Variable) -> Variable:
        """`node`, in the body of a loop: it also prints the number of the `step`."""
        return node if len(node.inputs) > 1 else apply(self, (*node.inputs, step), node.place)

    def show(self, value: Any, step: Any = None) -> None:
        """Print what is asked of `value`, which is computed in a loop in this step."""
        lead = f"step {step}: " if step is not None else ""
        lead += f"{self.message} " if self.message else ""
        if not self.attrs:
            print(f"{lead}{value}")
        for name in self.attrs:
            attribute = getattr(value, name)
            print(f"{lead}{name} = {attribute() if callable(attribute) else attribute}")

    def impl(self, *values: Any) -> Any:
        """The value, after printing it."""
        self.show(*values)
        return values[0]


class CheckAndRaise(Identity):
    """The first input, if all others are true; else it raises `exc_type(msg)`.

    Raises TypeError if `exc_type` is no class of exceptions that are made of a message.

    >>> from weft_graph import Type, function
    >>> x, is_positive = Type()("x"), Type()("is_positive")
    >>> checked = CheckAndRaise(ValueError, "x must be positive")(x, is_positive)
    >>> function([x, is_positive], checked, mode="py")(-1, False)
    Traceback (most recent call last):
    ...
    ValueError: x must be positive
    while computing CheckAndRaise(ValueError, 'x must be positive') : Type
    ...
    """

    __props__ = ("msg", "exc_type")
    msg: str
    exc_type: type[Exception]

    def __init__(self, exc_type: type[Exception], msg: str = "") -> None:
        if not _is_exception_class(exc_type):
            raise TypeError(f"exc_type must be a class of exceptions, not {exc_type!r}")
        try:
            exc_type(msg)
        except TypeError as error:
            raise TypeError(
                f"{exc_type.__name__} can't be made of a message alone ({error}): give a class "
                f"of which `{exc_type.__name__}(message)` makes an exception"
            ) from error
        self.__dict__.update(msg=msg, exc_type=exc_type)

    def convert(self, inputs: tuple[Any, ...]) -> tuple[Variable, ...]:
        """Python's True and False become constants."""
        if len(inputs) < 2:
            raise TypeError(f"{self} takes a value and at least one condition")
        conditions = [constant(Type(), c) if isinstance(c, bool) else c for c in inputs[1:]]
        return super().convert((inputs[0], *conditions))

    def error(self) -> Exception:
        """A new exception of the given type."""
        return self.exc_type(self.msg)

    def error_at(self, value: Any, condition: Any) -> Exception:
        """That for a value of which the condition does not hold; subclasses may say more."""
        return self.error()

    def perform(
        self, node: Apply, inputs: Sequence[Any], output_storage: Sequence[list[Any]]
    ) -> None:
        """Test the conditions, by what their types call true."""
        for variable, value in zip(node.inputs[1:], inputs[1:], strict=True):
            if not variable.type.is_true(value):
                raise self.error_at(inputs[0], value)
        output_storage[0][0] = inputs[0]

    def __str__(self) -> str:
        return f"{type(self).__name__}({self.exc_type.__name__}, {self.msg!r})"


class Assert(CheckAndRaise):
    """The first input, if all others are true; else an AssertionError with `msg`.

    >>> Assert("must be sorted")
    Assert(msg='must be sorted', exc_type=<class 'AssertionError'>)
    """

    def __init__(self, msg: str = "an assertion of the graph does not hold") -> None:
        super().__init__(AssertionError, msg)


def _is_exception_class(value: object) -> bool:
    return isinstance(value, type) and issubclass(value, Exception)


def print_value(x: Any, message: str = "", attrs: Iterable[str] = ()) -> Any:
    """`x`, printed with `message` whenever it is computed (see `Print`).

    It is printed only where the result is used. Uses of one `print_value(x, message)` are
    the same node, and print once.

    >>> from weft_graph import Type, function
    >>> x = Type()("x")
    >>> function([x], print_value(x, "x ="), mode="py")("ha")
    x = ha
    'ha'
    """
    return Print(message, attrs)(x)


def check_and_raise(
    x: Any,
    condition: Any,
    exc_type: type[Exception] = ValueError,
    message: str = "a condition does not hold",
) -> Any:
    """`x`, if `condition` is true when it is computed; else `exc_type(message)` is raised.

    Only where the result is used is the condition tested.

    >>> from weft_graph import Type
    >>> x = Type()("x")
    >>> print(check_and_raise(x, x, ValueError, "x must not be empty"))
    CheckAndRaise(ValueError, 'x must not be empty')
    """
    return CheckAndRaise(exc_type, message)(x, condition)


def assert_op(x: Any, *conditions: Any, message: str = "") -> Any:
    """`x`, if all `conditions` are true when it is computed; else an AssertionError.

    >>> from weft_graph import Type
    >>> x = Type()("x")
    >>> print(assert_op(x, x, message="x must not be empty"))
    Assert(AssertionError, 'x must not be empty')
    """
    return (Assert(message) if message else Assert())(x, *conditions)


def without_prints(graph: FunctionGraph) -> FunctionGraph:
    """The same graph, printing nothing, and without breakpoints.

    >>> from weft_graph import Type
    >>> x = Type()("x")
    >>> without_prints(FunctionGraph([x], [print_value(x)])).outputs == (x,)
    True
    """
    loud = (Breakpoint, Print)
    if graph.op_classes.isdisjoint(loud):
        return graph
    silent = replace(
        graph.outputs, lambda v: v.inputs[0] if isinstance(v.op, loud) else None, graph.inputs
    )
    return FunctionGraph(graph.inputs, silent)
