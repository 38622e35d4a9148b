"""What distributions of vectors and matrices have in common: parameters, checks and draws."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from math import inf, nan
from typing import Any, NamedTuple

from weft_graph import stop_gradient
from weft_tensor.build.convert import as_tensor, as_tensors
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.distributions.constraints import Constraint, Relation, by_names, checked
from weft_tensor.ops.distributions.laws import Frozen, Recalled
from weft_tensor.ops.elementwise.cast import cast
from weft_tensor.ops.elementwise.comparison import where
from weft_tensor.ops.elementwise.exponential import exp
from weft_tensor.ops.elementwise.op import broadcast_dims
from weft_tensor.ops.random.draws import Draws
from weft_tensor.ops.random.uses import uses_key
from weft_tensor.ops.random.words import Size, as_key, as_sizes, fitting
from weft_tensor.ops.shape.length import as_size, lengths_of
from weft_tensor.ops.shape.reshape import expand_dims
from weft_tensor.types.dtypes import as_dtype, promote

__all__ = ["Multivariate", "Parameter"]


class Parameter(NamedTuple):
    """A parameter, and what it must be."""

    rank: int
    """How many axes it has of its own; those before them are of the batch."""
    must: Constraint
    default: float | None = None
    is_optional: bool = False
    """Whether it is one of several of which one is to be given."""


class Multivariate(Recalled):
    """A family of distributions of vectors, matrices or classes, as a row of formulas.

    The formulas take a value (`logpdf`, which some have not), or draws of the batch (`sample`), and
    what `prepared` makes of the parameters. Methods take the parameters by place or name, and
    `check`, as those of distributions of numbers do; `rvs` takes lengths of the batch as `size`.
    """

    def __init__(
        self,
        name: str,
        density: str,
        parameters: Mapping[str, Parameter],
        rank: int,
        *,
        sample: Callable[..., TensorVariable],
        logpdf: Callable[..., TensorVariable] | None = None,
        values: Mapping[str, Callable[..., TensorVariable]] | None = None,
        prepared: Callable[..., tuple[Any, ...]] | None = None,
        relations: Sequence[Relation] = (),
        length: str | None = None,
        scipy: str | None = "",
        is_discrete: bool = False,
        **moments: Callable[..., TensorVariable],
    ) -> None:
        self.name, self.density = name, density
        self.parameters = dict(parameters)
        self.event_rank = rank
        self.is_discrete = is_discrete
        self.relations = tuple(relations)
        self.length = length
        """The name of the length of a value, if no parameter tells it: `rvs` needs it."""
        self.scipy = name if scipy == "" else scipy
        self.rows: dict[str, Callable[..., Any]] = moments
        if "cov" in moments:
            cov = moments["cov"]
            self.rows["var"] = lambda *p, **n: cov(*p, **n).diagonal(axis1=-2, axis2=-1)
        self.values = dict(values or {})
        """Formulas of a value besides its density."""
        self._logpdf, self._sample, self._prepared = logpdf, sample, prepared
        self.__doc__ = f"{name}: {density}\n\nMethods: {', '.join(self.methods)}."

    @property
    def methods(self) -> tuple[str, ...]:
        """Names of the methods that work for this distribution."""
        values = ("logpmf", "pmf") if self.is_discrete else ("logpdf", "pdf")
        return (*(values if self._logpdf else ()), *self.values, *self.rows, "rvs")

    def __repr__(self) -> str:
        return f"wt.stats.{self.name}"

    def __call__(self, *args: TensorLike, check: bool = True, **kwargs: TensorLike) -> Frozen:
        """The distribution with these parameters: its methods take what is left.

        With `check=False`, what they give is NaN where the parameters are not valid.
        """
        return Frozen(self, args, kwargs, check)

    def __getattr__(self, name: str) -> Callable[..., TensorVariable]:
        if name in ("logpmf", "pmf", "logpdf", "pdf") and name in self.methods:
            return self._exponential if name in ("pdf", "pmf") else self._logarithm
        if name in self.__dict__.get("values", {}):
            return partial(self._value, name)
        rows = self.__dict__.get("rows", {})
        if name not in rows:
            raise AttributeError(f"{self.__dict__.get('name')} has no {name}")

        def moment(*args: TensorLike, check: bool = True, **kwargs: TensorLike) -> TensorVariable:
            _, parameters, valid, length = self._given(None, args, kwargs, check)
            sizes = {} if length is None else {str(self.length): length}
            return _valid_only(as_tensor(rows[name](*parameters, **sizes)), valid)

        return moment

    def tensors(
        self, args: Sequence[TensorLike], kwargs: Mapping[str, TensorLike], check: bool = True
    ) -> tuple[TensorVariable, ...]:
        """Tensors of the shape of the batch."""
        bound, _ = self._bound(args, kwargs)
        tensors = as_tensors(list(bound.values()))
        ranks = [self.parameters[n].rank for n in bound]
        return tuple([v[(..., *[0] * r)] for v, r in zip(tensors, ranks, strict=True)])

    @uses_key
    def rvs(
        self,
        key: TensorLike,
        *args: TensorLike,
        size: Size = None,
        dtype: Any = None,
        check: bool = True,
        **kwargs: TensorLike,
    ) -> TensorVariable:
        """Draws from the distribution: the same for a key on all backends.

        Parameters
        ----------
        key
            Made by `wt.random.key`, `split` or `fold_in`.
        *args, **kwargs
            Parameters.
        size
            Lengths before those of one value; by default, what the parameters' batches
            broadcast to.
        dtype
            float32 or float64; by default, that of the parameters.
        check
            Whether parameters that are not valid are an error; else NaN is drawn.
        """
        if self.length is not None and self.length not in kwargs:
            raise TypeError(f"{self.name}.rvs needs {self.length}, the length of a value")
        bound, length = self._bound(args, kwargs)
        values, valid = self._checked(self._cast(None, bound, dtype)[1], check)
        ranks = {n: self.parameters[n].rank for n in values}
        batches = [lengths_of(v)[: v.ndim - ranks[n]] for n, v in values.items()]
        if size is None:
            sizes = tuple([as_size(n) for n in broadcast_dims(*batches)])
        else:
            sizes = as_sizes(size)
        fits = {n: fitting(self.name, n, v, sizes, ranks[n]) for n, v in values.items()}
        kind = next(iter(values.values())).dtype if values else as_dtype(dtype or "float64")
        draws = Draws(as_key(key, self.name), sizes, kind)
        extra = {} if length is None else {str(self.length): length}
        drawn = self._sample(draws, *self._ready(fits), **extra)
        return drawn if self.is_discrete else self._masked(drawn, valid)

    def _logarithm(
        self, x: TensorLike, *args: TensorLike, check: bool = True, **kwargs: TensorLike
    ) -> TensorVariable:
        """Infinite values can't occur, and NaN is no value: the formulas get 0 for both."""
        value, parameters, valid, _ = self._given(x, args, kwargs, check)
        assert value is not None
        assert self._logpdf is not None
        axes = tuple(range(-self.event_rank, 0))
        size = stop_gradient(abs(value).sum(axis=axes) if axes else abs(value))
        finite = size < inf
        inside = where(expand_dims(finite, axes) if axes else finite, value, 0)
        return _valid_only(where(finite, self._logpdf(inside, *parameters), -size), valid)

    def _exponential(
        self, x: TensorLike, *args: TensorLike, check: bool = True, **kwargs: TensorLike
    ) -> TensorVariable:
        return exp(self._logarithm(x, *args, check=check, **kwargs))

    def _value(
        self,
        name: str,
        x: TensorLike,
        /,
        *args: TensorLike,
        check: bool = True,
        **kwargs: TensorLike,
    ) -> TensorVariable:
        value, parameters, valid, _ = self._given(x, args, kwargs, check)
        return _valid_only(self.values[name](value, *parameters), valid)

    def _given(
        self,
        x: TensorLike | None,
        args: Sequence[TensorLike],
        kwargs: Mapping[str, TensorLike],
        check: bool,
    ) -> tuple[TensorVariable | None, tuple[Any, ...], TensorVariable | None, Any]:
        """The value, what the formulas take, where that is valid, and the length."""
        bound, length = self._bound(args, kwargs)
        value, cast_to = self._cast(x, bound, None)
        values, valid = self._checked(cast_to, check)
        return value, self._ready(values), valid, length

    def _ready(self, values: Mapping[str, TensorVariable]) -> tuple[Any, ...]:
        if self._prepared is None:
            return tuple([values[n] for n in self.parameters])
        return self._prepared(**values)

    def _cast(
        self, x: TensorLike | None, bound: Mapping[str, TensorLike], dtype: Any
    ) -> tuple[TensorVariable | None, dict[str, TensorVariable]]:
        """All in one floating dtype."""
        tensors = as_tensors([*([] if x is None else [x]), *bound.values()])
        kind = as_dtype(dtype or promote([v.dtype for v in tensors] or ["float64"]))
        if kind[0] == "c":
            raise TypeError(f"{self.name} takes real numbers, not {kind}")
        kind = kind if kind in ("float32", "float64") else "float64"
        values = [cast(v, kind) for v in tensors]
        if x is None:
            return None, dict(zip(bound, values, strict=True))
        if values[0].ndim < self.event_rank:
            raise ValueError(f"{self.name}: a value has {self.event_rank} axes, not {values[0]!r}")
        return values[0], dict(zip(bound, values[1:], strict=True))

    def _bound(
        self, args: Sequence[TensorLike], kwargs: Mapping[str, TensorLike]
    ) -> tuple[dict[str, TensorLike], TensorVariable | None]:
        names = tuple(self.parameters)
        defaults = {n: p.default for n, p in self.parameters.items() if p.default is not None}
        needed = [n for n, p in self.parameters.items() if n not in defaults and not p.is_optional]
        others = {n: v for n, v in kwargs.items() if n != self.length}
        bound = defaults | by_names(self.name, names, needed, args, others)
        lengths = [as_size(as_tensor(v)) for n, v in kwargs.items() if n == self.length]
        return bound, lengths[0] if lengths else None

    def _checked(
        self, values: Mapping[str, TensorVariable], check: bool
    ) -> tuple[dict[str, TensorVariable], TensorVariable | None]:
        parameters, valid = dict(values), None
        for name, v in values.items():
            p = self.parameters[name]
            if v.ndim < p.rank:
                if p.default is None:
                    raise ValueError(
                        f"{self.name}: {name} must have {p.rank} axes or more, not {v!r}"
                    )
                v = parameters[name] = expand_dims(v, tuple(range(p.rank)))
            if check:
                parameters[name] = checked([v], p.must.holds(v), self.name, name, p.must.says)
            else:
                holds = (p.must.entirely or p.must.holds)(v)
                valid = holds if valid is None else valid & holds
                if p.must.instance is not None:
                    own = expand_dims(holds, tuple(range(-p.rank, 0))) if p.rank else holds
                    parameters[name] = where(own, v, p.must.instance(v))
        for names, says, holds_for in self.relations:
            of = [parameters[n] for n in names]
            holds = holds_for(*of)
            if check:
                parameters[names[-1]] = checked(of, holds, self.name, names[-1], says)
            else:
                valid = holds if valid is None else valid & holds
        return parameters, valid

    def _masked(self, drawn: TensorVariable, valid: TensorVariable | None) -> TensorVariable:
        if valid is None:
            return drawn
        axes = tuple(range(-self.event_rank, 0))
        return where(expand_dims(valid, axes) if axes else valid, drawn, nan)


def _valid_only(value: TensorVariable, valid: TensorVariable | None) -> TensorVariable:
    if valid is None:
        return value
    extra = value.ndim - valid.ndim
    return where(expand_dims(valid, tuple(range(-extra, 0))) if extra > 0 else valid, value, nan)
