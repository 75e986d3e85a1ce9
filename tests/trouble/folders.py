"""What students and their programs do to files."""

import json
import os

from tiny import SCALE

from trouble import NOTHING, files, hand_in

FIRST = f"{SCALE}.ipynb"
NOT_THERE = "There is no notebook for this exercise in what was submitted."


@files(
    "renamed by the browser",
    notes=("graded from '1-scale (1).ipynb', for there is none of the exercise's name",),
)
def _(given, folder):
    hand_in(given, folder)
    (folder / FIRST).rename(folder / f"{SCALE} (1).ipynb")


@files(
    "in a subfolder",
    notes=("graded from 'hand in/mine [final]/1-scale.ipynb'",),
)
def _(given, folder):
    hand_in(given, folder)
    (folder / "hand in" / "mine [final]").mkdir(parents=True)
    (folder / FIRST).rename(folder / "hand in" / "mine [final]" / FIRST)


@files(
    "all in a subfolder",
    notes=("graded from 'first-steps/1-scale.ipynb'", "graded from 'first-steps/2-loss.ipynb'"),
)
def _(given, folder):
    (folder / "first-steps").mkdir()
    hand_in(given, folder / "first-steps")


@files("one notebook missing", NOTHING, says=(NOT_THERE,), notes=(NOT_THERE,))
def _(given, folder):
    del given[SCALE]
    hand_in(given, folder)


@files(
    "only a letter",
    NOTHING | {"loss-values": 0},
    says=(NOT_THERE,),
    notes=(NOT_THERE, "timestamp.txt holds no time"),
)
def _(given, folder):
    (folder / "timestamp.txt").write_text("yesterday; my watch stopped\n")
    (folder / "Dear Dr Größe.docx").write_bytes(b"PK\x03\x04")


@files("empty file", NOTHING, says=("The notebook file is empty.",), notes=("is empty",))
def _(given, folder):
    hand_in(given, folder)
    (folder / FIRST).write_bytes(b"")


@files(
    "cut off",
    NOTHING,
    says=("The notebook file cannot be read: it is cut off or damaged (line ",),
    notes=("it is cut off or damaged",),
)
def _(given, folder):
    hand_in(given, folder)
    text = (folder / FIRST).read_text()
    (folder / FIRST).write_text(text[: len(text) // 2])


@files(
    "cells of a wrong type",
    NOTHING,
    says=("The notebook file cannot be read: its list of cells is damaged.",),
    notes=("its list of cells is damaged",),
)
def _(given, folder):
    hand_in(given, folder)
    content = json.loads((folder / FIRST).read_text()) | {"cells": {"0": "def double"}}
    (folder / FIRST).write_text(json.dumps(content))


@files("byte-order mark and odd ids")
def _(given, folder):
    """As Windows' editors save it; with the ids and half characters of other programs."""
    hand_in(given, folder)
    content = json.loads((folder / FIRST).read_text())
    for number, cell in enumerate(content["cells"]):
        cell["id"] = ["same", "same", "ü [1].b", "x" * 99, "", 7, None][number % 7]
    content["cells"][-1]["source"] = ["My thoughts: \ud83d", " and \udc00.\r\n"]
    (folder / FIRST).write_text(json.dumps(content), encoding="utf-8-sig", newline="\r\n")


@files("notebook 4.4")
def _(given, folder):
    hand_in(given, folder)
    content = json.loads((folder / FIRST).read_text()) | {"nbformat_minor": 4}
    for cell in content["cells"]:
        del cell["id"]
    (folder / FIRST).write_text(json.dumps(content))


@files(
    "kernel from Windows",
    notes=(r"graded from 'C:\Users\Anna\1-scale.ipynb'",),
)
def _(given, folder):
    r"""From an archive that was made on Windows, and with a kernel that nobody else has."""
    given[SCALE].metadata["kernelspec"] = {
        "name": "conda-env-jax-py",
        "display_name": r"C:\Users\Anna\miniconda3\envs\jax",
        "language": "julia",
    }
    hand_in(given, folder)
    (folder / FIRST).rename(folder / rf"C:\Users\Anna\{FIRST}")


@files(
    "a link to another's work",
    NOTHING,
    says=("The notebook file is a link, and links are not followed.",),
    notes=("is a link, and links are not followed", "'data' is a link and was not followed"),
)
def _(given, folder):
    hand_in(given, folder)
    (folder / FIRST).unlink()
    (folder / FIRST).symlink_to(folder.parents[1] / "Doe, Jr" / folder.name / FIRST)
    (folder / "data").symlink_to("/etc")


@files(
    "huge file",
    NOTHING,
    says=("The notebook file is larger than 50 MiB, which is refused.",),
    notes=("is larger than 50 MiB",),
)
def _(given, folder):
    hand_in(given, folder)
    os.truncate(folder / FIRST, 51 * 2**20)


@files("a jax.py beside it")
def _(given, folder):
    """Modules that would stand in for ours, were the grader to import anything from here."""
    hand_in(given, folder)
    for name in ("jax", "jaxercise", "numpy", "scales", "sitecustomize", "conftest"):
        (folder / f"{name}.py").write_text("raise SystemExit('imported from a submission')\n")
    (folder / "pytest.ini").write_text("[pytest]\naddopts = --collect-only\n")


@files("a forged time", notes=("timestamp.txt says 2020-01-01 00:00 UTC, but ",))
def _(given, folder):
    hand_in(given, folder)
    (folder / "timestamp.txt").write_text("2020-01-01 00:00:00 UTC\n")
