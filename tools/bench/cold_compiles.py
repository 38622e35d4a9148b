"""How long functions take to compile: `python -m tools.bench.cold_compiles [NAME ...]`.

For each function of `wt.linalg`, `wt.special`, `wt.fft`, `wt.signal` and `wt.nn`, the CPU seconds
of `wt.function` of its results and the gradient of the sum of their squares, on Numba, without a
cache, the slowest first. Each is compiled in a process of its own, forked from one where Numba has
compiled another function with its gradient and SciPy and `wt.random` have been imported.
"""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from importlib import import_module
from inspect import Parameter, signature
from time import process_time
from types import ModuleType
from typing import Any, Final

import numpy as np

from weft_graph import UndefinedGradientError

__all__ = ["LIMIT", "calls", "cases", "graph_of", "seconds"]

LIMIT: Final = 0.7
"""How many CPU seconds a function with its gradient may take."""

PARTS: Final = ["linalg", "special", "fft", "signal", "nn"]
_OTHER: Final = [
    *("windows", "initializers", "lti", "dlti", "pascal", "unit_impulse", "correlation_lags"),
    *("bernoulli", "euler", "dft", "hadamard", "helmert", "hilbert", "invhilbert", "invpascal"),
    *("EvensFirst", "FFT", "IRFFT", "RFFT", "FFTShift", "Conv"),
]
"""What is no function, beside the classes: modules, constants, and Ops that are rows."""

_PAIRS: Final = ("bilinear", "normalize", "residue", "residuez", "tf2ss")
"""What takes two polynomials."""
_PLACES: Final = ("x", "y", "z", "v")
"""Vectors."""
CALLS: Final = """
linalg.block_diag(m, k)
linalg.cross(m, k)
linalg.kron(m, k)
linalg.matmul(m, k)
linalg.matmul(t, u)
linalg.matrix_transpose(m)
linalg.tensordot(t, u, axes=2)
linalg.tril(m)
linalg.triu(m, 1)
linalg.vecdot(m, k)
linalg.hessenberg(m, True)
linalg.ldl(m)
linalg.matrix_balance(m)
linalg.funm(m, wt.exp)
linalg.expm_cond(m)
linalg.rsf2csf(m, k)
linalg.cdf2rdf(x, m)
linalg.orth(m)
linalg.null_space(m)
linalg.cho_factor(m)
linalg.cho_solve((m, True), x)
linalg.cho_solve((m, True), k)
linalg.cholesky(m)
linalg.cholesky(t)
linalg.cholesky(m, upper=True)
linalg.cholesky_inverse(m)
linalg.cho_solve_banded((bands, True), x)
linalg.cholesky_banded(bands)
linalg.eig_banded(bands)
linalg.eigvals_banded(bands)
linalg.solveh_banded(bands, x)
linalg.fractional_matrix_power(m, 0.5)
linalg.signm(m)
linalg.pinvh(m)
linalg.subspace_angles(thin, thin)
linalg.solve_continuous_are(m, k, n, p)
linalg.diagsvd(x, 5, 4)
linalg.convolution_matrix(x, 4)
signal.stft(x)[2]
signal.spectrogram(x)[2]
signal.istft(spectra)[1]
linalg.det(m)
linalg.det(t)
linalg.inv(m)
linalg.inv(t)
linalg.lu(m)
linalg.lu(t)
linalg.lu(m, permute_l=True)
linalg.lu(m, p_indices=True)
linalg.lu_factor(m)
linalg.lu_solve(linalg.lu_factor(m), x)
linalg.lu_solve(linalg.lu_factor(m), k)
linalg.pivot_to_permutation(pivots)
linalg.slogdet(m)
linalg.slogdet(t)
linalg.solve(m, x)
linalg.solve(m, k)
linalg.solve(t, u)
linalg.solve(m, x, assume_a='sym')
linalg.solve(m, x, assume_a='pos')
linalg.solve(m, x, assume_a='her')
linalg.solve(m, x, assume_a='diagonal')
linalg.solve(m, x, assume_a='tridiagonal')
linalg.solve(m, x, assume_a='banded')
linalg.solve(m, x, assume_a='upper triangular')
linalg.solve_triangular(m, x)
linalg.solve_triangular(m, k, lower=True)
linalg.eig(m)
linalg.eigh(m)
linalg.eigh(t)
linalg.eigvals(m)
linalg.eigvalsh(m)
linalg.eigvalsh(t)
linalg.qr(m)
linalg.qr(t)
linalg.qr(m, mode='complete')
linalg.qr(m, mode='r')
linalg.qr_delete(wt.specify_shape(m, (4, 4)), k, 1)
linalg.qr_insert(wt.specify_shape(m, (4, 4)), k, x, 1)
linalg.qr_multiply(m, k)
linalg.qr_update(wt.specify_shape(m, (4, 4)), k, x, x)
linalg.rq(m)
linalg.bandwidth(m)
linalg.ishermitian(m)
linalg.issymmetric(m)
linalg.qz(m, k)
linalg.schur(m)
linalg.schur(m, output='complex')
linalg.svd(m)
linalg.svd(m, full_matrices=False)
linalg.svd(t, full_matrices=False)
linalg.svd(m, compute_uv=False)
linalg.svd(m, hermitian=True)
linalg.svdvals(m)
linalg.svdvals(t)
linalg.cond(m)
linalg.cond(m, 1)
linalg.cond(m, -2)
linalg.cond(m, 'fro')
linalg.diagonal(m)
linalg.expm(m)
linalg.expm(t)
linalg.logm(m)
linalg.lstsq(m, x)
linalg.lstsq(m, k)
linalg.matrix_norm(m)
linalg.matrix_norm(m, ord=2)
linalg.matrix_rank(m)
linalg.norm(x, 1)
linalg.norm(x, 0)
linalg.norm(x, 3)
linalg.norm(x, inf)
linalg.norm(x, -inf)
linalg.norm(m)
linalg.norm(m, 'nuc')
linalg.norm(m, 1)
linalg.norm(m, -1)
linalg.norm(m, 2)
linalg.norm(m, -2)
linalg.norm(m, inf)
linalg.norm(t, 'nuc', axis=(1, 2))
linalg.pinv(m)
linalg.pinv(t)
linalg.pinv(m, hermitian=True)
linalg.solve_banded((1, 1), m, x)
linalg.solve_continuous_lyapunov(m, k)
linalg.solve_lyapunov(m, k)
linalg.solve_discrete_are(m, k, n, p)
linalg.solve_discrete_lyapunov(m, k)
linalg.solve_sylvester(m, k, n)
linalg.sqrtm(m)
linalg.tensorinv(images)
linalg.tensorsolve(t, x)
linalg.khatri_rao(m, k)
linalg.expm_frechet(m, k)
linalg.orthogonal_procrustes(m, k)
linalg.leslie(x, y)
linalg.solve_toeplitz(x, y)
linalg.toeplitz(x)
linalg.cosm(m)
linalg.sinm(m)
linalg.tanm(m)
linalg.coshm(m)
linalg.sinhm(m)
linalg.tanhm(m)
linalg.polar(m)
linalg.toeplitz(x, y)
linalg.trace(m)
linalg.vector_norm(x)
linalg.matrix_power(m, 3)
linalg.matrix_power(m, -2)
linalg.multi_dot([m, k, n, p])
special.eval_legendre(5, x)
special.eval_chebyt(5, x)
special.eval_chebyu(5, x)
special.eval_hermite(5, x)
special.eval_hermitenorm(5, x)
special.eval_laguerre(5, x)
special.eval_genlaguerre(5, y, x)
special.eval_gegenbauer(5, y, x)
special.eval_jacobi(5, y, z, x)
special.hyp2f1(x, y, z, v)
special.agm(x, y)
special.eval_sh_jacobi(3, y, z, x)
special.hyp0f1(x, y)
special.sph_harm_y(3, 2, x, y)
special.voigt_profile(x, y, z)
special.log_softmax(m, axis=1)
special.logsumexp(m, axis=1)
special.multigammaln(x, 3)
special.polygamma(2, x)
special.factorialk(x, 3)
special.softmax(m, axis=1)
fft.fft(c)
fft.ifft(c)
fft.fft2(m)
fft.ifft2(m)
fft.rfft2(m)
fft.irfft2(m)
fft.fftn(m)
fft.ifftn(m)
fft.rfftn(m)
fft.irfftn(m)
fft.hfft2(m)
fft.ihfft2(m)
fft.hfftn(m)
fft.ihfftn(m)
fft.dctn(m)
fft.idctn(m)
fft.dstn(m)
fft.idstn(m)
signal.chirp(x, 1.0, 2.0, 3.0)
signal.resample(x, 50)
signal.resample_poly(x, 3, 2)
signal.upfirdn([1, 0.5], x, 3, 2)
signal.decimate(x, 2)
signal.order_filter(x, [1, 1, 1], 2)
signal.medfilt2d(m)
signal.zoom_fft(x, 0.5)
signal.find_peaks_cwt(x, [1, 2, 3])
signal.czt_points(5, x[0])
signal.convolve2d(m, k)
signal.correlate2d(m, k)
signal.lfilter([1, 0.5], [1, -0.4], x)
signal.filtfilt([1, 0.5], [1, -0.4], x)
signal.lfiltic([1, 0.5], [1, -0.4], [1.0])
signal.lfilter_zi([1, 0.5], [1, -0.4])
signal.sosfilt_zi(sections)
signal.sosfilt(sections, x)
signal.sosfiltfilt(sections, x)
signal.periodogram(x)[1]
signal.welch(x)[1]
signal.csd(x, y)[1]
signal.coherence(x, y)[1]
signal.firwin(9, s)
signal.freqz(x)[1]
signal.freqz_sos(rows)[1]
signal.get_window(('kaiser', s), 9)
signal.envelope(wt.specify_shape(x, 64))
signal.hilbert2(m)
signal.minimum_phase(rows[0])
signal.savgol_coeffs(5, 2)
signal.savgol_filter(x, 5, 2)
signal.butter(4, s)
signal.bessel(3, s)
signal.cheby1(3, 1.0, s)
signal.cheby2(3, 20.0, s)
signal.ellip(3, 1.0, 20.0, s)
signal.iirfilter(2, few, output='sos')
signal.bilinear_zpk(few, few, s, 2.0)
signal.sos2tf(rows)
signal.zpk2tf(few, few, s)
signal.cont2discrete((A, B, C, D), 0.1)
signal.dlsim((A, B, C, D, 0.1), x)
signal.lsim((A, B, C, D), x, y)
signal.impulse((few, few), T=x)
signal.step((few, few), T=x)
signal.sos2zpk(rows)
signal.ss2tf([[s, 1.0], [0.0, 0.5]], [[1.0], [0.0]], [[1.0, 0.0]], [[0.0]])
signal.zpk2ss(few, few, s)
signal.firls(9, [0, 0.4, 0.6, 1], [s, 1, 0, 0])
signal.firwin2(9, [0, 0.5, 1], [s, 1, 0])
signal.argrelextrema(x, wt.greater)
signal.group_delay((few, few))
signal.sosfreqz(rows)
nn.conv(images, kernels, padding='same')
nn.conv_transpose(images, kernels, 2)
nn.max_pool(images, 2)
nn.avg_pool(images, 2)
nn.sum_pool(images, 2)
nn.one_hot(pivots, 4)
nn.layer_norm(m)
nn.embedding([1, 0], m)
nn.dropout(wt.random.key(1), x)
nn.scaled_dot_product_attention(m, k, k)
nn.dot_product_attention(t, u, u)
"""
"""The calls of functions that take more than one vector, and of those worth a second look."""


def inputs(wt: Any) -> dict[str, Any]:
    """The variables of the calls, by name."""
    return {
        **{name: wt.vector(name) for name in "xyzv"}
        | {name: wt.matrix(name) for name in "mknpABCD"},
        **{name: wt.tensor3(name) for name in "tu"},
        "s": wt.scalar("s"),
        "c": wt.vector("c", dtype="complex128"),
        "count": wt.scalar("count", dtype="int64"),
        "pivots": wt.vector("pivots", dtype="int32"),
        "few": wt.vector("few", shape=(2,)),
        "rows": wt.matrix("rows", shape=(2, 6)),
        "bands": wt.matrix("bands", shape=(2, None)),
        "thin": wt.matrix("thin", shape=(None, 2)),
        "spectra": wt.matrix("spectra", dtype="complex128", shape=(65, None)),
        "images": wt.tensor4("images"),
        "kernels": wt.tensor4("kernels"),
    }


def _needed(function: Callable[..., object]) -> int:
    """How many arguments it cannot do without; at least one."""
    each = signature(function).parameters.values()
    plain = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
    return max(1, sum(p.kind in plain and p.default is Parameter.empty for p in each))


def calls(wt: Any) -> list[str]:
    """The calls of all functions: those listed, and of the others that of vectors."""
    listed = CALLS.split("\n")[1:-1]
    listed += ["fft.fftfreq(count)", "fft.rfftfreq(count)", "fft.fht(x, s, s)", "fft.ifht(x, s, s)"]
    listed += ["special.lmbda(2, x)", "special.stirling2(pivots, pivots)"]
    listed += [f"signal.{f}(few, few)" for f in _PAIRS]
    listed += [f"signal.{f}(few, few, few)" for f in ("invres", "invresz")]
    listed += [f"signal.{f}((few, few), x)" for f in ("bode", "freqresp")]
    listed += [f"signal.{f}((few, few, .1))" for f in ("dbode", "dfreqresp", "dimpulse", "dstep")]
    moves = [f"lp2{to}{form}" for to in ("bp", "bs", "hp", "lp") for form in ("", "_zpk")]
    listed += [f"signal.{f}(few, few, s)" for f in moves]
    functions = {call.partition("(")[0] for call in listed}
    names = (
        (f"{part}.{name}", getattr(getattr(wt, part), name))
        for part in PARTS
        for name in getattr(wt, part).__all__
        if name not in _OTHER and not name.startswith("roots_")
    )
    return listed + [
        f"{name}({', '.join(_PLACES[: _needed(function)])})"
        for name, function in names
        if name not in functions
        and not isinstance(function, type | ModuleType)
        and "args" not in signature(function).parameters  # of numbers alone
    ]


def flat(results: Any) -> list[Any]:
    """The variables among `results`, which may be a tuple or list of them."""
    if isinstance(results, list | tuple):
        return [leaf for result in results for leaf in flat(result)]
    return [results] if hasattr(results, "dtype") else []


def graph_of(wt: Any, call: str) -> tuple[list[Any], list[Any]]:
    """The variables that a call reads, and its results.

    >>> import weft.tensor as wt
    >>> graph_of(wt, "linalg.solve(m, x)")
    ([<m : float64[?, ?]>, <x : float64[?]>], [<squeeze[1] : float64[?]>])
    """
    variables = inputs(wt)
    known = {
        **{part: getattr(wt, part) for part in PARTS},
        **variables,
        "inf": float("inf"),
        "wt": wt,
        "sections": [[1.0, 0.5, 0.0, 1.0, -0.4, 0.1]] * 2,
    }
    code = compile(call, call, "eval")
    return [variables[name] for name in code.co_names if name in variables], flat(eval(code, known))


def cases() -> Iterator[tuple[str, Callable[[], object]]]:
    """The call of each function, and what compiles it."""
    import weft.tensor as wt

    def compiled(call: str) -> None:
        read, results = graph_of(wt, call)
        smooth, at = ([v for v in group if v.dtype[0] in "fc"] for group in (results, read))
        slopes: list[Any] = []
        if smooth and at:
            loss: Any = sum(wt.sum(wt.abs(y) ** 2) for y in smooth)
            with suppress(UndefinedGradientError):
                slopes = wt.grad(loss, at, disconnected_inputs="ignore")
        wt.function(read, [*results, *slopes], mode="numba")

    for call in calls(wt):
        yield call, partial(compiled, call)


def seconds(action: Callable[[], object]) -> float:
    """CPU seconds that `action` takes in a process of its own.

    >>> seconds(lambda: None) < 1
    True
    """
    receiver, sender = os.pipe()
    child = os.fork()
    if not child:
        status = 1
        try:
            start = process_time()
            action()
            os.write(sender, f"{process_time() - start}".encode())
            status = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(status)
    os.close(sender)
    with os.fdopen(receiver) as told:
        text = told.read()
    os.waitpid(child, 0)
    return float(text) if text else float("inf")


def main(names: list[str]) -> int:
    """Print the seconds of each function, or those named; 1 if one takes longer than the limit."""
    os.environ["WEFT_CACHE_DIR"] = "off"
    import weft.tensor as wt

    for name in ("scipy.linalg", "scipy.special", "weft_tensor.random"):
        import_module(name)
    x, m = wt.vector("x"), wt.matrix("m")
    loss = wt.exp(x).sum() + (m**2).sum()
    wt.function([x, m], [loss, *wt.grad(loss, [x, m])], mode="numba")(np.ones(3), np.ones((2, 2)))
    took = {
        call: seconds(action)
        for call, action in cases()
        if not names or call.partition("(")[0].rpartition(".")[2] in names
    }
    for call in sorted(took, key=took.__getitem__, reverse=True):
        print(f"{took[call]:5.2f}{'  above' if took[call] > LIMIT else '       '}  {call}")
    return int(max(took.values(), default=0.0) > LIMIT)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
