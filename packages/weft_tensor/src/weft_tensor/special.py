"""Special functions: `wt.special`, with the names of `scipy.special`."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from weft_tensor.front.keywords import take_keywords
from weft_tensor.front.tradition import expit
from weft_tensor.front.unknown_name import unknown_name
from weft_tensor.ops.elementwise.arithmetic import cbrt
from weft_tensor.ops.elementwise.arithmetic import rint as round
from weft_tensor.ops.elementwise.exponential import exp2, expm1, log1mexp, log1p, softplus
from weft_tensor.ops.elementwise.special import erf, erfc, erfcx, erfinv, log_ndtr, logerfc
from weft_tensor.ops.numbers.remainders import (
    expm1mx,
    exprel2,
    langevin,
    log1pmx,
    log_sinhc,
    pow1pm1,
)
from weft_tensor.ops.numbers.waves import sinc
from weft_tensor.ops.reduction.logsumexp_softmax import log_softmax, logsumexp, softmax
from weft_tensor.ops.special.bessel import (
    i0,
    i0e,
    i1,
    i1e,
    iv,
    ive,
    j0,
    j1,
    jv,
    k0,
    k0e,
    k1,
    k1e,
    kv,
    kve,
    y0,
    y1,
)
from weft_tensor.ops.special.composed.bessel_orders import (
    h1vp,
    h2vp,
    hankel1,
    hankel1e,
    hankel2,
    hankel2e,
    ivp,
    jn,
    jve,
    jvp,
    kn,
    kvp,
    lmbda,
    yn,
    yve,
    yvp,
)
from weft_tensor.ops.special.composed.by_laws import (
    chndtr,
    chndtrix,
    ncfdtr,
    ncfdtri,
    nctdtr,
    nctdtrit,
    smirnov,
    smirnovi,
    tklmbda,
)
from weft_tensor.ops.special.composed.degrees import cosdg, cotdg, sindg, tandg
from weft_tensor.ops.special.composed.factorials import diric, factorial2, factorialk, stirling2
from weft_tensor.ops.special.composed.harmonics import lpmv, sph_harm_y, sph_legendre_p
from weft_tensor.ops.special.composed.jacobi import agm, ellipj
from weft_tensor.ops.special.composed.kolmogorov import kolmogi, kolmogorov
from weft_tensor.ops.special.composed.orthogonal import (
    assoc_laguerre,
    eval_chebyc,
    eval_chebys,
    eval_chebyt,
    eval_chebyu,
    eval_gegenbauer,
    eval_genlaguerre,
    eval_hermite,
    eval_hermitenorm,
    eval_jacobi,
    eval_laguerre,
    eval_legendre,
    eval_sh_chebyt,
    eval_sh_chebyu,
    eval_sh_jacobi,
    eval_sh_legendre,
)
from weft_tensor.ops.special.composed.parameters import (
    bdtrik,
    bdtrin,
    btdtria,
    btdtrib,
    chdtriv,
    chndtridf,
    chndtrinc,
    gdtria,
    gdtrib,
    nbdtrik,
    nbdtrin,
    ncfdtrinc,
    nrdtrimn,
    nrdtrisd,
    pdtrik,
    stdtridf,
)
from weft_tensor.ops.special.composed.rules import (
    bernoulli,
    euler,
    roots_chebyc,
    roots_chebys,
    roots_chebyt,
    roots_chebyu,
    roots_gegenbauer,
    roots_genlaguerre,
    roots_hermite,
    roots_hermitenorm,
    roots_jacobi,
    roots_laguerre,
    roots_legendre,
    roots_sh_chebyt,
    roots_sh_chebyu,
    roots_sh_jacobi,
    roots_sh_legendre,
)
from weft_tensor.ops.special.composed.student import stdtr, stdtrit
from weft_tensor.ops.special.composed.tails import (
    bdtr,
    bdtrc,
    bdtri,
    chdtr,
    chdtrc,
    chdtri,
    fdtr,
    fdtrc,
    fdtri,
    gdtr,
    gdtrc,
    gdtrix,
    nbdtr,
    nbdtrc,
    nbdtri,
    pdtr,
    pdtrc,
    pdtri,
)
from weft_tensor.ops.special.composed.transforms import (
    boxcox,
    boxcox1p,
    cosm1,
    exp10,
    huber,
    inv_boxcox,
    inv_boxcox1p,
    perm,
    powm1,
    pseudo_huber,
    radian,
    rgamma,
    zetac,
)
from weft_tensor.ops.special.confluent.kummer import hyp1f1
from weft_tensor.ops.special.confluent.limit import hyp0f1
from weft_tensor.ops.special.confluent.tricomi import hyperu
from weft_tensor.ops.special.confluent.wright import log_wright_bessel, wright_bessel
from weft_tensor.ops.special.cylinder.airy import airy, airye
from weft_tensor.ops.special.cylinder.kelvin import (
    bei,
    beip,
    ber,
    berp,
    kei,
    keip,
    kelvin,
    ker,
    kerp,
)
from weft_tensor.ops.special.cylinder.second_kind import yv
from weft_tensor.ops.special.cylinder.spherical import (
    spherical_in,
    spherical_jn,
    spherical_kn,
    spherical_yn,
)
from weft_tensor.ops.special.cylinder.struve import modstruve, struve
from weft_tensor.ops.special.entropies import (
    entr,
    exprel,
    kl_div,
    log_expit,
    logit,
    rel_entr,
    xlog1py,
    xlogy,
)
from weft_tensor.ops.special.gamma import (
    beta,
    betaln,
    binom,
    comb,
    digamma,
    factorial,
    gamma,
    gammaln,
    gammasgn,
    multigammaln,
    poch,
    polygamma,
    psi,
    trigamma,
    zeta,
)
from weft_tensor.ops.special.hypergeometric import hyp2f1
from weft_tensor.ops.special.incomplete import (
    betainc,
    betaincc,
    betainccinv,
    betaincinv,
    gammainc,
    gammaincc,
    gammainccinv,
    gammaincinv,
)
from weft_tensor.ops.special.incomplete_logs import log_gammainc, log_gammaincc
from weft_tensor.ops.special.integrals.carlson import elliprc, elliprd, elliprf, elliprg, elliprj
from weft_tensor.ops.special.integrals.dawson import dawsn, erfi
from weft_tensor.ops.special.integrals.elliptic import (
    ellipe,
    ellipeinc,
    ellipk,
    ellipkinc,
    ellipkm1,
)
from weft_tensor.ops.special.integrals.exponential import exp1, expi, expn, shichi
from weft_tensor.ops.special.integrals.logarithms import lambertw, spence, wrightomega
from weft_tensor.ops.special.integrals.of_bessel import it2i0k0, it2j0y0, iti0k0, itj0y0
from weft_tensor.ops.special.integrals.of_struve import it2struve0, itmodstruve0, itstruve0
from weft_tensor.ops.special.integrals.oscillating import fresnel, sici
from weft_tensor.ops.special.integrals.voigt import voigt_profile
from weft_tensor.ops.special.noncentral.bessel_logs import log_iv, log_ive
from weft_tensor.ops.special.normal import erfcinv, ndtr, ndtri, ndtri_exp, owens_t
from weft_tensor.ops.special.of_complex import loggamma, wofz

if not TYPE_CHECKING:

    def __getattr__(name: str) -> NoReturn:
        raise unknown_name(__name__, name, {n: n for n in __all__}, "scipy.special")


# fmt: off
__all__ = [  # in rows, as many are
    "agm", "airy", "airye", "assoc_laguerre", "bdtr", "bdtrc", "bdtri", "bdtrik", "bdtrin", "bei",
    "beip", "ber", "bernoulli", "berp", "beta", "betainc", "betaincc", "betainccinv", "betaincinv",
    "betaln", "binom", "boxcox", "boxcox1p", "btdtria", "btdtrib", "cbrt", "chdtr", "chdtrc",
    "chdtri", "chdtriv", "chndtr", "chndtridf", "chndtrinc", "chndtrix", "comb", "cosdg", "cosm1",
    "cotdg", "dawsn", "digamma", "diric", "ellipe", "ellipeinc", "ellipj", "ellipk", "ellipkinc",
    "ellipkm1", "elliprc", "elliprd", "elliprf", "elliprg", "elliprj", "entr", "erf", "erfc",
    "erfcinv", "erfcx", "erfi", "erfinv", "euler", "eval_chebyc", "eval_chebys", "eval_chebyt",
    "eval_chebyu", "eval_gegenbauer", "eval_genlaguerre", "eval_hermite", "eval_hermitenorm",
    "eval_jacobi", "eval_laguerre", "eval_legendre", "eval_sh_chebyt", "eval_sh_chebyu",
    "eval_sh_jacobi", "eval_sh_legendre", "exp1", "exp2", "exp10", "expi", "expit", "expm1",
    "expm1mx", "expn", "exprel", "exprel2", "factorial", "factorial2", "factorialk", "fdtr",
    "fdtrc", "fdtri", "fresnel", "gamma", "gammainc", "gammaincc", "gammainccinv", "gammaincinv",
    "gammaln", "gammasgn", "gdtr", "gdtrc", "gdtria", "gdtrib", "gdtrix", "h1vp", "h2vp", "hankel1",
    "hankel1e", "hankel2", "hankel2e", "huber", "hyp0f1", "hyp1f1", "hyp2f1", "hyperu", "i0", "i0e",
    "i1", "i1e", "inv_boxcox", "inv_boxcox1p", "it2i0k0", "it2j0y0", "it2struve0", "iti0k0",
    "itj0y0", "itmodstruve0", "itstruve0", "iv", "ive", "ivp", "j0", "j1", "jn", "jv", "jve", "jvp",
    "k0", "k0e", "k1", "k1e", "kei", "keip", "kelvin", "ker", "kerp", "kl_div", "kn", "kolmogi",
    "kolmogorov", "kv", "kve", "kvp", "lambertw", "langevin", "lmbda", "log1mexp", "log1p",
    "log1pmx", "log_expit", "log_gammainc", "log_gammaincc", "log_iv", "log_ive", "log_ndtr",
    "log_sinhc", "log_softmax", "log_wright_bessel", "logerfc", "loggamma", "logit", "logsumexp",
    "lpmv", "modstruve", "multigammaln", "nbdtr", "nbdtrc", "nbdtri", "nbdtrik", "nbdtrin",
    "ncfdtr", "ncfdtri", "ncfdtrinc", "nctdtr", "nctdtrit", "ndtr", "ndtri", "ndtri_exp",
    "nrdtrimn", "nrdtrisd", "owens_t", "pdtr", "pdtrc", "pdtri", "pdtrik", "perm", "poch",
    "polygamma", "pow1pm1", "powm1", "pseudo_huber", "psi", "radian", "rel_entr", "rgamma",
    "roots_chebyc", "roots_chebys", "roots_chebyt", "roots_chebyu", "roots_gegenbauer",
    "roots_genlaguerre", "roots_hermite", "roots_hermitenorm", "roots_jacobi", "roots_laguerre",
    "roots_legendre", "roots_sh_chebyt", "roots_sh_chebyu", "roots_sh_jacobi", "roots_sh_legendre",
    "round", "shichi", "sici", "sinc", "sindg", "smirnov", "smirnovi", "softmax", "softplus",
    "spence", "sph_harm_y", "sph_legendre_p", "spherical_in", "spherical_jn", "spherical_kn",
    "spherical_yn", "stdtr", "stdtridf", "stdtrit", "stirling2", "struve", "tandg", "tklmbda",
    "trigamma", "voigt_profile", "wofz", "wright_bessel", "wrightomega", "xlog1py", "xlogy", "y0",
    "y1", "yn", "yv", "yve", "yvp", "zeta", "zetac",
]

take_keywords(globals())
