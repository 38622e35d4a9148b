"""Functions that write LLVM code, whose types are found without a look at all else that there is.

Numba reads all that it can compile again wherever code calls an intrinsic, as another target could
have come. Ours are for the target that there is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba.core import types
from numba.core.extending import _Intrinsic
from numba.core.imputils import builtin_registry
from numba.core.typing.templates import infer, infer_global, make_intrinsic_template

__all__ = ["intrinsic"]


def intrinsic(typed: Callable[..., Any]) -> Any:
    """As `numba.extending.intrinsic`: `typed` gives a signature and what writes the code.

    >>> import numba
    >>> def add(context, builder, sig, args):
    ...     return builder.fadd(args[0], args[0])
    >>> twice = intrinsic(lambda context, x: (x(x), add))
    >>> numba.njit(lambda x: twice(twice(x)))(3.0)
    12.0
    """
    name = getattr(typed, "__name__", str(typed))
    made: Any = _Intrinsic(name, typed)
    template: Any = make_intrinsic_template(made, typed, name)
    template._get_target_registry = lambda _, reason: builtin_registry
    infer(template)
    infer_global(made, types.Function(template))
    return made
