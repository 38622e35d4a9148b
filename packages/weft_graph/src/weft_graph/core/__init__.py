"""The graph itself: types, Ops, variables, function graphs, as values.

In: calls of Types and Ops.
Out: variables, and `FunctionGraph`s of them.
Next: `text`, which writes and reads them.
"""
