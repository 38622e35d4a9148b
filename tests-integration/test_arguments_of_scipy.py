"""Arguments that SciPy's functions take besides the usual ones: the same by the same calls."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final, NamedTuple

import numpy as np
import pytest
import scipy.signal
import scipy.special

import weft.tensor as wt

RNG = np.random.default_rng(1)
ROWS = RNG.normal(size=(3, 24))
WAVES = ROWS + 1j * RNG.normal(size=ROWS.shape)
PLACES, VALUES = np.sort(RNG.normal(size=8))[::-1].copy(), RNG.normal(size=8)
TIMES = 3 + np.arange(24) / 2
SYMMETRIC = scipy.signal.firwin(31, 0.3)


class Call(NamedTuple):
    """A function, as SciPy and Weft call it, of a tensor, and what else it is given."""

    name: str
    of: Any
    more: tuple[Any, ...] = ()
    options: Mapping[str, Any] = MappingProxyType({})

    def __str__(self) -> str:
        return " ".join([self.name, *map(str, self.options)])


CALLS: Final = [
    Call("signal.resample", ROWS, (30,), {"axis": 1, "window": "hann"}),
    Call("signal.resample", ROWS[:, :23], (11, None, 1, ("kaiser", 4.0))),
    Call("signal.resample", WAVES[:, :23], (40,), {"axis": 1, "window": np.linspace(1, 2, 23)}),
    Call("signal.resample", ROWS.T, (30, TIMES)),
    Call("signal.detrend", ROWS, (), {"bp": [5, 12]}),
    Call("signal.detrend", ROWS.T, (0,), {"bp": 7}),
    Call("signal.medfilt", ROWS),
    Call("signal.wiener", ROWS),
    Call("signal.hilbert2", ROWS),
    Call("signal.envelope", ROWS),
    Call("signal.envelope", ROWS.T, ((2, 9),), {"n_out": 16, "residual": "all", "axis": 0}),
    Call("signal.envelope", WAVES[:, :23], ((-5, 4),), {"n_out": 30, "squared": True}),
    Call("signal.envelope", WAVES, ((-9, -2),), {"n_out": 12}),
    Call("signal.envelope", ROWS, ((0, 5),), {"residual": None}),
    Call("signal.envelope", ROWS[:, :23], ((-3, 5),), {"residual": "all"}),
    Call("signal.hilbert2", ROWS.T, ((8, 5),), {"axes": (1, 0)}),
    Call("signal.minimum_phase", SYMMETRIC),
    Call("signal.minimum_phase", SYMMETRIC[1:-1], (), {"n_fft": 201, "half": False}),
    Call("ndimage.zoom", ROWS, (1.5,), {"prefilter": False}),
    Call("ndimage.shift", ROWS, (0.3,), {"prefilter": False, "mode": "mirror"}),
    Call("special.comb", np.array([5.0, 6.0]), (2,), {"repetition": True}),
    Call("special.comb", np.array([0.0, 6.0, -1.0]), (0,), {"repetition": True}),
    Call("special.agm", np.array([0.0, 1.0, np.inf]), (np.inf,)),
    Call("interpolate.griddata", PLACES, (VALUES, np.array([-2.0, 0.1, 0.7]))),
    Call("interpolate.griddata", PLACES, (VALUES, np.array([-0.2, 0.1]), "cubic")),
    Call("interpolate.griddata", ROWS[:2].T, (VALUES[0] * ROWS[2], (0.1, PLACES), "nearest")),
    Call("fft.dctn", ROWS, (2, 20, 1)),
    Call("fft.idctn", ROWS, (1, 4, 0)),
]


@pytest.mark.cases(4)
@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
@pytest.mark.parametrize("call", CALLS, ids=str)
def test_results_are_those_of_scipy(call: Call, mode: str) -> None:
    module, name = call.name.split(".")
    ours: Any = getattr(getattr(wt, module), name)
    theirs: Any = getattr(importlib.import_module(f"scipy.{module}"), name)
    x = wt.tensor("x", str(call.of.dtype), call.of.shape)
    results = wt.function([x], ours(x, *call.more, **call.options), mode=mode)(call.of)
    wanted = theirs(call.of, *call.more, **call.options)
    pairs = zip(results, wanted, strict=True) if isinstance(wanted, tuple) else [(results, wanted)]
    for result, value in pairs:
        assert result.shape == value.shape
        np.testing.assert_allclose(result, value, rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize("fs", [2.0, 200.0])
def test_widths_choose_kaisers_window(fs: float) -> None:
    width, value = wt.scalar("width"), 0.05 * fs
    h = wt.signal.firwin(21, 0.15 * fs, width=width, fs=fs)
    wanted = scipy.signal.firwin(21, 0.15 * fs, width=value, fs=fs)
    np.testing.assert_allclose(h.eval({width: value}), wanted, atol=1e-12)


OURS: Any = wt
ERRORS: Final[dict[str, Callable[[], Any]]] = {
    "method is 'pad' or 'gust'": lambda: OURS.signal.filtfilt([1.0], [1.0], ROWS, method="odd"),
    "with irlen the length": lambda: OURS.signal.filtfilt(
        [1.0, 0.5], [1.0], wt.vector("x"), method="gust", irlen=3
    ),
    "write math.comb": lambda: OURS.special.comb(5, 2, exact=True),
    "envelope: residual is one of": lambda: OURS.signal.envelope(ROWS, residual="high"),
    "envelope: n_out must be positive": lambda: OURS.signal.envelope(ROWS, n_out=0),
    r"bp_in = \(5, 3\)": lambda: OURS.signal.envelope(ROWS, (5, 3)),
    "envelope: the length of z must be": lambda: OURS.signal.envelope(wt.vector("z")),
    "calls nothing between steps": lambda: OURS.optimize.minimize(abs, [1.0], callback=print),
    "root: options are xtol, maxiter": lambda: OURS.optimize.root(abs, [1.0], options={"a": 1}),
    "root: a graph calls nothing": lambda: OURS.optimize.root(abs, [1.0], callback=print),
    "linprog: a graph calls nothing": lambda: OURS.optimize.linprog([1.0], callback=print),
    "linprog looks for no whole numbers": lambda: OURS.optimize.linprog([1.0], integrality=[1]),
    "neighbors is 1 or more": lambda: OURS.interpolate.RBFInterpolator(ROWS.T, ROWS[0], 0),
}


@pytest.mark.parametrize("message", ERRORS)
def test_what_is_not_taken_is_an_error(message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ERRORS[message]()


def test_arguments_in_scipys_order() -> None:
    t = np.arange(6.0)
    y = 3 * np.exp(-0.5 * t)

    def rest(x: Any, t: Any, y: Any) -> Any:
        return x[0] * wt.exp(-x[1] * t) - y

    no_bounds = (-np.inf, np.inf)
    found = OURS.optimize.least_squares(
        rest, [1.0, 1.0], "3-point", no_bounds, "trf", 1e-10, 1e-10, 1e-10, 1.0, "linear", 1.0,
        None, None, {}, None, 50, 0, (t,), {"y": y},
    )  # fmt: skip
    np.testing.assert_allclose(found.x.eval(), [3.0, 0.5], rtol=1e-9)
    short = OURS.optimize.least_squares(rest, [1.0, 1.0], max_nfev=3, args=(t, y), x_scale="jac")
    assert short.nfev.eval() == 3
    assert not short.success.eval()
    rough = OURS.optimize.least_squares(rest, [1.0, 1.0], xtol=0.1, gtol=0.1, args=(t, y))
    assert rough.nfev.eval() < found.nfev.eval()
    root, told = OURS.optimize.brentq(lambda x: x**2 - 2, 0.0, 2.0, full_output=True, disp=False)
    np.testing.assert_allclose([root.eval(), told.root.eval()], np.sqrt(2))
    end = OURS.optimize.minimize(lambda x: (x**2).sum(), [1.0], options={"disp": True})
    np.testing.assert_allclose(end.x.eval(), 0, atol=1e-8)
    for one, other in zip(
        wt.special.roots_jacobi(2, alpha=0.5, beta=0.3),
        scipy.special.roots_jacobi(2, 0.5, 0.3),
        strict=True,
    ):
        np.testing.assert_allclose(one.eval(), other)
    with pytest.raises(TypeError, match="takes n, alpha, beta, got"):
        wt.special.roots_jacobi(2, 0.5, gamma=1.0)
    error = OURS.stats.bootstrap(
        (y,), wt.mean, rng=wt.random.key(0), n_resamples=99, batch=10, vectorized=True
    ).standard_error
    assert 0 < error.eval() < 1


def test_options_and_points() -> None:
    optimize: Any = wt.optimize

    def square(x: Any) -> Any:
        return (x - 2.0) ** 2

    found = optimize.minimize_scalar(square, bounds=(0, 3), options={"xatol": 1e-3, "maxiter": 30})
    np.testing.assert_allclose(found.x.eval(), 2.0, atol=0.1)
    options = {"xtol": 1e-12, "maxiter": 90, "disp": True}
    found = optimize.root_scalar(lambda x: x**2 - 2, bracket=(0.0, 2.0), options=options)
    np.testing.assert_allclose(found.root.eval(), np.sqrt(2))
    found = optimize.root(lambda x: x**2 - 2, [1.0], options={"xtol": 1e-9, "maxfev": 40})
    np.testing.assert_allclose(found.x.eval(), [np.sqrt(2)])
    more: Any = {"options": {"maxiter": 50, "disp": False}, "integrality": [0, 0], "x0": [0.0, 0.0]}
    program = optimize.linprog([1.0, 2.0], A_eq=[[1.0, 1.0]], b_eq=[3.0], **more)
    np.testing.assert_allclose(program.x.eval(), [3.0, 0.0])
    short = optimize.root(lambda x: x**2 - 2, [1.0], options={"maxfev": 1})
    assert not short.success.eval()
    value, error = wt.integrate.quad(lambda x: abs(x - 0.3), 0.0, 1.0, points=[0.3], limit=3)
    np.testing.assert_allclose(value.eval(), 0.29, rtol=1e-14)
    assert error.eval() < 1e-12
    edge = wt.scalar("edge")
    value, _ = wt.integrate.quad(lambda x: abs(x - edge), 0.0, 1.0, points=[edge])
    np.testing.assert_allclose(wt.grad(value, edge).eval({edge: 0.3}), -0.4, rtol=1e-12)
