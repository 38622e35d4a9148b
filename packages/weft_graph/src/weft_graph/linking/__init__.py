"""From a rewritten graph to what runs: the linkers' base, Python's linker, the call.

In: a `CompileRequest`: a graph, and what is applied to it.
Out: a `CompiledGraph`: something to run, and the entry of a call.
Next: `pictures`.
"""
