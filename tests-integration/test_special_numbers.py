"""Places and weights, sequences of numbers, factorials in steps, Dirichlet's kernel."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pytest
import scipy.special

import weft.tensor as wt
from weft_graph import function, grad
from weft_testing import check_op

RULES: Final = {name: () for name in wt.special.__all__ if name.startswith("roots_")} | {
    "roots_gegenbauer": (1.5,),
    "roots_genlaguerre": (0.5,),
    "roots_jacobi": (1.5, 0.5),
    "roots_sh_jacobi": (2.5, 1.5),
}
THEIRS: Any = scipy.special
ANGLES: Final = np.array([-7.3, -2 * np.pi, -1.0, 0.0, 1e-9, 0.4, np.pi, 2 * np.pi, 40.0])


@pytest.mark.parametrize("name", RULES)
def test_rules_are_scipys(name: str) -> None:
    values = getattr(wt.special, name)(5, *RULES[name], mu=True)
    wanted = getattr(scipy.special, name)(5, *RULES[name], mu=True)
    for one, other in zip(values, wanted, strict=True):
        np.testing.assert_array_equal(one.eval(), other)
    assert len(getattr(wt.special, name)(5, *RULES[name])) == 2
    assert len(getattr(wt.special, name)(5, *RULES[name], True)) == 3


def test_sequences_are_scipys() -> None:
    for n in (0, 1, 2, 7):
        for name in ("bernoulli", "euler"):
            value = getattr(wt.special, name)(n).eval()
            np.testing.assert_array_equal(value, getattr(scipy.special, name)(n)[: n + 1])


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda x: wt.special.roots_legendre(x), TypeError, "makes constants"),
        (lambda x: wt.special.roots_jacobi(3, 0.5), TypeError, "takes n, alpha, beta"),
        (lambda x: wt.special.euler(x), TypeError, "makes constants"),
        (lambda x: wt.special.factorialk(x, 0), ValueError, "above 0, not 0"),
        (lambda x: wt.special.factorialk(x, 2.5), ValueError, "above 0, not 2.5"),
    ],
)
def test_bad_input(call: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call(wt.scalar("x"))


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_factorials_and_kernel(mode: str) -> None:
    n, x = wt.vector("n"), wt.vector("x")
    outputs = [wt.special.factorial2(n), *(wt.special.factorialk(n, k) for k in (1, 3, 5))]
    counts = np.array([-3, -1, 0, 1, 2, 3, 7, 12, 31, 150])
    found = function([n], outputs, mode=mode)(counts)
    for k, value in zip((2, 1, 3, 5), found, strict=True):
        np.testing.assert_allclose(value, scipy.special.factorialk(counts, k), rtol=1e-13)
    kernels = [wt.special.diric(x, k) for k in (1, 4, 5, 2.5)]
    *found, slope = function(
        [x], [*kernels, grad(kernels[1].sum() + kernels[2].sum(), x)], mode=mode
    )(ANGLES)
    for n_of, value in zip((1, 4, 5, 2.5), found, strict=True):
        wanted = THEIRS.diric(ANGLES, n_of)
        np.testing.assert_allclose(value, wanted, rtol=1e-12, atol=1e-15)
    step = 1e-6
    ahead, behind = (sum(scipy.special.diric(ANGLES + s, k) for k in (4, 5)) for s in (step, -step))
    np.testing.assert_allclose(slope, (ahead - behind) / (2 * step), rtol=1e-6, atol=1e-8)


def test_op() -> None:
    check_op(lambda x: wt.special.diric(x, 4), ANGLES[[0, 2, 5]], backends=[])
    check_op(lambda x: wt.special.diric(x, 4), ANGLES[:0].astype("float32"), backends=[])
    check_op(lambda n: wt.special.factorialk(n, 3), np.array([0, 3, 8]), backends=[])
    assert np.isnan(wt.special.factorial2(2.5).eval())


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_numbers_of_partitions(mode: str) -> None:
    n, k = wt.vector("n", dtype="int64"), wt.vector("k", dtype="int32")
    f = function([n, k], wt.special.stirling2(n, k), mode=mode)
    things = np.array([0, 0, 1, 5, 5, 5, -1, 3, 30, 60, 200, 5])
    groups = np.array([0, 1, 1, 0, 3, 5, 0, 7, 12, 30, 198, -1], dtype="int32")
    wanted = THEIRS.stirling2(things, groups, exact=True).astype("float64")
    np.testing.assert_allclose(f(things, groups), wanted, rtol=1e-14)
    assert f(things[:0], groups[:0]).shape == (0,)


@pytest.mark.parametrize("mode", ["py", "numba", "jax"])
def test_lambda_functions(mode: str) -> None:
    x = wt.scalar("x")
    for order in (0.5, 2.3, 3):
        values, slopes = wt.special.lmbda(order, x)
        *found, by_x = function([x], [values, slopes, grad(values[-1], x)], mode=mode)(1.3)
        np.testing.assert_allclose(found, THEIRS.lmbda(order, 1.3), rtol=1e-13)
        np.testing.assert_allclose(by_x, found[1][-1], rtol=1e-13)
    assert wt.special.lmbda(2, [0.0, 1.0])[0].eval().shape == (3, 2)
    np.testing.assert_array_equal(wt.special.jve([1e10, 3.0, 2.0], -1.0).eval()[0], 0.0)
