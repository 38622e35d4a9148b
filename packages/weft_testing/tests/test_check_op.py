"""`check_op` passes what is right, and names each thing that is wrong."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import pytest

from weft_graph import Op
from weft_tensor import Elemwise, TensorOp, TensorType, broadcast_to
from weft_tensor.extend import blank, vectorize_node
from weft_testing import check_op

POINT = np.array([0.5, 1.0, 2.0])


class Cube(TensorOp):
    """Right in all respects; what is wrong inherits from it."""

    linear: ClassVar[slice | None] = None

    def infer(self, *types: Any) -> Any:
        return types[0]

    def impl(self, *values: Any) -> Any:
        return values[0] ** 3

    def pullback(self, inputs: Any, outputs: Any, cotangents: Any) -> Any:
        return [cotangents[0] * 3 * inputs[0] ** 2]

    def pushforward(self, inputs: Any, outputs: Any, tangents: Any) -> Any:
        return [tangents[0] * 3 * inputs[0] ** 2]

    def infer_shape(self, fgraph: Any, node: Any, input_shapes: Any) -> Any:
        return input_shapes


class WrongDtype(Cube):
    def infer(self, *types: Any) -> Any:
        return TensorType("float32", types[0].shape)


class WrongRank(Cube):
    def infer(self, *types: Any) -> Any:
        return TensorType("float64", (None, None))


class WrongLength(Cube):
    def infer(self, *types: Any) -> Any:
        return TensorType("float64", (2,))


class WrongShape(Cube):
    def infer_shape(self, fgraph: Any, node: Any, input_shapes: Any) -> Any:
        return [(input_shapes[0][0] + 1,)]


class NoShape(Cube):
    infer_shape = Op.infer_shape


class WrongPullback(Cube):
    def pullback(self, inputs: Any, outputs: Any, cotangents: Any) -> Any:
        return [cotangents[0] * inputs[0] ** 2]


class WrongPushforward(Cube):
    def pushforward(self, inputs: Any, outputs: Any, tangents: Any) -> Any:
        return [tangents[0] * 2 * inputs[0] ** 2]


class TooFew(Cube):
    def pullback(self, inputs: Any, outputs: Any, cotangents: Any) -> Any:
        return []


class Modifying(Cube):
    def impl(self, *values: Any) -> Any:
        x = values[0]
        x *= x * x
        return x.copy()


class Viewing(Cube):
    view_of = ()

    def impl(self, *values: Any) -> Any:
        return values[0][::-1]


class OnlyContiguous(Cube):
    def impl(self, *values: Any) -> Any:
        x = values[0]
        if not x.flags.c_contiguous:
            return np.zeros_like(x)
        return x**3


class Failing(Cube):
    def impl(self, *values: Any) -> Any:
        raise RuntimeError("out of order")


class Alike(Cube):
    """Batched, all elements are the first."""


@vectorize_node.register
def _alike(op: Alike, node: Any, inputs: Any) -> Any:
    return broadcast_to(op(inputs[0][0]), inputs[0].shape)


class WrongFacts(Cube):
    facts = "nonpositive"


class Unheard(Cube):
    facts = "keeps green"


def test_what_is_right_passes() -> None:
    check_op(Cube(), POINT, backends=[], reference=lambda x: x**3)
    check_op(Elemwise("exp"), POINT, reference=np.exp)


@pytest.mark.parametrize(
    ("op", "report"),
    [
        (WrongDtype(), r"types: TypeError: .*: expected float32\[\?\], got float64 array"),
        (WrongRank(), r"types: TypeError: .* which has rank 2, got float64 array of shape \(3,\)"),
        (WrongLength(), r"types: TypeError: .* axis 0 must have length 2"),
        (WrongShape(), r"infer_shape: AssertionError: \(4,\), but the result has \(3,\)"),
        (NoShape(), "infer_shape: AssertionError: infer_shape is not defined"),
        (WrongPullback(), r"derivative by input 0, reverse mode \(actual\) and finite difference"),
        (WrongPushforward(), r"derivative by input 0, forward mode \(actual\) and reverse mode"),
        (TooFew(), "TooFew.pullback returned 0 cotangents for 1 inputs"),
        (Modifying(), "inputs: AssertionError: input 0 was modified"),
        (Viewing(), r"has memory of input 0: say so with `view_of = \(0,\)`"),
        (OnlyContiguous(), "memory layout: AssertionError"),
        (WrongFacts(), "facts: AssertionError: it is not nonpositive, as its facts say"),
        (Unheard(), "facts: ValueError: no fact 'green', as in 'keeps green'; there are not_nan, "),
        (Failing(), "types: RuntimeError: out of order"),
    ],
    ids=lambda value: str(value) if isinstance(value, Op) else "",
)
def test_what_is_wrong_is_named(op: Op, report: str) -> None:
    with pytest.raises(AssertionError, match=report) as caught:
        check_op(op, POINT, backends=[])
    assert f"{op} of float64[3]: " in str(caught.value)


def test_functions_of_tensors() -> None:
    check_op(lambda x, y: (x @ y, x.sum(axis=0)), np.ones((2, 3)), np.ones(3), backends=[])
    with pytest.raises(AssertionError, match=r"OpFromGraph of (?s:.*)derivative by input 0"):
        check_op(lambda x: WrongPullback()(x) + x, POINT, backends=[])


def test_a_wrong_rule_of_batching() -> None:
    with pytest.raises(AssertionError, match=r"Alike of .*: batches: AssertionError"):
        check_op(Alike(), POINT, backends=[])


def test_a_wrong_value() -> None:
    with pytest.raises(AssertionError, match="reference: AssertionError"):
        check_op(Cube(), POINT, backends=[], reference=lambda x: x**2)
    with pytest.raises(AssertionError, match="reference: AssertionError: dtype float64 instead"):
        check_op(Cube(), POINT, backends=[], reference=lambda x: (x**3).astype("float32"))


def test_examples_are_left_as_they_are() -> None:
    values = POINT.copy()
    with pytest.raises(AssertionError, match="input 0 was modified"):
        check_op(Modifying(), values, backends=[])
    np.testing.assert_array_equal(values, POINT)


def test_what_does_not_pickle() -> None:
    class Local(Cube):
        pass

    with pytest.raises(AssertionError, match=r"1 problems\n\nLocal of .*: pickling: "):
        check_op(Local(), POINT, backends=[])


def test_a_backend_that_is_not_there() -> None:
    with pytest.raises(AssertionError, match=r"float64.*: fortran: ValueError: unknown mode 'fort"):
        check_op(Cube(), POINT, backends=["fortran"])


def test_all_that_is_wrong_is_reported_at_once() -> None:
    class Both(WrongPullback, WrongShape):
        pass

    with pytest.raises(AssertionError, match=r"(?s)3 problems.*infer_shape.*pickling.*derivative"):
        check_op(Both(), POINT, backends=[])


def test_examples_of_the_op() -> None:
    class WithExamples(Cube):
        """Wrong for the second of its examples."""

        def impl(self, *values: Any) -> Any:
            return values[0] ** 3 if values[0].size else np.zeros(0, "float32")

        @classmethod
        def examples(cls) -> list[tuple[Op, list[Any]]]:
            return [(cls(), [POINT]), (cls(), [np.zeros(0)])]

    with pytest.raises(AssertionError, match=r"WithExamples of float64\[0\]: types:"):
        check_op(WithExamples, backends=[])
    with pytest.raises(ValueError, match=r"Cube has no examples: define a classmethod `examples`"):
        check_op(Cube())
    with pytest.raises(TypeError, match="give an Op, not a class"):
        check_op(Cube, POINT)


def test_ops_without_derivatives_pass() -> None:
    class Step(Cube):
        pullback = Op.pullback
        pushforward = Op.pushforward

    with pytest.raises(AssertionError, match=r"1 problems\n\nStep of .*: pickling"):
        check_op(Step(), POINT, backends=[])


def test_blanks_are_named_before_anything_else() -> None:
    class Begun(Cube):
        """Blank: what it gives."""

        examples = blank("examples: some with no elements")
        impl = blank("impl: by NumPy")

    message = """Begun: examples still blank; impl still blank; docstring of Begun still blank
    examples: some with no elements
    impl: by NumPy
    docstring of Begun: what it gives."""
    with pytest.raises(AssertionError) as caught:
        check_op(Begun)
    assert str(caught.value) == message
    with pytest.raises(AssertionError, match="Begun: examples still blank; impl still blank"):
        check_op(Begun(), POINT, backends=[])
    with pytest.raises(NotImplementedError, match="still blank: impl: by NumPy"):
        Begun()(POINT).eval()
