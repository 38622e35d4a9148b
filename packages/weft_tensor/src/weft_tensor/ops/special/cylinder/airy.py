"""Airy's functions and their derivatives.

In the middle they are polynomials, the first terms of their Chebyshev series. Further to the right
they are an exponential of ζ = 2/3 x^(3/2), on the left sine and cosine of it (NIST Digital Library
of Mathematical Functions, 9.7.5 to 9.7.12), times such polynomials of 1/ζ or its square.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import inf, nan, pi
from typing import Any, Final, NamedTuple

from weft_graph import grad
from weft_tensor.build.convert import as_tensor
from weft_tensor.build.variable import TensorLike, TensorVariable
from weft_tensor.ops.elementwise.comparison import eq, isnan, where
from weft_tensor.ops.elementwise.exponential import exp
from weft_tensor.ops.elementwise.op import Unary, unary
from weft_tensor.ops.elementwise.rational import polynomial
from weft_tensor.ops.elementwise.table import ANY, floating
from weft_tensor.ops.elementwise.trigonometric import cos, sin
from weft_tensor.ops.special.slope_rows import doubled

__all__ = ["airy", "airye"]

_T = TensorVariable
_LEFT: Final = -4.0
_RIGHT: Final = 2.0
_BEYOND: Final = 8.0
"""Where the middle begins and ends, and up to where polynomials of growing functions are of x."""
_LOWEST: Final = -1e6
"""From here on, the last place of an argument turns the functions around."""


def _zeta(x: Any) -> Any:
    return 2 / 3 * x * x**0.5


# fmt: off
_AI_MID: Final = (
    0.5355608832923521, -0.030481701349935626, -2.4100239748155845, 2.455746526840487,
    1.738934153074326, -4.358618303079226, 1.6884916282343785, 2.0518758776353496,
    -2.3728414078121514, 0.37669987589555093, 0.8528469041153786, -0.6132456082377535,
    0.01890359448929538, 0.18298767302715685, -0.09191078854232448, -0.0054118696981465516,
    0.02403276302266418, -0.008944418640254297, -0.001184352339191269, 0.002132680541395894,
    -0.000607494333250199, -0.00012179860438674328, 0.00013649715102700242, -3.029878356834699e-05,
    -8.205752997713773e-06, 6.643002448019765e-06, -1.1317719509106102e-06, -4.312697633089946e-07,
    2.46564165796707e-07, -1.9333978166435564e-08, -1.583914458741765e-08, 3.7409051787431165e-09,
)
_AIP_MID: Final = (
    -0.010160567116645208, -1.6066826498770563, 2.4557465268404868, 2.318578870765759,
    -7.264363838465333, 3.3769832564691584, 4.787710381147816, -6.32757708750733,
    1.1300996277083553, 2.8428230138138257, -2.2485672304172986, 0.07561437725974755,
    0.7929465844680582, -0.4289170098176419, -0.027059354367105312, 0.1281747247902559,
    -0.050685020940565186, -0.0071060872082391, 0.01350693718691727, -0.004050007403829702,
    -0.0008525277434597436, 0.0010010328958190992, -0.000232361005990831, -6.569024518270472e-05,
    5.541339614232731e-05, -9.784810792688234e-06, -3.909880561114236e-06, 2.293645894341487e-06,
    -1.7816360853305452e-07, -1.5730292400354158e-07, 3.7451673457243574e-08,
)
_BI_MID: Final = (
    0.1039973894969446, 1.777126879268377, -0.46798825273624645, -2.1977020661662996,
    4.34952666790571, 0.35718178858017213, -3.2827898599117584, 2.7195853318313774,
    0.6998038754005453, -1.5709943641529922, 0.7458952134336815, 0.3003059463260641,
    -0.37219625693827874, 0.11177189646402208, 0.06295622904609165, -0.052643994765080394,
    0.010213366504404202, 0.007991136783433064, -0.004945204239940791, 0.0005962056370670887,
    0.0006845218059873489, -0.0003309396369546423, 2.196061030035142e-05, 4.267730873450092e-05,
    -1.691690600619648e-05, 1.5701460969284743e-07, 2.2177483082448627e-06, -5.611620107002233e-07,
    -9.837713623872784e-08, 5.380508801720722e-08,
)
_BIP_MID: Final = (
    0.5923756264227924, -0.3119921684908334, -2.197702066166315, 5.799368890541306,
    0.5953029809681951, -6.565579719839366, 6.345699107567813, 1.866143668060832,
    -4.7129830918281534, 2.4863173743265325, 1.1011217970275218, -1.4887850002204681,
    0.48434492392863493, 0.2937956021209846, -0.2632201446328477, 0.05447173532310788,
    0.04528363224895424, -0.02967228448727161, 0.003774818708012671, 0.004565262365743357,
    -0.002314761153294774, 0.00015892107177277863, 0.0003251483738874175, -0.00013358952479766904,
    2.908362706322112e-06, 1.827779478209463e-05, -5.877487268893173e-06, -6.173850599515416e-07,
    7.739131630567467e-07, -4.297164927760737e-08, -3.500652582396463e-08,
)
_AI_RIGHT: Final = (
    0.2774908024616546, -0.004122380595849492, 0.00039865677489458394, -6.427592277639402e-05,
    1.3671255956557227e-05, -3.48510926832708e-06, 1.0121089942839848e-06, -3.2469847170697346e-07,
    1.1275577071064085e-07, -4.1784065501727926e-08, 1.6367236117824575e-08, -6.719726003246205e-09,
    2.8166320000272914e-09, -1.222777570196559e-09, 6.818549500561053e-10, -3.6072835750548884e-10,
    -2.1434131696095418e-11, 5.675664435142866e-11, 1.749196885799203e-10, -1.2269533339116626e-10,
    -7.049891461629668e-11, 5.0803583637066e-11, 2.375331300539151e-11, -1.5345958367818006e-11,
)
_AIP_RIGHT: Final = (
    -0.28866116799251645, -0.005984108184326477, 0.00048731317078508607, -7.415963416568984e-05,
    1.5315891292258705e-05, -3.834579293860164e-06, 1.1000093398161168e-06, -3.4975311006676025e-07,
    1.2062744161459747e-07, -4.445908289376292e-08, 1.7337724594866872e-08, -7.0917634713862135e-09,
    2.9645468587107345e-09, -1.2840029210820667e-09, 7.119341157316474e-10, -3.7536215298402433e-10,
    -2.0242883058258663e-11, 5.751408280913938e-11, 1.8034508528089322e-10, -1.2632388616532938e-10,
    -7.249757760400286e-11, 5.2214203774756564e-11, 2.4471298495030784e-11, -1.579492980327331e-11,
)
_BI_NEXT: Final = (
    0.5698901774767625, -0.005611580300759608, 0.004745565512908601, -0.003887801568796542,
    0.003212119267242542, -0.002709689145553237, 0.002296405448674471, -0.001867669218593861,
    0.0013549998157227163, -0.0007708127357473893, 0.00020796725713412886, 0.00021378782290207843,
    -0.00041978169966760005, 0.0004203757009841685, -0.0002953642427642737, 0.00014217715821213142,
    -2.817045286709841e-05, -2.6134432042830088e-05, 3.466439016435674e-05, -2.269857048405269e-05,
    9.055694079149502e-06, -7.03648432809257e-07, -2.3845039025831692e-06, 1.955636887918482e-06,
    -5.111765306115146e-07, -6.8043290868619085e-09, -1.1149047601232209e-07,
    1.3156036360369974e-08, 1.128971291589025e-07, -4.205373252472863e-08, -1.996974050770006e-08,
    9.796462351327856e-09,
)
_BIP_NEXT: Final = (
    0.5563105207103747, 0.0076485288157178135, -0.006351158251133249, 0.005084874852280065,
    -0.004087277610483268, 0.0033487470571179193, -0.0027673953134625734, 0.0022184025813633285,
    -0.0016157486079309774, 0.0009593914204637025, -0.00033575355050310685, -0.0001366736150227208,
    0.00038175484226103093, -0.00040855181170347353, 0.00029763292407209216, -0.0001494285780379493,
    3.5069738875374186e-05, 2.184588110722389e-05, -3.285129230455415e-05, 2.1806146427416322e-05,
    -8.480609473825602e-06, 1.1969368662860094e-06, 1.5485116004328148e-06, -2.4081890956296326e-06,
    1.3274316843582536e-06, 3.8445222981943165e-07, -4.730807890474074e-07, -2.4881641715649744e-07,
    1.9261085751095483e-07, 1.229788145160321e-07, -7.407009382020567e-08, -2.461696269070157e-08,
    1.4560494256863724e-08,
)
_BI_RIGHT: Final = (
    0.5655120631843464, 0.0013471869770032667, 2.5623972377600028e-05, 9.691013312326368e-07,
    5.6628013796530577e-08, 4.58886582292752e-09, 4.862565443800704e-10, 6.503111773943744e-11,
    1.0742449286982753e-11, 2.1324455691704125e-12, 4.91786265187102e-13, 1.735417064189156e-13,
    9.052762902855028e-14, 2.541297269782091e-14,
)
_BIP_RIGHT: Final = (
    0.5623433675202665, -0.0018753029210165973, -3.0106825205922772e-05, -1.076688200326615e-06,
    -6.117909246695668e-08, -4.874906410154228e-09, -5.107718947418864e-10, -6.77567962418991e-11,
    -1.1124054460440736e-11, -2.198070232789173e-12, -5.046661481617675e-13,
    -1.7701527960218174e-13, -9.238195503943406e-14, -2.6020191396214095e-14,
)
_P: Final = (
    0.5638306015530917, -0.00035035842624883375, 8.044614361562928e-06, -5.1084713520583e-07,
    5.665671828593732e-08, -8.984794808247629e-09, 1.8288463408054822e-09, -4.478613080391736e-10,
    1.264811392885877e-10, -3.9292216422570186e-11, 1.3320040818165132e-11, -6.207463656564134e-12,
    2.8249257579466657e-12, 1.2470637943095182e-13, -2.7685863540663166e-13, -6.201657950374912e-13,
    3.5383700130784275e-13,
)
_Q: Final = (
    0.03882108080924154, -0.0003425373724549927, 1.4675206955010288e-05, -1.3115719368860718e-06,
    1.822185134066117e-07, -3.402157953496689e-08, 7.852442843222728e-09, -2.1262672787546012e-09,
    6.522660177846435e-10, -2.206310635456067e-10, 8.08785408323652e-11, -3.359024797821743e-11,
    1.4870536738644892e-11, -3.1047281681174825e-12, 2.4684545715759677e-13, -4.550258786327604e-12,
    3.277082411516934e-12, 1.831771965325712e-12, -1.4523776974398213e-12, -7.699809122839676e-13,
    5.237629422409943e-13,
)
_R: Final = (
    0.05444996926377598, -0.0003843940936374194, 1.5778936754645587e-05, -1.3853983335425984e-06,
    1.906297298761229e-07, -3.5377536830372774e-08, 8.131526710203173e-09, -2.1951326098192034e-09,
    6.718150947012681e-10, -2.2682656877121178e-10, 8.302645532022271e-11, -3.442337603802982e-11,
    1.5217093100004914e-11, -3.1947258833145316e-12, 2.673549989064335e-13, -4.63245637061434e-12,
    3.33334531602601e-12, 1.8613669038638834e-12, -1.4755635768279513e-12, -7.832688105330464e-13,
    5.325489467110064e-13,
)
_S: Final = (
    0.5646146946698746, 0.0004156995193140747, -8.79607982905592e-06, 5.44027052721771e-07,
    -5.9565110973382476e-08, 9.374477941290777e-09, -1.8985913271936604e-09, 4.6327179375332625e-10,
    -1.3047850293109593e-10, 4.045508339486369e-11, -1.3693188895095789e-11, 6.363012185433364e-12,
    -2.890701280301509e-12, -1.2321080722998622e-13, 2.8044609503110243e-13, 6.32817442337909e-13,
    -3.6078494198547954e-13,
)
# fmt: on


class _Form(NamedTuple):
    """One of the four functions."""

    middle: tuple[float, ...]
    next: tuple[float, ...] | None
    """Of those that grow, up to `_BEYOND`."""
    right: tuple[float, ...]
    growth: int
    power: float
    """Of abs(x) that there is far from 0."""
    by_cosine: tuple[tuple[float, ...], int]
    by_sine: tuple[tuple[float, ...], int]
    """Polynomials, and times which power of 1/ζ."""
    ends: tuple[float, float]
    """At infinity, and there times the exponential that keeps it small."""


_FORMS: Final = {
    "ai": _Form(_AI_MID, None, _AI_RIGHT, -1, -0.25, (_P, 0), (_Q, 1), (0.0, 0.0)),
    "aip": _Form(_AIP_MID, None, _AIP_RIGHT, -1, 0.25, (_R, 1), (_S, 0), (0.0, -inf)),
    "bi": _Form(_BI_MID, _BI_NEXT, _BI_RIGHT, 1, -0.25, (_Q, 1), (_P, 0), (inf, 0.0)),
    "bip": _Form(_BIP_MID, _BIP_NEXT, _BIP_RIGHT, 1, 0.25, (_S, 0), (_R, 1), (inf, inf)),
}


def _on(interval: tuple[float, float], terms: tuple[float, ...], x: _T) -> _T:
    """The polynomial, of where x is in the interval, from -1 to 1."""
    low, high = interval
    result: _T = polynomial(terms, (2 * x - (low + high)) / (high - low))
    return result


def _value(name: str, scaled: bool, x: _T) -> _T:
    """The function; times exp(ζ), or exp(-ζ) if it grows, if it is scaled and x positive."""
    form = _FORMS[name]
    is_left, is_right = x < _LEFT, x > _RIGHT
    middle = _on((_LEFT, _RIGHT), form.middle, where(is_left | is_right, 0, x))
    if scaled:
        positive = (x > 0) & ~is_right
        middle = middle * where(positive, exp(-form.growth * _zeta(where(positive, x, 1))), 1)
    right = where(eq(x, inf), form.ends[scaled], _at_right(form, scaled, x))
    value = where(is_left, _at_left(form, x), where(is_right, right, middle))
    return where(isnan(x), nan, value)


def _shape(form: _Form, x: _T) -> _T:
    """What the function is to the right, but for the exponential and a power."""
    first = _RIGHT if form.next is None else _BEYOND
    far = _zeta(where(x >= first, x, first))
    shape = _on((0, 1 / _zeta(first)), form.right, 1 / far)
    if form.next is None:
        return shape
    between = _on((_RIGHT, _BEYOND), form.next, where(x < _BEYOND, x, _BEYOND))
    return where(x < _BEYOND, between, shape)


def _at_right(form: _Form, scaled: bool, place: _T) -> _T:
    x = where((place > _RIGHT) & (place < inf), place, _BEYOND)
    half = exp(0.5 * (0 if scaled else form.growth) * _zeta(x))  # which is too large later
    result: _T = _shape(form, x) * x**form.power * half * half
    return result


def _at_left(form: _Form, place: _T) -> _T:
    x = where((place < _LEFT) & (place > _LOWEST), -place, -_LEFT)
    zeta = _zeta(x)
    t = 1 / zeta

    def part(terms: tuple[float, ...], power: int) -> Any:
        return _on((0, _zeta(-_LEFT) ** -2), terms, t * t) * t**power

    angle = zeta - pi / 4
    turned = part(*form.by_cosine) * cos(angle) - form.growth * part(*form.by_sine) * sin(angle)
    return where(place > _LOWEST, turned * x**form.power, nan)


def _row(
    name: str, summary: str, at_1: float, slope: Callable[..., Any], *, scaled: bool = False
) -> Unary:
    row, expansion = f"airy{'e' * scaled}_{name}", doubled(partial(_value, name, scaled))
    arguments = row, None, summary, ANY, (1.0, at_1), slope
    return unary(*arguments, expansion=expansion, dtypes=floating, of_complex=f"complex_{row}")


def _beside_scale(name: str, slope: _T, x: _T, result: _T) -> _T:
    """The slope of a scaled function, from that of the function, scaled.

    To the right both parts nearly cancel: there, it is that of the polynomial.
    """
    form = _FORMS[name]
    is_right = (x > _RIGHT) & (x < inf)
    root = where((x > 0) & ~is_right, x, 0) ** 0.5
    place = where(is_right, x, _BEYOND)
    steep = form.power * result / place
    steep = steep + place**form.power * grad(_shape(form, place).sum(), place)
    return where(is_right, steep, where(eq(x, inf), 0, slope - form.growth * root * result))


def _scaled_row(name: str, at_1: float, slope: Callable[[_T], _T]) -> Unary:
    """The scaled function; `slope` is that of the function, scaled."""
    sign = "" if name.startswith("a") else "-"
    summary = f"`airy_{name}` times exp({sign}2/3 x^(3/2)), of positive x."

    def slopes(x: _T, r: _T) -> tuple[_T]:
        return (_beside_scale(name, slope(x), x, r),)

    return _row(name, summary, at_1, slopes, scaled=True)


airy_ai: Unary = _row("ai", "Airy's function Ai.", 0.135292416, lambda x, r: (airy_aip(x),))
airy_aip: Unary = _row(
    "aip", "The derivative of Airy's function Ai.", -0.159147441, lambda x, r: (x * airy_ai(x),)
)
airy_bi: Unary = _row("bi", "Airy's function Bi.", 1.207423595, lambda x, r: (airy_bip(x),))
airy_bip: Unary = _row(
    "bip", "The derivative of Airy's function Bi.", 0.932435933, lambda x, r: (x * airy_bi(x),)
)
airye_ai: Unary = _scaled_row("ai", 0.263513645, lambda x: airye_aip(x))
airye_aip: Unary = _scaled_row("aip", -0.309976971, lambda x: x * airye_ai(x))
airye_bi: Unary = _scaled_row("bi", 0.619911940, lambda x: airye_bip(x))
airye_bip: Unary = _scaled_row("bip", 0.478728601, lambda x: x * airye_bi(x))


def airy(z: TensorLike) -> tuple[_T, _T, _T, _T]:
    """Airy's functions Ai, its derivative, Bi and its derivative.

    Elementwise; integers become float64. Of real numbers below -1e6 they are NaN. See
    `scipy.special.airy`.

    >>> [y.eval().round(6).item() for y in airy(1.0)]
    [0.135292, -0.159147, 1.207424, 0.932436]
    """
    x = as_tensor(z)
    return airy_ai(x), airy_aip(x), airy_bi(x), airy_bip(x)


def airye(z: TensorLike) -> tuple[_T, _T, _T, _T]:
    """`airy` times exp(ζ), and exp(-abs(real(ζ))) for Bi, with ζ = 2/3 z^(3/2).

    Elementwise; integers become float64. Of negative real numbers the first two are NaN, and the
    others those of `airy`. See `scipy.special.airye`.

    >>> [y.eval().round(6).item() for y in airye(1.0)]
    [0.263514, -0.309977, 0.619912, 0.478729]
    """
    x = as_tensor(z)
    ai, aip, bi, bip = airye_ai(x), airye_aip(x), airye_bi(x), airye_bip(x)
    if x.is_complex:
        return ai, aip, bi, bip
    return where(x < 0, nan, ai), where(x < 0, nan, aip), bi, bip
