"""Points that fill a cube evenly, and how evenly points do.

In: lengths and keys, or points.
Out: points, and discrepancies.
Next: `wt.stats.qmc`.
"""
