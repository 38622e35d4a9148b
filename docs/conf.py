"""How Sphinx builds the documentation."""

from importlib.metadata import version as installed_version

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

myst_enable_extensions = ["dollarmath", "deflist"]
myst_heading_anchors = 3

autodoc_default_options = {"members": True, "show-inheritance": True}
autodoc_member_order = "groupwise"
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
