"""What may be given to tensors wrongly, and Ops that compute something else than they say."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
import pytest
import scipy.sparse

import weft_tensor as wt
from weft_graph import MissingInputError, VerificationError, ask, assume, constant, function
from weft_graph.extend import check_result
from weft_tensor.extend import inferred_shapes
from weft_testing import check_op

x = wt.vector("x")
A = wt.matrix("A", shape=(2, 3))
B = wt.matrix("B", shape=(4, 3))
ANY: Any = wt
OF_ANY: Any = function


@pytest.mark.parametrize("foreign", [None, "a", object(), np.array([None]), {1: 2}])
def test_what_is_no_tensor(foreign: Any) -> None:
    with pytest.raises(TypeError, match="is no tensor: as an array, its dtype is"):
        wt.exp(foreign)


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: ANY.matrix("q", (3, 3)), r"lengths are given by name, shape=\(3, 3\)"),
        (lambda: ANY.vmap(x.sum()), "vmap takes a function of one element, not <sum"),
        (lambda: ANY.optimize.minimize((x**2).sum(), x), "fun is a function of x, not <sum"),
        (lambda: ANY.while_loop(0.0, lambda s: s < 1, lambda s: s + 1), "0.0 or .* is no function"),
        (
            lambda: ANY.scan(lambda s, v: (s + v, s), 0.0, x),
            r"`scan\(f, init, xs\)`, as in JAX, is",
        ),
        (lambda: OF_ANY([A], A)(scipy.sparse.eye_array(3)), r"is given by \.toarray\(\), or to"),
        (
            lambda: OF_ANY([ANY.vector("q")], ANY.vector("q") * 2),
            "An input has its name, but is an",
        ),
        (lambda: OF_ANY([], x.sum(), givens={x: np.ones(3)}), "make it one, as with `constant`"),
    ],
)
def test_what_is_typed_from_other_libraries_is_answered(make: Any, text: str) -> None:
    with pytest.raises((TypeError, MissingInputError), match=text):
        make()


MAKERS = [wt.scalar, wt.dvector, wt.matrices, wt.tensor, lambda name: wt.shared(1.0, name)]


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("name", [3, 2.5, {0: 1}])
def test_a_name_is_a_string(make: Any, name: Any) -> None:
    with pytest.raises(TypeError, match=r"must be a string, not .* is made a variable by `const"):
        make(name)


MASKED = np.ma.array([1.0, 2.0, 1e9], mask=[False, False, True])


@pytest.mark.parametrize("given", [MASKED, [MASKED, MASKED], (1.0, np.ma.masked), MASKED > 1.0])
@pytest.mark.parametrize(
    "enter",
    [
        wt.constant,
        wt.as_tensor,
        wt.shared,
        lambda given: wt.exp(given),
        lambda given: x + given,
        lambda given: x[given],
        lambda given: x[:2].set(given),
        lambda given: wt.as_tensor([[given], [x]]),
        lambda given: constant(x.type, given),
        lambda given: wt.shared([0.0]).set_value(given),
        lambda given: function([], x, givens={x: wt.as_tensor(given)}),
        lambda given: function([x], 2.0 * x, mode="py", verify={x: given}),
    ],
)
def test_the_mask_of_an_array_is_never_dropped_without_a_word(enter: Any, given: Any) -> None:
    with pytest.raises(TypeError, match="tensors have no mask"):
        enter(given)


def test_a_masked_array_that_takes_a_variable_first_is_refused() -> None:
    """NumPy asks the variable for its value then, and knows nothing of tensors."""
    with pytest.raises(TypeError, match="has no value yet"):
        MASKED * x


def test_a_column_of_a_table_leaves_operators_to_variables() -> None:
    """As pandas does for what has a greater `__pandas_priority__` than its own."""

    class Column:
        __pandas_priority__ = 3000

        def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
            return np.array([False, True], dtype)

    column: Any = Column()
    assert wt.vector().__pandas_priority__ > 4000
    assert x[column].eval({x: [1.0, 2.0]}) == [2.0]
    assert (column * x).eval({x: [1.0, 2.0]}).tolist() == [0.0, 2.0]
    with pytest.raises(TypeError, match="columns of tables by element: say which"):
        operator.eq(x, column)


@pytest.mark.parametrize("make", [np.asarray, lambda v: np.array([1.0, v]), np.real_if_close])
def test_numpy_makes_no_array_of_a_variable(make: Any) -> None:
    with pytest.raises(TypeError, match=r"<x : float64\[\?\]> has no value yet"):
        make(x)


@pytest.mark.parametrize(
    ("kind", "value", "text"),
    [
        ("float64", "a", "got dtype <U1"),
        ("float64", None, "got dtype object"),
        ("float64", [1.0, [2.0]], "inhomogeneous"),
        ("float64", 1j, "got dtype complex128"),
        ("int8", 300, "300 does not fit into it, which takes integers from -128 to 127"),
        ("uint8", -1, "-1 does not fit into it, which takes integers from 0 to 255"),
        ("uint64", 2**64, f"{2**64} does not fit into it"),
        ("int64", 2**63, f"{2**63} does not fit into it"),
        ("int64", -(2**63) - 1, f"{-(2**63) - 1} does not fit into it"),
        ("float32", 1e300, "1e+300 does not fit into it"),
        ("bool", 1, "got dtype int64: give it True or False, or give the input the dtype int64"),
        ("int64", 1.0, "got dtype float64: give it integers, or give the input the dtype float64"),
        ("float64", [1j], "got dtype complex128: give it real numbers, or give the input the"),
        ("float64", ["a", 1], "got dtype <U21: give it real numbers"),
        ("float64", np.array(["a"]), "got dtype <U1: give it real numbers"),
        ("float64", {1.0}, "got dtype object: give it real numbers, not a set"),
        (
            "float64",
            np.array(1.0, object),
            "if it holds such, convert it explicitly, with .",
        ),
        ("uint8", np.array([200, 300]), "got dtype int64: convert it explicitly, with .astype('u"),
        ("float64", x, "got the variable <x"),
        ("float64", np.ones((2, 1)), "which has rank 0, got float64 array of shape"),
    ],
)
def test_a_value_that_is_not_of_an_inputs_type(kind: str, value: Any, text: str) -> None:
    given = wt.scalar("given", dtype=kind)
    with pytest.raises(TypeError, match=r"input <given : .*>, made at line") as caught:
        function([given], given, mode="py")(value)
    assert text in str(caught.value)


@pytest.mark.parametrize(
    ("kind", "value", "text"),
    [
        ("uint8", [200, 300, 400], "300 does not fit into it, which takes integers from 0 to 255"),
        ("uint8", [3, -2], "-2 does not fit into it, which takes integers from 0 to 255"),
        ("int64", [1, 2**70], f"{2**70} does not fit into it"),
        ("int32", [0] * 1000 + [2**40], f"{2**40} does not fit into it"),
        ("float32", [1.0, -1e300], "-1e+300 does not fit into it"),
        ("int64", (1.5, 2.0), "got dtype float64: give it integers, or give the input the"),
        ("bool", [0, 1], "got dtype int64: give it True or False"),
    ],
)
def test_numbers_in_a_list_that_do_not_fit_are_told(kind: str, value: Any, text: str) -> None:
    given = wt.vector("given", dtype=kind)
    with pytest.raises(TypeError, match=r"input <given : .*>, made at line") as caught:
        function([given], given, mode="py")(value)
    assert text in str(caught.value)
    assert len(str(caught.value)) < 400


def test_shapes_that_can_not_fit_are_refused_where_they_are_written() -> None:
    with pytest.raises(ValueError, match="lengths 2 and 4 can't be broadcast") as caught:
        A + B
    assert "while applying add to\n  A : float64[2, 3]   (made at line" in caught.value.__notes__[0]


class Declared(wt.TensorOp):
    """Says that the result is like the input."""

    def infer(self, *types: Any) -> Any:
        return types[0]

    def infer_shape(self, fgraph: Any, node: Any, input_shapes: Any) -> Any:
        return input_shapes


class OtherDtype(Declared):
    def impl(self, *values: Any) -> Any:
        return values[0].astype("float32")


class OtherRank(Declared):
    def impl(self, *values: Any) -> Any:
        return values[0][:, None]


class OtherLength(Declared):
    def infer(self, *types: Any) -> Any:
        return wt.TensorType("float64", (3,))

    def impl(self, *values: Any) -> Any:
        return values[0]


class AList(Declared):
    def impl(self, *values: Any) -> Any:
        return list(values[0])


class Unfilled(Declared):
    def perform(self, node: Any, inputs: Any, output_storage: Any) -> None:
        pass


WRONG: list[tuple[Any, str]] = [
    (OtherDtype(), r"expected float64\[\?\], got float32 array of shape \(2,\)"),
    (OtherRank(), r"expected float64\[\?\], which has rank 1, got float64 array of shape \(2, 1\)"),
    (OtherLength(), r"expected float64\[3\], got float64 array of shape \(2,\): axis 0 must"),
    (AList(), r"expected float64\[\?\], got \[.*\], a list"),
    (
        Unfilled(),
        r"expected float64\[\?\], got None, a NoneType; `perform` must fill output_storage",
    ),
]


@pytest.mark.parametrize(("op", "text"), WRONG, ids=[str(op) for op, _ in WRONG])
def test_an_op_that_computes_something_else_is_named(op: Any, text: str) -> None:
    text = f"{op} returned what is not of its declared type: {text}"
    with pytest.raises(VerificationError, match=text):
        function([x], op(x), mode="py", verify={x: [1.0, 2.0]})
    with pytest.raises(AssertionError, match=text):
        check_op(op, np.ones(2), backends=[])


def test_scalars_of_numpy_are_results_of_rank_0() -> None:
    check_result(x.sum(), np.float64(1.0))
    with pytest.raises(TypeError, match=r"expected float64, got 1.0, a float"):
        check_result(x.sum(), 1.0)


class Shapes(Declared):
    """Gives something else than shapes."""

    given: Any

    def impl(self, *values: Any) -> Any:
        return values[0]

    def infer_shape(self, fgraph: Any, node: Any, input_shapes: Any) -> Any:
        return {
            "nothing": None,
            "two": [*input_shapes, *input_shapes],
            "error": 0,
            "scalar": [()],
            "matrix": [(*input_shapes[0], 1)],
            "a length": [input_shapes[0][0]],
            "a number": [(2,)],
            "of NumPy": [[np.int64(2)]],
            "of 32 bits": [(input_shapes[0][0].astype("int32"),)],
            "of 64 bits": [(2.0,)],
            "open": [(None,)],
        }[self.given]


@pytest.mark.parametrize("given", ["nothing", "two"])
def test_what_infer_shape_may_not_return(given: str) -> None:
    with pytest.raises(TypeError, match=r"Shapes.infer_shape must return one shape for") as caught:
        inferred_shapes(Shapes(given)(x))
    assert "while inferring the shape of <Shapes" in caught.value.__notes__[0]


@pytest.mark.parametrize("given", ["scalar", "matrix", "a length"])
def test_infer_shape_says_as_many_lengths_as_there_are_axes(given: str) -> None:
    text = r"Shapes.infer_shape must return a length for each axis of float64\[\?\], not"
    with pytest.raises(TypeError, match=text) as caught:
        inferred_shapes(Shapes(given)(x))
    assert "while inferring the shape of <Shapes" in caught.value.__notes__[0]


def test_lengths_of_infer_shape_are_integers_and_may_be_open() -> None:
    for given in ("a number", "of NumPy", "of 32 bits"):
        shapes = inferred_shapes(Shapes(given)(x))
        assert shapes is not None
        assert shapes[0][0].type is wt.TensorType("int64")
    assert inferred_shapes(Shapes("open")(x)) is None
    with pytest.raises(TypeError, match="a length must be an integer scalar"):
        inferred_shapes(Shapes("of 64 bits")(x))


def test_an_error_in_infer_shape_names_the_node() -> None:
    with pytest.raises(KeyError, match="other") as caught:
        inferred_shapes(Shapes("other")(x))
    assert "while inferring the shape of <Shapes" in caught.value.__notes__[0]


class Mapped(Declared):
    """An Op with a function as a parameter."""

    function: Any

    def impl(self, *values: Any) -> Any:
        return self.function(values[0])


def test_a_parameter_that_can_not_be_pickled_is_named() -> None:
    with pytest.raises(AssertionError, match="Mapped: parameter 'function' can't be pickled"):
        check_op(Mapped(lambda v: v), np.ones(2), backends=[])
    check_op(Mapped(np.sort), np.ones(2), backends=[])


def test_an_array_is_no_parameter() -> None:
    with pytest.raises(TypeError, match="Mapped: parameters must be hashable, but function=array"):
        Mapped(np.ones(2))


def test_facts_are_seen_through_prints_and_checks() -> None:
    known = assume(x, positive=True)
    for seen in (wt.print_value(known), wt.assert_op(known, x), wt.check_and_raise(known, x)):
        assert ask(seen, "positive") is True
