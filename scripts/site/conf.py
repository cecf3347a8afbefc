"""What Sphinx reads: the pages that stage.py wrote into its folder, and nothing of the network."""

import json
from pathlib import Path

SITE = json.loads((Path(__file__).parent / "site.json").read_text(encoding="utf-8"))

project = "Park"
author = "The Park authors"
copyright = "The Park authors"
version = release = SITE["version"]
extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["extra"]
myst_heading_anchors = 6
myst_enable_extensions = []
# Code blocks of our own kinds: the words behind ```json are names of files for the tests.
suppress_warnings = ["myst.header", "ref.python"]
smartquotes = False
html_use_index = False
html_domain_indices = False
html_theme = "furo"
html_title = f"Park {SITE['version']}"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_extra_path = ["extra"]
html_copy_source = True
html_sourcelink_suffix = ""
# Summaries of a search would be read by requests, which browsers refuse for files.
html_show_search_summary = False
html_show_sphinx = False
html_last_updated_fmt = None
pygments_style = "friendly"
pygments_dark_style = "github-dark"
