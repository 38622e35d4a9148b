"""PyMC's distributions by the names and parameters that `wt.stats` tells for them."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest

import weft.tensor as wt
from weft_tensor.front.absences.pymc_names import PYMC

pm: Any = pytest.importorskip("pymc")

VALUES: Final[dict[str, Any]] = {
    "N": 9, "k": 4, "n": 5, "p": 0.3, "q": 0.4, "psi": 0.6, "lower": -1.0, "upper": 3.0, "c": 0.5,
    "mu": 0.7, "sigma": 1.3, "alpha": 2.2, "beta": 1.7, "nu": 3.5, "lam": 0.8, "kappa": 1.4,
    "b": 0.9, "a": 1.6, "m": 0.4, "s": 0.6, "eta": 1.5,
}  # fmt: skip
"""Of parameters."""
OTHERS: Final[dict[str, dict[str, Any]]] = {
    "Categorical": {"p": np.array([0.2, 0.5, 0.3])},
    "Dirichlet": {"a": np.array([1.5, 2.5])},
    "DirichletMultinomial": {"a": np.array([1.5, 2.5])},
    "DiscreteUniform": {"lower": -1, "upper": 3},
    "MatrixNormal": {"mu": np.zeros((2, 2)), "rowcov": np.eye(2), "colcov": np.diag([1.0, 2.0])},
    "Multinomial": {"p": np.array([0.25, 0.75])},
    "MvNormal": {"mu": np.array([0.5, 1.0]), "cov": np.array([[2.0, 0.5], [0.5, 1.0]])},
    "MvStudentT": {"mu": np.array([0.5, 1.0]), "scale": np.array([[2.0, 0.5], [0.5, 1.0]])},
    "Wishart": {"nu": 4, "V": np.array([[2.0, 0.5], [0.5, 1.0]])},
}
"""Of those that differ."""
AT: Final[dict[str, Any]] = {
    **dict.fromkeys(("Beta", "Kumaraswamy", "LogitNormal"), 0.4),
    **dict.fromkeys(("Bernoulli", "Geometric"), 1),
    **dict.fromkeys(("AsymmetricLaplace", "SkewNormal", "VonMises"), -0.5),
    "Dirichlet": np.array([0.3, 0.7]),
    "DirichletMultinomial": np.array([2, 3]),
    "MatrixNormal": np.array([[0.5, 1.0], [-1.0, 0.0]]),
    "Multinomial": np.array([2, 3]),
    "MvNormal": np.array([1.0, -1.0]),
    "MvStudentT": np.array([1.0, -1.0]),
    "Wald": 2.5,
    "Wishart": np.array([[1.0, 0.2], [0.2, 3.0]]),
}
"""A value of each; 2 of others."""
OF_LAWS: Final = {"Censored", "LKJCholeskyCov", "LKJCorr", "Truncated"}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", sorted(PYMC.keys() - OF_LAWS))
def test_densities_are_those_of_pymc(name: str) -> None:
    words, own = PYMC[name]
    given = {n: v for n, v in (VALUES | OTHERS.get(name, {})).items() if n in words.split(", ")}
    family, call = own.split("(", 1)  # `beta` may be a parameter, too
    names = {**vars(wt.stats), "exp": np.exp, "family": getattr(wt.stats, family)}
    law = eval(f"family({call}", names, given)
    at = AT.get(name, 2)
    expected = pm.logp(getattr(pm, name).dist(**given), at).eval()
    density = law.logpmf if law.is_discrete else law.logpdf
    np.testing.assert_allclose(density(at).eval(), expected, rtol=1e-6)


def test_the_page_has_all() -> None:
    page = (Path(__file__).parents[3] / "docs/from_pytensor.md").read_text()
    rows = [f"`{name}({words})` | `{own}`" for name, (words, own) in PYMC.items()]
    assert [row for row in rows if row not in page] == []


def test_laws_of_laws_take_what_is_told() -> None:
    laws = {"law": wt.stats.norm(0.0, 1.0), "lower": -1.0, "upper": 1.0, "eta": 1.0, "n": 3}
    for name in OF_LAWS:
        assert isinstance(eval(PYMC[name][1], vars(wt.stats), laws), wt.stats.Law)
