"""Tables of what becomes of expressions, in Weft and elsewhere: right digits, Ops left."""
