"""The course's configuration, read by nbgrader and by jaxercise alike.

Leave out the three settings of Autograde and nbgrader grades in its own way: it works, without
any isolation (docs/marking.md).
"""

from importlib.util import find_spec
from pathlib import Path

c = get_config()  # noqa: F821  (nbgrader provides it)

c.CourseDirectory.course_id = "jaxercise"
c.CourseDirectory.ignore = [
    ".ipynb_checkpoints",
    "*.pyc",
    "__pycache__",
    ".pytest_cache",
    "feedback",
]

# What students get besides the notebooks. A release is refused while anything else is there.
hand_outs = ["functional-patterns.md", "glossary.md", "optax-guide.md"]
imported = ["mlp.py", "visible_checks", "mnist.npz", "trained.npz", "quiz.py", "questions.json"]
c.Jaxercise.public_files = {"intro-to-jax": [*hand_outs, *imported]}

# Where Colab, which opens a notebook alone, fetches these files from: the address of the released
# folder, such as "https://raw.githubusercontent.com/YOU/COURSE/main/release/intro-to-jax".
c.Jaxercise.files_address = ""
c.GenerateAssignment.preprocessors.append("jaxercise.colab.FirstCell")

c.ClearSolutions.code_stub = {
    "python": 'raise NotImplementedError("Replace this line with your answer.")'
}
c.ClearSolutions.text_stub = "*Your thoughts here.*"

# What Validate says: a changed graded cell is put back before it is graded.
c.Validator.changed_warning = (
    "{num_changed} graded cell(s) are not as they were handed out. They are put back before "
    "grading, so nothing is lost by that; what you see here may be another result.\n"
)
c.Validator.failed_warning = "{num_failed} graded cell(s) found something that is not right yet.\n"

# Submissions are found, mended and restored before nbgrader reads them, then judged in a sandbox.
c.Autograde.exporter_class = "jaxercise.plugins.Submissions"
c.Autograde.sanitize_preprocessors = []
c.Autograde.autograde_preprocessors = [
    "jaxercise.plugins.Judge",
    "jaxercise.plugins.SaveScores",
    "nbgrader.preprocessors.AssignLatePenalties",
]

# What students wrote is shown in browsers, on feedback pages and in formgrader: without script.
c.HTMLExporter.sanitize_html = True
c.HTMLExporter.filters = {
    "clean_html": "jaxercise.outputs.clean_html",
    "strip_files_prefix": "jaxercise.outputs.clean_markdown",  # nbgrader's templates end with it
}

# Pages ask no other server for anything. nbgrader's templates come second, as formgrader has them.
ours, theirs = (Path(find_spec(name).origin).parent for name in ("jaxercise", "nbgrader"))
c.HTMLExporter.extra_template_basedirs = [
    str(ours / "templates"),
    str(theirs / "server_extensions" / "formgrader" / "templates"),
]
c.HTMLExporter.exclude_anchor_links = True

# What a submission may use; the defaults (`jaxercise.settings.Limits`) suit the lesson.
# c.Jaxercise.cell_seconds = 120       # one cell
# c.Jaxercise.notebook_seconds = 600   # all cells of a notebook
# c.Jaxercise.answer_seconds = 20      # one question of a check
# c.Jaxercise.memory_mib = 4096        # everything that a notebook started, together
# c.Jaxercise.tasks = 1000             # processes and threads
# c.Jaxercise.written_mib = 256        # files, /tmp and /dev/shm
# c.Jaxercise.output_mib = 2           # text and pictures that are kept
