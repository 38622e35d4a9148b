"""Peaks of signals.

In: vectors.
Out: indices, as many as there are peaks, and what is measured of these.
Next: rules and backends, which know nothing of peaks.
"""
