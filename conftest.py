"""Every Python example in the documentation runs as a test, with one namespace per page."""

from doctest import ELLIPSIS

from sybil import Sybil
from sybil.parsers.myst import DocTestDirectiveParser, PythonCodeBlockParser, SkipParser

collect_ignore = ["docs/conf.py", "docs/_build"]

pytest_collect_file = Sybil(
    parsers=[
        PythonCodeBlockParser(doctest_optionflags=ELLIPSIS),
        DocTestDirectiveParser(optionflags=ELLIPSIS),
        SkipParser(),
    ],
    patterns=["README.md", "docs/*.md", "docs/*/*.md"],
).pytest()
