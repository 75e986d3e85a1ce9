"""Mistakes of exercise 1, told by what they make: every ``recognise`` here explains a failed check.

Nothing here decides about points. A mistake is named only where what was seen is what it makes and
nothing else is known to make; all other failures keep the plain words of their check.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import mlp_numpy as mlp
import numpy as np

from jaxercise.checks import as_array, close, kind_of, raw_key, recognise, typed_key
from jaxercise.student import AnswerError

Ask = Callable[..., np.ndarray]  # logits of (params, x, seed, **settings)

SHARE = 0.15  # shares of 256 draws, at rates of 0.2, 0.5 and 0.8, stay within 4.8 deviations


# --- dropout -------------------------------------------------------------------------------------


def in_keys(ask: Callable[[Any], Any], name: str) -> None:
    """Whether a function takes one kind of key only."""
    works = {kind: _works(ask, make_key) for kind, make_key in KINDS.items()}
    recognise(
        works["raw"] and not works["typed"],
        "takes-raw-keys-only",
        f"`{name}` works with a key from `jax.random.PRNGKey` and fails with one from "
        "`jax.random.key`. Hand keys to jax.random only, and use no arithmetic and no indices on "
        "them: `split` and `fold_in` take both kinds.",
    )
    recognise(
        works["typed"] and not works["raw"],
        "takes-typed-keys-only",
        f"`{name}` works with a key from `jax.random.key` and fails with one from "
        "`jax.random.PRNGKey`. All of jax.random takes both kinds; so should your function.",
    )


KINDS = {"typed": typed_key, "raw": raw_key}


def _works(ask: Callable[[Any], Any], make_key: Any) -> bool:
    try:
        ask(make_key)
    except AnswerError:
        return False
    return True


def in_order(call: Callable[..., Any], key: Any, x: np.ndarray, rate: float) -> None:
    """Whether `dropout`, which raised, works with its arguments in another order."""

    def looks_right(*args: Any) -> bool:
        try:
            y = call(*args)
        except AnswerError:
            return False
        return isinstance(y, np.ndarray) and y.shape == x.shape and 0 < (y == 0).mean() < 1

    recognise(
        looks_right(x, key, rate) or looks_right(x, rate, key),
        "arguments-in-another-order",
        "`dropout` fails as the contract calls it, `dropout(key, x, rate)`, and works with its "
        "arguments in another order. Put the key first, then x, then the rate.",
    )


def in_kind_of_result(y: Any, x: np.ndarray) -> None:
    """What `dropout` returned in place of one array like x."""
    if isinstance(y, tuple | list):
        recognise(
            isinstance(y[0] if y else None, np.ndarray),
            "returns-more-than-one-array",
            f"`dropout` should return one array, and it returned {kind_of(y)}. No new key needs to "
            "come back: whoever calls has split the key before.",
        )
        return
    recognise(y is None, "returns-nothing", "`dropout` returned None: is a `return` missing?")
    if not isinstance(y, np.ndarray):
        return
    recognise(
        y.ndim == 1 and y.size < x.size,
        "dropped-elements-are-left-out",
        f"For x of shape {x.shape}, `dropout` returned only {y.size} elements. What is dropped "
        "stays in its place, as zero: choose with `jnp.where`, not with `x[mask]`.",
    )
    recognise(
        y.shape != x.shape,
        "another-shape",
        f"For x of shape {x.shape}, `dropout` returned {kind_of(y)}. Its result has the shape of "
        "x, whatever that is.",
    )
    recognise(
        y.dtype != x.dtype,
        "another-dtype",
        f"For x of dtype {x.dtype}, `dropout` returned {kind_of(y)}. Its result has the dtype of "
        "x.",
    )


def one_number(ratios: np.ndarray) -> float | None:
    """The number that all ratios are; None if they differ, or if there is none."""
    if not ratios.size or not np.isfinite(ratios).all():
        return None
    middle = float(np.median(ratios))
    return middle if close(ratios, np.full(ratios.shape, middle), 2e-3) else None


def in_everything_dropped(seen: bool) -> None:
    recognise(
        seen,
        "everything-is-dropped",
        "`dropout` made zeros of all elements, at every rate and for every key that was tried.",
    )


def in_factors(seen: Mapping[float, np.ndarray], x: np.ndarray) -> None:
    """The mistake in `dropout` that explains its factors.

    Args:
        seen: what each element of x was multiplied by, for the rates 0.2, 0.5 and 0.8.
        x: all positive.
    """
    zeros = {rate: float((factors == 0).mean()) for rate, factors in seen.items()}
    scales = {rate: one_number(factors[factors != 0]) for rate, factors in seen.items()}

    def scaled_by(expected: Callable[[float], float], rtol: float = 3e-3) -> bool:
        return all(
            scale is not None and abs(scale - expected(rate)) < rtol * expected(rate)
            for rate, scale in scales.items()
        )

    def share_of_zeros(expected: Callable[[float], float]) -> bool:
        return all(abs(share - expected(rate)) < SHARE for rate, share in zeros.items())

    never_zero = all(share == 0 for share in zeros.values())
    two_values = all(len(np.unique(np.round(f, 3))) == 2 for f in seen.values())
    one_result = all(one_number((f * x)[f != 0]) is not None for f in seen.values())
    # random numbers, as opposed to something that was computed from x
    many_values = never_zero and all(
        len(np.unique(np.round(f, 3))) > 50
        and abs(np.corrcoef(f.ravel(), x.ravel())[0, 1]) < 0.05
        and len(np.unique(np.round(f * x, 3))) > 50
        for f in seen.values()
    )
    swapped = share_of_zeros(lambda rate: 1 - rate)
    recognise(
        never_zero and all(scale is not None for scale in scales.values()),
        "nothing-is-dropped",
        "`dropout` treats all elements alike at every rate: none becomes zero.",
    )
    recognise(
        never_zero and two_values,
        "dropped-elements-are-not-zero",
        "`dropout` makes two kinds of elements, and neither of them is zero. An element that is "
        "dropped becomes zero, whatever it was.",
    )
    recognise(
        one_result,
        "returns-the-mask-alone",
        "Elements that survive all become the same number, whatever they were. The mask says which "
        "elements of x to keep; the result holds those elements.",
    )
    recognise(
        many_values,
        "mask-is-not-zero-or-one",
        "`dropout` multiplies the elements by many different numbers. An element is either dropped "
        "or kept: compare the random numbers with a probability, and use the answer as the mask.",
    )
    recognise(
        swapped and scaled_by(lambda rate: 1 / rate),
        "rate-is-the-keep-probability",
        "`rate` is used as the probability of keeping, in the mask and in the scale. It is the "
        "probability of dropping; at a rate of 0.5 the two cannot be told apart.",
    )
    recognise(
        swapped,
        "mask-keeps-with-the-drop-rate",
        "The mask keeps an element with probability `rate`. `rate` is the probability of dropping, "
        "so keep with `1 - rate`; at a rate of 0.5 the two cannot be told apart.",
    )
    recognise(
        scaled_by(lambda rate: 1 / rate),
        "scale-divides-by-the-drop-rate",
        "Elements that survive are divided by `rate`, the probability of dropping. Divide them by "
        "the probability of keeping; at a rate of 0.5 the two cannot be told apart.",
    )
    recognise(
        share_of_zeros(lambda rate: rate) and scaled_by(lambda rate: 1.0),
        "survivors-are-not-scaled",
        "The right share of elements is dropped, and those that survive stay as they were. "
        "Inverted dropout divides survivors by `1 - rate`, so that the mean stays the same.",
    )
    recognise(
        scaled_by(lambda rate: 1 - rate),
        "survivors-are-multiplied-by-keep",
        "Elements that survive become smaller: they are multiplied by `1 - rate`. Divide instead, "
        "so that the mean stays the same.",
    )
    recognise(
        scaled_by(lambda rate: (1 - rate) ** -2),
        "survivors-are-scaled-twice",
        "Elements that survive are divided by `1 - rate` twice. Once is enough.",
    )
    seen_share = all(
        scale is not None and abs(scale * (1 - zeros[rate]) - 1) < 1e-5
        for rate, scale in scales.items()
    )
    recognise(
        seen_share and not scaled_by(lambda rate: 1 / (1 - rate), 1e-6),
        "scale-is-the-share-that-survived",
        "Survivors are divided by the share that happened to survive. Divide by `1 - rate`, the "
        "probability, which is the same at every call.",
    )
    recognise(
        not never_zero and share_of_zeros(lambda rate: 0.5) and scaled_by(lambda rate: 2.0),
        "rate-is-not-used",
        "`dropout` drops half of the elements and doubles the others at every rate: use `rate`.",
    )


def in_negatives(result: np.ndarray, x: np.ndarray) -> None:
    recognise(
        (result[x < 0] == 0).all() and (result[x > 0] != 0).any(),
        "negatives-are-lost",
        "All negative elements of x became zero. `dropout` takes any array: whether an element "
        "is dropped does not depend on its value.",
    )


def in_rate_zero(y: np.ndarray) -> None:
    share = float((y == 0).mean())
    recognise(
        abs(share - 0.5) < SHARE,
        "a-rate-of-zero-counts-as-none",
        "At rate 0 about half of the elements were dropped, as at rate 0.5. In Python `rate or "
        "0.5` is 0.5 when rate is 0, and `if rate:` is false; 0 is a rate like any other.",
    )


def in_one_decision(seen: bool) -> None:
    recognise(
        seen,
        "one-decision-for-the-whole-array",
        "All elements survive together or none does: the mask is a single yes or no. Give the "
        "shape of x to the function that draws it.",
    )


def in_dependence(masks: np.ndarray, stack: np.ndarray) -> None:
    """Which elements share their decision.

    Args:
        masks: at rate 0.5 for several keys, ``(256, 256)``.
        stack: for an array of three axes.
    """
    mask = masks[0]
    in_one_decision(all((m == m[0, 0]).all() for m in masks))
    recognise(
        (mask == mask[:1]).all(),
        "one-mask-for-all-rows",
        "All rows of x lose the same elements: one mask was drawn for a row and used for all. The "
        "mask needs the whole shape of x, one decision for each element.",
    )
    recognise(
        (mask == mask[:, :1]).all(),
        "one-decision-for-a-row",
        "Whole rows of x survive or vanish: one decision was drawn for a row. The mask needs the "
        "whole shape of x, one decision for each element.",
    )
    counts = np.array([m.sum(axis=1) for m in masks])
    recognise(
        (counts == counts[0, 0]).all() or len({int(m.sum()) for m in masks}) == 1,
        "exactly-that-many-are-dropped",
        "The same number of elements is dropped each time, so they are not decided one by one. "
        "Give each element its own draw: how many become zero then varies a little.",
    )
    recognise(
        (stack == stack[:1]).all(),
        "one-mask-for-a-stack",
        "For x with three axes, all matrices along the first axis lose the same elements. The mask "
        "needs the whole shape of x, however many axes it has.",
    )


# --- forward_dropout -----------------------------------------------------------------------------


def read_logits(value: Any, rows: int) -> np.ndarray:
    """The logits in an answer, even if a tuple holds them or a batch of one has lost its axis:
    those are the business of one check."""
    what = "The result of `forward_dropout`"
    if isinstance(value, tuple) and value and isinstance(value[0], np.ndarray):
        value = value[0]
    recognise(value is None, "returns-nothing", f"{what} is None: is a `return` missing?")
    array = as_array(value, what)
    recognise(
        array.shape == (rows,) and array.dtype.kind in "iu",
        "classes-instead-of-logits",
        f"{what} is one whole number an image, as from `argmax`. Return the logits, all ten.",
    )
    return array.reshape(rows, 10) if array.shape == (10,) and rows == 1 else array


def in_kind_of_logits(y: Any, rows: int) -> None:
    """What `forward_dropout` returned in place of one array of logits."""
    recognise(
        isinstance(y, tuple | list) and len(y) > 0 and isinstance(y[0], np.ndarray),
        "returns-more-than-one-array",
        f"`forward_dropout` should return the logits alone, and it returned {kind_of(y)}.",
    )
    recognise(
        rows == 1 and isinstance(y, np.ndarray) and y.shape == (10,),
        "batch-of-one-loses-its-axis",
        "For one image, `forward_dropout` returned an array of shape (10,). A batch of one is a "
        "batch: its logits have the shape (1, 10). `squeeze` takes such an axis away.",
    )
    if not isinstance(y, tuple | list):
        read_logits(y, rows)


def softmax_undone(y: np.ndarray) -> np.ndarray:
    """Probabilities or their logarithms turned into logits, counted from the last one.

    The probes have a last logit of zero, so that what is dropped shows through a softmax too; that
    it should not be there is the business of one check.
    """
    if (y > 0).all() and close(y.sum(axis=1), np.ones(len(y))):
        y = np.log(y)
    elif not ((y <= 0).all() and close(np.exp(y).sum(axis=1), np.ones(len(y)))):
        return y
    return y - y[:, -1:]


def in_plain_network(
    seen: np.ndarray, again: np.ndarray, params: dict, x: np.ndarray, rate: float
) -> None:
    """What ``train=False`` computes in place of the plain network.

    Args:
        seen: its logits.
        again: for another key.
    """
    recognise(
        not close(seen, again),
        "drops-without-training",
        "With train=False two different keys give different logits, so units are still dropped. "
        "Drop only if `train` is true.",
    )
    plain = mlp.forward(params, x)

    def is_network(**changes: Any) -> bool:
        return close(seen, _network(params, x, **changes))

    relu = _ACTIVATIONS["relu"]
    scaled = [1 - rate, 1 / (1 - rate), rate, 1 / rate]
    recognise(
        any(is_network(hidden=(lambda z, s=s: s * relu(z),) * 2) for s in scaled),
        "scales-without-training",
        "With train=False nothing is dropped, and yet the hidden layers are scaled. In inverted "
        "dropout all scaling belongs to training; without it the network is the plain one.",
    )
    recognise(
        close(seen, mlp.probabilities(plain)),
        "probabilities-instead-of-logits",
        "With train=False the result is the softmax of the plain network's logits. Return the "
        "logits themselves; the loss applies its own softmax.",
    )
    recognise(
        close(seen, np.log(mlp.probabilities(plain))),
        "log-probabilities-instead-of-logits",
        "With train=False the result is the log-softmax of the plain network's logits. Return the "
        "logits themselves; the loss applies its own softmax.",
    )
    recognise(
        close(seen, np.maximum(plain, 0)),
        "relu-on-the-logits",
        "With train=False the result is the plain network's with a ReLU after its last layer. "
        "Logits may be negative: only the two hidden layers have a ReLU.",
    )

    def is_network_with(other: Callable[[np.ndarray], np.ndarray]) -> bool:
        return any(is_network(hidden=h) for h in ((other, other), (other, relu), (relu, other)))

    recognise(
        is_network_with(lambda z: z),
        "relu-is-left-out",
        "With train=False the result is the plain network's with a ReLU left out. Both hidden "
        "layers have one.",
    )
    recognise(
        any(is_network_with(other) for name, other in _ACTIVATIONS.items() if name != "relu"),
        "another-activation-than-relu",
        "With train=False the result is that of the same weights with another activation than "
        "ReLU. The lesson's network has `jax.nn.relu` after both hidden layers.",
    )
    recognise(
        any(is_network(without_bias=(i,)) for i in (1, 2, 3)) or is_network(without_bias=(1, 2, 3)),
        "a-bias-is-left-out",
        "With train=False the result is the plain network's without a bias. Each layer computes "
        '`h @ w + b`; in a new network all biases are zero, which hides a forgotten `"b"`.',
    )


_ACTIVATIONS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "relu": lambda z: np.maximum(z, 0),
    "tanh": np.tanh,
    "sigmoid": lambda z: 1 / (1 + np.exp(-z)),
    "gelu": lambda z: z / 2 * (1 + np.tanh(np.sqrt(2 / np.pi) * (z + 0.044715 * z**3))),
    "leaky": lambda z: np.where(z > 0, z, 0.01 * z),
    "elu": lambda z: np.where(z > 0, z, np.expm1(np.minimum(z, 0))),
    "silu": lambda z: z / (1 + np.exp(-z)),
    "softplus": lambda z: np.logaddexp(z, 0),
}


def _network(
    params: dict,
    x: np.ndarray,
    hidden: Sequence[Callable[[np.ndarray], np.ndarray]] = (_ACTIVATIONS["relu"],) * 2,
    without_bias: tuple[int, ...] = (),
) -> np.ndarray:
    """The lesson's network with a change."""
    h = x.astype(np.float64)
    for i, layer in enumerate(mlp.layers(params), start=1):
        h = h @ layer["w"] + (0 if i in without_bias else layer["b"])
        if i < len(params):
            h = hidden[i - 1](h)
    return h


@dataclass(frozen=True)
class Own:
    """What the student's own `dropout` does: the network is judged by that, for a mistake in it is
    the business of other checks.

    Attributes:
        drops: the share that becomes zero, by rate.
        scale: what it makes of a surviving 1, by rate.
        shares_rows: whether all rows lose the same elements.
    """

    drops: Mapping[float, float]
    scale: Mapping[float, float]
    shares_rows: bool


@dataclass(frozen=True)
class Seen:
    """What reaches the logits at rate 0.2: ``(keys, rows, units)``, 0 where a unit was dropped."""

    second: np.ndarray  # through the second hidden layer alone
    both: np.ndarray  # through both hidden layers

    @property
    def shares(self) -> tuple[float, float]:
        """The shares of units of the first and of the second layer that survive."""
        second, both = float((self.second != 0).mean()), float((self.both != 0).mean())
        return (both / second if second else 0.0), second


@dataclass(frozen=True)
class Probes:
    """Parameters of the network through which single things can be seen."""

    second: dict
    both: dict
    logits: dict
    dense: dict


def in_training(
    ask: Ask, plain: Callable[[], None], own: Own, seen: Seen, probes: Probes, rows: np.ndarray
) -> None:
    """What ``train=True`` does in place of dropout after both hidden layers.

    Args:
        ask: for the logits of other parameters and settings.
        plain: names the mistake that shows without training.
        rows: the images that ``seen`` is for.
    """
    first, second = seen.shares
    drops, scale = own.drops[0.2], own.scale[0.2]
    alive = [one_number(part[part != 0]) for part in (seen.second, seen.both)]

    def alive_is(expected: float) -> bool:
        goal = (expected, expected**2)
        return all(a is not None and abs(a - g) < 5e-3 * g for a, g in zip(alive, goal))

    def both_keep(share: float) -> bool:
        return abs(first - share) < 0.06 and abs(second - share) < 0.06

    end = ask(probes.logits, rows, 18, rate=0.2, train=True)
    recognise(
        0 < (end == 0).mean() < 1,
        "logits-are-dropped",
        "Some logits are zero although no hidden unit feeds them: dropout, or a mask, comes after "
        "the last layer. It belongs after the two hidden ReLUs only.",
    )
    if first > 0.99 and second > 0.99:
        dropped = ask(probes.both, rows, 13, rate=0.8, train=False) == 0
        recognise(
            dropped.any(),
            "train-flag-is-inverted",
            "Units are dropped with train=False and none with train=True: `train` has it the wrong "
            "way round.",
        )
        recognise(
            True,
            "nothing-is-dropped-in-training",
            "With train=True no unit of a hidden layer is dropped. After each hidden ReLU, hand "
            "its result to `dropout` with a key and the rate.",
        )
    if first > 0.99 and second < 0.97:
        plain()  # after a sigmoid, say, a unit that was dropped is not zero
    recognise(
        first > 0.99 and second < 0.97,
        "only-the-second-layer-is-dropped",
        "With train=True only the second hidden layer loses units; dropout follows both.",
    )
    recognise(
        second > 0.99 and first < 0.97,
        "only-the-first-layer-is-dropped",
        "With train=True only the first hidden layer loses units; dropout follows both.",
    )
    if not own.shares_rows and 0 < second < 1 and (seen.second == seen.second[:, :1]).all():
        dense = ask(probes.dense, rows, 19, rate=0.2, train=True)
        recognise(
            not close(dense, np.repeat(dense[:, :1], dense.shape[1], axis=1), 1e-3),
            "weights-are-dropped",
            "Weights are dropped instead of units: one unit reaches some logits and not others. "
            "Hand the output of each hidden ReLU to `dropout`, not the weights.",
        )
        recognise(
            True,
            "every-image-gets-the-same-mask",
            "All images of a batch lose the same units. Under `vmap`, each image needs a key of "
            "its own; without it, the mask needs the shape of the whole batch.",
        )
    recognise(
        both_keep((1 - drops) ** 2) and alive_is(scale**2),
        "dropped-twice-in-a-layer",
        "Each hidden layer loses units twice over and is scaled twice. Call `dropout` once after "
        "each hidden ReLU.",
    )
    recognise(
        both_keep(1 - drops) and alive_is(scale**2),
        "scaled-again-after-dropout",
        "Units that survive are scaled again after `dropout`, which has scaled them already. "
        "Nothing is left to be scaled.",
    )
    recognise(
        both_keep(0.2) and abs(drops - 0.2) < 0.06,
        "drop-and-keep-are-swapped-in-the-network",
        "In the network, units survive with probability `rate`, though `dropout` itself drops with "
        "that probability. What `dropout` takes is the rate, not `1 - rate`.",
    )
    other = (ask(probes.second, rows, 13, rate=0.8, train=True) != 0).mean()
    recognise(
        second > 0.03 and abs(other - second) < 0.1 and abs(first - second) < 0.06,
        "rate-is-not-passed-on",
        "In the network, units survive at rate 0.8 as often as at rate 0.2. Pass the `rate` that "
        "`forward_dropout` is given on to `dropout`.",
    )
    recognise(
        min(first, second) > 0.03 and max(first, second) < 0.97 and abs(first - second) > 0.06,
        "layers-have-different-rates",
        "The two hidden layers lose different shares of their units. Both are dropped at the rate "
        "given.",
    )


def in_defaults(share: float, own: Own) -> None:
    """Which defaults of `forward_dropout` are others."""
    recognise(
        share > 0.99,
        "other-defaults",
        "Called without `train`, `forward_dropout` drops nothing; its default is True.",
    )
    recognise(
        abs(1 - share - own.drops[0.5]) > 0.1,
        "other-defaults",
        "Called without `rate`, `forward_dropout` drops another share of the units than at rate "
        "0.5, which is its default.",
    )


def in_gradients(sizes: Mapping[str, float]) -> None:
    """Where the gradient ends.

    Args:
        sizes: the largest entry of each part's gradient, "layer1" to "layer3".
    """
    cut = [name for name, size in sizes.items() if size == 0]
    recognise(
        any("['w']" in name for name in cut) and len(cut) < len(sizes),
        "gradient-is-cut",
        f"No gradient reaches {' and '.join(cut)}: something between there and the logits cuts the "
        "derivative (`stop_gradient`, rounding, or a way through NumPy), so nothing is learned.",
    )


# --- results -------------------------------------------------------------------------------------


def in_accuracy(name: str, value: float) -> None:
    """What a number is that is no good share of the 500 held-out digits."""
    recognise(
        10 < value <= 100,
        "percentage-instead-of-share",
        f"`{name}` is {value:g}, which looks like a percentage. Write it as a share between 0 and "
        "1.",
    )
    recognise(
        100 < value <= 500 and value == round(value),
        "count-instead-of-share",
        f"`{name}` is {value:g}, which looks like a number of digits. Divide it by how many were "
        "read.",
    )
    # which of the two it is, the number does not tell
    assert not 0.03 < value < 0.2, (
        f"`{name}` is {value:.3f}. Guessing reads about one digit in ten; a share of errors could "
        "be as small. Measure the parameters that `train` returns, and count what is read right."
    )
