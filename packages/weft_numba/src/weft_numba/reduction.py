"""Reductions in Numba: one pass over the input, in its order."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from weft_graph import Variable
from weft_numba.dispatch import numba_funcify
from weft_numba.source import compiled, indices, nest
from weft_tensor import All, Any_, Max, Min, Prod, Reduction, Sum, SumTo

__all__ = ["numba_funcify_reduction", "numba_funcify_sum_to"]


class Step(NamedTuple):
    """How one kind of reduction starts and goes on, as expressions of r (so far) and v."""

    start: str
    next: str


STEPS: Final[dict[type[Reduction], Step]] = {
    Sum: Step("0", "r + v"),
    Prod: Step("1", "r * v"),
    Max: Step("", "v if v > r or v != v else r"),
    Min: Step("", "v if v < r or v != v else r"),
    Any_: Step("0", "r or v != 0"),
    All: Step("1", "r and v != 0"),
}


@numba_funcify.register(Reduction)
def numba_funcify_reduction(op: Reduction, *, node: Variable, **kwargs: Any) -> Any:
    """A loop nest over the input that combines into the result."""
    x: Any = node.inputs[0].type
    out: Any = node.type
    step = STEPS[type(op)]
    kept = [a for a in range(x.ndim) if a not in op.axis]
    axes = indices(x.ndim)
    lines = ["def lowered(x):"]
    start = f"{out.dtype}({step.start})"
    if not step.start:
        start = "x[" + ", ".join("0" if a in op.axis else f"i{a}" for a in range(x.ndim)) + "]"
        lines += [
            line
            for a in op.axis
            for line in (
                f"    if x.shape[{a}] == 0:",
                "        raise ValueError('a largest or smallest of no elements does not exist')",
            )
        ]
    value = f"x[{', '.join(axes)}]" if x.ndim else "x"
    if out.dtype != x.dtype and out.dtype != "bool":
        value = f"{out.dtype}({value})"
    lengths = [f"x.shape[{a}]" for a in range(x.ndim)]
    if not kept:
        body = [f"v = {value}", f"r = {out.dtype}({step.next})"]
        lines += [f"    r = {start}" if step.start or x.ndim else "    r = x"]
        lines += nest(lengths, body) if x.ndim else ["    " + line for line in body]
        lines.append("    return r")
    else:
        place = ", ".join(f"i{a}" for a in kept)
        lines.append(
            f"    out = np.empty(({''.join(lengths[a] + ', ' for a in kept)}), {out.dtype})"
        )
        first = nest([lengths[a] for a in kept], [f"out[{', '.join(indices(len(kept)))}] = FIRST"])
        renamed = dict(zip(kept, indices(len(kept)), strict=True))
        begin = start
        if not step.start:
            begin = "x[" + ", ".join(renamed.get(a, "0") for a in range(x.ndim)) + "]"
        lines += [line.replace("FIRST", begin) for line in first]
        body = [f"r = out[{place}]", f"v = {value}", f"out[{place}] = {step.next}"]
        lines += nest(lengths, body)
        lines.append("    return out")
    return compiled("\n".join(lines) + "\n")


@numba_funcify.register(SumTo)
def numba_funcify_sum_to(op: SumTo, *, node: Variable, **kwargs: Any) -> Any:
    """Adds into zeros of the wanted shape, at 0 along axes that are summed."""
    x: Any = node.inputs[0].type
    names = [f"n{a}" for a in range(x.ndim)]
    if not x.ndim:
        return compiled("def lowered(x):\n    return x\n")
    lines = [f"def lowered(x, {', '.join(names)}):"]
    for a in range(x.ndim):
        lines += [
            f"    s{a} = n{a} != 1",
            f"    if s{a} and n{a} != x.shape[{a}]:",
            "        raise ValueError('cannot sum to a shape that does not broadcast to this one')",
        ]
    lines.append(f"    out = np.zeros(({''.join(n + ', ' for n in names)}), {x.dtype})")
    place = ", ".join(f"i{a} * s{a}" for a in range(x.ndim))
    value = ", ".join(indices(x.ndim))
    lines += nest([f"x.shape[{a}]" for a in range(x.ndim)], [f"out[{place}] += x[{value}]"])
    lines.append("    return out")
    return compiled("\n".join(lines) + "\n")
