"""Names that test_special_further, _parameters, _numbers, fft, signal and ndimage tests ask for."""

from __future__ import annotations

from typing import Final

__all__ = ["ELSEWHERE"]

ELSEWHERE: Final = {
    "special": """
agm airy airye assoc_laguerre bdtrik bdtrin bei beip ber bernoulli berp btdtria btdtrib chdtriv
chndtr chndtridf chndtrinc chndtrix diric ellipj euler eval_chebyc eval_chebys eval_sh_chebyt
eval_sh_chebyu eval_sh_jacobi eval_sh_legendre factorial2 factorialk gdtria gdtrib h1vp h2vp
hankel1 hankel1e hankel2 hankel2e hyp0f1 it2i0k0 it2j0y0 it2struve0 iti0k0 itj0y0 itmodstruve0
itstruve0 jve kei keip kelvin ker lmbda stirling2
kerp kolmogi kolmogorov lpmv nbdtrik nbdtrin ncfdtr ncfdtri ncfdtrinc nctdtr nctdtrit nrdtrimn
nrdtrisd pdtrik roots_chebyc roots_chebys roots_chebyt roots_chebyu roots_gegenbauer
roots_genlaguerre roots_hermite roots_hermitenorm roots_jacobi roots_laguerre roots_legendre
roots_sh_chebyt roots_sh_chebyu roots_sh_jacobi roots_sh_legendre smirnov smirnovi sph_harm_y
sph_legendre_p spherical_in spherical_jn spherical_kn spherical_yn stdtridf tklmbda
voigt_profile wrightomega yve yvp zetac
""",
    "fft": "fht fhtoffset ifht next_fast_len prev_fast_len",
    "windows": "chebwin dpss kaiser_bessel_derived taylor",
    "signal": """
cont2discrete convolve1d deconvolve dlsim firls firwin2 kaiser_atten kaiser_beta kaiserord lsim
bode correlation_lags dbode dfreqresp dimpulse dstep freqresp impulse step sweep_poly unit_impulse
argrelextrema argrelmax argrelmin find_peaks peak_prominences peak_widths whittaker_henderson
find_peaks_cwt
bessel bilinear bilinear_zpk butter cheby1 cheby2 ellip freqs freqs_zpk freqz_zpk group_delay
iirfilter iirnotch iirpeak lp2bp_zpk lp2bs_zpk lp2hp_zpk lp2lp_zpk sos2tf sos2zpk sosfreqz ss2tf
envelope hilbert2 minimum_phase tf2ss tf2zpk zpk2ss zpk2tf LinearSystem ShortTimeFFT StateSpace
TransferFunction ZerosPolesGain cspline1d cspline1d_eval dlti gauss_spline lti qspline1d
qspline1d_eval CZT ZoomFFT
besselap buttap buttord cheb1ap cheb1ord cheb2ap cheb2ord check_COLA check_NOLA
closest_STFT_dual_window ellipap ellipord findfreqs firwin_2d gammatone iircomb iirdesign invres
invresz lp2bp lp2bs lp2hp lp2lp max_len_seq normalize place_poles remez residue residuez ss2zpk
tf2sos unique_roots zpk2sos
""",
    "ndimage": """
center_of_mass distance_transform_bf distance_transform_cdt distance_transform_edt extrema
fourier_gaussian fourier_shift fourier_uniform generate_binary_structure geometric_transform
histogram iterate_structure label maximum maximum_position mean median minimum
minimum_position standard_deviation sum sum_labels variance
""",
}
