"""What students and their programs do to cells and to nbgrader's metadata."""

from nbformat import from_dict
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from tiny import SCALE

from trouble import NOTHING, answer, at, cell, cells, copy_of, insert, label

WRONG_DOUBLE = "def double(x):\n    return 3 * x"


@cells(
    "cell there twice",
    notes=(
        "the answer cell 'double-answer' is there twice; they run in their order",
        "the test cell 'scale-noise' is there twice; the instructor's counts",
    ),
)
def _(given):
    cells_ = given[SCALE].cells
    cells_.insert(
        at(given[SCALE], "double-answer"), copy_of(given[SCALE], "double-answer", WRONG_DOUBLE)
    )
    cells_.append(copy_of(given[SCALE], "scale-noise", "assert False"))


@cells(
    "cell there twice, the last wrong",
    {"scale-double": 2, "scale-total": 0},
    says=("double(x) is not twice x", "total is not the sum"),
    notes=("the answer cell 'double-answer' is there twice; they run in their order",),
)
def _(given):
    last = copy_of(given[SCALE], "double-answer", WRONG_DOUBLE)
    given[SCALE].cells.insert(at(given[SCALE], "noise-text"), last)


@cells(
    "cell split in two",
    notes=("the answer cell 'noise-answer' had been split and was put together again",),
)
def _(given):
    place = at(given[SCALE], "noise-answer")
    first = copy_of(
        given[SCALE],
        "noise-answer",
        "def noise(key, x):\n    drawn = jax.random.normal(key, x.shape)",
    )
    given[SCALE].cells.insert(place, first)
    answer(given[SCALE], "noise-answer", "    return x + drawn")


@cells("schema of all ages")
def _(given):
    ages = iter([None, 1, 2, 99, "three", [3]])
    for each in given[SCALE].cells:
        each.metadata["unknown"] = {"deletable": "no", "collapsed": [1]}
        if label(each):
            label(each)["schema_version"] = next(ages)
            label(each)["unknown"] = {"checksum": "0" * 32, "points": -1}
    del label(cell(given[SCALE], "double-answer"))["schema_version"]
    given[SCALE].metadata["celltoolbar"] = {"nbgrader": "Create Assignment"}


@cells(
    "graded cell deleted",
    notes=("the test cell 'scale-noise' had been deleted and was put back",),
)
def _(given):
    del given[SCALE].cells[at(given[SCALE], "scale-noise")]


@cells(
    "answer cell deleted",
    {"scale-noise": 0},
    says=("`noise` is not defined",),
    notes=("the answer cell 'noise-answer' is missing",),
)
def _(given):
    del given[SCALE].cells[at(given[SCALE], "noise-answer")]


@cells(
    "stripped by Colab",
    notes=(
        "the answer cell 'double-answer' had lost its label and was recognised by what it defines",
        "the answer cell 'noise-answer' had lost its label and was recognised by what it defines",
        "the answer cell 'total-answer' had lost its label and was recognised by what it defines",
    ),
)
def _(given):
    for number, each in enumerate(given[SCALE].cells):
        each.metadata, each.id = from_dict({"colab": {"base_uri": "x"}}), f"u{number}bX_9"
    given[SCALE].metadata = from_dict({"colab": {"provenance": []}})


@cells(
    "rewritten beyond recognition",
    NOTHING,
    says=("`double` is not defined", "`noise` is not defined", "`total` is not defined"),
    notes=("no answer cell could be recognised", "all test cells had been deleted"),
)
def _(given):
    given[SCALE] = new_notebook(cells=[new_code_cell("doubled = lambda x: 2 * x\ndoubled(3)")])


@cells(
    "flags flipped",
    {"scale-noise": 0},
    says=("noise(key, x) should be an array, and it is a str.",),
    notes=(
        "the test cell 'scale-noise' had been changed; the instructor's counts",
        "the test cell 'scale-total' had been changed; the instructor's counts",
    ),
)
def _(given):
    code = cell(given[SCALE], "double-answer").source
    as_text = new_markdown_cell(code, id="double-answer")  # its type was changed by mistake
    as_text.metadata = cell(given[SCALE], "double-answer").metadata
    given[SCALE].cells[at(given[SCALE], "double-answer")] = as_text
    label(as_text).update(solution=False, grade=True, points=100, locked=True)
    answer(given[SCALE], "noise-answer", "def noise(key, x):\n    return 'x'")
    answer(given[SCALE], "scale-noise", "assert True")
    label(cell(given[SCALE], "scale-noise")).update(points=100, solution=True, grade=False)
    total = cell(given[SCALE], "scale-total")
    given[SCALE].cells[at(given[SCALE], "scale-total")] = from_dict(
        {"cell_type": "markdown", "id": total.id, "metadata": total.metadata, "source": "done"}
    )


@cells(
    "cells of another lesson",
    notes=("cells with labels of another notebook were ignored: 'dropout-mask', 'week 3.[a]'",),
)
def _(given):
    foreign = new_code_cell("raise SystemExit", id="dropout-mask")
    meta = {"grade_id": "dropout-mask", "grade": True, "points": 50, "schema_version": 3}
    foreign.metadata["nbgrader"] = meta
    odd = new_code_cell(WRONG_DOUBLE)
    odd.metadata["nbgrader"] = {"grade_id": "week 3.[a]", "solution": True, "schema_version": 3}
    given[SCALE].cells += [foreign, odd]
    label(cell(given[SCALE], "noise-answer"))["grade_id"] = "noise-answer (1)"


@cells("cells in another order")
def _(given):
    cells_ = given[SCALE].cells
    by_id = {each.id: each for each in cells_}
    order = ["scale-total", "scale-noise", "imports", "noise-answer", "double-answer"]
    order += ["total-answer", "scale-double", "thoughts", "title", "noise-text"]
    given[SCALE].cells = [by_id[cell_id] for cell_id in order]
    insert(
        given[SCALE], "double-answer", "TWO = math.sqrt(4)\n\n\ndef twice(x):\n    return TWO * x"
    )
    answer(given[SCALE], "imports", by_id["imports"].source + "\nimport math")
    answer(given[SCALE], "double-answer", "def double(x):\n    return twice(x)")
