"""Partial fractions, filters from the states that suit both ways, and designs of numbers alone."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest
import scipy.fft
import scipy.signal
from against_scipy import Row, assert_as_on_python, assert_as_scipy, assert_slopes

import weft.tensor as wt
from weft_testing import check_grad

OURS: Any = wt.signal
THEIRS: Any = scipy.signal
RNG: Final = np.random.default_rng(3)


def known(x: Any, n: int) -> Any:
    """Of a length that is known when the graph is built."""
    return x if isinstance(x, np.ndarray) else wt.specify_shape(x, (n,))


def parts(name: str, m: int, n: int, **options: Any) -> Callable[..., Any]:
    """Real poles, whose order is one."""

    def call(module: Any, b: Any, a: Any) -> list[Any]:
        found = getattr(module, name)(known(b, m), known(a, n), **options)
        return [v.real for v in found]

    return call


def and_back(way: str, m: int, n: int) -> Callable[..., Any]:
    """The polynomials again."""

    def call(module: Any, b: Any, a: Any) -> list[Any]:
        found = getattr(module, f"residue{way}")(known(b, m), known(a, n))
        return [v.real for v in getattr(module, f"invres{way}")(*found)]

    return call


def moved(name: str, m: int, n: int, *args: float) -> Callable[..., Any]:
    def call(module: Any, b: Any, a: Any, wo: Any) -> Any:
        return getattr(module, name)(known(b, m), known(a, n), wo, *args)

    return call


def filtered(kind: str, axis: int, irlen: int | None) -> Callable[..., Any]:
    b, a = FILTERS[kind]

    def call(module: Any, x: Any) -> Any:
        if irlen is not None and not isinstance(x, np.ndarray):
            x = wt.specify_shape(x, SIGNAL.shape)
        return module.filtfilt(b, a, x, axis, method="gust", irlen=irlen)

    return call


SIGNAL: Final = RNG.normal(size=(2, 30))
FILTERS: Final = {
    "butter": scipy.signal.butter(2, 0.3),
    "ellip": scipy.signal.ellip(2, 1, 40, [0.2, 0.5], "bandpass"),
    "no feedback": (np.array([0.5, 0.3, 0.2]), np.array([1.0])),
    "no memory": (np.array([2.0]), np.array([4.0])),
}
B, A = np.array([2.0, 3.0, -1.0]), np.poly([-0.3, 0.5, 1.7]) * 2
TWICE, TURNS = np.poly([-0.5, -0.5, 1.2]), np.array([1.0, 0.3, 2.0, 0.1])
LONG: Final = RNG.normal(size=6)
SINGLE: Final = [np.array([0.7, -1.2])]
ROWS: Final = {
    "residue": Row(parts("residue", 3, 4), [[B, A]]),
    "residue of a longer one": Row(parts("residue", 6, 4), [[LONG, A]]),
    "residuez": Row(parts("residuez", 3, 4), [[B, A]]),
    "residuez of a longer one": Row(parts("residuez", 6, 4), [[LONG, A]]),
    "residue of one pole": Row(parts("residue", 2, 2), [[B[:2], A[:2]]]),
    "residue without poles": Row(parts("residue", 2, 1), [[B[:2], A[:1]]]),
    **{
        f"residue{way} of equal poles, {kind}": Row(
            parts(f"residue{way}", 3, 4, tol=1e-2, rtype=kind), [[B, TWICE]], False, 1e-6
        )
        for way in ("", "z")
        for kind in ("avg", "min", "max")
    },
    **{
        f"residue{way} and back": Row(and_back(way, len(b), 4), [[b, TURNS]])
        for way in ("", "z")
        for b in (B, LONG)
    },
    "invres of equal poles": Row(
        lambda m, r, p, k: m.invres(known(r, 4), known(p, 4), known(k, 2)),
        [[RNG.normal(size=4), np.array([0.5, 0.5, 0.5, -1.0]), B[:2]]],
    ),
    "invresz of equal poles": Row(
        lambda m, r, p, k: m.invresz(known(r, 4), known(p, 4), known(k, 2)),
        [[RNG.normal(size=4), np.array([0.5, 2.0, 2.0, -1.0]), B[:2]]],
    ),
    **{
        f"unique_roots, {kind}": Row(
            lambda m, x, kind=kind: m.unique_roots(x, 1e-2, kind),
            [[np.array([1.0, 2.0, 1.005, -1.0, 2.003, 1.012, 5.0])]],
        )
        for kind in ("min", "max", "avg")
    },
    **{
        name: Row(moved(name, 3, 4, *args), [[B, A, np.array(1.7)]])
        for name, args in (("lp2lp", ()), ("lp2hp", ()), ("lp2bp", (0.6,)), ("lp2bs", (0.6,)))
    },
    "lp2hp of more zeros": Row(moved("lp2hp", 4, 3), [[A, B, np.array(1.7)]]),
    "normalize": Row(lambda m, b, a: m.normalize(known(b, 3), known(a, 4)), [[B, A]]),
    **{f"gust, {kind}": Row(filtered(kind, -1, None), [[SIGNAL]]) for kind in FILTERS},
    "gust of few": Row(filtered("butter", -1, 9), [[SIGNAL]]),
    "gust along columns": Row(filtered("butter", 0, None), [[SIGNAL.T.copy()]]),
}


@pytest.mark.parametrize("name", ROWS)
def test_values_and_slopes(name: str) -> None:
    row = ROWS[name]
    assert_as_scipy(OURS, THEIRS, row.call, row.arrays[0], row.tolerance)
    if row.has_slopes:
        assert_slopes(OURS, row)


@pytest.mark.cases(2)
@pytest.mark.parametrize("mode", ["numba", "jax"])
@pytest.mark.parametrize(
    "name",
    [
        "residue of a longer one",
        "residuez of equal poles, avg",
        "invres of equal poles",
        "unique_roots, avg",
        "gust, ellip",
    ],
)
def test_backends(name: str, mode: str) -> None:
    assert_as_on_python(OURS, ROWS[name], mode)


def test_fractions_of_constants_leave_zeros_out() -> None:
    for name, zeros in (("residue", ([0.0, 0.0], [])), ("residuez", ([], [0.0, 0.0]))):
        before, after = (np.array(z) for z in zeros)
        b, a = np.concatenate([before, B, after]), np.concatenate([before, A, after])
        found, wanted = (getattr(m, name)(b, a) for m in (OURS, THEIRS))
        for result, expected in zip(found, wanted, strict=True):
            np.testing.assert_allclose(result.eval(), expected, 1e-9, 1e-9)


ARGUMENTS: Final[dict[str, tuple[Any, ...]]] = {
    "besselap": (3,), "buttap": (3,), "buttord": (0.2, 0.3, 3, 40), "cheb1ap": (3, 1.0),
    "cheb1ord": ([0.1, 0.6], [0.2, 0.5], 3, 40), "cheb2ap": (3, 40.0),
    "cheb2ord": (0.2, 0.3, 3, 40), "check_COLA": ("hann", 8, 4), "check_NOLA": ("hann", 8, 4),
    "closest_STFT_dual_window": (np.hanning(8) + 0.1, 4), "ellipap": (3, 1.0, 40.0),
    "ellipord": (0.2, 0.3, 3, 40), "findfreqs": ([1.0], [1.0, 1.0], 5),
    "firwin_2d": ((3, 5), ("hamming", "hann")), "gammatone": (440, "iir", None, None, 16000),
    "iircomb": (0.25, 5.0), "iirdesign": (0.2, 0.3, 3, 40), "max_len_seq": (4,),
    "remez": (15, [0.0, 0.2, 0.3, 0.5], [1, 0]),
    "ss2zpk": ([[0.5, 1.0], [0.0, 0.2]], [[0.0], [1.0]], [[2.0, 1.0]], [[1.0]]), "tf2sos": (B, A),
    "zpk2sos": ([-1.0, 1j, -1j], [0.5, 0.3 + 0.2j, 0.3 - 0.2j], 2.0),
}  # fmt: skip
OPTIONS: Final = {"firwin_2d": {"fc": 0.4}}


@pytest.mark.parametrize("name", ARGUMENTS)
def test_designs_of_numbers(name: str) -> None:
    """As SciPy makes them; variables are an error that says what has them."""
    arguments, options = ARGUMENTS[name], OPTIONS.get(name, {})
    found, wanted = (getattr(m, name)(*arguments, **options) for m in (OURS, THEIRS))
    for result, expected in zip(
        *[v if isinstance(v, tuple) else (v,) for v in (found, wanted)], strict=True
    ):
        np.testing.assert_array_equal(
            result.eval() if isinstance(result, wt.TensorVariable) else result, expected
        )
    with pytest.raises(TypeError, match=f"{name} takes numbers, and no variables"):
        getattr(OURS, name)(*arguments[:-1], [wt.scalar("x")], **options)


def test_gains_that_move_poles() -> None:
    a, b = np.diag([1.0, 1.0, 1.0], 1) - 0.3, np.eye(4)[:, 1:3]
    poles = [-1.0, -2.0, -0.5 + 1j, -0.5 - 1j]
    found = OURS.place_poles(wt.as_tensor(a), b, poles)
    wanted = THEIRS.place_poles(a, b, poles)
    np.testing.assert_array_equal(found.gain_matrix, wanted.gain_matrix)
    moved = wt.linalg.eigvals(a - b @ found.gain_matrix).eval()
    np.testing.assert_allclose(np.poly(moved), np.poly(poles), atol=1e-7)
    with pytest.raises(TypeError, match="place_poles takes numbers"):
        OURS.place_poles(wt.matrix("a"), b, poles)


def test_known_zeros_in_front() -> None:
    for b in ([0.0, 0.0], [0.0, 2.0, 0.0]):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", THEIRS.BadCoefficients)
            wanted = THEIRS.lp2lp(b, [0.0, 1.0, 2.0], 3.0)
        for found, expected in zip(OURS.lp2lp(b, [0.0, 1.0, 2.0], 3.0), wanted, strict=True):
            np.testing.assert_allclose(found.eval(), expected)
    for refused in (OURS.normalize, OURS.residuez):
        with pytest.raises(ValueError, match="the denominator is 0"):
            refused([1.0], [0.0, 0.0])


WINDOWS: Final[list[tuple[str, tuple[Any, ...], dict[str, Any]]]] = [
    ("chebwin", (7, 60), {}),
    ("chebwin", (8, 60), {"sym": False}),
    ("dpss", (9, 2.5), {}),
    ("dpss", (9, 2.5, 3), {"return_ratios": True}),
    ("taylor", (9,), {"nbar": 3, "sll": 25}),
    ("kaiser_bessel_derived", (8, 3.0), {}),
]


@pytest.mark.parametrize(("name", "arguments", "options"), WINDOWS)
def test_windows(name: str, arguments: Any, options: Any) -> None:
    """As SciPy makes them, by `get_window`, too."""
    found, wanted = (getattr(m.windows, name)(*arguments, **options) for m in (OURS, THEIRS))
    for result, expected in zip(
        *[v if isinstance(v, tuple) else (v,) for v in (found, wanted)], strict=True
    ):
        np.testing.assert_allclose(result.eval(), expected, 1e-12)
    if not options:
        window = (name, *arguments[1:])
        wanted = THEIRS.get_window(window, arguments[0], fftbins=name == "chebwin")
        found = OURS.get_window(window, arguments[0], fftbins=name == "chebwin")
        np.testing.assert_allclose(found.eval(), wanted, 1e-12)


def test_windows_of_variables() -> None:
    """The derived window has slopes in beta; the others are of numbers."""
    n, beta = wt.lscalar("n"), wt.scalar("beta")
    f = wt.function([n, beta], OURS.windows.kaiser_bessel_derived(n, beta))
    np.testing.assert_allclose(f(6, 2.0), THEIRS.windows.kaiser_bessel_derived(6, 2.0), 1e-12)
    with pytest.raises(ValueError, match="M is odd"):
        f(5, 2.0)
    with pytest.raises(ValueError, match="takes an even number"):
        OURS.windows.kaiser_bessel_derived(5, 2.0)
    check_grad(lambda b: OURS.windows.kaiser_bessel_derived(6, b), [np.array(2.0)])
    with pytest.raises(TypeError, match="taylor takes numbers"):
        OURS.windows.taylor(n)


def test_fast_lengths() -> None:
    assert wt.fft.next_fast_len(13) == scipy.fft.next_fast_len(13)
    assert wt.fft.prev_fast_len(13, real=True) == scipy.fft.prev_fast_len(13, real=True)
    with pytest.raises(TypeError, match="next_fast_len takes numbers"):
        wt.fft.next_fast_len(wt.lscalar("n"))


def test_designs_take_what_others_made_of_numbers() -> None:
    order, at = OURS.buttord(0.2, 0.3, 3, 40)
    sections = OURS.tf2sos(*OURS.butter(4, 0.3))
    wanted = scipy.signal.tf2sos(*scipy.signal.butter(4, 0.3))
    found, expected = (scipy.signal.freqz_sos(s, 9)[1] for s in (sections.eval(), wanted))
    np.testing.assert_allclose(found, expected, 1e-9, 1e-12)
    assert OURS.butter(order, at)[0].eval().shape == (order + 1,)


def test_what_is_not_taken_is_an_error() -> None:
    with pytest.raises(ValueError, match="residue takes vectors of known lengths"):
        OURS.residue(wt.vector("b"), A)
    with pytest.raises(ValueError, match="the denominator is 0"):
        OURS.residue(B, [0.0])
    with pytest.raises(ValueError, match="rtype is one of"):
        OURS.residue(B, A, rtype="median")
    with pytest.raises(ValueError, match="invresz: rtype is one of"):
        OURS.invresz([1.0], [0.5], [], rtype="median")
    with pytest.raises(ValueError, match="invres takes a known number of poles"):
        OURS.invres([], [], [])
    with pytest.raises(ValueError, match="unique_roots takes vectors"):
        OURS.unique_roots(np.eye(2))


def test_zeros_at_the_front_of_coefficients() -> None:
    cases: list[Any] = [
        ([0.0, 1.0, 0.5], [1.0, 0.2], ([-0.5], [-0.2], 1.0)),
        ([1.0, 2.0], [0.0, 2.0, 0.5], ([-2.0], [-0.25], 0.5)),
        ([0.0], [1.0, 1.0], ([], [-1.0], 0.0)),
    ]
    for ahead, behind, wanted in cases:
        for one, other in zip(wt.signal.tf2zpk(ahead, behind), wanted, strict=True):
            np.testing.assert_allclose(one.eval(), other)
    b = wt.vector("b")
    factor = wt.function([b], wt.signal.tf2zpk(b, [1.0, 0.2])[2])
    assert factor([2.0, 1.0]) == 2
    with pytest.raises(ValueError, match="the first of the coefficients b must not be 0"):
        factor([0.0, 1.0])


def test_convolutions_of_nothing() -> None:
    ours: Any = wt.signal
    for x, y in (([], [1.0, 2.0]), ([1.0], []), ([], [])):
        for name in ("fftconvolve", "oaconvolve"):
            assert getattr(ours, name)(x, y).eval().shape == (0,)
        for name in ("convolve", "correlate"):
            with pytest.raises(ValueError, match="must not be empty"):
                getattr(ours, name)(x, y)
