"""Products that add up over axes are NumPy's, on every backend: values, dtypes and errors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest

import weft.tensor as wt
from weft_testing import Case, case, check_function, check_grad

rng = np.random.default_rng(0)


def drawn(*shape: int, dtype: str = "float64") -> Any:
    if dtype in ("float64", "float32"):
        return rng.normal(size=shape).astype(dtype)
    if dtype.startswith("complex"):
        return (rng.normal(size=shape) + 1j * rng.normal(size=shape)).astype(dtype)
    return rng.integers(0, 2 if dtype == "bool" else 9, shape).astype(dtype)


DTYPES: Final = ("float64", "float32", "int64", "int8", "uint8", "bool", "complex128", "complex64")
STRANGE: Final = np.array([[1.0, np.nan, 2.0], [np.inf, 0.0, 1.0]])

SUBSCRIPTS: Final[list[tuple[str, *tuple[tuple[int, ...], ...]]]] = [
    ("ij,jk", (2, 3), (3, 4)),
    ("ij,jk->ki", (2, 3), (3, 4)),
    ("ij , jk -> ik", (2, 0), (0, 4)),
    ("bhqd,bhkd->bhqk", (2, 3, 4, 5), (2, 3, 6, 5)),
    ("ii", (3, 3)),
    ("ii->i", (3, 3)),
    ("iij->ji", (3, 3, 2)),
    ("iiji->j", (2, 2, 3, 2)),
    ("ij->", (3, 4)),
    ("ba", (3, 4)),
    ("->", ()),
    (",", (), ()),
    (",ij", (), (2, 3)),
    ("...", (2, 3)),
    ("i...->...", (2, 3)),
    ("...ij,jk", (2, 2, 3), (3, 4)),
    ("...ij,...jk->...ki", (2, 1, 2, 3), (5, 3, 4)),
    ("...i,...i", (2, 1, 3), (4, 3)),
    ("i...,...j->i...j", (2, 3), (3, 4)),
    ("i,j", (2,), (3,)),
    ("i,i->i", (3,), (3,)),
    ("ij,ij->", (2, 3), (2, 3)),
    ("bi,bi->b", (2, 3), (2, 3)),
    ("bi,bij->bj", (2, 3), (2, 3, 4)),
    ("bij,b->bij", (2, 3, 4), (2,)),
    ("ij,kl->i", (2, 3), (4, 5)),
    ("ijk,jkl->il", (2, 3, 4), (3, 4, 5)),
    ("ijkl,klm->mij", (2, 3, 2, 2), (2, 2, 3)),
    ("ij,kj,kl,l->i", (2, 3), (4, 3), (4, 5), (5,)),
    ("ab,bc,cd,de,ef->af", (2, 3), (3, 4), (4, 2), (2, 3), (3, 2)),
    ("ab,ab,ab,ab,ab,ab->b", *[(2, 3)] * 6),
    ("i,ii,i", (3,), (3, 3), (3,)),
]


def sums() -> list[Case]:
    m, n = drawn(2, 3), drawn(3, 4)
    return [
        *(case(text, *(drawn(*s) for s in shapes)) for text, *shapes in SUBSCRIPTS),
        *(case("ij,jk->ki", drawn(2, 3, dtype=d), drawn(3, 4, dtype=d)) for d in DTYPES),
        *(case("ij->j", drawn(2, 3, dtype=d)) for d in DTYPES),
        *(case("bi,bi->b", drawn(2, 3, dtype=d), drawn(2, 3)) for d in DTYPES),
        *(case("ij,ij->i", STRANGE, x) for x in (STRANGE, drawn(2, 3))),
        *(case("ij,jk", m, n, optimize=o) for o in (True, False, "greedy", "optimal")),
        case("ij,jk,kl->il", m, n, drawn(4, 2), optimize=["einsum_path", (1, 2), (0, 1)]),
        case("ij,jk", m, n, dtype="float32", casting="same_kind"),
        case(m, [0, 1], n, [1, 2]),
        case(m, [0, 1], n, [1, 2], [2, 0]),
        case(m, [Ellipsis, 7], n, [7, 3], [3, Ellipsis]),
    ]


def refused_sums() -> list[Case]:
    m, n = drawn(2, 3), drawn(3, 4)
    return [
        case("ij,jk", m, drawn(4, 2)),
        case("ii", m),
        case("ij,jk", m),
        case("ij", m, n),
        case("ijk,jk", m, n),
        case("i,jk", m, n),
        case("ij,jk->iz", m, n),
        case("ij,jk->ii", m, n),
        case("i1,jk", m, n),
        case("i.j,jk", m, n),
        case("...i->i", m),
        case("......", m),
    ]


def pairs() -> list[Case]:
    """Two operands of many ranks and dtypes."""
    shapes: list[tuple[tuple[int, ...], tuple[int, ...]]] = [
        ((3,), (3,)),
        ((2, 3), (3,)),
        ((2, 3), (4, 3)),
        ((2, 1, 3), (4, 3)),
        ((0,), (0,)),
        ((2, 0), (3, 0)),
        ((2, 3, 4), (5, 4)),
    ]
    return [
        *(case(drawn(*a), drawn(*b)) for a, b in shapes),
        *(case(drawn(3, dtype=d), drawn(3, dtype=d)) for d in DTYPES),
        *(case(drawn(2, 3, dtype=d), drawn(3)) for d in DTYPES),
        *(case(drawn(2, 3, dtype="complex64"), drawn(3, dtype=d)) for d in DTYPES),
        case(STRANGE, drawn(3)),
        case(STRANGE, STRANGE),
    ]


def same_pairs() -> list[Case]:
    return [c for c in pairs() if c.args[0].shape[0] in (c.args[1].shape[0], 1)]


def with_matrices(first: bool) -> list[Case]:
    """Stacks of matrices and of vectors."""
    stacks: list[tuple[tuple[int, ...], tuple[int, ...]]] = [((), ()), ((2,), ()), ((), (2,))]
    stacks += [((2,), (2,)), ((2, 1), (3,)), ((1,), (4,)), ((0,), ())]

    def ordered(m: Any, v: Any) -> Case:
        return case(m, v) if first else case(v, np.swapaxes(m, -1, -2))

    return [
        *(ordered(drawn(*a, 2, 3), drawn(*b, 3)) for a, b in stacks),
        *(ordered(drawn(2, 3, dtype=d), drawn(3, dtype=d)) for d in DTYPES),
        *(ordered(drawn(2, 3, dtype=d), drawn(4, 3)) for d in DTYPES),
        *(ordered(drawn(5, 2, 3), drawn(3, dtype=d)) for d in DTYPES),
        ordered(drawn(2, 0), drawn(0)),
        ordered(STRANGE, drawn(3)),
        case(drawn(), drawn(2, 3)),
        case(drawn(2, 3), drawn(4)) if first else case(drawn(4), drawn(2, 3)),
    ]


def over_axes() -> list[Case]:
    a, b = drawn(2, 3, 4), drawn(4, 3, 2)
    ways: list[Any] = [
        0,
        ([1, 2], [1, 0]),
        ([0], [-1]),
        (2, 0),
        (-1, 0),
        ((2, 1, 0), (0, 1, 2)),
        ([], []),
    ]
    return [
        *(case(a, b, w) for w in ways),
        *(case(a, b, axes=w) for w in ways),
        *(case(drawn(2, 3, dtype=d), drawn(2, 3, dtype=d)) for d in DTYPES),
        *(case(drawn(2, 3, dtype=d), drawn(3), 1) for d in DTYPES),
        case(STRANGE, drawn(3, 2), 1),
        case(drawn(2, 0), drawn(0, 2), 1),
        case(drawn(), drawn(), 0),
        case(a, b),
        case(a, b, ([0, 1], [0])),
        case(a, b, ([3], [0])),
        case(a, b, 4),
    ]


def at_right_angles() -> list[Case]:
    a = drawn(2, 3)
    return [
        *(case(drawn(3, dtype=d), drawn(3, dtype=d)) for d in DTYPES if d != "bool"),
        *(case(drawn(2, 3, dtype=d), drawn(3)) for d in DTYPES if d != "bool"),
        *(case(drawn(4, 1, 3), drawn(2, 3), axisc=k) for k in (0, 1, -1)),
        *(case(drawn(3, 2), drawn(3, 2), axis=k) for k in (0, -2)),
        *(case(drawn(3, 2), drawn(2, 3), axisa=0, axisc=k) for k in (0, 1)),
        *(case(x, y) for x in (STRANGE, a) for y in (STRANGE, a)),
        case(drawn(0, 3), drawn(0, 3)),
        case(drawn(2, 3), drawn(3, 2), axisb=0),
        case([1.0, 2.0], [3, 4]),
        case([[1, 2], [3, 4]], drawn(2, 3)),
        case(drawn(4, 3, dtype="float32"), [1, 2]),
        case([[1j, 2], [3, 4]], [1.0, -1.0]),
        case(drawn(4), drawn(4)),
        case(drawn(3), drawn(4)),
        case(drawn(), drawn(3)),
        case(a, a, axis=2),
        case(a, a, axisc=2),
    ]


def moved() -> list[Case]:
    lengths = [(5, 3), (3, 5), (4, 2), (2, 4), (4, 4), (1, 3), (3, 1), (1, 1)]
    vectors = [(drawn(n), drawn(m)) for n, m in lengths]
    return [
        *(case(a, v, mode) for a, v in vectors for mode in ("full", "same", "valid")),
        *(case(drawn(5, dtype=d), drawn(3, dtype=d)) for d in DTYPES),
        *(case(drawn(5, dtype=d), drawn(2)) for d in DTYPES),
        *(case(STRANGE[k], drawn(2), "full") for k in (0, 1)),
        *(case(drawn(2), STRANGE[k], "same") for k in (0, 1)),
        case(np.array(2.0), drawn(3)),
        case(drawn(0), drawn(2)),
        case(drawn(2), drawn(0)),
        case(drawn(2, 2), drawn(2)),
        case(drawn(2), drawn(2), "most"),
    ]


def chains() -> list[Case]:
    shapes = [(2, 3), (3, 4), (4, 2), (2, 5), (5, 3)]
    return [
        *(case([drawn(*s) for s in shapes[:k]]) for k in (2, 3, 4, 5)),
        *(case([drawn(3), *(drawn(*s) for s in shapes[1:k])]) for k in (2, 3, 4)),
        *(case([*(drawn(*s) for s in shapes[:k]), drawn(shapes[k][0])]) for k in (1, 2, 3)),
        *(case([drawn(2, 3, dtype=d), drawn(3, 4, dtype=d)]) for d in DTYPES),
        *(case([drawn(2, 3, dtype=d), drawn(3, 2), drawn(2)]) for d in DTYPES),
        case([drawn(3), drawn(3)]),
        case([drawn(3), drawn(3, 2), drawn(2)]),
        case([STRANGE, drawn(3, 2)]),
        case([drawn(2, 0), drawn(0, 3)]),
        case([drawn(2, 3)]),
        case([drawn(2, 3), drawn(2, 3)]),
        case([drawn(2, 2), drawn(2), drawn(2, 2)]),
    ]


def powers() -> list[Case]:
    whole = np.array([[2, 1], [1, 1]])
    return [
        *(case(drawn(3, 3), n) for n in range(7)),
        *(case(drawn(2, 2, 2), n) for n in range(5)),
        *(case(drawn(2, 2, dtype=d), n) for d in DTYPES[:-1] if d != "bool" for n in (0, 1, 3)),
        *(case(x, n) for x in (whole, whole * 1.5) for n in (-1, -2, -3)),
        case(drawn(0, 2, 2), 3),
        case(drawn(2, 3), 2),
        case(drawn(2), 2),
        case(whole, 1.5),
    ]


CASES: Final[dict[str, Callable[[], list[Case]]]] = {
    "convolve": moved,
    "correlate": moved,
    "cross": at_right_angles,
    "inner": lambda: [*pairs(), case(drawn(), drawn(2)), case(drawn(2), drawn(3))],
    "matvec": lambda: with_matrices(first=True),
    "tensordot": over_axes,
    "vdot": lambda: [
        *pairs()[:1],
        *same_pairs(),
        *same_pairs(),
        *same_pairs()[:6],
        case(drawn(2, 2), drawn(4)),
        case(1, 2j),
    ],
    "vecdot": lambda: [
        *(c for c in pairs() if c.args[0].ndim < 3 or c.args[1].shape == (4, 3)),
        *(case(drawn(3, 2, dtype=d), drawn(3, 2), axis=0) for d in DTYPES),
        case(drawn(2, 3), drawn(2, 1)),
        case(drawn(), drawn(3)),
    ],
    "vecmat": lambda: with_matrices(first=False),
}


@pytest.mark.parametrize("name", CASES)
def test_they_are_numpys(name: str, is_numpys: Any) -> None:
    is_numpys(name, CASES[name](), 30)


def test_einsum_is_numpys(few: Any) -> None:
    def compute(*args: Any, casting: str = "safe", **kwargs: Any) -> Any:
        return wt.einsum(*args, **kwargs)

    cases = sums()
    assert check_function(compute, np.einsum, cases, ["py"]) >= 50
    check_function(compute, np.einsum, few(cases, 6), few(["numba", "jax"], 1))
    assert check_function(wt.einsum, np.einsum, refused_sums(), ["py"]) >= 10


@pytest.mark.parametrize(("name", "cases"), [("multi_dot", chains), ("matrix_power", powers)])
def test_products_of_many_are_numpys(name: str, cases: Callable[[], list[Case]], few: Any) -> None:
    compute, reference, drawn_cases = getattr(wt.linalg, name), getattr(np.linalg, name), cases()
    assert check_function(compute, reference, drawn_cases, ["py"]) >= 30
    check_function(compute, reference, few(drawn_cases, 4), few(["numba", "jax"], 1))


def test_named_axes_are_checked_where_the_product_is_written() -> None:
    x = wt.matrix("x", shape=("n", "k"))
    y = wt.matrix("y", shape=("m", "k"))
    assert wt.einsum("ik,jk->ij", x, y).type == wt.TensorType("float64", ("n", "m"))
    assert wt.tensordot(x, y, (1, 1)).type.shape == wt.inner(x, y).type.shape
    refused: list[Callable[[], Any]] = [
        lambda: wt.einsum("ij,jk->ik", x, y),
        lambda: wt.tensordot(x, y, 1),
        lambda: wt.vecdot(x, y.T),
        lambda: wt.matvec(x, y.T),
    ]
    for wrong in refused:
        with pytest.raises(ValueError, match=r"length"):
            wrong()


def test_axes_of_known_length_one_are_repeated() -> None:
    cases = [
        case("ij,jk", [[1.0], [2.0]], [[1.0, 2.0], [3.0, 4.0]]),
        case("ij,ij->i", [[1.0, 2.0]], [[1.0, 2.0], [3.0, 4.0]]),
    ]
    assert check_function(wt.einsum, np.einsum, cases) == 2


def test_pairs_become_matrix_products_in_the_cheapest_order() -> None:
    shapes = [(200, 2), (2, 300), (300, 3), (3,)]
    inputs = [wt.tensor(dtype="float64", shape=s) for s in shapes]
    nodes: Any
    chain = wt.einsum("ab,bc,cd,d->a", *inputs)
    nodes = wt.FunctionGraph(inputs, [chain]).nodes
    assert {str(v.op) for v in nodes} == {"matmul"}
    assert [v.type.shape for v in nodes] == [(300,), (2,), (200,)]
    q, k = wt.tensor4("q"), wt.tensor4("k")
    scores = wt.einsum("bhqd,bhkd->bhqk", q, k)
    assert [str(v.op) for v in wt.FunctionGraph([q, k], [scores]).nodes].count("matmul") == 1


@pytest.mark.parametrize(
    ("compute", "shapes"),
    [
        *(
            (lambda *xs, text=text: wt.einsum(text, *xs), shapes)
            for text, *shapes in SUBSCRIPTS[3:8]
        ),
        (lambda a, b, c: wt.einsum("ij,kj,kl->il", a, b, c), [(2, 3), (4, 3), (4, 2)]),
        (lambda a, b: wt.einsum("bi,bi->b", a, b), [(2, 3), (2, 3)]),
        (lambda a, b: wt.tensordot(a, b, ([0, 1], [1, 0])), [(2, 3), (3, 2)]),
        (wt.inner, [(2, 3), (4, 3)]),
        (wt.vdot, [(2, 3), (2, 3)]),
        (wt.vecdot, [(2, 3), (3,)]),
        (wt.matvec, [(2, 2, 3), (3,)]),
        (wt.vecmat, [(2, 3), (3, 2)]),
        (wt.cross, [(2, 3), (3,)]),
        *((lambda a, b, m=m: wt.convolve(a, b, m), [(4,), (3,)]) for m in ("full", "same")),
        (wt.correlate, [(3,), (4,)]),
        (lambda a, b, c: wt.linalg.multi_dot([a, b, c]), [(2, 3), (3, 2), (2,)]),
        (lambda a: wt.linalg.matrix_power(a, 3), [(2, 2)]),
        (lambda a: wt.linalg.matrix_power(a, -2), [(2, 2)]),
    ],
)
def test_both_derivatives(compute: Any, shapes: Any) -> None:
    own = np.random.default_rng(1)  # whichever cases run
    check_grad(compute, [own.normal(size=shape) for shape in shapes])
