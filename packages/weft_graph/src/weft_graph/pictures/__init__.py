"""Graphs, and what rewriting did to them, drawn.

In: function graphs and traces.
Out: pages, SVG, dot and Mermaid.
Next: `observe`.
"""
