"""Typical mistakes in exercise 3: the network that each computes, and what a student is told of it.

A check asks ``accepted``, whether what it saw is right as far as its own part goes, and once it has
failed ``name_it``, which mistake it was. Pure NumPy; it must not know points or ids of checks.
"""

import re
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import combinations
from math import erf

import mlp_numpy as mlp
import numpy as np

from jaxercise.checks import close, is_floating, is_real, kind_of, recognise
from jaxercise.student import AnswerError

# Most checks look at one thing each and compare with ROUGH: twice what arithmetic in bfloat16 makes
# of the largest logit after 12 layers (0.010), and less than half of what any two layers swapped,
# one left out or one run twice makes (0.046).
ROUGH = 0.02
# For a network with a mistake in it: right answers agree with float64 to 2e-6 of the largest logit.
CERTAIN = 1e-4

PARTS = ("layers", "input", "weights", "bias", "relu", "end")  # of the contract

Order = Callable[[dict], list[str]]  # names of the layers that run, from the dict as it was given
Map = Callable[[np.ndarray], np.ndarray]


def as_it_is(z: np.ndarray) -> np.ndarray:
    return z


def relu(z: np.ndarray) -> np.ndarray:
    return np.maximum(z, 0)


def sigmoid(z: np.ndarray) -> np.ndarray:
    return 0.5 + 0.5 * np.tanh(z / 2)


def log_softmax(z: np.ndarray) -> np.ndarray:
    shifted = z - z.max(axis=-1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))


def standardised(z: np.ndarray, axis: int = -1) -> np.ndarray:
    spread = np.sqrt(z.var(axis=axis, keepdims=True) + 1e-5)
    return (z - z.mean(axis=axis, keepdims=True)) / spread


def by_number(params: dict) -> list[str]:
    return [f"layer{i}" for i in range(1, len(params) + 1)]


def last_digit(name: str) -> int:
    return int(name[-1])


def one_for_each_last_digit(params: dict) -> list[str]:
    """As in a dict under the last digit: a later name takes the place of an earlier one."""
    kept = {last_digit(name): name for name in sorted(params)}
    return [kept[digit] for digit in sorted(kept)]


# --- networks ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Network:
    """A forward pass, maybe a wrong one; without arguments it is the one asked for.

    Attributes:
        order: which layers run, and in what order.
        before: what is done to the input.
        transposed: whether the weights are.
        bias: what becomes of the sum of products ``z`` in layer i of n, with its bias ``b``.
        late: whether the bias is added after the activation instead.
        between: the activation.
        active: whether it follows layer i of n that run.
        skips: whether a hidden layer adds its input, where widths allow that.
        end: what is done to the logits.
    """

    order: Order = by_number
    before: Map = as_it_is
    transposed: bool = False
    bias: Callable[[np.ndarray, np.ndarray, int, int], np.ndarray] = lambda z, b, i, n: z + b
    late: bool = False
    between: Map = relu
    active: Callable[[int, int], bool] = lambda i, n: i < n
    skips: bool = False
    end: Map = as_it_is

    def logits(self, params: dict, x: np.ndarray) -> np.ndarray | None:
        """What it returns, in float64; None where layers do not fit each other."""
        names = self.order(params)
        h, n = self.before(x.astype(np.float64)), len(names)
        for i, name in enumerate(names, start=1):
            w, b = (params[name][part].astype(np.float64) for part in ("w", "b"))
            w = w.T if self.transposed else w
            if h.shape[1] != w.shape[0] or b.shape[0] != w.shape[1]:
                return None
            activate = self.between if self.active(i, n) else as_it_is
            z = h @ w
            z = activate(z) + b if self.late else activate(self.bias(z, b, i, n))
            h = h + z if self.skips and self.active(i, n) and h.shape == z.shape else z
        return self.end(h)


RIGHT = Network()


@dataclass(frozen=True)
class Trait:
    """One mistake: the part of the contract that it breaks, its name, words, and how it computes.

    Attributes:
        lets_see: the parts that can still be judged, each by its own check; a network that stops
            after three layers has hardly any.
    """

    part: str
    name: str
    words: str
    how: dict
    lets_see: Collection[str] = PARTS


STRINGS = (
    "the layers ran in the order layer1, layer10, layer11, ..., layer2. Names compare as strings, "
    "and JAX hands every dict over sorted like that: go by the numbers."
)
LAST_DIGIT = "of a number such as 11 only the last digit counted; read the whole number."
BACKWARDS = "the layers ran from the last to the first."
IN_DICT_ORDER = (
    "the layers ran in the order in which they were put into the dict; their names number them."
)
ONE_FOR_ALL = (
    "one layer's parameters were used in the place of others. Does every step of the loop take the "
    "layer of its own number? (A function made in a loop sees the loop's variables as they are at "
    "the end.)"
)
LAST_TWICE = "the last layer ran twice, in the loop and after it."
STOPS = (
    "the layers at the end did not run. The number of layers is to be found in `params` alone, and "
    "the last one belongs to them."
)
NO_LAYER = "what came back is the input: no layer ran."
OTHER_ACTIVATION = "between the layers stands something else than a ReLU, which is max(z, 0)."
GAP = "some hidden layer has no ReLU: one follows every layer but the last."
INPUT = (
    "the input is changed before the first layer (centred, scaled, cut). Nothing is done to `x`; "
    "preparing the data is the caller's business."
)
SQUASHED = "the logits went through an activation at the end. Nothing follows the last layer."
PROBABILITIES = (
    "these are probabilities, as after a softmax. Return the logits; the loss applies "
    "`log_softmax` itself."
)


def _order(name: str, words: str, order: Order, **more) -> Trait:
    return Trait("layers", name, words, {"order": order}, **more)


def first(k: int) -> Order:
    return lambda params: by_number(params)[:k]


def _always(i: int) -> Order:
    """One layer instead of all hidden ones, or of all."""
    return lambda params: [by_number(params)[i]] * (len(params) - 1) + by_number(params)[-1:]


ORDERS = [
    _order("layer10-runs-before-layer2", STRINGS, sorted),
    _order("layers-run-backwards", BACKWARDS, lambda params: by_number(params)[::-1]),
    _order("layers-run-in-dict-order", IN_DICT_ORDER, list),
    _order(
        "only-the-last-digit-counts",
        LAST_DIGIT,
        lambda params: sorted(sorted(params), key=last_digit),
    ),
    _order("only-the-last-digit-counts", LAST_DIGIT, one_for_each_last_digit, lets_see=()),
    _order("one-layer-in-place-of-others", ONE_FOR_ALL, _always(0)),
    _order("one-layer-in-place-of-others", ONE_FOR_ALL, _always(-1)),
    _order(
        "one-layer-in-place-of-others",
        ONE_FOR_ALL,
        lambda params: [by_number(params)[0]] * len(params),
    ),
    _order(
        "one-layer-in-place-of-others",
        ONE_FOR_ALL,
        lambda params: ["layer1"] + ["layer2"] * (len(params) - 2) + by_number(params)[1:][-1:],
    ),
    _order(
        "first-layer-left-out",
        "layer1 did not run: the layers count from 1.",
        lambda params: by_number(params)[1:],
    ),
    _order(
        "last-layer-runs-twice",
        LAST_TWICE,
        lambda params: by_number(params) + by_number(params)[-1:],
    ),
    Trait(
        "layers",
        "last-layer-runs-twice",
        LAST_TWICE,
        {
            "order": lambda params: by_number(params) + by_number(params)[-1:],
            "active": lambda i, n: i < n - 1,
        },
    ),
]


def _stops(k: int, every: bool) -> Trait:
    """Only k layers run; with ``every``, each of them is taken for a hidden one."""
    how: dict = {"order": first(k)}
    if every:
        how["active"] = lambda i, n: True
    name, words = ("stops-before-the-last-layer", STOPS) if k else ("returns-its-input", NO_LAYER)
    return Trait("layers", name, words, how, lets_see=())


HIDDEN_ONLY = Trait(
    "layers",
    "stops-before-the-last-layer",
    STOPS,
    {"order": lambda params: by_number(params)[:-1], "active": lambda i, n: True},
    lets_see=("relu",),
)

WEIGHTS = [
    Trait(
        "weights",
        "weights-are-transposed",
        "the weights are transposed: a layer is h @ w + b, with `w` of shape (n_in, n_out).",
        {"transposed": True},
    )
]

INPUTS = [
    Trait(
        "input",
        "relu-on-the-input",
        "a ReLU cuts the negative values of x before the first layer; ReLUs stand between layers.",
        {"before": relu},
    ),
    *(
        Trait("input", "changes-the-input-first", INPUT, {"before": change})
        for change in (
            lambda x: x / 255,
            lambda x: x * 255,
            lambda x: (x - 0.1307) / 0.3081,  # MNIST's mean and deviation
            lambda x: x - 0.5,
            lambda x: 2 * x - 1,
            lambda x: (x - 0.5) / 0.5,
            lambda x: x - x.mean(),
            lambda x: x - x.mean(axis=0),
            lambda x: x - x.mean(axis=1, keepdims=True),
            lambda x: (x - x.mean()) / x.std(),
            lambda x: standardised(x, 0),
            lambda x: standardised(x, 1),
            lambda x: x / x.max(),
        )
    ),
]

NO_BIAS = "the biases are not added: each layer is h @ w + b."
SOME_BIASES = "not every layer's bias is added: each layer is h @ w + b, the last one too."
BIASES = [
    Trait("bias", "biases-left-out", NO_BIAS, {"bias": lambda z, b, i, n: z}),
    *(
        Trait("bias", "some-biases-left-out", SOME_BIASES, {"bias": bias})
        for bias in (
            lambda z, b, i, n: z + b * (i == n),
            lambda z, b, i, n: z + b * (i == 1),
            lambda z, b, i, n: z + b * (i < n),
            lambda z, b, i, n: z + b * (i > 1),
        )
    ),
    Trait(
        "bias",
        "bias-subtracted",
        "the biases are subtracted: each layer is h @ w + b.",
        {"bias": lambda z, b, i, n: z - b},
    ),
    Trait(
        "bias",
        "bias-counts-twice",
        "the biases are added twice.",
        {"bias": lambda z, b, i, n: z + 2 * b},
    ),
    Trait(
        "bias",
        "bias-after-the-relu",
        "the biases are added after the ReLU; it is relu(h @ w + b).",
        {"late": True},
    ),
]

OTHER_ACTIVATIONS = [
    np.tanh,
    sigmoid,
    lambda z: z / 2 * (1 + np.tanh(np.sqrt(2 / np.pi) * (z + 0.044715 * z**3))),  # GELU
    lambda z: z / 2 * (1 + np.vectorize(erf)(z / np.sqrt(2))),
    lambda z: z * sigmoid(z),  # SiLU
    lambda z: np.maximum(z, 0.01 * z),  # leaky
    lambda z: np.maximum(z, 0.1 * z),
    lambda z: np.maximum(z, 0.2 * z),
    lambda z: np.where(z > 0, z, np.expm1(np.minimum(z, 0))),  # ELU
    lambda z: np.logaddexp(z, 0),  # softplus
    lambda z: np.clip(z, 0, 6),  # relu6
    lambda z: np.clip(z, 0, 1),
    np.abs,
    lambda z: np.minimum(z, 0),
    lambda z: relu(-z),
    np.square,
    mlp.probabilities,
]
RELUS = [
    Trait(
        "relu",
        "no-activation",
        "no ReLU stands between the layers, so the network is still one linear map.",
        {"between": as_it_is},
    ),
    *(
        Trait("relu", "another-activation", OTHER_ACTIVATION, {"between": activation})
        for activation in OTHER_ACTIVATIONS
    ),
    *(
        Trait("relu", "a-hidden-layer-has-no-relu", GAP, {"active": active})
        for active in (
            lambda i, n: i < n - 1,
            lambda i, n: 1 < i < n,
            lambda i, n: i == 1 and i < n,
            lambda i, n: i == n - 1,
            lambda i, n: i < n and i % 2 == 0,
            lambda i, n: i < n and i % 2 == 1,
        )
    ),
    Trait(
        "relu",
        "skip-connections",
        "a layer's input is added to what it computes; the next layer gets relu(h @ w + b) alone.",
        {"skips": True},
        lets_see=("layers", "weights", "end"),  # no layer is h @ w + b
    ),
    *(
        Trait(
            "relu",
            "normalises-between-layers",
            "signals are normalised between the layers; each layer is relu(h @ w + b).",
            {"between": between},
            lets_see=("layers", "weights", "end"),  # no layer is h @ w + b
        )
        for between in (
            lambda z: relu(standardised(z)),
            lambda z: standardised(relu(z)),
            lambda z: relu(standardised(z, 0)),
            lambda z: standardised(relu(z), 0),
        )
    ),
]

ENDS = [
    Trait(
        "end",
        "relu-after-the-last-layer",
        "no logit is below zero where some should be: the last layer has no ReLU.",
        {"end": relu},
    ),
    Trait(
        "end",
        "returns-log-probabilities",
        "these are log-probabilities, as after `log_softmax`. Return the logits; the loss applies "
        "`log_softmax` itself.",
        {"end": log_softmax},
    ),
    Trait("end", "returns-probabilities", PROBABILITIES, {"end": mlp.probabilities}),
    Trait(
        "end", "returns-probabilities", PROBABILITIES, {"end": lambda z: mlp.probabilities(z.T).T}
    ),
    *(
        Trait("end", "squashes-the-logits", SQUASHED, {"end": end})
        for end in (np.tanh, sigmoid, np.abs, OTHER_ACTIVATIONS[2], OTHER_ACTIVATIONS[5])
    ),
    *(
        Trait(
            "end",
            "shifts-the-logits",
            "something is taken away from each row of logits at the end. Nothing follows the last "
            "layer.",
            {"end": end},
        )
        for end in (
            lambda z: z - z.max(axis=-1, keepdims=True),
            lambda z: z - z.mean(axis=-1, keepdims=True),
            lambda z: z - z.max(),
        )
    ),
]


def traits(depth: int) -> list[Trait]:
    """All mistakes that there are in networks of that many layers."""
    stops = [_stops(k, every) for k in range(depth) for every in (False, True)[: k + 1]]
    return [*ORDERS, *stops, HIDDEN_ONLY, *WEIGHTS, *INPUTS, *BIASES, *RELUS, *ENDS]


def with_traits(*chosen: Trait) -> Network:
    return replace(RIGHT, **{key: value for trait in chosen for key, value in trait.how.items()})


def computes(found: np.ndarray, params: dict, x: np.ndarray, *chosen: Trait) -> bool:
    with np.errstate(all="ignore"):
        logits = with_traits(*chosen).logits(params, x)
    return logits is not None and logits.shape == found.shape and close(found, logits, CERTAIN)


def clashing(one: Trait, other: Trait) -> bool:
    return bool(one.how.keys() & other.how.keys())


def accepted(found: np.ndarray, params: dict, x: np.ndarray, parts: Collection[str]) -> bool:
    """Whether these parts of the contract are kept; up to two mistakes in others pass here."""
    right, every = RIGHT.logits(params, x), traits(len(params))
    if close(found, right, CERTAIN):
        return True
    own, others = ([t for t in every if (t.part in parts) == inside] for inside in (True, False))
    if any(computes(found, params, x, trait) for trait in own):
        return False  # also where it makes little difference, as a leaky ReLU does
    if close(found, right, ROUGH) or ("end" not in parts and cut_off(found, right)):
        return True
    others = [trait for trait in others if any(part in trait.lets_see for part in parts)]
    singles = ((trait,) for trait in others)
    pairs = (pair for pair in combinations(others, 2) if pair[0].part != pair[1].part)
    return any(
        computes(found, params, x, *chosen)
        for group in (singles, pairs)
        for chosen in group
        if len(chosen) == 1 or not clashing(*chosen)
    )


def alike_for_all_rows(found: np.ndarray) -> bool:
    """Whether these logits do not depend on the input, so that they show nothing of the layers."""
    return bool(np.ptp(found, axis=0).max() <= CERTAIN * np.abs(found).max())


def cut_off(found: np.ndarray, right: np.ndarray) -> bool:
    """Whether only the large ones of these logits differ from the right ones, and are all alike."""
    low, high = found.min(), found.max()
    whole = (found > low) & (found < high)
    return bool(whole.mean() > 0.3 and close(found, np.clip(right, low, high), CERTAIN))


def explanations(found: np.ndarray, params: dict, x: np.ndarray, parts: Collection[str]) -> list:
    """Mistakes that make what was found, those in these parts first.

    In turn: one of these parts alone, another part's alone, one of these with another part's.
    """
    every = traits(len(params))
    own, others = ([t for t in every if (t.part in parts) == inside] for inside in (True, False))
    for group in (own, others):
        alone = [t for t in group if computes(found, params, x, t)]
        if alone:
            return alone
    return [
        t
        for t in own
        for other in others
        if not clashing(t, other) and computes(found, params, x, t, other)
    ]


def name_it(
    found: np.ndarray, params: dict, x: np.ndarray, where: str, parts: Collection[str] = PARTS
) -> None:
    """Once a check of these parts has failed: say which mistake it was, if only one fits."""
    likely = explanations(found, params, x, parts)
    if len({trait.name for trait in likely}) == 1:
        recognise(True, likely[0].name, f"{where}, {likely[0].words}")
    recognise(
        not likely and len(found) > 1 and alike_for_all_rows(found),
        "result-does-not-depend-on-x",
        f"{where}, the result is the same for every row of `x`. Do the layers begin with `x`, and "
        "does each take what the one before it made?",
    )


# --- arithmetic in 16 bits -----------------------------------------------------------------------


def _bfloat16(z: np.ndarray) -> np.ndarray:
    bits = np.ascontiguousarray(z, np.float32).view(np.uint32)
    rounded = bits + np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1))
    return (rounded & np.uint32(0xFFFF0000)).view(np.float32).astype(np.float64)


def _float16(z: np.ndarray) -> np.ndarray:
    with np.errstate(over="ignore"):
        return z.astype(np.float16).astype(np.float64)


def in_16_bits(found: np.ndarray, params: dict, x: np.ndarray) -> bool:
    """Whether the logits are off as arithmetic in bfloat16 or float16 makes them.

    The errors of rounding in the same places correlate with those of an answer that does it (0.62
    to 1.00 for answers of seven kinds, eager and compiled, on jax 0.10.1 and 0.12.0.1); errors that
    have nothing to do with it have a correlation of 0.08 (one standard deviation, 160 logits).
    """
    right = RIGHT.logits(params, x)
    error = (found - right).ravel()
    if not close(found, right, ROUGH) or not error.any():
        return False
    return any(
        np.corrcoef(error, (theirs - right).ravel())[0, 1] > 0.5
        for rounded in (_bfloat16, _float16)
        for theirs in _rounded_somewhere(rounded, params, x)
    )


def _rounded_somewhere(rounded: Map, params: dict, x: np.ndarray) -> Iterator[np.ndarray]:
    """Logits ``(batch, n_out)`` with rounded operands, with rounded products, or rounded alone."""
    all_of_it = {n: {k: rounded(v) for k, v in p.items()} for n, p in params.items()}
    weights = {n: {**p, "w": rounded(p["w"])} for n, p in params.items()}
    operands = Network(before=rounded, between=lambda z: rounded(relu(z)))
    products_too = replace(operands, bias=lambda z, b, i, n: rounded(z) + b)
    for smaller in (all_of_it, weights):
        yield operands.logits(smaller, x)
        yield products_too.logits(smaller, x)
    yield rounded(RIGHT.logits(params, x))


# --- results of another kind, and none at all ----------------------------------------------------


def name_the_shape(found: object, params: dict, x: np.ndarray, where: str) -> None:
    """Once a result has been no array of the right shape: say what it is, if that is sure."""
    recognise(found is None, "returns-none", f"{where}, nothing was returned: `return` the logits.")
    recognise(
        isinstance(found, tuple | list | dict),
        "returns-more-than-the-logits",
        f"{where}, it returned {kind_of(found)}; it should return the logits alone.",
    )
    if not isinstance(found, np.ndarray) or not is_real(found):
        return
    right = RIGHT.logits(params, x)
    recognise(
        found.shape == right.shape[:1] and np.array_equal(found, right.argmax(axis=1)),
        "returns-classes",
        f"{where}, it returned the class of each row. Return the logits: training needs them.",
    )
    if not is_floating(found):
        return
    recognise(
        found.shape == right.shape[::-1],
        "batch-axis-comes-last",
        f"{where}, the result has shape {found.shape}: the batch is the first axis.",
    )
    recognise(
        found.shape in [(right.size,), right.shape[1:]],
        "drops-the-batch-axis",
        f"{where}, the result has shape {found.shape}: keep the batch as the first axis, also for "
        "a batch of one.",
    )
    if found.ndim == 2:
        name_it(found, params, x, where)


def name_the_error(student, error: AnswerError, params: dict, x: np.ndarray, where: str) -> None:
    """Once ``mlp_forward`` has raised: say what it stumbled over, if other questions show it."""
    if error.kind != "raised":
        return
    name_the_missing_key(str(error), params, where)
    n_out = params[by_number(params)[-1]]["b"].shape[0]
    recognise(
        works_with(student, (x, params), params, x),
        "arguments-swapped",
        "With `params` and `x` handed over the other way round it works: the order is "
        "`mlp_forward(params, x)`.",
    )
    exchanged = {name: {"b": p["w"], "w": p["b"]} for name, p in params.items()}
    recognise(
        works_with(student, (exchanged, x), params, x),
        "w-and-b-by-position",
        f"{where}, `w` and `b` were taken for each other. JAX hands dicts over sorted, so `b` "
        "comes before `w`: take them by their names.",
    )
    depth = len(params)
    if depth > 1 and {p["w"].shape for p in params.values()} != {(n_out, n_out)}:
        _name_by_equal_widths(student, depth, where)


def name_the_missing_key(text: str, params: dict, where: str) -> None:
    asked = re.search(r"KeyError: '?(.*?)'?\.?$", text)
    if asked is None or asked[1] in params:
        return
    key, last = asked[1], f"layer{len(params)}"
    recognise(
        "Tracer" in key or "Traced" in key,
        "layer-looked-up-by-a-tracer",
        f"{where}, a layer was looked up by a traced number, which names none. A plain Python loop "
        "over the layers is fine: under `jit` it runs once.",
    )
    recognise(
        key == "layer0",
        "layers-counted-from-zero",
        f"{where}, it asked `params` for layer0; the layers are layer1 to {last}.",
    )
    recognise(
        key.startswith("layer") or key.isdigit(),
        "asks-for-a-layer-that-is-not-there",
        f"{where}, it asked `params` for {key}, and the layers are layer1 to {last}. Find their "
        "number in `params` alone; each has two leaves, `w` and `b`.",
    )
    recognise(
        key.isidentifier(),
        "other-names-than-the-contracts",
        f"{where}, it asked for {key}. `params` holds layer1 to {last}, and each of these `w` and "
        "`b`.",
    )


def works_with(student, args: tuple, params: dict, x: np.ndarray) -> bool:
    """Whether these arguments give the logits of this network, be it with layers out of turn."""
    try:
        found = student.function("mlp_forward")(*args)
    except AnswerError:
        return False
    right = RIGHT.logits(params, x)
    alike = isinstance(found, np.ndarray) and found.shape == right.shape
    return alike and accepted(found, params, x, ("weights",))


def _name_by_equal_widths(student, depth: int, where: str) -> None:
    """Where layers do not fit each other: which ones run shows where every order fits."""
    params = mlp.random_params(7, (10,) * (depth + 1))
    x = np.random.default_rng(7).normal(size=(6, 10)).astype(np.float32)
    try:
        found = student.function("mlp_forward")(params, x)
    except AnswerError:
        return
    if not isinstance(found, np.ndarray) or not is_floating(found):
        return
    recognise(
        close(found, RIGHT.logits(params, x), ROUGH),
        "works-for-equal-widths-only",
        f"{where}, layers of different widths do not go through, though layers of one width do. "
        "(Arrays of different shapes cannot be stacked.)",
    )
    name_it(found, params, x, where)


@contextmanager
def told_better(student, params: dict, x: np.ndarray, where: str) -> Iterator[None]:
    """What ``mlp_forward`` raises inside is told by the mistake, where that can be found out."""
    try:
        yield
    except AnswerError as error:
        name_the_error(student, error, params, x, where)
        raise AnswerError(f"{where}: {error}", error.kind) from error
