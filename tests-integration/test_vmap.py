"""vmap and vectorize: axes, structures, signatures, and what does not fit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weft.tensor as wt
from weft import function

X, XS = np.array([0.5, -1.0, 2.0]), np.arange(24.0).reshape(2, 4, 3) / 8 - 1


def test_vmap_takes_axes_and_structures() -> None:
    """Axes per argument, in structures, out structures, None for what is the same."""
    a, b = wt.matrix("a"), wt.matrix("b")
    outer = wt.scalar("c")

    def fn(pair: Any, y: Any) -> Any:
        return {"sum": pair["x"] + y * outer, "dot": (wt.dot(pair["x"], y), y)}

    found = wt.vmap(fn, in_axes=({"x": 1}, None), out_axes={"sum": 1, "dot": (0, None)})(
        {"x": a}, b[0]
    )
    u, v = XS[0], XS[1]
    f = function([a, b, outer], [found["sum"], *found["dot"]], mode="py")
    total, dots, same = f(u.T, v, 2.0)
    np.testing.assert_allclose(total, (u + 2 * v[0]).T)
    np.testing.assert_allclose(dots, u @ v[0])
    np.testing.assert_allclose(same, v[0])


def test_vmap_nests_and_repeats_what_is_the_same() -> None:
    """A vmap in a vmap; a result that does not depend on the element is repeated."""
    a = wt.matrix("a")
    distance = wt.vmap(wt.vmap(lambda p, q: abs(p - q).sum(), (None, 0)), (0, None))(a, a)
    points = XS[0]
    wanted = np.abs(points[:, None] - points).sum(-1)
    np.testing.assert_allclose(distance.eval({a: points}), wanted)
    constant = wt.vmap(lambda p: 1.0)(a)
    np.testing.assert_allclose(constant.eval({a: points}), np.ones(4))


def test_vmap_refuses_axes_that_do_not_fit() -> None:
    """When it is called, or, where lengths are not known, when it is computed."""
    x, y = wt.vector("x", shape=(3,)), wt.vector("y", shape=(4,))
    add: Any = wt.vmap(lambda a, b: a + b)
    with pytest.raises(ValueError, match=r"has 3 elements, and .* has 4"):
        add(x, y)
    with pytest.raises(ValueError, match="has no axis 0"):
        add(x, 1.0)
    with pytest.raises(ValueError, match="at least one argument"):
        wt.vmap(lambda a: a, None)(x)
    with pytest.raises(ValueError, match="2 entries for 1 arguments"):
        wt.vmap(lambda a: a, (0, 0))(x)
    with pytest.raises(ValueError, match="out of range"):
        wt.vmap(lambda a: a, 1)(x)
    with pytest.raises(ValueError, match="do not fit"):
        wt.vmap(lambda a: a, ({"q": 0},))({"x": x})
    with pytest.raises(ValueError, match="differs between elements"):
        wt.vmap(lambda a: a, out_axes=None)(x)
    u, v = wt.vector("u"), wt.vector("v")
    with pytest.raises(ValueError, match="must have the same number of elements"):
        add(u, v).eval({u: [1.0, 2.0], v: [1.0]})


def test_vectorize_by_signature() -> None:
    """The axes that it names belong to the function; those before them broadcast."""
    a, b = wt.tensor3("a"), wt.matrix("b")
    u, v = XS, XS[1, :, ::-1]
    found = wt.vectorize(lambda m, x: (m @ x, x.sum()), "(m,n),(n)->(m),()")(a, b)
    product, total = function([a, b], list(found), mode="py")(u[:, :, :], v[:2])
    np.testing.assert_allclose(product, np.einsum("bmn,bn->bm", u, v[:2]))
    np.testing.assert_allclose(total, v[:2].sum(-1))
    scalars = wt.vectorize(lambda p, q: wt.ifelse(p > q, p, q))(b, b[:, :1])
    np.testing.assert_allclose(scalars.eval({b: v}), np.maximum(v, v[:, :1]))
    repeated = wt.vectorize(lambda p, q: p, "(n),()->(n)")(b[0], b[:, 0])
    np.testing.assert_allclose(repeated.eval({b: v}), np.broadcast_to(v[0], (4, 3)))


def test_signatures_that_do_not_fit() -> None:
    """A signature that can't be read, and arguments or results of other ranks or lengths."""
    x, m = wt.vector("x", shape=(3,)), wt.matrix("m", shape=(4, 5))
    unreadable: list[Any] = ["(n)", "n->n", "(n)->", "(n->(n)", 3]
    for signature in unreadable:
        with pytest.raises(ValueError, match="signature names axes"):
            wt.vectorize(wt.dot, signature)
    with pytest.raises(ValueError, match="for 2 arguments, not 1"):
        wt.vectorize(wt.dot, "(n),(n)->()")(x)
    with pytest.raises(ValueError, match=r"axis n has one length in .*: 3 and 5"):
        wt.vectorize(wt.dot, "(n),(n)->()")(x, m)
    with pytest.raises(ValueError, match="fewer axes"):
        wt.vectorize(wt.dot, "(m,n),(n)->(m)")(x, m)
    with pytest.raises(ValueError, match="results have ranks 0"):
        wt.vectorize(wt.dot, "(n),(n)->(n)")(x, x)
    u, v = wt.vector("u"), wt.vector("v")
    products = wt.vectorize(lambda a, b: (a * b).sum(), "(n),(n)->()")(u, v)
    with pytest.raises(ValueError, match="axis n has one length"):
        products.eval({u: [1.0], v: [1.0, 2.0]})
