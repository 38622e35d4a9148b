"""Libraries that compute formulas: values, gradients, and second derivatives by one number.

`python -m tools.tables.peers NAME` answers formulas, given as JSON, with the results of one of
them: so one may have an environment of its own.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from tools.tables.formulas import FORMULAS, Formula

__all__ = ["PEERS", "results"]

Results = list[list[float]]
"""Per point the value, the gradient, and the second derivative, as far as they are known."""
NAMES: Final = (
    *("abs", "arcsin", "cos", "cosh", "erf", "erfc", "exp", "gamma", "gammaln", "log"),
    *("maximum", "mean", "prod", "sin", "sinh", "sqrt", "sum", "tan", "tanh"),
)


def namespace(*homes: Any) -> dict[str, Any]:
    """The functions that formulas mention, from the first of `homes` that has them."""
    found = {n: next(getattr(h, n) for h in homes if hasattr(h, n)) for n in NAMES}
    return {**found, "pi": np.pi}


def _numpy(formula: Formula) -> Callable[..., list[Any]]:
    import scipy.special

    names = namespace(np, scipy.special)
    code = compile(formula.text, formula.text, "eval")

    def call(*values: Any) -> list[Any]:
        given = [np.asarray(v, "float64")[()] for v in values]
        return [eval(code, names, dict(zip(formula.letters, given, strict=True)))]

    return call


def _jax(formula: Formula) -> Callable[..., list[Any]]:
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_enable_x64", True)  # type: ignore[no-untyped-call]  # by JAX
    names = namespace(jnp, jax.scipy.special)

    def value(*values: Any) -> Any:
        return eval(formula.text, names, dict(zip(formula.letters, values, strict=True)))

    first = jax.grad(value, tuple(range(len(formula.letters))))

    def call(*values: Any) -> list[Any]:
        result = [value(*values), *first(*values)]
        if formula.letters == ("x",):
            result.append(jax.grad(jax.grad(value))(*values))
        return result

    jitted = jax.jit(call)
    return lambda *values: [
        np.asarray(r) for r in jitted(*[np.asarray(v, "float64") for v in values])
    ]


def _weft(formula: Formula) -> Callable[..., list[Any]]:
    import weft.tensor as wt

    inputs: list[Any] = [(wt.vector if n == "v" else wt.scalar)(n) for n in formula.letters]
    cost = eval(formula.text, namespace(wt), dict(zip(formula.letters, inputs, strict=True)))
    outputs = [cost, *wt.grad(cost, inputs)]
    if formula.letters == ("x",):
        outputs += wt.grad(outputs[1], inputs, disconnected_inputs="ignore")
    return wt.function(inputs, outputs, mode="py", allow_input_downcast=True)


def _pytensor(formula: Formula) -> Callable[..., list[Any]]:
    import pytensor
    import pytensor.tensor as pt

    pytensor.config.cxx = ""
    inputs = [(pt.dvector if n == "v" else pt.dscalar)(n) for n in formula.letters]
    cost = eval(formula.text, namespace(pt), dict(zip(formula.letters, inputs, strict=True)))
    outputs = [cost, *pytensor.grad(cost, inputs)]
    if formula.letters == ("x",):
        outputs += pytensor.grad(outputs[1], inputs, disconnected_inputs="ignore")
    mode = pytensor.compile.mode.Mode(linker="py", optimizer="fast_run")
    compiled: Any = pytensor.function(inputs, outputs, mode=mode)
    return compiled  # type: ignore[no-any-return]  # PyTensor is not typed


PEERS: Final = {"numpy": _numpy, "pytensor": _pytensor, "jax": _jax, "weft": _weft}
"""By name, what makes a function of a formula."""


def results(peer: str, formula: Formula) -> Results:
    """What `peer` computes at the points of a formula; vectors one number after another."""
    call = PEERS[peer](formula)
    with np.errstate(all="ignore"):
        return [
            [float(n) for part in call(*point) for n in np.ravel(part)] for point in formula.points
        ]


def _answer(peer: str, wanted: Sequence[str]) -> dict[str, Results]:
    return {f.text: results(peer, f) for f in FORMULAS if f.text in wanted}


if __name__ == "__main__":
    json.dump(_answer(sys.argv[1], json.load(sys.stdin)), sys.stdout)
