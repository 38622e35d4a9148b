"""What holds of every graph, on graphs drawn at random: values, derivatives, rewriting."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from weft_graph import (
    DisconnectedInputError,
    FunctionGraph,
    Mode,
    Rule,
    RuleBook,
    any_constant,
    from_text,
    function,
    grad,
    replace,
    rewrite,
    to_text,
    toposort,
    wildcard,
)

Dual = tuple[int, int]


def draw(seed: int, x: Any, y: Any, calc: Any) -> tuple[Any, Dual]:
    """A random expression; and, computed step by step, its value and derivative by x."""
    random = Random(seed)
    drawn: list[tuple[Any, Dual]] = [(x, (2, 1)), (y, (-3, 0)), (calc.number(1), (1, 0))]
    for _ in range(random.randint(1, 15)):
        (a, (u, du)), (b, (v, dv)) = random.choices(drawn[-6:], k=2)
        kind = random.randrange(5)
        if kind == 0:
            drawn.append((a + b, (u + v, du + dv)))
        elif kind == 1:
            drawn.append((-a, (-u, -du)))
        elif kind == 2 and abs(u) < 1000:
            drawn.append((calc.Power(2)(a), (u * u, 2 * u * du)))
        elif kind == 3 and abs(u * v) < 1000:
            drawn.append((a * b, (u * v, du * v + u * dv)))
        elif abs(u * v) < 1000:
            total, product = calc.SumAndProduct()(a, b)
            drawn.append((total, (u + v, du + dv)))
            drawn.append((product.named("p"), (u * v, du * v + u * dv)))
    return drawn[-1]


@pytest.fixture
def book(calc: Any) -> RuleBook:
    """Rules that change no value."""
    a, b = (wildcard(name, calc.NumberVariable) for name in "ab")
    c = any_constant("c", calc.NumberVariable)
    negative = -a
    return RuleBook(
        "algebra",
        [
            Rule(-negative, a),
            Rule(-a * b, -(a * b)),
            Rule(a * 1, a),
            Rule(-a + a, calc.number(0)),
            Rule(a + 0, a),
            Rule(a * a, calc.Power(2)(a)),
            Rule(calc.Power(2)(negative), calc.Power(2)(a)),
            Rule(-c, lambda c: calc.number(-c.op.value), name="fold"),
        ],
    )


@pytest.mark.parametrize("seed", range(60))
def test_values_and_derivatives(seed: int, x: Any, y: Any, calc: Any, book: RuleBook) -> None:
    output, (value, slope) = draw(seed, x, y, calc)
    for books in ([], [book]):
        mode = Mode("py", books=books)
        assert function([x, y], output, mode=mode)(2, -3) == value
        try:
            derivative = grad(output, x)
        except DisconnectedInputError:
            assert slope == 0
        else:
            assert function([x, y], derivative, mode=mode)(2, -3) == slope


@pytest.mark.parametrize("seed", range(60))
def test_graphs(seed: int, x: Any, y: Any, calc: Any, book: RuleBook) -> None:
    output, _ = draw(seed, x, y, calc)
    order = toposort([output])
    place = {v: i for i, v in enumerate(order)}
    assert all(place[i] < place[v] for v in order for i in v.inputs)
    (normal,) = rewrite([output], book)
    assert rewrite([normal], book) == [normal]
    assert replace(replace([output], {x: y, y: x}), {x: y, y: x}) == [output]
    assert draw(seed, x, y, calc)[0] is output
    graph = FunctionGraph([x, y], [output])
    assert from_text(to_text(graph), inputs=[x, y], names=vars(calc)) == graph
    users = FunctionGraph([x, y], [output]).users
    assert all(v.inputs[i] is source for source, uses in users.items() for v, i in uses)
