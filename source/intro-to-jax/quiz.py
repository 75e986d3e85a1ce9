"""The lesson's self-check: twelve questions in which you predict what JAX does.

    from quiz import answer, answered, ask

    ask(1)            # shows the question and its options
    answer(1, "b")    # says whether b is right, and why or why not
    answered()        # how many were right at the first try

Snippets take ``import jax`` and ``import jax.numpy as jnp`` for granted, so you can paste and run
them; predict first. Nothing is marked, sent or stored: tries are counted until Python ends.

This module knows no answer. ``questions.json`` keeps answers and explanations out of sight, so
that nobody reads one by accident. That is obfuscation, not security: whoever wants to undo it can,
with what stands below.
"""

import base64
import hashlib
import json
import re
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from textwrap import indent
from typing import Any

try:
    from IPython.display import display
except ImportError:  # plain Python does as well
    display: Callable[[object], object] = print  # type: ignore[no-redef]

STORED = Path(__file__).with_name("questions.json")
LENGTH = 256  # bytes of a stored explanation, lest a long one stand out
FIRST_TRIES: dict[str, bool] = {}  # number of a question: was the first try right?


@dataclass(frozen=True)
class Option:
    """What one can choose, and why it is right or what it misunderstands (stored scrambled)."""

    text: str
    why: str


@dataclass(frozen=True)
class Question:
    """A question, its options by letter, and which is right (stored as a fingerprint)."""

    id: str
    text: str
    right: str
    options: dict[str, Option]


@dataclass(frozen=True, repr=False)
class Page:
    """Markdown: a notebook renders it, everything else prints it as text."""

    markdown: str

    def _repr_markdown_(self) -> str:
        return self.markdown

    def __repr__(self) -> str:
        def code(block: re.Match[str]) -> str:
            return indent(block[1], "    ").rstrip()

        text = re.sub(r"```\w*\n(.*?)```", code, self.markdown, flags=re.DOTALL)
        return re.sub(r"^\*\*(.+?)\*\*", r"\1", text, flags=re.MULTILINE)


def ask(number: int) -> None:
    """Show question ``number``, 1 to 12, with its four options."""
    name, question = _find(number)
    if question is None:
        return _show(_no_such_question(number))
    options = [f"**{letter})** {option.text}" for letter, option in question.options.items()]
    title = f"**Question {name} of {len(_stored())}**"
    _show("\n\n".join([title, question.text, *options, f'Your choice: `answer({name}, "...")`']))


def answer(number: int, choice: str) -> None:
    """Say whether option ``choice`` of question ``number`` is right, and why or why not."""
    name, question = _find(number)
    if question is None:
        return _show(_no_such_question(number))
    letter = str(choice).strip(" ().").lower()
    if letter not in question.options:
        letters = ", ".join(question.options)
        return _show(f'Choose one of the letters {letters}, as in `answer({name}, "a")`.')
    right = question.right == fingerprint(question.id, letter)
    FIRST_TRIES.setdefault(name, right)
    why = revealed(question.options[letter].why, question.id, letter)
    verdict = "right." if right else "not right."
    _show(
        f"**Question {name}, {letter}: {verdict}** {why}"
        + ("" if right else f'\n\nThink again and try another: `answer({name}, "...")`')
    )


def answered() -> None:
    """Print how many questions were answered right at the first try."""
    names = [str(number) for number in range(1, len(_stored()) + 1)]
    left = [name for name in names if name not in FIRST_TRIES]
    print(f"{sum(FIRST_TRIES.values())} of {len(names)} right at the first try.")
    if left:
        print(f"Not tried yet: {', '.join(left)}.")


def _find(number: object) -> tuple[str, Question | None]:
    name = str(number).strip()
    return name, dict(zip(map(str, range(1, len(_stored()) + 1)), _stored())).get(name)


def _no_such_question(number: object) -> str:
    return f"There is no question {number}. They have the numbers 1 to {len(_stored())}: `ask(1)`."


def _show(markdown: str) -> None:
    display(Page(markdown))


@cache
def _stored() -> tuple[Question, ...]:
    return questions_in(json.loads(STORED.read_text(encoding="utf-8")))


def questions_in(data: dict[str, Any]) -> tuple[Question, ...]:
    """The questions in a file's content; they are laid out alike as written and as stored."""
    return tuple(
        Question(**{**q, "options": {key: Option(**o) for key, o in q["options"].items()}})
        for q in data["questions"]
    )


def fingerprint(question_id: str, letter: str) -> str:
    """What is stored instead of the right letter."""
    return hashlib.sha256(f"jaxercise:{question_id}:{letter}".encode()).hexdigest()


def scrambled(why: str, question_id: str, letter: str) -> str:
    """An explanation as it is stored: nobody reads it without trying its option."""
    data = zlib.compress(why.encode(), 9).ljust(LENGTH, b"\0")
    return base64.b64encode(_mask(data, question_id, letter)).decode()


def revealed(stored: str, question_id: str, letter: str) -> str:
    """Undo ``scrambled``."""
    data = _mask(base64.b64decode(stored), question_id, letter)
    return zlib.decompressobj().decompress(data).decode()  # which ignores what was filled up


def _mask(data: bytes, question_id: str, letter: str) -> bytes:
    pad = hashlib.shake_256(f"{question_id}:{letter}".encode()).digest(len(data))
    return bytes(a ^ b for a, b in zip(data, pad))
