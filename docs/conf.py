"""How Sphinx makes the site: ``make docs``."""

import sys
from pathlib import Path

import tonmf

sys.path.insert(0, str(Path(__file__).parent / "_extensions"))

project = "tonmf"
author = "The tonmf developers"
project_copyright = author
version = release = tonmf.__version__
language = "en"

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "numpydoc",
    "sphinx_design",
    "sphinx_copybutton",
    "blocks",
    "live",
    "mathml",
    "outside",
    "pages",
    "python_reference",
    "command_reference",
]
exclude_patterns = ["_build", "_extensions"]

myst_enable_extensions = ["attrs_inline", "colon_fence", "dollarmath"]
myst_heading_anchors = 4
highlight_language = "none"
smartquotes = False
html_math_renderer = "mathml"

# Names in single backticks are links where the reference knows them, and code where it does not.
default_role = "py:obj"
nitpick_ignore_regex = [("py:obj", ".*"), ("py:class", r"tonmf\.plots\.accessors\..*")]
autodoc_member_order = "groupwise"
autodoc_typehints = "none"
toc_object_entries_show_parents = "hide"
numpydoc_show_class_members = False

html_theme = "pydata_sphinx_theme"
html_title = "tonmf"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_js_files = ["site.js"]
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
html_sidebars = {"index": [], "start": []}
html_context = {"default_mode": "auto"}
html_theme_options = {
    "header_links_before_dropdown": 7,
    "navigation_depth": 3,
    "show_toc_level": 2,
    "navbar_align": "left",
    "navbar_persistent": ["search-button"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
copybutton_only_copy_prompt_lines = True
copybutton_remove_prompts = True
