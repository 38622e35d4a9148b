"""Dtypes of results, of Python numbers among tensors, and of what a function takes."""

from __future__ import annotations

import operator
import subprocess
import sys
from collections.abc import Callable
from textwrap import dedent
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import weft_tensor as wt
from weft_graph import Mode, function, grad
from weft_tensor import (
    DTYPES,
    Elemwise,
    TensorType,
    as_tensor,
    cast,
    concatenate,
    constant,
    fscalar,
    matmul,
    stack,
    tensor,
    where,
)
from weft_tensor.extend import SCALARS, as_dtype, as_tensors, loop_dtypes

PY = Mode("py", books=[])
PAIRS = [(a, b) for a in DTYPES for b in DTYPES]


def numpys(computed: Callable[[], Any]) -> str | None:
    """The dtype of what `computed` gives, float32 for float16; None if NumPy refuses."""
    try:
        with np.errstate(all="ignore"):
            dtype = str(computed().dtype)
    except TypeError:
        return None
    return "float32" if dtype == "float16" else dtype


FUNCTIONS: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "add": (operator.add, operator.add),
    "sub": (operator.sub, operator.sub),
    "mul": (operator.mul, operator.mul),
    "true_div": (operator.truediv, operator.truediv),
    "floor_div": (operator.floordiv, operator.floordiv),
    "mod": (operator.mod, operator.mod),
    "pow": (operator.pow, operator.pow),
    "lt": (operator.lt, operator.lt),
    "bitwise_and": (operator.and_, operator.and_),
    "left_shift": (operator.lshift, operator.lshift),
    "matmul": (matmul, np.matmul),
    "where": (lambda x, y: where([True], x, y), lambda x, y: np.where(True, x, y)),
    "concatenate": (lambda x, y: concatenate([x, y]), lambda x, y: np.concatenate([x, y])),
    "stack": (lambda x, y: stack([x, y]), lambda x, y: np.stack([x, y])),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_two_dtypes_give_what_numpy_gives(name: str) -> None:
    ours, reference = FUNCTIONS[name]
    inputs, outputs, values, expected = [], [], [], []
    for a, b in PAIRS:
        x, y = np.ones(2, a), np.ones(2, b)
        wanted = numpys(lambda x=x, y=y: reference(x, y))  # type: ignore[misc]  # no types of defaults
        u, v = tensor("u", a, (2,)), tensor("v", b, (2,))
        if wanted is None:
            with pytest.raises(TypeError, match=f"{a} and {b}"):
                ours(u, v)
            continue
        result = ours(u, v)
        assert result.dtype == wanted, (a, b)
        inputs += [u, v]
        outputs.append(result)
        values += [x, y]
        expected.append(reference(x, y))
    for actual, output, value in zip(
        function(inputs, outputs, mode=PY)(*values), outputs, expected, strict=True
    ):
        assert str(actual.dtype) == output.dtype
        np.testing.assert_allclose(actual, value, rtol=1e-3)


@pytest.mark.parametrize("number", [2, 0, -1, 0.5, 1j, True])
def test_python_numbers_take_the_others_dtype(number: Any) -> None:
    for dtype in DTYPES:
        if number == -1 and dtype.startswith("uint"):
            with pytest.raises(OverflowError):
                tensor("x", dtype) + number
            continue
        x = tensor("x", dtype, (1,))
        array = np.ones(1, dtype)
        for f in (operator.add, operator.mul, operator.truediv):
            assert f(x, number).dtype == numpys(lambda f=f, a=array: f(a, number)), (dtype, f)  # type: ignore[misc]  # no types of defaults
            assert f(number, x).dtype == numpys(lambda f=f, a=array: f(number, a)), (dtype, f)  # type: ignore[misc]  # no types of defaults
        assert where([True], x, number).dtype == numpys(lambda a=array: np.where(True, a, number))  # type: ignore[misc]  # no types of defaults


def test_numbers_alone_are_of_full_width() -> None:
    assert [t.dtype for t in as_tensors((1, 0.5, 1j))] == ["int64", "float64", "complex128"]
    assert [t.dtype for t in as_tensors((np.float32(1), 0.5))] == ["float32", "float32"]
    assert as_tensor(np.float32(1)).dtype == "float32"
    assert as_tensor(True).dtype == "bool"


def test_small_integers_become_float32_where_numpy_makes_them_float16() -> None:
    for name in ("sin", "exp", "sqrt", "true_div", "cbrt"):
        for dtype in ("bool", "int8", "uint8"):
            row = SCALARS[name]
            op = Elemwise(name)
            result = op(*[tensor("x", dtype)] * row.arity)
            numpy = str(row.numpy(*[np.ones((), dtype)] * row.arity).dtype)
            assert result.dtype == ("float32" if numpy == "float16" else numpy), (name, dtype)
            value = function([tensor("x", dtype)], op(*[constant(1, dtype)] * row.arity), mode=PY)(
                np.ones((), dtype)
            )
            assert str(value.dtype) == result.dtype


@pytest.mark.parametrize("name", SCALARS)
def test_the_dtype_promised_is_the_dtype_computed(name: str) -> None:
    row = SCALARS[name]
    inputs: list[Any] = []
    outputs: list[Any] = []
    for dtype in DTYPES:
        try:
            loop_dtypes(name, (dtype,) * row.arity)
        except TypeError:
            continue
        x = tensor("x", dtype, (1,))
        inputs.append(x)
        outputs.append(Elemwise(name)(*[x] * row.arity))
    with np.errstate(all="ignore"):
        found = function(inputs, outputs, mode=PY)(*[np.ones(1, x.dtype) for x in inputs])
    assert [str(v.dtype) for v in found] == [v.dtype for v in outputs]


@pytest.mark.parametrize("dtype", ["float16", "longdouble", object, "U3", "datetime64[s]", "no"])
def test_other_dtypes_are_refused(dtype: Any) -> None:
    with pytest.raises(TypeError, match="is no dtype for tensors"):
        as_dtype(dtype)
    with pytest.raises(TypeError, match="is no dtype for tensors"):
        cast(1.0, dtype)


@pytest.mark.parametrize(("given", "wanted"), PAIRS)
def test_arrays_are_taken_exactly_where_nothing_is_lost(given: str, wanted: str) -> None:
    kind = TensorType(wanted, (2,))
    array = np.ones(2, given)
    if np.can_cast(given, wanted, "safe"):
        assert kind.filter(array).dtype == wanted
        assert kind.filter(array[0:1].repeat(2)).dtype == wanted
    else:
        with pytest.raises(TypeError, match=rf"expected {wanted}\[2\], got dtype {given}.*astype"):
            kind.filter(array)
        with pytest.raises(TypeError, match=f"got dtype {given}"):
            TensorType(wanted).filter(np.ones((), given)[()])


@given(st.integers(-(2**70), 2**70), st.sampled_from(DTYPES[1:]))
def test_python_integers_are_taken_exactly_where_they_fit(number: int, dtype: str) -> None:
    kind = TensorType(dtype)
    exact = np.dtype(dtype)
    if exact.kind in "iu":
        fits = np.iinfo(exact).min <= number <= np.iinfo(exact).max
    else:
        fits = -(2**63) <= number < 2**64 and int(exact.type(number).real) == number
    if fits:
        assert int(kind.filter(number).real) == number
        assert kind.filter([number][0]).dtype == dtype
    else:
        with pytest.raises(TypeError, match="expected"):
            kind.filter(number)


@pytest.mark.parametrize(
    ("value", "dtype"),
    [([], "int64"), ([1, 2], "float32"), ([0.1], "float32"), (True, "int8"), ((1, 2), "uint8")],
)
def test_lists_and_numbers_are_taken(value: Any, dtype: str) -> None:
    found = TensorType(dtype, [None] * np.ndim(value)).filter(value)
    np.testing.assert_array_equal(found, np.array(value, dtype))


@pytest.mark.parametrize(
    ("value", "dtype"),
    [
        ([0.5], "int64"),
        (300, "uint8"),
        ([-1], "uint64"),
        (1e300, "float32"),
        (1j, "float64"),
        (2**24 + 1, "float32"),
        ("a", "float64"),
        (None, "float64"),
        ([[1], [1, 2]], "int64"),
    ],
)
def test_what_does_not_fit_is_refused(value: Any, dtype: str) -> None:
    with pytest.raises(TypeError, match=f"expected {dtype}"):
        TensorType(dtype, [None] * isinstance(value, list)).filter(value)


def test_infinities_and_nan_fit_into_every_floating_dtype() -> None:
    found = TensorType("float32", (None,)).filter([np.inf, -np.inf, np.nan])
    np.testing.assert_array_equal(found, np.array([np.inf, -np.inf, np.nan], "float32"))


def test_a_refusal_names_the_input_and_its_line() -> None:
    x = fscalar("weight")
    compiled = function([x], x + 1, mode=PY)
    with pytest.raises(TypeError, match=r"input <weight : float32>, made at line .*expected"):
        compiled(np.float64(1))


def test_zeros_keep_their_sign_in_constants() -> None:
    assert np.signbit(constant(-0.0).op.value)  # type: ignore[attr-defined]  # a Constant
    first, second = constant(complex(-1, 0.0)), constant(complex(-1, -0.0))
    assert first is not second
    assert np.signbit(second.op.value.imag)  # type: ignore[attr-defined]  # a Constant
    assert wt.sqrt(complex(-1, 0.0)) is not wt.sqrt(complex(-1, -0.0))


def test_the_logistic_function_has_dtypes_without_importing_scipy() -> None:
    for dtype in map(str, DTYPES):  # as SciPy 1.18 has them; before, small integers were float64
        if not dtype.startswith("complex"):
            wanted = str(np.result_type(np.exp(np.ones(1, dtype)), "float32"))
            assert loop_dtypes("sigmoid", (dtype,)) == ((wanted,), wanted)
            value = wt.sigmoid(constant(1, dtype)).eval()
            assert str(value.dtype) == wanted
    with pytest.raises(TypeError, match="not defined for complex128"):
        Elemwise("sigmoid")(TensorType("complex128", (None,))("z"))
    program = """
        import sys
        import weft_tensor as wt
        from weft_graph import grad
        x = wt.vector("x")
        grad(wt.sum(wt.softplus(x)), x)
        sys.exit("scipy.special" in sys.modules)
    """
    subprocess.run([sys.executable, "-c", dedent(program)], check=True)


@pytest.mark.parametrize("narrow", ["float32", "complex64"])
def test_slopes_of_mixed_digits_have_those_of_the_result(narrow: str) -> None:
    x, y = wt.scalar("x"), wt.scalar("y", narrow)
    divisor = np.dtype(narrow).type(1.3)
    slope = function([x, y], grad(wt.real(x / y), x), mode="py")(2.0, divisor)
    np.testing.assert_allclose(slope, (1 / divisor.astype("complex128")).real, rtol=1e-15)


def test_lengths_are_as_weak_as_the_ints_that_numpy_has() -> None:
    single, mixed = wt.tensor("single", "float32", (None, 3)), wt.tensor("mixed", "complex64", (2,))
    n = single.shape[0]
    for length in (n, single.size, n - 1, 2 * n**2, 1 / n, n // 2 % 3, -abs(n), n**0.5):
        for result in (single / length, length * single, wt.where(single > 0, single, length)):
            assert result.dtype == "float32"
    assert (mixed * n).dtype == "complex64"
    # NumPy's functions of ints give float64, of which a variable and an array are as well
    assert {(single * s).dtype for s in (wt.sqrt(n), wt.lscalar("s"), np.int64(3))} == {"float64"}
    assert (wt.bvector("small") * n).dtype == "int64"


@pytest.mark.parametrize("name", DTYPES)
def test_dtypes_are_those_of_numpy_too(name: str) -> None:
    dtype: Any = tensor("x", name, ()).dtype
    numpys = np.dtype(name)
    for known in (name, numpys, numpys.type):
        assert dtype == known
        assert known == dtype
        assert not operator.ne(dtype, known)
        assert dtype in (None, known)
    assert [d for d in DTYPES if dtype == np.dtype(d).type] == [name]
    assert {name: 1}[dtype] == 1
    assert dtype != 3
    for fact in ("char", "itemsize", "kind", "name", "type"):
        assert getattr(dtype, fact) == getattr(numpys, fact)


def test_numpy_knows_dtypes_of_variables() -> None:
    assert tensor("x", "float64", ()).dtype == float
    x: Any = fscalar("x")
    assert x.dtype != float
    assert np.result_type(x, 1.0) == np.float32
