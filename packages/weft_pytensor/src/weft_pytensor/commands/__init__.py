"""Users' files and models come in, tables and changed files go out: `python -m weft_pytensor`."""
