"""What users hold: variables with an array's methods, makers of inputs, state.

In: what users write.
Out: tensor variables.
Next: `facts`.
"""
