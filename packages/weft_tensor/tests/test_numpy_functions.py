"""Functions of NumPy and of Python that are called with variables."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.special

import weft_tensor as wt
from weft_graph import function
from weft_tensor.front.numpy_protocol import counterpart

x: Any = wt.vector("x")
X: Any = wt.matrix("X")
s: Any = wt.scalar("s")
place: Any = wt.lscalar("i")
places: Any = wt.lvector("k")


def known(v: Any) -> Any:
    """`v`, of known lengths if it is a variable."""
    return wt.specify_shape(v, 3, 3) if v is X else v


MATRIX = np.array([[4.0, 1.0, -0.5], [1.0, 3.0, 0.0], [-0.5, 0.0, 2.0]])
VECTOR = np.array([0.5, -2.0, 0.25])
IN_PLACE = {"fill_diagonal", "place", "put_along_axis"}
UFUNCS = [
    f
    for f in dict.fromkeys(
        f
        for module in (np, scipy.special)
        for f in vars(module).values()
        if isinstance(f, np.ufunc)
    )
    if counterpart(f)
]
CALLS: dict[str, list[Callable[[Any], Any]]] = {
    "all": [np.all, lambda v: np.all(v > 0, axis=1)],
    "any": [lambda v: np.any(v > 3, 0, keepdims=True)],
    "argmax": [np.argmax, lambda v: np.argmax(v, axis=1)],
    "argmin": [np.argmin, lambda v: np.argmin(v, 0)],
    "argsort": [np.argsort, lambda v: np.argsort(v, axis=0, kind=None)],
    "array_split": [lambda v: np.array_split(v, 2)],
    "astype": [lambda v: np.astype(v, "float32")],
    "atleast_1d": [np.atleast_1d],
    "atleast_2d": [lambda v: np.atleast_2d(v[0])],
    "bincount": [lambda v: np.bincount((v[0] > 0).astype("int64"), minlength=4)],
    "broadcast_arrays": [lambda v: list(np.broadcast_arrays(v, v[:, :1]))],
    "broadcast_to": [lambda v: np.broadcast_to(v, (2, 3, 3))],
    "compress": [lambda v: np.compress([True, False, True], v, axis=1)],
    "concatenate": [lambda v: np.concatenate([v, MATRIX], 1), lambda v: np.concat((v, v))],
    "count_nonzero": [lambda v: np.count_nonzero(v, axis=0)],
    "cumprod": [np.cumprod, lambda v: np.cumprod(v, 1)],
    "cumsum": [lambda v: np.cumsum(v, axis=0, dtype="float32")],
    "diag": [np.diag, lambda v: np.diag(v[0], k=1)],
    "diagonal": [lambda v: np.diagonal(v, 1)],
    "dot": [lambda v: np.dot(v, VECTOR), lambda v: np.dot(MATRIX, v)],
    "expand_dims": [lambda v: np.expand_dims(v, (0, 2))],
    "flatnonzero": [np.flatnonzero],
    "flip": [lambda v: np.flip(v, axis=1)],
    "fliplr": [np.fliplr],
    "flipud": [np.flipud],
    "full_like": [lambda v: np.full_like(v, 7), lambda v: np.full_like(v, 7, dtype="int32")],
    "imag": [np.imag],
    "kron": [lambda v: np.kron(v, VECTOR)],
    "linspace": [lambda v: np.linspace(v[0, 0], 1.0, 4, dtype="float32")],
    "matrix_transpose": [np.matrix_transpose],
    "max": [np.max, np.amax, lambda v: np.max(v, axis=0)],
    "mean": [np.mean, lambda v: np.mean(v, 1, keepdims=True)],
    "median": [np.median, lambda v: np.median(v, axis=0)],
    "min": [np.min, np.amin, lambda v: np.min(v, 0, None, True)],
    "moveaxis": [lambda v: np.moveaxis(v, 0, 1)],
    "ndim": [np.ndim],
    "nonzero": [np.nonzero],
    "ones_like": [np.ones_like],
    "outer": [lambda v: np.outer(v, VECTOR)],
    "pad": [lambda v: np.pad(v, 1), lambda v: np.pad(v, 1, constant_values=2.0)],
    "prod": [np.prod, lambda v: np.prod(v, axis=1)],
    "ravel": [np.ravel],
    "real": [np.real],
    "repeat": [lambda v: np.repeat(v, 2, axis=1)],
    "reshape": [lambda v: np.reshape(v, (1, -1)), lambda v: np.reshape(v, shape=9)],
    "result_type": [lambda v: np.result_type(v, np.int8(1), "complex64").itemsize],
    "roll": [lambda v: np.roll(v, 1, 0)],
    "shape": [np.shape],
    "size": [np.size],
    "sort": [np.sort, lambda v: np.sort(v, axis=None)],
    "split": [lambda v: np.split(v, [1, 2], axis=1)],
    "squeeze": [lambda v: np.squeeze(v[:1, :1]), lambda v: np.squeeze(v[:1], axis=0)],
    "stack": [lambda v: np.stack([v, MATRIX], axis=1)],
    "sum": [np.sum, lambda v: np.sum(v, 0, None, None, True), lambda v: np.sum(v > 0, axis=1)],
    "swapaxes": [lambda v: np.swapaxes(v, 0, 1)],
    "take": [lambda v: np.take(v, [0, 4]), lambda v: np.take(v, [0], axis=1)],
    "take_along_axis": [lambda v: np.take_along_axis(v, np.argsort(v, 1), axis=1)],
    "tile": [lambda v: np.tile(v, (2, 1))],
    "trace": [np.trace, lambda v: np.trace(v, offset=1)],
    "transpose": [np.transpose, lambda v: np.transpose(v, (1, 0)), lambda v: np.permute_dims(v)],
    "tril": [np.tril],
    "triu": [lambda v: np.triu(v, k=1)],
    "unique": [np.unique, lambda v: list(np.unique(v, return_counts=True))],
    "allclose": [lambda v: np.allclose(v, MATRIX), lambda v: np.allclose(v, 1.0, atol=9.0)],
    "angle": [np.angle],
    "array_equal": [lambda v: np.array_equal(v, MATRIX)],
    "average": [np.average, lambda v: np.average(v, axis=0, weights=VECTOR)],
    "clip": [lambda v: np.clip(v, 0, 1)],
    "corrcoef": [np.corrcoef],
    "cov": [np.cov, lambda v: np.cov(v, rowvar=False)],
    "diff": [np.diff, lambda v: np.diff(v, n=2, axis=0)],
    "ediff1d": [np.ediff1d],
    "fix": [np.fix],
    "gradient": [lambda v: np.gradient(v, axis=0)],
    "iscomplex": [np.iscomplex],
    "isclose": [lambda v: np.isclose(v, MATRIX)],
    "isneginf": [np.isneginf],
    "isposinf": [np.isposinf],
    "isreal": [np.isreal],
    "nan_to_num": [np.nan_to_num],
    "nanargmax": [np.nanargmax],
    "nanargmin": [lambda v: np.nanargmin(v, axis=1)],
    "nancumprod": [np.nancumprod],
    "nancumsum": [lambda v: np.nancumsum(v, axis=0)],
    "nanmax": [np.nanmax],
    "nanmean": [np.nanmean],
    "nanmedian": [np.nanmedian],
    "nanmin": [lambda v: np.nanmin(v, axis=0)],
    "nanpercentile": [lambda v: np.nanpercentile(v, 30)],
    "nanprod": [np.nanprod],
    "nanquantile": [lambda v: np.nanquantile(v, 0.3, axis=0)],
    "nanstd": [np.nanstd],
    "nansum": [np.nansum],
    "nanvar": [lambda v: np.nanvar(v, axis=0, ddof=1)],
    "percentile": [lambda v: np.percentile(v, 30, axis=1)],
    "ptp": [np.ptp],
    "quantile": [lambda v: np.quantile(v, [0.1, 0.5], axis=0, method="hazen")],
    "round": [lambda v: np.round(v, 1)],
    "i0": [np.i0],
    "sinc": [np.sinc],
    "std": [np.std, lambda v: np.std(v, axis=0, ddof=1)],
    "trapezoid": [np.trapezoid],
    "unwrap": [np.unwrap],
    "var": [lambda v: np.var(v, axis=0, keepdims=True)],
    "where": [lambda v: np.where(v > 0, v, 0.0), lambda v: np.where(MATRIX > 0, v, VECTOR)],
    "zeros_like": [np.zeros_like],
    "apply_along_axis": [lambda v: np.apply_along_axis(lambda row: row[::-1] * 2, 0, v)],
    "apply_over_axes": [lambda v: np.apply_over_axes(np.sum, v, [0, 1])],
    "argpartition": [lambda v: np.argpartition(v, 2, axis=None)[2:3]],
    "argwhere": [np.argwhere],
    "choose": [lambda v: np.choose([0, 1, 0], [v, MATRIX])],
    "copy": [np.copy],
    "diag_indices_from": [lambda v: list(np.diag_indices_from(v))],
    "diagflat": [lambda v: np.diagflat(v, k=1)],
    "digitize": [lambda v: np.digitize(v, [0.0, 1.0, 2.0], right=True)],
    "empty_like": [lambda v: np.empty_like(v) * 0],
    "extract": [lambda v: np.extract(v > 0, v)],
    "geomspace": [lambda v: np.geomspace(v[0, 0], 1.0, 3)],
    "interp": [lambda v: np.interp(v, [0.0, 1.0, 3.0], VECTOR, left=-1.0)],
    "intersect1d": [lambda v: np.intersect1d(v, VECTOR)],
    "isin": [lambda v: np.isin(v, [0.0, 3.0], invert=True)],
    "ix_": [lambda v: list(np.ix_(np.argsort(v[0]), np.array([0, 2])))],
    "lexsort": [lambda v: np.lexsort((v[0], v[1]))],
    "logspace": [lambda v: np.logspace(v[0, 0], 1.0, 3, base=2.0)],
    "meshgrid": [lambda v: list(np.meshgrid(v[0], VECTOR, indexing="ij"))],
    "partition": [lambda v: np.partition(v, 1)[:, 1]],
    "piecewise": [lambda v: np.piecewise(v, [v < 0, v > 2], [-1.0, lambda x: x * x, 0.5])],
    "searchsorted": [lambda v: np.searchsorted([0.0, 1.0, 3.0], v, side="right")],
    "select": [lambda v: np.select([v < 0, v > 2], [v, -v], default=7.0)],
    "setdiff1d": [lambda v: np.setdiff1d(v, VECTOR)],
    "setxor1d": [lambda v: np.setxor1d(v, VECTOR)],
    "tril_indices_from": [lambda v: list(np.tril_indices_from(v, k=-1))],
    "triu_indices_from": [lambda v: list(np.triu_indices_from(v))],
    "union1d": [lambda v: np.union1d(v, VECTOR)],
    "unique_all": [lambda v: list(np.unique_all(v))],
    "unique_counts": [lambda v: list(np.unique_counts(v))],
    "unique_inverse": [lambda v: list(np.unique_inverse(v))],
    "unique_values": [lambda v: np.sort(np.unique_values(v))],
    "vander": [lambda v: np.vander(v[0], 3)],
    "append": [lambda v: np.append(v, [1.0]), lambda v: np.append(v, v, axis=0)],
    "atleast_3d": [np.atleast_3d],
    "column_stack": [lambda v: np.column_stack([v[0], v])],
    "delete": [lambda v: np.delete(v, 1), lambda v: np.delete(v, [0, 2], axis=1)],
    "dsplit": [lambda v: np.dsplit(v[:, None], [1])],
    "dstack": [lambda v: np.dstack((v, v))],
    "hsplit": [lambda v: np.hsplit(v, 3)],
    "hstack": [lambda v: np.hstack([v, MATRIX])],
    "insert": [lambda v: np.insert(v, 1, 7.0), lambda v: np.insert(v, 1, 7.0, axis=1)],
    "ravel_multi_index": [lambda v: np.ravel_multi_index(np.nonzero(v), (3, 3))],
    "resize": [lambda v: np.resize(v, (2, 7))],
    "rollaxis": [lambda v: np.rollaxis(v, 1)],
    "rot90": [np.rot90, lambda v: np.rot90(v, k=2)],
    "trim_zeros": [lambda v: np.trim_zeros(v[2])],
    "unravel_index": [lambda v: list(np.unravel_index(np.argmax(v), (3, 3)))],
    "unstack": [lambda v: list(np.unstack(known(v)))],
    "vsplit": [lambda v: np.vsplit(v, 3)],
    "vstack": [lambda v: np.vstack([v, v])],
    "convolve": [lambda v: np.convolve(v[0], VECTOR, "same")],
    "correlate": [lambda v: np.correlate(v[0], VECTOR, mode="full")],
    "cross": [lambda v: np.cross(v, VECTOR)],
    "einsum": [lambda v: np.einsum("ij,kj->ki", v, MATRIX, optimize=True)],
    "inner": [lambda v: np.inner(v, VECTOR)],
    "tensordot": [lambda v: np.tensordot(v, MATRIX, axes=1)],
    "vdot": [lambda v: np.vdot(v, MATRIX)],
    "block": [lambda v: np.block([[v, MATRIX], [MATRIX, v]])],
    "cumulative_prod": [lambda v: np.cumulative_prod(v, axis=1)],
    "cumulative_sum": [lambda v: np.cumulative_sum(v, axis=0, include_initial=True)],
    "packbits": [lambda v: np.packbits(v > 0)],
    "unpackbits": [lambda v: np.unpackbits((v > 0).astype("uint8"), axis=0)],
    "around": [lambda v: np.around(v, 1)],
    "array_equiv": [lambda v: np.array_equiv(v, MATRIX)],
    "histogram": [lambda v: list(np.histogram(v, 4)), lambda v: list(np.histogram(v, VECTOR * 0))],
    "histogram2d": [lambda v: list(np.histogram2d(v[0], VECTOR, bins=2))],
    "histogramdd": [lambda v: np.histogramdd(known(v), 2)[0]],
    "roots": [lambda v: np.roots(known(v)[0] * 1j)],
    "histogram_bin_edges": [lambda v: np.histogram_bin_edges(v, bins=3, range=(0, 1))],
    "polyadd": [lambda v: np.polyadd(v[0], VECTOR)],
    "poly": [lambda v: np.poly(known(v)[0])],
    "polydiv": [lambda v: list(np.polydiv(v[0], VECTOR))],
    "polyfit": [lambda v: np.polyfit(VECTOR, v, 1)],
    "polyder": [lambda v: np.polyder(v[0], m=2)],
    "polyint": [lambda v: np.polyint(v[0])],
    "polymul": [lambda v: np.polymul(v[0], VECTOR)],
    "polysub": [lambda v: np.polysub(v[0], VECTOR[:2])],
    "polyval": [lambda v: np.polyval(VECTOR, v)],
    "linalg.cholesky": [np.linalg.cholesky],
    "linalg.cond": [np.linalg.cond],
    "linalg.diagonal": [np.linalg.diagonal],
    "linalg.eig": [lambda v: np.linalg.eig(v + 0j)[0]],
    "linalg.eigvals": [lambda v: np.linalg.eigvals(v + 0j)],
    "linalg.eigh": [lambda v: np.linalg.eigh(v)[0]],
    "linalg.eigvalsh": [lambda v: np.linalg.eigvalsh(v, "U")],
    "linalg.lstsq": [lambda v: np.linalg.lstsq(v, VECTOR)[0]],
    "linalg.matrix_norm": [lambda v: np.linalg.matrix_norm(v, ord=1)],
    "linalg.matrix_rank": [np.linalg.matrix_rank],
    "linalg.matrix_transpose": [np.linalg.matrix_transpose],
    "linalg.norm": [np.linalg.norm, lambda v: np.linalg.norm(v, axis=1)],
    "linalg.outer": [lambda v: np.linalg.outer(v[0], VECTOR)],
    "linalg.pinv": [np.linalg.pinv],
    "linalg.qr": [lambda v: list(np.linalg.qr(v)), lambda v: np.linalg.qr(v, mode="r")],
    "linalg.svd": [lambda v: np.linalg.svd(v, compute_uv=False)],
    "linalg.svdvals": [np.linalg.svdvals],
    "linalg.tensorinv": [lambda v: np.linalg.tensorinv(v, 1)],
    "linalg.tensorsolve": [lambda v: np.linalg.tensorsolve(v, VECTOR)],
    "linalg.trace": [np.linalg.trace],
    "linalg.vector_norm": [lambda v: np.linalg.vector_norm(v, ord=3)],
    "linalg.cross": [lambda v: np.linalg.cross(v, VECTOR)],
    "linalg.det": [np.linalg.det],
    "linalg.inv": [np.linalg.inv],
    "linalg.matmul": [lambda v: np.linalg.matmul(v, MATRIX)],
    "linalg.matrix_power": [lambda v: np.linalg.matrix_power(v, -2)],
    "linalg.multi_dot": [lambda v: np.linalg.multi_dot([v, MATRIX, VECTOR])],
    "linalg.slogdet": [lambda v: list(np.linalg.slogdet(v))],
    "linalg.solve": [lambda v: np.linalg.solve(v, VECTOR), lambda v: np.linalg.solve(v, v)],
    "linalg.tensordot": [lambda v: np.linalg.tensordot(v, MATRIX)],
    "linalg.vecdot": [lambda v: np.linalg.vecdot(v, VECTOR)],
}


def same(found: Any, expected: Any) -> None:
    """That what is computed has the values and the dtypes of what NumPy gives."""
    if isinstance(expected, (list, tuple)) and not isinstance(found, int):
        assert len(found) == len(expected)
        for one, other in zip(found, expected, strict=True):
            same(one, other)
        return
    np.testing.assert_allclose(found, expected, rtol=1e-13)
    assert np.asarray(found).dtype == np.asarray(expected).dtype


def computed(outputs: Any, inputs: Any, values: Any) -> Any:
    """What `outputs`, with variables or with what is known already, come to."""
    if isinstance(outputs, (list, tuple)):
        return [computed(output, inputs, values) for output in outputs]
    if not isinstance(outputs, wt.TensorVariable):
        return outputs
    return function(inputs, outputs, mode="py")(*values)


def test_every_array_function_that_there_is_has_a_call_below() -> None:
    paths = {"": np, "linalg.": np.linalg}
    functions = {
        prefix + f.__name__
        for prefix, module in paths.items()
        for f in vars(module).values()
        if hasattr(f, "_implementation") and counterpart(f) and f.__module__ == module.__name__
    }
    assert functions - {"amax", "amin"} - IN_PLACE == CALLS.keys()


@pytest.mark.parametrize("name", CALLS)
def test_functions_of_arrays_are_those_of_the_same_name(name: str) -> None:
    for call in CALLS[name]:
        same(computed(call(X), [X], [MATRIX]), call(MATRIX))


@pytest.mark.parametrize("ufunc", UFUNCS, ids=lambda f: f.__name__)
def test_functions_of_numbers_are_those_of_the_same_name(ufunc: Any) -> None:
    if ufunc in (np.equal, np.not_equal):
        return
    values = [np.array([2, 1, 3]), np.array([1, 3, 2]), np.array([3, 2, 1]), np.array([2, 2, 3])][
        : ufunc.nin
    ]
    if ufunc.types[0][0] not in "?b":
        values = [(1.0 if ufunc is np.arccosh else 0.25) * v for v in values]
    if ufunc is scipy.special.expn:
        values[0] = np.array([2, 1, 3])
    if ufunc is np.ldexp:
        values = [0.25 * values[0], np.array([1, 3, 2])]
    if ufunc in (np.matmul, np.matvec, np.vecmat):
        values = [MATRIX, MATRIX]
    inputs = [wt.TensorType(v.dtype, (None,) * v.ndim)() for v in values]
    same(computed(ufunc(*inputs), inputs, values), ufunc(*values))
    if ufunc.nin == 2:
        same(computed(ufunc(values[0], inputs[1]), inputs[1:], values[1:]), ufunc(*values))


ARITHMETIC = ["add", "sub", "mul", "truediv", "floordiv", "mod", "divmod", "pow", "matmul"]
COMPARISONS = ["lt", "le", "gt", "ge", "and_", "or_", "xor", "lshift", "rshift"]


def test_most_functions_of_numbers_are_there() -> None:
    assert {np.exp, np.multiply, np.matmul, np.divmod, np.power, scipy.special.expit} <= {*UFUNCS}


@pytest.mark.parametrize("name", ARITHMETIC + COMPARISONS)
def test_operators_with_arrays_and_numbers_of_numpy(name: str) -> None:
    call = divmod if name == "divmod" else getattr(operator, name)
    array = np.array([3, 2, 1])
    v = wt.vector("v", "int64")
    for other in (array, array[0]):
        if name == "matmul" and other is not array:
            continue
        same(computed(call(other, v), [v], [array]), call(other, array))
        same(computed(call(v, other), [v], [array]), call(array, other))


def added_in_place(values: Any) -> Any:
    values += x
    return values


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (
            lambda: np.sort_complex(x),
            "numpy.sort_complex: <.*> has no value yet, and weft.tensor has no",
        ),
        (lambda: np.real_if_close(x), "numpy.real_if_close: <x .*> has no value yet"),
        (lambda: np.hypot.reduce(x), r"hypot.reduce: <x : .*> .* `associative_scan\(function, x"),
        (lambda: np.subtract.accumulate(x), r"`loop.scan` the rest"),
        (lambda: np.add.at(x, 0, 1.0), r"can't be: write x = x\[i\].inc\(y\)"),
        (lambda: np.hypot.reduceat(x, [0, 1]), r"reduced by `segment_sum\("),
        (lambda: np.isnat(x), "numpy.isnat: <x : .*> has no value yet"),
        (lambda: np.frompyfunc(len, 1, 1)(x), "has no value yet"),
        (
            lambda: np.nanmedian(x, overwrite_input=True),
            r"takes no 'overwrite_input': weft.tensor has nanmedian\(x, axis, keepdims",
        ),
        (lambda: np.full_like(x, 1, order="F"), "numpy.full_like of variables takes no 'order'"),
        (lambda: np.exp(x, dtype="int64"), r"exp can't convert its input of float64 to int64"),
        (lambda: np.exp(x, order="F"), r"numpy.exp of variables takes no 'order'|keyword"),
        (lambda: np.exp(x, out=np.ones(3)), "no array can take it"),
        (lambda: added_in_place(np.ones(3)), "write `a = a . x` in the place of `a .= x`"),
        (lambda: np.ones(3) == x, r"by identity, .* weft.tensor's eq\(a, b\)"),
        (lambda: x != np.ones(3), r"by identity, .* weft.tensor's neq\(a, b\)"),
        (lambda: x == 0, r"by identity, which a number such as 0 has not: use .* eq\(a, b\)"),
        (lambda: x != 1.5, r"by identity, which a number such as 1.5 has not"),
        (lambda: np.float64(0.0) == x, r"by identity"),
        (lambda: x in [0.0, x], r"by identity"),
        (lambda: np.asarray(x), "<x : .*> has no value yet, so NumPy can't make an array of it"),
        (lambda: np.asarray(x), r"`as_tensor\(frame\) @ x` for a DataFrame's product"),
        (lambda: np.array([x, x]), "`stack` for a list of tensors"),
        (lambda: np.ones(3)[places], r"`as_tensor\(array\)\[i\]` to index an array"),
        (lambda: float(s), "<s : float64> is not known .* a float of it: go on with the tensor"),
        (lambda: math.exp(s), "a float of it: go on with the tensor, and with weft.tensor's exp"),
        (lambda: int(s), r"<s : float64> is not known .* use `.astype\('int64'\)`"),
        (lambda: complex(s), r"<s : float64> is not known .* use `.astype\('complex128'\)`"),
        (lambda: [1, 2][place], r"<i : int64> is not known .*`as_tensor\(list\)\[i\]`"),
        (lambda: np.zeros(x.shape), "makes an array of this length, weft.tensor.s zeros"),
        (lambda: wt.concatenate(x, x), r"several tensors come as a list, \[x, y\]"),
        (lambda: wt.stack(s, s), r"several tensors are a list, \[x, y\]"),
        (lambda: wt.zeros(*MATRIX.shape), r"3 is no dtype .*: lengths come as one tuple, \(2, 3"),
        (lambda: range(place), "<i : int64> is not known .* for a range, use `arange`"),
        (lambda: round(s), "<s : float64> is not known .* use weft.tensor's rint"),
        (lambda: f"{s:.2f}", r"<s : float64> is not known .* a text like '.2f' of it: print it"),
        (lambda: bool(s), "<s : float64> is not known while the graph is built: use `where`"),
        (lambda: len(x), r"the length of <x : float64\[\?\]> is not known: use x.shape\[0\]"),
        (lambda: list(x), r"the length of <x : float64\[\?\]> is not known"),
        (lambda: len(s), "<s : float64> has no length: it is a scalar"),
    ],
)
def test_what_needs_a_value_says_what_to_do(call: Callable[[], Any], said: str) -> None:
    with pytest.raises(TypeError, match=said):
        call()


UFUNC_METHODS: dict[str, Callable[[Any], Any]] = {
    "reduce": lambda v: np.add.reduce(v) + np.multiply.reduce(v, axis=1),
    "reduce, kept": lambda v: np.maximum.reduce(v, 1, keepdims=True) - np.minimum.reduce(v, 1),
    "reduce, none": lambda v: np.logaddexp.reduce(v, axis=None) + np.logaddexp.reduce(v, axis=0),
    "reduce, bools": lambda v: np.logical_and.reduce(v > 0) | np.logical_or.reduce(v > 2, axis=1),
    "accumulate": lambda v: np.add.accumulate(v) + np.multiply.accumulate(v, axis=1),
    "accumulate, extremes": lambda v: np.maximum.accumulate(v) - np.minimum.accumulate(v, 1),
    "outer": lambda v: np.subtract.outer(v[0], MATRIX) + np.power.outer(np.abs(VECTOR), v)[0],
    "outer, compared": lambda v: np.less.outer(v[0], v[:, 1]),
}


@pytest.mark.parametrize("call", UFUNC_METHODS.values(), ids=list(UFUNC_METHODS))
def test_methods_of_functions_of_numbers(call: Callable[[Any], Any]) -> None:
    found = function([X], call(X), mode="py")(MATRIX)
    expected = call(MATRIX)
    assert found.dtype == expected.dtype
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_comparisons_by_identity_are_no_conditions_unnoticed() -> None:
    y: Any = wt.vector("y")
    for choice in (wt.where, wt.ifelse):
        with pytest.warns(UserWarning, match=rf"{choice.__name__}: .* is Python's False, .* eq"):
            choice(x == y, x, y)
    assert x not in [y, None]


def test_functions_that_change_arrays_say_what_gives_a_new_tensor() -> None:
    matrix: Any = X
    with pytest.raises(TypeError, match=r"x = weft\.tensor\.fill_diagonal\(x, \.\.\.\)"):
        np.fill_diagonal(matrix, 0.0)
