"""Watching: traces, counts, verification, profiles, contracts of Ops.

In: what rewriting and linking tell.
Out: logs, tables and findings.
Next: `compile`.
"""
