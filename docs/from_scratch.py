"""Weft from nothing: the idea in one file of the standard library.

Read it from top to bottom. Each part adds one idea, in the smallest form that works, and ends
with an example that runs as a test. The package `weft_graph` has the same parts, with the
checks, types and speed that a library needs; at the end is a table of what is where.

Part 1. Equal means identical
-----------------------------
An expression is a graph of nodes. A node is an operation on other nodes, and never changes.
So two nodes of the same operation on the same inputs can't be told apart, and there is no use
in having both: a table keeps the nodes that exist, and hands them out again.

>>> x, y = variable("x"), variable("y")
>>> sin(x) * y is sin(x) * y
True

That one decision does much of a compiler's work. Common subexpressions are found while they
are written; "is this graph equal to that one?" and "did the rewrite change anything?" take one
`is`; and whatever is known of a node can be kept in a dict under the node itself.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any
from weakref import WeakValueDictionary

_nodes: WeakValueDictionary[Any, Node] = WeakValueDictionary()


class Node:
    """An operation's name and its inputs; for leaves, what they are."""

    __slots__ = ("__weakref__", "inputs", "leaf", "op")

    op: str
    inputs: tuple[Node, ...]
    leaf: object

    def __add__(self, other: object) -> Node:
        return node("add", self, other)

    def __radd__(self, other: object) -> Node:
        return node("add", other, self)

    def __mul__(self, other: object) -> Node:
        return node("mul", self, other)

    def __rmul__(self, other: object) -> Node:
        return node("mul", other, self)

    def __neg__(self) -> Node:
        return node("mul", -1.0, self)

    def __sub__(self, other: Any) -> Node:
        return self + node("mul", -1.0, other)

    def __rsub__(self, other: object) -> Node:
        return other + -self

    def __truediv__(self, other: object) -> Node:
        return node("div", self, other)

    def __rtruediv__(self, other: object) -> Node:
        return node("div", other, self)

    def __repr__(self) -> str:
        if not self.inputs:
            return str(self.leaf)
        return f"{self.op}({', '.join(map(repr, self.inputs))})"


def node(op: str, *inputs: object, leaf: object = None) -> Node:
    """The node of `op` on `inputs`; numbers among them become constants.

    The table holds its nodes weakly: what nobody uses any more goes away, and as a node points
    only at its inputs, it goes at once, without the help of the garbage collector.
    """
    sources = tuple(i if isinstance(i, Node) else constant(i) for i in inputs)
    key = (op, sources, leaf)
    known: Node | None = _nodes.get(key)
    if known is not None:
        return known
    made = Node()
    made.op, made.inputs, made.leaf = op, sources, leaf
    _nodes[key] = made
    return made


def variable(name: str) -> Node:
    """An input. (In Weft two inputs of one name are still two; here the name is all there is.)"""
    return node("variable", leaf=name)


def constant(value: Any) -> Node:
    """A number. Its text tells 0.0 from -0.0, which are equal, but not the same."""
    return node("constant", leaf=repr(float(value)))


def sin(x: object) -> Node:
    """The sine."""
    return node("sin", x)


def cos(x: object) -> Node:
    """The cosine."""
    return node("cos", x)


def exp(x: object) -> Node:
    """The exponential function."""
    return node("exp", x)


def log(x: object) -> Node:
    """The natural logarithm."""
    return node("log", x)


# Part 2. Walking
# ---------------
# Everything below walks graphs from the inputs to the outputs. None of it may recurse: Python
# allows a thousand calls inside each other, and a loop in a user's model makes longer chains
# than that. So this is written once, with a stack of our own.


def toposort(outputs: Iterable[Node]) -> list[Node]:
    """All nodes that `outputs` need, each once, inputs before what they are used in.

    >>> x = variable("x")
    >>> toposort([sin(x) * sin(x)])
    [x, sin(x), mul(sin(x), sin(x))]
    """
    done: dict[Node, None] = {}
    stack = list(outputs)[::-1]
    while stack:
        n = stack[-1]
        missing = [i for i in n.inputs if i not in done]
        if n in done or not missing:
            stack.pop()
            done[n] = None
        else:
            stack.extend(missing[::-1])
    return list(done)


# Part 3. Compiling
# -----------------
# A graph in order is a program already. We write it down as Python source, one assignment for
# each node, and let Python compile it. What each operation calls stands in a table; another
# table makes another backend: with functions that Numba or JAX understand, the same source is
# what Weft gives to `numba.njit` or `jax.jit`.

PYTHON: dict[str, Callable[..., Any]] = {
    "add": lambda a, b: a + b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
    "sin": math.sin,
    "cos": math.cos,
    "exp": math.exp,
    "log": math.log,
    "softplus": lambda a: max(a, 0.0) + math.log1p(math.exp(-abs(a))),
}


def source_of(inputs: list[Node], outputs: list[Node]) -> str:
    """The program that computes `outputs` from `inputs`.

    >>> x, y = variable("x"), variable("y")
    >>> print(source_of([x, y], [sin(x) * y + sin(x)]))
    def compiled(x, y):
        t2 = sin(x)
        t3 = mul(t2, y)
        t4 = add(t3, t2)
        return t4,
    """
    places = {v: str(v.leaf) for v in inputs}
    lines = []
    for index, n in enumerate(toposort([*inputs, *outputs])):
        if n in places:
            continue
        if n.op == "variable":
            raise ValueError(f"{n} is needed, but is not among the inputs")
        if n.op == "constant":
            places[n] = str(n.leaf)
            continue
        places[n] = f"t{index}"
        lines.append(f"    t{index} = {n.op}({', '.join(places[i] for i in n.inputs)})\n")
    arguments = ", ".join(places[v] for v in inputs)
    results = "".join(places[n] + "," for n in outputs)
    return f"def compiled({arguments}):\n{''.join(lines)}    return {results}"


def function(
    inputs: list[Node], outputs: list[Node], backend: dict[str, Callable[..., Any]] = PYTHON
) -> Callable[..., tuple[float, ...]]:
    """`outputs` as a Python function of `inputs`.

    >>> x, y = variable("x"), variable("y")
    >>> function([x, y], [x * y, x - y])(3.0, 4.0)
    (12.0, -1.0)
    """
    namespace = {**backend, "inf": math.inf, "nan": math.nan}
    exec(source_of(inputs, outputs), namespace)
    return namespace["compiled"]  # type: ignore[return-value]  # what the source defines


# Part 4. Derivatives
# -------------------
# Each operation says how a change of its result is blamed on its inputs: given the derivative
# g of the cost by the result, what is the derivative of the cost by each input? (Weft calls it
# a pullback.) Walk from the cost to the inputs, add up the blame that comes along several
# ways, and the chain rule is done. The result is a graph again, that can be compiled,
# rewritten, and differentiated once more.

PULLBACKS: dict[str, Callable[..., tuple[Node, ...]]] = {
    "add": lambda g, a, b: (g, g),
    "mul": lambda g, a, b: (g * b, g * a),
    "div": lambda g, a, b: (g / b, -(g * a) / (b * b)),
    "sin": lambda g, a: (g * cos(a),),
    "cos": lambda g, a: (-(g * sin(a)),),
    "exp": lambda g, a: (g * exp(a),),
    "log": lambda g, a: (g / a,),
    "softplus": lambda g, a: (g / (1.0 + exp(-a)),),
}


def grad(cost: Node, wrt: list[Node]) -> list[Node]:
    """The derivatives of `cost` by each of `wrt`.

    >>> x = variable("x")
    >>> first, = grad(sin(x) * x, [x])
    >>> second, = grad(first, [x])
    >>> function([x], [first, second])(0.0)
    (0.0, 2.0)
    """
    blame = {cost: constant(1.0)}
    for n in reversed(toposort([cost])):
        if n in blame and n.inputs:
            for i, part in zip(n.inputs, PULLBACKS[n.op](blame[n], *n.inputs), strict=True):
                blame[i] = blame[i] + part if i in blame else part
    return [blame.get(v, constant(0.0)) for v in wrt]


# Part 5. Rules
# -------------
# The gradient above is full of `1.0 * ...` and of things that nobody would write. Rewriting
# them is a matter of equations, so rules are equations: two expressions, with wildcards. A
# wildcard is a leaf that stands for any expression, each time for the same.


def wildcard(name: str) -> Node:
    """A place in a pattern that any expression may take."""
    return node("wildcard", leaf=name)


def match(pattern: Node, n: Node) -> dict[Node, Node] | None:
    """What the wildcards of `pattern` stand for if it is to be `n`; None if it can't be.

    That the same wildcard stands for the same expression is one `is`, thanks to part 1.

    >>> x, a = variable("x"), wildcard("a")
    >>> match(a + a, sin(x) + sin(x))
    {a: sin(x)}
    >>> match(a + a, sin(x) + x) is None
    True
    """
    found: dict[Node, Node] = {}
    todo = [(pattern, n)]
    while todo:
        p, n = todo.pop()
        if p.op == "wildcard":
            if found.setdefault(p, n) is not n:
                return None
        elif p.op != n.op or p.leaf != n.leaf:
            return None
        else:
            todo += zip(p.inputs, n.inputs, strict=True)
    return found


def substitute(pattern: Node, meaning: dict[Node, Node]) -> Node:
    """`pattern` with what its wildcards stand for put in."""
    made = dict(meaning)
    for p in toposort([pattern]):
        if p not in made:
            made[p] = node(p.op, *(made[i] for i in p.inputs), leaf=p.leaf)
    return made[pattern]


_a, _b = wildcard("a"), wildcard("b")
RULES: list[tuple[Node, Node]] = [
    (1.0 * _a, _a),
    (_a * 1.0, _a),
    (0.0 + _a, _a),
    (_a + 0.0, _a),
    (-1.0 * (-1.0 * _a), _a),
    (_a + -1.0 * _a, constant(0.0)),
    (exp(log(_a)), _a),
    (log(1.0 + exp(_a)), node("softplus", _a)),
]


# The driver goes through the nodes once, inputs first. Each node is made again from inputs
# that are in their final form already; then rules are tried on it until none fits. What a rule
# gives may contain new nodes: they are brought to their final form before anything else. The
# dict of what became what is all the bookkeeping there is.


def rewrite(outputs: list[Node], rules: list[tuple[Node, Node]] = RULES) -> list[Node]:
    """`outputs` after `rules` have been applied wherever they can be.

    >>> x = variable("x")
    >>> rewrite([1.0 * log(1.0 + exp(x)) + (x - x)])
    [softplus(x)]
    """
    final: dict[Node, Node] = {}
    becomes: dict[Node, Node] = {}
    stack = outputs[::-1]
    while stack:
        n = stack[-1]
        if n in final:
            stack.pop()
        elif n in becomes:
            if becomes[n] in final:
                final[n] = final[becomes[n]]
            else:
                stack.append(becomes[n])
        elif missing := [i for i in n.inputs if i not in final]:
            stack.extend(missing[::-1])
        else:
            again = node(n.op, *(final[i] for i in n.inputs), leaf=n.leaf)
            better = again if again is not n else applied(rules, n)
            if better is n:
                final[n] = n
            else:
                becomes[n] = better
    return [final[n] for n in outputs]


def applied(rules: list[tuple[Node, Node]], n: Node) -> Node:
    """What the first rule that fits makes of `n`; `n` itself if none does."""
    for left, right in rules:
        meaning = match(left, n)
        if meaning is not None:
            return substitute(right, meaning)
    return n


# Part 6. All together
# --------------------
# A model: the chance of success grows with a dose, as a logistic curve. Its log-likelihood is
# written as in a textbook, which would overflow for large doses; the rules make it stable. The
# compiled function gives value and gradient, and a few steps uphill fit the model.


def fit(doses: list[float], outcomes: list[float], steps: int = 2000) -> tuple[float, float]:
    """Level and slope of the most likely logistic curve.

    >>> level, slope = fit([-2.0, -1.0, 0.0, 1.0, 2.0], [0.0, 0.0, 1.0, 0.0, 1.0])
    >>> round(level, 3), round(slope, 3)
    (-0.623, 1.09)
    """
    a, b = variable("a"), variable("b")
    cost = constant(0.0)
    for dose, outcome in zip(doses, outcomes, strict=True):
        z = a + b * dose
        cost = cost + (log(1.0 + exp(z)) - outcome * z)
    step = function([a, b], rewrite(grad(rewrite([cost])[0], [a, b])))
    level, slope = 0.0, 0.0
    for _ in range(steps):
        by_level, by_slope = step(level, slope)
        level, slope = level - 0.1 * by_level, slope - 0.1 * by_slope
    return level, slope


def deep(steps: int) -> Node:
    """A chain long enough to show that nothing recurses.

    >>> x = variable("x")
    >>> slope, = rewrite(grad(deep(2_000), [x]))
    >>> 0.0 < function([x], [slope])(1.0)[0] < 1.0
    True
    """
    n = variable("x")
    for _ in range(steps):
        n = sin(n) * 1.0
    return n


# Where it is in Weft
# -------------------
# part 1   weft_graph/nodes.py, interned.py   with Types, and operations (Ops) that are values
# part 2   weft_graph/order.py
# part 3   weft_graph/linker.py, function.py  weft_numba and weft_jax bring the other tables
# part 4   weft_graph/gradient.py             and pushforward.py for the forward mode
# part 5   weft_graph/rule.py, rewriting.py   patterns are compiled; weft_rewrites has the rules
