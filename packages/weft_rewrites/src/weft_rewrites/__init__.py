"""Weft's books of rewrite rules: canonical form, stability, algebra, shapes."""
