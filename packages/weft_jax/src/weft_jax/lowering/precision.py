"""How many digits of its factors a product keeps: GPUs and TPUs can be faster with fewer."""

from __future__ import annotations

from typing import Any, Literal

import jax

__all__ = ["of_products"]


def of_products() -> Literal["highest"] | None:
    """All, unless JAX was told otherwise: None is what `jax.default_matmul_precision` says.

    >>> of_products()
    'highest'
    >>> with jax.default_matmul_precision("tensorfloat32"):
    ...     print(of_products())
    None
    """
    config: Any = jax.config
    return "highest" if config.jax_default_matmul_precision is None else None
