"""What a notebook prints and draws: capped while it is read, and cleaned of script before anyone
looks at it.

It must not know checks or points.
"""

import json
from typing import Any

import bleach
from bleach.css_sanitizer import ALLOWED_CSS_PROPERTIES, CSSSanitizer
from nbclient import NotebookClient
from nbconvert.filters import strip_files_prefix
from nbformat import NotebookNode
from nbformat.v4 import new_output

PIECE_BYTES = 1_000  # what an output takes beyond its content, in a notebook and on a page
KEPT_DATA = {"text/plain", "text/html", "text/markdown", "text/latex", "image/png", "image/jpeg"}
SHOWN = {"stream", "display_data", "execute_result", "error", "update_display_data"}


class CappedClient(NotebookClient):
    """nbclient, with an end to how much output it keeps and no widgets."""

    def __init__(self, notebook: NotebookNode, output_bytes: int, **kwargs: Any):
        super().__init__(notebook, **kwargs)
        self.left = self.output_bytes = output_bytes

    def process_message(
        self, msg: dict[str, Any], cell: NotebookNode, cell_index: int
    ) -> NotebookNode | None:
        if msg["msg_type"] in SHOWN:
            if self.left <= 0:
                return None
            msg = self._within_cap(_as_text(msg))
            if self.left <= 0:
                shown = super().process_message(msg, cell, cell_index)
                text = (
                    f"[Output was cut here: all of a notebook's output together may be "
                    f"{self.output_bytes / 2**20:g} MiB.]\n"
                )
                cell.outputs.append(new_output("stream", name="stdout", text=text))
                return shown
        return super().process_message(msg, cell, cell_index)

    def output(self, outs: list, msg: dict, display_id: str | None, cell_index: int) -> Any:
        """Keep text, pictures and tables; script and other programs for a browser are dropped."""
        made = super().output(outs, msg, display_id, cell_index)
        if made is not None and "data" in made:
            made.data = {
                kind: value
                for kind, value in made.data.items()
                if kind in KEPT_DATA and isinstance(value, str)
            }
        return made

    def _within_cap(self, msg: dict[str, Any]) -> dict[str, Any]:
        """The message, its text cut or its data left out where it would pass the cap."""
        content = msg["content"]
        size = PIECE_BYTES + _size(content)
        over = size - self.left
        self.left -= size
        if over <= 0:
            return msg
        if msg["msg_type"] == "stream":
            kept = {**content, "text": str(content["text"])[: max(0, self.left + size)]}
        elif msg["msg_type"] == "error":
            kept = {**content, "evalue": str(content["evalue"])[:1000], "traceback": []}
        else:
            kept = {**content, "data": {"text/plain": "[not shown]"}, "metadata": {}}
        return {**msg, "content": kept}

    def handle_comm_msg(self, outs: list, msg: dict[str, Any], cell_index: int) -> None:
        """Widgets keep state and catch output; nobody can press them here."""


def _as_text(msg: dict[str, Any]) -> dict[str, Any]:
    """The message with text where a notebook has text: a kernel may send anything."""
    content = {
        name: [str(line) for line in value] if name == "traceback" else str(value)
        for name, value in msg["content"].items()
        if name in ("text", "name", "ename", "evalue", "traceback")
    }
    return {**msg, "content": {**msg["content"], **content}}


def _size(content: Any) -> int:
    if isinstance(content, str):
        return len(content)
    return len(json.dumps(content, default=str))


def join_streams(outputs: list[NotebookNode]) -> list[NotebookNode]:
    """One output for all that was printed, and of progress lines the last state.

    nbclient can do it, but takes minutes for one line of a megabyte.
    """
    joined: list[NotebookNode] = []
    streams: dict[str, NotebookNode] = {}
    for output in outputs:
        if output.output_type == "stream" and output.name in streams:
            streams[output.name].text += output.text
        else:
            joined.append(output)
            if output.output_type == "stream":
                streams[output.name] = output
    for stream in streams.values():
        lines = stream.text.replace("\r\n", "\n").split("\n")
        stream.text = "\n".join(line.rstrip("\r").rpartition("\r")[2] for line in lines)
    return joined


def clean_html(html: Any) -> str:
    """Plain HTML without script, forms, frames or addresses that run something.

    Templates of feedback pages and of formgrader call it (``nbgrader_config.py``) on rendered
    Markdown and on HTML outputs; theirs would take headings and paragraphs out, too.
    """
    return bleach.clean(
        html.decode() if isinstance(html, bytes) else str(html),
        tags=TAGS,
        attributes=_is_allowed,
        protocols={"http", "https", "mailto", "data"},
        css_sanitizer=CSSSanitizer(ALLOWED_CSS_PROPERTIES | SPACING),
    )


def clean_markdown(html: str) -> str:
    """Rendered Markdown as nbconvert's filter leaves it, cleaned.

    nbgrader's templates, of feedback and of formgrader, render Markdown cells without cleaning.
    Their style also takes the triangle off what is folded, which would look like plain text.
    """
    return clean_html(strip_files_prefix(html).replace("<summary>", f"<summary {OPENS}>"))


TEXT_TAGS = "p br hr h1 h2 h3 h4 h5 h6 pre div span sub sup s del ins kbd samp var small u mark"
LIST_TAGS = "dl dt dd table caption colgroup col thead tbody tfoot tr th td details summary img"
TAGS = bleach.ALLOWED_TAGS | {*TEXT_TAGS.split(), *LIST_TAGS.split()}
SPACING = {"margin", "padding"}  # of the table that says what the checks found
OPENS = 'style="display: list-item; cursor: pointer"'
ATTRIBUTES = {"class", "id", "style", "title", "align", "colspan", "rowspan", "alt", "width"}


def _is_allowed(tag: str, name: str, value: str) -> bool:
    if name == "src":  # pictures that are part of the page; others would tell who reads it
        return tag == "img" and value.startswith(("data:image/png", "data:image/jpeg"))
    if name == "href":
        return tag == "a" and not value.strip().lower().startswith("data:")
    return name in ATTRIBUTES
