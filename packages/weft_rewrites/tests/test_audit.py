"""Every rule keeps types and values, changes just what it declares, and comes to apply."""

from __future__ import annotations

from math import inf, nan, prod
from typing import Any

import numpy as np
import pytest

import weft_tensor as wt
from packages.weft_rewrites.tests.examples import arrays, elements, matrices
from packages.weft_rewrites.tests.examples.operands import C, V, W
from weft_graph import Mode, Rule, RuleBook, Variable, function, graph_inputs
from weft_graph.extend import filled, wildcards_of
from weft_rewrites import drop_proven_broadcasts, factor_sums, simplify, stabilize
from weft_rewrites.ops.linalg import banded, by_facts, structured
from weft_testing import check_book

IN_PARTS = {
    r.name
    for book in (structured.rules, structured.wholes, by_facts.rules, by_facts.wholes, banded.rules)
    for r in book
}
"""Those that are in test_matrices.py."""
EXAMPLES: dict[str, list[Any]] = {**elements.EXAMPLES, **arrays.EXAMPLES, **matrices.EXAMPLES}
_TAILS = (0.5, 1.0, 2.5, 7.0, 120.0)
NUMBERS = {
    "log(i0(x)) = log(i0e(x)) + abs(x)": (0.5, 7.0, 120.0),
    "log(iv(x, y)) = log(ive(x, y)) + abs(y)": _TAILS,
    "log(kv(x, y)) = log(kve(x, y)) - y": _TAILS,
    "gammaln(x) + gammaln(y) - gammaln(x + y) = betaln(x, y)": _TAILS,
    "1 - betainc(x, y, z) = betaincc(x, y, z)": (0.3, 0.5, 0.9, 1.0, 2.5),
    "1 - betaincc(x, y, z) = betainc(x, y, z)": (0.3, 0.5, 0.9, 1.0, 2.5),
    "log1p(-gammainc(x, y)) = log_gammaincc(x, y)": _TAILS,
    "log1p(-gammaincc(x, y)) = log_gammainc(x, y)": _TAILS,
    **dict.fromkeys(
        [
            "gammaln((1 + x) / 2) - gammaln(x / 2) = log(pi) / 2 - betaln(0.5 * x, 0.5)",
            "gammaln(0.5 * (1 + x)) - gammaln(0.5 * x) = log(pi) / 2 - betaln(0.5 * x, 0.5)",
            "gammaln(0.5 + 0.5 * x) - gammaln(0.5 * x) = log(pi) / 2 - betaln(0.5 * x, 0.5)",
            "exp(x) / y - reciprocal(y) = expm1(x) / y",
            "(1 + 1 / x) ** x = exp(x * log1p(1 / x))",
            "(1 + x) ** (1 / x) = exp(log1p(x) / x)",
            "(1 + x) ** y - 1 = pow1pm1(x, y)",
            "1 - (1 + x) ** y = -pow1pm1(x, y)",
            "1 - (1 - x) ** y = -pow1pm1(-x, y)",
            "(x ** y - 1) / y = boxcox(x, y) where x >= 0",
            "gamma(x) * gamma(y) / gamma(x + y) = beta(x, y)",
            "(exprel(x) - 1) / x = exprel2(x)",
            "cosh(x) / sinh(x) - reciprocal(x) = langevin(x)",
            "reciprocal(tanh(x)) - reciprocal(x) = langevin(x)",
            "reciprocal(x) - reciprocal(expm1(x)) by langevin(0.5 * x) where x <= 2",
            "reciprocal(expm1(x)) - reciprocal(x) by langevin(0.5 * x) where x <= 2",
        ],
        _TAILS,
    ),
    "cosh(x)² - sinh(x)² = 1": (-1.5, 0.0, 0.5, 2.5),
    "exp(x) ** y = exp(x * y)": (-1.5, 0.0, 0.5, 2.5, 1e-3, 90.0),
}
"""For rules whose left side has no right digits for tiny and huge numbers, in 64 bits either."""
_NEAR_ONE = (-2.5, -0.9997, -0.0, 0.5, 0.9997, 1.0, 2.5, 1e30, inf, nan)
TELLING = {
    "log1mexp(log1mexp(x)) = x, NaN above 0": (
        -inf,
        -800.0,
        -103.0,
        -2.5,
        -0.0,
        0.0,
        0.5,
        inf,
        nan,
    ),
    "log1mexp(log1mexpexp(x)) = -exp(x)": (-inf, -2.5, -0.0, 0.0, 0.5, 4.634, 7.0, 800.0, inf, nan),
    "y / (1 - square(x)) = y / ((1 - x) * (1 + x))": _NEAR_ONE,
    "reciprocal(1 - square(x)) = reciprocal((1 - x) * (1 + x))": _NEAR_ONE,
}
"""For rules whose left side loses digits at few numbers: near 1, or where exp(x) is subnormal."""

BY_LIBRARIES = {
    "solve(a, b) of a stack b = solve(a, its columns side by side)",
    "solve_triangular(a, b) of a stack b = solve_triangular(a, its columns side by side)",
    "sum(x @ y) of stacks = product of what lies side by side",
    "x @ A of a stack x = product of its rows, one below the other",
    "x @ b of a stack x = product of its rows, one below the other, with b",
    "sum(A[:, :, None] * B, 1) = A @ B",
    "sum(A[:, None] * B, 2) = A @ B.T",
    "sum(A[:, :, None] * B[:, None], 0) = A.T @ B",
    "exp(x) + exp(y) = 2 * cosh(x) where y = -x",
    "where(x < c, c, x) = maximum(x, c)",
    "where(x > c, c, x) = minimum(x, c)",
    *(f"abs(x) {sign} c by squares, of complex numbers" for sign in ("<", "<=", ">", ">=")),
}
"""What these change depends on the machine: on its BLAS, its C library (how `hypot` rounds, which
zero is larger), or on numbers that are a rounding apart."""

RARE = {"reduction of windows", "windows times a vector"}
"""What these change takes an infinite number in a window beside others, or very large ones."""


@pytest.mark.parametrize(
    ("book", "earlier"),
    [(simplify, []), (stabilize, [simplify, drop_proven_broadcasts, factor_sums])],
    ids=["simplify", "stabilize"],
)
def test_rules_change_just_what_they_declare(book: RuleBook, earlier: list[Any], few: Any) -> None:
    book = RuleBook(book.name, few([r for r in book if r.name not in IN_PARTS], 20))
    examples = {r.name: found for r in book if (found := examples_of(r))}
    seen = check_book(book, earlier=earlier, examples=examples, numbers=NUMBERS | TELLING)
    declared = {r.name: r.may_change for r in book}
    for name in (
        NUMBERS.keys() | BY_LIBRARIES | RARE
    ) & declared.keys():  # elsewhere they change more
        assert seen.pop(name) <= declared.pop(name)
    assert seen == declared


def examples_of(r: Rule) -> list[Any]:
    """Those of its name, or else some of others, to which it applies."""
    own = [e for e in EXAMPLES.get(r.name, ()) if r(node_of(e)) is not None]
    if own:
        return own
    found = [e for group in EXAMPLES.values() for e in group if r(node_of(e)) is not None]
    return found[:6] + [e for e in found[6:] if isinstance(e, tuple)]


def node_of(example: Any) -> Any:
    return example[0] if isinstance(example, tuple) else example


def test_every_example_is_of_a_rule() -> None:
    nodes = [node_of(e) for group in EXAMPLES.values() for e in group]
    unused = [v for v in nodes if all(r(v) is None for r in stabilize)]
    assert not unused


ORDINARY = {"f": lambda shape: 0.9 / (1.5 + np.arange(prod(shape), dtype=float).reshape(shape))}
"""What inputs are given, by the kind of their dtype; the others get ones."""


def example_of(r: Rule) -> Any:
    """An expression that the rule may apply to."""
    found = examples_of(r)
    if found:
        return node_of(found[0])
    assert isinstance(r.left, Variable)
    of_letters = {"x": V, "y": -V if "where y = -x" in r.name else W, "z": wt.cos(V)}
    is_bool = "bools" in r.name
    wilds = {w.name or "": w.constant for w in wildcards_of(r.left)}
    values = {
        name: wt.constant(2.5) if is_constant else (C if is_bool else of_letters.get(name, V))
        for name, is_constant in wilds.items()
    }
    return filled(r.left, values)


@pytest.mark.cases(10)
@pytest.mark.parametrize(
    "r",
    {r.name: r for r in stabilize if r.name not in IN_PARTS}.values(),
    ids=lambda r: r.name,
)
def test_without_any_one_rule_the_others_are_right(r: Rule) -> None:
    try:
        node = example_of(r)
    except (TypeError, ValueError):
        pytest.skip("its operands are of another dtype")
    inputs: list[Any] = graph_inputs([node])
    values = [
        ORDINARY.get(v.type.numpy_dtype.kind, np.ones)(
            tuple(n if isinstance(n, int) else 4 for n in v.type.shape)
        ).astype(v.dtype)
        for v in inputs
    ]
    with np.errstate(all="ignore"):
        plain = function(inputs, node, mode=Mode("py", books=[]))(*values)
        without = function(inputs, node, mode=Mode("py").excluding(r.name))(*values)
    np.testing.assert_allclose(without, plain, rtol=1e-6, atol=1e-9)
