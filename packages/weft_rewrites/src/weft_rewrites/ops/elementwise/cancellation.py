"""Products of sigmoids and exponentials, cancelled: what derivatives of likelihoods are made of.

In a product, with z for any expression and s for the sigmoid, exp(z) is s(z) / s(-z) and
1 + exp(z) is 1 / s(-z). So all such factors of one z are s(z)**p * s(-z)**q * exp(z)**r for
integers p, q and r, of which the smallest are chosen. Where a factor as written underflows
to 0 or overflows, the product is what it is in the limit, instead of NaN; sums are
multiplied out if that lets their terms cancel.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce
from itertools import chain
from operator import mul
from typing import Any, NamedTuple

from weft_graph import Constant, Rule, rule
from weft_rewrites.dsl.conditions import keeps_lengths
from weft_rewrites.dsl.result import shape_of
from weft_rewrites.dsl.signs import is_opposite, negated
from weft_tensor import Elemwise, TensorVariable, broadcast_to, exp, sigmoid, square

__all__ = ["Factors", "factors_of", "product_of", "rules"]

_MUL, _DIV, _NEG, _SQUARE = map(Elemwise, ("mul", "true_div", "neg", "square"))
_ADD, _SUB, _EXP, _SIGMOID = map(Elemwise, ("add", "sub", "exp", "sigmoid"))
_RECIPROCAL = Elemwise("reciprocal")
_TELLING = {_SIGMOID, _EXP}
_SUMS = {_ADD, _SUB}
_WITHIN = {_MUL, _DIV, _NEG, _SQUARE, _RECIPROCAL}
_NEAREST = _WITHIN | {_SUB}
_MEETING = _WITHIN | _SUMS | _TELLING
_MAY_TELL = _WITHIN | _TELLING | {_ADD}
"""What a factor that tells is, or a product with one."""
_NEAR = (_SIGMOID, _EXP, _MUL, _DIV, _NEG, _SQUARE, _RECIPROCAL, _SUB)
"""Without one of these below, it is no product worth looking at."""
_MOST = 12
"""Products of more factors are left alone."""

Factors = list[tuple[Any, int]]


class Powers(NamedTuple):
    """The exponents of s(z), s(-z) and exp(z)."""

    p: int = 0
    q: int = 0
    r: int = 0

    @property
    def size(self) -> int:
        """The number of factors."""
        return abs(self.p) + abs(self.q) + abs(self.r)

    def plus(self, p: int, q: int, r: int) -> Powers:
        """The exponents of a product."""
        return Powers(self.p + p, self.q + q, self.r + r)

    def smallest(self) -> Powers:
        """The same with the fewest factors; of two, the one with fewer quotients.

        >>> Powers(2, -1, -1).smallest()
        Powers(p=1, q=0, r=0)
        """
        if self.count(0) >= 2:  # s(z), s(-z) or exp(z) alone can't be written shorter
            return self
        forms = [self.plus(t, -t, -t) for t in (0, 1, -1, 2, -2, 3, -3)]
        return min(forms, key=lambda f: (f.size, -min(f.p, 0) - min(f.q, 0)))


class Product(NamedTuple):
    """Powers by z, how many factors they stand for, the other factors, and the sign."""

    powers: dict[Any, Powers]
    size: int
    others: Factors
    sign: int

    def smallest(self) -> Product:
        """The same with the fewest factors."""
        powers = {z: f.smallest() for z, f in self.powers.items()}
        return self._replace(powers=powers, size=sum(f.size for f in powers.values()))

    def written(self) -> TensorVariable:
        """The product as an expression."""
        factors = list(self.others)
        for z, f in self.powers.items():
            factors += [(sigmoid(z), f.p), (sigmoid(negated(z)), f.q), (exp(z), f.r)]
        return product_of(factors, self.sign)


def product_of(factors: Factors, sign: int) -> TensorVariable:
    """The product of variables to the powers that stand with them, with this sign.

    >>> from weft_tensor import scalar
    >>> x, y = scalar("x"), scalar("y")
    >>> product_of([(x, 1), (y, -1)], -1) is -(x / y)
    True
    """
    above = [_power(v, e) for v, e in factors if e > 0]
    below = [_power(v, -e) for v, e in factors if e < 0]
    result: Any = reduce(mul, above) if above else 1.0
    if below:
        result = result / reduce(mul, below)
    return -result if sign < 0 else result


def _power(v: TensorVariable, exponent: int) -> TensorVariable:
    squares, single = divmod(exponent, 2)
    return reduce(mul, [square(v)] * squares + [v] * single)


def factors_of(v: TensorVariable) -> tuple[Factors, int] | None:
    """The factors of `v`, of its dtype, with exponents, and its sign; None if they are too many.

    >>> from weft_tensor import scalar
    >>> x, y = scalar("x"), scalar("y")
    >>> factors_of(-x / square(y)) == ([(x, 1), (y, -2)], -1)
    True
    """
    factors: Factors = []
    sign, dtype = 1, v.type.dtype
    todo = [(v, 1)]
    while todo:
        part, e = todo.pop()
        op, inputs = part.op, part.inputs
        if op not in _WITHIN or [x for x in inputs if x.type.dtype != dtype]:
            factors.append((part, e))  # it is no product, or converts
        elif op is _MUL:
            todo += [(inputs[1], e), (inputs[0], e)]
        elif op is _DIV:
            todo += [(inputs[1], -e), (inputs[0], e)]
        elif op is _NEG:
            sign = -sign if e % 2 else sign
            todo.append((inputs[0], e))
        elif op is _SQUARE:
            todo.append((inputs[0], 2 * e))
        else:
            todo.append((inputs[0], -e))
        if len(factors) + len(todo) > _MOST:
            return None
    return factors, sign


def _product(factors: Iterable[tuple[TensorVariable, int]], sign: int) -> Product:
    powers: dict[Any, Powers] = {}
    others: Factors = []
    size = 0
    for v, e in factors:
        kind, z = _meaning(v)
        if z is None:
            others.append((v, e))
            continue
        opposite = [] if z in powers else [w for w in powers if is_opposite(z, w)]
        flipped = bool(opposite)
        z = opposite[0] if flipped else z
        change = {
            "s": (0, e, 0) if flipped else (e, 0, 0),
            "exp": (0, 0, -e if flipped else e),
            "1+exp": (-e, 0, 0) if flipped else (0, -e, 0),
        }[kind]
        size += abs(e)
        powers[z] = powers.get(z, Powers()).plus(*change)
    return Product(powers, size, others, sign)


def _meaning(v: TensorVariable) -> tuple[str, TensorVariable | None]:
    if v.op is _SIGMOID:
        return "s", v.inputs[0]
    if v.op is _EXP:
        return "exp", v.inputs[0]
    if v.op is _ADD:
        for one, power in (v.inputs, v.inputs[::-1]):
            if power.op is _EXP and type(one.op) is Constant and one.op.literal == 1:
                return "1+exp", power.inputs[0]
    return "", None


def _is_telling(node: TensorVariable) -> bool:
    """Whether among the nearest factors a sigmoid or an exponential meets what it may cancel."""
    one, other = node.inputs
    for v, beside in ((one, other), (other, one)):
        if v.op in _TELLING:
            if beside.op in _MEETING:
                return True
        elif v.op in _NEAREST:
            for w in v.inputs:
                if w.op in _TELLING:
                    return True
    return False


def _cancelled(node: TensorVariable) -> TensorVariable | None:
    if not _is_telling(node) or not node.type.dtype.startswith("float"):
        return None
    parts = factors_of(node)
    if parts is None:
        return None
    telling = sum(map(_tells, parts[0]))
    product = _product(*parts) if telling > 1 else None
    new = _smaller(product, node) if product and len(product.powers) < telling else None
    if new is None and telling:
        new = _multiplied_out(*parts)
    return new if new is not None and keeps_lengths(node.type, new.type) else None


def _tells(factor: tuple[TensorVariable, int]) -> bool:
    v, _ = factor
    return v.op in _TELLING or (v.op is _ADD and bool(_meaning(v)[0]))


def _smaller(product: Product, whole: TensorVariable | None = None) -> TensorVariable | None:
    """The same with fewer factors; all of a z may go from the `whole` product, of known shape."""
    smallest = product.smallest()
    if smallest.size >= product.size:
        return None
    if all(f.size for f in smallest.powers.values()):
        return smallest.written()
    return None if whole is None else broadcast_to(smallest.written(), shape_of(whole))


def _multiplied_out(factors: Factors, sign: int) -> TensorVariable | None:
    """The first sum among the factors multiplied out, if that lets its terms cancel.

    For that, something must be among the factors of a term, and among those of the sum.
    """
    for place, (v, e) in enumerate(factors):
        if e != 1 or v.op not in _SUMS or _MAY_TELL.isdisjoint([term.op for term in v.inputs]):
            continue
        rest = factors[:place] + factors[place + 1 :]
        if not any(map(_tells, rest)):
            continue
        products: list[Any] = [factors_of(term) for term in v.inputs]
        if None in products or not any(map(_tells, chain(*[own for own, _ in products]))):
            continue
        terms = [_product(f + rest, s * sign) for f, s in products]
        fewer = [_smaller(term) for term in terms]
        if any(new is not None for new in fewer):
            pairs = zip(fewer, terms, strict=True)
            return v.op(*[term.written() if new is None else new for new, term in pairs])
    return None


def _rule(op: Elemwise, name: str) -> Rule:
    return rule(op, over=_NEAR, name=name, may_change=("rounding", "domain", "inf", "nan"))(
        _cancelled
    )


rules: Sequence[Rule] = (
    _rule(_MUL, "sigmoids and exponentials cancelled in a product"),
    _rule(_DIV, "sigmoids and exponentials cancelled in a quotient"),
)
"""For products and for quotients."""
