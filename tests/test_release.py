"""The student version: up to date, the same every time, and nothing in it that should not be."""

import re

import nbformat
import pytest

from jaxercise import release
from jaxercise.course import is_answer, load_course, read_notebook
from jaxercise.settings import CourseError


def code_lines(text: str) -> set[str]:
    """Lines long enough to be recognised, without their indentation."""
    return {line.strip() for line in text.splitlines() if len(line.strip()) > 12}


@pytest.fixture(scope="module")
def released(the_course):
    folder = the_course.root / "release" / "intro-to-jax"
    return {str(path.relative_to(folder)): path for path in release.files_in(folder)}


def test_the_release_is_up_to_date_byte_for_byte(the_course):
    for lesson in the_course.lessons:
        assert release.stale_files(the_course, lesson) == []


def test_two_releases_are_equal_byte_for_byte(course_copy):
    (lesson,) = course_copy.lessons
    folder = release.release(course_copy, lesson)
    first = {path: path.read_bytes() for path in release.files_in(folder)}
    release.release(course_copy, lesson)
    assert first == {path: path.read_bytes() for path in release.files_in(folder)}


def test_students_get_the_notebooks_and_the_public_files_and_nothing_else(the_course, released):
    (lesson,) = the_course.lessons
    notebooks = {path.name for path in lesson.folder.glob("*.ipynb")}  # the lesson is one of them
    public = {str(path.relative_to(lesson.folder)) for path in lesson.public_files}
    assert set(released) == notebooks | public


def test_no_line_of_a_solution_or_a_hidden_region_is_released(the_course, released):
    everything = "\n".join(p.read_text() for p in released.values() if p.suffix == ".ipynb")
    for exercise in the_course.exercises:
        student = "\n".join(c.source for c in read_notebook(released[exercise.notebook.name]).cells)
        for cell in read_notebook(exercise.notebook).cells:
            for region in ("SOLUTION", "HIDDEN TESTS"):
                pattern = rf"### BEGIN {region}\n(.*?)### END {region}"
                for hidden in re.findall(pattern, cell.source, re.DOTALL):
                    outside = code_lines(re.sub(pattern, "", cell.source, flags=re.DOTALL))
                    for line in code_lines(hidden) - outside:
                        if is_answer(cell) or "grade" in line:
                            assert line not in student or _given_elsewhere(exercise, line), line
        assert "### BEGIN" not in everything and "grade(" not in student


def test_the_lesson_and_its_hand_outs_tell_no_solution(the_course, released):
    """No function of an answer's name stands in them (see test_handouts), nor a long line of one;
    short ones, such as a step of Optax, are everybody's."""
    exercises = {exercise.notebook.name for exercise in the_course.exercises}
    texts = [
        p.read_text()
        for n, p in released.items()
        if p.suffix in (".ipynb", ".md") and n not in exercises
    ]
    assert len(texts) == 4
    given = released["mlp.py"].read_text()
    for exercise in the_course.exercises:
        for cell in filter(is_answer, read_notebook(exercise.notebook).cells):
            for hidden in re.findall(r"### BEGIN SOLUTION\n(.*?)### END", cell.source, re.DOTALL):
                for line in code_lines(hidden):
                    if line not in given and len(line) > 60:
                        assert not any(line in text for text in texts), line


def _given_elsewhere(exercise, line: str) -> bool:
    """A line that the lesson shows on purpose in prose, an example or a visible check."""
    return any(
        line in re.sub(r"### BEGIN.*?### END [A-Z ]+", "", cell.source, flags=re.DOTALL)
        for cell in read_notebook(exercise.notebook).cells
    )


def test_no_hidden_check_is_released(the_course, released):
    everything = (
        "\n".join(
            "\n".join(c.source for c in read_notebook(p).cells) if p.suffix == ".ipynb" else ""
            for p in released.values()
        )
        + released["mlp.py"].read_text()
    )
    known = code_lines(everything)
    for path in (the_course.root / "tests" / "checks").glob("*.py"):
        shared = {line for line in code_lines(path.read_text()) & known if len(line) > 30}
        assert {
            line for line in shared if not line.startswith(("for ", "from ", "import "))
        } == set(), path.name


def test_answers_keep_their_signature_and_say_what_to_do(the_course, released):
    for exercise in the_course.exercises:
        for cell in read_notebook(released[exercise.notebook.name]).cells:
            if is_answer(cell):
                assert 'raise NotImplementedError("Replace this line' in cell.source
                assert cell.source.startswith(("def ", "#", "import ", "from ")), cell.id


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("### BEGIN SOLUTION\nx", "begun and not ended"),
        ("### END SOLUTION", "was not begun"),
        ("### BEGIN SOLUTION\n### BEGIN HIDDEN TESTS\n### END HIDDEN TESTS", "inside"),
        ("### BEGIN SOLUTON\n### END SOLUTON", "no marker that we know"),
        ("## BEGIN SOLUTION\n## END SOLUTION", "no marker that we know"),
        ("### begin solution\n### end solution", "no marker that we know"),
        ("### BEGIN HIDDEN TEST\n### END HIDDEN TEST", "no marker that we know"),
        ("BEGIN SOLUTION\nx", "mentions a marker"),
    ],
)
def test_wrong_markers_are_named(source, words):
    assert any(words in problem for problem in release.marker_problems(source))


def test_right_markers_are_accepted():
    source = "a\n    ### BEGIN SOLUTION\nb\n    ### END SOLUTION\n# the end of the story\n"
    assert list(release.marker_problems(source)) == []


def edit_cell(course, grade_id, change):
    """Change one cell of the copied course's first notebook in place."""
    path = course.exercises[0].notebook
    notebook = nbformat.read(path, as_version=4)
    cell = next(c for c in notebook.cells if c.id == grade_id)
    change(cell)
    nbformat.write(notebook, path)
    return load_course(course.root)


def test_a_misspelt_marker_stops_the_release(course_copy):
    def misspell(cell):
        cell.source = cell.source.replace("BEGIN HIDDEN TESTS", "BEGIN HIDEN TESTS")

    course = edit_cell(course_copy, "dropout-mask", misspell)
    before = (course.root / "release" / "intro-to-jax" / "1-dropout-keys.ipynb").read_bytes()
    with pytest.raises(CourseError, match=r"1-dropout-keys.ipynb, cell dropout-mask: .*HIDEN"):
        release.release(course, course.lessons[0])
    after = (course.root / "release" / "intro-to-jax" / "1-dropout-keys.ipynb").read_bytes()
    assert before == after


def test_points_that_do_not_add_up_stop_the_release(course_copy):
    course = edit_cell(course_copy, "dropout-mask", lambda c: c.metadata.nbgrader.update(points=6))
    with pytest.raises(CourseError, match="dropout-mask: 6 points, checks for 5"):
        release.release(course, course.lessons[0])


def test_a_stray_file_stops_the_release(course_copy):
    (course_copy.lessons[0].folder / "solutions.py").write_text("dropout = ...")
    with pytest.raises(CourseError, match=r"solutions\.py: not in c\.Jaxercise\.public_files"):
        release.release(course_copy, course_copy.lessons[0])


def test_a_stale_release_is_noticed(course_copy):
    course = edit_cell(course_copy, "title", lambda c: c.update(source="# Another title"))
    assert release.stale_files(course, course.lessons[0]) == ["1-dropout-keys.ipynb"]
