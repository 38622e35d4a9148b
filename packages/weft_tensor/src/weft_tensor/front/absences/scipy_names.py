"""Which functions of five parts of SciPy are not offered, and why."""

from __future__ import annotations

from typing import Final

from weft_tensor.front.absences.absence_group import Absence

__all__ = ["ABSENT"]

_WRAP: Final = "wrap SciPy's with `wrap_py`"
_CONSTANT: Final = "it makes numbers that no variable goes into: call SciPy's, and give Weft them"

ABSENT: Final = {
    "scipy.special": (
        Absence(
            "Integrals of Bessel functions, and their kin",
            f"few need them: {_WRAP}, or write them by jv, yv, iv and kv",
            "besselpoly itairy riccati_jn riccati_yn",
            True,
        ),
        Absence(
            "Zeros, and numbers of a sequence",
            _CONSTANT,
            "ai_zeros bei_zeros beip_zeros ber_zeros berp_zeros bi_zeros erf_zeros "
            "fresnel_zeros fresnelc_zeros fresnels_zeros jn_zeros jnjnp_zeros jnp_zeros jnyn_zeros "
            "kei_zeros keip_zeros kelvin_zeros ker_zeros kerp_zeros y0_zeros y1_zeros "
            "y1p_zeros yn_zeros ynp_zeros",
        ),
        Absence(
            "Older names of places and weights",
            "SciPy advises against them, too: write roots_legendre for p_roots, and so on",
            "c_roots cg_roots h_roots he_roots j_roots js_roots l_roots la_roots p_roots ps_roots "
            "s_roots t_roots ts_roots u_roots us_roots",
        ),
        Absence(
            "Polynomials as objects",
            "it makes a Python object: take its coefficients, and `polyval`",
            "chebyc chebys chebyt chebyu gegenbauer genlaguerre hermite hermitenorm jacobi "
            "laguerre legendre sh_chebyt sh_chebyu sh_jacobi sh_legendre",
        ),
        Absence(
            "Legendre functions under newer names, and of the second kind",
            "write eval_legendre(n, z) for legendre_p, lpmv(m, n, z) for assoc_legendre_p, each n "
            "for those with _all, and derivatives by `grad`",
            "assoc_legendre_p assoc_legendre_p_all legendre_p legendre_p_all lqmn lqn "
            "sph_harm_y_all sph_legendre_p_all",
        ),
        Absence(
            "Distribution functions, solved for a parameter in which they may turn",
            "there may be two such parameters: say which by `optimize.root_scalar`",
            "fdtridfd ncfdtridfd ncfdtridfn nctdtridf",
        ),
        Absence(
            "Student's noncentral distribution function, solved for the noncentrality",
            "write `optimize.root_scalar` of nctdtr(df, nc, t) - p, with a bracket of nc",
            "nctdtrinc",
        ),
        Absence(
            "Integrals of exponentials, sines and logarithms",
            f"no function here has them: {_WRAP}",
            "modfresnelm modfresnelp",
            True,
        ),
        Absence(
            "Functions of mathematical physics",
            f"few need them: {_WRAP}",
            "ellip_harm ellip_harm_2 ellip_normal mathieu_a mathieu_b "
            "mathieu_cem mathieu_even_coef mathieu_modcem1 mathieu_modcem2 mathieu_modsem1 "
            "mathieu_modsem2 mathieu_odd_coef mathieu_sem obl_ang1 obl_ang1_cv obl_cv obl_cv_seq "
            "obl_rad1 obl_rad1_cv obl_rad2 obl_rad2_cv pbdn_seq pbdv pbdv_seq pbvv pbvv_seq pbwa "
            "pro_ang1 pro_ang1_cv pro_cv pro_cv_seq pro_rad1 pro_rad1_cv pro_rad2 pro_rad2_cv",
        ),
        Absence(
            "SciPy itself",
            "it sets how SciPy behaves, not Weft: outside its domain a function is NaN",
            "geterr seterr",
        ),
    ),
    "scipy.linalg": (
        Absence(
            "Decompositions that few need",
            f"{_WRAP}",
            "cossin ordqz",
        ),
        Absence(
            "LAPACK itself",
            "it hands out functions that work in place: Weft calls them for you",
            "find_best_blas_type get_blas_funcs get_lapack_funcs",
        ),
        Absence(
            "Random sketches",
            "it draws numbers without a key: multiply by a matrix of `wt.random`",
            "clarkson_woodruff_transform",
        ),
    ),
    "scipy.cluster.vq": (Absence("Older forms", "write vq, which gives the same", "py_vq"),),
    "scipy.spatial": (
        Absence(
            "Hulls and cells",
            "their results are as many as values make them: take "
            f"interpolate.LinearNDInterpolator for triangles, or {_WRAP}",
            "ConvexHull Delaunay HalfspaceIntersection SphericalVoronoi Voronoi tsearch",
        ),
        Absence(
            "Drawings",
            "it draws: take the values first, `x.eval(...)`",
            "convex_hull_plot_2d delaunay_plot_2d voronoi_plot_2d",
        ),
        Absence(
            "Powers of distances",
            "write minkowski_distance(x, y, p) ** p",
            "minkowski_distance_p",
        ),
    ),
    "scipy.spatial.distance": (
        Absence(
            "Checks of matrices of distances, and numbers of points",
            "call SciPy's with the values, or compare: `allclose(D, D.T)`, and lengths by `shape`",
            "is_valid_dm is_valid_y num_obs_dm num_obs_y",
        ),
    ),
    "scipy.interpolate": (
        Absence(
            "Older names",
            "SciPy advises against them, too: write RectBivariateSpline(x, y, z) or "
            "RegularGridInterpolator((x, y), z, 'cubic'), and spline(x, nu) for each order",
            "interp2d spalde",
        ),
        Absence(
            "What chooses its own knots",
            "how many there are depends on values: UnivariateSpline(x, y, s=s) and splrep have "
            "knots that are chosen, make_lsq_spline(x, y, t) has yours",
            "generate_knots sproot",
        ),
        Absence(
            "Surfaces on a sphere",
            f"`RBFInterpolator` of points in space is near: else {_WRAP}",
            "LSQSphereBivariateSpline RectSphereBivariateSpline SmoothSphereBivariateSpline",
        ),
        Absence(
            "What surfaces share",
            "write RectBivariateSpline, SmoothBivariateSpline or LSQBivariateSpline",
            "BivariateSpline",
        ),
        Absence(
            "Older names of surfaces through scattered points",
            "take RBFInterpolator(points, values)(at)",
            "Rbf",
        ),
        Absence(
            "Polynomials near functions",
            "derivatives are exact here: take them by `grad`, over factorials",
            "approximate_taylor_polynomial",
        ),
        Absence(
            "Other forms of pieces",
            f"`PPoly`, `BPoly` and `BSpline` are here, of one variable, and `NdBSpline`: {_WRAP}",
            "NdPPoly insert",
        ),
    ),
    "scipy.optimize": (
        Absence(
            "Roots of systems, by method",
            "one function has them: write root(fun, x0).x",
            "anderson broyden1 broyden2 diagbroyden excitingmixing linearmixing newton_krylov",
        ),
        Absence(
            "Minima, by method",
            "one function has them: write minimize(fun, x0, method=...).x, and "
            "minimize_scalar(f, (a, b)) for steps downhill from a bracket",
            "bracket fmin_bfgs fmin_cg fmin_l_bfgs_b fmin_ncg fmin_powell",
        ),
        Absence(
            "Minima under constraints",
            "one function has them: write minimize(fun, x0, constraints=...); none looks for whole "
            "numbers",
            "fmin_cobyla fmin_slsqp fmin_tnc linprog_verbose_callback milp",
        ),
        Absence(
            "Minima among many",
            "write differential_evolution(func, bounds, rng=key), dual_annealing or basinhopping, "
            "or `minimize` many starts by `vmap`",
            "direct shgo",
        ),
        Absence(
            "Assignments by products of costs",
            f"only `linear_sum_assignment` is here: {_WRAP}",
            "quadratic_assignment",
        ),
        Absence(
            "Bounds and constraints as objects",
            "SciPy's are taken: write scipy.optimize.Bounds(low, high), and so on",
            "Bounds LinearConstraint NonlinearConstraint",
        ),
        Absence(
            "SciPy itself",
            "it tells what SciPy's searches take: see minimize",
            "show_options",
        ),
    ),
    "scipy.integrate": (
        Absence(
            "Solvers as objects",
            "write solve_ivp(fun, t_span, y0, method='RK45'), and so on",
            "BDF DOP853 LSODA RK23 RK45 Radau complex_ode ode",
        ),
    ),
}
"""By part of SciPy, groups of its functions that are not here."""
