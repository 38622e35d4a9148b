"""Graphs whose edges are entries of a matrix: paths, parts, trees, Laplacians.

In: sparse matrices, or dense ones.
Out: distances, labels and matrices.
Next: `wt.sparse.csgraph`.
"""
