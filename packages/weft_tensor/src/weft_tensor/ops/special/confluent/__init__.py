"""Kummer's confluent hypergeometric function, and its limit.

In: tensor variables, a function's arguments. Out: tensor variables, its values.
"""

from __future__ import annotations
