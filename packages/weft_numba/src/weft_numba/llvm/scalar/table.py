"""The table of scalar functions in machine code."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, lru_cache, partial, reduce
from typing import Any, Final

from weft_graph import Constant, FunctionGraph, MissingLoweringError, Variable
from weft_numba.ir.llvm_writer import Code, Number, Pair, Value, number
from weft_numba.llvm.scalar.cast_rows import cast
from weft_numba.llvm.scalar.choices import Choices, Step
from weft_numba.llvm.scalar.complex_rows import COMPLEX_ROWS
from weft_numba.llvm.scalar.logarithm_rows import LOGARITHMS, by_logarithm
from weft_numba.llvm.scalar.mass_rows import MASS_ROWS
from weft_numba.llvm.scalar.real_rows import ROWS, fmul
from weft_numba.llvm.scalar.scipy_rows import COMPLEX_SCIPY_ROWS, SCIPY_ROWS
from weft_numba.llvm.scalar.summation_rows import LONG, SUMMED, alike, call_summation
from weft_numba.llvm.scalar.usual_rows import by_usual
from weft_tensor import Pointwise
from weft_tensor.extend import (
    SCALARS,
    expansion_of,
    kind_of,
    loop_dtypes,
    usual_of,
)

__all__ = [
    "TABLE",
    "argument_dtypes",
    "calls_of_vectors",
    "goes_by_number",
    "joint",
    "row",
    "takes_long",
]

Row = Callable[..., Value]

TABLE: Final[dict[str, Mapping[str, Row]]] = {
    **ROWS,
    "f": {**ROWS["f"], **MASS_ROWS, **SCIPY_ROWS, "of_parts": lambda c, n, x, y: Pair(x, y)},
    "c": {**COMPLEX_ROWS, **COMPLEX_SCIPY_ROWS},
}
"""By the kind of number that a function computes with (f, i, u, b or c), and its name.

What is not here is computed by its expansion.
"""


_MANY: Final = 30
"""So many instructions are worth a loop that does them with vectors."""
_WIDEST: Final = {"f": "float64", "i": "int64", "u": "uint64", "b": "bool", "c": "complex128"}


@cache
def row(name: str, kind: str) -> Row | None:
    """The machine code of a function for numbers of a kind; None if it has none.

    >>> row("sin", "f") is None, row("sin", "i") is None, row("softplus", "f") is None
    (False, True, False)
    """
    written = _written(name, kind)
    if written is None or kind != "f" or name not in LONG:
        return written
    shared = by_usual(name, written, ())
    return lambda c, n, *xs: (shared if name in c.apart else written)(c, n, *xs)


def _written(name: str, kind: str) -> Row | None:
    own = TABLE[kind].get(name)
    if own:
        return own
    if _is_summed(name, kind):
        by_sum = _by_summation(name)
        return by_logarithm(name, by_sum) if name in LOGARITHMS else by_sum
    if not _is_expanded(name, kind):
        return None
    whole = _by_graph(partial(expansion_of, name))
    if name == "threefry2x32":
        return _of_hidden_key(whole)
    usual = SCALARS[name].usual if kind == "f" else ()
    short = [(u, _by_graph(partial(usual_of, name, k))) for k, u in enumerate(usual)]
    return by_usual(name, whole, short) if short else whole


def _is_summed(name: str, kind: str) -> bool:
    """Whether numbers of a kind go to a function with loops."""
    scalar = SCALARS.get(name)
    return kind == "f" and name not in TABLE["f"] and bool(scalar and scalar.summation)


def _is_expanded(name: str, kind: str) -> bool:
    """Whether numbers of a kind have an expansion, of functions that have rows."""
    scalar = SCALARS.get(name)
    if scalar is None or scalar.expansion is None:
        return False
    dtypes = (_WIDEST[kind],) * scalar.arity
    try:
        if loop_dtypes(name, dtypes)[0] != dtypes:
            return False
    except TypeError:
        return False
    order = expansion_of(name, dtypes).order
    names = [(v, _name(v)) for v in order if v.inputs]
    return all(f == "cast" or row(f, number(_wanted(v)[-1]).kind) for v, f in names)


def _name(v: Any) -> Any:
    """That of the function of numbers which `v` is of its inputs."""
    kind = kind_of(v)
    return kind.of if isinstance(kind, Pointwise) else None


def _wanted(v: Any) -> tuple[str, ...]:
    return argument_dtypes(_name(v), tuple([i.dtype for i in v.inputs]))


def _by_graph(form: Callable[[tuple[str, ...]], FunctionGraph]) -> Row:
    """What the rows of all functions make that a form, of numbers of these dtypes, consists of."""

    def compute(c: Code, n: Number, *operands: Value) -> Value:
        graph = form((n.dtype,) * len(operands))
        values: dict[Variable, Value] = dict(zip(graph.inputs, operands, strict=True))
        order, products, choices = _in_order(graph)
        choices.compute(c, order, values, lambda v: _step(c, v, values, products.get(v)))
        return values[graph.outputs[0]]

    return compute


@lru_cache(maxsize=512)
def _in_order(
    graph: FunctionGraph,
) -> tuple[list[Variable], dict[Variable, Any], Choices[Variable]]:
    """What is computed one after another, the products in sums, and what choices alone need."""
    products = {v: _product_in(v, graph) for v in graph.nodes}
    fused = {*products.values(), *graph.inputs}
    order = [v for v in graph.order if v not in fused]
    return order, products, Choices({v: _choice_step(v, products.get(v)) for v in order})


@lru_cache(maxsize=4096)
def _function_of(v: Any) -> tuple[Row, tuple[Number, ...]]:
    """The row of the function of numbers that `v` is, and what it takes."""
    types = tuple(map(number, _wanted(v)))
    compute = row(_name(v), types[-1].kind)
    if compute is None:
        raise MissingLoweringError(f"{_name(v)} has no machine code for {types[-1].dtype}")
    return compute, types


def _choice_step(v: Any, product: Any = None) -> Step[Any]:
    """What is known of a node; `product` is computed with it."""
    name = _name(v)
    wanted = _wanted(v) if name not in (None, "cast") else ()
    return Step(
        v.inputs if product is None else [*v.inputs, *product.inputs],
        number(v.dtype).register,
        chooses=name == "where"
        and all(i.dtype == w for i, w in zip(v.inputs, wanted, strict=True)),
        takes_long=lambda: bool(wanted) and takes_long(name, wanted[-1], len(wanted)),
        stays=False,
    )


def _step_by_number(v: Any) -> Step[Any]:
    """As `_choice_step`, where no loop is of vectors: there their functions take long, too."""
    step, name = _choice_step(v), _name(v)
    if name in (None, "cast"):
        return step
    known = (name, _wanted(v)[-1], len(v.inputs))
    return step._replace(takes_long=lambda: step.takes_long() or calls_of_vectors(*known))


def _of_hidden_key(whole: Row) -> Row:
    """`whole`, of a key of which LLVM does not see that its upper word is a sum.

    That of a key which was drawn is a sum of 28 numbers, one of them mostly the number of a loop's
    step; that of one drawn with this key has it in four times, and so on. LLVM looks for ways to
    step through each sum that goes up with the number, in a time that explodes: a `split` and two
    draws took six seconds. An exclusive or is no sum, here with zero: what the empty assembly, no
    instruction, gives, and LLVM does not look into it. Keys that a loop does not change take it
    before the loop.
    """

    def compute(c: Code, n: Number, key: str, counter: str) -> Value:
        zero = c("zext i32 {} to i64", c('call i32 asm "", "=r,0"(i32 0) #0'))
        hidden = c("xor i64 {}, {}", key, c("shl i64 {}, 32", zero))
        return whole(c, n, hidden, counter)

    return compute


def _by_summation(name: str) -> Row:
    """A call of a function with loops."""

    def compute(c: Code, n: Number, *operands: Value) -> Value:
        return call_summation(name, _step, _step_by_number, c, n, operands)

    return compute


def _product_in(v: Any, graph: FunctionGraph) -> Variable | None:
    """The product that the sum `v` alone needs: both may be one instruction, where there is one."""
    if _name(v) != "add":
        return None
    for i in v.inputs:
        once = _name(i) == "mul" and len(graph.users[i]) == 1
        if once and all(u.dtype == v.dtype for u in (*v.inputs, *i.inputs)):
            return i if v.dtype.startswith("float") else None
    return None


def _step(c: Code, v: Any, values: Mapping[Variable, Value], product: Any = None) -> Value:
    if isinstance(v.op, Constant):
        return _literal(c, v.op.value.item(), number(v.dtype))
    if _name(v) == "cast":
        (x,) = v.inputs
        return cast(c, values[x], number(x.dtype), number(v.dtype))
    n = number(v.dtype)
    if _name(v) == "pow" and n.kind == "f" and (power := _small_power(v.inputs[1])):
        x = str(cast(c, values[v.inputs[0]], number(v.inputs[0].dtype), n))
        return reduce(partial(fmul, c, n), [x] * power)
    if product is not None:
        (other,) = [i for i in v.inputs if i is not product]
        factors = [values[i] for i in product.inputs]
        return c.intrinsic("fmuladd", n, *factors, values[other])  # type: ignore[arg-type]  # pairs are complex
    compute, types = _function_of(v)
    operands = [
        cast(c, values[i], number(i.dtype), want) for i, want in zip(v.inputs, types, strict=True)
    ]
    return compute(c, types[-1], *operands)


def _small_power(exponent: Any) -> int:
    """2 or 3, where products are a power; else 0."""
    known = isinstance(exponent.op, Constant) and exponent.op.value.size == 1
    power = exponent.op.value.item() if known else 0
    return int(power) if power in (2, 3) else 0


def _literal(c: Code, value: complex, n: Number) -> Value:
    if n.kind == "c":
        return Pair(c.literal(value.real, n.part), c.literal(value.imag, n.part))
    return c.literal(value.real, n)


@cache
def calls_of_vectors(name: str, dtype: str, count: int) -> bool:
    """Whether a function of so many numbers calls functions of whole vectors in good loops.

    Or is as many instructions, which such loops do with whole vectors.

    >>> calls_of_vectors("add", "float64", 2), calls_of_vectors("add", "complex64", 2)
    (False, False)
    """
    n = number(dtype)
    compute = row(name, n.kind)
    if compute is None or n.kind != "f" or _is_summed(name, n.kind):
        return False
    code = Code()
    compute(code, n, *["%x"] * count)
    return bool(code.vector_names) or len(code.lines) >= _MANY


@cache
def takes_long(name: str, dtype: str, count: int) -> bool:
    """Whether a function of so many numbers calls one that knows no vectors.

    >>> takes_long("betainc", "float64", 3), takes_long("exp", "float64", 1)
    (True, False)
    """
    n = number(dtype)
    compute = row(name, n.kind)
    if compute is None or _is_summed(name, n.kind):
        return compute is not None
    code = Code()
    pair = Pair("%x", "%y")
    compute(code, n, *[pair if n.kind == "c" else "%x"] * count)
    called = [d for d in code.declarations if not d.startswith("llvm.")]
    summed = any(d.startswith(SUMMED) for d in called)
    return summed or (bool(called) and not code.vector_names)


@cache
def joint(calls: frozenset[tuple[str, str, tuple[int, ...]]]) -> dict[str, tuple[str, ...]]:
    """For functions with loops the group of which they are computed as one.

    Each call is a name, a dtype and the numbers of the arguments; a function is in a group if it
    is so wherever it is called.
    """
    beside: dict[tuple[str, tuple[int, ...]], list[str]] = {}
    for name, dtype, arguments in sorted(calls):
        if _is_summed(name, number(dtype).kind) and name not in LOGARITHMS:
            beside.setdefault((dtype, arguments), []).append(name)
    groups: dict[str, set[tuple[str, ...]]] = {}
    for (dtype, arguments), names in beside.items():
        found = alike(tuple(names), (dtype,) * len(arguments)) if len(names) > 1 else ()
        for name in names:
            own = [group for group in found if name in group]
            groups.setdefault(name, set()).add(own[0] if own else (name,))
    return {name: next(iter(own)) for name, own in groups.items() if len(own) == 1}


def goes_by_number(name: str, kind: str) -> bool:
    """Whether loops that call the function are never made of vectors.

    >>> [goes_by_number(name, "f") for name in ("jv_slope", "betainc", "exp")]
    [True, True, False]
    """
    return _is_summed(name, kind) or (kind == "f" and name in SCIPY_ROWS)


def argument_dtypes(name: str, dtypes: tuple[str, ...]) -> tuple[str, ...]:
    """The dtypes that a row takes its arguments in; logic is about truth values.

    >>> argument_dtypes("add", ("int8", "float64")), argument_dtypes("logical_not", ("int8",))
    (('float64', 'float64'), ('bool',))
    """
    if name.startswith("logical_"):
        return ("bool",) * len(dtypes)
    return loop_dtypes(name, dtypes)[0]
