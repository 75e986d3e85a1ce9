"""The lesson's self-check: the answers are JAX's own, out of sight, and not to be guessed by form.

The first functions are named after the questions. Each runs the code that its question shows and
returns the right option's text. They must not know letters, which stand in questions.toml.
"""

import contextlib
import io
import json
import re
import subprocess
import sys
import time
import zlib
from itertools import combinations
from pathlib import Path
from types import SimpleNamespace

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import errors, linen

sys.path.insert(0, str(Path(__file__).parents[1] / "scripts"))

import pack_questions
import quiz  # pack_questions says where it is

QUESTIONS = {question.id: question for question in pack_questions.written()}
CODE = {x: re.findall("```python(.*?)```", q.text, re.S) for x, q in QUESTIONS.items()}
EACH = pytest.mark.parametrize("question", QUESTIONS.values(), ids=list(QUESTIONS))


def run(code: str, **given: object) -> SimpleNamespace:
    """Run code with ``jax`` and ``jnp`` imported; gives its names and what it ``printed``."""
    names = {"jax": jax, "jnp": jnp, **given}
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(code, names)
    return SimpleNamespace(**names, printed=printed.getvalue().strip())


def python(code: str, *options: str) -> str:
    command = [sys.executable, *options, "-W", "error", "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


def immutability():
    in_place = "y = x; x[0] = 5.0; x[1] = 7.0; print(x, y)"
    assert run(in_place, x=np.zeros(3)).printed == "[5. 7. 0.] [5. 7. 0.]"
    with pytest.raises(TypeError, match="immutable"):
        run(in_place, x=jnp.zeros(3))
    return run(CODE["immutability"][0]).printed


def composition():
    names, results = vars(run(CODE["composition"][0])), []
    for option in QUESTIONS["composition"].options.values():
        try:
            results.append(eval(option.text.strip("`"), names))
        except TypeError as error:
            assert "scalar-output functions" in str(error)
            raises = option.text
    by_element, second, jacobian = results
    assert by_element.tolist() == [2, 4, 6] and second == (6, 2)
    assert jacobian.tolist() == np.diag([2, 4, 6]).tolist()
    return raises


def tracing():
    code = CODE["tracing"][0]
    *seen, last = run(code).printed.splitlines()
    assert all("float32[3]" in line and "1." not in line for line in seen)
    eager = run(code.replace("@jax.jit", "")).printed
    assert eager == "x is [1. 1. 1.]\n" * 2 + "[10. 10. 10.]"
    code = code.replace("print(", "jax.debug.print('{} {}', ", 1) + "\njax.effects_barrier()"
    assert run(code).printed.count("x is [1. 1. 1.]") == 2
    return f"{('None', 'One', 'Two')[len(seen)]}, without numbers; then `{last}`"


def retracing():
    return str(len(run(CODE["retracing"][0]).runs))


def vmap():
    return run(CODE["vmap"][0]).printed


def pytrees():
    shown = run(CODE["pytrees"][0])
    in_reverse = {name: shown.params[name] for name in reversed(shown.params)}
    assert jax.tree.structure(in_reverse) == jax.tree.structure(shown.params)
    return shown.printed


def keys():
    shown = vars(run(CODE["keys"][0]))
    new = [jax.random.key_data(shown[name]).tolist() for name in ("key", "other")]
    assert jax.random.key_data(jax.random.key(0)).tolist() not in new and new[0] != new[1]
    pairs = [f"`{p} == {q}`" for p, q in combinations("abcde", 2) if shown[p] == shown[q]]
    return " and ".join(pairs) + ", and no other pair"


def log_softmax():
    shown = run(CODE["log_softmax"][0])
    naive = jnp.exp(shown.logits) / jnp.exp(shown.logits).sum()
    assert str(jnp.log(naive)) == "[ nan -inf]" and jnp.exp(-200.0) == 0
    first, second = (", ".join(f"{n:g}" for n in x) for x in (shown.first, shown.second))
    return f"`first` is `[{first}]`, but `second` is `[{second}]`"


def timing():
    """Without a clock: is the result there after the call, and does it come without being asked?"""
    x = jnp.full((500, 500), 0.002)
    f = jax.jit(lambda x: jax.lax.fori_loop(0, 60, lambda i, y: jnp.tanh(y @ x), x))
    run(CODE["timing"][0].replace("sleep(2)", "sleep(0)"), f=f, x=x)  # compiles, and waits
    waited = all(f(x).is_ready() for _ in range(5))  # a busy machine may halt us after a call
    y, deadline = f(x), time.monotonic() + 60
    while not y.is_ready() and time.monotonic() < deadline:
        time.sleep(0.01)
    return f"`t1 - t0` is about {int(waited)}, `t3 - t2` is about {1 - int(y.is_ready())}"


def sharding():
    begin = "import jax, jax.numpy as jnp; jax.config.update('jax_num_cpu_devices', 8)\n"
    look = """
def held(x):
    return {s.device: s.data.tolist() for s in x.addressable_shards}

at, beside, shards = mesh.devices[1, 1], mesh.devices[1, 0], held(x)
assert [device for device in shards if shards[device] == shards[at]] == [beside, at]
rows = [i for i, row in enumerate(jax.device_get(x).tolist()) if row in shards[at]]
both = held(jax.device_put(x, NamedSharding(mesh, PartitionSpec("data", "model"))))
assert both[at] == [row[3:] for row in shards[at]] and list(both.values()).count(both[at]) == 1
print("Rows", " and ".join(map(str, rows)) + ", whole; one other device has them as well")
"""
    return python(begin + CODE["sharding"][0] + look).strip()


def flax():
    shown = run(CODE["flax"][0])
    with pytest.raises(errors.CallCompactUnboundModuleError):
        shown.dense(shown.x)
    assert shown.dense == linen.Dense(4) and vars(shown.linear).keys() > {"kernel", "bias"}
    assert shown.dense.apply(shown.variables, shown.x).shape == shown.linear(shown.x).shape
    return "Only `linear(x)` works: `dense` itself holds no weights"


def validation():
    key, other = jax.random.split(jax.random.key(0))  # 100 people, 20 networks, 500 digits
    best = jax.random.bernoulli(key, 0.9, (100, 20, 500)).mean(axis=-1).max(axis=1).mean()
    test = jax.random.bernoulli(other, 0.9, (100, 500)).mean()
    assert 0.895 < test < best < 0.93
    words = ["above" if mean > 0.905 else "about" for mean in (best, test)]
    return f"Validation {words[0]} 90 %, test {words[1]} 90 %"


@EACH
def test_the_right_option_says_what_jax_does(question):
    seen = globals()[question.id]()
    says = {letter: option.text.strip("`") for letter, option in question.options.items()}
    assert [x for x in says if says[x] == seen.strip("`")] == [question.right], seen


def test_neither_place_nor_length_gives_an_answer_away():
    assert sorted(q.right for q in QUESTIONS.values()) == sorted("abcd" * 3)
    lengths = []  # the right one first
    for q in QUESTIONS.values():
        lengths.append([len(q.options[x].text) for x in sorted("abcd", key=q.right.__ne__)])
    uneven = [row for row in lengths if len(set(row)) > 1]
    assert sum(row[0] == max(row) for row in uneven) <= 4
    assert sum(row[0] == min(row) for row in uneven) <= 4
    right, *wrong = np.mean(lengths, axis=0)
    assert 0.85 < right / np.mean(wrong) < 1 / 0.85


@EACH
def test_each_option_is_explained_and_no_answer_is_in_plain_sight(question):
    content, packed = quiz.STORED.read_text(encoding="utf-8"), pack_questions.packed(question)
    assert list(question.options) == list("abcd") and len(set(question.options.values())) == 4
    assert packed.right not in question.options
    assert len({len(option.why) for option in packed.options.values()}) == 1
    for letter, option in question.options.items():
        assert not any(option.why[i : i + 30] in content for i in range(len(option.why) - 30))
        right = question.options[question.right].text
        assert len(option.why) > 100 and (letter == question.right or right not in option.why)
        for other in set("abcd") - {letter}:
            with pytest.raises(zlib.error):
                quiz.revealed(packed.options[letter].why, question.id, other)


def test_the_stored_questions_are_those_we_wrote():
    def readable(q: quiz.Question) -> list[object]:  # another zlib may pack in another way
        whys = [(x, o.text, quiz.revealed(o.why, q.id, x)) for x, o in q.options.items()]
        return [q.id, q.text, q.right, whys]

    stored = quiz.questions_in(json.loads(quiz.STORED.read_text(encoding="utf-8")))
    fresh = map(pack_questions.packed, QUESTIONS.values())
    assert [*map(readable, stored)] == [*map(readable, fresh)], "run scripts/pack_questions.py"


@pytest.fixture
def shown(monkeypatch):
    """What is shown from here on, as Markdown, with no question tried yet."""
    pages: list[str] = []
    monkeypatch.setattr(quiz, "display", lambda page: pages.append(page._repr_markdown_()))
    monkeypatch.setattr(quiz, "FIRST_TRIES", {})
    return pages


def test_questions_are_asked_and_options_tried_and_only_the_first_try_counts(shown, capsys):
    for number, question in enumerate(list(QUESTIONS.values())[:11], start=1):
        quiz.ask(number)
        asked = shown.pop()
        assert asked.startswith(f"**Question {number} of 12**") and question.text in asked
        for letter, option in question.options.items():
            quiz.answer(number, letter)
            right, said = letter == question.right, shown.pop()
            assert f"**{letter})** {option.text}" in asked and option.why in said
            assert ("not right" in said) == ("try another" in said) == (not right)
    quiz.answered()  # a was tried first, and among these eleven it is right twice
    assert capsys.readouterr().out == "2 of 12 right at the first try.\nNot tried yet: 12.\n"


def test_what_is_clear_is_accepted_and_anything_else_told_and_not_counted(shown):
    for number in (0, 13, -1, 2.5, None, "one", [1]):
        quiz.ask(number)
        quiz.answer(number, "a")
        assert all("numbers 1 to 12" in shown.pop() for _ in range(2))
    for choice in ("e", "", "ab", None, 1, ["a"]):
        quiz.answer(1, choice)
        assert "one of the letters a, b, c, d" in shown.pop()
    assert quiz.FIRST_TRIES == {}
    for number, choice in ((1, "B"), ("1", " b "), (np.int64(1), "(b)")):
        quiz.answer(number, choice)
        assert shown.pop().startswith("**Question 1, b: ")


@pytest.mark.parametrize("without", ["", "sys.modules['IPython'] = None"])
def test_plain_python_prints_text(without):
    code = f"import sys\n{without}\nsys.path.insert(0, {str(pack_questions.FOLDER)!r})\n"
    code += "import quiz; quiz.ask(4); quiz.answer(4, 'd'); assert 'jax' not in sys.modules"
    out = python(code, "-I")
    assert out.startswith("Question 4 of 12\n") and "\n    runs = []\n" in out and "x**n\n" in out
    assert "\nQuestion 4, d: not right. " in out and "```" not in out
