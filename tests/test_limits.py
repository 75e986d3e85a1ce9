"""Every limit of a submission, from ``nbgrader_config.py`` to what happens when it is passed."""

import time

import numpy as np
import pytest
from nbformat.v4 import new_code_cell, new_notebook
from test_student import HYPOT_CHAIN

from jaxercise import hosts, kernels, settings
from jaxercise.settings import MIB, Confinement, Limits
from jaxercise.student import AnswerError, Gone

pytestmark = pytest.mark.slow

X = np.ones(3, np.float32)


def run(*sources, kind="bubblewrap", **limits):
    """Run cells under limits; returns the notebook, what went wrong, and the value of ``x``."""
    notebook = new_notebook(cells=[new_code_cell(source) for source in sources])
    confinement = Confinement(kind, Limits(**limits))
    with kernels.student_of_notebook(notebook, confinement, {}) as (student, host):
        try:
            x = student.value("x")
        except (AnswerError, Gone) as error:
            x = str(error)
    return notebook, host.trouble, x


def texts(notebook):
    return ["".join(o.get("text", o.get("evalue", "")) for o in c.outputs) for c in notebook.cells]


def test_limits_are_set_in_the_courses_configuration(course_copy):
    config = course_copy.root / "nbgrader_config.py"
    config.write_text(
        config.read_text()
        + "c.Jaxercise.cell_seconds = 1\nc.Jaxercise.notebook_seconds = 2\n"
        + "c.Jaxercise.answer_seconds = 3\nc.Jaxercise.memory_mib = 4\nc.Jaxercise.tasks = 5\n"
        + "c.Jaxercise.written_mib = 6\nc.Jaxercise.output_mib = 0.5\n"
        + "c.Jaxercise.sandbox = 'process'\n"
    )
    limits = Limits(1, 2, 3, 4 * MIB, 5, 6 * MIB, MIB // 2)
    assert settings.confinement(course_copy.root) == Confinement("process", limits)
    assert settings.confinement(course_copy.root, "bubblewrap").kind == "bubblewrap"


def test_a_slow_cell_is_stopped_and_the_others_run():
    notebook, trouble, x = run("while True: pass", "x = 3", cell_s=1)
    assert "This cell took longer than 1 s and was stopped." in texts(notebook)[0]
    assert (trouble, x) == ((), 3)


def test_a_cell_that_cannot_be_stopped_is_left_out():
    notebook, trouble, x = run(
        "import time\n"
        "while True:\n"
        "    try:\n"
        "        while True: time.sleep(0.01)\n"
        "    except BaseException: pass",
        "x = 3",
        cell_s=1,
    )
    assert trouble == ("cell 1 could not be stopped; it was left out",)
    assert "This cell could not be stopped, so it was left out." in texts(notebook)[0]
    assert x == 3


def test_a_cell_that_the_quick_way_cannot_compile_is_compiled_in_another():
    notebook, trouble, x = run(HYPOT_CHAIN, "x = f(jnp.ones((1, 4)))", cell_s=8)
    assert texts(notebook) == ["", ""] and trouble == ()
    assert np.allclose(x, 2 * np.sqrt(sum(k * k for k in range(1, 9))))


def test_many_slow_cells_are_stopped_by_the_budget_of_the_notebook():
    start = time.monotonic()
    _, trouble, x = run("x = 3", *["import time; time.sleep(1)"] * 20, notebook_s=3)
    assert trouble == ("the notebook took longer than 3 s; the rest was not run",)
    assert x == 3 and time.monotonic() - start < 15


@pytest.mark.parametrize("kind", ["bubblewrap", "process"])
def test_memory_of_all_processes_together_is_limited(kind):
    """Eight children of 100 MiB each, none of them over the limit by itself."""
    notebook, trouble, x = run(
        "import os, time\n"
        "for _ in range(8):\n"
        "    if os.fork() == 0:\n"
        "        held = bytearray(os.urandom(1)) * (100 * 2**20)\n"
        "        time.sleep(60)\n"
        "        os._exit(0)\n"
        "time.sleep(20)",
        "x = 3",
        kind=kind,
        memory_bytes=800 * MIB,
        cell_s=30,
    )
    why = "used more memory than is allowed, and was stopped"
    assert trouble == (f"cell 1 {why}; it was left out",)
    assert f"This cell {why}, so it was left out." in texts(notebook)[0]
    assert x == 3


def test_memory_of_one_process_is_refused_with_an_error_that_python_raises():
    notebook, trouble, x = run("import numpy as np; np.ones(2**30)", "x = 3")
    assert "Unable to allocate" in texts(notebook)[0]
    assert (trouble, x) == ((), 3)


def test_processes_and_threads_are_limited():
    notebook, trouble, x = run(
        "import os, signal\n"
        "made = []\n"
        "try:\n"
        "    while len(made) < 500:\n"
        "        made.append(os.fork())\n"
        "        if made[-1] == 0:\n"
        "            signal.pause()\n"
        "finally:\n"
        "    for child in made: os.kill(child, signal.SIGKILL); os.waitpid(child, 0)\n"
        "    print(len(made))",
        "x = 3",
        tasks=100,
    )
    assert int(texts(notebook)[0].split()[0]) < 100
    assert "Resource temporarily unavailable" in texts(notebook)[0]
    assert (trouble, x) == ((), 3)


@pytest.mark.parametrize("place", [".", "/tmp", "/dev/shm"])
def test_bytes_written_are_limited_everywhere_together(place):
    notebook, _, x = run(
        f"for n in range(8):\n"
        f"    with open(f'{place}/{{n}}', 'wb') as file: file.write(bytes(2**20))",
        "x = 3",
        written_bytes=6 * MIB,
    )
    assert "No space left on device" in texts(notebook)[0]
    assert x == 3


def test_bytes_written_are_limited_without_a_sandbox_too():
    _, trouble, x = run(
        "import time\n"
        "for n in range(8):\n"
        "    with open(str(n), 'wb') as file: file.write(bytes(2**20))\n"
        "time.sleep(5)",
        "x = 3",
        kind="process",
        written_bytes=6 * MIB,
    )
    why = "wrote more to the disk than is allowed, and was stopped"
    assert trouble == (f"cell 1 {why}; it was left out",)
    assert x == 3


@pytest.mark.parametrize(
    "source",
    [
        "for _ in range(100): print('x' * 2**20)",
        "print('x' * (30 * 2**20))",
        "import sys\nfor _ in range(20_000): print('x'); sys.stdout.flush()",
        "from IPython.display import HTML, display\nfor _ in range(3000): display(HTML('<p>x'))",
        "raise ValueError('x' * (10 * 2**20))",
    ],
    ids=["many lines", "one line", "many messages", "many displays", "an error"],
)
def test_output_is_cut_while_it_is_read(source):
    notebook, _, x = run(source, "x = 3", output_bytes=MIB)
    size = len(str(notebook.cells))
    assert size < 1.5 * MIB and x == 3
    if "raise" not in source:
        assert "[Output was cut here" in texts(notebook)[0]


def test_an_answer_may_take_its_time_but_no_more(student_of):
    student = student_of(
        "import time\ndef slow(x): time.sleep(1.5); return x\ndef slower(x): time.sleep(60)",
        seconds=3,
    )
    assert np.array_equal(student.call("slow", X), X)
    with pytest.raises(AnswerError, match=r"took too long \(more than 3 s\)"):
        student.call("slower", X)


def test_a_program_that_asks_for_too_much_memory_costs_its_own_checks(tmp_path):
    path = tmp_path / "answer.py"
    path.write_text(
        "import jax.numpy as jnp\n"
        "def huge(x): return jnp.sort(x[0] * jnp.arange(8e8))[7]\n"
        "def works(x): return x + 1\n"
    )
    confinement = Confinement(limits=Limits(memory_bytes=1500 * MIB, answer_s=15))
    with hosts.student_of_file(path, confinement, {}) as student:
        with pytest.raises(AnswerError, match="The compiled function"):
            student.function("huge")(X)
        assert np.allclose(student.function("works")(X), X + 1)
