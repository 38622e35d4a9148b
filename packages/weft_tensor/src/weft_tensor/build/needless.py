"""Keywords of other libraries that no tensor needs: what they may say, and why not other things."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from reprlib import repr
from typing import Any, Final, NamedTuple

from weft_tensor.build.variable import TensorVariable

__all__ = ["may_say"]


class _Needless(NamedTuple):
    """What may be said by a keyword that changes no value, and what to write for other things."""

    allowed: Callable[[Any], bool]
    instead: str


def _anything(value: Any) -> bool:
    return True


def _one_of(*values: object) -> Callable[[Any], bool]:
    return lambda given: any(given is v or (type(given) is type(v) and given == v) for v in values)


_no: Final = _one_of(None, False, 0)
_yes: Final = _one_of(None, True, 1)

_ANY_VALUE: Final = """
accuracy assume_unique_indices blocksize brute_force bucket_size cache_size callback_type check_rep
check_vma debug driver indices_are_sorted ixpr lapack_driver lsmr_maxiter lsmr_tol lsq_solver lwork
maxprint max_squarings mxhnil mxordn mxords permc_spec precision prevent_cse quiet subok
traceA turbo unique_indices unroll use_umfpack workers xp _dot_general
"""
"""They say how something is computed, not what."""

_WAYS: Final = """
argpartition.kind bernoulli.mode brentq.k categorical.mode choice.mode choice.shuffle
digitize.method dot_product_attention.implementation eig_banded.max_ev eigh_tridiagonal.tol
eigvalsh_tridiagonal.tol expm_frechet.method fsolve.band fsolve.diag fsolve.epsfcn fsolve.factor
inv.lower isin.method leastsq.diag leastsq.epsfcn leastsq.factor leastsq.ftol leastsq.gtol
log_ndtr.series_order make_lsq_spline.method minres.check multivariate_normal.tol nnls.atol
odeint.Dfun odeint.hmin odeint.ml odeint.mu odeint.mxstep odeint.tcrit partition.kind polar.eps
polar.max_iterations polar.method searchsorted.method slogdet.method solve_continuous_are.balanced
solve_discrete_are.balanced solve_ivp.jac solve_ivp.jac_sparsity solve_ivp.lband
solve_ivp.min_step solve_ivp.uband solve_sylvester.method solve_sylvester.tol squareform.checks
svds.options svds.solver
"""
"""These do so too, of single functions."""

_NOTHING_PRINTED: Final = "nothing is printed while a compiled function runs: see wt.print_value"
_MEASURES: Final = (
    "the value alone is given: `minimize`, `root`, `root_scalar`, `least_squares` and `solve_ivp` "
    "give what they tell of their steps besides, and `quad` its error"
)

_NEEDLESS: Final[Mapping[str, _Needless]] = {
    **{name: _Needless(_anything, "") for name in (_ANY_VALUE + _WAYS).split()},
    "callback": _Needless(
        _one_of(None),
        "steps are a compiled loop, which calls no Python: ask for more steps by maxiter=, or "
        "write the loop with while_loop",
    ),
    "casting": _Needless(_one_of("same_kind", "unsafe"), "cast what is given, x.astype(dtype)"),
    "col_deriv": _Needless(_no, "give the Jacobian with one row for each value"),
    "check_valid": _Needless(_one_of("raise", "warn"), "a covariance is always checked"),
    "copy": _Needless(_one_of(None, True, False), "tensors are never changed: none is copied"),
    "device": _Needless(
        _one_of(None, "cpu"),
        "the backend places values: function(..., mode='jax') runs where JAX's default device is",
    ),
    "disp": _Needless(_yes, "the value alone is given, without an estimate of its error"),
    "exact": _Needless(
        _one_of(False),
        "this gives floating numbers: exact ones give math.factorial, comb and perm of Python",
    ),
    "extend": _Needless(_one_of("zero"), "only the numbers that are not negative have it here"),
    "full_output": _Needless(_no, _MEASURES),
    "inplace": _Needless(_one_of(False), "tensors are never changed: a new one is given"),
    "impl": _Needless(_one_of(None, "threefry2x32"), "all bits are Threefry's"),
    "iprint": _Needless(_no, _NOTHING_PRINTED),
    "homogeneous_eigvals": _Needless(_no, "eigenvalues are quotients: of the pencil by qz"),
    "like": _Needless(
        lambda given: given is None or isinstance(given, TensorVariable),
        "what is made is a tensor, whatever others are",
    ),
    "nan_policy": _Needless(
        _one_of("propagate"), "leave elements that are NaN away before: x[~isnan(x)]"
    ),
    "order": _Needless(
        _one_of(None, "C", "F", "A", "K"), "tensors have no fields, and no layout in memory"
    ),
    "out": _Needless(_one_of(None), "tensors are never changed: write y = {name}(...)"),
    "output": _Needless(_one_of(None), "write {name}(...).astype(dtype)"),
    "out_sharding": _Needless(_one_of(None), "write shard(y, mesh, spec) of the result"),
    "plan": _Needless(_one_of(None), "backends plan by themselves"),
    "plot": _Needless(_one_of(None), "plot the values of what is returned"),
    "allow_int": _Needless(_no, "differentiate by floating numbers: x.astype('float64')"),
    "argnums": _Needless(_one_of(), "call the function: {name}(f(x), x)"),
    "axis_index_groups": _Needless(_one_of(None), "give the devices two axes, and one of them"),
    "axis_name": _Needless(_one_of(None), "write shard_map over a mesh that has such an axis"),
    "axis_size": _Needless(_one_of(None), "lengths are those of what is given"),
    "has_aux": _Needless(_no, "call the function, {name}(f(x), x), and keep what else it gives"),
    "holomorphic": _Needless(_no, "differentiate the real and the imaginary part"),
    "policy": _Needless(_one_of(None), "everything inside is computed again"),
    "preferred_element_type": _Needless(_one_of(None), "cast before or after, x.astype(dtype)"),
    "precenter": _Needless(_no, "write y - mean(y)"),
    "printmessg": _Needless(_no, _NOTHING_PRINTED),
    "spmd_axis_name": _Needless(_one_of(None), "write shard_map over a mesh"),
    "sharding": _Needless(_one_of(None), "write shard(y, mesh, spec) of the result"),
    "promote_integers": _Needless(_yes, "say dtype="),
    "show": _Needless(_no, _NOTHING_PRINTED),
    "signature": _Needless(_one_of(None), "say dtype="),
    "symmetrize_input": _Needless(
        _one_of(False), "one half of the matrix is read: give (x + x.mT.conj()) / 2 for both"
    ),
    "type": _Needless(_one_of(1), "write B @ A, or solve with B, before"),
    "weight": _Needless(_one_of(None), "write the weight into the function"),
    "verbose": _Needless(_no, _NOTHING_PRINTED),
}


def may_say(function: str, name: str, value: Any) -> bool:
    """Whether the keyword `name` of a `function` is one that changes no value.

    Raises TypeError where it says anything else than what is the case, with what to write.

    >>> may_say("sum", "out", None), may_say("sum", "axis", 1)
    (True, False)
    >>> may_say("sum", "out", 2.0)
    Traceback (most recent call last):
    ...
    TypeError: sum takes no out=2.0: tensors are never changed: write y = sum(...)
    """
    if name.startswith("overwrite"):
        return True
    word = _NEEDLESS.get(f"{function}.{name}") or _NEEDLESS.get(name)
    if word is None:
        return False
    if not word.allowed(value):
        reason = word.instead.format(name=function)
        raise TypeError(f"{function} takes no {name}={repr(value)}: {reason}")
    return True
