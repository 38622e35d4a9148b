"""Ops that few graphs have: values as PyTensor's, and both of its derivatives where it has them."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytensor
import pytensor.tensor as pt
import pytest
from pytensor.breakpoint import PdbBreakpoint
from pytensor.tensor import fft, fourier, optimize
from pytensor.tensor.basic import permute_row_elements
from pytensor.tensor.extra_ops import bartlett, fill_diagonal_offset
from pytensor.tensor.random import basic as random
from pytensor.tensor.random.op import default_rng
from pytensor.tensor.signal import convolve1d, convolve2d

from weft_graph import FunctionGraph, rewrite_graph
from weft_graph.extend import Loop
from weft_pytensor import NoConverterWarning, from_pytensor

pytestmark = [
    pytest.mark.filterwarnings("default"),  # PyTensor's own
    pytest.mark.filterwarnings("error::weft_pytensor.NoConverterWarning"),
]
MODES = ["WEFT", "WEFT_JAX", "WEFT_PY"]
x, y, n = pt.dvector("x"), pt.dvector("y"), pt.lscalar("n")
m, w, k = pt.dmatrix("m"), pt.dmatrix("w"), pt.lmatrix("k")
VALUES = {
    x: np.array([0.3, 2.5, 0.8, 1.2, 7.0]),
    y: np.array([0.7, 1.5, 0.2]),
    n: np.array(2),
    m: np.array([[1.0, 0.2, 0.4], [0.3, 2.0, -0.5], [0.7, 0.1, -1.5], [2.0, 0.4, 0.9]]),
    w: np.array([[3.0, 0.2], [0.7, -2.0]]),
    k: np.array([[1, 0, 2], [2, 0, 1], [0, 1, 2], [1, 2, 0]]),
}


def _linalg(name: str) -> Any:
    """From where it is in this version."""
    for module in ("slinalg", "nlinalg", "linalg", "_linalg.solve", "linalg.solvers.tridiagonal"):
        for end in ("", ".tridiagonal"):
            try:
                found = importlib.import_module(f"pytensor.tensor.{module}{end}")
            except ImportError:
                continue
            if hasattr(found, name):
                return getattr(found, name)
    raise AttributeError(name)


def _complex() -> Any:
    return pt.complex(y - 1, y)


def _tridiagonal(transposed: bool, b: Any) -> Any:
    whole = pt.diag(x) + pt.diag(x[1:] ** 2, -1) + pt.diag(x[:-1] - 3, 1)
    parts = _linalg("tridiagonal_lu_factor")(whole)
    solve = _linalg("tridiagonal_lu_solve")
    return [*parts, solve(parts, b, b_ndim=b.ndim, transposed=transposed)]


CASES: dict[str, tuple[Callable[[], Any], list[Any]]] = {
    "gammainc": (lambda: pt.gammainc(x, x[::-1] * 3), [x]),
    "gammaincc": (lambda: pt.gammaincc(x, x[:, None] * 3), [x]),
    "betainc": (lambda: pt.betainc(x, x[::-1], y[:, None] / 2), [x, y]),
    "hyp2f1": (lambda: pt.hyp2f1(x[0], x, x + 0.5, 0.4), [x]),
    "parts of complex numbers": (lambda: [pt.imag(_complex()), pt.angle(_complex())], []),
    "polygamma": (lambda: pt.tri_gamma(x), [x]),
    "polygamma, orders": (lambda: pt.polygamma(k[:3, 0], y), [y]),
    "choose": (lambda: pt.choose(k, [m, 2 * m, m**2]), []),
    "pad": (lambda: pt.pad(m, ((1, 2), (0, 1)), mode="linear_ramp"), [m]),
    "pinv, stacks": (lambda: _linalg("pinv")(pt.stack([w, 2 * w])), [w]),
    "eigvalsh": (lambda: _linalg("eigvalsh")(w + w.T, w @ w.T), [w]),
    "qr, pivoting": (lambda: [abs(v) for v in _linalg("qr")(m.T, pivoting=True)], []),
    "qr, pivoting, r": (lambda: [abs(v) for v in _linalg("qr")(m, "r", pivoting=True)], []),
    "qr, r": (lambda: abs(_linalg("qr")(pt.stack([m, 2 * m]), "r")), []),
    "solve, tridiagonal": (lambda: _linalg("solve")(m[1:], m[:3], assume_a="tridiagonal"), [m]),
    "rfft": (lambda: fft.rfft(m), [m]),
    "rfft, ortho": (lambda: fft.rfft(m[None], norm="ortho"), [m]),
    "irfft": (lambda: fft.irfft(pt.stack([m, 2 * m], axis=-1)), [m]),
    "irfft, odd": (lambda: fft.irfft(pt.stack([m, 2 * m], axis=-1), is_odd=True), [m]),
    "fourier": (lambda: pt.real(fourier.fft(m, 4, 1)), []),
    "fourier, cut": (lambda: pt.imag(fourier.fft(m, 2, 0)), []),
    **{
        f"convolve1d, {how}": (partial(convolve1d, x, y, mode=how), [x, y])
        for how in ("full", "valid", "same")
    },
    "convolve1d, longer second": (lambda: convolve1d(y, x, mode="valid"), [x, y]),
    "convolve1d, rows": (lambda: convolve1d(m, y[:2], mode="full"), [m, y]),
    **{
        f"convolve2d, {how}": (partial(convolve2d, m, w, mode=how), [m, w])
        for how in ("full", "valid", "same")
    },
    "bartlett": (lambda: bartlett(n + 3), []),
    "fill_diagonal_offset": (lambda: fill_diagonal_offset(m, y[0], n), [m, y]),
    "fill_diagonal_offset, below": (lambda: fill_diagonal_offset(m, y[0], -n), [m, y]),
    "permuted rows": (lambda: permute_row_elements(m, k), [m]),
    "permuted back": (lambda: permute_row_elements(m, k, inverse=True), [m]),
    "permuted, broadcast": (lambda: permute_row_elements(y, k), [y]),
    "schur": (lambda: list(_linalg("schur")(w)), []),
    "schur, complex": (lambda: abs(_linalg("schur")(w, output="complex")[0]), []),
    "sylvester": (lambda: _linalg("solve_sylvester")(w, w + 9, m[:2, :2]), [w, m]),
    "sylvester, stacks": (lambda: _linalg("solve_sylvester")(w, w[None] + 9, m[:2, :2]), [w, m]),
    "riccati": (lambda: _linalg("solve_discrete_are")(w, m[:2, :2], pt.eye(2), w @ w.T), []),
    "lstsq": (lambda: list(_linalg("lstsq")(m, m**2, 1e-9)), []),
    "lstsq, too few rows": (lambda: list(_linalg("lstsq")(w, m[:2], 1e-9)), []),
    "tensorinv": (lambda: _linalg("tensorinv")(w.reshape((1, 2, 2)), 2), []),
    "tensorsolve": (lambda: _linalg("tensorsolve")(w.reshape((1, 2, 1, 2)), m[:1, :2]), []),
    "tridiagonal": (lambda: _tridiagonal(False, x), []),
    "tridiagonal, transposed": (lambda: _tridiagonal(True, pt.stack([x, x**2], axis=1)), []),
}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", CASES)
def test_same_as_pytensor(name: str, mode: str) -> None:
    make, wrt = CASES[name]
    made = make()
    outputs = list(made) if isinstance(made, list | tuple) else [made]
    if wrt:
        total = sum((v**2).sum() for v in outputs)
        outputs += pytensor.grad(total, wrt)
    options: dict[str, Any] = {"on_unused_input": "ignore"}
    theirs = pytensor.function(list(VALUES), outputs, mode="FAST_COMPILE", **options)
    ours = pytensor.function(list(VALUES), outputs, mode=mode, **options)
    values = list(VALUES.values())
    for one, other in zip(theirs(*values), ours(*values), strict=True):
        assert one.dtype == other.dtype
        np.testing.assert_allclose(other, one, rtol=1e-7, atol=1e-10)


@pytest.mark.parametrize("mode", MODES)
def test_each_element_once(mode: str) -> None:
    rng = pytensor.shared(np.random.default_rng(3))
    draws = [
        random.permutation(x, rng=rng),
        random.permutation(5, rng=rng),
        random.choice(x, size=4, replace=False, rng=rng),
        random.choice(7, size=(2, 3), replace=False, rng=rng),
        random.choice(x, size=2, replace=False, p=x / x.sum(), rng=rng),
    ]
    pools = [*(VALUES[x], np.arange(5)), *(VALUES[x], np.arange(7), VALUES[x])]
    for draw, pool in zip(draws, pools, strict=True):
        f = pytensor.function([x], draw, mode=mode, on_unused_input="ignore")
        found = f(VALUES[x])
        assert len(np.unique(found)) == found.size
        assert np.isin(found, pool).all()
    rows = pytensor.function([m], random.permutation(m, rng=rng), mode=mode)(VALUES[m])
    np.testing.assert_array_equal(np.sort(rows[:, 0]), np.sort(VALUES[m][:, 0]))


@pytest.mark.parametrize("mode", MODES)
def test_zero_times_a_logarithm(mode: str) -> None:
    """0, as in PyTensor, whose newest version has no such Ops."""
    xlogx = pytest.importorskip("pytensor.tensor.xlogx", reason="PyTensor 3 has none")
    f = pytensor.function([x, y], [xlogx.xlogx(x), xlogx.xlogy0(x, y)], mode=mode)
    one, two = f([0.0, 0.5, 2.0], [0.0, 0.7, 1.5])
    np.testing.assert_allclose(one, [0.0, 0.5 * np.log(0.5), 2 * np.log(2.0)])
    np.testing.assert_allclose(two, [0.0, 0.5 * np.log(0.7), 2 * np.log(1.5)])


@pytest.mark.parametrize("mode", MODES)
def test_seeds(mode: str) -> None:
    draw = random.normal(rng=default_rng(n), size=3)
    f = pytensor.function([n], draw, mode=mode)
    np.testing.assert_array_equal(f(3), f(3))
    assert (f(3) != f(4)).all()


@pytest.mark.parametrize("mode", MODES)
def test_stops_in_the_debugger(mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONBREAKPOINT", "0")
    first, second = PdbBreakpoint("two")(x.sum() > 1, x, 2 * x)
    f = pytensor.function([x], [second, pytensor.grad((first * second).sum(), x)], mode=mode)
    np.testing.assert_allclose(f(VALUES[x]), [2 * VALUES[x], 4 * VALUES[x]])


@pytest.mark.parametrize("mode", MODES)
def test_searches_on_the_host(mode: str) -> None:
    """SciPy's, whose derivatives are PyTensor's graphs, and so compiled."""
    a, s, v = pt.dscalar("a"), pt.dscalar("s"), pt.dvector("v")
    least, _ = optimize.minimize(((v - a) ** 2).sum(), v)
    root, _ = optimize.root(v**2 - a, v)
    scalar, _ = optimize.root_scalar(s**2 - a, s, method="newton", jac=True)
    outputs = [least, root, scalar, *[pytensor.grad(r.sum(), a) for r in (least, root, scalar)]]
    with pytest.warns(NoConverterWarning, match=r"(?s)Op\(method"):
        f = pytensor.function([a, s, v], outputs, mode=mode)
    found = f(4.0, 1.0, [1.0, 3.0])
    expected: list[Any] = [[4.0, 4.0], [2.0, 2.0], 2.0, 2.0, 0.5, 0.25]
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5)


def test_what_stays_on_the_host() -> None:
    """Orders that Weft's Schur form does not have."""
    t, _ = _linalg("schur")(w, sort="lhp")
    with pytest.warns(NoConverterWarning, match="Schur"):
        f = pytensor.function([w], t, mode="WEFT")
    assert f(VALUES[w])[0, 0] < 0


@pytest.mark.parametrize("mode", ["WEFT_PY", "WEFT"])
def test_slopes_of_betainc_where_both_parameters_are_one(mode: str) -> None:
    """As in the distribution function of Student's t."""
    a, z = pt.dscalars("a", "z")
    slope = pytensor.grad(pt.betainc(a, a, z), a)
    ours, theirs = (pytensor.function([a, z], slope, mode=m) for m in (mode, "FAST_COMPILE"))
    for share in (0.05, 0.5, 0.8):
        np.testing.assert_allclose(ours(1.3, share), theirs(1.3, share), rtol=1e-9, atol=1e-12)


def test_slopes_of_betainc_are_rows() -> None:
    """Those that PyTensor writes as loops, in both branches: two calls of one row are left."""
    a, b, z = pt.dvectors("a", "b", "z")
    graph = from_pytensor(pytensor.grad(pt.betainc(a, b, z).sum(), [a, b]), [a, b, z])
    nodes = rewrite_graph(FunctionGraph(graph.inputs, graph.outputs)).nodes
    names = [getattr(v.op, "name", "") for v in nodes]
    assert names.count("betainc_slope") == 2
    assert not any(isinstance(v.op, Loop) for v in nodes)
