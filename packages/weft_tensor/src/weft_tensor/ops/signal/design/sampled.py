"""Linear systems in steps: their answers to impulses and ones, and at frequencies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import pi

import numpy as np

from weft_graph.extend import called
from weft_tensor.build.convert import as_floating
from weft_tensor.build.variable import SizeLike, TensorLike, TensorVariable
from weft_tensor.ops.creation.creation import arange
from weft_tensor.ops.elementwise.exponential import exp
from weft_tensor.ops.shape.length import as_size, lengths_of
from weft_tensor.ops.signal.design.forms import in_steps, matrices_of
from weft_tensor.ops.signal.design.systems import decibels_and_degrees, dlsim, factors_at
from weft_tensor.ops.signal.responses import angles_of

__all__ = ["dbode", "dfreqresp", "dimpulse", "dstep"]

Answers = tuple[TensorVariable, tuple[TensorVariable, ...]]


def dimpulse(
    system: Sequence[TensorLike],
    x0: TensorLike | None = None,
    t: TensorLike | None = None,
    n: SizeLike | None = None,
) -> Answers:
    """The answers of a system in steps to an impulse: the times, and outputs for each input.

    The system is one of `dlsim`, or (z, p, k, dt), and starts from `x0`; there are `n` steps, 100
    by default, or those until the last of the times `t`. Outputs have a row for each step. See
    `scipy.signal.dimpulse`. Raises ValueError for another system, and where it is not known how
    many inputs there are.

    >>> times, (answer,) = dimpulse(([1.0], [1.0, -0.5], 0.1), n=4)
    >>> times.eval().round(1), answer.eval().ravel()
    (array([0. , 0.1, 0.2, 0.3]), array([0.  , 1.  , 0.5 , 0.25]))
    """
    return _answers("dimpulse", system, x0, t, n, lambda step: step < 1)


def dstep(
    system: Sequence[TensorLike],
    x0: TensorLike | None = None,
    t: TensorLike | None = None,
    n: SizeLike | None = None,
) -> Answers:
    """The answers of a system in steps to ones: as `dimpulse`. See `scipy.signal.dstep`.

    >>> dstep(([1.0], [1.0, -0.5], 0.1), n=4)[1][0].eval().ravel()
    array([0.  , 1.  , 1.5 , 1.75])
    """
    return _answers("dstep", system, x0, t, n, lambda step: step >= 0)


def _answers(
    name: str,
    system: Sequence[TensorLike],
    x0: TensorLike | None,
    t: TensorLike | None,
    n: SizeLike | None,
    is_on: Callable[[TensorVariable], TensorVariable],
) -> Answers:
    parts, dt = in_steps(system, name)
    matrices = matrices_of(parts, name)
    inputs = matrices[1].type.shape[1]
    if not isinstance(inputs, int):
        raise ValueError(f"{name}: how many columns has B? Write specify_shape(B, ...){called()}")
    steps = as_size(100 if n is None else n) if t is None else lengths_of(as_floating(t))[0]
    on = is_on(arange(steps)).astype(matrices[0].dtype).expand_dims(1)
    answers = [dlsim((*matrices, dt), on * row, t, x0) for row in np.eye(inputs)]
    return answers[0][0], tuple([outputs for _, outputs, _ in answers])


def dfreqresp(
    system: Sequence[TensorLike],
    w: TensorLike | None = None,
    n: SizeLike = 10_000,
    whole: bool = False,
) -> tuple[TensorVariable, TensorVariable]:
    """The angles `w`, and the complex factor of a system in steps at each.

    The system is one of `dimpulse`, with one input and output. There are `n` angles from 0 to pi,
    or to 2 pi with `whole`, if none are given. See `scipy.signal.dfreqresp`. Raises ValueError for
    another system.

    >>> dfreqresp(([1.0], [1.0, -0.5], 0.1), [0.0, np.pi])[1].eval().round(4)
    array([ 2.    +0.j, -0.6667-0.j])
    """
    parts, _ = in_steps(system, "dfreqresp")
    angles: TensorVariable = angles_of(n if w is None else w, whole, 2 * pi, False)
    return angles, factors_at(parts, exp(1j * angles), "dfreqresp")


def dbode(
    system: Sequence[TensorLike], w: TensorLike | None = None, n: SizeLike = 100
) -> tuple[TensorVariable, TensorVariable, TensorVariable]:
    """The frequencies of angles `w`, and decibels and degrees of the factor at each: `dfreqresp`.

    See `scipy.signal.dbode`.

    >>> [v.eval().round(2).tolist() for v in dbode(([1.0], [1.0, -0.5], 0.1), [0.5, 1.0])]
    [[5.0, 10.0], [4.29, 1.49], [-51.78, -87.26]]
    """
    angles, factors = dfreqresp(system, w, n)
    return angles / in_steps(system, "dbode")[1], *decibels_and_degrees(factors)
