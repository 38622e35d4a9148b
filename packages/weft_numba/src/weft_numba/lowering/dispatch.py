"""`numba_funcify`: the table from Op classes to Numba functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, lru_cache, partial, singledispatch, wraps
from importlib import import_module
from os.path import join
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Any, Final, get_type_hints

from numba.core.dispatcher import Dispatcher

from weft_graph import MissingLoweringError, Op, Variable
from weft_graph.extend import Identity
from weft_numba.lowering.njit_source import compiled

__all__ = [
    "ANY_ORDER",
    "BY_ROW",
    "EXPRESSIONS",
    "IN_LINES",
    "has_function",
    "lowering_modules",
    "numba_funcify",
    "uses_builtin_lowering",
]

if TYPE_CHECKING:
    from functools import _SingleDispatchCallable

_PACKAGE: Final = __name__.partition(".")[0]


@cache
def lowering_modules() -> tuple[str, ...]:
    """The modules `weft_numba.ops.FAMILY.NAME`, each imported when an Op of theirs is met.

    >>> "weft_numba.ops.linalg.svd" in lowering_modules()
    True
    """
    folder = import_module(f"{_PACKAGE}.ops")
    families = [f.name for f in iter_modules(folder.__path__)]
    return tuple(
        f"{folder.__name__}.{family}.{module.name}"
        for family in families
        for module in iter_modules([join(path, family) for path in folder.__path__])
    )


@cache
def _import_lowerings(module: str) -> None:
    """Import those of the Ops that a module defines: they are called as it is.

    Where it is in a family of Ops, they are in the same.
    """
    package, _, place = module.partition(".")
    if package not in ("weft_graph", "weft_tensor"):
        return
    is_in_family = place.startswith("ops.") and place.count(".") > 1
    end = f".{place if is_in_family else place.rpartition('.')[2]}"
    for lowering in lowering_modules():
        if lowering.endswith(end):
            import_module(lowering)


def _is_own(function: Callable[..., Any]) -> bool:
    """Whether a function is of this package; those in pages of documentation are of none."""
    return (function.__module__ or "").partition(".")[0] == _PACKAGE


def _dispatched_late(
    default: Callable[..., Callable[..., Any]],
) -> _SingleDispatchCallable[Callable[..., Any]]:
    """`singledispatch` that imports this package's lowerings when an Op of theirs is met."""
    table = singledispatch(default)

    @lru_cache(maxsize=1024)  # it keeps the classes
    def dispatch(kind: type) -> Callable[..., Callable[..., Any]]:
        for each in kind.__mro__:
            _import_lowerings(each.__module__)
        return table.dispatch(kind)

    def register(kind: Any, function: Any = None) -> Any:
        if function is None and isinstance(kind, type):
            return partial(register, kind)
        if function is None:
            function, kind = kind, next(iter(get_type_hints(kind).values()))
        if not _is_own(function):
            dispatch(kind)  # so that it replaces ours, and not the other way round
        table.register(kind, function)
        dispatch.cache_clear()
        return function

    @wraps(default)
    def call(op: Op, **kwargs: object) -> Callable[..., Any]:
        return dispatch(type(op))(op, **kwargs)

    late: Any = call
    late.dispatch, late.register, late.registry = dispatch, register, table.registry
    result: _SingleDispatchCallable[Callable[..., Any]] = late
    return result


@_dispatched_late
def numba_funcify(op: Op, *, node: Variable, **kwargs: object) -> Callable[..., Any]:
    """The function, compilable by Numba, that computes `op`.

    Register one for a class of Ops with `@numba_funcify.register(SomeOp)`; registering
    again replaces it. It gets the Op and, by keyword, the `node` with the inputs and their
    types and what else the linker tells (`exact`, `parallel`); it returns a function (plain, or
    made by `numba.njit`) of the inputs' values. Tensors of rank 0 are plain scalars there, all
    others are arrays; the result must be the same, of the dtype and rank of `node`, which is
    checked. Inputs must not be modified.
    """
    name = type(op).__name__
    raise MissingLoweringError(
        f"{name} has no Numba implementation: register a function with "
        f"`@weft_numba.numba_funcify.register({name})`, or compile with mode='py'"
    )


def uses_builtin_lowering(op: Op) -> bool:
    """Whether nobody has registered a function for `op` but this package.

    Only then may other code of this package compute it.

    >>> import weft_tensor as wt
    >>> uses_builtin_lowering(wt.vector("x").sum().owner.op)
    True
    """
    module = numba_funcify.dispatch(type(op)).__module__ or "a page of documentation"
    return module.partition(".")[0] == _PACKAGE


BY_ROW: Final[dict[type[Op], str]] = {}
"""Ops that are computed by a row of a table, each for itself; and how to write one."""

EXPRESSIONS: Final[dict[type[Op], Callable[[Any, Sequence[str]], str]]] = {}
"""What an Op is in source, from the names of its inputs: no function that Numba would compile."""


IN_LINES: Final[dict[type[Op], Callable[..., list[str]]]] = {}
"""What writes an Op's lines into a program, from the names of its inputs, what is known of the
lengths of the graph around it, and the numbers of the results that are read; gives their names."""


ANY_ORDER: Final[set[type[Op]]] = set()
"""Ops whose functions take transposes as they are."""


def has_function(op: Op) -> bool:
    """Whether a function is registered for `op`.

    >>> import weft_tensor as wt
    >>> has_function(wt.sort(wt.vector("x")).op), has_function(wt.sum(wt.vector("x")).op)
    (True, False)
    """
    is_registered = numba_funcify.dispatch(type(op)) is not numba_funcify.dispatch(object)
    return is_registered or type(op) in IN_LINES


@numba_funcify.register(Identity)
def _identity(op: Op, **kwargs: object) -> Dispatcher:
    return compiled("def lowered(x):\n    return x\n")
