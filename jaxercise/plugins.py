"""What ``nbgrader_config.py`` plugs into nbgrader's autograde: restore, judge, save scores.

Each is thin: nbgrader's interface on one side, ``restore``, ``grading`` and ``kept`` on the other.
"""

from pathlib import Path
from typing import Any

from nbformat import NotebookNode
from nbgrader.preprocessors import NbGraderPreprocessor, SaveAutoGrades

from jaxercise import grading, kept
from jaxercise.course import Course, Exercise, Lesson, find_root, load_course, read_notebook
from jaxercise.restore import restore

Resources = dict[str, Any]


def _place(resources: Resources) -> tuple[Course, Lesson, Exercise | None]:
    """The course, lesson and exercise that nbgrader is converting; no exercise if ungraded."""
    course = load_course(find_root(Path.cwd()))  # nbgrader works in the course's root
    where = resources["nbgrader"]
    lesson = next(lesson for lesson in course.lessons if lesson.name == where["assignment"])
    exercise = next((e for e in lesson.exercises if e.name == where["notebook"]), None)
    return course, lesson, exercise


class Restore(NbGraderPreprocessor):
    """Rebuild the submission on the instructor's notebook."""

    def preprocess(self, nb: NotebookNode, resources: Resources) -> tuple[NotebookNode, Resources]:
        _, _, exercise = _place(resources)
        if exercise is None:
            return nb, resources
        restored = restore(nb, read_notebook(exercise.notebook))
        for repair in restored.repairs:
            self.log.warning("%s, %s: %s", resources["nbgrader"]["student"], exercise.name, repair)
        return restored.notebook, resources


class Judge(NbGraderPreprocessor):
    """Run and judge the restored notebook, unless its verdict is kept from before."""

    def preprocess(self, nb: NotebookNode, resources: Resources) -> tuple[NotebookNode, Resources]:
        course, lesson, exercise = _place(resources)
        if exercise is None:
            return nb, resources
        place = kept.Place(
            course.root, lesson.name, resources["nbgrader"]["student"], exercise.name
        )
        graded = kept.load(place, kept.fingerprint(lesson, exercise, nb))
        if graded is None:
            graded = grading.grade_notebook(exercise, lesson, nb)
        resources["jaxercise"] = graded.verdict
        return graded.notebook, resources


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
