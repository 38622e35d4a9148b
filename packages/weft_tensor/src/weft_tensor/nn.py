"""Layers and activations of networks: `wt.nn`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NoReturn

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

_LAYERS: Final = {
    name: advice
    for names, advice in {
        "Dense Linear": "x @ W + b, with W from initializers.glorot_uniform(key, (n, m))",
        "Conv1d Conv2d Conv3d": "conv(x, w, strides=..., padding=...)",
        "ConvTranspose ConvTranspose1d ConvTranspose2d": "conv_transpose(x, w)",
        "BatchNorm BatchNorm1d BatchNorm2d": "(x - x.mean(0)) / sqrt(x.var(0) + eps)",
        "GRU GRUCell LSTM LSTMCell RNN SimpleCell": "loop.scan(cell, state, xs)",
        "AvgPool1d AvgPool2d": "avg_pool(x, window)",
        "MaxPool1d MaxPool2d": "max_pool(x, window)",
        "Module Sequential compact": "def model(parameters, x): ...",
        "Param Parameter Variable": "weft.tensor's matrix, or shared(value)",
        "CrossEntropyLoss": "-log_softmax(z, axis=-1)[arange(n), labels].mean()",
        "BCEWithLogitsLoss": "(softplus(z) - y * z).mean()",
        "MSELoss": "((x - y) ** 2).mean()",
        "Dropout": "dropout(key, x, rate)",
        "Embed Embedding": "embedding(x, weight)",
        "Flatten": "x.reshape((x.shape[0], -1))",
        "LayerNorm": "layer_norm(x, weight, bias)",
        "RMSNorm": "rms_norm(x, weight)",
        "MultiHeadAttention MultiheadAttention": "dot_product_attention(query, key, value)",
        "GELU": "gelu(x)",
        "ReLU": "relu(x)",
        "SiLU": "silu(x)",
        "Sigmoid": "sigmoid(x)",
        "Softmax": "softmax(x, axis=-1)",
        "Tanh": "tanh(x)",
        "functional": "weft.tensor.nn itself",
    }.items()
    for name in names.split()
}
"""What to write for what PyTorch and Flax have as classes."""

if not TYPE_CHECKING:

    def __getattr__(name: str) -> NoReturn:
        homes = {n: n for n in __all__} | {n: f"initializers.{n}" for n in initializers.__all__}
        if name in _LAYERS:
            raise AttributeError(
                f"module {__name__!r} has no {name}: layers are functions, of parameters that are "
                f"tensors: write {_LAYERS[name]}"
            )
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
