from __future__ import annotations

from typing import Any

from weft_graph import toposort


def test_inputs_come_before_results_and_each_comes_once(x: Any, y: Any) -> None:
    shared = x + y
    total = shared * shared + shared
    assert toposort([total, shared]) == [x, y, shared, shared * shared, total]


def test_the_order_follows_the_inputs(x: Any, y: Any) -> None:
    assert toposort([y + x]) == [y, x, y + x]
    assert toposort([y, x]) == [y, x]


def test_the_walk_ends_at_what_is_given(x: Any, y: Any) -> None:
    middle = x * y
    result = middle + y
    assert toposort([result], stop={middle}) == [middle, y, result]
    assert toposort([result], stop=[result]) == [result]


def test_nothing() -> None:
    assert toposort([]) == []
