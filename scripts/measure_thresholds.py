"""Measure what right answers reach, to set the thresholds of the checks.

``python scripts/measure_thresholds.py 1-dropout-keys`` prints mean, standard deviation, smallest
and largest over 20 seeds. The figures stand beside each threshold in tests/checks.
"""

import contextlib
import importlib.util
import io
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import jax
import numpy as np
import optax

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "source" / "intro-to-jax"), str(ROOT / "tests" / "checks"), str(ROOT)]

import mlp  # noqa: E402
import mlp_numpy  # noqa: E402

from jaxercise.checks import distance  # noqa: E402

SEEDS = range(20)


def dropout_checks_own_run(seed: int) -> float:
    """The check's short training run, with the reference and another start and other keys."""
    import test_dropout_keys as checks

    from reference.dropout_keys import forward_dropout

    @jax.jit
    def grads(params, x, y, key):
        return jax.grad(lambda p: mlp.cross_entropy(forward_dropout(p, x, key, rate=0.2), y))(
            params
        )

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


def per_example_error(seed: int, what: str) -> float:
    """How far the reference's float32 is from float64, with other parameters and other digits:
    gradients by the largest entry of their leaf, norms each by itself."""
    import test_per_example_grads as checks

    from reference.per_example_grads import per_example_grad_norms, per_example_grads

    params = mlp_numpy.random_params(200 + seed, bias=0.05)
    rows = np.random.default_rng(seed).choice(500, checks.N, replace=False)
    x, y = checks.IMAGES[rows], checks.LABELS[rows]
    if what == "gradients":
        found = mlp_numpy.tree_map(np.asarray, per_example_grads(params, x, y))
        pairs = zip(
            mlp_numpy.tree_leaves(found),
            mlp_numpy.tree_leaves(mlp_numpy.per_example_grads(params, x, y)),
        )
        return max(np.abs(f - e).max() / np.abs(e).max() for f, e in pairs)
    if what == "faint":
        x = 0.05 * x
    expected = mlp_numpy.per_example_norms(params, x, y)
    return float(checks.off(np.asarray(per_example_grad_norms(params, x, y)), expected).max())


def per_example_rank_correlation(seed: int) -> float:
    """Spearman's coefficient of the 32 digits after the same training with another seed."""
    import test_per_example_grads as checks
    import train_network
    from scipy.stats import spearmanr

    params = mlp_numpy.tree_map(np.asarray, train_network.train_network(seed))
    x, y = checks.IMAGES[: checks.N], checks.LABELS[: checks.N]
    p = mlp_numpy.probabilities(mlp_numpy.forward(params, x))[np.arange(checks.N), y]
    return float(spearmanr(mlp_numpy.per_example_norms(params, x, y), p).statistic)


def generic_checks_own_run(seed: int) -> float:
    """The check's short training run of five layers, with another start."""
    import test_generic_forward as checks

    from reference.generic_forward import mlp_forward

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


def benchmark_bounds(seed: int, part: str) -> float:
    """The reference on sleeping steps: how far its mean leaves the bounds of the step's record
    ("outside", 0 if it stays within), or how far apart these are ("width"); relative."""
    from time import perf_counter

    import test_jit_benchmark as checks

    from jaxercise import standins
    from reference.jit_benchmark import benchmark

    n = checks.STEADY_STEPS
    step, log = standins.build("sleeping step", {"first_s": 0.02, "later_s": 0.02})
    called = perf_counter()
    reported = benchmark(step, *checks.LESSON_ARGS, n_steps=n)["mean_step_s"]
    standins.close([log], called)
    low, high = checks.mean_bounds(log, n)
    if part == "width":
        return high / low - 1
    return max(low / reported - 1, reported / high - 1, 0.0)


def lesson_speedup(seed: int) -> float:
    """The notebook's report on the lesson's training step; a new function each time."""
    from reference.jit_benchmark import compare_jit

    optimizer = optax.adam(1e-3)

    def training_step(params, opt_state, x, y):
        loss, grads = jax.value_and_grad(mlp.loss_fn)(params, x, y)
        updates, opt_state = optimizer.update(grads, opt_state, params)
        return optax.apply_updates(params, updates), opt_state, loss

    digits = mlp.load_mnist()
    params = mlp.init_params(jax.random.key(seed))
    x, y = digits.x_train[:128], digits.y_train[:128]
    return compare_jit(training_step, params, optimizer.init(params), x, y, n_steps=50)["speedup"]


def clipping_updates(seed: int, answer: str) -> float:
    """Largest relative distance of an answer's updates from the NumPy Adam on clipped gradients.

    The start of Adam's bias correction is where float32 and float64 differ most.
    """
    import test_gradient_clipping as checks

    module = ROOT / answer
    spec = importlib.util.spec_from_file_location(module.stem, module)
    assert spec and spec.loader
    spec.loader.exec_module(loaded := importlib.util.module_from_spec(spec))
    params, worst = checks.params_of(0), 0.0
    for grads, max_norm in (
        (checks.spread_grads(seed, checks.QUIET_FIRST), None),
        *((checks.spread_grads(seed, checks.LOUD_AND_QUIET), limit) for limit in (0.1, 1.0, 5.0)),
        (checks.lone_grads((0.06, 0.001, 0.16, 0.006, 4e-6)), 0.01),
    ):
        optimizer = loaded.make_optimizer(1e-3, max_norm)
        state, update = optimizer.init(params), jax.jit(optimizer.update)
        clipped = [checks.clipped(tree, max_norm or np.inf) for tree in grads]
        for tree, expected in zip(grads, checks.adam_updates(clipped, 1e-3)):
            found, state = update(tree, state, params)
            found = jax.tree.map(np.asarray, found)
            worst = max(worst, distance(checks.flat(found), checks.flat(expected)))
    return worst


def clipping_smallest_mistake(seed: int) -> float:
    """The same distance for an optimizer that lets gradients just above the limit pass."""
    import test_gradient_clipping as checks

    grads = checks.lone_grads(checks.ABOVE)
    grads = [checks.scaled(tree, 1 + 1e-4 * seed) for tree in grads]  # no draw: vary the size
    clipped = [checks.clipped(tree, 1.0) for tree in grads]
    pairs = zip(checks.adam_updates(grads, 1e-3), checks.adam_updates(clipped, 1e-3))
    return max(distance(checks.flat(a), checks.flat(b)) for a, b in pairs)


def clipping_train(seed: int, part: str) -> float:
    """The reference's ``train`` against NumPy: relative distance of norms or of steps, or how much
    the norms change without the biases."""
    import test_gradient_clipping as checks

    from reference.gradient_clipping import train

    start, batches = mlp_numpy.random_params(100 + seed), checks.different_batches()
    if part == "step":
        momentum = 0.9 * (seed % 2)
        rate = checks.RATE / 4 if momentum else checks.RATE
        trained, _ = train(start, optax.sgd(rate, momentum or None), batches)
        moved = jax.tree.map(lambda a, b: np.asarray(a) - b, trained, start)
        pairs = zip(
            mlp_numpy.tree_leaves(moved),
            mlp_numpy.tree_leaves(checks.sgd_steps(batches, rate, momentum, begin=start)),
        )
        return max(float(np.linalg.norm(a - b) / np.linalg.norm(b)) for a, b in pairs)
    grads = [mlp_numpy.batch_grads(start, x, y) for x, y in batches]
    expected = np.array([mlp_numpy.global_norm(tree) for tree in grads])
    if part == "no biases":
        weights = [{name: layer["w"] for name, layer in tree.items()} for tree in grads]
        return float((1 - np.array([mlp_numpy.global_norm(w) for w in weights]) / expected).min())
    _, norms = train(start, optax.sgd(0.0), batches)
    return float(np.abs(np.asarray(norms) / expected - 1).max())


def clipping_notebook(seed: int, part: str) -> float:
    """The notebook's two runs from another start: how far apart their first norms ("first") or
    their furthest norms ("furthest") are, or the first norms of two starts ("start")."""
    from reference.gradient_clipping import make_optimizer, train

    digits = mlp.load_mnist()
    batches = list(zip(digits.x_train.reshape(80, 50, 784), digits.y_train.reshape(80, 50)))
    for i in (20, 50):
        batches[i] = (255 * batches[i][0], batches[i][1])
    start = mlp.init_params(jax.random.key(seed))
    if part == "start":
        other = mlp.init_params(jax.random.key(100 + seed))
        (_, a), (_, b) = (train(p, make_optimizer(), batches[:1]) for p in (start, other))
        return float(abs(a[0] / b[0] - 1))
    _, plain = train(start, make_optimizer(1e-3), batches)
    _, clipped = train(start, make_optimizer(1e-3, 1.0), batches)
    apart = np.abs(np.asarray(plain) / np.asarray(clipped) - 1)
    return float(apart[0] if part == "first" else apart.max())


MEASUREMENTS: dict[str, dict[str, Callable[[int], float]]] = {
    "1-dropout-keys": {
        "the check's own run": dropout_checks_own_run,
        "notebook, no dropout": partial(dropout_notebook, rate=0.0),
        "notebook, rate 0.2": partial(dropout_notebook, rate=0.2),
    },
    "2-per-example-grads": {
        "gradients, relative error": partial(per_example_error, what="gradients"),
        "norms, relative error": partial(per_example_error, what="norms"),
        "norms on faint images, relative error": partial(per_example_error, what="faint"),
        "rank correlation, trained anew": per_example_rank_correlation,
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
            for n in (1, 2, 3, 5, 20)
        },
    },
    "4-jit-benchmark": {
        "mean outside its bounds": partial(benchmark_bounds, part="outside"),
        "width of these bounds": partial(benchmark_bounds, part="width"),
        "speedup of the lesson's step": lesson_speedup,
    },
    "5-gradient-clipping": {
        "updates, reference": partial(clipping_updates, answer="reference/gradient_clipping.py"),
        "updates, by hand": partial(
            clipping_updates,
            answer="tests/answers/5-gradient-clipping/right/adam_by_hand_scalar_state.py",
        ),
        "updates, smallest mistake": clipping_smallest_mistake,
        "norms": partial(clipping_train, part="norms"),
        "norms without biases": partial(clipping_train, part="no biases"),
        "steps": partial(clipping_train, part="step"),
        "notebook, first norms": partial(clipping_notebook, part="first"),
        "notebook, furthest norms": partial(clipping_notebook, part="furthest"),
        "notebook, first norm of another start": partial(clipping_notebook, part="start"),
    },
}


def measure(exercise: str) -> Iterator[str]:
    for name, run in MEASUREMENTS[exercise].items():
        with contextlib.redirect_stdout(io.StringIO()):
            values = np.array([run(seed) for seed in SEEDS])
        yield (
            f"{name}: mean {values.mean():.4g}, sd {values.std(ddof=1):.4g}, "
            f"smallest {values.min():.4g}, largest {values.max():.4g} ({len(values)} seeds)"
        )


if __name__ == "__main__":
    for exercise in sys.argv[1:] or MEASUREMENTS:
        print(f"{exercise} (jax {jax.__version__})")
        for line in measure(exercise):
            print("  " + line, flush=True)
