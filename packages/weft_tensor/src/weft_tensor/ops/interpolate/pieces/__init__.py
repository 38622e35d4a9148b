"""Curves of polynomials between knots, by their coefficients.

In: coefficients of pieces, knots.
Out: curves.
Next: rules and backends, which know nothing of curves.
"""
