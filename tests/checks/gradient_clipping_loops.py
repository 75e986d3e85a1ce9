"""The training loop of exercise 5 in NumPy, and explanations of failed checks of a student's loop.

Each mistake is played through on the checks' own batches. This module must not ask the student
anything.
"""

from functools import cache
from itertools import permutations

import mlp_numpy as mlp
import numpy as np
from gradient_clipping_mistakes import clipped, entries, leaf_norms, weights_of

from jaxercise.checks import recognise

N_BATCHES, BATCH = 4, 16
RATE = 0.1  # of SGD; the four steps turn the network enough to tell right from wrong
# Measured over 20 starts (jax 0.10.1): the reference's norms are within 1.1e-7 of the NumPy
# network's, and leaving out the biases changes them by 7e-3 or more. Its steps, with SGD and with
# momentum, are within 4.3e-6 of NumPy's in every leaf.
SAME_NORM = 5e-4
SAME_STEP = 0.05


@cache
def start() -> dict:
    return mlp.random_params(6)


@cache
def different_batches() -> list[tuple]:
    x, y = mlp.digits("train", N_BATCHES * BATCH)
    return [(x[i::N_BATCHES], y[i::N_BATCHES]) for i in range(N_BATCHES)]


def one_batch_again() -> list[tuple]:
    return different_batches()[:1] * N_BATCHES


# --- names and words of mistakes that several checks may see

TWICE = (
    "batches-used-twice",
    f"For {N_BATCHES} batches `train` made {2 * N_BATCHES} steps. It makes one pass: every batch "
    "is used once.",
)
LEFT_OUT = (
    "batch-left-out",
    f"For {N_BATCHES} batches `train` made {N_BATCHES - 1} steps. Every batch is used once, the "
    "first and the last too.",
)
ONE_BATCH = (
    "only-the-first-batch",
    "Every step is made on the first batch. Does the compiled step get each batch as an argument?",
)
BACKWARDS = (
    "batches-backwards",
    "The batches are used in reverse order; they are to be used in the order given.",
)
ORDER = (
    "batches-in-another-order",
    "The batches are not used in the order given.",
)
NOT_USED = (
    "optimizer-not-used",
    "The parameters do not move by the updates of the optimizer that `train` was given. It is to "
    "step with that one and nothing else.",
)


# --- steps


def sgd_steps(
    batches: list[tuple],
    rate: float,
    momentum: float = 0.0,
    carried: bool = True,
    limit: float = np.inf,
    decay: float = 0.0,
    begin: dict | None = None,
) -> dict:
    """How far SGD moves the parameters from ``begin``, which is ``start()`` if not given.

    Args:
        carried: False if every gradient is taken at the first parameters.
        limit: gradients are clipped to it.
        decay: so much of the parameters is added to their gradients.
    """
    begin = begin or start()
    params = mlp.tree_map(lambda p: p.astype(np.float64), begin)
    velocity = mlp.tree_map(np.zeros_like, params)
    for x, y in batches:
        grads = clipped(mlp.batch_grads(params if carried else begin, x, y), limit)
        grads = mlp.tree_map(lambda g, p: g + decay * p, grads, params)
        velocity = mlp.tree_map(lambda v, g: momentum * v + g, velocity, grads)
        params = mlp.tree_map(lambda p, v: p - rate * v, params, velocity)
    return mlp.tree_map(np.subtract, params, begin)


def last_step(batches: list[tuple], rate: float, momentum: float = 0.0) -> dict:
    """Where one step alone leads: the last one, made from ``start()`` as all before it."""
    one_less = sgd_steps(batches[:-1], rate, momentum, carried=False)
    return mlp.tree_map(np.subtract, sgd_steps(batches, rate, momentum, carried=False), one_less)


def same_step(found: dict, expected: dict) -> bool:
    """Whether two steps agree, leaf by leaf, relative to the expected step of that leaf."""
    pairs = zip(mlp.tree_leaves(found), mlp.tree_leaves(expected))
    return all(np.linalg.norm(a - b) <= SAME_STEP * np.linalg.norm(b) for a, b in pairs)


def is_still(step: dict) -> bool:
    return not any(leaf.any() for leaf in mlp.tree_leaves(step))


def is_made_with_momentum(found: dict, rate: float, momentum: float) -> bool:
    """Whether SGD with this momentum makes these steps on one batch again and again.

    Other mistakes are other checks' business: the sign and size of the steps, how often the batch
    is used, what the gradients are taken at, and whether they are clipped.
    """
    batches = one_batch_again()
    ways = [
        *(sgd_steps(batches, rate * factor, momentum) for factor in (1, -1, 2, BATCH)),
        *(sgd_steps(some, rate, momentum) for some in (batches[1:], batches * 2)),
        sgd_steps(batches, rate, momentum, carried=False),
        sgd_steps(batches, rate, momentum, limit=1.0),
        *([last_step(batches, rate, momentum)] if momentum else []),  # without, it tells nothing
    ]
    return any(same_step(found, way) for way in ways)


def tell_steps(found: dict) -> None:
    """Say which mistake moves the parameters so, with SGD at ``RATE``; nothing if none fits."""
    batches = different_batches()
    recognise(
        same_step(found, sgd_steps(batches, -RATE)),
        "updates-subtracted",
        "The parameters moved uphill: Optax's updates carry the minus sign already, so they are "
        "added (`optax.apply_updates`).",
    )
    recognise(
        same_step(found, sgd_steps(batches, 2 * RATE)),
        "updates-applied-twice",
        "The parameters moved twice as far as the updates say. Are they added twice?",
    )
    recognise(
        same_step(found, sgd_steps(batches, RATE, carried=False)),
        "gradients-at-the-first-parameters",
        "Every gradient is taken at the parameters that `train` began with. Does the compiled "
        "step get the parameters as an argument, or did it keep those that it saw first?",
    )
    recognise(
        same_step(found, last_step(batches, RATE)),
        "every-step-from-the-start",
        "Every step starts from the parameters that `train` began with, so that only the last one "
        "counts. Each step starts from what the one before it made.",
    )
    recognise(
        same_step(found, sgd_steps(batches, RATE, limit=1.0)),
        "train-clips-by-itself",
        "With SGD, which has no limit, gradients are clipped to a norm of 1. To clip is the "
        "optimizer's business, if it has a limit.",
    )
    recognise(same_step(found, sgd_steps(one_batch_again(), RATE)), *ONE_BATCH)
    recognise(same_step(found, sgd_steps(batches * 2, RATE)), *TWICE)
    left_out = [batches[:i] + batches[i + 1 :] for i in range(N_BATCHES)]
    recognise(any(same_step(found, sgd_steps(some, RATE)) for some in left_out), *LEFT_OUT)
    together = [tuple(np.concatenate(part) for part in zip(*batches))]
    recognise(
        same_step(found, sgd_steps(together, RATE)),
        "all-batches-at-once",
        "One step is made, on all batches together. A step is to be made on each batch by itself.",
    )
    recognise(same_step(found, sgd_steps(batches[::-1], RATE)), *BACKWARDS)
    recognise(
        any(same_step(found, sgd_steps(order, RATE)) for order in permutations(batches)), *ORDER
    )


# --- norms


def same_norms(found: np.ndarray, expected: np.ndarray) -> bool:
    return bool(np.all(np.abs(found - expected) <= SAME_NORM * np.abs(expected)))


def tell_norms(norms: np.ndarray, batches: list[tuple]) -> None:
    """Say which mistake makes these norms at ``start()``; nothing if none or several fit.

    Args:
        norms: one for each of ``batches``, and not the right ones.
    """
    params = start()
    grads = [mlp.batch_grads(params, x, y) for x, y in batches]
    right = np.array([mlp.global_norm(g) for g in grads])

    def are(other: np.ndarray) -> bool:
        return same_norms(norms, other)

    if len(norms) > 1:
        recognise(are(np.full(len(norms), right[0])), *ONE_BATCH)
        recognise(are(right[::-1]), *BACKWARDS)
        recognise(any(are(np.array(order)) for order in permutations(right)), *ORDER)
        recognise(
            norms[0] == 0 and np.allclose(norms[1:], right[:-1], rtol=SAME_NORM),
            "norms-one-step-late",
            "The norms come one step late: the first is 0, the second is that of the first batch.",
        )
        recognise(
            are(np.cumsum(right) / np.arange(1, len(right) + 1)),
            "norms-are-averaged",
            "Each norm is the mean of all norms so far. The contract asks for each step's own.",
        )
        together = mlp.batch_grads(params, *(np.concatenate(part) for part in zip(*batches)))
        recognise(
            are(np.full(len(norms), mlp.global_norm(together))),
            "all-batches-at-once",
            "Every norm is that of the gradient over all batches together. A step is made on each "
            "batch by itself.",
        )
        recognise(
            are(np.minimum(right, norms.max())) and norms.max() < right.max(),
            "norms-after-clipping",
            "The norms never exceed one number: the gradients seem to be measured after clipping. "
            "The contract asks for the norm before any clipping.",
        )
    fitting = {
        words: values
        for words, values in taken_for_norms(params, batches, grads).items()
        if are(values)
    }
    if len(fitting) == 1:
        name, words, *_ = next(iter(fitting))
        recognise(True, name, words)


def taken_for_norms(params: dict, batches: list, grads: list[dict]) -> dict:
    """What may be recorded in place of gradient norms: name and words, and the numbers."""

    def of_each(measure):
        return np.array([measure(g) for g in grads])

    def loss(x, y):
        p = mlp.probabilities(mlp.forward(params, x))
        return -np.log(p[np.arange(len(y)), y]).mean()

    every = [mlp.per_example_norms(params, x, y).mean() for x, y in batches]
    root_mean = of_each(lambda g: np.sqrt(np.mean(np.square(entries(g)))))
    return {
        (
            "norms-of-the-parameters",
            "These are the norms of the parameters; the contract asks for those of the gradients.",
        ): np.full(len(grads), mlp.global_norm(params)),
        (
            "losses-for-norms",
            "These are the losses; the contract asks for the norms of their gradients.",
        ): np.array([loss(x, y) for x, y in batches]),
        (
            "norms-of-arrays-are-added",
            "The norms of the arrays are added up. The global norm is the root of the sum of all "
            "squares.",
        ): of_each(lambda g: leaf_norms(g).sum()),
        (
            "norms-of-arrays-are-averaged",
            "These are means of the norms of the arrays. The global norm is the root of the sum of "
            "all squares.",
        ): of_each(lambda g: leaf_norms(g).mean()),
        (
            "norm-of-the-largest-array",
            "This is the norm of one array, the largest of them. The global norm is that of all "
            "arrays together.",
        ): of_each(lambda g: leaf_norms(g).max()),
        (
            "norms-are-squared",
            "These are squared norms: the root is missing.",
        ): of_each(lambda g: mlp.global_norm(g) ** 2),
        (
            "loss-is-summed",
            "These are norms of the gradient of the summed loss; the lesson's loss is the mean.",
        ): of_each(lambda g: mlp.global_norm(g) * BATCH),
        (
            "biases-not-in-the-norm",
            "These are norms of the weights' gradients alone. The global norm counts the biases "
            "too.",
        ): of_each(lambda g: mlp.global_norm(weights_of(g))),
        (
            "largest-entry-for-norm",
            "These are the gradients' largest entries. The norm is the root of the sum of all "
            "squares.",
        ): of_each(lambda g: np.abs(entries(g)).max()),
        (
            "sum-of-absolute-values-for-norm",
            "These are sums of absolute values. The norm is the root of the sum of all squares.",
        ): of_each(lambda g: np.abs(entries(g)).sum()),
        (
            "root-mean-square-for-norm",
            "These are roots of the mean of all squares. The norm is the root of their sum.",
        ): root_mean,
        (
            "spectral-norms-for-norms",
            "The norm of each weight matrix is its largest singular value. The global norm takes "
            "all entries: the root of the sum of all squares.",
        ): of_each(lambda g: np.sqrt(sum(spectral(leaf) ** 2 for leaf in mlp.tree_leaves(g)))),
        (
            "norms-of-single-examples-are-averaged",
            "These are means of the norms of single examples' gradients. The contract asks for "
            "the norm of the gradient of the batch's mean loss.",
        ): np.array(every),
        **{
            (
                "norm-of-one-layer",
                "These are norms of one layer's gradient. The global norm is that of all layers "
                "together.",
                name,
            ): of_each(lambda g, name=name: mlp.global_norm(g[name]))
            for name in params
        },
    }


def spectral(leaf: np.ndarray) -> float:
    return float(np.linalg.norm(leaf, ord=2))
