"""Layers and activations of networks: `wt.nn`."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from weft_tensor.front.keywords import take_keywords
from weft_tensor.front.unknown_name import unknown_name
from weft_tensor.ops.elementwise.exponential import sigmoid, softplus
from weft_tensor.ops.elementwise.trigonometric import tanh
from weft_tensor.ops.nn import activations, initializers
from weft_tensor.ops.nn.activations import *
from weft_tensor.ops.nn.conv import Conv
from weft_tensor.ops.nn.layers import conv, conv_transpose
from weft_tensor.ops.nn.pooling import avg_pool, max_pool, sum_pool
from weft_tensor.ops.nn.transformer import (
    dot_product_attention,
    dropout,
    embedding,
    layer_norm,
    rms_norm,
    scaled_dot_product_attention,
)
from weft_tensor.ops.reduction.logsumexp_softmax import logsumexp

if not TYPE_CHECKING:

    def __getattr__(name: str) -> NoReturn:
        homes = {n: n for n in __all__} | {n: f"initializers.{n}" for n in initializers.__all__}
        raise unknown_name(__name__, name, homes)


__all__ = [
    *activations.__all__,
    "Conv",
    "avg_pool",
    "conv",
    "conv_transpose",
    "dot_product_attention",
    "dropout",
    "embedding",
    "initializers",
    "layer_norm",
    "logsumexp",
    "max_pool",
    "rms_norm",
    "scaled_dot_product_attention",
    "sigmoid",
    "softplus",
    "sum_pool",
    "tanh",
]

take_keywords(globals())
