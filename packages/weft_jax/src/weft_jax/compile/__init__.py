"""From a planned graph to what `jax.jit` compiles.

In: a graph and its plan.
Out: a program that JAX traces.
Next: `runtime`.
"""
