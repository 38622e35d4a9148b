"""Schur's form with chosen eigenvalues first.

Neighbours change places by a rotation, which makes the vector of the second one the first (Z. Bai
and J. W. Demmel, On swapping diagonal blocks in real Schur form, Linear Algebra Appl. 186, 1993).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from weft_graph.extend import called
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.control.loops import fori_loop
from weft_tensor.ops.creation.creation import arange
from weft_tensor.ops.creation.diagonals import diagonal
from weft_tensor.ops.elementwise.arithmetic import sqrt
from weft_tensor.ops.elementwise.comparison import where
from weft_tensor.ops.linalg.matmul import matmul
from weft_tensor.ops.linalg.schur import schur as unordered
from weft_tensor.ops.linalg.square import triu
from weft_tensor.ops.reduction.standard import sum
from weft_tensor.ops.shape.concatenate import stack
from weft_tensor.ops.shape.length import lengths_of

__all__ = ["schur"]

Choice = Callable[[TensorVariable], TensorLike]
_CHOICES: Final[dict[str, Choice]] = {
    "lhp": lambda v: v.real < 0,
    "rhp": lambda v: v.real >= 0,
    "iuc": lambda v: abs(v) <= 1,
    "ouc": lambda v: abs(v) > 1,
}


def schur(a: TensorLike, output: str = "real", *, sort: str | Choice | None = None) -> Any:
    """T and Z with a = Z T Zᴴ, Z unitary and T triangular, with eigenvalues on its diagonal.

    Parameters
    ----------
    a
        Square matrices, on the last two axes.
    output
        "complex" for a triangular T, whatever a is; "real" leaves 2 by 2 blocks on the diagonal
        of a real T for pairs of complex eigenvalues. See `scipy.linalg.schur`.
    sort
        Which eigenvalues of one matrix come first, in the order that they have among them: those
        with negative real parts for "lhp", others for "rhp", inside of the unit circle for "iuc",
        outside for "ouc", or those of which a function says so. For complex T alone.

    Returns
    -------
    `T` and `Z`, which have no derivatives; with `sort` also how many eigenvalues were chosen.

    Raises
    ------
    ValueError
        for another output or sort, for matrices that are not square, and for real T with `sort`.

    Examples
    --------
    >>> t, z, count = schur([[1.0, 2.0], [0.0, -3.0]], output="complex", sort="lhp")
    >>> t.diagonal().eval().real.round(6), count.eval().item()
    (array([-3.,  1.]), 1)
    """
    result = unordered(a, output)
    if sort is None:
        return result
    if not callable(sort) and sort not in _CHOICES:
        names = ", ".join(map(repr, _CHOICES))
        raise ValueError(f"schur: sort is {names}, or a function, not {sort!r}{called()}")
    t, z = result
    if not t.is_complex or t.ndim != 2:
        raise ValueError(f"schur: sort is for one matrix and output='complex', not {t!r}{called()}")
    chosen = as_tensor((sort if callable(sort) else _CHOICES[sort])(diagonal(t))).astype("bool")
    n: Any = lengths_of(t)[0]

    def swapped(k: Any, state: tuple[Any, Any, Any]) -> tuple[Any, Any, Any]:
        t, z, chosen = state
        pair = k + arange(2)
        behind = chosen[k + 1] & ~chosen[k]
        first, second = t[k, k + 1], t[k + 1, k + 1] - t[k, k]
        size = sqrt(abs(first) ** 2 + abs(second) ** 2)
        size = where(behind, size, 1.0)
        c, s = where(behind, first / size, 1.0), where(behind, second / size, 0.0)
        turn = stack([stack([c, -s.conj()]), stack([s, c.conj()])]).astype(t.dtype)
        rows = matmul(turn.conj().T, t[pair])
        t = t[pair].set(rows)
        t = t[:, pair].set(matmul(t[:, pair], turn))
        z = z[:, pair].set(matmul(z[:, pair], turn))
        here, next_ = where(behind, True, chosen[k]), where(behind, False, chosen[k + 1])
        return t, z, chosen[pair].set(stack([here, next_]))

    def sweep(_: Any, state: Any) -> Any:
        return fori_loop(0, n - 1, swapped, state)

    t, z, _ = fori_loop(0, n, sweep, (t, z, chosen))
    return triu(t), z, sum(chosen.astype("int64"))
