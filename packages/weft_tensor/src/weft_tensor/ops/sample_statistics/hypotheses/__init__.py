"""Further tests of hypotheses: by ranks, of several samples, of tables, of many tests together.

In: observations, counts, probabilities.
Out: statistics and probabilities.
Next: rules and backends, which know nothing of tests.
"""
