"""Special functions of complex numbers in JAX, which has none: SciPy's, called on the host."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from weft_tensor.extend import SCALARS

__all__ = ["ROWS"]

_NAMES: Final = (
    *("digamma", "gamma", "loggamma", "erf", "erfc", "erfcx", "ndtr", "log_ndtr"),
    *("exp1", "expi", "spence", "dawsn", "erfi"),
    *("jv", "jve", "yv", "yve", "iv", "ive", "kv", "kve", "hyp2f1", "wrightomega"),
    *("hankel1", "hankel1e", "hankel2", "hankel2e"),
    *[f"{name}_{part}" for name in ("airy", "airye") for part in ("ai", "aip", "bi", "bip")],
    *[f"{name}_integral" for name in ("sine", "cosine", "sinh", "cosh")],
    *("fresnel_sine", "fresnel_cosine"),
)


def _of_scipy(name: str, *values: jax.Array) -> jax.Array:
    arrays = jnp.broadcast_arrays(*values)
    bits = list(map(_bits, arrays))
    dtypes = [str(v.dtype) for v in arrays]
    kind = jax.eval_shape(lambda: bits[-1])
    call = partial(_computed, name, dtypes)
    result = jax.pure_callback(call, kind, *bits, vmap_method="broadcast_all")
    part = arrays[-1].real.dtype
    real, imag = jnp.moveaxis(lax.bitcast_convert_type(result, part), -1, 0)
    return lax.complex(real, imag)


def _bits(x: jax.Array) -> jax.Array:
    """As integers of 32 bits: of calls on the host, JAX rounds numbers to 32 bits by default."""
    parts = jnp.stack([x.real, x.imag], -1) if jnp.iscomplexobj(x) else x
    bits: jax.Array = lax.bitcast_convert_type(parts, jnp.uint32)
    return bits


def _computed(name: str, dtypes: Sequence[str], *bits: jax.Array) -> np.ndarray:
    arrays = [
        np.ascontiguousarray(b).reshape(-1).view(dtype)
        for b, dtype in zip(bits, dtypes, strict=True)
    ]
    with np.errstate(all="ignore"):
        values = np.asarray(SCALARS[name].numpy(*arrays), dtypes[-1])
    return values.view(np.uint32).reshape(bits[-1].shape)


ROWS: Final[dict[str, Callable[..., jax.Array]]] = {
    name: partial(_of_scipy, name) for name in (*[f"complex_{name}" for name in _NAMES], "wofz")
}
"""By the names of the scalar table."""
