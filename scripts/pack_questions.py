"""Write source/intro-to-jax/questions.json, which students get, from scripts/questions.toml.

Run it with ``python scripts/pack_questions.py`` after every change to the questions. Questions and
options stay readable. The right letter becomes a fingerprint, and each explanation is scrambled
with its own option's letter. So nobody sees an answer by accident; it is obfuscation and protects
nothing, for ``quiz.py`` undoes it. This script must not know what the questions are about.
"""

import json
import sys
import tomllib
from dataclasses import asdict, replace
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "scripts" / "questions.toml"
FOLDER = ROOT / "source" / "intro-to-jax"
sys.path.insert(0, str(FOLDER))

import quiz  # noqa: E402

NOTE = "Answers are obfuscated, not protected. Made by scripts/pack_questions.py; do not edit."


def written() -> tuple[quiz.Question, ...]:
    """The questions as we write them, with answers and explanations in plain text."""
    questions = quiz.questions_in(tomllib.loads(SOURCE.read_text(encoding="utf-8")))
    return tuple(map(_stripped, questions))


def _stripped(question: quiz.Question) -> quiz.Question:
    """Line breaks of the file mean nothing at the ends of a text or within an explanation."""
    options = {
        letter: replace(option, why=" ".join(option.why.split()))
        for letter, option in question.options.items()
    }
    return replace(question, text=question.text.strip(), options=options)


def packed(question: quiz.Question) -> quiz.Question:
    """The question as it is stored."""
    options = {
        letter: replace(option, why=quiz.scrambled(option.why, question.id, letter))
        for letter, option in question.options.items()
    }
    return replace(question, right=quiz.fingerprint(question.id, question.right), options=options)


if __name__ == "__main__":
    content = {"note": NOTE, "questions": [asdict(packed(question)) for question in written()]}
    text = json.dumps(content, indent=1, ensure_ascii=False) + "\n"
    quiz.STORED.write_text(text, encoding="utf-8")
    print(f"wrote {quiz.STORED.name}: {len(content['questions'])} questions")
