"""What code does that is run: it hangs, dies, floods, and does what notebooks usually do."""

from tiny import RIGHT_TOTAL, SCALE

from trouble import answer, cells, insert

STOPPED = "This cell took longer than 3 s and was stopped."


@cells(
    "endless loop in a cell",
    {"scale-total": 0},
    says=(f"`total` is not defined; cell 8 ended with TimeoutError: {STOPPED}",),
    shows=(STOPPED,),
)
def _(given):
    answer(given[SCALE], "total-answer", f"while True:\n    pass\n{RIGHT_TOTAL}")


@cells(
    "endless loop in a function",
    {"scale-noise": 0},
    says=("`noise` took too long (more than 4 s)", "earlier, so it was not called again"),
    shows=(STOPPED,),
)
def _(given):
    answer(given[SCALE], "noise-answer", "def noise(key, x):\n    while True:\n        pass")


IGNORES = """\
import time

while True:
    try:
        while True:
            time.sleep(0.01)
    except BaseException:
        pass"""


@cells(
    "interrupt ignored",
    {"scale-total": 0},
    says=("`total` is not defined; cell 8 ended with LeftOut: This cell could not be stopped, so",),
    notes=("cell 8 could not be stopped; it was left out",),
    shows=("This cell could not be stopped, so it was left out.",),
)
def _(given):
    answer(given[SCALE], "total-answer", f"{IGNORES}\n{RIGHT_TOTAL}")


@cells(
    "stuck in a compiled call",
    {"scale-total": 0},
    says=("`total` is not defined; cell 8 ended with LeftOut: This cell could not be stopped, so",),
    notes=("cell 8 could not be stopped; it was left out",),
)
def _(given):
    endless = "jax.lax.while_loop(lambda n: n >= 0, lambda n: 0 * n, 1).block_until_ready()"
    answer(given[SCALE], "total-answer", f"{endless}\n{RIGHT_TOTAL}")


@cells(
    "many slow cells",
    {"scale-total": 0},
    says=("`total` is not defined",),
    notes=("the notebook took longer than 10 s; the rest was not run",),
)
def _(given):
    insert(given[SCALE], "total-answer", "import time", *["time.sleep(2)"] * 8)


@cells(
    "kernel dies",
    {"scale-total": 0},
    says=("cell 8 ended with LeftOut: This cell ended the Python process, so it was left out.",),
    notes=("cell 8 ended the Python process; it was left out",),
)
def _(given):
    answer(given[SCALE], "total-answer", f"import os\nos._exit(0)\n{RIGHT_TOTAL}")


@cells(
    "memory exhausted",
    {"scale-total": 0},
    says=("cell 8 ended with LeftOut: This cell used more memory than is allowed",),
    notes=("cell 8 used more memory than is allowed, and was stopped; it was left out",),
)
def _(given):
    children = """\
import os, time

for _ in range(4):
    if os.fork() == 0:
        held = bytearray(os.urandom(1)) * (220 * 2**20)
        time.sleep(60)
time.sleep(60)"""
    answer(given[SCALE], "total-answer", f"{children}\n{RIGHT_TOTAL}")


@cells(
    "sys.exit",
    {"scale-noise": 0, "scale-total": 0},
    says=(
        "`noise` raised SystemExit: 0.",
        "`total` is not defined; cell 8 ended with SystemExit: 0",
    ),
)
def _(given):
    answer(given[SCALE], "noise-answer", "import sys\n\ndef noise(key, x):\n    sys.exit(0)")
    answer(given[SCALE], "total-answer", f"sys.exit(0)\n{RIGHT_TOTAL}")


LEFT_BEHIND = "sleep 617.25"  # a command to look for when all is over


@cells("threads and children left behind")
def _(given):
    left = f"""\
import os, subprocess, threading, time

subprocess.Popen("{LEFT_BEHIND}".split(), start_new_session=True)
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        time.sleep(600)
    os._exit(0)
threading.Thread(target=lambda: time.sleep(600)).start()
threading.Thread(target=lambda: time.sleep(600), daemon=True).start()"""
    insert(given[SCALE], "total-answer", left)


CUT = "[Output was cut here: all of a notebook's output together may be 0.5 MiB.]"


@cells("floods of output", shows=(CUT,))
def _(given):
    figures = """\
import io
import matplotlib.pyplot as plt
from IPython.display import Image, display

file = io.BytesIO()
plt.figure(figsize=(2, 1)).savefig(file)
for _ in range(2000):
    display(Image(file.getvalue()))
plt.close()"""
    lines, line = "for _ in range(100):\n    print('x' * 10**6)", "print('x' * (30 * 2**20))"
    insert(given[SCALE], "total-answer", figures, lines, line)


@cells("what notebooks usually do", shows=("a warning", "image/png", "awaited"))
def _(given):
    insert(
        given[SCALE],
        "double-answer",
        "!pip install numpy",
        "%timeit -n 2 -r 2 sum(range(10))",
        "%matplotlib inline\nimport matplotlib.pyplot as plt\nplt.plot([1, 2]); plt.show()",
        "import asyncio\nawait asyncio.sleep(0.01)\nprint('awaited')",
        "import sys, warnings\nwarnings.warn('a warning')\nprint('not an error', file=sys.stderr)",
        "name = input('Your name? ')",
        "import ipywidgets\nipywidgets.interact(lambda n: n, n=(0, 3))",
        "import urllib.request\nurllib.request.urlopen('https://example.org', timeout=2)",
    )


@cells(
    "stub left above the answer",
    {"scale-noise": 0, "scale-total": 0},
    says=("`noise` is not answered yet", "`total` is not defined"),
)
def _(given):
    stub = 'raise NotImplementedError("Replace this line with your answer.")'
    right = "return x + jax.random.normal(key, x.shape)"
    answer(given[SCALE], "noise-answer", f"def noise(key, x):\n    {stub}\n    {right}")
    answer(given[SCALE], "total-answer", f"# total = ...\n{stub}")


@cells("settings changed")
def _(given):
    insert(
        given[SCALE],
        "double-answer",
        "import os, warnings\nimport matplotlib\nimport numpy as np",
        "jax.config.update('jax_enable_x64', True)\njax.config.update('jax_debug_nans', True)",
        "jax.config.update('jax_default_device', jax.devices('cpu')[0])",
        "jax.config.update('jax_disable_jit', True)\njax.config.update('jax_platforms', 'cpu')",
        "matplotlib.use('agg')\nnp.seterr(all='raise')\nwarnings.simplefilter('error')",
        "os.environ.clear()\nos.chdir('/tmp')",
    )


@cells(
    "names rebound after the answer",
    {"scale-double": 2},
    says=("double(x) is not twice x", "The gradient for x is another one."),
)
def _(given):
    insert(given[SCALE], "thoughts", "def double(x):\n    return x + x + x\n\nnumbers = 3")
