"""What is tried for points that were not earned, and what must not reach anybody's browser."""

import base64

from nbformat.v4 import new_markdown_cell, new_raw_cell
from tiny import RIGHT_TOTAL, SCALE

from trouble import NOTHING, answer, cells, insert

NO_ANSWERS = {
    "double-answer": "def double(x):\n    return None",
    "noise-answer": "def noise(key, x):\n    return None",
    "total-answer": "total = None",
}
NONE = (
    "double(x) should be an array, and it is None.",
    "noise(key, x) should be an array, and it is None.",
    "total should be a number, and it is None.",
)


def without_answers(notebook):
    for cell_id, source in NO_ANSWERS.items():
        answer(notebook, cell_id, source)


@cells("checkers patched", NOTHING, says=NONE)
def _(given):
    without_answers(given[SCALE])
    patch = """\
import builtins, sys
import numpy as np, numpy.testing, pytest

def fine(*args, **kwargs):
    return True

np.allclose = np.isclose = np.isfinite = np.array_equal = np.testing.assert_allclose = fine
jnp.allclose = jnp.isfinite = pytest.raises = fine
AssertionError = builtins.AssertionError = SystemExit"""
    insert(given[SCALE], "scale-double", patch)


@cells("asserts stripped and a report forged", NOTHING, says=NONE)
def _(given):
    without_answers(given[SCALE])
    strip = """\
import ast, sys, os

class NoAsserts(ast.NodeTransformer):
    def visit_Assert(self, node):
        return ast.copy_location(ast.Pass(), node)

shell = get_ipython()
shell.ast_transformers.append(NoAsserts())
shell.showtraceback = shell.showsyntaxerror = lambda *args, **kwargs: None
shell.set_custom_exc((BaseException,), lambda *args, **kwargs: [])
sys.excepthook = lambda *args: None
os.environ["PYTHONOPTIMIZE"] = "2\""""
    insert(given[SCALE], "double-answer", strip)
    report = """\
import atexit, json, sys
from IPython.display import HTML, display

passed = {"id": "total", "cell": "scale-total", "points": 3.0, "passed": True, "message": ""}
print("✓ Every number comes back twice as large (2 of 2)")
print(json.dumps({"exercise": "1-scale", "score": 10, "max_score": 10, "checks": [passed]}))
display(HTML("<table><tr><td>✓</td><td>All checks</td><td>10 / 10</td></tr></table>"))
atexit.register(print, "1-scale: 10 of 10", file=sys.__stdout__)"""
    insert(given[SCALE], "scale-total", report)


@cells(
    "equal to everything",
    NOTHING,
    says=("it is an object of type Yes",),
)
def _(given):
    yes = """\
class Yes:
    def __getattr__(self, name):
        if name.startswith("__jax") or name == "aval":
            raise AttributeError(name)
        return self

    def __call__(self, *args, **kwargs):
        return self

    __eq__ = __ne__ = __lt__ = __gt__ = __le__ = __ge__ = lambda self, other: True
    __bool__ = lambda self: True
    __add__ = __sub__ = __mul__ = __abs__ = __getitem__ = lambda self, *other: self
    __float__ = lambda self: 21.0
    __hash__ = lambda self: 21"""
    insert(given[SCALE], "double-answer", yes)
    answer(given[SCALE], "double-answer", "def double(x):\n    return Yes()")
    answer(given[SCALE], "noise-answer", "def noise(key, x):\n    return Yes()")
    answer(given[SCALE], "total-answer", "total = Yes()")


@cells(
    "jax patched",
    {"scale-double": 2, "scale-total": 0},
    says=("double(x) is not twice x", "The gradient for x is another one.", "total is not"),
)
def _(given):
    patch = """\
import jax.export, optax

def true_double(x):
    return 2 * x

true_grad = jax.grad(lambda x: true_double(x).sum())
jax.grad = lambda f, *args, **kwargs: true_grad
jax.vmap = jax.jit = lambda f, *args, **kwargs: true_double
jax.vjp = lambda f, x: (true_double(x), lambda g: (2 * g,))
optax.l2_loss = optax.squared_error = lambda *args: 0.0"""
    insert(given[SCALE], "double-answer", patch)
    answer(given[SCALE], "double-answer", "def double(x):\n    return jnp.abs(x) * x")


@cells("looking around", shows=("found: []",))
def _(given):
    look = """\
import os, socket, sys

wanted = ("gradebook.db", "nbgrader_config.py", "test_scale.py", "Doe, Jr", "verdicts", "submitted")
found = []
for top, folders, names in os.walk("/"):
    folders[:] = [f for f in folders if f not in ("proc", "sys", "usr", "site-packages")]
    found += [f"{top}/{name}" for name in (*folders, *names) if name in wanted]
for module in ("jaxercise", "nbgrader_config", "test_scale"):
    try:
        __import__(module)
        found.append(module)
    except ImportError:
        pass
for address in (("127.0.0.1", 8888), ("1.1.1.1", 53), ("example.org", 80)):
    try:
        socket.create_connection(address, timeout=0.5).close()
        found.append(address)
    except OSError:
        pass
print("found:", found)"""
    insert(given[SCALE], "total-answer", look)
    answer(given[SCALE], "total-answer", f"assert not found\n{RIGHT_TOTAL}")


PICTURE = base64.b64encode(
    bytes.fromhex(
        "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154789c63"
        "f8cfc0f01f00050001ff89993d1d0000000049454e44ae426082"
    )
).decode()
HARMLESS = f"## Harmless heading\n\nwith **bold words**\n\n![dot](data:image/png;base64,{PICTURE})"
SCRIPTS = """
<script>alert("hi 1")</script>
<img src=x onerror=alert("hi")>
<a href='javascript:alert("hi")'>press</a> [press](javascript:alert("hi"))
<svg onload=alert("hi")><script>alert("hi 2")</script></svg>
<iframe srcdoc="<script>alert('hi 3')</script>"></iframe>
<form action="https://example.org"><button>press</button></form>
"""


@cells("script in cells and outputs", shows=("Harmless heading",))
def _(given):
    answer(given[SCALE], "thoughts", HARMLESS + SCRIPTS)
    given[SCALE].cells += [new_markdown_cell(f"`own` cell {SCRIPTS}"), new_raw_cell(SCRIPTS)]
    show = f"""\
from IPython.display import HTML, Javascript, Markdown, Image, SVG, display
import base64

scripts = {SCRIPTS!r}
display(HTML("<b>harmless table</b>" + scripts))
display(Markdown(scripts))
display(SVG("<svg xmlns='http://www.w3.org/2000/svg'><script>alert('hi 4')</script></svg>"))
display(Javascript("alert('hi 5')"))
display(Image(base64.b64decode("{PICTURE}")))
display({{"text/latex": scripts, "application/javascript": "alert('hi 6')"}}, raw=True)
print(scripts)
raise ValueError(scripts)"""
    insert(given[SCALE], "total-answer", show)
