"""Functions of single numbers are NumPy's, on every backend."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np
import pytest

import weft.tensor as wt
from weft_testing import Case, case, check_function

rng = np.random.default_rng(0)

SPECIAL: Final = np.array(
    [0.0, -0.0, 1.5, -2.5, 0.5, np.nan, np.inf, -np.inf, 1e30, -3.7, 12345.678]
)
TINY: Final = np.array([1e-310, 5e-324, -1e-308])
REAL: Final = [
    *(
        np.asarray(rng.uniform(0, 9, shape) - (dtype[0] != "u") * 4).astype(dtype)
        for dtype in ("float64", "float32", "int64", "int32", "uint32", "int16")
        for shape in ((), (3,), (2, 1, 2), (0, 2))
    ),
    SPECIAL,
    SPECIAL.astype("float32"),
    rng.normal(size=(2, 3)),
    np.array(2.5),
    np.zeros((0, 2)),
    np.array([3, -4, 0, 15]),
    np.array([3, 200], "uint8"),
    np.array([1, -2], "int8"),
]
WIDE: Final = [x for x in REAL if x.dtype.itemsize > 1]
COMPLEX: Final = rng.normal(size=(2, 3)) + 1j * rng.normal(size=(2, 3))
ALL: Final = [*REAL, np.array([True, False]), COMPLEX]


def of(arrays: Sequence[Any], *ways: dict[str, Any]) -> list[Case]:
    return [case(x, **way) for x in arrays for way in (ways or ({},))]


def pairs() -> list[Case]:
    return [
        case(x, y)
        for x in ALL
        for y in (x.ravel()[:1] if x.size else np.array([1.0]), np.array(np.nan))
    ]


def clipped() -> list[Case]:
    m = REAL[26]
    limits = ((-1, 2), (None, 1), (0.5, None))
    return [
        *(case(x, a, b) for x in REAL for a, b in limits if x.dtype.kind != "u"),
        case(m, min=0),
        case(m, m - 0.1, m + 0.1),
        case(m, 1, 2, max=3),
    ]


def nearly_equal() -> list[Case]:
    return [
        *(case(x, x * (1 + 1e-6) + 1e-9, equal_nan=e) for x in REAL for e in (False, True)),
        case(SPECIAL, SPECIAL[::-1].copy()),
        case(COMPLEX, COMPLEX + 1e-9),
        case(REAL[29], REAL[29]),
        case(SPECIAL, np.inf),
    ]


def scaled() -> list[Case]:
    powers = (3, -3, 1000, -1000, 2000, -1074)
    special = [SPECIAL, SPECIAL.astype("float32")]
    return [
        *(case(x, np.array(k)) for x in special for k in powers),
        *(case(x, np.array(k)) for x in REAL[:24] for k in (2, -1)),
        case(REAL[26], np.array([1, 2, 3])),
        case(REAL[26], 1.5),
    ]


def unwrapped() -> list[Case]:
    w = np.angle(np.exp(2j * np.cumsum(rng.normal(size=(3, 20)), 1)))
    return [
        *(case(w, axis=a, discont=d) for a in (0, -1) for d in (None, 4.0)),
        *(case(w[k] * s) for k in range(3) for s in (1.0, 2.5, 10.0, -4.0)),
        *(case((w[k] * 3).astype("int64"), period=p) for k in range(3) for p in (3, 4, 6.5)),
        case(w.astype("float32")),
        case(np.array([0, 1, 2, -1, 0]), period=4),
        case(np.array([0, 2, 4, 1, 3]), period=5),
        case(w[0], period=3.0),
        case(w, axis=3),
        case(w[:, :0]),
    ]


def whole_pairs() -> list[Case]:
    some = [np.array([12, -18, 0, 7], d) for d in ("int8", "int16", "int32", "int64")]
    some += [np.array([12, 18, 0, 200], d) for d in ("uint8", "uint16", "uint32", "uint64")]
    least = np.array([-128, -128, 127], "int8")
    return [
        *(case(x, y) for x in some for y in (6, np.array([[4], [0]], x.dtype), x[::-1].copy())),
        *(case(x, some[0]) for x in some[1:7]),
        *(case(x, np.array([30, 45])) for x in (np.array(60), np.zeros((0, 2), int))),
        case(least, np.array([0, 6, -128], "int8")),
        case(some[3] * 10**15, np.array(2**40 * 15)),
        case(np.array([True, False]), np.array([True, True])),
        case(some[3], some[7]),
        case(REAL[0], 2),
        case(np.zeros(3, int), np.zeros(2, int)),
    ]


def bits() -> list[Case]:
    some = [
        np.array([True, False, True]),
        rng.integers(-1, 2, 16),
        rng.integers(0, 2, (2, 11)).astype("uint8"),
        rng.integers(0, 2, (3, 0, 8)) > 0,
        rng.integers(0, 3, (9, 2, 3)),
    ]
    return [
        *(case(x, a, o) for x in some for a in (None, 0, -1) for o in ("big", "little")),
        case(np.array(True)),
        case(np.array([3, 0], "int8")),
        case(some[0], 1),
        case(REAL[0]),
        case(some[0], bitorder="middle"),
    ]


def packed() -> list[Case]:
    """Of nothing, NumPy leaves what is behind as it finds it."""
    some = [
        rng.integers(0, 256, shape).astype("uint8") for shape in ((3,), (2, 3), (0, 2), (2, 1, 2))
    ]
    counts = (None, 0, 3, 30, -5)
    return [
        *(case(x, a, c) for x in some for a in (None, 0) for c in counts if x.size or not c),
        *(case(x, -1, bitorder="little") for x in some),
        case(np.array(7, "uint8")),
        case(some[0], count=-24),
        case(some[0], count=-25),
        case(some[0], 1),
        case(some[0].astype("int8")),
        case(some[0], bitorder="middle"),
    ]


def finite(value: np.ndarray) -> np.ndarray:
    """9 for infinity, of which numpy.i0 is NaN."""
    found: np.ndarray = np.nan_to_num(value.astype("float64"), nan=np.nan, posinf=9, neginf=-9)
    return found


CASES: Final[dict[str, Callable[[], list[Case]]]] = {
    "allclose": lambda: [*nearly_equal(), *(case(x, x) for x in REAL)],
    "angle": lambda: of([*WIDE, COMPLEX], {}, {"deg": True}),
    "array_equal": lambda: [
        *(case(x, x, e) for x in ALL for e in (False, True)),
        case(REAL[26], REAL[26] + 1),
        case(REAL[26], REAL[27]),
    ],
    "clip": clipped,
    "fabs": lambda: of(WIDE),
    "fix": lambda: of(REAL),
    "fmax": pairs,
    "fmin": pairs,
    "frexp": lambda: of(WIDE),
    "gcd": whole_pairs,
    "heaviside": lambda: [
        *(case(x, y) for x in REAL for y in (0.5, np.array(2.0), np.array(1, "float32"))),
        case(np.arange(-1, 2, dtype="int16"), np.array([3], "int16")),
    ],
    "iscomplex": lambda: of(ALL),
    "isclose": nearly_equal,
    "isneginf": lambda: of(REAL),
    "isposinf": lambda: of(REAL),
    "isreal": lambda: of(ALL),
    "lcm": whole_pairs,
    "ldexp": scaled,
    "modf": lambda: of(WIDE),
    "nan_to_num": lambda: of(
        [*ALL, np.array([complex(np.nan, np.inf)])],
        {},
        {"nan": 2.0, "posinf": 5.0, "neginf": -3.0},
    ),
    "packbits": bits,
    "round": lambda: of([*REAL, COMPLEX], *({"decimals": d} for d in (0, 1, 2, -1, -2))),
    "i0": lambda: of([k * finite(v) for v in REAL for k in (1, 3, -0.5)]),
    "signbit": lambda: of(WIDE),
    "sinc": lambda: of([*WIDE[1:], COMPLEX]),
    "spacing": lambda: of(WIDE),
    "unpackbits": packed,
    "unwrap": unwrapped,
}


@pytest.mark.parametrize("name", CASES)
def test_they_are_numpys(name: str, is_numpys: Any) -> None:
    is_numpys(name, CASES[name](), 30)


@pytest.mark.parametrize("name", ["frexp", "spacing", "signbit", "modf", "fabs"])
def test_also_of_subnormal_numbers(name: str) -> None:
    """XLA takes them for 0."""
    check_function(getattr(wt, name), getattr(np, name), [case(TINY)], ["py", "numba"])
    if name == "spacing":
        assert (wt.spacing(np.array([-0.0, 0.0])).eval() == 5e-324).all()
