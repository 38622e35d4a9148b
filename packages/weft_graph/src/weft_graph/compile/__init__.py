"""From expressions to a function that users call.

In: inputs, outputs, a mode.
Out: a `Function`.
Next: none: users.
"""
