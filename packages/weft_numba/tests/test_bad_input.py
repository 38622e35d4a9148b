"""What users get wrong, and what is unusual: Numba gives what Python gives, or the same error."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import weft_tensor as wt
from weft_graph import function, grad

x, y = wt.vector("x"), wt.vector("y")
A, B = wt.matrix("A"), wt.matrix("B")
T = wt.tensor3("T")
i, j = wt.lvector("i"), wt.lvector("j")
n, m = wt.lscalar("n"), wt.lscalar("m")
s = wt.scalar("s")
z = wt.zvector("z")
k, h = wt.TensorType("int8", (None,))("k"), wt.TensorType("int8", (None,))("h")
u, v = wt.TensorType("uint8", (None,))("u"), wt.TensorType("uint8", (None,))("v")
p = wt.TensorType("bool", (None,))("p")

Graph = tuple[list[Any], Any]
Values = Sequence[tuple[Any, ...]]

nan, inf = np.nan, np.inf
ones = np.ones
BITS = [-128, -127, -2, -1, 0, 1, 2, 127]
PAIRS = [np.array(each, "int8") for each in np.meshgrid(BITS, BITS)]
PAIRS = [each.ravel() for each in PAIRS]
LARGE = np.iinfo("int64").max
SMALL = np.iinfo("int64").min
SOME = np.array([1.0, nan, -inf, 0.0, -0.0, inf, nan, 1.0])


def misaligned(values: Any) -> Any:
    memory = np.zeros(values.nbytes + 1, np.uint8)
    result = memory[1:].view(values.dtype).reshape(values.shape)
    result[...] = values
    return result


def read_only(values: Any) -> Any:
    values = np.array(values)
    values.flags.writeable = False
    return values


class Own(np.ndarray):
    """A user's own array."""


OVERLAPPING = np.arange(10.0)
LAYOUTS: Values = [
    (ones(3), read_only([1.0, 2.0, 3.0])),
    (misaligned(ones(3)), ones(3).astype(">f8")),
    (OVERLAPPING[:-1], OVERLAPPING[1:]),
    (OVERLAPPING[::-1], OVERLAPPING),
    (OVERLAPPING, OVERLAPPING),
    (np.broadcast_to(2.0, (4,)), np.arange(8.0)[::2]),
    (ones((2, 3), order="F")[0], np.asfortranarray(np.arange(6.0).reshape(2, 3))[1]),
    ([1, 2.5], (True, 2)),
    (np.arange(3.0).view(Own), np.ma.masked_array([1.0, 2.0, 3.0], [False, True, False])),
    (np.ma.masked_array([1.0, 2.0]), [1.0, 2.0]),
    (ones(0), []),
    (np.arange(3, dtype="int8"), np.arange(3, dtype="float32")),
    (np.array([1, 2], "uint64"), range(2)),
    (memoryview(b"ab"), array("d", [1.0, 2.0])),
]
REFUSED: Values = [
    (np.array([[1.0, 2.0]]).view(np.matrix), ones(2)),
    (np.ma.masked_array([[1.0]]), ones(1)),
    (ones((2, 2)), ones(2)),
    (1.0, ones(1)),
    (np.float64(1.0), ones(1)),
    (np.array(1.0), ones(1)),
    (ones(2, "float16"), ones(2)),
    (ones(2, "longdouble"), ones(2)),
    (ones(2, "complex128"), ones(2)),
    (ones(2, "int64"), ones(2)),
    (np.array([1.0, 2.0], object), ones(2)),
    (np.array([1.0, "a"], object), ones(2)),
    (["a", "b"], ones(2)),
    ("ab", ones(2)),
    (np.array(["a", "b"]), ones(2)),
    (np.array([b"a", b"b"]), ones(2)),
    (np.array(["2001-01-01"], "datetime64[D]"), ones(1)),
    (np.array([1], "timedelta64[s]"), ones(1)),
    (np.zeros(2, [("a", "f8")]), ones(2)),
    ([[1.0], [1.0, 2.0]], ones(2)),
    ({1.0: 2.0}, ones(1)),
    ({1.0}, ones(1)),
    (None, ones(1)),
    (object(), ones(1)),
    (lambda: 1.0, ones(1)),
    ((1.0 for _ in range(2)), ones(2)),
    (2**70, ones(1)),
    ([2**70], ones(1)),
    (x, ones(1)),
]

CASES: dict[str, tuple[Callable[[], Graph], Values]] = {
    "layouts": (lambda: ([x, y], [x, y, x[::-1], wt.exp(x), wt.sum(y), x[:1]]), LAYOUTS),
    "two in one": (lambda: ([x, y], [x + y, wt.sum(x * y)]), [*LAYOUTS, *REFUSED]),
    "matrices": (
        lambda: ([A], [A, A.T, A @ A.T, wt.sum(A, axis=0), wt.exp(A)[..., :1]]),
        [
            (np.array([[1.0, 2.0]]).view(np.matrix),),
            (np.array([[1.0], [2.0]]).view(np.matrix),),
            (np.ma.masked_array(ones((2, 2)), [[False, True], [False, False]]),),
            (ones((0, 3)),),
            (ones((3, 0)),),
            (ones((0, 0)),),
            (np.arange(12.0).reshape(3, 4)[::-2, ::-1],),
            (np.asfortranarray(np.arange(12.0).reshape(3, 4)),),
            (misaligned(np.arange(12.0).reshape(3, 4)),),
            (np.arange(12.0).reshape(3, 4).astype(">f8").T,),
            (ones(2),),
            (ones((1, 1, 1)),),
        ],
    ),
    "a number": (
        lambda: ([s, n], [s + n, wt.exp(s) * 2, n * n, s]),
        [
            (1.0, 2),
            (True, False),
            (np.float32(1.5), np.int8(3)),
            (np.array(1.5), np.array(3)),
            (read_only(1.5), misaligned(np.array(3))),
            (np.array(1.5, ">f8"), np.array(3, ">i8")),
            (1, 2.0),
            (1j, 1),
            ([1.0], 1),
            (ones(1), 1),
            ("1", 1),
            (None, 1),
            (2**70, 1),
            (1.0, 2**70),
            (1.0, 2**63),
            (-(2.0**70), SMALL),
            (nan, LARGE),
            (np.float16(1), 1),
        ],
    ),
    "slopes of parts of unequal lengths": (
        lambda: ([x, y], grad((x[1:-1] * y[1:-1] ** 2).sum(), [x, y])),
        [(ones(m), ones(n)) for m, n in ((4, 4), (4, 5), (5, 4), (3, 5))],
    ),
    "sums of unequal lengths": (
        lambda: ([x, y], x * 2 + wt.exp(y)),
        [(ones(2), ones(3)), (ones(0), ones(2)), (ones(1), ones(3)), (ones(1), ones(0))],
    ),
    "matrices of unequal shapes": (
        lambda: ([A, B], [A + B, wt.sum(A * B, axis=1)]),
        [(ones((2, 3)), ones((3, 2))), (ones((2, 3)), ones((1, 2))), (ones((2, 1)), ones((1, 3)))],
    ),
    "products that do not fit": (
        lambda: ([A, B, x], [A @ B, B @ x]),
        [
            (ones((2, 3)), ones((2, 3)), ones(3)),
            (ones((2, 3)), ones((3, 2)), ones(3)),
            (ones((2, 0)), ones((0, 2)), ones(2)),
        ],
    ),
    "batches that do not fit": (
        lambda: ([T, A], T @ A),
        [(ones((2, 3, 4)), ones((3, 4))), (ones((0, 3, 4)), ones((4, 2)))],
    ),
    "joining": (
        lambda: ([A, B], wt.concatenate([A, B])),
        [(ones((2, 3)), ones((2, 2))), (ones((0, 3)), ones((2, 3)))],
    ),
    "stacking": (lambda: ([x, y], wt.stack([x, y])), [(ones(2), ones(3)), (ones(0), ones(0))]),
    "an index": (
        lambda: ([x, n], [x[n], x[2] + 1]),
        [(ones(3), 3), (ones(3), -3), (ones(3), -4), (ones(0), 0), (ones(2), 0)],
    ),
    "indices": (
        lambda: ([x, i], [x[i], wt.sum(x[i])]),
        [(ones(3), [3]), (ones(3), [-4, 0]), (ones(0), [0]), (ones(3), []), (ones(3), [LARGE])],
    ),
    "rows and columns": (
        lambda: ([A, i, j], [A[i, j], A[i], A[:, j]]),
        [
            (ones((2, 3)), [2], [0]),
            (ones((2, 3)), [0], [3]),
            (ones((2, 3)), [0, 1], [0, 1, 2]),
            (ones((2, 3)), [-1, -2], [-3, 0]),
            (ones((2, 3)), [SMALL], [0]),
        ],
    ),
    "numbers in order as indices": (
        lambda: ([x, n], [x[wt.arange(n)], x[wt.arange(n)] * 2 + x[wt.arange(n)[::-1]]]),
        [(ones(3), k) for k in (0, 2, 3, 4, 9, -1)],
    ),
    "as many indices as elsewhere": (
        lambda: ([x, y], [x[wt.arange(y.shape[0])] + y, x[wt.arange(x.shape[0])]]),
        [(ones(3), ones(k)) for k in (0, 2, 3, 4, 9)],
    ),
    "a diagonal by indices": (
        lambda: ([A, n], [A[wt.arange(n), wt.arange(n)], wt.sum(A[:, wt.arange(n)])]),
        [(ones(shape), k) for shape in ((3, 3), (2, 3), (3, 2)) for k in (0, 2, 3, 4)],
    ),
    "updates in order": (
        lambda: ([x, n], [x[wt.arange(n)].inc(1.0), x[wt.arange(n)].set(2.0) + 1]),
        [(ones(3), k) for k in (0, 2, 3, 4, 9)],
    ),
    "a length that must be 1": (
        lambda: ([x, A], [wt.squeeze(x, 0) + 1, wt.squeeze(A, 0) * 2, wt.sum(wt.squeeze(A, 0))]),
        [(ones(k), ones((rows, 3))) for k, rows in ((1, 1), (0, 1), (3, 1), (1, 0), (1, 2))],
    ),
    "updates": (
        lambda: ([x, i, y], [x[i].set(y), x[i].inc(y)]),
        [
            (ones(3), [0, 3], ones(2)),
            (ones(3), [0, -4], ones(2)),
            (ones(3), [0, 1], ones(3)),
            (ones(3), [0, 0], np.arange(2.0)),
            (ones(0), [], ones(0)),
            (ones(3), [1], ones(1)),
        ],
    ),
    "updates of slices": (
        lambda: ([x, n, y], x[n:].set(y)),
        [
            (ones(3), 1, ones(2)),
            (ones(3), 1, ones(3)),
            (ones(3), 9, ones(0)),
            (ones(3), -9, ones(3)),
        ],
    ),
    "slices": (
        lambda: ([x, n, m], [x[n:m], x[n:m:2], x[::-1][n:], x[m:n:-1]]),
        [(np.arange(5.0), a, b) for a in (0, 3, -2, LARGE, SMALL) for b in (0, 9, -9, LARGE)],
    ),
    "a step of zero": (
        lambda: ([x, n], x[::n]),
        [(np.arange(k), step) for k in (3.0, 0.0) for step in (0, 2, -1, LARGE, SMALL)],
    ),
    "a mask": (
        lambda: ([x, p], [x[p], wt.sum(x[p])]),
        [(ones(3), [True, False, True]), (ones(3), [True]), (ones(3), [False] * 4), (ones(0), [])],
    ),
    "take": (lambda: ([x, i], wt.take(x, i)), [(ones(3), [3]), (ones(3), [-3]), (ones(0), [])]),
    "take along an axis": (
        lambda: ([x, i], wt.take_along_axis(x, i, 0)),
        [(ones(3), [3]), (ones(3), [-3]), (ones(0), [])],
    ),
    "zeros": (lambda: ([n], wt.zeros(n)), [(0,), (-1,), (SMALL,), (3,)]),
    "full": (lambda: ([s, n, m], wt.full((n, m), s)), [(1.0, 2, -1), (1.0, -1, 0), (1.0, 0, 3)]),
    "a sum of zeros": (lambda: ([n], wt.sum(wt.zeros(n) + 1.0)), [(0,), (-1,), (3,)]),
    "eye": (lambda: ([n, m], wt.eye(n, m)), [(-1, 2), (0, 2), (2, -2)]),
    "broadcast to": (
        lambda: ([x, n], wt.broadcast_to(x, (2, n))),
        [(ones(3), 3), (ones(3), 2), (ones(1), 0), (ones(1), -1), (ones(3), 1)],
    ),
    "arange": (
        lambda: ([n, m], [wt.arange(n), wt.arange(n, m), wt.sum(wt.arange(m) * 0.5)]),
        [(-3, 2), (2, -3), (0, 0), (SMALL, 1)],
    ),
    "arange by steps": (
        lambda: ([n, m], wt.arange(0, n, m)),
        [(5, 0), (5, -1), (5, 2), (-5, -2), (5, LARGE)],
    ),
    "reshape": (
        lambda: ([x, n, m], x.reshape((n, m))),
        [
            (ones(6), 2, 3),
            (ones(6), 4, 2),
            (ones(6), -1, 3),
            (ones(6), -1, 4),
            (ones(6), -1, -1),
            (ones(6), -2, -3),
            (ones(0), -1, 0),
            (ones(0), 0, 3),
            (ones(0), 2**32, 2**32),
            (ones(6), 0, -1),
        ],
    ),
    "squeeze": (lambda: ([A], wt.squeeze(A, axis=0)), [(ones((1, 2)),), (ones((2, 2)),)]),
    "empty": (
        lambda: ([x], [wt.sum(x), wt.prod(x), wt.any(x > 0), wt.all(x > 0), wt.mean(x)]),
        [(ones(0),)],
    ),
    "a largest of none": (lambda: ([x], wt.max(x)), [(ones(0),), (SOME,)]),
    "the place of a largest of none": (lambda: ([x], wt.argmax(x)), [(ones(0),), (SOME,)]),
    "a smallest of no rows": (
        lambda: ([A], [wt.min(A, axis=0), wt.argmin(A, axis=0)]),
        [(ones((0, 2)),), (ones((2, 0)),), (np.array([[nan, 1.0], [0.0, nan]]),)],
    ),
    "a median of none": (lambda: ([x], wt.median(x)), [(ones(0),), (SOME,), (ones(1),)]),
    "sorting": (
        lambda: ([x], [wt.sort(x), wt.argmax(x), wt.argmin(x), wt.max(x), wt.min(x)]),
        [(SOME,), (SOME[::-1],), (ones(1),)],
    ),
    "order": (lambda: ([x], wt.argsort(x)), [([2.0, nan, -inf, 1.0, inf],), (ones(0),)]),
    "sorting bits": (
        lambda: ([k, p], [wt.sort(k), wt.argmax(k), wt.sort(p), wt.argmin(p)]),
        [(PAIRS[0], [True, False]), (PAIRS[0], [])],
    ),
    "unique": (lambda: ([x], wt.unique(x)), [(SOME,), (ones(0),)]),
    "nonzero": (lambda: ([x], wt.nonzero(x)), [(SOME,), (ones(0),)]),
    "repeat": (
        lambda: ([x, n, i], [wt.repeat(x, n), wt.repeat(x, i)]),
        [(ones(2), -1, [1, 1]), (ones(2), 2, [-1, 2]), (ones(2), 0, [1]), (ones(2), 1, [1, 2, 3])],
    ),
    "bincount": (
        lambda: ([i, y], wt.bincount(i, weights=y)),
        [([0, -1], ones(2)), ([0, 1], ones(3)), ([], []), ([1, 1], ones(2))],
    ),
    "roll": (lambda: ([x, n], wt.roll(x, n)), [(ones(0), 1), (SOME, LARGE), (SOME, SMALL)]),
    "pad": (lambda: ([x, n], wt.pad(x, (n, 1))), [(ones(2), -1), (ones(0), 2)]),
    "tile": (lambda: ([x], wt.tile(x, 2)), [(ones(0),), (ones(2),)]),
    "diag": (lambda: ([A], [wt.diag(A), wt.trace(A)]), [(ones((0, 2)),), (ones((3, 2)),)]),
    "whole numbers": (
        lambda: (
            [k, h],
            [
                *(k // h, k % h, k + h, k - h, k * h, -k, abs(k), wt.sign(k), wt.square(k)),
                *(wt.left_shift(k, h), wt.right_shift(k, h), k & h, k ^ h, ~k),
                *(wt.maximum(k, h), k / h, wt.fmod(k, h), wt.floor_div(k, 0), wt.mod(k, 0)),
            ],
        ),
        [tuple(PAIRS)],
    ),
    "whole numbers without sign": (
        lambda: (
            [u, v],
            [
                *(u // v, u % v, u + v, u - v, u * v, -u, abs(u), wt.sign(u)),
                *(wt.left_shift(u, v), wt.right_shift(u, v), u**2, wt.fmod(u, v)),
            ],
        ),
        [tuple(each.view("uint8") for each in PAIRS)],
    ),
    "long whole numbers": (
        lambda: (
            [i, j],
            [i // j, i % j, i + j, i * j, -i, abs(i), wt.left_shift(i, j), wt.right_shift(i, j)],
        ),
        [([SMALL, SMALL, LARGE, 5, -5, 0], [-1, 0, 2, 64, -64, 0])],
    ),
    "numbers alone": (
        lambda: ([n, m], [n // m, n % m, n * m, -n, abs(n), n / m, wt.left_shift(n, m)]),
        [(SMALL, -1), (SMALL, 0), (5, 0), (LARGE, LARGE), (1, 64), (1, -1), (-1, 2)],
    ),
    "powers": (
        lambda: ([i, j], i**j),
        [([2, 3], [3, 0]), ([2], [-1]), ([0], [-1]), ([2], [64]), ([], [])],
    ),
    "sums of whole numbers": (
        lambda: ([i, k], [wt.sum(i), wt.prod(i), wt.sum(k), wt.cumsum(i)]),
        [([LARGE, LARGE], BITS), ([], [])],
    ),
    "casts": (
        lambda: (
            [i, x],
            [i.astype("int8"), i.astype("uint16"), x.astype("bool"), i.astype("bool")],
        ),
        [([SMALL, LARGE, 300, -1], SOME)],
    ),
    "outside of domains": (
        lambda: (
            [x],
            [
                *(wt.log(x), wt.sqrt(x), 1.0 / x, x // 0.0, x % 0.0, wt.log1p(x), wt.arccos(x)),
                *(wt.floor(x), wt.sign(x), wt.maximum(x, 0.0), x**3.0, x**-1.0, wt.where(x, x, x)),
            ],
        ),
        [(SOME,), (-ones(2),)],
    ),
    "complex numbers": (
        lambda: ([z], [z * z, 1.0 / z, wt.abs(z), wt.exp(z), wt.sum(z)]),
        [(np.array([0, 1j, complex(inf, 1.0)]),), ([],), (SOME,), (ones(2, ">c16"),)],
    ),
}


@pytest.mark.cases(5)
@pytest.mark.parametrize("name", CASES)
def test_numba_answers_as_python_does(name: str, answers_as_python: Any) -> None:
    build, table = CASES[name]
    answers_as_python(build(), table)


def test_what_disagrees_is_named_with_both_shapes() -> None:
    f = function([A, B], [wt.exp(A) + B, A * 2.0], mode="numba")
    with pytest.raises(ValueError, match="broadcast") as caught:
        f(ones((2, 3)), ones((4, 3)))
    (note,) = caught.value.__notes__
    assert "float64 array of shape (2, 3)" in note
    assert "<B : float64[?, ?]> = float64 array of shape (4, 3)" in note
    assert note.endswith('f = function([A, B], [wt.exp(A) + B, A * 2.0], mode="numba")')


@pytest.mark.parametrize("dtype", ["float16", "object", "U3", "datetime64[s]", "longdouble"])
def test_dtypes_that_no_tensor_has(dtype: str) -> None:
    with pytest.raises(TypeError, match="is no dtype for tensors"):
        wt.TensorType(dtype, (None,))
