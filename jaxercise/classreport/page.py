"""Writes a class report as one page that needs no network, no script and no other file.

Names and messages come from students: all of it is escaped. It must not count anything itself.
"""

import re
import time
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from jaxercise.classreport.data import ClassReport
from jaxercise.matching import writable
from jaxercise.report import points

# By theme: text and marks against "page" and "panel". A test works out the contrasts.
COLOURS = {
    "light": {
        "page": "#ffffff",
        "panel": "#f3f5f8",
        "ink": "#1b1f24",
        "soft": "#505962",
        "line": "#c9d0d8",
        "passed": "#1f63c4",
        "lost": "#b8470f",
        "unwritten": "#767f89",
        "warn": "#8a3b00",
    },
    "dark": {
        "page": "#15181c",
        "panel": "#1f242a",
        "ink": "#e8ebee",
        "soft": "#aab3bd",
        "line": "#3d454e",
        "passed": "#6ea8ff",
        "lost": "#ff9a57",
        "unwritten": "#8e98a3",
        "warn": "#ffb27d",
    },
}
LONGEST = 600  # characters of a message; what a student raised can be of any length
NOT_IN_HTML = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\x80-\x9f\ufffe\uffff]")


def page(report: ClassReport) -> str:
    """The whole page."""
    made = time.strftime("%Y-%m-%d %H:%M")
    return _template().render(report=report, colours=COLOURS, made=made)


@cache
def _template() -> Any:
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=lambda value: _plain(value) if type(value) is str else value,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"points": points, "percent": percent, "prose": prose}
    return environment.get_template("page.html")


def _plain(text: str) -> str:
    """Text without characters that no page may hold; half a character cannot be written at all."""
    return NOT_IN_HTML.sub("\N{REPLACEMENT CHARACTER}", writable(text))


def percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def prose(text: str) -> Markup:
    """A message as students read it, in which `code` is set as code."""
    text = _plain(text if len(text) <= LONGEST else f"{text[:LONGEST]} …")
    parts = re.split(r"`([^`]+)`", text)
    return Markup().join(
        Markup("<code>{}</code>").format(part) if number % 2 else escape(part)
        for number, part in enumerate(parts)
    )
