"""Special functions: `wt.special`, with the names of `scipy.special`."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from weft_tensor.front.tradition import expit
from weft_tensor.front.unknown_name import unknown_name
from weft_tensor.ops.elementwise.arithmetic import cbrt
from weft_tensor.ops.elementwise.exponential import exp2, expm1, log1mexp, log1p, softplus
from weft_tensor.ops.elementwise.special import erf, erfc, erfcx, erfinv, log_ndtr, logerfc
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
from weft_tensor.ops.special.integrals.dawson import dawsn, erfi
from weft_tensor.ops.special.integrals.exponential import exp1, expi, expn, shichi
from weft_tensor.ops.special.integrals.logarithms import lambertw, spence
from weft_tensor.ops.special.integrals.oscillating import fresnel, sici
from weft_tensor.ops.special.normal import erfcinv, ndtr, ndtri, ndtri_exp, owens_t
from weft_tensor.ops.special.of_complex import loggamma, wofz

if not TYPE_CHECKING:

    def __getattr__(name: str) -> NoReturn:
        raise unknown_name(__name__, name, {n: n for n in __all__}, "scipy.special")


__all__ = [
    "beta",
    "betainc",
    "betaincc",
    "betainccinv",
    "betaincinv",
    "betaln",
    "binom",
    "cbrt",
    "comb",
    "dawsn",
    "digamma",
    "entr",
    "erf",
    "erfc",
    "erfcinv",
    "erfcx",
    "erfi",
    "erfinv",
    "exp1",
    "exp2",
    "expi",
    "expit",
    "expm1",
    "expn",
    "exprel",
    "factorial",
    "fresnel",
    "gamma",
    "gammainc",
    "gammaincc",
    "gammainccinv",
    "gammaincinv",
    "gammaln",
    "gammasgn",
    "hyp2f1",
    "i0",
    "i0e",
    "i1",
    "i1e",
    "iv",
    "ive",
    "j0",
    "j1",
    "jv",
    "k0",
    "k0e",
    "k1",
    "k1e",
    "kl_div",
    "kv",
    "kve",
    "lambertw",
    "log1mexp",
    "log1p",
    "log_expit",
    "log_gammainc",
    "log_gammaincc",
    "log_ndtr",
    "log_softmax",
    "logerfc",
    "loggamma",
    "logit",
    "logsumexp",
    "multigammaln",
    "ndtr",
    "ndtri",
    "ndtri_exp",
    "owens_t",
    "poch",
    "polygamma",
    "psi",
    "rel_entr",
    "shichi",
    "sici",
    "sinc",
    "softmax",
    "softplus",
    "spence",
    "trigamma",
    "wofz",
    "xlog1py",
    "xlogy",
    "y0",
    "y1",
    "zeta",
]
