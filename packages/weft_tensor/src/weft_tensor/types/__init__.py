"""What is known of an array: dtype, lengths, symbolic dimensions.

In: dtypes, shapes and values.
Out: `TensorType`s.
Next: `build`.
"""
