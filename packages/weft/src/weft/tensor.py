"""Tensors, and what one does with expressions of them: the one import for most users.

>>> import weft.tensor as wt
>>> x = wt.vector("x")
>>> f = wt.function([x], wt.grad(wt.sum(x**2), x))
>>> f([1.0, 2.0])
array([2., 4.])

`wt.wrap_jax` belongs to weft_jax, which is imported, with JAX, when one asks for it.
"""

from typing import TYPE_CHECKING

import weft_graph
from weft_graph.extend import imported_late, no_such_name

if TYPE_CHECKING:
    from weft_graph import Breakpoint as Breakpoint
    from weft_graph import FunctionGraph as FunctionGraph
    from weft_graph import In as In
    from weft_graph import Mode as Mode
    from weft_graph import OpFromGraph as OpFromGraph
    from weft_graph import Print as Print
    from weft_graph import ask as ask
    from weft_graph import assume as assume
    from weft_graph import checkpoint as checkpoint
    from weft_graph import custom_pullback as custom_pullback
    from weft_graph import dprint as dprint
    from weft_graph import explain as explain
    from weft_graph import function as function
    from weft_graph import grad as grad
    from weft_graph import pullback as pullback
    from weft_graph import pushforward as pushforward
    from weft_graph import rewrite_graph as rewrite_graph
    from weft_graph import set_breakpoint as set_breakpoint
    from weft_graph import stop_gradient as stop_gradient
    from weft_graph import to_html as to_html
    from weft_graph import to_text as to_text
    from weft_graph import tree_leaves as tree_leaves
    from weft_graph import tree_map as tree_map
    from weft_graph import value_and_grad as value_and_grad
    from weft_graph import wrap_py as wrap_py
    from weft_jax import wrap_jax as wrap_jax
    from weft_tensor import *
else:
    _NAMES = {
        "weft_graph": """
            Breakpoint FunctionGraph In Mode OpFromGraph Print ask assume checkpoint
            custom_pullback dprint explain function grad pullback pushforward rewrite_graph
            set_breakpoint stop_gradient to_html to_text tree_leaves tree_map
            value_and_grad wrap_py
        """,
    }
    _HOMES = {n: home for home, names in _NAMES.items() for n in names.split()}
    _BY_OTHERS = {
        "approx_max_k": "topk",
        "batch_matmul": "matmul",
        "bessel_i0e": "special.i0e",
        "bessel_i1e": "special.i1e",
        "broadcast_in_dim": "broadcast_to(expand_dims(x, axes), shape)",
        "broadcasted_iota": "broadcast_to(arange(n), shape)",
        "ceil_intdiv": "-(-a // b)",
        "char": "numpy.char: tensors are of numbers and bools alone",
        "checkify": "check_and_raise",
        "clamp": "clip(x, low, high)",
        "collapse": "join_dims",
        "cond": "ifelse, or linalg.cond",
        "conv": "nn.conv",
        "conv_general_dilated": "nn.conv",
        "conv_general_dilated_patches": "sliding_window_view",
        "constants": "scipy.constants, whose numbers expressions take",
        "convert_element_type": "x.astype",
        "cumlogsumexp": "associative_scan(logaddexp, x)",
        "custom_gradient": "custom_pullback",
        "custom_jvp": "custom_pullback",
        "custom_vjp": "custom_pullback",
        "debug": "print_value",
        "default": "ifelse",
        "dense_dot": "dot",
        "double": "float64",
        "dtype": "x.dtype, or a name such as 'float32'",
        "dot_general": "einsum",
        "dynamic_index_in_dim": "x[i]",
        "dynamic_slice": "x[i : i + n]",
        "dynamic_slice_in_dim": "x[i : i + n]",
        "dynamic_update_index_in_dim": "x[i].set(y)",
        "dynamic_update_slice": "x[i : i + n].set(y)",
        "dynamic_update_slice_in_dim": "x[i : i + n].set(y)",
        "erf_inv": "erfinv",
        "gather": "x[i, j]",
        "floating": "numpy.floating, for numpy.issubdtype(x.dtype, ...)",
        "float16": "float32",
        "half": "float32",
        "igamma": "gammainc",
        "igammac": "gammaincc",
        "index_in_dim": "x[i : i + 1]",
        "index_take": "x[i]",
        "int_": "int64",
        "integer": "numpy.integer, for numpy.issubdtype(x.dtype, ...)",
        "integer_pow": "x**n",
        "interpolate1d": "interp",
        "intp": "int64",
        "iota": "arange",
        "is_finite": "isfinite",
        "jacfwd": "jacobian(mode='forward')",
        "jacrev": "jacobian(mode='reverse')",
        "jit": "function",
        "jvp": "pushforward, or special.jvp",
        "lax": "scan, fori_loop, while_loop, or what is here by NumPy's name",
        "lgamma": "gammaln",
        "lib": "sliding_window_view",
        "linearize": "pushforward",
        "logistic": "sigmoid, or random.logistic",
        "ma": "where(mask, x, y), where= of sum, mean and others, or nansum and its kin",
        "make_jaxpr": "dprint",
        "math": "weft.tensor itself, which has these functions",
        "matrix_dot": "linalg.multi_dot",
        "ndarray": "TensorVariable",
        "ndenumerate": "indices, or map",
        "nditer": "map, or vmap",
        "ne": "neq",
        "optax": "optimize",
        "poly1d": "polyval(coefficients, x), or polynomial.Polynomial",
        "population_count": "bitwise_count",
        "PRNGKey": "random.key",
        "pure_callback": "wrap_py",
        "reduce_and": "all",
        "reduce_max": "max",
        "reduce_min": "min",
        "reduce_or": "any",
        "reduce_prod": "prod",
        "reduce_sum": "sum",
        "reduce_window": "nn.max_pool, nn.sum_pool, or sliding_window_view",
        "rem": "fmod",
        "remat": "checkpoint",
        "rev": "flip",
        "rearrange": "einops.rearrange",
        "rsqrt": "1 / sqrt(x)",
        "scalar_from_tensor": "x itself: scalars are tensors",
        "scatter": "x[i].set(y)",
        "scatter_add": "x[i].inc(y)",
        "scatter_max": "x[i].maximum(y)",
        "scatter_min": "x[i].minimum(y)",
        "scatter_mul": "x[i].mul(y)",
        "select_n": "where",
        "shift_left": "left_shift",
        "shift_right_arithmetic": "right_shift",
        "single": "float32",
        "slice_in_dim": "x[start:stop]",
        "sort_key_val": "keys[order] and values[order], where order = argsort(keys)",
        "specify_broadcastable": "specify_shape",
        "tensor6": "tensor(name, shape=(None,) * 6)",
        "tensor7": "tensor(name, shape=(None,) * 7)",
        "tensor_from_scalar": "x itself: scalars are tensors",
        "top_k": "topk",
        "tree": "tree_map",
        "tree_util": "tree_map",
        "uint": "uint64",
        "vjp": "pullback",
    }

    def _otherwise(name: str) -> object:
        if name.startswith("_"):  # asked for by tools, of each module: nothing was meant
            raise no_such_name(f"module {__name__!r}", name, {})
        if name != "wrap_jax":
            from weft_tensor import (
                cluster,
                distance,
                extend,
                fft,
                integrate,
                interpolate,
                linalg,
                ndimage,
                nn,
                optimize,
                random,
                signal,
                spatial,
                special,
            )

            homes = {n: f"weft.{n}" for n in weft_graph.__all__} | extend.names_by_numpy()
            homes |= {n: f"cluster.{n}" for n in cluster.__all__}
            homes |= {n: f"distance.{n}" for n in distance.__all__}
            homes |= {n: f"fft.{n}" for n in fft.__all__}
            homes |= {n: f"integrate.{n}" for n in integrate.__all__}
            homes |= {n: f"interpolate.{n}" for n in interpolate.__all__}
            homes |= {n: f"linalg.{n}" for n in linalg.__all__}
            homes |= {n: f"ndimage.{n}" for n in ndimage.__all__}
            homes |= {n: f"nn.{n}" for n in nn.__all__}
            homes |= {n: f"optimize.{n}" for n in optimize.__all__}
            homes |= {n: f"random.{n}" for n in random.__all__}
            homes |= {n: f"signal.{n}" for n in signal.__all__}
            homes |= {n: f"spatial.{n}" for n in spatial.__all__}
            homes |= {n: f"special.{n}" for n in special.__all__}
            homes |= _BY_OTHERS | {n: n for n in (*__getattr__("__all__"), "wrap_jax")}
            raise extend.unknown_name(__name__, name, homes, "numpy", "numpy.linalg", "numpy.fft")
        try:
            from weft_jax import wrap_jax
        except ModuleNotFoundError as error:
            if error.name != "weft_jax":
                raise
            problem = "wrap_jax needs the package weft-jax, which is not installed"
            raise ImportError(f"{problem}: pip install weft-jax") from None
        return wrap_jax

    __getattr__, __dir__ = imported_late(__name__, _HOMES, "weft_tensor", _otherwise)
