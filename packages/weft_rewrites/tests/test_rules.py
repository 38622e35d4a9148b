"""Every rule of every book keeps the value: drawn up from the rules themselves."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import weft_tensor as wt
from weft_graph import Input, Mode, Rule, Variable, constant, function, toposort
from weft_rewrites import canonical, folding, shapes, stability

BOOKS = {book.name: book for book in (canonical, shapes, stability, folding)}
RULES = [pytest.param(r, id=f"{name}: {r.name}") for name, book in BOOKS.items() for r in book]


def rule_of(parameter: Any) -> Rule:
    r = parameter.values[0]
    assert isinstance(r, Rule)
    return r


EQUATIONS = [p for p in RULES if "=" in str(p.id) and isinstance(rule_of(p).left, Variable)]
OTHERS = [p for p in RULES if p not in EQUATIONS]

NAN, INF = float("nan"), float("inf")
DTYPES = ("float64", "float32", "int64", "uint8", "bool", "complex128")
VALUES: dict[str, list[Any]] = {
    "f": [NAN, INF, -INF, 0.0, -0.0, 1.0, -1.0, 2.5, -0.75, 1e-9, 13.0, -17.0],
    "i": [0, 1, -1, 5, -7, 2**62, -(2**63)],
    "u": [0, 1, 2, 127, 128, 255],
    "b": [False, True],
    "c": [0, 1, -2.5, 1.5 - 2j, -3j],
}

# Where the left side is not what it should be: overflow, cancellation, inf - inf. These rules
# are compared where it is right.
DOMAINS: dict[str, list[float]] = {
    "exp(x) / (1 + exp(x)) = sigmoid(x)": [v for v in VALUES["f"] if v != INF],
    "exp(x) * sigmoid(-x) = sigmoid(x)": [v for v in VALUES["f"] if v != INF],
    "exp(-x) * sigmoid(x) = sigmoid(-x)": [v for v in VALUES["f"] if v != -INF],
    "exp(x - softplus(x)) = sigmoid(x)": [v for v in VALUES["f"] if v != INF],
}
# What stands for a letter, where a rule asks for more than a dtype.
FORMS: dict[str, dict[str, Callable[[Any], Any]]] = {
    "x ** 0.5 = sqrt(x) where x is not negative": {"x": wt.abs},
    "square(sqrt(x)) = x where x >= 0": {"x": wt.abs},
    "abs(x) = x where x is not negative": {"x": wt.exp},
    "exp(log(x)) = x where x is not negative": {"x": wt.square},
    "log(exp(x) / y) = x - log(y) where y is not negative": {"y": wt.exp},
    "maximum(n, 0) = n for a length n": {"x": lambda x: x.ravel().shape[0]},
}


def run(inputs: list[Any], output: Any, values: list[Any]) -> Any:
    with np.errstate(all="ignore"):
        return function(inputs, output, mode=Mode("py", books=[]))(*values)


def assert_equal_values(old: Any, new: Any, inputs: list[Any], values: list[Any]) -> None:
    assert old.type.accepts(new.type)
    before, after = run(inputs, old, values), run(inputs, new, values)
    assert before.dtype == after.dtype
    assert before.shape == after.shape
    rtol = 1e-3 if before.dtype in ("float32", "complex64") else 1e-9
    np.testing.assert_allclose(after, before, rtol=rtol, atol=rtol * 1e-3)


def written(pattern: Variable, leaves: dict[str, Any]) -> Any:
    """The pattern with variables in place of its letters."""
    made: dict[Variable, Any] = {}
    for v in toposort([pattern]):
        if isinstance(v.op, Input):
            made[v] = leaves[str(v.name)]
        elif not v.inputs:
            made[v] = v.op.literal  # type: ignore[attr-defined]
        else:
            made[v] = v.op(*[made[i] for i in v.inputs])
    return made[pattern]


def letters(r: Rule) -> list[Any]:
    assert isinstance(r.left, Variable)
    return sorted((v.op for v in toposort([r.left]) if isinstance(v.op, Input)), key=str)


def drawn(r: Rule, dtype: str) -> Iterator[list[Any]]:
    """Values for the letters: all pairs, broadcast against each other; vectors; scalars."""
    given = VALUES[np.dtype(dtype).kind]
    if np.dtype(dtype).kind == "f":
        given = DOMAINS.get(r.name, given)
        if dtype == "float32" and r in stability:
            given = [v for v in given if not 1e-6 > abs(v) > 0 and not INF > abs(v) > 3]
    array = np.array(given, dtype)
    if r.name.startswith("broadcast_length"):
        array = np.array([1, 4], dtype)
    if len(letters(r)) == 1:
        yield [array]
        yield [array[-1]]
    else:
        yield [array[:, None], array]
        yield [array, array[-1]]
        yield [array[1], array[-1]]


def concrete(r: Rule, dtype: str, values: list[Any]) -> tuple[list[Any], Any]:
    inputs, leaves = [], {}
    for op, value in zip(letters(r), values, strict=True):
        kind = wt.TensorType(dtype, [None if n > 1 else n for n in np.shape(value)])
        if op.constant:
            leaves[op.name] = constant(wt.TensorType(dtype, np.shape(value)), np.asarray(value))
            continue
        inputs.append(kind(op.name))
        leaves[op.name] = FORMS.get(r.name, {}).get(op.name, lambda x: x)(inputs[-1])
    return inputs, written(r.left, leaves)  # type: ignore[arg-type]


@pytest.mark.parametrize("r", EQUATIONS)
def test_both_sides_of_an_equation_have_one_value(r: Rule) -> None:
    applied = 0
    for dtype in DTYPES:
        for values in drawn(r, dtype):
            try:
                inputs, old = concrete(r, dtype, values)
            except (TypeError, OverflowError):
                continue  # the left side is not defined for this dtype
            new = r(old)
            if new is None:
                continue
            applied += 1
            kept = [v for v, op in zip(values, letters(r), strict=True) if not op.constant]
            assert_equal_values(old, new, inputs, [np.asarray(v) for v in kept])
    assert applied


X = wt.matrix("X", shape=(None, 3))
V = wt.vector("V", shape=("n",))
W = wt.vector("W", shape=("n",))
S = wt.scalar("S")
SMALL = wt.matrix("SMALL", dtype="int8")
C = wt.vector("C", dtype="bool")
Z = wt.vector("Z", dtype="complex128")
ROW = wt.matrix("ROW", shape=(1, None))
INPUTS = {
    X: np.array([[1.0, NAN, -2.0], [0.5, INF, 0.0]]),
    V: np.array([0.5, -1.5, 800.0, -900.0]),
    W: np.array([0.5, -1.5, 2.0, -INF]),
    S: np.array(-2.5),
    SMALL: np.array([[100, 100], [-128, 3]], "int8"),
    C: np.array([True, False]),
    Z: np.array([1 - 2j, 0.5j]),
    ROW: np.array([[1.0, -2.0]]),
}
n = V.shape[0]
full = [slice(None)] * 2
top = wt.max(V)
EXAMPLES: dict[str, list[Any]] = {
    "cast to the same dtype": [wt.Cast("float64")(X)],
    "cast of a cast that loses nothing": [
        wt.Cast("int8")(wt.Cast("float64")(SMALL)),
        wt.Cast("float32")(wt.Cast("int32")(SMALL)),
        wt.Cast("bool")(wt.Cast("int64")(C)),
    ],
    "real part of real numbers": [wt.real(X)],
    "conjugate of real numbers": [wt.conj(SMALL)],
    "where with a constant condition": [
        wt.where(wt.constant(True), X, S),
        wt.where(wt.constant(False), X, S),
        wt.where(wt.constant(True), SMALL, X[:, :1]),
    ],
    "where between equals": [wt.where(C[0], X, X), wt.where(C, S, S)],
    "where with a negated condition": [wt.where(wt.logical_not(C), S, Z)],
    "ifelse that is decided": [wt.ifelse(True, X, -X), wt.ifelse(False, X, -X)],
    "result of an ifelse that is decided": [
        wt.ifelse(False, [X, S], [-X, -S])[0],
        wt.ifelse(True, [X, S], [-X, -S])[1],
        wt.ifelse(C[0], [X, S], [X, -S])[0],
    ],
    "transpose that keeps the order": [wt.Transpose((0, 1))(X)],
    "transpose of a transpose": [wt.Transpose((2, 0, 1))(wt.Transpose((1, 0, 2))(X[:, :, None]))],
    "no new axes": [wt.ExpandDims(())(X)],
    "expand_dims of expand_dims": [X.expand_dims((0, 2)).expand_dims((1, 3, 5))],
    "expand_dims of squeeze": [wt.ExpandDims((0,))(wt.Squeeze((0,))(ROW))],
    "no axes to squeeze": [wt.Squeeze(())(X)],
    "squeeze of squeeze": [X.expand_dims((0, 2, 4)).squeeze(0).squeeze((1, 3))],
    "squeeze of expand_dims": [
        X.expand_dims((0, 2, 4)).squeeze((2, 4)),
        ROW.expand_dims((0, 3)).squeeze((1, 3)),
    ],
    "reshape to the same shape": [wt.Reshape()(X, *X.shape)],
    "reshape of reshape": [X.ravel().reshape((3, -1)), X.expand_dims(0).reshape((-1,))],
    "index that takes everything": [
        wt.Index((wt.Slice(None, None, None), wt.Slice(0, None, 1)))(X)
    ],
    "new axes by indexing": [X[:, None, 0], V[None, :, None], X[None, ::-1, None, S.ndim]],
    "element of a stack": [wt.stack([S, SMALL[0, 0], 2 * S])[1], wt.stack([X, -X])[-1]],
    "function of expand_dims": [wt.exp(X.expand_dims(1))],
    "cast of expand_dims": [X.expand_dims((0, 3)).astype("float32")],
    "reduction over no axes": [op(())(SMALL) for op in (wt.Sum, wt.Max, wt.Any_, wt.Prod)],
    "reduction of the same reduction": [
        op((0,))(op((1,))(X[:, None, :])) for op in (wt.Sum, wt.Prod, wt.Max, wt.Min, wt.All)
    ]
    + [wt.Sum((1,))(wt.Sum((0,))(SMALL[:, None, :]))],
    "reduction of expand_dims": [
        wt.sum(X.expand_dims((0, 2)), (0, 1)),
        wt.max(X.expand_dims(1), (0, 2)),
        wt.any(SMALL.expand_dims(0), 0),
    ],
    "reduction over axes of length 1": [wt.sum(ROW, 0), wt.prod(ROW)],
    "full reduction of a transpose": [wt.sum(X.T)],
    "sum(-x) = -sum(x)": [wt.sum(-X, 0)],
    "length that the type knows": [wt.Length(1)(X)],
    "length by name": [wt.Length(0)(wt.exp(V) * W), wt.Length(1)(S * V.expand_dims(0))],
    "length of an elementwise function": [wt.Length(0)(wt.exp(SMALL.astype("float32")) * S)],
    "length by infer_shape": [
        wt.Length(0)(X @ X.T),
        wt.Length(1)(wt.exp(SMALL) + S),
        wt.Length(0)(wt.ifelse(C[0], [X, S], [X[1:], -S])[0]),
        wt.Length(0)(wt.stack([X, X])),
    ],
    "sum_to decided by types": [
        wt.SumTo()(X, X.shape[0], wt.constant(1)),
        wt.SumTo()(V, W.shape[0]),
    ],
    "broadcast_to the same shape": [wt.BroadcastTo()(V, W.shape[0])],
    "broadcast_to of broadcast_to": [V.broadcast_to(2, n).broadcast_to(3, 2, n)],
    "broadcast_to of new axes in front": [
        wt.BroadcastTo()(V.expand_dims((0, 2)), *map(wt.constant, (2, 4, 5)))
    ],
    "elementwise function of new axes in front": [
        X + S.expand_dims((0, 1)),
        V.expand_dims(1) * W.expand_dims(0),
    ],
    "elementwise function of what broadcasts by itself": [
        V + S.broadcast_to(W.shape[0]),
        X * S.broadcast_to(X.shape),
    ],
    "elementwise function of repeated elements": [
        wt.exp(S.broadcast_to(3)),
        S.broadcast_to(n, 2) + V[1].broadcast_to(n, 2),
        S * V.broadcast_to(3, n),
    ],
    "cast of repeated elements": [S.broadcast_to(n).astype("float32")],
    "sum of a repeated number": [wt.full((n, 3), 2.5).sum(), wt.full(0, 2.5).sum()],
    "log(sum(exp(x))), shifted": [
        wt.log(wt.exp(W).sum()),
        wt.log(wt.exp(X).sum(0)),
        wt.log(wt.exp(X).sum()),
        wt.log(wt.exp(X).sum(1)),
        wt.log(wt.exp(wt.full(3, -INF) + S).sum()),
    ],
    "exp(x) / sum(exp(x)), shifted": [
        wt.exp(W) / wt.exp(W).sum(),
        wt.exp(X) / wt.exp(X).sum(1, keepdims=True),
        wt.exp(X) / wt.exp(X).sum(0),
        wt.exp(X.T) / wt.exp(X.T).sum(0, keepdims=True),
    ],
    "sigmoids and exponentials cancelled in a product": [
        wt.sigmoid(V / 99) * W * wt.exp(-(V / 99)),
        (W / wt.sigmoid(V / 99) + 1 / wt.sigmoid(-(V / 99))) * wt.square(wt.sigmoid(V / 99)),
    ],
    "sigmoids and exponentials cancelled in a quotient": [
        (S * wt.sigmoid(X * 2)) / wt.exp(X * 2),
        S / (wt.sigmoid(X - S) * (1 + wt.exp(S - X)) * wt.sigmoid(S - X)),
    ],
    "fold constants": [
        wt.constant([1.0, 2.0]) + wt.constant(3),
        wt.constant([[1, 2]], "int8") / wt.constant(3, "int8"),
    ],
    "fold one of several results": [
        wt.ifelse(
            wt.constant(True),
            [wt.constant(1.0), wt.constant(2)],
            [wt.constant(3.0), wt.constant(4)],
        )[1],
    ],
}


@pytest.mark.parametrize("r", OTHERS)
def test_rules_that_are_functions_keep_the_value(r: Rule) -> None:
    for old in EXAMPLES[r.name]:
        new = r(old)
        assert new is not None, old
        assert new is not old
        assert_equal_values(old, new, list(INPUTS), list(INPUTS.values()))


def test_no_example_is_left_over() -> None:
    assert {rule_of(p).name for p in OTHERS} == set(EXAMPLES)


def test_names_of_rules_are_unique() -> None:
    names = [rule_of(p).name for p in RULES]
    assert len(set(names)) == len(names)
