"""What users of Theano, Aesara and PyTensor are used to write runs with another import."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.special

import weft.tensor as pt

BACKENDS = ["py", "numba", "jax"]


def test_shared_variables_are_updated() -> None:
    state = pt.shared(np.zeros(2), name="state")
    step = pt.dvector("step")
    f = pt.function([step], state.sum(), updates={state: state + step}, mode="py")
    f([1.0, 2.0])
    assert f([0.0, 0.0]) == 3.0
    assert state.get_value(borrow=True).tolist() == [1.0, 2.0]
    state.set_value(np.ones(2), borrow=True)
    assert state.get_value().tolist() == [1.0, 1.0]


@pytest.mark.cases("jax", "py")
@pytest.mark.parametrize("backend", BACKENDS)
def test_tensors_are_made_and_changed(backend: str) -> None:
    x, m, k = pt.dvector("x"), pt.dmatrix("m"), pt.lscalar("k")
    values = np.array([1.0, -2.0, 3.0]), np.arange(6.0).reshape(2, 3), 1
    v, w, _ = values
    changed = v.copy()
    changed[1:] = 0
    cases: list[tuple[Any, Any]] = [
        (pt.switch(x > 0, x, -x), np.abs(v)),
        (pt.set_subtensor(x[k:], 0.0), changed),
        (pt.inc_subtensor(m[:, 1], 10.0), w + np.array([0, 10, 0])),
        (x.dimshuffle(0, "x") * x.dimshuffle("x", 0), np.outer(v, v)),
        (pt.dimshuffle(m, [1, "x", 0]), w.T[:, None]),
        (pt.join(1, m, m), np.concatenate([w, w], 1)),
        (pt.concat([m, m]), np.concatenate([w, w])),
        (pt.shape_padleft(m, 2), w[None, None]),
        (pt.shape_padright(m), w[:, :, None]),
        (pt.shape_padaxis(m, -2), w[:, None]),
        (pt.patternbroadcast(m[:1], (True, False)), w[:1]),
        (pt.specify_shape(m, (2, 3)), w),
        (pt.tensor_copy(x) + x.copy(), 2 * v),
        (pt.extract_diag(m, offset=1), np.diagonal(w, 1)),
        (pt.alloc_diag(x, offset=-1), np.diag(v, -1)),
        (pt.alloc_diag(m, axis1=0, axis2=2), np.stack([np.diag(row) for row in w], 1)),
        (pt.batched_dot(m, m), (w * w).sum(1)),
        (
            pt.batched_dot(m.dimshuffle(0, "x", 1), m.dimshuffle(0, 1, "x")),
            (w * w).sum(1)[:, None, None],
        ),
        (pt.atan2(x, 2.0) + pt.asin(pt.sin(x) / 2), np.arctan2(v, 2) + np.arcsin(np.sin(v) / 2)),
        (
            pt.acosh(x**2 + 1) + pt.asinh(x) + pt.atanh(x / 4),
            np.acosh(v**2 + 1) + np.asinh(v) + np.atanh(v / 4),
        ),
        (pt.acos(x / 4) + pt.atan(x), np.acos(v / 4) + np.atan(v)),
        (
            pt.bitwise_left_shift(k, 2) + pt.bitwise_invert(k) + pt.bitwise_right_shift(k, 1),
            np.int64(4 - 2 + 0),
        ),
        (pt.permute_dims(m, (1, 0)), w.T),
        (pt.sqr(x) + pt.sgn(x) + pt.int_div(x, 2.0), v**2 + np.sign(v) + v // 2),
        (pt.log1pexp(x), np.log1p(np.exp(v))),
        (pt.or_(pt.and_(k, 3), 4) + pt.xor(k, 7), np.int64((1 & 3 | 4) + (1 ^ 7))),
        (pt.complex(x, 2.0), v + 2j),
        (pt.fill(m, k) + pt.second(m, 0.5), np.full((2, 3), 1.5)),
        (pt.divmod(x, 2.0)[0] + pt.divmod(7, k)[1], v // 2),
        (pt.max_and_argmax(m, 1)[0] + pt.max_and_argmax(m, 1)[1], w.max(1) + 2),
        (pt.astype(x, "int32"), v.astype("int32")),
        (pt.as_symbolic(x) + pt.as_symbolic(2), v + 2),
        (x.std() + x.var(ddof=1), v.std() + v.var(ddof=1)),
        (m.nbytes + m.itemsize, np.int64(56)),
        (pt.sort(x).searchsorted(x), np.sort(v).searchsorted(v)),
        (x.take([7, -9], mode="clip"), v.take([7, -9], mode="clip")),
        ((x > 0).choose([x, 9.0]), np.choose(v > 0, [v, np.full(3, 9.0)])),
    ]
    f = pt.function([x, m, k], [case[0] for case in cases], mode=backend)
    for found, (_, expected) in zip(f(*values), cases, strict=True):
        np.testing.assert_allclose(found, expected)
        assert found.dtype == expected.dtype


def test_graphs_are_copied_with_replacements() -> None:
    x, y = pt.dscalar("x"), pt.dscalar("y")
    z = x**2 + y
    assert pt.clone_replace(z, {x: y + 1}).eval({y: 2.0}) == 11.0
    one, other = pt.clone_replace([z, z + x], replace=[(y, 1.0)])
    assert (one.eval({x: 3.0}), other.eval({x: 3.0})) == (10.0, 13.0)


def test_values_are_given_by_name() -> None:
    x, y = pt.dscalar("x"), pt.dscalar("y")
    assert (x + 2 * y).eval({"x": 1.0, y: 2.0}) == 5.0
    with pytest.raises(ValueError, match="called 'z'; the names are: 'x', 'y'"):
        (x + y).eval({"z": 1.0})
    with pytest.raises(ValueError, match="2 inputs"):
        (x + pt.dscalar("x")).eval({"x": 1.0})


def test_inputs_of_other_dtypes_are_converted_on_request(few: Any) -> None:
    x, k = pt.fvector("x"), pt.iscalar("k")
    values = np.array([1.1, 2.9])
    for mode in few(BACKENDS, 1):
        f = pt.function([x, k], x * k, allow_input_downcast=True, mode=mode)
        found = f(values, 2.7)
        assert found.tolist() == (values.astype("float32") * 2).tolist()
        with pytest.raises(TypeError, match=r"input <k : int32>.*expected int32, got complex128"):
            f(values, 2j)
        with pytest.raises(TypeError, match="which has rank 1"):
            f(values[None], 2)
        g = pt.function([pt.In(x, allow_downcast=True), k], x * k, mode=mode)
        assert g(values, 2).tolist() == found.tolist()
        with pytest.raises(TypeError, match="convert it explicitly"):
            g(values, values[0])
        h = pt.function([x, pt.In(k, allow_downcast=False)], k, allow_input_downcast=True)
        with pytest.raises(TypeError, match="got dtype float64"):
            h(values, 2.7)
    assert pt.function([x, k], k, allow_input_downcast=None)([1.0], 2) == 2


def test_a_stream_of_random_numbers(few: Any) -> None:
    stream = pt.RandomStream(seed=5)
    x, y = stream.normal(0, 1, size=3), stream.uniform(low=-1.0, size=3)
    found = []
    for mode in few(BACKENDS, 2):
        stream.seed(5)
        draw = pt.function([], [x, y, x - x], updates=stream.updates(), mode=mode)
        found.append(np.array([draw(), draw()]))
        assert not np.any(found[-1][:, 2])
        assert len(np.unique(found[-1][:, :2])) == 12
    for other in found[1:]:
        np.testing.assert_allclose(other, found[0])
    again = pt.function([], x)
    assert again().tolist() == again().tolist()
    assert pt.RandomStream().key.get_value() != pt.RandomStream().key.get_value()
    assert len(pt.function([], stream.integers(0, 9, size=(2, 2)))()) == 2
    with pytest.raises(AttributeError, match="did you mean uniform"):
        stream.unifrom()


def test_what_does_not_fit_is_refused() -> None:
    m = pt.dmatrix("m")
    with pytest.raises(ValueError, match="axis 2 is out of range"):
        m.dimshuffle(0, 2)
    with pytest.raises(TypeError, match="stack of vectors or matrices"):
        pt.batched_dot(m, 1.0)
    with pytest.raises(TypeError, match="not the direct result of indexing"):
        pt.set_subtensor(m, 1.0)


@pytest.mark.parametrize("backend", BACKENDS)
def test_what_comes_back_in_derivatives_is_changed(backend: str) -> None:
    x, xs = pt.vector("x"), pt.matrix("xs")
    cost = (pt.grad_clip(x, -1.0, 1.0) ** 2).sum() + pt.sin(pt.grad_scale(x, 0.5)).sum()
    values = np.array([0.25, 3.0, -2.0])
    wanted = np.clip(2 * values, -1, 1) + 0.5 * np.cos(values)
    f = pt.function([x], [cost, pt.grad(cost, x)], mode=backend)
    found, slope = f(values)
    np.testing.assert_allclose(found, (values**2 + np.sin(values)).sum())
    np.testing.assert_allclose(slope, wanted)
    many = pt.vectorize_graph(pt.grad(cost, x), {x: xs})
    found = pt.function([xs], many, mode=backend)(np.stack([values, values]))
    np.testing.assert_allclose(found, np.stack([wanted, wanted]))


def test_graph_replace_is_told_what_there_is() -> None:
    x, y = pt.vectors("x y")
    assert pt.graph_replace(x + 1, {x: y}) is y + 1
    assert pt.graph_replace([x + 1], [(y, x)], strict=False) == [x + 1]
    with pytest.raises(ValueError, match="do not depend on <y"):
        pt.graph_replace(x + 1, {y: x})


@pytest.mark.cases("numba")
@pytest.mark.parametrize("backend", BACKENDS)
def test_what_pytensor_alone_has(backend: str) -> None:
    x, m, t, k = pt.dvector("x"), pt.dmatrix("m"), pt.dtensor3("t"), pt.lscalar("k")
    v, w = np.array([1.0, -2.0, 0.0]), np.arange(6.0).reshape(2, 3)
    u = np.arange(24.0).reshape(2, 3, 4)
    above, below = w.copy(), w.copy()
    above[[0, 1], [1, 2]] = below[1, 0] = 7.0
    cases: list[tuple[Any, Any]] = [
        (pt.atleast_Nd(x, n=3), v[None, None]),
        (pt.atleast_Nd(m, n=3, left=False), w[:, :, None]),
        (pt.atleast_Nd(m, n=1), w),
        (pt.batched_tensordot(m, t, 1), np.einsum("bi,bij->bj", w, u)),
        (pt.batched_tensordot(t, t), np.einsum("bij,bij->b", u, u)),
        (pt.batched_tensordot(t, t, [[1], [1]]), np.einsum("bij,bik->bjk", u, u)),
        (pt.batched_tensordot(t, t, [2, -1]), np.einsum("bij,bkj->bik", u, u)),
        (pt.chi2sf(x + 2, k + 3), scipy.special.chdtrc(4, v + 2)),
        (pt.complex_from_polar(x, 2.0), v * np.exp(2j)),
        (pt.concat_with_broadcast([m[:, :1], m], 0), np.vstack([np.tile(w[:, :1], 3), w])),
        (pt.concat_with_broadcast([m[:1], m], -1), np.hstack([np.tile(w[:1], (2, 1)), w])),
        (pt.fill_diagonal_offset(m, 7.0, k), above),
        (pt.fill_diagonal_offset(m, 7.0, -k), below),
        (pt.fill_diagonal_offset(m, 7.0, 5 * k), w),
        (pt.gammal(k, x + 2) + pt.gammau(k, x + 2), np.ones(3)),
        (pt.gammal(k + 1, x + 2), 1 - np.exp(-v - 2) * (v + 3)),
        (pt.horizontal_stack(m, m), np.hstack([w, w])),
        (pt.vertical_stack(m, m), np.vstack([w, w])),
        (pt.identity_like(m), np.eye(2, 3)),
        (pt.inverse_permutation([[2, 0, 1], [1, 0, 2]]), np.array([[1, 2, 0], [1, 0, 2]])),
        (pt.iround(2.5 * x), np.array([2, -5, 0])),
        (pt.permute_row_elements(m, [[2, 0, 1], [1, 0, 2]]), w[[[0], [1]], [[2, 0, 1], [1, 0, 2]]]),
        (pt.permute_row_elements(x, [[2, 0, 1], [1, 2, 0]]), v[[[2, 0, 1], [1, 2, 0]]]),
        (pt.permute_row_elements(m, [2, 0, 1], True), w[:, [1, 2, 0]]),
        *(
            (pt.signal.convolve1d(m, x, mode), np.array([np.convolve(r, v, mode) for r in w]))
            for mode in ("full", "same", "valid")
        ),
        (
            pt.signal.convolve1d(t, t[0]),
            np.array([[np.convolve(*r) for r in zip(s, u[0], strict=True)] for s in u]),
        ),
        (pt.largest(x, 0.5, m), np.maximum(np.maximum(v, 0.5), w)),
        (pt.smallest(x, 0.5, m), np.minimum(np.minimum(v, 0.5), w)),
        (pt.nonzero_values(x), v[:2]),
        (pt.to_one_hot(x.argmax() + pt.arange(2), 3, "int32"), np.eye(2, 3, dtype="int32")),
    ]
    outputs, wanted = zip(*cases, strict=True)
    found = pt.function([x, m, t, k], list(outputs), mode=backend)(v, w, u, 1)
    for one, other in zip(found, wanted, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-13, atol=1e-15)
        assert one.dtype == other.dtype
    assert pt.get_vector_length(pt.vector("n", shape=(3,))) == 3


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: pt.get_vector_length(pt.vector("n")), "no vector of known length"),
        (lambda: pt.iround([1.0], "half_up"), "mode is 'half_to_even', not 'half_up'"),
        (lambda: pt.horizontal_stack([1.0]), "horizontal_stack takes matrices"),
        (lambda: pt.identity_like([1.0]), "identity_like takes matrices"),
        (lambda: pt.batched_tensordot(np.eye(2), np.eye(2), [[0], [1]]), "no sum goes over axes"),
    ],
)
def test_what_pytensor_refuses_too(wrong: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        wrong()
