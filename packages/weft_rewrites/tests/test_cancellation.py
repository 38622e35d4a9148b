"""Products of sigmoids and exponentials, drawn at random, keep their value."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import weft_tensor as wt
from weft_graph import FunctionGraph, Mode, function, rewrite_graph
from weft_rewrites import books

z, a = wt.vector("z", shape=("n",)), wt.vector("a", shape=("n",))
FACTORS = [
    a,
    wt.sigmoid(z),
    wt.sigmoid(-z),
    wt.exp(z),
    wt.exp(-z),
    1 + wt.exp(z),
    1 + wt.exp(-z),
    -wt.sigmoid(2 * z),
    wt.exp(-2 * z),
    wt.square(wt.sigmoid(z)),
]
factors = st.sampled_from(FACTORS)
expressions: st.SearchStrategy[Any] = st.recursive(
    factors,
    lambda inner: st.one_of(
        st.builds(lambda x, y: x * y, inner, inner),
        st.builds(lambda x, y: x / y, inner, factors),
        st.builds(lambda x, y: x + y, inner, inner),
        st.builds(lambda x, y: x - y, inner, inner),
    ),
    max_leaves=7,
)


@settings(max_examples=2 * settings().max_examples, deadline=None, derandomize=True)
@given(expressions)
def test_random_products(expression: Any) -> None:
    values = [np.array([0.5, -1.25, 2.0]), np.array([1.5, -0.5, 0.75])]
    before = function([z, a], expression, mode=Mode("py", books=[]))(*values)
    after = function([z, a], expression, mode=Mode("py", books=books))(*values)
    np.testing.assert_allclose(after, before, rtol=1e-9, atol=1e-9 * (1 + np.abs(before).max()))
    graph = rewrite_graph(FunctionGraph([z, a], [expression]), books)
    assert rewrite_graph(graph, books) == graph
