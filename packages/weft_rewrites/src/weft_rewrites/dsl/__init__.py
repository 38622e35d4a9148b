"""How rules are written: equations, conditions under which they hold, what rules are given.

In: expressions over wildcards.
Out: rules.
Next: `ops`.
"""
