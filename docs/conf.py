"""How Sphinx builds the documentation."""

from importlib.metadata import version as installed_version

from docutils.nodes import document
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx

project = "Weft"
author = "Weft developers"
project_copyright = "2026, Weft developers"
version = release = installed_version("weft")

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
    "sphinx_copybutton",
]
exclude_patterns = ["_build"]
default_role = "code"
html_theme = "furo"
html_title = "Weft"
# Sphinx copies the contents of all pages into each, those of modules too: with an entry for each
# function of the reference, that would take more than half of the time.
toc_object_entries = False

myst_enable_extensions = ["dollarmath", "deflist"]
myst_heading_anchors = 3

autodoc_default_options = {"members": True, "show-inheritance": True}
autodoc_member_order = "groupwise"
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

# Annotations also name what has no entry in this documentation: the standard library, NumPy, type
# aliases, and private classes by the module that they are defined in.
nitpick_ignore_regex = [
    (r"py:(class|obj|exc)", r"(?!weft).*"),
    (r"py:(class|obj)", r"weft_\w+\.\w+\..*"),
]


def skip_foreign(
    app: Sphinx, what: str, name: str, value: object, skip: bool, options: object
) -> bool | None:
    """Leave out functions of other libraries that classes hold, with their documentation."""
    module = getattr(value, "__module__", None)
    foreign = callable(value) and isinstance(module, str) and not module.startswith("weft")
    return True if foreign else None


def name_exactly(app: Sphinx, page: document) -> None:
    """Have Sphinx not look for names with their module among the ends of all names."""
    for reference in page.findall(pending_xref):
        if "." in reference["reftarget"]:
            reference.attributes.pop("refspecific", None)  # that it is there counts, even as False


def setup(app: Sphinx) -> None:
    """Connect what autodoc asks for."""
    app.connect("autodoc-skip-member", skip_foreign)
    app.connect("doctree-read", name_exactly)
