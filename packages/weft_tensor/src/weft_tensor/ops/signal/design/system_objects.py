"""Linear systems as objects: polynomials, zeros and poles, or matrices, with methods."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Self

import numpy as np

from weft_graph.extend import called
from weft_tensor.build.convert import as_floating, as_tensor
from weft_tensor.build.of_numbers import known_value
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.linalg.eig import eigvals
from weft_tensor.ops.signal.design import sampled, systems
from weft_tensor.ops.signal.design.forms import ss2tf, tf2ss, zpk2ss
from weft_tensor.ops.signal.design.numbers import ss2zpk
from weft_tensor.ops.signal.design.roots import tf2zpk, zpk2tf

__all__ = ["LinearSystem", "StateSpace", "TransferFunction", "ZerosPolesGain", "dlti", "lti"]

_NONE: Final = 1e-14
"""Coefficients in front that are no larger, over the first of the denominator, are left out."""


class LinearSystem(Sequence[Any]):
    """A linear system in time, or in steps of `dt`, in one of three forms.

    It is the sequence of its parts, with `dt` at the end if there is one: functions take it in the
    place of a tuple. It is a structure, too, as compiled functions take and return: what is known
    in it is an array, the rest are variables. Methods have the arguments of the functions that they
    call, after the system.
    """

    dt: Any

    @property
    @abstractmethod
    def parts(self) -> tuple[Any, ...]:
        """What it consists of, without `dt`."""

    def __len__(self) -> int:
        return len(self.parts) + (self.dt is not None)

    def __getitem__(self, key: Any) -> Any:
        return (*self.parts, *([] if self.dt is None else [self.dt]))[key]

    @property
    def zeros(self) -> TensorVariable:
        """Where its factor is 0."""
        return as_tensor(self.to_zpk().z)

    @property
    def poles(self) -> TensorVariable:
        """Where its factor is infinite."""
        return as_tensor(self.to_zpk().p)

    def impulse(self, *args: Any, **names: Any) -> Any:
        """The answer to an impulse: `impulse`, or in steps `dimpulse`."""
        return (systems.impulse if self.dt is None else sampled.dimpulse)(self, *args, **names)

    def step(self, *args: Any, **names: Any) -> Any:
        """The answer to ones: `step`, or in steps `dstep`."""
        return (systems.step if self.dt is None else sampled.dstep)(self, *args, **names)

    def output(self, *args: Any, **names: Any) -> Any:
        """What it makes of inputs: `lsim`, or in steps `dlsim`."""
        return (systems.lsim if self.dt is None else systems.dlsim)(self, *args, **names)

    def freqresp(self, *args: Any, **names: Any) -> Any:
        """The complex factor at frequencies: `freqresp`, or in steps `dfreqresp`."""
        return (systems.freqresp if self.dt is None else sampled.dfreqresp)(self, *args, **names)

    def bode(self, *args: Any, **names: Any) -> Any:
        """Decibels and degrees at frequencies: `bode`, or in steps `dbode`."""
        return (systems.bode if self.dt is None else sampled.dbode)(self, *args, **names)

    def to_discrete(
        self, dt: TensorLike, method: str = "zoh", alpha: TensorLike | None = None
    ) -> Self:
        """The system in steps of `dt`, in the same form: `cont2discrete`."""
        *parts, step = systems.cont2discrete(self, dt, method, alpha)
        kind: Any = type(self)
        made: Self = kind(*parts, dt=step)
        return made

    def to_tf(self) -> TransferFunction:
        """The system as polynomials: by `ss2tf`, `zpk2tf`."""
        change = {3: zpk2tf, 4: ss2tf}.get(len(self.parts))
        return TransferFunction(*self._by(change), dt=self.dt)

    def to_zpk(self) -> ZerosPolesGain:
        """The system as zeros, poles and a factor: by `tf2zpk`, `ss2zpk`.

        How many zeros matrices have depends on values: they must be known.
        """
        change = {2: tf2zpk, 4: ss2zpk}.get(len(self.parts))
        return ZerosPolesGain(*self._by(change), dt=self.dt)

    def to_ss(self) -> StateSpace:
        """The system as matrices: by `tf2ss`, `zpk2ss`."""
        change = {2: tf2ss, 3: zpk2ss}.get(len(self.parts))
        return StateSpace(*self._by(change), dt=self.dt)

    def _by(self, change: Any) -> tuple[Any, ...]:
        parts: tuple[Any, ...] = self.parts if change is None else change(*self.parts)
        return parts


def _known(part: TensorLike) -> Any:
    v = as_floating(part)
    known = known_value(v)
    return v if known is None else known


def _kept(system: Any, rank: int, *names: str) -> None:
    """Parts of a rank or more: arrays where they are known, else tensors."""
    for name in names:
        part = _known(getattr(system, name))
        while part.ndim < rank:
            part = part[None]
        object.__setattr__(system, name, part)
    if system.dt is not None:
        object.__setattr__(
            system, "dt", _known(float(system.dt) if system.dt is True else system.dt)
        )


def _normalized(num: Any, den: Any) -> tuple[Any, Any]:
    """Polynomials; if known, without zeros in front, over the first of the second."""
    rows: Any = num.shape if isinstance(num, np.ndarray) else num.type.shape
    num = num[0] if rows[:-1] == (1,) else num
    if not (isinstance(num, np.ndarray) and isinstance(den, np.ndarray)):
        return num, den
    den = np.trim_zeros(den, "f")
    if not den.size:
        raise ValueError(f"TransferFunction: the denominator is 0{called()}")
    num = num / den[0]
    counted = np.flatnonzero((abs(num) > _NONE).reshape(-1, num.shape[-1]).any(0))
    return num[..., counted[0] if counted.size else -1 :], den / den[0]


@dataclass(frozen=True, eq=False)
class TransferFunction(LinearSystem):
    """A linear system by polynomials, in time, or in steps of `dt`.

    `num` may have a row for each output. Where all coefficients are known, zeros in front are left
    out and the first of `den` is made 1, as SciPy has it; variables stay as they are. See
    `scipy.signal.TransferFunction`. Raises ValueError for a denominator of zeros.

    >>> system = TransferFunction([2.0], [2.0, 2.0])
    >>> system.num, system.poles.eval().real, system.step(T=[0.0, 1.0])[1][1].eval().round(4)
    (array([1.]), array([-1.]), array([0.6321]))
    >>> [v.round(4).tolist() for v in system.to_discrete(0.5).parts]
    [[0.3935], [1.0, -0.6065]]
    """

    num: Any
    den: Any
    dt: Any = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        _kept(self, 1, "num", "den")
        for name, v in zip(("num", "den"), _normalized(self.num, self.den), strict=True):
            object.__setattr__(self, name, v)

    @property
    def parts(self) -> tuple[Any, Any]:
        """The polynomials."""
        return self.num, self.den


@dataclass(frozen=True, eq=False)
class ZerosPolesGain(LinearSystem):
    """A linear system by zeros, poles and a factor, in time, or in steps of `dt`.

    They are `z`, `p` and `k`, or `zeros`, `poles` and `gain`. See `scipy.signal.ZerosPolesGain`.

    >>> system = ZerosPolesGain([], [-1.0], 1.0)
    >>> system.to_tf().den, system.freqresp([0.0, 1.0])[1].eval()
    (array([1., 1.]), array([1. +0.j , 0.5-0.5j]))
    """

    z: Any
    p: Any
    k: Any
    dt: Any = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        _kept(self, 1, "z", "p")
        _kept(self, 0, "k")

    @property
    def parts(self) -> tuple[Any, Any, Any]:
        """Zeros, poles and the factor."""
        return self.z, self.p, self.k

    @property
    def gain(self) -> Any:
        """The factor."""
        return self.k


@dataclass(frozen=True, eq=False)
class StateSpace(LinearSystem):
    """A linear system by matrices, x' = A x + B u, y = C x + D u, in time, or in steps of `dt`.

    See `scipy.signal.StateSpace`.

    >>> system = StateSpace([[0.0, 1.0], [-2.0, -3.0]], [[0.0], [1.0]], [[1.0, 0.0]], 0.0)
    >>> system.poles.eval().real, system.to_tf().num
    (array([-1., -2.]), array([1.]))
    >>> system.to_discrete(0.1, "bilinear").output([1.0, 1.0])[1].eval().round(4).ravel()
    array([0.0022, 0.0102])
    """

    A: Any
    B: Any
    C: Any
    D: Any
    dt: Any = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        _kept(self, 2, "A", "B", "C", "D")

    @property
    def parts(self) -> tuple[Any, Any, Any, Any]:
        """The matrices."""
        return self.A, self.B, self.C, self.D

    @property
    def poles(self) -> TensorVariable:
        """The eigenvalues of `A`."""
        return eigvals(self.A)


_FORMS: Final[dict[int, Any]] = {2: TransferFunction, 3: ZerosPolesGain, 4: StateSpace}


def lti(*system: TensorLike) -> LinearSystem:
    """A linear system in time: of (num, den), (z, p, k), or (A, B, C, D). See `scipy.signal.lti`.

    Raises ValueError for another number of parts.

    >>> lti([1.0], [1.0, 2.0]).poles.eval().real
    array([-2.])
    """
    return _form("lti", system, None)


def dlti(*system: TensorLike, dt: TensorLike = True) -> LinearSystem:
    """A linear system in steps of `dt`, by default 1: as `lti`. See `scipy.signal.dlti`.

    >>> dlti([1.0], [1.0, -0.5], dt=0.1).impulse(n=4)[1][0].eval().ravel()
    array([0.  , 1.  , 0.5 , 0.25])
    """
    return _form("dlti", system, dt)


def _form(name: str, system: tuple[TensorLike, ...], dt: TensorLike | None) -> LinearSystem:
    if len(system) not in _FORMS:
        raise ValueError(
            f"{name} takes (num, den), (z, p, k) or (A, B, C, D), not {len(system)} parts{called()}"
        )
    made: LinearSystem = _FORMS[len(system)](*system, dt=dt)
    return made
