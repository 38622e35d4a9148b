"""PyMC's own Ops."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytensor.tensor as pt
from pytensor.graph.op import Op
from scipy.interpolate import PPoly

import weft_tensor as wt
from weft_pytensor.convert.graphs import converted
from weft_pytensor.convert.table import register_names
from weft_tensor import TensorVariable, clone_replace


@register_names("SplineWrapper")
def spline(op: Op, x: TensorVariable) -> TensorVariable:
    """The polynomial of the piece that a number is in."""
    pieces = PPoly.from_spline(op.spline._eval_args)
    knots = np.unique(pieces.x)
    first, last = knots[0], knots[-1]
    # Pieces without length, at the ends of the spline's knots, are left out.
    coefficients = pieces.c[:, np.searchsorted(pieces.x, knots[:-1], side="right") - 1]
    beyond = op.spline.ext
    if beyond in (2, "raise"):
        return NotImplemented
    inside = wt.clip(x, first, last) if beyond in (3, "const") else x
    place = wt.clip(wt.searchsorted(knots, inside, side="right") - 1, 0, len(knots) - 2)
    step = inside - wt.constant(knots)[place]
    value = wt.zeros_like(step)
    for row in coefficients:
        value = value * step + wt.constant(row)[place]
    if beyond in (1, "zeros"):
        value = wt.where(wt.logical_or(x < first, x > last), 0.0, value)
    return value


@register_names("PosDefMatrix")
def is_positive_definite(op: Op, x: TensorVariable) -> TensorVariable:
    """Whether all eigenvalues are positive."""
    return wt.all(wt.linalg.eigvalsh(x) > 0)


@register_names("LogDet")
def log_determinant(op: Op, x: TensorVariable) -> TensorVariable:
    """The logarithm of the absolute value."""
    return wt.linalg.slogdet(x)[1]


@register_names("BatchedDiag")
def batched_diagonal(op: Op, x: TensorVariable) -> TensorVariable:
    """Matrices whose diagonals are the rows."""
    return wt.where(wt.eye(x.shape[-1], dtype="bool"), wt.expand_dims(x, 1), 0)


@register_names("MinibatchRandomVariable")
def minibatch(op: Op, x: TensorVariable, *sizes: TensorVariable | None) -> TensorVariable:
    """Draws of a part of the data; what the sizes say counts for densities alone."""
    return x


@register_names("DifferentialEquation")
def differential_equation(op: Op, start: TensorVariable, theta: TensorVariable) -> Any:
    """The states at the times, by steps of Weft's, and their slopes in the start and in theta."""
    state, time = pt.vector("y", dtype="float64", shape=(op.n_states,)), pt.dscalar("t")
    parameters = pt.dvector("theta")
    rates = op.func(state, time, parameters)
    rate = pt.stack(rates, axis=0) if isinstance(rates, (list, tuple)) else pt.atleast_1d(rates)

    def slope(y: TensorVariable, t: TensorVariable, p: TensorVariable) -> TensorVariable:
        return converted([rate], {state: y, time: t, parameters: p})[0]

    y0, p = wt.vector("y0", shape=(op.n_states,)), wt.vector("theta", shape=(op.n_theta,))
    times = np.array([op.t0, *op.times], "float64")
    states = wt.integrate.odeint(slope, y0, times, (p,), method="LSODA")[1:]
    by = wt.jacobian(states, [y0, p], "forward", disconnected_inputs="ignore")
    results = [states, wt.concatenate(by, axis=-1)]
    return clone_replace(results, {y0: start.astype("float64"), p: theta.astype("float64")})
