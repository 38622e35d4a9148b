"""Linear equations between neighbours in a ring, as of differences along a line with conditions
at its ends."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from weft_tensor.build.lazy_import import lazy_import
from weft_tensor.build.variable import TensorVariable
from weft_tensor.ops.control.loops import scan
from weft_tensor.ops.creation.creation import arange, eye, zeros_like
from weft_tensor.ops.elementwise.comparison import where
from weft_tensor.ops.implicit.linear_systems import custom_linear_solve
from weft_tensor.ops.indexing.index import index
from weft_tensor.ops.linalg.qr import qr
from weft_tensor.ops.linalg.solve import solve_triangular
from weft_tensor.ops.linalg.square import on_diagonal
from weft_tensor.ops.shape.concatenate import concatenate, stack
from weft_tensor.ops.shape.length import lengths_of
from weft_tensor.ops.shape.rearrange import roll
from weft_tensor.ops.shape.reshape import reshape

__all__ = ["Ring", "ring_solution"]

Linear = Callable[[TensorVariable], TensorVariable]


class Ring(NamedTuple):
    """Equations `own[i] @ z[i] + after[i] @ z[i + 1] = y[i]`, where the first follows the last."""

    own: Any
    after: Any

    @classmethod
    def of(cls, linear: Linear, y: TensorVariable) -> Ring:
        """The matrices of a function that is such a ring's left side, of which `y` has the shape.

        Every second element is moved at once, and by itself the last: no equation has two of the
        elements that are moved.
        """
        n, size = lengths_of(y)
        place = arange(n)
        colour = where(place.eq(n - 1), 2, place % 2)
        chosen = arange(3).expand_dims((1, 2, 3)).eq(colour.expand_dims((0, 1, 3)))
        ways = where(chosen, eye(size).astype(y.dtype).expand_dims((0, 2)), 0)
        ways = reshape(ways, (3 * size, n, size))
        moved = lazy_import("weft_tensor.batching.functions.vmap")(linear)(ways)
        columns = reshape(moved, (3, size, n, size))

        def matrices(colours: TensorVariable) -> TensorVariable:
            return index(columns, (colours, slice(None), place)).swapaxes(-1, -2)

        return cls(matrices(colour), matrices(roll(colour, -1)))

    def factored(self) -> _Factors:
        """By orthogonal matrices that take one element after the other out of two equations.

        That is stable where solutions grow and fall along the line (Wright, Stable parallel
        algorithms for two-point boundary value problems, 1992); of an element's successor alone
        they would not be known.
        """
        none = zeros_like(self.own[0])

        def advance(carry: Any, row: Any) -> Any:
            first, last = carry
            own, after = row
            turn, triangle = qr(concatenate([last, own]), "complete")
            size = lengths_of(own)[0]
            others = concatenate([concatenate([first, none], 1), concatenate([none, after], 1)])
            rest = turn.T @ others
            low, high = index(rest, slice(size, None)), index(rest, slice(None, size))
            ends = (index(low, (slice(None), slice(None, size))), low[:, size:])
            return ends, (turn, _whole(triangle[:size]), high)

        (first, last), (turns, triangles, others) = scan(
            advance, (self.own[0], self.after[0]), (self.own[1:-1], self.after[1:-1])
        )
        ends = concatenate(
            [concatenate([first, last], 1), concatenate([self.after[-1], self.own[-1]], 1)]
        )
        turn, triangle = qr(ends, "complete")
        return _Factors(turns, triangles, others, turn, _whole(triangle))


class _Factors(NamedTuple):
    turns: Any
    triangles: Any
    others: Any
    """What elements depend on: on the first, and on the next."""
    end_turn: Any
    end_triangle: Any

    def solution(self, y: TensorVariable) -> TensorVariable:
        """The z of the right side `y`; not finite where the equations are singular."""
        size = lengths_of(y)[1]

        def ahead(carry: Any, row: Any) -> Any:
            turn, own = row
            turned = turn.T @ concatenate([carry, own])
            return turned[size:], turned[:size]

        rest, sides = scan(ahead, y[0], (self.turns, y[1:-1]))
        ends = solve_triangular(self.end_triangle, self.end_turn.T @ concatenate([rest, y[-1]]))
        first, last = ends[:size], ends[size:]

        def back(after: Any, row: Any) -> Any:
            triangle, other, side = row
            z = solve_triangular(triangle, side - other @ concatenate([first, after]))
            return z, z

        _, between = scan(back, last, (self.triangles, self.others, sides), reverse=True)
        return concatenate([stack([first]), between, stack([last])])


def _whole(triangle: TensorVariable) -> TensorVariable:
    """`triangle`, NaN in place of zeros on its diagonal: a singular one gives no solution."""
    return where(on_diagonal(triangle) & triangle.eq(0), float("nan"), triangle)


def ring_solution(linear: Linear, y: TensorVariable) -> Any:
    """The z with `linear(z) = y`, of which each row depends on a row of z and the next one.

    >>> from weft_tensor import constant
    >>> y = constant([[1.0], [2.0], [4.0]])
    >>> ring_solution(lambda z: z + 2 * roll(z, -1, 0), y).eval().ravel()
    array([ 1.44444444, -0.22222222,  1.11111111])
    """

    def forward(linear: Linear, y: TensorVariable) -> TensorVariable:
        return Ring.of(linear, y).factored().solution(y)

    def transposed(linear: Linear, y: TensorVariable) -> TensorVariable:
        """Rows of the transpose depend on a row and the one before: a ring, if these are moved."""
        moved = forward(lambda z: linear(roll(z, -1, 0)), y)
        return roll(moved, -1, 0)

    return custom_linear_solve(linear, y, forward, transposed)
