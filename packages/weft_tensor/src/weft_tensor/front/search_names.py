"""Which functions of SciPy's `optimize` and `integrate` are not offered, and why."""

from __future__ import annotations

from typing import Final

from weft_tensor.front.absence_group import Absence

__all__ = ["ABSENT"]

_WRAP: Final = "wrap SciPy's with `wrap_py`"

ABSENT: Final = {
    "scipy.optimize": (
        Absence(
            "Roots, by method",
            "one function has them: write root_scalar(f, bracket=(a, b)).root, root_scalar(f, "
            "x0=x).root for newton, root(fun, x0).x for systems; x - f(x) is zero at a fixed point",
            "anderson bisect brenth brentq broyden1 broyden2 diagbroyden excitingmixing "
            "fixed_point fsolve linearmixing newton newton_krylov ridder toms748",
        ),
        Absence(
            "Minima, by method",
            "one function has them: write minimize(fun, x0, method=...).x, minimize_scalar(f, "
            "bracket) or minimize_scalar(f, bounds=(a, b)) for one number",
            "bracket brent fmin fmin_bfgs fmin_cg fmin_l_bfgs_b fmin_ncg fmin_powell fminbound "
            "golden line_search",
        ),
        Absence(
            "Sums of squares, by form",
            "write least_squares(fun, x0), or least_squares(lambda x: A @ x - b, x0, bounds=(0, "
            "inf)) for non-negative x",
            "leastsq lsq_linear nnls",
        ),
        Absence(
            "Minima under constraints",
            "no function here has constraints but bounds: give SciPy's a compiled function and its "
            "gradient",
            "fmin_cobyla fmin_slsqp fmin_tnc linprog linprog_verbose_callback milp",
        ),
        Absence(
            "Minima among many",
            "the search takes no derivatives, of which Weft's are made: give SciPy's a compiled "
            "function, or `minimize` many starts by `vmap`",
            "basinhopping brute differential_evolution direct dual_annealing shgo",
        ),
        Absence(
            "Assignments and orders",
            f"no function here has them: {_WRAP}",
            "isotonic_regression linear_sum_assignment quadratic_assignment",
        ),
        Absence(
            "Derivatives by differences",
            "derivatives are exact here: write `grad` or `jacobian`; weft_testing's check_grad "
            "compares them with differences",
            "approx_fprime check_grad",
        ),
        Absence(
            "Examples, and SciPy itself",
            "it is there to try SciPy's searches: write 100 * (x[1] - x[0]**2) ** 2 + "
            "(1 - x[0]) ** 2 for rosen",
            "rosen rosen_der rosen_hess rosen_hess_prod show_options",
        ),
    ),
    "scipy.integrate": (
        Absence(
            "Adaptive integrals",
            "a sum of fixed weights is here: write fixed_quad(f, a, b, n=...), with the n at "
            f"which the result no longer moves; or {_WRAP}",
            "cubature dblquad nquad qmc_quad quad quad_vec tanhsinh tplquad",
            True,
        ),
        Absence(
            "Other rules for samples",
            "write simpson(y, x=x), cumulative_trapezoid(y, x) or a product with weights",
            "cumulative_simpson lebedev_rule newton_cotes romb",
        ),
        Absence(
            "Infinite sums",
            "write the terms that count, and `sum`",
            "nsum",
        ),
        Absence(
            "Boundary values",
            "write the differences as equations, and give them to optimize.root",
            "solve_bvp",
        ),
    ),
}
"""By part of SciPy, groups of its functions that are not here."""
