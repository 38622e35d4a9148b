"""What tensors in a graph are: variables with an array's methods, and the base of their Ops.

In: `TensorType`s, and values that are to be tensors.
Out: `TensorVariable`s.
Next: `ops`.
"""
