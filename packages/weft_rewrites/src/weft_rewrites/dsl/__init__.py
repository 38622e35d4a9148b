"""How rules are written: equations, and the conditions under which they hold.

In: expressions over wildcards.
Out: rules.
Next: `ops`.
"""
