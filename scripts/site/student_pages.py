"""What Sphinx does not do by itself: formulas without script, JupyterLab's anchors, texts for
pictures.

It must not know the names of lessons or pages.
"""

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.writers.html5 import HTML5Translator

log = logging.getLogger(__name__)


def jupyterlab_anchor(heading: str) -> str:
    """The id that JupyterLab gives to a heading: its text with hyphens for spaces."""
    return heading.replace(" ", "-")


def mathml(formula: nodes.Element, display: str) -> str:
    """A formula as MathML, which browsers draw themselves, and read aloud."""
    latex = formula.astext()
    try:
        markup = convert(latex, display=display)
    except Exception as error:  # the converter raises many kinds
        log.warning("this formula cannot be read: %s (%r)", latex, error, location=formula)
        return ""
    if "\\" in markup:  # what the converter does not know, it leaves as it is
        log.warning("this formula has a command that is not known: %s", latex, location=formula)
    return markup


def visit_inline(translator: HTML5Translator, node: nodes.math) -> None:
    translator.body.append(mathml(node, "inline"))
    raise nodes.SkipNode


def visit_block(translator: HTML5Translator, node: nodes.math_block) -> None:
    translator.body.append(f'<div class="formula">{mathml(node, "block")}</div>\n')
    raise nodes.SkipNode


def describe_pictures(app: Sphinx, document: nodes.document) -> None:
    """Give each picture that a cell drew a text, if its author did not.

    Authors write it into the metadata of the cell: {"mystnb": {"image": {"alt": "..."}}}.
    """
    for container in document.findall(nodes.container):
        if "cell_output" in container["classes"]:
            for picture in container.findall(nodes.image):
                picture.setdefault("alt", "Picture drawn by the code above")


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_html_math_renderer("mathml", (visit_inline, None), (visit_block, None))
    app.connect("doctree-read", describe_pictures)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
