"""Graphs with more leading axes: a rule for each kind of Op, and what is made by them.

In: variables of a graph, and others of higher rank to stand in their places.
Out: the same expressions for whole batches; Jacobians and Hessians.
Next: `facts`.
"""
