"""The derivative of products so far in Numba: by two recurrences, which divide by nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from weft_numba.lowering.dispatch import ANY_ORDER, numba_funcify
from weft_numba.lowering.njit_source import CASTS, compiled, indices, nest
from weft_numba.numba_layer.new_array import new_array
from weft_tensor import CumProdSlope

__all__ = ["numba_funcify_cumprod_slope"]

_DIFFER: Final = "factors and cotangents of products differ in shape"
ANY_ORDER.add(CumProdSlope)


@numba_funcify.register(CumProdSlope)
def numba_funcify_cumprod_slope(
    op: CumProdSlope, *, node: Any, **kwargs: object
) -> Callable[..., Any]:
    """Forward the products before each element, and backward what comes after it, times that."""
    axis, lengths = op.axis, [f"n{a}" for a in range(node.ndim)]
    around, within = lengths[:axis], lengths[axis + 1 :]
    lanes = indices(len(within), "j")

    def at(k: str, of: str) -> str:
        place = f"{of}[{', '.join([*indices(len(around)), k, *lanes])}]"
        return f"np.conj({place})" if of == "x" and node.is_complex else place

    lane = f"[{', '.join(lanes)}]" if lanes else ""
    products = [f"{at('k', 'out')} = so_far{lane}", f"so_far{lane} *= {at('k', 'x')}"]
    sums = [f"s = {at('k', 'g')} + after{lane}", f"after{lane} = s * {at('k', 'x')}"]
    along = [
        *nest(within, [f"so_far{lane}, after{lane} = one, zero"], "j", 0),
        f"for k in range(n{axis}):",
        *nest(within, products, "j"),
        f"for k in range(n{axis} - 1, -1, -1):",
        *nest(within, [*sums, f"{at('k', 'out')} *= s"], "j"),
    ]
    rooms = [f"{v} = new_array(({', '.join(within)},), kind)" for v in ("so_far", "after")]
    lines = [
        "if x.shape != g.shape:",
        f"    raise ValueError({_DIFFER!r})",
        f"{', '.join(lengths)}, = x.shape",
        "out, one, zero = new_array(x.shape, kind), kind(1), kind(0)",
        *(rooms if within else ()),
        *nest(around, along, depth=0),
        "return out",
    ]
    source = "\n    ".join(["def lowered(x, g):", *lines])
    return compiled(source + "\n", new_array=new_array, kind=CASTS[node.dtype])
