"""A student's notebooks are found and read in whatever state they are, or refused with a reason."""

import json
import os
from copy import deepcopy
from datetime import UTC, datetime

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from jaxercise import likeness, reading, submissions
from jaxercise.course import nbgrader_metadata, read_notebook
from jaxercise.restore import restore
from jaxercise.submissions import NOT_SUBMITTED, doubtful_time, find, handed_in, read

FIRST, SECOND = "1-dropout-keys", "2-per-example-grads"
ANSWER = "def dropout(key, x, rate): return x"


@pytest.fixture(scope="module")
def lesson(the_course):
    (lesson,) = the_course.lessons
    return lesson


@pytest.fixture(scope="module")
def release(the_course, lesson):
    folder = the_course.root / "release" / lesson.name
    return {e.name: read_notebook(folder / f"{e.name}.ipynb") for e in lesson.exercises}


@pytest.fixture
def first(release):
    """The first exercise with one answer."""
    return answered(release[FIRST])


def answered(notebook, source=ANSWER):
    notebook = deepcopy(notebook)
    labels = [nbgrader_metadata(cell).get("grade_id") for cell in notebook.cells]
    notebook.cells[labels.index("dropout-answer")].source = source
    return notebook


@pytest.fixture
def folder(tmp_path, release):
    """A submission of the whole lesson."""
    for name, notebook in release.items():
        nbformat.write(notebook, tmp_path / f"{name}.ipynb")
    return tmp_path


def stripped(notebook):
    notebook = deepcopy(notebook)
    for number, cell in enumerate(notebook.cells):
        cell.metadata, cell.id = nbformat.from_dict({}), f"colab-{number}"
    return notebook


def text_of(notebook):
    return nbformat.writes(notebook)


def taken(found):
    """The notebook of what was found, after asserting that it is a whole and writable one."""
    assert found.notebook is not None, found.notes
    nbformat.validate(found.notebook)
    nbformat.writes(found.notebook).encode()
    return found.notebook


def reason(found):
    assert found.notebook is None
    assert not any(str(path) in " ".join(found.notes) for path in ("/tmp", "/home", "\n"))
    return found.notes[0]


def is_answered(found):
    return any(cell.source == ANSWER for cell in taken(found).cells)


# Reading one file


def test_a_notebook_is_read_with_its_labels_and_without_outputs(tmp_path, first, lesson):
    first.cells[2].outputs = [nbformat.v4.new_output("stream", text="x" * 1000)]
    path = tmp_path / "a.ipynb"
    nbformat.write(first, path)
    notebook = taken(read(path))
    instructor = read_notebook(lesson.exercises[0].notebook)
    assert [cell.source for cell in notebook.cells] == [cell.source for cell in first.cells]
    assert restore(notebook, instructor).notebook == restore(first, instructor).notebook
    assert notebook.cells[2].outputs == []


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-32"])
def test_every_encoding_is_read(tmp_path, first, encoding):
    path = tmp_path / "a.ipynb"
    path.write_bytes(json.dumps(first, ensure_ascii=False).encode(encoding))
    notebook = taken(read(path))
    assert notebook.cells[0].source == first.cells[0].source
    assert "·" in notebook.cells[0].source


def test_bytes_that_are_no_text_cost_only_themselves(tmp_path):
    notebook = new_notebook(cells=[new_code_cell("é = 1\nb = 2")])
    path = tmp_path / "a.ipynb"
    path.write_bytes(json.dumps(notebook, ensure_ascii=False).encode("latin-1") + b"\0\0\n")
    assert taken(read(path)).cells[0].source == "\ufffd = 1\nb = 2"


def cell(**more):
    return {"cell_type": "code", "source": "a = 1", "metadata": {}} | more


@pytest.mark.parametrize(
    "content",
    [
        {"nbformat": 4, "nbformat_minor": 0, "metadata": {}, "cells": [cell()]},
        {"nbformat": 4, "nbformat_minor": 99, "metadata": {"a": {"b": 1}}, "cells": [cell()]},
        {"cells": [cell()]},
        {"nbformat": "?", "metadata": 3, "cells": [cell(metadata=None, id=4, outputs="none")]},
        {"cells": [cell(id="same"), cell(id="same"), cell(id="ü [1].b"), cell(id="x" * 99)]},
        {"cells": [cell(id="cell-1"), cell(), cell(id="cell-2"), cell()]},
        {"cells": [cell(source=["a ", "= 1"]), 3, None, {}]},
        {"cells": [cell(metadata={"nbgrader": ["?"]}), cell(metadata={"deep": {"er": [{}]}})]},
        {"nbformat": 3, "worksheets": [{"cells": [{"cell_type": "code", "input": "a = 1"}]}, 3]},
        {"nbformat": 3, "worksheets": [{"cells": [{"cell_type": "code", "input": ["a = 1"]}, 3]}]},
    ],
)
def test_notebooks_of_all_versions_and_odd_shapes_are_read(tmp_path, content):
    path = tmp_path / "a.ipynb"
    path.write_text(json.dumps(content))
    notebook = taken(read(path))
    assert notebook.cells[0].source == "a = 1"
    assert notebook.cells[0].cell_type == "code"


def test_version_3_headings_and_code_are_graded(tmp_path, first, lesson):
    old = nbformat.convert(stripped(first), 3)
    path = tmp_path / "a.ipynb"
    path.write_text(json.dumps(old))
    restored = restore(taken(read(path)), read_notebook(lesson.exercises[0].notebook))
    assert any(cell.source == ANSWER for cell in restored.notebook.cells)
    heading = {"cell_type": "heading", "level": 1, "source": "Title"}
    path.write_text(json.dumps({"worksheets": [{"cells": [heading]}]}))
    assert taken(read(path)).cells[0].cell_type == "markdown"


@pytest.mark.parametrize(
    "source", ["\\ud800", "NaN", "\\u0000", "😀 \\ud83d\\ude00", "a\tb", "\\udc00\\ud800"]
)
def test_odd_characters_are_read(tmp_path, source):
    path = tmp_path / "a.ipynb"
    path.write_text(f'{{"cells": [{{"cell_type": "code", "source": "b{source}"}}]}}')
    assert taken(read(path)).cells[0].source[0] == "b"


@pytest.mark.parametrize("number", ["NaN", "-Infinity", "1e999", "9" * 100_000, "-" + "9" * 5000])
def test_odd_numbers_do_no_harm(tmp_path, number):
    path = tmp_path / "a.ipynb"
    path.write_text(
        f'{{"metadata": {{"a": {number}}}, "cells": [{{"execution_count": {number}}}]}}'
    )
    taken(read(path))


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "is empty"),
        (" \n\0", "is empty"),
        ('{"cells": [\n\n{"cell_type', "cut off or damaged (line 3)"),
        ("PK\3\4 something zipped", "cut off or damaged (line 1)"),
        ("[]", "it holds no notebook"),
        ("null", "it holds no notebook"),
        ('"text"', "it holds no notebook"),
        ("{}", "it holds no notebook"),
        ('{"cells": {}}', "list of cells is damaged"),
        ('{"cells": "text"}', "list of cells is damaged"),
        ('{"cells": null}', "list of cells is damaged"),
        ('{"cells": [1, 2]}', "list of cells is damaged"),
        ('{"worksheets": 3}', "list of cells is damaged"),
        ('{"cells": ' + "[" * 200_000, "nested too deeply"),
        ('{"metadata": ' + '{"a":' * 100_000 + "1" + "}" * 100_001, "nested too deeply"),
    ],
)
def test_what_cannot_be_read_is_refused_with_the_reason(tmp_path, content, words):
    path = tmp_path / "a.ipynb"
    path.write_text(content)
    why = reason(read(path))
    assert words in why
    assert why.startswith("The notebook file ") and why.endswith(".")


def test_links_and_special_and_huge_and_locked_files_are_refused(tmp_path, first, monkeypatch):
    nbformat.write(first, tmp_path / "real.ipynb")
    (tmp_path / "link.ipynb").symlink_to(tmp_path / "real.ipynb")
    (tmp_path / "broken.ipynb").symlink_to("/nowhere/at/all")
    os.mkfifo(tmp_path / "pipe.ipynb")
    (tmp_path / "folder.ipynb").mkdir()
    with (tmp_path / "huge.ipynb").open("wb") as file:
        file.truncate(reading.MAX_NOTEBOOK_BYTES + 1)  # takes no room on the disk
    assert "is a link" in reason(read(tmp_path / "link.ipynb"))
    assert "is a link" in reason(read(tmp_path / "broken.ipynb"))
    assert "not a regular file" in reason(read(tmp_path / "pipe.ipynb"))
    assert reason(read(tmp_path / "folder.ipynb"))
    assert "larger than 50 MiB" in reason(read(tmp_path / "huge.ipynb"))
    assert "cannot be opened" in reason(read(tmp_path / "missing.ipynb"))
    size = (tmp_path / "real.ipynb").stat().st_size
    monkeypatch.setattr(reading, "MAX_NOTEBOOK_BYTES", size)
    assert is_answered(read(tmp_path / "real.ipynb"))
    monkeypatch.setattr(reading, "MAX_NOTEBOOK_BYTES", size - 1)
    assert "refused" in reason(read(tmp_path / "real.ipynb"))


# Finding the files


def test_every_exercise_of_a_whole_submission_is_found(folder, lesson, release):
    (folder / "notes.ipynb").write_text("not looked at")
    found = find(lesson, folder)
    assert list(found) == [exercise.name for exercise in lesson.exercises]
    for name, notebook in release.items():
        assert [c.source for c in taken(found[name]).cells] == [c.source for c in notebook.cells]
        assert found[name].notes == ()


def test_nothing_submitted_is_said_so(tmp_path, lesson):
    for folder in (tmp_path, tmp_path / "missing"):
        for found in find(lesson, folder).values():
            assert found.notebook is None and found.notes == (NOT_SUBMITTED,)


def test_a_missing_notebook_costs_only_itself(folder, lesson):
    (folder / f"{FIRST}.ipynb").unlink()
    found = find(lesson, folder)
    assert found[FIRST].notes == (NOT_SUBMITTED,)
    assert all(taken(found[name]) for name in found if name != FIRST)


@pytest.mark.parametrize(
    "place",
    [
        f"{FIRST} (1).ipynb",
        f"{FIRST}.ipynb.txt",
        f"{FIRST}.ipynb.json",
        "1_Dropout_Keys.IPYNB",
        "Untitled.ipynb",
        "lesson/homework/" + f"{FIRST}.ipynb",
        f"{FIRST}.ipynb/{FIRST}.ipynb",
        "home\\work\\1.ipynb",
        "übung [1].b.ipynb",
    ],
)
@pytest.mark.parametrize("change", [deepcopy, stripped])
def test_a_renamed_or_moved_notebook_is_found_by_its_content(folder, lesson, first, place, change):
    (folder / f"{FIRST}.ipynb").unlink()
    (folder / place).parent.mkdir(parents=True, exist_ok=True)
    (folder / place).write_text(text_of(change(first)))
    found = find(lesson, folder)
    assert is_answered(found[FIRST])
    why = f"graded from '{place}', for there is none of the exercise's name"
    assert found[FIRST].notes == (why,)
    assert found[SECOND].notes == ()


def test_a_name_that_cannot_be_written_does_no_harm(folder, lesson, first):
    (folder / f"{FIRST}.ipynb").unlink()
    with open(os.fsencode(folder) + b"/\xff.ipynb", "w") as file:  # noqa: PTH123
        file.write(text_of(first))
    found = find(lesson, folder)[FIRST]
    assert is_answered(found)
    "".join(found.notes).encode()


def test_swapped_notebooks_are_put_right(folder, lesson, first, release):
    (folder / f"{FIRST}.ipynb").write_text(text_of(release[SECOND]))
    (folder / f"{SECOND}.ipynb").write_text(text_of(first))
    found = find(lesson, folder)
    assert is_answered(found[FIRST])
    assert not is_answered(found[SECOND])
    assert found[FIRST].notes == (
        f"graded from '{SECOND}.ipynb', for '{FIRST}.ipynb' holds another exercise",
    )


def test_another_exercise_under_this_name_is_said_so(folder, lesson, release):
    (folder / f"{FIRST}.ipynb").write_text(text_of(release[SECOND]))
    found = find(lesson, folder)
    assert reason(found[FIRST]) == (
        f"The notebook with this exercise's name holds another exercise ({SECOND})."
    )
    assert found[SECOND].notes == ()


def test_a_notebook_with_one_cell_of_its_own_exercise_counts(folder, lesson, release):
    cells = [*release[SECOND].cells, new_code_cell(ANSWER)]
    (folder / f"{FIRST}.ipynb").write_text(text_of(new_notebook(cells=cells)))
    (folder / "other.ipynb").write_text(text_of(release[FIRST]))
    found = find(lesson, folder)[FIRST]
    assert is_answered(found) and found.notes == ()


def test_a_notebook_with_nothing_in_common_counts_by_its_name(folder, lesson):
    scratch = new_notebook(cells=[new_code_cell("a = 1")])
    (folder / f"{FIRST}.ipynb").write_text(text_of(scratch))
    assert find(lesson, folder)[FIRST].notes == ()
    (folder / f"{FIRST}.ipynb").rename(folder / "dropout keys-final.ipynb")
    found = find(lesson, folder)[FIRST]
    assert taken(found).cells[0].source == "a = 1" and "dropout keys-final" in found.notes[0]
    (folder / "dropout keys-final.ipynb").rename(folder / "scratch.ipynb")
    assert find(lesson, folder)[FIRST].notes == (NOT_SUBMITTED,)


def test_of_several_the_most_alike_counts_then_the_newest(folder, lesson, first, release):
    (folder / f"{FIRST}.ipynb").unlink()
    fragment = new_notebook(cells=[new_code_cell("def dropout(): pass")])
    first = stripped(first)  # and a given cell changed, so one cell less in common
    next(cell for cell in first.cells if "import jax\n" in cell.source).source += "\nimport optax"
    for name, notebook, changed_s in (
        ("old.ipynb", release[FIRST], 1000),
        ("new.ipynb", first, 2000),
        ("fragment.ipynb", fragment, 3000),
        (f"{FIRST} (1).ipynb", release[SECOND], 4000),
    ):
        (folder / name).write_text(text_of(notebook))
        os.utime(folder / name, (changed_s, changed_s))
    found = find(lesson, folder)[FIRST]
    assert is_answered(found) and "'new.ipynb'" in found.notes[0]
    os.utime(folder / "old.ipynb", (5000, 5000))
    assert not is_answered(find(lesson, folder)[FIRST])


def test_another_exercise_is_not_taken_for_one_shared_cell_nor_for_its_name(
    folder, lesson, release
):
    (folder / f"{FIRST}.ipynb").unlink()
    cells = [*release[SECOND].cells, new_code_cell(ANSWER)]
    (folder / "more.ipynb").write_text(text_of(new_notebook(cells=cells)))
    (folder / f"{FIRST} (1).ipynb").write_text(text_of(release[SECOND]))
    assert find(lesson, folder)[FIRST].notes == (NOT_SUBMITTED,)


def test_one_notebook_of_all_exercises_counts_for_each(tmp_path, lesson, release):
    cells = [cell for notebook in release.values() for cell in notebook.cells]
    (tmp_path / "all.ipynb").write_text(json.dumps({"cells": cells}))
    assert all("'all.ipynb'" in found.notes[0] for found in find(lesson, tmp_path).values())


def test_an_unreadable_notebook_is_zero_and_a_copy_is_pointed_out(folder, lesson, first):
    (folder / f"{FIRST}.ipynb").write_text("")
    found = find(lesson, folder)[FIRST]
    assert found.notes == ("The notebook file is empty.",)
    (folder / "copy.ipynb").write_text(text_of(first))
    found = find(lesson, folder)[FIRST]
    assert reason(found) == "The notebook file is empty."
    assert "'copy.ipynb' looks like this exercise" in found.notes[1]
    (folder / f"{FIRST}.ipynb").unlink()
    (folder / "copy.ipynb").write_text("{")
    (folder / "copy.ipynb").rename(folder / f"{FIRST} (1).ipynb")
    found = find(lesson, folder)[FIRST]
    assert "cut off or damaged" in reason(found) and "(1)" in found.notes[1]


def test_no_link_is_followed_and_no_file_outside_is_read(folder, tmp_path_factory, lesson, first):
    outside = tmp_path_factory.mktemp("outside")
    (outside / f"{FIRST}.ipynb").write_text(text_of(first))
    (folder / f"{FIRST}.ipynb").unlink()
    (folder / "sub").symlink_to(outside)
    found = find(lesson, folder)[FIRST]
    assert found.notes == (NOT_SUBMITTED, "'sub' is a link and was not followed")
    (folder / f"{FIRST}.ipynb").symlink_to(outside / f"{FIRST}.ipynb")
    assert "is a link" in reason(find(lesson, folder)[FIRST])
    (folder / f"{FIRST}.ipynb").unlink()
    (folder / f"{FIRST} (1).ipynb").symlink_to(outside / f"{FIRST}.ipynb")
    assert "is a link" in reason(find(lesson, folder)[FIRST])
    (outside / "folder").symlink_to(folder)
    assert all("is a link" in reason(f) for f in find(lesson, outside / "folder").values())


def test_hidden_folders_and_checkpoints_are_passed_over(folder, lesson, first):
    (folder / f"{FIRST}.ipynb").unlink()
    for name in (".ipynb_checkpoints", ".git"):
        (folder / name).mkdir()
        (folder / name / f"{FIRST}.ipynb").write_text(text_of(first))
    (folder / ".1-dropout-keys.ipynb").write_text(text_of(first))
    assert find(lesson, folder)[FIRST].notes == (NOT_SUBMITTED,)


def test_too_many_files_are_not_all_looked_at(folder, lesson, first, monkeypatch):
    monkeypatch.setattr(submissions, "MAX_FILES", 2)
    (folder / f"{FIRST}.ipynb").unlink()
    for name in "abc":
        (folder / f"{name}.ipynb").write_text("{}")
    (folder / "z.ipynb").write_text(text_of(first))
    found = find(lesson, folder)
    assert found[FIRST].notes[0] == NOT_SUBMITTED and "too many notebooks" in found[FIRST].notes[1]
    assert found[SECOND].notes == ()
    monkeypatch.setattr(submissions, "MAX_FILES", 4)
    assert is_answered(find(lesson, folder)[FIRST])
    monkeypatch.setattr(submissions, "MAX_ENTRIES", 3)
    assert "too many files" in find(lesson, folder)[FIRST].notes[1]


def test_likeness_counts_only_what_no_other_exercise_has(lesson, release):
    liken = likeness.likeness_to(lesson)
    for name, notebook in release.items():
        for change in (deepcopy, stripped):
            counts = liken(change(notebook))
            assert counts[name] > 10
            assert all(count == 0 for other, count in counts.items() if other != name)
    assert not any(liken(None).values())


# The time of submission


def at(folder, text, changed="2025-03-01 12:00:00+00:00"):
    changed_s = datetime.fromisoformat(changed).timestamp()
    for path in folder.glob("*.ipynb"):
        os.utime(path, (0, 0))
    os.utime(folder / f"{FIRST}.ipynb", (changed_s, changed_s))
    if text is not None:
        (folder / "timestamp.txt").write_text(text)
    return doubtful_time(folder)


@pytest.mark.parametrize(
    "text",
    [
        None,
        "2025-03-01 11:50:00 UTC",
        "2025-03-01 11:50:00.123456 UTC\n",
        "2025-03-01 13:00:00 Europe/Zurich",
        "2025-03-01T12:00:00",
        "2031-01-01 00:00:00 UTC",
    ],
)
def test_times_at_or_after_the_last_change_are_believed(folder, text):
    assert at(folder, text) is None


@pytest.mark.parametrize("text", ["2025-03-01 11:49:59 UTC", "2025-03-01 12:30:00 Europe/Zurich"])
def test_a_time_before_the_last_change_is_doubted(folder, text):
    doubt = at(folder, text)
    assert f"{FIRST}.ipynb was last changed 2025-03-01 12:00 UTC" in doubt
    assert doubt.startswith("timestamp.txt says 2025-03-01 11:")
    assert str(folder) not in doubt


@pytest.mark.parametrize("text", ["", "yesterday", "2025-99-01 00:00:00 UTC", "9" * 1000, "\0"])
def test_a_timestamp_that_is_no_time_is_doubted(folder, text):
    assert "timestamp.txt holds no time" in at(folder, text)
    assert handed_in(folder) is None


def test_the_time_is_read_as_nbgrader_reads_it(folder):
    assert handed_in(folder) is None
    at(folder, "2025-03-01 13:00:00 Europe/Zurich")
    assert handed_in(folder) == datetime(2025, 3, 1, 12, tzinfo=UTC)


def test_a_timestamp_that_cannot_be_read_is_doubted(folder, tmp_path_factory):
    assert "larger than 1024 bytes" in at(folder, " " * 1025)
    assert handed_in(folder) is None
    elsewhere = tmp_path_factory.mktemp("elsewhere") / "timestamp.txt"
    elsewhere.write_text(str(datetime.now(UTC)))
    (folder / "timestamp.txt").unlink()
    (folder / "timestamp.txt").symlink_to(elsewhere)
    assert "is a link" in at(folder, None)
    (folder / "timestamp.txt").unlink()
    (folder / "timestamp.txt").write_bytes(b"\xff\xfe\0")
    assert "holds no time" in at(folder, None)
    (folder / "timestamp.txt").write_text("2025-03-01 11:50:00 UTC")
    for path in folder.glob("*.ipynb"):
        path.unlink()
    assert doubtful_time(folder) is None
