"""One step of a Rosenbrock method, for equations that are stiff."""

from __future__ import annotations

from typing import Any

from weft_tensor.build.lazy_import import lazy_import
from weft_tensor.ops.creation.creation import eye, zeros_like
from weft_tensor.ops.elementwise.arithmetic import abs as absolute
from weft_tensor.ops.elementwise.arithmetic import maximum
from weft_tensor.ops.integrate.runge_kutta import Field, Method, Step, between, combination
from weft_tensor.ops.linalg.solve import solve
from weft_tensor.ops.shape.concatenate import stack
from weft_tensor.ops.shape.length import lengths_of

__all__ = ["RODAS"]

# Hairer and Wanner, Solving Ordinary Differential Equations II (1996), IV.7 and IV.10: RODAS, of
# fourth order, stiffly accurate. The weights are of what each stage solves for, u, as in (7.25).
_GAMMA = 0.25
_NODES = (0.0, 0.386, 0.21, 0.63, 1.0, 1.0)
_BY_TIME = (0.25, -0.1043, 0.1035, -0.0362, 0.0, 0.0)
_STATES = (
    (),
    (1.544,),
    (0.9466785280815826, 0.2557011698983284),
    (3.314825187068521, 2.896124015972201, 0.9986419139977817),
    (1.221224509226641, 6.019134481288629, 12.53708332932087, -0.6878860361058950),
    (1.221224509226641, 6.019134481288629, 12.53708332932087, -0.6878860361058950, 1.0),
)
_RATES = (
    (),
    (-5.6688,),
    (-2.430093356833875, -0.2063599157091915),
    (-0.1073529058151375, -9.594562251023355, -20.47028614809616),
    (7.496443313967647, -10.24680431464352, -33.99990352819905, 11.70890893206160),
    (
        *(8.083246795921522, -7.981132988064893, -31.52159432874371),
        *(16.31930543123136, -6.058818238834054),
    ),
)
_BEND = (
    *(10.12623508344586, -7.487995877610167, -34.80091861555747),
    *(-7.992771707568823, 1.025137723295662),
)
_TURN = (
    *(-0.6762803392801253, 6.087714651680015, 16.43084320892478),
    *(24.76722511418386, -6.594389125716872),
)


def _step(field: Field, y: Any, t: Any, h: Any, rate: Any) -> Step:
    """Six stages, each the solution of a system with one matrix: 1 less h gamma times the Jacobian.

    For that, the field is differentiated where the step begins, by the state and by the time; the
    rate at the end is not needed, and that at the begin is returned in its place. Of what is very
    stiff, the ends of steps of any width are right, which hides from the error how the way between
    bends. So that counts as well: by how much the curve in the middle goes against the field, as a
    step would mend it.
    """
    jacobian = lazy_import("weft_tensor.batching.derivatives.jacobian")
    state, now = y, field(y, t)
    slopes = jacobian(now, y, "forward", disconnected_inputs="ignore")
    drift = jacobian(now, t, "forward", disconnected_inputs="ignore")
    part = h * _GAMMA  # both sides are times this, so that a step may have no width
    matrix = eye(lengths_of(y)[0], dtype=y.dtype) - part * slopes
    moves: list[Any] = []
    for node, by_time, states, rates in zip(_NODES, _BY_TIME, _STATES, _RATES, strict=True):
        if moves:
            state = y + combination(states, moves)
            now = field(state, t + node * h)
        gain = part * (now + (h * by_time) * drift if by_time else now)
        gain = gain + _GAMMA * combination(rates, moves) if moves else gain
        moves.append(solve(matrix, gain))
    after, error = state + moves[-1], moves[-1]
    bend, turn = combination(_BEND, moves), combination(_TURN, moves)
    curves = [bend, turn, zeros_like(bend)]
    middle = field(between(y, after, curves, 0.5), t + 0.5 * h)
    lack = solve(matrix, part * middle - _GAMMA * (after - y + 0.25 * turn))
    return Step(after, maximum(absolute(error), absolute(lack)), stack(curves), rate)


RODAS = Method(_step, 4)
"""Rodas, which keeps its width where a solution is smooth, however fast others would decay."""
