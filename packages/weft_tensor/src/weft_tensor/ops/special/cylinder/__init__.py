"""Functions by the names of cylinders: Bessel's of the second kind, and those next to them.

In: tensor variables, a function's arguments. Out: tensor variables, its values.
"""

from __future__ import annotations
