"""What the function of a kernel is given, in LLVM's language."""

from __future__ import annotations

from weft_numba.ir.kernel import Kernel
from weft_numba.ir.llvm_writer import Number, number

__all__ = ["parameters_of", "parts"]


def parameters_of(kernel: Kernel) -> list[str]:
    """The types and names of its parameters, as `weft_numba.llvm.loop_nest.lower` lists them.

    >>> parameters_of(Kernel((), (), (), ()))
    []
    """
    parameters = [f"i64 %n{a}" for a in range(kernel.ndim)]
    for k, o in enumerate(kernel.operands):
        n = number(o.dtype)
        if o.ndim == 0:
            parameters += [f"{n.register} {part}" for part in parts(n, f"%p{k}")]
        else:
            parameters.append(f"ptr noalias readonly %p{k}")
            parameters += [f"i64 %s{k}_{a}" for a in o.stride_axes]
            if o.table:
                parameters += [f"i64 %l{k}_{a}" for a in range(o.ndim)]
    for k, r in enumerate(kernel.results):
        parameters.append(f"ptr noalias %r{k}")
        if r.scatters:
            parameters += [f"i64 %m{k}_{a}" for a in range(r.ndim)]
        if r.compresses:
            parameters.append(f"ptr noalias %m{k}")
    return parameters


def parts(n: Number, name: str) -> tuple[str, ...]:
    """The registers called `name` that hold a number.

    >>> parts(number("complex128"), "%x"), parts(number("int8"), "%x")
    (('%xr', '%xi'), ('%x',))
    """
    return (f"{name}r", f"{name}i") if n.kind == "c" else (name,)
