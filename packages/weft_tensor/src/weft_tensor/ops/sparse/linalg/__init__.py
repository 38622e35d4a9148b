"""Linear algebra by products with a matrix, which may be dense, sparse, or a function.

In: matrices, `LinearOperator`s and vectors.
Out: solutions, eigenvalues and products, as tensors.
Next: `wt.sparse.linalg`.
"""
