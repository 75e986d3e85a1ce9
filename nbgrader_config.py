"""The course's configuration, read by nbgrader and by jaxercise alike.

Leave out the three lists of preprocessors and nbgrader grades in its own way: it works, without
any isolation (docs/marking.md).
"""

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
c.Jaxercise.public_files = {"intro-to-jax": ["mlp.py", "mnist.npz", "trained.npz"]}

c.ClearSolutions.code_stub = {
    "python": 'raise NotImplementedError("Replace this line with your answer.")'
}
c.ClearSolutions.text_stub = "*Your thoughts here.*"

c.Autograde.sanitize_preprocessors = ["jaxercise.plugins.Restore"]
c.Autograde.autograde_preprocessors = [
    "jaxercise.plugins.Judge",
    "jaxercise.plugins.SaveScores",
    "nbgrader.preprocessors.AssignLatePenalties",
]
