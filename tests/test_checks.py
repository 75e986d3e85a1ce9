"""The shared assertions: purity accepts what is pure and names what is not."""

import numpy as np
import pytest

from jaxercise.checks import (
    Mistake,
    assert_pure,
    assert_pure_optimizer,
    close,
    recognise,
    same_values,
)
from jaxercise.exhibits import Key

X = np.linspace(0.1, 1, 6, dtype=np.float32).reshape(2, 3)
HEAD = "import jax, jax.numpy as jnp, numpy as np\nfrom functools import lru_cache, partial\n"

PURE = {
    "plain": "def f(key, x, rate): return x * jax.random.bernoulli(key, rate, x.shape)",
    "jitted": "@partial(jax.jit, static_argnames='rate')\n"
    "def f(key, x, rate): return x * jax.random.bernoulli(key, rate, x.shape)",
    "lambda": "f = lambda key, x, rate: x * rate",
    "callable object": "class F:\n    def __call__(self, key, x, rate): return x * rate\nf = F()",
    "constant from outside": "W = jnp.ones(3)\ndef f(key, x, rate): return x * W * rate",
    "cached helper": "@lru_cache\ndef scale(r): return 1 / (1 - r)\n"
    "def f(key, x, rate): return x * scale(rate)",
    "nan and inf": "def f(key, x, rate): return jnp.stack([x / 0, 0 * x / 0, x])",
    "jit inside": "def f(key, x, rate): return jax.jit(lambda x: jnp.where(x > 0, x, 0))(x)",
}

IMPURE = {
    "NumPy's random numbers": (
        "def f(key, x, rate): return x * np.random.rand(*x.shape)",
        "NumPy's global random state",
    ),
    "a generator of its own": (
        "rng = np.random.default_rng(0)\ndef f(key, x, rate): return x * rng.random(x.shape)",
        "different results",
    ),
    "NumPy's random numbers behind an inner jit": (
        "@jax.jit\ndef g(x): return x * np.random.default_rng().random(x.shape)\n"
        "def f(key, x, rate): return g(x)",
        "two different programs",
    ),
    "a key kept outside": (
        "KEY = jax.random.key(0)\ndef f(key, x, rate):\n    global KEY\n"
        "    KEY, sub = jax.random.split(KEY)\n    return x * jax.random.uniform(sub, x.shape)",
        "the variable `KEY`",
    ),
    "a counter": ("n = 0\ndef f(key, x, rate):\n    global n\n    n += 1\n    return x", "`n`"),
    "a tracer stored": (
        "last = None\ndef f(key, x, rate):\n"
        "    if isinstance(x, jax.core.Tracer):\n        global last\n        last = x\n"
        "    return x",
        "tracer",
    ),
    "a debug print": (
        "def f(key, x, rate):\n    jax.debug.print('{}', x)\n    return x",
        "calls back into Python",
    ),
    "NumPy at the end": ("def f(key, x, rate): return np.asarray(x) * 2", "cannot be traced"),
    "other results under jit": (
        "def f(key, x, rate): return x * (2 if isinstance(x, jax.core.Tracer) else 3)",
        "Under `jax.jit`",
    ),
}


@pytest.mark.parametrize("name", PURE)
def test_pure_functions_are_accepted(student_of, name):
    assert_pure(student_of(HEAD + PURE[name]), "f", Key(1), X, 0.25)


@pytest.mark.parametrize("name", IMPURE)
def test_impure_functions_are_named(student_of, name):
    code, words = IMPURE[name]
    with pytest.raises(AssertionError, match=words):
        assert_pure(student_of(HEAD + code), "f", Key(1), X, 0.25)


def test_optimizers_are_pure_or_named(student_of):
    head = "import optax\ncalls = []\n"
    pure = "def make(): return optax.adam(0.1)"
    impure = (
        "def make():\n    inner = optax.adam(0.1)\n    def update(g, s, p=None):\n"
        "        calls.append(1)\n        u, s = inner.update(g, s, p)\n"
        "        return optax.tree.scale(len(calls), u), s\n"
        "    return optax.GradientTransformation(inner.init, update)"
    )
    assert_pure_optimizer(student_of(head + pure).optimizer("make"), {"w": X}, {"w": X})
    with pytest.raises(AssertionError, match="the variable `calls`"):
        assert_pure_optimizer(student_of(head + impure).optimizer("make"), {"w": X}, {"w": X})


def test_a_mistake_has_a_name_and_words():
    recognise(False, "wrong-sign", "Every gradient has the wrong sign.")
    with pytest.raises(Mistake, match="the wrong sign") as told:
        recognise(True, "wrong-sign", "Every gradient has the wrong sign.")
    assert told.value.mistake == "wrong-sign" and isinstance(told.value, AssertionError)


def test_closeness_is_relative_to_the_largest_entry():
    assert close(np.array([1e-9, 1.0]), np.array([0.0, 1.0]), 1e-6)
    assert not close(np.array([0.0, 1.1]), np.array([0.0, 1.0]), 1e-2)
    assert not close(np.array([np.nan]), np.array([1.0]))
    assert not close(np.ones((2, 1)), np.ones(2))


def test_same_values_compares_structures_too():
    assert same_values({"a": [X, 1.0]}, {"a": [X, 1.0]}, 1e-6)
    assert not same_values({"a": [X]}, {"a": [X, X]}, 1e-6)
    assert not same_values({"a": X}, {"b": X}, 1e-6)
    assert not same_values({"a": "x"}, {"a": X}, 1e-6)
