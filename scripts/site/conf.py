"""What Sphinx is told about the website of the course.

It must not know the names of lessons or pages: `build.py` finds them. Nothing here may make
a page load from another host; `tests/test_site.py` looks.
"""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))  # for student_pages.py

project = "Jaxercise"
language = "en"
extensions = ["myst_nb", "student_pages"]
exclude_patterns = ["downloads"]

html_theme = "furo"
html_theme_options = {
    # links are told from text by more than their colour; ANSI colours that can be read (site.css)
    "light_css_variables": {
        "color-link-underline": "var(--color-link)",
        "ansi-black": "#1f1f1f",
        "ansi-red": "#b3261e",
        "ansi-green": "#1a6f1a",
        "ansi-yellow": "#755800",
        "ansi-blue": "#0b5cad",
        "ansi-magenta": "#9c2698",
        "ansi-cyan": "#006472",
        "ansi-white": "#595959",
    },
    "dark_css_variables": {
        "ansi-black": "#a0a0a0",
        "ansi-red": "#f28b82",
        "ansi-green": "#57c878",
        "ansi-yellow": "#e3c34a",
        "ansi-blue": "#6cb2ff",
        "ansi-magenta": "#e58fdd",
        "ansi-cyan": "#60c6c8",
        "ansi-white": "#e6e6e6",
    },
}
pygments_dark_style = "a11y-high-contrast-dark"
html_title = "Jaxercise"
templates_path = [str(HERE / "templates")]
html_static_path = [str(HERE / "static")]
html_css_files = ["site.css"]
html_show_copyright = False
html_show_sourcelink = False
html_copy_source = False
html_use_index = False
html_math_renderer = "mathml"

# Links like `0-lesson.ipynb#Keys-and-randomness` are written for JupyterLab, and found here too.
myst_heading_anchors = 6
myst_heading_slug_func = "student_pages.jupyterlab_anchor"
myst_enable_extensions = ["dollarmath", "amsmath"]

# `build.py` switches this off for exercises, whose answers are missing.
nb_execution_mode = "force"
nb_execution_timeout = 600  # seconds a cell
nb_execution_show_tb = True  # an error in a cell is a warning, and a warning fails the build
nb_merge_streams = True
nb_ipywidgets_js = {}  # MyST-NB would take them from another host
