"""Fourier transforms against NumPy and SciPy, by Python."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.fft

import weft_tensor as wt
from weft_graph import function

RANDOM = np.random.default_rng(21)
ANY: Any = wt.fft
NAMES = ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")
SEVERAL = ("fftn", "ifftn", "rfftn", "irfftn", "fft2", "ifft2", "rfft2", "irfft2")
TOLERANCE = {"float32": 2e-6, "complex64": 2e-6, "float64": 1e-12, "complex128": 1e-12}


def same(made: object, wanted: object) -> bool:
    """Whether it is the same variable, whatever NumPy's types say that it gives."""
    return made is wanted


def drawn(shape: tuple[int, ...], is_complex: bool) -> Any:
    x = RANDOM.normal(size=shape)
    return x + 1j * RANDOM.normal(size=shape) if is_complex else x


def computed(make: Any, x: Any, **known: Any) -> Any:
    v = wt.tensor("x", str(x.dtype), known.get("shape", [None] * x.ndim))
    return function([v], make(v), mode="py")(x)


def compare(actual: Any, expected: Any) -> None:
    assert actual.dtype == expected.dtype
    tolerance = TOLERANCE[str(actual.dtype)]
    np.testing.assert_allclose(actual, expected, rtol=tolerance, atol=tolerance * 20)


def takes_complex(name: str) -> bool:
    return not name.startswith(("rfft", "ihfft"))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("norm", [None, "backward", "ortho", "forward"])
@pytest.mark.parametrize("n", [None, 1, 2, 3, 5, 8])
def test_one_axis_is_as_in_numpy(name: str, norm: Any, n: Any) -> None:
    theirs, ours = getattr(np.fft, name), getattr(wt.fft, name)
    for dtype in ("float32", "float64") + ("complex64", "complex128") * takes_complex(name):
        for axis in (0, -1):
            x = drawn((5, 4), "complex" in dtype).astype(dtype)
            expected = theirs(x, n, axis, norm)
            compare(computed(lambda v, a=axis: ours(v, n, a, norm), x), expected)
            compare(computed(lambda v, a=axis: ours(v, n, a, norm), x, shape=x.shape), expected)


@pytest.mark.parametrize("name", SEVERAL)
def test_several_axes_are_as_in_numpy(name: str) -> None:
    theirs, ours = getattr(np.fft, name), getattr(wt.fft, name)
    cases: list[dict[str, Any]] = [
        {},
        {"norm": "ortho"},
        {"axes": (0, 2)},
        {"axes": (1, 0), "s": (4, 3)},
        {"axes": (1, -1), "s": (-1, 6), "norm": "forward"},
    ]
    for given in cases:
        for is_complex in (False, True)[: 1 + takes_complex(name)]:
            x = drawn((3, 5, 4), is_complex)
            compare(computed(lambda v, g=given: ours(v, **g), x), theirs(x, **given))


@pytest.mark.parametrize("name", ["dct", "idct", "dst", "idst"])
@pytest.mark.parametrize("kind", [1, 2, 3, 4])
@pytest.mark.parametrize("norm", [None, "ortho", "forward"])
def test_cosines_are_as_in_scipy(name: str, kind: int, norm: Any) -> None:
    theirs, ours = getattr(scipy.fft, name), getattr(wt.fft, name)
    for n in (2, 3, 4, 5, 8):
        for orthogonal in (None, True, False):
            given = {"type": kind, "norm": norm, "orthogonalize": orthogonal}
            x = drawn((2, n), False)
            compare(computed(lambda v, g=given: ours(v, **g), x), theirs(x, **given))
    x = drawn((5, 2), True)
    given = {"type": kind, "norm": norm, "axis": 0, "n": 4}
    compare(computed(lambda v: ours(v, **given), x), theirs(x, **given))
    single = x.real.astype("float32")
    compare(computed(lambda v: ours(v, **given), single), theirs(single, **given))


@pytest.mark.parametrize("n", [1, 2, 5, 8])
def test_frequencies_and_shifts_are_as_in_numpy(n: int) -> None:
    size = wt.scalar("n", dtype="int64")
    for name in ("fftfreq", "rfftfreq"):
        f = function([size], getattr(wt.fft, name)(size, 0.25), mode="py")
        np.testing.assert_array_equal(f(n), getattr(np.fft, name)(n, 0.25))
    x = drawn((n, 3, 2), False)
    for name in ("fftshift", "ifftshift"):
        for axes in (None, 1, (0, -1)):
            actual = computed(lambda v, a=axes, m=name: getattr(wt.fft, m)(v, a), x)
            np.testing.assert_array_equal(actual, getattr(np.fft, name)(x, axes))


def test_numpy_s_functions_make_variables() -> None:
    x: Any = wt.vector("x")
    assert same(np.fft.fft(x), wt.fft.fft(x))
    assert same(np.fft.irfft(x, 5), wt.fft.irfft(x, 5))
    assert same(np.fft.fftshift(x), wt.fft.fftshift(x))
    m: Any = wt.matrix("m")
    assert same(np.fft.fft2(m), wt.fft.fft2(m))


def test_names_of_lengths_are_kept() -> None:
    x = wt.tensor("x", "float64", ("m", "n"))
    assert str(wt.fft.fft(x).type) == "complex128[m, n]"
    assert wt.fft.irfft(wt.fft.rfft(x), x.shape[-1]).type == x.type
    assert wt.fft.rfft(x, 6).type.shape[-1] == 4


BAD: list[tuple[Any, type[Exception], str]] = [
    (lambda x: wt.fft.fft(x, 0), ValueError, r"\(0\) specified, in fft\(.*x.*\)"),
    (lambda x: wt.fft.irfft(x, -2), ValueError, r"\(-2\) specified, in irfft\(.*x"),
    (lambda x: ANY.fft(x, 2.5), TypeError, "integer"),
    (lambda x: wt.fft.fft(x, axis=3), np.exceptions.AxisError, "axis 3 .* in fft"),
    (lambda x: wt.fft.fft(x, norm="other"), ValueError, 'other; should be "backward"'),
    (lambda x: wt.fft.rfft(x * 1j), TypeError, "rfft takes real numbers.* in rfft"),
    (lambda x: wt.fft.fftn(x, (2,), (0, 1)), ValueError, "different lengths, in fftn"),
    (lambda x: wt.fft.rfftn(x, axes=()), ValueError, "at least 1 axis"),
    (lambda x: wt.fft.dct(x, 5), ValueError, "type must be 1, 2, 3 or 4, not 5, in dct"),
    (lambda x: wt.fft.dct(x, norm="no"), ValueError, "Invalid norm value 'no'"),
    (
        lambda x: wt.fft.dct(wt.tensor("x", shape=(2, 1)), 1),
        ValueError,
        "DCT-I is not defined for size < 2",
    ),
    (lambda x: ANY.fftfreq(2.5), ValueError, "n should be an integer"),
    (lambda x: wt.fft.fft(wt.tensor("x", shape=(2, 0))), ValueError, r"\(0\) specified"),
]


@pytest.mark.parametrize(("make", "kind", "message"), BAD)
def test_bad_input_is_told(make: Any, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        make(wt.matrix("x"))


def test_no_points_are_told_at_the_call() -> None:
    x, n = wt.vector("x"), wt.scalar("n", dtype="int64")
    with pytest.raises(ValueError, match="data points"):
        function([x], wt.fft.fft(x), mode="py")(np.zeros(0))
    with pytest.raises(ValueError, match="DCT-I is not"):
        function([x], wt.fft.dct(x, 1), mode="py")(np.zeros(1))
    with pytest.raises(ValueError, match="data points"):
        function([x, n], wt.fft.irfft(x, n), mode="py")(np.zeros(3), -3)
    with pytest.raises(ValueError, match="data points"):
        function([x, n], wt.fft.fft(x, n), mode="py")(np.zeros(3), 0)


def test_unknown_names_are_told() -> None:
    with pytest.raises(AttributeError, match="fftn"):
        ANY.ffftn  # noqa: B018


@pytest.mark.cases(0)
def test_scipys_transforms_along_several_axes() -> None:
    cases: list[dict[str, Any]] = [
        {},
        {"norm": "ortho"},
        {"axes": (0, 2)},
        {"axes": 1},
        {"s": (4, 3)},
        {"axes": (1, 0), "s": (4, -1), "norm": "forward"},
    ]
    x = drawn((3, 5, 4), False)
    for given in cases:
        for name in ("dctn", "idctn", "dstn", "idstn"):
            theirs, ours = getattr(scipy.fft, name), getattr(ANY, name)
            known = {**given, "s": (4, 3)} if given.get("s") == (4, -1) else given
            compare(computed(lambda v, g=given, f=ours: f(v, 2, **g), x), theirs(x, 2, **known))
    for given in ({}, {"norm": "ortho"}, {"axes": (1, 0), "s": (4, 3)}):
        for name in ("hfftn", "hfft2"):
            z = drawn((3, 5, 4), True)
            theirs, ours = getattr(scipy.fft, name), getattr(ANY, name)
            compare(computed(lambda v, g=given, f=ours: f(v, **g), z), theirs(z, **given))
        for name in ("ihfftn", "ihfft2"):
            theirs, ours = getattr(scipy.fft, name), getattr(ANY, name)
            compare(computed(lambda v, g=given, f=ours: f(v, **g), x), theirs(x, **given))
    with pytest.raises(ValueError, match=r"of the same length, not .* in dctn"):
        ANY.dctn(x, s=(2,), axes=(0, 1))
    with pytest.raises(ValueError, match="Invalid norm value no"):
        ANY.hfftn(x, norm="no")
