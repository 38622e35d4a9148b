"""Parameters within bounds with which observations are likeliest, of any family of numbers."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Mapping, Sequence
from math import isfinite as is_finite
from typing import Any, Final

import numpy as np

from weft_graph.extend import called
from weft_tensor.build.convert import as_floating, as_tensor
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.distributions.continuous import Continuous
from weft_tensor.ops.distributions.discrete import Discrete
from weft_tensor.ops.elementwise.comparison import isfinite, where
from weft_tensor.ops.elementwise.exponential import log
from weft_tensor.ops.indexing.sort import sort
from weft_tensor.ops.optimize.downhill.minimum import minimize
from weft_tensor.ops.optimize.methods.many_minima import differential_evolution
from weft_tensor.ops.reduction.standard import sum
from weft_tensor.ops.sample_statistics.samples import one_of
from weft_tensor.ops.shape.concatenate import concatenate, stack
from weft_tensor.ops.shape.reshape import reshape
from weft_tensor.ops.statistics.differences import diff

__all__ = ["FitResult", "fit"]

_DEFAULTS: Final = {"loc": 0.0, "scale": 1.0}
_PENALTY: Final = -100 * float(np.log(np.finfo("float64").max))
"""The logarithm of the density of what cannot be."""
Family = Continuous | Discrete


class FitResult:
    """What `fit` has found, with SciPy's names."""

    def __init__(self, family: Family, data: TensorVariable, params: Any, success: Any) -> None:
        self.family, self.data = family, data
        self.params: Any = params
        """A named tuple of the shape parameters, `loc` and, if continuous, `scale`."""
        self.success: TensorVariable = success
        """Whether the search ended at what was looked for."""

    def __repr__(self) -> str:
        return f"FitResult(params={self.params!r}, success={self.success!r})"

    def nllf(
        self, params: Sequence[TensorLike] | None = None, data: TensorLike | None = None
    ) -> TensorVariable:
        """Minus the logarithm of the likelihood: of these by default."""
        at = self.params if params is None else params
        logs = _logs(self.family, self.data if data is None else as_tensor(data), at)
        return -sum(logs)


def fit(
    dist: Family,
    data: TensorLike,
    bounds: Mapping[str, Any] | Sequence[Any] | None = None,
    *,
    guess: Mapping[str, TensorLike] | Sequence[TensorLike] | None = None,
    method: str = "mle",
    optimizer: Callable[..., Any] | None = None,
    rng: TensorLike | None = None,
) -> FitResult:
    """The parameters within bounds with which observations are likeliest. See `scipy.stats.fit`.

    With a key, `differential_evolution` looks among all of them; without, `minimize` goes downhill
    from `guess`. The parameters have derivatives by the data. The `fit` of a continuous family
    needs no bounds.

    Parameters
    ----------
    dist
        A family, as `wt.stats.gamma`: continuous or discrete.
    data
        Observations.
    bounds
        For each shape parameter the least and the largest value, finite, by name, or in order; also
        for `loc` and `scale`, which are 0 and 1 without.
    guess
        Where to begin, by name or in order: in the middle by default.
    method
        "mle", or "mse": the parameters for which the distribution function of the data is evenest.
    optimizer
        Takes a function of a vector, `bounds` and `integrality`, by name, and `x0` if there is a
        guess, and returns what has `x` and `success`.
    rng
        A key, as `wt.random.key(0)`: needed where a parameter is a whole number.

    Raises
    ------
    TypeError
        for what is no such family.
    ValueError
        for names that it does not have, missing or infinite bounds, another method, and without a
        key that is needed.

    Examples
    --------
    >>> from weft_tensor.stats import gamma
    >>> found = fit(gamma, [1.0, 2.0, 2.5, 4.0, 7.0], {"a": (0.1, 20), "scale": (0.1, 20)})
    >>> [v.eval().round(4).item() for v in found.params]
    [2.5865, 0.0, 1.2759]
    """
    if not isinstance(dist, Continuous | Discrete):  # as type checkers say
        raise TypeError(f"fit takes a family, as wt.stats.gamma, not {dist!r}{called()}")
    one_of("fit", "method", method, ("mle", "mse"))
    x = reshape(as_tensor(data), (-1,))
    x = x if isinstance(dist, Discrete) else as_floating(x)
    names = (*dist.parameters, *dist.places)
    pairs = _pairs(dist, names, bounds)
    begin = _by_names(dist, names, guess, "guess")
    fixed = {n: low for n, (low, high) in pairs.items() if low == high}
    free = [n for n in names if n not in fixed]
    if not free:
        raise ValueError(f"fit: bounds leave no parameter of {dist.name} free{called()}")

    def parameters(v: TensorVariable) -> list[Any]:
        return [fixed[n] if n in fixed else v[free.index(n)] for n in names]

    def cost(v: TensorVariable) -> TensorVariable:
        of = parameters(v)
        return -sum(_logs(dist, x, of) if method == "mle" else _log_spacings(dist, x, of))

    ends = [pairs[n] for n in free]
    whole = [_is_whole(dist, n) for n in free]
    start = [as_tensor(begin.get(n, 0.5 * (pairs[n][0] + pairs[n][1]))) for n in free]
    first = stack([v.astype("float64") for v in start])
    if optimizer is not None:
        given = {"x0": first} if begin else {}
        found = optimizer(cost, bounds=ends, integrality=whole, **given)
    elif rng is not None:
        found = differential_evolution(
            cost, ends, tol=1e-8, rng=rng, integrality=whole, x0=first if begin else None
        )
    elif any(whole):
        name = free[whole.index(True)]
        raise ValueError(
            f"fit: {name} of {dist.name} is a whole number, among which is looked by a key: give "
            f"it as rng=wt.random.key(0){called()}"
        )
    else:
        found = minimize(cost, first, bounds=ends)
    make_type: Any = namedtuple
    params = make_type("FitParams", names)(*[as_tensor(v) for v in parameters(found.x)])
    return FitResult(dist, x, params, found.success)


def _is_whole(family: Family, name: str) -> bool:
    if name in family.parameters:
        return "integer" in family.parameters[name].says
    return isinstance(family, Discrete)


def _by_names(family: Family, names: Sequence[str], given: Any, what: str) -> dict[str, Any]:
    """What is given by name, or in order."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        if len(given) > len(names):
            raise ValueError(f"fit: {what} has {len(given)} parts, {family.name} takes {names}")
        return dict(zip(names, given, strict=False))
    for name in given:
        if name not in names:
            raise ValueError(f"fit: {what} has {name!r}, {family.name} takes {names}{called()}")
    return dict(given)


def _pairs(family: Family, names: Sequence[str], bounds: Any) -> dict[str, tuple[float, float]]:
    """The least and the largest value of each parameter."""
    given = _by_names(family, names, bounds, "bounds")
    pairs = {}
    for name in names:
        default = _DEFAULTS.get(name)
        low, high = given.get(name, (default, default))
        if low is None or high is None or not (is_finite(low) and is_finite(high)):
            raise ValueError(
                f"fit: bounds of {name} are missing, or not finite: give {family.name} a pair, as "
                f"bounds={{{name!r}: (0.1, 10)}}{called()}"
            )
        if low > high:
            raise ValueError(f"fit: bounds of {name} must rise, not {(low, high)}{called()}")
        pairs[name] = (float(low), float(high))
    return pairs


def _logs(family: Family, x: TensorVariable, parameters: Sequence[Any]) -> TensorVariable:
    """Logarithms of densities, or of probabilities; a penalty where there are none."""
    method: Any = family.logpmf if isinstance(family, Discrete) else family.logpdf
    logs = method(x, *parameters, check=False)
    return where(isfinite(logs), logs, _PENALTY)


def _log_spacings(family: Family, x: TensorVariable, parameters: Sequence[Any]) -> TensorVariable:
    """Of shares between neighbours: of equal ones of the density there."""
    ordered = sort(x)
    shares = family.cdf(ordered, *parameters, check=False)
    apart = diff(concatenate([0 * shares[:1], shares, 0 * shares[:1] + 1], 0))
    tied = _logs(family, concatenate([ordered, ordered[-1:]], 0), parameters)
    some = apart > float(np.finfo(apart.dtype).tiny)
    return where(some, log(where(some, apart, 1.0)), tied)
