"""Elementwise Ops in Numba: one loop nest each, broadcasting as it goes."""

from __future__ import annotations

from typing import Any

from weft_graph import Variable
from weft_numba.dispatch import numba_funcify
from weft_numba.scalars import scalar_function
from weft_numba.source import broadcast, compiled, indices, nest
from weft_tensor import Elemwise, TensorType, loop_dtypes

__all__ = ["numba_funcify_elemwise"]


@numba_funcify.register(Elemwise)
def numba_funcify_elemwise(op: Elemwise, *, node: Variable, **kwargs: Any) -> Any:
    """A loop nest over the broadcast shape, or just the scalar function."""
    types: list[Any] = [v.type for v in node.inputs]
    wanted, _ = loop_dtypes(op.name, tuple(t.dtype for t in types))
    names = [f"x{k}" for k in range(len(types))]
    out: Any = node.type
    axes = indices(out.ndim)
    places, checks = _places(types, names, out)
    values = [
        _cast(place, t.dtype, dtype) for place, t, dtype in zip(places, types, wanted, strict=True)
    ]
    result = f"{out.dtype}(scalar({', '.join(values)}))"
    lines = [f"def lowered({', '.join(names)}):"]
    if out.ndim:
        lines += checks
        lines.append(
            f"    out = np.empty(({''.join(f'n{a}, ' for a in range(out.ndim))}), {out.dtype})"
        )
        lines += nest([f"n{a}" for a in range(out.ndim)], [f"out[{', '.join(axes)}] = {result}"])
        lines.append("    return out")
    else:
        lines.append(f"    return {result}")
    return compiled("\n".join(lines) + "\n", scalar=scalar_function(op.name, wanted[0]))


def _cast(expression: str, have: str, want: str) -> str:
    return expression if have == want else f"{want}({expression})"


def _places(
    types: list[TensorType], names: list[str], out: TensorType
) -> tuple[list[str], list[str]]:
    """Where to read each input, and the statements that find the lengths `n0`, `n1`, ...

    Inputs whose type says that they have the full length are read without a test; others
    are read at 0 where their length is 1.
    """
    reads: list[list[str]] = [[] for _ in types]
    checks: list[str] = []
    for axis in range(out.ndim):
        lengths = []
        for k, t in enumerate(types):
            own = axis - (out.ndim - t.ndim)
            if own < 0:
                continue
            if t.shape[own] == 1:
                reads[k].append("0")
                continue
            lengths.append((k, own, t.shape[own]))
        if not lengths:
            checks.append(f"    n{axis} = 1")
            continue
        known = {n for _, _, n in lengths if n is not None}
        alike = len(lengths) == 1 or (len(known) == 1 and all(e[2] is not None for e in lengths))
        shapes = [f"{names[k]}.shape[{own}]" for k, own, _ in lengths]
        checks += ["    " + line for line in broadcast(f"n{axis}", shapes[:1] if alike else shapes)]
        for k, own, _ in lengths:
            if alike:
                reads[k].append(f"i{axis}")
            else:
                checks.append(f"    s{k}_{axis} = {names[k]}.shape[{own}] != 1")
                reads[k].append(f"i{axis} * s{k}_{axis}")
    places = [
        f"{name}[{', '.join(read)}]" if read else name
        for name, read in zip(names, reads, strict=True)
    ]
    return places, checks
