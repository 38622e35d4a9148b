"""What all distributions of numbers have in common: parameters, checks, moments and draws."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import inf, isinf
from typing import Any, ClassVar, Final, NamedTuple, TypedDict, Unpack

from weft_graph import Constant
from weft_tensor.build.convert import as_tensor, as_tensors, constant
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.distributions.constraints import (
    REAL,
    SCALE,
    Constraint,
    Relation,
    by_names,
    checked,
)
from weft_tensor.ops.distributions.laws import Frozen, Recalled
from weft_tensor.ops.distributions.moments import Moments
from weft_tensor.ops.elementwise.cast import cast
from weft_tensor.ops.elementwise.comparison import where
from weft_tensor.ops.random.draws import Draws
from weft_tensor.ops.random.uses import uses_key
from weft_tensor.ops.random.words import Size, as_key, fitting, given_or_common
from weft_tensor.ops.shape.broadcast_to import broadcast_arrays
from weft_tensor.types.dtypes import as_dtype, is_weak, promote

__all__ = ["Arguments", "Distribution", "Formula", "Rows", "Support", "valid_only"]

Formula = Callable[..., TensorLike]
"""Of a value or a probability, and of the shape parameters; or of these alone."""


class Rows(TypedDict, total=False):
    """What a row may give."""

    logpdf: Formula
    norming: Formula
    pdf: Formula
    logpmf: Formula
    cdf: Formula
    logcdf: Formula
    sf: Formula
    logsf: Formula
    ppf: Formula
    isf: Formula
    quantile: Formula
    mean: Formula
    var: Formula
    entropy: Formula
    sample: Formula


Support = tuple[float, float] | Callable[..., tuple[TensorLike, TensorLike]]
"""The ends, which may depend on the shape parameters."""

_SUMMARIES: Final = (
    *("mean", "var", "std", "entropy", "median", "interval", "moment", "stats", "expect"),
)
_DEFAULTS: Final = {"loc": 0.0, "scale": 1.0}
_CONSTRAINTS: Final = {"loc": REAL, "scale": SCALE}


class Arguments(NamedTuple):
    """The arguments of a method, in one dtype."""

    x: TensorVariable | None
    """Values or probabilities, if the method takes any."""
    shapes: tuple[TensorVariable, ...]
    loc: TensorVariable | None
    """None for 0."""
    scale: TensorVariable | None
    """None for 1."""
    valid: TensorVariable | None
    """Where the parameters are, if they are not to be checked."""

    @property
    def value(self) -> TensorVariable:
        """The values or probabilities."""
        assert self.x is not None
        return self.x

    @property
    def parameters(self) -> tuple[TensorVariable, ...]:
        """All that are not left at their defaults."""
        return (*self.shapes, *[v for v in (self.loc, self.scale) if v is not None])


class Distribution(Recalled, Moments):
    """A family of distributions of numbers: one row of formulas; see `Continuous`, `Discrete`.

    Methods take the shape parameters, then `loc` and (if continuous) `scale`, by place or name,
    and `check`: by default, parameters that are not valid raise ValueError, where they are known
    at once and else when the function runs; with `check=False` the result is NaN there.
    """

    places: ClassVar[tuple[str, ...]] = ("loc",)
    """Names of the parameters that all have, besides those of shape."""
    is_discrete: bool = False
    event_rank: int = 0
    """How many axes one value has."""

    def __init__(
        self,
        name: str,
        density: str,
        parameters: Mapping[str, Constraint],
        support: Support,
        *,
        relations: Sequence[Relation] = (),
        scipy: str | None = "",
        **rows: Unpack[Rows],
    ) -> None:
        self.name = name
        self.density = density
        """The density, or the probability, of the standard form, as text."""
        self.parameters = dict(parameters)
        """Names of the shape parameters, with what they must be."""
        self.relations = tuple(relations)
        self.scipy = name if scipy == "" else scipy
        """SciPy's name, or None."""
        self.rows: dict[str, Any] = {**rows}
        self._support = support
        self.__doc__ = f"{name}: {density}\n\nMethods: {', '.join(self.methods)}."

    @property
    def methods(self) -> tuple[str, ...]:
        """Names of the methods that work for this distribution."""
        return (*self.values, *_SUMMARIES, "support", "rvs")

    values: ClassVar[tuple[str, ...]] = ()
    """Methods of values and probabilities."""

    def __repr__(self) -> str:
        return f"wt.stats.{self.name}"

    def __call__(self, *args: TensorLike, check: bool = True, **kwargs: TensorLike) -> Frozen:
        """The distribution with these parameters: its methods take what is left.

        With `check=False`, what they give is NaN where the parameters are not valid.

        >>> from weft_tensor.stats import norm
        >>> norm(1.0, 2.0).mean().eval().item()
        1.0
        """
        return Frozen(self, args, kwargs, check)

    def tensors(
        self, args: Sequence[TensorLike], kwargs: Mapping[str, TensorLike], check: bool = True
    ) -> tuple[TensorVariable, ...]:
        """All parameters that are not left at their defaults, checked."""
        return self._arguments(None, args, kwargs, check).parameters

    def support(self, *args: TensorLike, check: bool = True, **kwargs: TensorLike) -> Any:
        """Both ends of the values that can occur."""
        arguments = self._arguments(None, args, kwargs, check)
        low, high = [self._moved(end, arguments) for end in self._ends(arguments)]
        return self._full(low, arguments), self._full(high, arguments)

    def cdf(
        self, x: TensorLike, /, *args: TensorLike, check: bool = True, **kwargs: TensorLike
    ) -> TensorVariable:
        """The probability of at most x."""
        return self._tail("cdf", (0, 1), x, args, kwargs, check)

    def sf(
        self, x: TensorLike, /, *args: TensorLike, check: bool = True, **kwargs: TensorLike
    ) -> TensorVariable:
        """The probability of more than x."""
        return self._tail("sf", (1, 0), x, args, kwargs, check)

    def logcdf(
        self, x: TensorLike, /, *args: TensorLike, check: bool = True, **kwargs: TensorLike
    ) -> TensorVariable:
        """The logarithm of the probability of at most x."""
        return self._tail("logcdf", (-inf, 0), x, args, kwargs, check)

    def logsf(
        self, x: TensorLike, /, *args: TensorLike, check: bool = True, **kwargs: TensorLike
    ) -> TensorVariable:
        """The logarithm of the probability of more than x."""
        return self._tail("logsf", (0, -inf), x, args, kwargs, check)

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
            Parameters; without `size`, the result has the shape that they broadcast to.
        size
            Lengths, which may be variables.
        dtype
            float32 or float64; by default, that of the parameters.
        check
            Whether parameters that are not valid are an error; else NaN is drawn.
        """
        arguments = self._arguments(None, args, kwargs, check, dtype)
        sizes = given_or_common(size, arguments.parameters)

        def fit(name: str, v: TensorVariable | None) -> Any:
            return None if v is None else fitting(self.name, name, v, sizes)

        of_size = arguments._replace(
            shapes=tuple(
                [fit(n, v) for n, v in zip(self.parameters, arguments.shapes, strict=True)]
            ),
            loc=fit("loc", arguments.loc),
            scale=fit("scale", arguments.scale),
        )
        kind = (
            arguments.parameters[0].dtype if arguments.parameters else as_dtype(dtype or "float64")
        )
        return self._drawn(Draws(as_key(key, self.name), sizes, kind), of_size)

    def _drawn(self, draws: Draws, arguments: Arguments) -> TensorVariable:
        raise NotImplementedError

    def _tail(
        self,
        name: str,
        beyond: tuple[float, float],
        x: TensorLike,
        args: Sequence[TensorLike],
        kwargs: Mapping[str, TensorLike],
        check: bool,
    ) -> TensorVariable:
        """A formula inside the support; what it is below and above that."""
        raise NotImplementedError

    def ends(self, *shapes: TensorVariable) -> tuple[TensorLike, TensorLike]:
        """The ends of the support of the standard form."""
        return self._support if isinstance(self._support, tuple) else self._support(*shapes)

    def placed_ends(self, *args: TensorLike, **kwargs: Any) -> tuple[TensorLike, TensorLike]:
        """The ends of the support; as numbers those that no parameter moves."""
        arguments = self._arguments(None, args, kwargs, kwargs.pop("check", True))
        low, high = [
            end
            if isinstance(end, float) and (isinf(end) or (end == 0 and arguments.loc is None))
            else self._full(self._moved(end, arguments), arguments)
            for end in self._ends(arguments)
        ]
        return low, high

    @property
    def fixed_ends(self) -> tuple[float, float] | None:
        """These ends where no shape parameter moves them."""
        return self._support if isinstance(self._support, tuple) else None

    def standard_ends(self) -> str:
        """The ends of the support of the standard form, as text."""
        if isinstance(self._support, tuple):
            return " to ".join(f"{end:g}" for end in self._support)
        return f"depends on {', '.join(self.parameters)}"

    def _ends(self, arguments: Arguments) -> tuple[TensorLike, TensorLike]:
        return self.ends(*arguments.shapes)

    def _arguments(
        self,
        x: TensorLike | None,
        args: Sequence[TensorLike],
        kwargs: Mapping[str, TensorLike],
        check: bool,
        dtype: Any = None,
    ) -> Arguments:
        """The arguments by their names, in one floating dtype, checked."""
        names = (*self.parameters, *self.places)
        bound = by_names(self.name, names, self.parameters, args, kwargs)
        plain = {n for n, v in bound.items() if is_weak(v) and v == _DEFAULTS.get(n)}
        kept = {n: v for n, v in bound.items() if n not in plain}
        tensors = as_tensors([*([] if x is None else [x]), *kept.values()])
        kind = self._kind([v.type.dtype for v in tensors]) if dtype is None else as_dtype(dtype)
        cast_to = [_cast(v, kind) for v in tensors]
        values = dict(zip(kept, cast_to[0 if x is None else 1 :], strict=True))
        conditions = self._conditions(values)
        if check:
            for names, says, holds in conditions:
                of = [values[n] for n in names]
                values[names[-1]] = checked(of, holds, self.name, names[-1], says)
        valid = None
        for _, _, holds in () if check else conditions:
            valid = holds if valid is None else valid & holds
        return Arguments(
            None if x is None else cast_to[0],
            tuple([values[n] for n in self.parameters]),
            values.get("loc"),
            values.get("scale"),
            valid,
        )

    def _kind(self, dtypes: Sequence[str]) -> str:
        kind = promote(dtypes) if dtypes else "float64"
        if kind[0] == "c":
            raise TypeError(f"{self.name} takes real numbers, not {kind}")
        return kind if kind in ("float32", "float64") else "float64"

    def _conditions(
        self, values: Mapping[str, TensorVariable]
    ) -> list[tuple[tuple[str, ...], str, TensorVariable]]:
        """The parameters, of which the last is to blame, what it must be, and whether it is."""
        conditions: list[tuple[tuple[str, ...], str, TensorVariable]] = []
        for name, v in values.items():
            constraint = self.parameters.get(name) or _CONSTRAINTS[name]
            if name != "loc":  # NaN there is NaN in every result
                conditions.append(((name,), constraint.says, constraint.holds(v)))
        for names, says, holds in self.relations:
            conditions.append((names, says, holds(*[values[n] for n in names])))
        return conditions

    def _moved(self, value: TensorLike, arguments: Arguments) -> TensorVariable:
        """From the standard form."""
        place = as_tensor(value)
        if arguments.scale is not None:
            place = place * arguments.scale
        return place if arguments.loc is None else place + arguments.loc

    def _full(self, value: TensorLike, arguments: Arguments) -> TensorVariable:
        """In the shape that all parameters have together, and NaN where they are not valid."""
        whole, *_ = broadcast_arrays(value, *arguments.parameters)
        kind = arguments.parameters[0].dtype if arguments.parameters else "float64"
        whole = cast(whole, kind)
        return whole if arguments.valid is None else where(arguments.valid, whole, float("nan"))


def valid_only(value: TensorVariable, arguments: Arguments) -> TensorVariable:
    """NaN where parameters are not valid, and of the shape and dtype that the arguments have."""
    whole, *_ = broadcast_arrays(value, *arguments.parameters)
    if arguments.x is not None:
        whole = cast(whole, arguments.x.dtype)
    return whole if arguments.valid is None else where(arguments.valid, whole, float("nan"))


def _cast(v: TensorVariable, kind: str) -> TensorVariable:
    """In another dtype; what is known stays known."""
    is_constant = isinstance(v.op, Constant) and v.dtype != kind
    return constant(v.eval().astype(kind)) if is_constant else cast(v, kind)
