"""Scalar functions whose form is short where most numbers are: chosen for a vector at once.

A function of the module computes one number by the whole form. Functions of whole vectors, which
LLVM takes in its place when it makes vectors of a loop, go by the short form where all of their
numbers allow it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from weft_numba.ir.llvm_writer import ONCE, Code, Number, Value
from weft_numba.ir.vector_math import lengths
from weft_tensor.extend import Usual

__all__ = ["by_usual"]

Row = Callable[..., Value]
Short = Sequence[tuple[Usual, Row]]

_PURE: Final = "nounwind willreturn memory(none)"
_ONE_VECTOR: Final = (*ONCE, '!{!"llvm.loop.vectorize.enable", i1 true}')


def by_usual(name: str, whole: Row, short: Short) -> Row:
    """A call of the function, which loops over vectors replace by that of vectors."""

    def compute(c: Code, n: Number, *xs: str) -> Value:
        if c.exact or c.alone or not lengths(n.bits):
            return whole(c, n, *xs)
        full, mappings = f"weft_{name}_{n.register}", []
        if full not in c.declarations:
            c.declarations[full] = ""
            _declare(c, full, n.register, len(xs), partial(_number, c, n, whole))
        for lanes in () if c.by_number else lengths(n.bits):
            symbol, vector = f"{full}_{lanes}", f"<{lanes} x {n.register}>"
            mappings.append(f"_ZGV_LLVM_N{lanes}{'v' * len(xs)}_{full}({symbol})")
            if symbol not in c.vector_names:
                c.vector_names[symbol] = None
                _declare(c, symbol, vector, len(xs), partial(_vector, c, lanes, n, whole, short))
        known = f' "vector-function-abi-variant"="{",".join(mappings)}"' if mappings else ""
        text = f"{_PURE}{known}"
        group = c.attributes.setdefault(text, len(c.attributes))
        return c(f"call {n.register} @{full}({_list(n.register, xs)}) #{group}")

    return compute


def _declare(
    c: Code, symbol: str, kind: str, arity: int, write: Callable[[Sequence[str]], str]
) -> None:
    """Define a function by what `write` writes, which gives the result."""
    xs = [f"%p{k}" for k in range(arity)]
    with c.definition(f"define linkonce_odr {kind} @{symbol}({_list(kind, xs)}) noinline {_PURE}"):
        c.lines.append(f"ret {kind} {write(xs)}")
    c.declarations[symbol] = c.definitions.pop()


def _number(c: Code, n: Number, whole: Row, xs: Sequence[str]) -> str:
    return str(whole(c, n, *xs))


def _vector(c: Code, lanes: int, n: Number, whole: Row, short: Short, xs: Sequence[str]) -> str:
    """The vector that the first form gives which all its numbers allow."""
    vector, end = f"<{lanes} x {n.register}>", c.new()[1:]
    places = [c(f"alloca {vector}") for _ in (*xs, "result")]
    for x, place in zip(xs, places, strict=False):
        c.lines.append(f"store {vector} {x}, ptr {place}")
    for k, (usual, form) in enumerate(short):
        allowed, here, rest = _are_usual(c, usual, lanes, n, xs), f"{end}_{k}", f"{end}_not_{k}"
        c.lines += [f"br i1 {allowed}, label %{here}, label %{rest}", f"{here}:"]
        _loop(c, here, lanes, n, form, places)
        c.lines += [f"br label %{end}", f"{rest}:"]
    _loop(c, f"{end}_whole", lanes, n, whole, places)
    c.label(end)
    return c(f"load {vector}, ptr {places[-1]}")


def _are_usual(c: Code, usual: Usual, lanes: int, n: Number, xs: Sequence[str]) -> str:
    """Whether each number of each vector is, as one bit."""
    all_are = "-1"
    for x in xs:
        for word, limit in (("oge", usual.low), ("ole", usual.high)):
            splat = _list(n.register, [c.literal(limit, n)] * lanes)
            are = c(f"fcmp {word} <{lanes} x {n.register}> {x}, <{splat}>")
            all_are = c(f"and i{lanes} {all_are}, {c(f'bitcast <{lanes} x i1> {are} to i{lanes}')}")
    return c(f"icmp eq i{lanes} {all_are}, -1")


def _loop(c: Code, name: str, lanes: int, n: Number, form: Row, places: Sequence[str]) -> None:
    """The numbers at the last place, by the form of those at the others."""
    with c.loop(name, str(lanes), marks=_ONE_VECTOR) as index:
        at = [c(f"getelementptr {n.register}, ptr {place}, i64 {index}") for place in places]
        c.store(n, form(c, n, *[c.load(n, place) for place in at[:-1]]), at[-1])


def _list(kind: str, names: Sequence[str]) -> str:
    return ", ".join(f"{kind} {name}" for name in names)
