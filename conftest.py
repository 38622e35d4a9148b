"""Every Python example in the documentation runs as a test, with one namespace per page."""

import os
from doctest import ELLIPSIS

from sybil import Sybil
from sybil.parsers.myst import DocTestDirectiveParser, PythonCodeBlockParser, SkipParser

os.environ["WEFT_CACHE_DIR"] = "off"  # tests compile, and write nothing into the user's cache

collect_ignore = ["docs/conf.py", "docs/_build"]

pytest_collect_file = Sybil(
    parsers=[
        PythonCodeBlockParser(doctest_optionflags=ELLIPSIS),
        DocTestDirectiveParser(optionflags=ELLIPSIS),
        SkipParser(),
    ],
    patterns=["README.md", "docs/*.md", "docs/*/*.md"],
).pytest()
