"""Explanations of failed checks of exercise 5: which mistake makes the updates that were seen.

Each mistake is played through in NumPy on the gradients that were fed. It is told only if it, and
no other that is told in other words, makes what was seen. This module must not ask the student
anything.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import mlp_numpy as mlp
import numpy as np

from jaxercise.checks import as_array, distance, recognise

# Measured over 20 seeds (scripts/measure_thresholds.py, jax 0.10.1) on the checks' gradients at
# several limits: Optax is within 1.03e-5 of the NumPy Adam (sd 3e-8), a hand-written Adam that
# folds the bias correction into the learning rate, so that eps counts 30 times as much in step 1,
# within 9.4e-5 (sd 4e-6): a margin of 5. Not clipping gradients just above the limit makes a
# difference of 7e-2, weight decay at Optax's default and weights of 1000 one of 1e-1.
SAME_UPDATES = 5e-4

Trees = list[dict]


@dataclass(frozen=True)
class Explanation:
    """One mistake: its name, what it does to a sequence of gradients, and words for the student."""

    name: str
    words: str
    play: Callable[[Trees], Trees]


def tell(seen: Trees, fed: Trees, explanations: Sequence[Explanation]) -> None:
    """Raise the one mistake among these that makes ``seen`` of the gradients ``fed``, if any."""
    fitting = [e for e in explanations if agree(seen, e.play(fed))]
    if len({e.name for e in fitting}) == 1:
        recognise(True, fitting[0].name, fitting[0].words)


# --- trees and sequences of them -----------------------------------------------------------------


def scaled(tree: dict, factor: float) -> dict:
    return mlp.tree_map(lambda leaf: (leaf * factor).astype(np.float32), tree)


def flat(tree: dict) -> np.ndarray:
    """All leaves of a tree in one float64 array."""
    leaves = [as_array(leaf, "An update") for leaf in mlp.tree_leaves(tree)]
    return np.concatenate([np.asarray(leaf, np.float64).ravel() for leaf in leaves])


def agree(found: Trees, expected: Trees) -> bool:
    with np.errstate(all="ignore"):  # updates of nan or inf agree with none
        return all(distance(flat(a), flat(b)) <= SAME_UPDATES for a, b in zip(found, expected))


# --- clipping, and what is taken for it -----------------------------------------------------------


def clipped(tree: dict, max_norm: float) -> dict:
    """Scaled down to the global norm ``max_norm`` if it is larger (arXiv:1211.5063)."""
    return scaled(tree, _down(mlp.global_norm(tree), max_norm))


def leave_alone(tree: dict, max_norm: float) -> dict:
    return tree


def _down(norm: float, max_norm: float) -> float:
    return max_norm / norm if norm > max_norm else 1.0


def _by_leaf(tree: dict, max_norm: float) -> dict:
    return mlp.tree_map(lambda leaf: clipped({"leaf": leaf}, max_norm)["leaf"], tree)


def _by_layer(tree: dict, max_norm: float) -> dict:
    return {name: clipped(layer, max_norm) for name, layer in tree.items()}


def _by_element(tree: dict, max_norm: float) -> dict:
    return mlp.tree_map(lambda leaf: np.clip(leaf, -max_norm, max_norm), tree)


def _by_leaf_rms(tree: dict, max_norm: float) -> dict:
    def clip(leaf):
        return leaf * _down(float(np.sqrt(np.mean(np.square(leaf)))), max_norm)

    return mlp.tree_map(clip, tree)


def _relative_to_zero_weights(tree: dict, max_norm: float) -> dict:
    """Adaptive clipping (arXiv:2102.06171) unit by unit, where all weights are 0."""

    def clip(leaf):
        norm = np.sqrt(np.sum(np.square(leaf), axis=0, keepdims=True))
        return leaf * np.minimum(1, max_norm * 1e-3 / np.maximum(norm, 1e-6))

    return mlp.tree_map(clip, tree)


def _normalised(tree: dict, max_norm: float) -> dict:
    return scaled(tree, max_norm / mlp.global_norm(tree))


def _dropped(tree: dict, max_norm: float) -> dict:
    return scaled(tree, float(mlp.global_norm(tree) <= max_norm))


def _only_scaled_up(tree: dict, max_norm: float) -> dict:
    return scaled(tree, max(1.0, max_norm / mlp.global_norm(tree)))


def _upside_down(tree: dict, max_norm: float) -> dict:
    return scaled(tree, 1 / _down(mlp.global_norm(tree), max_norm))


def _to_norm_one(tree: dict, max_norm: float) -> dict:
    norm = mlp.global_norm(tree)
    return scaled(tree, 1 / norm if norm > max_norm else 1.0)


def _weights_only(tree: dict, max_norm: float) -> dict:
    factor = _down(mlp.global_norm(tree), max_norm)
    return {name: {**layer, "w": layer["w"] * factor} for name, layer in tree.items()}


def _by_norm(norm: Callable[[dict], float]) -> Callable[[dict, float], dict]:
    """Clipping by another number than the global norm."""
    return lambda tree, max_norm: scaled(tree, _down(norm(tree), max_norm))


def leaf_norms(tree: dict) -> np.ndarray:
    return np.array([np.linalg.norm(leaf) for leaf in mlp.tree_leaves(tree)])


def entries(tree: dict) -> np.ndarray:
    return np.concatenate([np.ravel(leaf) for leaf in mlp.tree_leaves(tree)])


def weights_of(tree: dict) -> dict:
    return {name: {"w": layer["w"]} for name, layer in tree.items()}


RULES: list[tuple[str, Callable[[dict, float], dict], str]] = [
    (
        "each-array-by-its-own-norm",
        _by_leaf,
        "Each array is clipped by its own norm. The contract asks for one norm over all of them "
        "together.",
    ),
    (
        "each-layer-by-its-own-norm",
        _by_layer,
        "Each layer is clipped by a norm of its own. The contract asks for one norm over all "
        "arrays of all layers together.",
    ),
    (
        "each-element-by-itself",
        _by_element,
        "Each element is cut off by itself, as `optax.clip` does, which turns the gradient in "
        "another direction. The contract asks for one scale for the whole gradient.",
    ),
    (
        "each-array-by-its-root-mean-square",
        _by_leaf_rms,
        "Each array is clipped by its own root mean square. The contract asks for the root of the "
        "sum of all squares, over all arrays together.",
    ),
    (
        "limit-is-relative-to-the-weights",
        _relative_to_zero_weights,
        "The limit seems to depend on the size of the weights, as in adaptive clipping. The "
        "contract's limit is a number that the gradient's global norm is compared to.",
    ),
    (
        "small-gradients-are-scaled-up",
        _normalised,
        "Gradients below the limit are scaled up to it. Clipping makes large gradients smaller and "
        "leaves the others alone; it never scales up.",
    ),
    (
        "small-gradients-are-scaled-up",
        _only_scaled_up,
        "Gradients below the limit are scaled up to it, and those above it pass unchanged: the "
        "other way round. Is there a maximum where a minimum should be, or a minimum for a "
        "maximum?",
    ),
    (
        "large-gradients-are-dropped",
        _dropped,
        "A gradient above the limit seems to be replaced by zero. The contract asks to scale it "
        "down to the limit: its direction is kept.",
    ),
    (
        "scale-is-upside-down",
        _upside_down,
        "Gradients above the limit come out larger, not smaller. The scale is max_norm / norm.",
    ),
    (
        "clipped-to-a-norm-of-one",
        _to_norm_one,
        "A gradient above the limit comes out with a norm of 1, not of max_norm.",
    ),
    (
        "limit-is-always-one",
        lambda tree, max_norm: clipped(tree, 1.0),
        "Gradients are clipped to a norm of 1, whatever max_norm is.",
    ),
    (
        "norm-is-squared",
        _by_norm(lambda tree: mlp.global_norm(tree) ** 2),
        "Gradients are scaled by max_norm over the sum of squares: the root is missing.",
    ),
    (
        "norms-of-arrays-are-added",
        _by_norm(lambda tree: leaf_norms(tree).sum()),
        "The norms of the arrays seem to be added up. The global norm is the root of the sum of "
        "all squares.",
    ),
    (
        "largest-entry-for-norm",
        _by_norm(lambda tree: np.abs(entries(tree)).max()),
        "The limit is compared to the largest entry of the gradient. The contract asks for the "
        "root of the sum of all squares.",
    ),
    (
        "sum-of-absolute-values-for-norm",
        _by_norm(lambda tree: np.abs(entries(tree)).sum()),
        "The limit is compared to the sum of absolute values. The contract asks for the root of "
        "the sum of all squares.",
    ),
    (
        "root-mean-square-for-norm",
        _by_norm(lambda tree: float(np.sqrt(np.mean(np.square(entries(tree)))))),
        "The limit is compared to the root of the mean of all squares. The contract asks for the "
        "root of their sum.",
    ),
    (
        "biases-not-in-the-norm",
        _by_norm(lambda tree: mlp.global_norm(weights_of(tree))),
        "The norm seems to be that of the weights alone. The global norm counts the biases too.",
    ),
    (
        "biases-not-clipped",
        _weights_only,
        "The weights' gradients are scaled and the biases' are not. All of a gradient is "
        "multiplied by the same number.",
    ),
]


def by_rule(max_norm: float, rate: float) -> list[Explanation]:
    """Adam on gradients that are clipped in another way."""

    def play(rule):
        return lambda grads: adam_updates([rule(tree, max_norm) for tree in grads], rate)

    return [Explanation(name, words, play(rule)) for name, rule, words in RULES]


# --- Adam, and what is taken for it ---------------------------------------------------------------


def adam_updates(grads: Trees, learning_rate: float, **constants) -> Trees:
    init, update = mlp.adam(learning_rate, **constants)
    state, updates = init(grads[0]), []
    for tree in grads:
        step, state = update(tree, state)
        updates.append(step)
    return updates


def by_hand(grads: Trees, step: Callable) -> Trees:
    """Updates ``step(m, v, g, t)`` from Adam's running means, where t counts from 1."""
    m = v = mlp.tree_map(lambda leaf: np.zeros(leaf.shape), grads[0])
    updates = []
    for t, g in enumerate(grads, start=1):
        m = mlp.tree_map(lambda m, g: 0.9 * m + 0.1 * g, m, g)
        v = mlp.tree_map(lambda v, g: 0.999 * v + 0.001 * np.square(g, dtype=np.float64), v, g)
        with np.errstate(all="ignore"):
            updates.append(mlp.tree_map(lambda m, v, g: step(m, v, g, t), m, v, g))  # noqa: B023
    return updates


def _no_correction(m, v, g, t):
    return -m / (np.sqrt(v) + 1e-8)


def _correction_of_step_one(m, v, g, t):
    return -m / 0.1 / (np.sqrt(v / 0.001) + 1e-8)


def _no_root(m, v, g, t):
    return -m / (1 - 0.9**t) / (v / (1 - 0.999**t) + 1e-8)


def _nesterov(m, v, g, t):
    looked_ahead = 0.9 * m / (1 - 0.9 ** (t + 1)) + 0.1 * g / (1 - 0.9**t)
    return -looked_ahead / (np.sqrt(v / (1 - 0.999**t)) + 1e-8)


def _momentum(grads: Trees, decay: float) -> Trees:
    trace, steps = mlp.tree_map(np.zeros_like, grads[0]), []
    for tree in grads:
        trace = mlp.tree_map(lambda v, g: decay * v + g, trace, tree)
        steps.append(mlp.tree_map(np.negative, trace))
    return steps


def _rmsprop(grads: Trees) -> Trees:
    nu, steps = mlp.tree_map(np.zeros_like, grads[0]), []
    for tree in grads:
        nu = mlp.tree_map(lambda v, g: 0.9 * v + 0.1 * g * g, nu, tree)
        steps.append(mlp.tree_map(lambda v, g: -g / np.sqrt(v + 1e-8), nu, tree))
    return steps


def forgets(rate: float) -> Explanation:
    return Explanation(
        "every-step-is-a-first-step",
        "Every update looks like Adam's first: nothing is remembered from step to step. What the "
        "optimizer remembers belongs in the new state that `update` returns.",
        lambda grads: [adam_updates([tree], rate)[0] for tree in grads],
    )


USUAL = {"b1": 0.9, "b2": 0.999, "eps": 1e-8}
OTHER = {"b1": (0.0, 0.5, 0.8, 0.95, 0.99), "b2": (0.9, 0.95, 0.98, 0.99, 0.9999)}
OTHER_EPS = (1e-6, 1e-5, 1e-4, 1e-3, 1e-2)


def instead_of_adam(rate: float) -> list[Explanation]:
    """What an optimizer without a limit may do in place of Adam."""

    def times(steps: Callable[[Trees], Trees], factor: float = rate):
        return lambda grads: [scaled(step, factor) for step in steps(grads)]

    def hand(step):
        return times(lambda grads: by_hand(grads, step))

    def clipped_to(limit):
        return lambda grads: adam_updates([clipped(tree, limit) for tree in grads], rate)

    def constants(**other):
        return lambda grads: adam_updates(grads, rate, **{**USUAL, **other})

    clips = "Gradients are clipped although max_norm is None. Without a limit it is plain Adam."
    constant = (
        "This is Adam with other constants. The contract has the usual ones: 0.9 and 0.999 for "
        "the two running means, 1e-8 for epsilon."
    )
    unscaled = (
        "These are Adam's updates without learning rate and minus sign, as `optax.scale_by_adam` "
        "alone makes them. Something has to multiply them by -learning_rate."
    )
    sgd = "The updates are those of SGD. Adam divides each gradient by a running measure of it."
    return [
        Explanation(
            "updates-have-the-wrong-sign",
            "The updates have the wrong sign: Optax adds updates to the parameters, so they carry "
            "a minus sign.",
            lambda grads: adam_updates(grads, -rate),
        ),
        Explanation(
            "learning-rate-and-sign-left-out", unscaled, lambda grads: adam_updates(grads, -1.0)
        ),
        *(
            Explanation("clips-without-a-limit", clips, clipped_to(limit))
            for limit in (0.1, 0.5, 1.0, 5.0, 10.0)
        ),
        *(
            Explanation("sgd-for-adam", sgd, times(lambda grads, d=decay: _momentum(grads, d)))
            for decay in (0.0, 0.9)
        ),
        Explanation(
            "rmsprop-for-adam",
            "The updates are those of RMSProp. Adam also keeps a running mean of the gradients, "
            "and corrects both running means for having begun at zero.",
            times(_rmsprop),
        ),
        Explanation(
            "nesterov-for-adam",
            "The updates are those of Adam with Nesterov's look-ahead (NAdam), not of plain Adam.",
            hand(_nesterov),
        ),
        Explanation(
            "no-bias-correction",
            "Adam's running means begin at zero, and the correction for that is missing: they are "
            "divided by 1 - 0.9**t and 1 - 0.999**t.",
            hand(_no_correction),
        ),
        Explanation(
            "step-count-stands-still",
            "The bias correction is that of the first step at every step. Is the step count part "
            "of the new state that `update` returns, and one larger each time?",
            hand(_correction_of_step_one),
        ),
        Explanation(
            "root-of-the-second-mean-left-out",
            "The updates are divided by the running mean of the squares, not by its root.",
            hand(_no_root),
        ),
        forgets(rate),
        *(
            Explanation("other-constants-than-usual", constant, constants(**{name: value}))
            for name, values in {**OTHER, "eps": OTHER_EPS}.items()
            for value in values
        ),
    ]


def around_adam(max_norm: float, rate: float) -> list[Explanation]:
    """What becomes of a limit when the parts are put together in another way."""

    def clip(grads, limit=max_norm):
        return [clipped(tree, limit) for tree in grads]

    return [
        Explanation(
            "adam-twice",
            "There are two Adams, one in front of the clipping and one behind it. The gradient is "
            "clipped first, once, and then handed to a single Adam.",
            lambda grads: adam_updates(clip(adam_updates(grads, rate)), rate),
        ),
        Explanation(
            "adam-left-out",
            "With a limit, the updates are the clipped gradients themselves. They are to be handed "
            "on to Adam.",
            clip,
        ),
        Explanation(
            "rate-and-limit-swapped",
            "The learning rate is used as the limit, and the limit as the learning rate.",
            lambda grads: adam_updates(clip(grads, rate), max_norm),
        ),
        Explanation(
            "clips-the-updates-too",
            "The gradient is clipped, and Adam's updates once more. Only the gradient is to be "
            "clipped, before Adam.",
            lambda grads: clip(adam_updates(clip(grads), rate)),
        ),
        forgets(rate),
    ]
