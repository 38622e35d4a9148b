"""Minima and roots, with the names of `scipy.optimize`, and steps of training: `wt.optimize`."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from weft_tensor.front.keywords import take_keywords
from weft_tensor.front.unknown_name import unknown_name
from weft_tensor.ops.optimize import gradient_steps, schedules
from weft_tensor.ops.optimize.curve_fit import CurveFit, curve_fit
from weft_tensor.ops.optimize.downhill.minimum import OptimizeResult, minimize
from weft_tensor.ops.optimize.gradient_steps import *
from weft_tensor.ops.optimize.krylov import bicgstab, cg, gmres, minres
from weft_tensor.ops.optimize.least_squares import LeastSquaresResult, least_squares
from weft_tensor.ops.optimize.methods.annealing import AnnealingResult, dual_annealing
from weft_tensor.ops.optimize.methods.assignment import linear_sum_assignment
from weft_tensor.ops.optimize.methods.hops import HoppingResult, basinhopping
from weft_tensor.ops.optimize.methods.isotonic import IsotonicRegression, isotonic_regression
from weft_tensor.ops.optimize.methods.linear_program import LinearProgram, linprog
from weft_tensor.ops.optimize.methods.linear_squares import LinearSquares, leastsq, lsq_linear, nnls
from weft_tensor.ops.optimize.methods.many_minima import (
    PopulationResult,
    brute,
    differential_evolution,
)
from weft_tensor.ops.optimize.methods.minima import (
    approx_fprime,
    brent,
    check_grad,
    fmin,
    fminbound,
    golden,
)
from weft_tensor.ops.optimize.methods.roots import (
    bisect,
    brenth,
    brentq,
    fixed_point,
    fsolve,
    newton,
    ridder,
    toms748,
)
from weft_tensor.ops.optimize.methods.step_length import LineSearch, line_search
from weft_tensor.ops.optimize.rosen import rosen, rosen_der, rosen_hess, rosen_hess_prod
from weft_tensor.ops.optimize.scalar_minimum import ScalarMinimum, minimize_scalar
from weft_tensor.ops.optimize.scalar_root import RootResults, root_scalar
from weft_tensor.ops.optimize.schedules import *
from weft_tensor.ops.optimize.systems import root

if not TYPE_CHECKING:

    def __getattr__(name: str) -> NoReturn:
        places = ("scipy.optimize", "scipy.sparse.linalg")
        raise unknown_name(__name__, name, {n: n for n in __all__}, *places)


__all__ = [
    *gradient_steps.__all__,
    *schedules.__all__,
    "AnnealingResult",
    "CurveFit",
    "HoppingResult",
    "IsotonicRegression",
    "LeastSquaresResult",
    "LineSearch",
    "LinearProgram",
    "LinearSquares",
    "OptimizeResult",
    "PopulationResult",
    "RootResults",
    "ScalarMinimum",
    "approx_fprime",
    "basinhopping",
    "bicgstab",
    "bisect",
    "brent",
    "brenth",
    "brentq",
    "brute",
    "cg",
    "check_grad",
    "curve_fit",
    "differential_evolution",
    "dual_annealing",
    "fixed_point",
    "fmin",
    "fminbound",
    "fsolve",
    "gmres",
    "golden",
    "isotonic_regression",
    "least_squares",
    "leastsq",
    "line_search",
    "linear_sum_assignment",
    "linprog",
    "lsq_linear",
    "minimize",
    "minimize_scalar",
    "minres",
    "newton",
    "nnls",
    "ridder",
    "root",
    "root_scalar",
    "rosen",
    "rosen_der",
    "rosen_hess",
    "rosen_hess_prod",
    "toms748",
]

take_keywords(globals())
