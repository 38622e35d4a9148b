"""Checks for those who write Ops, rules and linkers for Weft."""
