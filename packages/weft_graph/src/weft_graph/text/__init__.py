"""Graphs as text, and names that were misspelt.

In: function graphs, or their text.
Out: text, or function graphs.
Next: `autodiff`.
"""
