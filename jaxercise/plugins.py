"""What ``nbgrader_config.py`` plugs into nbgrader's autograde: stage, judge, save scores.

So ``nbgrader autograde``, formgrader's button and ``jaxercise grade`` go one way. Each is thin:
nbgrader's interface on one side, ``classroom`` on the other.
"""

import re
from copy import copy
from pathlib import Path
from typing import Any

from nbconvert.exporters import NotebookExporter
from nbformat import NotebookNode
from nbgrader.preprocessors import NbGraderPreprocessor, SaveAutoGrades

from jaxercise import classroom, gradebook
from jaxercise.course import Course, Exercise, Lesson, load_course
from jaxercise.settings import Jaxercise, find_root
from jaxercise.submissions import doubtful_time

Resources = dict[str, Any]
STAGED = ".jaxercise/staged"


class Submissions(NotebookExporter):
    """Before nbgrader reads the first notebook: stage every submission, and let it read those.

    nbgrader makes its exporter when it has listed the submissions and before it opens any. From
    then on it finds restored notebooks with the right names, one an exercise, whatever was handed
    in; nothing in ``submitted/`` is changed.
    """

    def __init__(self, **kwargs: Any):
        super().__init__(**kwargs)
        converter: Any = self.parent
        if converter.coursedir.submitted_directory != STAGED:
            self._stage(converter)

    def _stage(self, converter: Any) -> None:
        course = load_course(Path(converter.coursedir.root))
        lesson = next(x for x in course.lessons if x.name == converter.coursedir.assignment_id)
        folders = {
            student: Path(converter._format_source(lesson.name, student))
            for student in _students(converter, course, lesson)
        }
        # a copy, for formgrader goes on using its own
        converter.coursedir = copy(converter.coursedir)
        converter.coursedir.submitted_directory = STAGED
        converter.assignments = {}
        for student, folder in folders.items():
            for exercise in lesson.exercises:
                due = classroom.Submission(student, exercise.name, folder)
                for note in classroom.stage(course, lesson, due)[1]:
                    self.log.warning("%s, %s: %s", student, exercise.name, note)
            if doubt := doubtful_time(folder):
                self.log.warning("%s: %s", student, doubt)
            staged = Path(converter._format_source(lesson.name, student))
            classroom.copy_exchanged(folder, staged)
            wanted = gradebook.notebooks_in(staged, converter.coursedir.notebook_id)
            converter.assignments[str(staged)] = wanted


def _students(converter: Any, course: Course, lesson: Lesson) -> list[str]:
    """Those whom nbgrader listed, or all who handed something in if it was asked for all.

    It passes over those whose names read as patterns, and those without a notebook at the top.
    """
    if converter.coursedir.student_id == "*":
        return list(dict.fromkeys(d.student for d in classroom.due_submissions(course, lesson)))
    pattern = converter._format_source("(?P<a>.*)", "(?P<student>.*)", escape=True)
    found = [re.match(pattern, folder) for folder in converter.assignments]
    return sorted(match["student"] for match in found if match is not None)


class Judge(NbGraderPreprocessor):
    """Run and judge the restored notebook, unless its verdict is kept from before."""

    def preprocess(self, nb: NotebookNode, resources: Resources) -> tuple[NotebookNode, Resources]:
        course, lesson, exercise = _place(resources)
        student = resources["nbgrader"]["student"]
        confinement = Jaxercise(config=self.config).confinement()
        graded = classroom.judged(course, lesson, exercise, student, nb, confinement)
        for note in graded.repairs:
            self.log.warning("%s, %s: %s", student, exercise.name, note)
        resources["jaxercise"] = graded.verdict
        return graded.notebook, resources


def _place(resources: Resources) -> tuple[Course, Lesson, Exercise]:
    """The course, lesson and exercise that nbgrader is converting."""
    course = load_course(find_root(Path.cwd()))  # nbgrader works in the course's root
    where = resources["nbgrader"]
    lesson = next(lesson for lesson in course.lessons if lesson.name == where["assignment"])
    return course, lesson, next(e for e in lesson.exercises if e.name == where["notebook"])


class SaveScores(SaveAutoGrades):
    """Write a score for every graded cell from the verdict; silence is zero."""

    def _add_score(self, cell: NotebookNode, resources: Resources) -> None:
        verdict = resources["jaxercise"]
        grade = self.gradebook.find_grade(
            cell.metadata.nbgrader["grade_id"],
            self.notebook_id,
            self.assignment_id,
            self.student_id,
        )
        grade.auto_score = verdict.cell_score(cell.metadata.nbgrader["grade_id"])
        grade.needs_manual_grade = grade.manual_score is not None  # a person may look again
        self.gradebook.db.commit()
