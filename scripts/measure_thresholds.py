"""Measure what right answers reach, to set the thresholds of the checks.

``python scripts/measure_thresholds.py 1-dropout-keys`` prints mean, standard deviation, smallest
and largest over 20 seeds. The figures stand beside each threshold in tests/checks.
"""

import contextlib
import io
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import jax
import numpy as np

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "source" / "intro-to-jax"), str(ROOT / "tests" / "checks"), str(ROOT)]

import mlp  # noqa: E402
import mlp_numpy  # noqa: E402

SEEDS = range(20)


def dropout_checks_own_run(seed: int) -> float:
    """The check's short training run, with the reference and another start and other keys."""
    from reference.dropout_keys import forward_dropout

    import test_dropout_keys as checks

    @jax.jit
    def grads(params, x, y, key):
        return jax.grad(
            lambda p: mlp.cross_entropy(forward_dropout(p, x, key, rate=0.2), y)
        )(params)

    x, y = mlp_numpy.digits("train", 4000)
    trained = mlp_numpy.fit(
        lambda params, x, y, step: grads(params, x, y, jax.random.key(10_000 * seed + step)),
        mlp_numpy.random_params(100 + seed, bias=0),
        x,
        y,
        steps=checks.STEPS,
        batch=checks.BATCH,
    )
    x, y = mlp_numpy.digits("valid", 500)
    return mlp_numpy.accuracy(mlp_numpy.forward(trained, x), y)


def dropout_notebook(seed: int, rate: float, epochs: int = 8) -> float:
    """The notebook's own training with the given rate, another start and another order."""
    from reference.dropout_keys import forward_dropout

    digits = mlp.load_mnist()
    start_key, train_key = jax.random.split(jax.random.key(seed))
    trained = mlp.train(
        mlp.init_params(start_key),
        lambda p, x, y, key: mlp.cross_entropy(forward_dropout(p, x, key, rate=rate), y),
        digits.x_train,
        digits.y_train,
        train_key,
        epochs=epochs,
    )
    return mlp.accuracy(mlp.forward(trained, digits.x_valid), digits.y_valid)


def generic_checks_own_run(seed: int) -> float:
    """The check's short training run of five layers, with another start."""
    from reference.generic_forward import mlp_forward

    import test_generic_forward as checks

    @jax.jit
    def grads(params, x, y):
        return jax.grad(lambda p: mlp.cross_entropy(mlp_forward(p, x), y))(params)

    x, y = mlp_numpy.digits("train", 4000)
    trained = mlp_numpy.fit(
        lambda params, x, y, step: mlp_numpy.tree_map(np.asarray, grads(params, x, y)),
        mlp_numpy.random_params(100 + seed, checks.DEEP, bias=0),
        x,
        y,
        steps=checks.STEPS,
        batch=checks.BATCH,
    )
    x, y = mlp_numpy.digits("valid", 500)
    return mlp_numpy.accuracy(mlp_numpy.forward(trained, x), y)


def generic_notebook(seed: int, sizes: tuple[int, ...], score: Callable) -> float:
    """The notebook's training of a network of these sizes, another start and another order."""
    from reference.generic_forward import mlp_forward

    digits = mlp.load_mnist()
    start_key, train_key = jax.random.split(jax.random.key(seed))
    trained = mlp.train(
        mlp.init_params(start_key, sizes),
        lambda p, x, y, key: mlp.cross_entropy(mlp_forward(p, x), y),
        digits.x_train,
        digits.y_train,
        train_key,
        epochs=8,
    )
    return float(score(mlp_forward(trained, digits.x_valid), digits.y_valid))


MEASUREMENTS: dict[str, dict[str, Callable[[int], float]]] = {
    "1-dropout-keys": {
        "the check's own run": dropout_checks_own_run,
        "notebook, no dropout": partial(dropout_notebook, rate=0.0),
        "notebook, rate 0.2": partial(dropout_notebook, rate=0.2),
    },
    "3-generic-forward": {
        "the check's own run": generic_checks_own_run,
        "notebook, deep_accuracy": partial(
            generic_notebook, sizes=(784, 128, 64, 64, 32, 10), score=mlp.accuracy
        ),
        **{
            f"notebook, loss of {n} layers": partial(
                generic_notebook, sizes=(784, *[64] * (n - 1), 10), score=mlp.cross_entropy
            )
            for n in (1, 2, 3, 5, 11, 20)
        },
    },
}


def measure(exercise: str) -> Iterator[str]:
    for name, run in MEASUREMENTS[exercise].items():
        with contextlib.redirect_stdout(io.StringIO()):
            values = np.array([run(seed) for seed in SEEDS])
        yield (
            f"{name}: mean {values.mean():.4f}, sd {values.std(ddof=1):.4f}, "
            f"smallest {values.min():.4f}, largest {values.max():.4f} ({len(values)} seeds)"
        )


if __name__ == "__main__":
    for exercise in sys.argv[1:] or MEASUREMENTS:
        print(f"{exercise} (jax {jax.__version__})")
        for line in measure(exercise):
            print("  " + line, flush=True)
