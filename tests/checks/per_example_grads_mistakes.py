"""What common mistakes make of the gradients and norms of exercise 2.

Once a check has failed, what was seen is compared with what each mistake would give for the same
batch. All of it is NumPy in float64. Where nothing fits, nothing is said.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import combinations

import mlp_numpy as mlp
import numpy as np

from jaxercise.checks import (
    all_leaves,
    close,
    is_floating,
    join,
    kind_of,
    recognise,
    same_structure,
    same_values,
)
from jaxercise.exhibits import Opaque
from jaxercise.student import AnswerError, Student

# What a mistake gives is compared as tightly as what is right: float32 moves a gradient by 1e-6
# of its leaf's largest entry.
RTOL = 1e-3
ENTRIES = 235_146  # of all six leaves


def shapes_of(params: dict) -> dict[str, tuple[int, ...]]:
    """``{"layer1['b']": (256,), ...}`` in JAX's order of leaves."""
    return {
        f"{layer}['{part}']": params[layer][part].shape for layer in sorted(params) for part in "bw"
    }


# --- errors ---------------------------------------------------------------------------------------

# Words of JAX's errors, the same since 0.4, by the mistake that they come from.
RAISED = [
    (
        ("inconsistent sizes", "params["),
        "params-mapped-too",
        "`vmap` was told to cut `params` along its first axis as it cuts the images. All examples "
        "share `params`: in `in_axes` that is `None`.",
    ),
    (
        ("Gradient only defined for scalar-output",),
        "grad-of-a-vector",
        "`jax.grad` takes a function that returns one number, and was given one that returns an "
        "array of losses. Take the gradient of one example's loss, then let `vmap` map that.",
    ),
    (
        ("real- or complex-valued inputs", "int32"),
        "gradient-for-the-labels",
        "`jax.grad` was asked for the gradient with respect to whole numbers, such as the labels. "
        "The gradient is with respect to `params`, the first argument.",
    ),
    (
        ("Non-hashable static arguments",),
        "params-as-a-static-argument",
        "`jax.jit` was told that a dict of arrays is a static argument. Only what is no array, and "
        "can be hashed, is static; `params` are traced like `x` and `y`.",
    ),
    (
        ("racer",),  # TracerBoolConversionError, "Abstract tracer value encountered ..."
        "needs-a-concrete-value",
        "Inside a function that `vmap`, `grad` or `jit` transforms, a value was asked for that is "
        "only known later: by `float(...)`, `if`, `.item()` or NumPy. Stay in `jax.numpy` there.",
    ),
]


@contextmanager
def errors_explained(
    student: Student, name: str, params: dict, x: np.ndarray, y: np.ndarray
) -> Iterator[None]:
    """Says of an error in a call ``name(params, x, y)`` which mistake it comes from."""
    try:
        yield
    except AnswerError as error:
        if error.kind == "raised":
            said = str(error)
            for signs, mistake, words in RAISED:
                recognise(all(sign in said for sign in signs), mistake, f"{said} {words}")
            recognise(
                _right_when_swapped(student, name, params, x, y),
                "arguments-in-another-order",
                f"`{name}(params, x, y)` raised an error, and `{name}(x, y, params)` did not: the "
                "arguments come in the order of the contract, `params` first.",
            )
        raise


def _right_when_swapped(
    student: Student, name: str, params: dict, x: np.ndarray, y: np.ndarray
) -> bool:
    try:
        value = student.call(name, x, y, params)
    except AnswerError:
        return False
    exact = right(params, x, y)
    if name == "per_example_grads":
        expected = {
            layer: {part: exact.leaf(f"{layer}['{part}']") for part in "bw"} for layer in params
        }
        return same_values(value, expected, RTOL)
    return same_values(value, exact.norms(), 0.05)


def assert_returned(value: object, name: str) -> None:
    """Whether anything was returned that could hold numbers."""
    recognise(
        value is None,
        "returns-nothing",
        f"`{name}` returned None. What a function computes has to be returned, with `return`.",
    )
    recognise(
        isinstance(value, Opaque) and "function" in value.type_name.lower(),
        "returns-a-function",
        f"`{name}` returned a function. `vmap` and `grad` make functions of functions; what they "
        "make still has to be called with the arguments.",
    )
    recognise(
        isinstance(value, Opaque),
        "returns-no-array",
        f"`{name}` returned an object that is no array, nor a pytree of arrays.",
    )


def explain_half_precision(value) -> None:
    arrays = [leaf for leaf in all_leaves(value) if isinstance(leaf, np.ndarray)]
    recognise(
        any(leaf.dtype.itemsize == 2 and is_floating(leaf) for leaf in arrays),
        "half-precision",
        "Where the network is very sure, gradients are very small or very large. Their squares "
        "become 0 or infinite in half precision: stay in float32.",
    )


def explain_stale(differ: np.ndarray) -> None:
    recognise(
        not differ.any(),
        "remembers-an-earlier-batch",
        "Another batch gave the same result as the one before. Was it remembered from an earlier "
        "call? The result depends on the arguments, so it is computed for those of each call.",
    )


@contextmanager
def size_explained(n: int, usual: int) -> Iterator[None]:
    """Says of an error for a batch of ``n`` that the usual size works."""
    try:
        yield
    except AnswerError as error:
        recognise(
            error.kind == "raised",
            "one-batch-size-only",
            f"A batch of {usual} works, and one of {n} does not: {error} Any batch size works, so "
            "none is written down in the function.",
        )
        raise


def explain_size(found: list[tuple], shapes: list[tuple], n: int, usual: int) -> None:
    """Name what is wrong with the batch axis of arrays that should be ``(n, *shape)`` each."""
    recognise(
        n == 1 and found == shapes,
        "batch-of-one-loses-its-axis",
        "A batch of 1 lost its batch axis. It keeps it like any other: `jnp.squeeze` removes every "
        "axis of length one.",
    )
    for count in range(usual + 1):
        if count != n and found == [(count, *shape) for shape in shapes]:
            recognise(
                count < n,
                "rows-are-missing",
                f"A batch of {n} gave {count} rows: some examples were left out.",
            )
            recognise(
                count == usual,
                "one-batch-size-only",
                f"A batch of {n} gave {usual} rows. Any batch size works, so none is written down "
                "in the function.",
            )


# --- gradients that a mistake would give ----------------------------------------------------------

Slope = Callable[[np.ndarray, np.ndarray], np.ndarray]  # d loss / d logits, of logits and labels

ACTIVATIONS: dict[str, tuple[Callable, Callable]] = {
    "relu": (lambda z: np.maximum(z, 0), lambda z: (z > 0) * 1.0),
    "none": (lambda z: z, np.ones_like),
    "tanh": (np.tanh, lambda z: 1 - np.tanh(z) ** 2),
    "sigmoid": (
        lambda z: 0.5 + 0.5 * np.tanh(z / 2),
        lambda z: 0.25 * (1 - np.tanh(z / 2) ** 2),
    ),
}


def one_hot(y: np.ndarray) -> np.ndarray:
    """Ones at the labels; a row of zeros where a label is no class."""
    return (y[:, None] == np.arange(10)) * 1.0


def cross_entropy(logits: np.ndarray, y: np.ndarray) -> np.ndarray:
    # an example without a class has a loss of 0, and no gradient
    return (mlp.probabilities(logits) - one_hot(y)) * one_hot(y).sum(axis=1, keepdims=True)


def through_softmax(p: np.ndarray, slope: np.ndarray) -> np.ndarray:
    """d loss / d logits, from d loss / d probabilities."""
    return p * (slope - (p * slope).sum(axis=1, keepdims=True))


def softmax_twice(logits: np.ndarray, y: np.ndarray) -> np.ndarray:
    p = mlp.probabilities(logits)
    return through_softmax(p, mlp.probabilities(p) - one_hot(y))


def squared_error(logits: np.ndarray, y: np.ndarray) -> np.ndarray:
    p = mlp.probabilities(logits)
    return through_softmax(p, p - one_hot(y))


@dataclass(frozen=True)
class Candidate:
    """Gradients of all examples: each weight's is an outer product, each bias's is its ``out``.

    Attributes:
        mistake: its name; "" for none.
        words: for the student.
        inputs, outs: for each layer, what goes in, and d loss / d what comes out.
        biases: False if the gradients of the biases are zero.
    """

    mistake: str
    words: str
    inputs: list[np.ndarray]
    outs: list[np.ndarray]
    biases: bool = True

    def leaf(self, name: str) -> np.ndarray:
        """The gradient for ``layer2['w']``, say."""
        i = int(name[5]) - 1
        if "'b'" in name:
            return self.outs[i] * self.biases
        return np.einsum("bi,bj->bij", self.inputs[i], self.outs[i])

    def leaf_norms(self, order: float = 2) -> dict[str, np.ndarray]:
        """For each leaf, the norm of each example's gradient; of order 1, 2 or infinity."""
        found = {}
        for i, (inputs, out) in enumerate(zip(self.inputs, self.outs), start=1):
            bias = np.linalg.norm(out, order, axis=1)
            found[f"layer{i}['b']"] = bias * self.biases
            found[f"layer{i}['w']"] = np.linalg.norm(inputs, order, axis=1) * bias
        return found

    def norms(self) -> np.ndarray:
        return root_of_squares(self.leaf_norms().values())

    def times(self, trees: list[tuple[np.ndarray, np.ndarray | float]]) -> np.ndarray:
        """The inner product of each example's gradient with weights and biases, ``(batch,)``."""
        return sum(
            np.einsum("bi,ij,bj->b", inputs, w, out, optimize=True) + (out * b).sum(axis=1)
            for inputs, out, (w, b) in zip(self.inputs, self.outs, trees)
        )


def root_of_squares(parts) -> np.ndarray:
    return np.sqrt(sum(part**2 for part in parts))


def candidate(
    mistake: str,
    words: str,
    params: dict,
    x: np.ndarray,
    y: np.ndarray,
    *,
    slope: Slope = cross_entropy,
    hidden: str = "relu",
    last: str = "none",
    biases: bool = True,
) -> Candidate:
    """Back propagation through a network that may differ from the lesson's."""
    layers = mlp.layers(params)
    inputs, sums = [x.astype(np.float64)], []
    for i, layer in enumerate(layers):
        sums.append(inputs[-1] @ layer["w"].astype(np.float64) + biases * layer["b"])
        inputs.append(ACTIVATIONS[hidden if i < len(layers) - 1 else last][0](sums[-1]))
    out = slope(inputs[-1], y) * ACTIVATIONS[last][1](sums[-1])
    outs = [out]
    for i in range(len(layers) - 1, 0, -1):
        out = (out @ layers[i]["w"].astype(np.float64).T) * ACTIVATIONS[hidden][1](sums[i - 1])
        outs.insert(0, out)
    return Candidate(mistake, words, inputs[:-1], outs, biases)


def right(params: dict, x: np.ndarray, y: np.ndarray) -> Candidate:
    return candidate("", "", params, x, y)


LABELS_IGNORED = (
    "These are the gradients for other labels than those passed in as `y`. Row `i` is for the "
    "label `y[i]`, wherever the batch comes from."
)
ZERO = (
    "Everything is zero, as if no loss depended on the parameters. If there is one: over which "
    "axis does its softmax go, and are there ten classes on that axis?"
)
RESCALED = (
    "These fit images whose pixels were rescaled once more. `x` holds pixels from 0 to 1 already, "
    "and is used as it is."
)


def in_network_or_loss(params: dict, x: np.ndarray, y: np.ndarray, other: np.ndarray):
    """What mistakes in the network or the loss give; ``other`` are labels from elsewhere."""

    def of(mistake: str, words: str, x: np.ndarray = x, y: np.ndarray = y, **how) -> Candidate:
        return candidate(mistake, words, params, x, y, **how)

    guesses = mlp.forward(params, x).argmax(axis=-1)
    yield of(
        "predicted-labels",
        "These are the gradients for the classes that the network predicts. The loss of an example "
        "compares the prediction with its label, so use the labels `y` that are passed in.",
        y=guesses,
    )
    off_by_one = "These are the gradients for the classes beside the true ones: 3 for 4, say."
    yield of("labels-off-by-one", off_by_one, y=y - 1)
    yield of("labels-off-by-one", off_by_one, y=y + 1)
    yield of("labels-ignored", LABELS_IGNORED, y=other)
    yield of(
        "softmax-left-out",
        "These are gradients of the logits of the true classes. The loss is the cross-entropy of "
        "their softmax: the other nine logits count too.",
        slope=lambda z, y: -one_hot(y),
    )
    yield of(
        "softmax-twice",
        "These fit a loss with two softmaxes, one on top of the other. A cross-entropy that takes "
        "logits makes probabilities of them itself.",
        slope=softmax_twice,
    )
    yield of(
        "sigmoid-cross-entropy",
        "These fit ten separate yes-or-no losses (sigmoids). The lesson's loss is the cross-entropy"
        " of one softmax over the ten classes.",
        slope=lambda z, y: ACTIVATIONS["sigmoid"][0](z) - one_hot(y),
    )
    squared = "These fit a squared error. The lesson's loss is the softmax cross-entropy."
    yield of("squared-error", squared, slope=squared_error)
    yield of("squared-error", squared, slope=lambda z, y: z - one_hot(y))
    yield of(
        "relu-left-out",
        "These fit a network without any ReLU between its layers.",
        hidden="none",
    )
    for name in ("tanh", "sigmoid"):
        words = f"These fit a network with {name} between its layers. The lesson's has ReLU there."
        yield of("another-activation", words, hidden=name)
    yield of(
        "relu-after-the-last-layer",
        "These fit a network with a ReLU on its logits too. Nothing follows the last layer.",
        last="relu",
    )
    yield of(
        "biases-not-added",
        "These fit a network that adds no biases: each layer computes `h @ w + b`.",
        biases=False,
    )
    for pixels in (x / 255, x * 255, (x - 0.1307) / 0.3081, 2 * x - 1):
        yield of("images-rescaled", RESCALED, x=pixels)


# --- how gradients were packed ---


def of_the_batch(value, params: dict, x: np.ndarray, y: np.ndarray) -> bool:
    """Whether this is the mean or the sum of all examples' gradients, or another multiple."""
    if not same_structure(value, params):
        return False
    found, whole = all_leaves(value), all_leaves(mlp.batch_grads(params, x, y))
    if not all(isinstance(f, np.ndarray) and f.shape == w.shape for f, w in zip(found, whole)):
        return False
    factor = _ratio(found[0], whole[0])
    return factor != 0 and all(close(f, factor * w, RTOL) for f, w in zip(found, whole))


def explain_structure(value, found: dict[str, np.ndarray], params: dict, n: int) -> None:
    """Name how gradients of ``n`` examples were packed that lack the structure of ``params``.

    Args:
        found: those that are there in some form, by name.
    """
    asks = "The contract asks for one pytree like `params`, the batch as first axis of each array."
    shapes = shapes_of(params)
    if isinstance(value, list | tuple):
        trees = [part for part in value if same_structure(part, params)]
        recognise(
            len(trees) == len(value) == n,
            "list-of-trees",
            f"`per_example_grads` returned {kind_of(value)} trees, one for each example. {asks}",
        )
        recognise(
            len(trees) == 1 < len(value),
            "losses-beside-the-gradients",
            f"`per_example_grads` returned {kind_of(value)}: something comes along with the "
            f"gradients, such as the losses of `value_and_grad`. {asks}",
        )
        recognise(
            len(found) == len(value) == len(shapes),
            "leaves-without-their-tree",
            f"`per_example_grads` returned the leaves as {kind_of(value)}, without the dict that "
            f"says which is which. {asks}",
        )
    recognise(
        isinstance(value, np.ndarray) and value.shape == (n, ENTRIES),
        "gradients-are-flattened",
        f"`per_example_grads` returned one long row for each example. {asks}",
    )
    recognise(
        found and all("'w'" in name for name in found) and len(found) == len(params),
        "biases-left-out",
        f"The gradients for the biases are missing. {asks}",
    )
    assert len(found) == len(shapes), (
        f"The gradients for {join([name for name in shapes if name not in found])} are missing, or "
        f"have another shape than the parameter with a batch axis before it. {asks}"
    )
    recognise(
        not same_structure(value, params),
        "leaves-renamed",
        f"The gradients are there, and under other names or nested in another way. {asks}",
    )
    there = [leaf.shape for leaf in all_leaves(value) if isinstance(leaf, np.ndarray)]
    recognise(
        there == [(*shape, n) for shape in shapes.values()],
        "batch-axis-last",
        f"The batch is the last axis of each array. {asks}",
    )
    recognise(
        there == [(n, 1, *shape) for shape in shapes.values()],
        "axis-of-one-left",
        f"Behind the batch axis, each array has one more, of length one. {asks}",
    )


# --- which mistake made these gradients ----------------------------------------------------------


def explain_gradients(
    found: dict[str, np.ndarray],
    params: dict,
    x: np.ndarray,
    y: np.ndarray,
    other: np.ndarray,
    names: list[str],
) -> None:
    """Name the mistake behind the gradients that were found, ``(batch, *shape)`` by name.

    Args:
        other: labels from elsewhere that an answer may have used.
        names: all six, of which some may not have been found.
    """
    if not found:
        return
    recognise(not any(leaf.any() for leaf in found.values()), "gradients-are-zero", ZERO)
    exact = right(params, x, y)
    factor = _factor(found, exact)
    if factor is not None:
        _explain_scale(factor, len(y))
    _explain_missing(found, exact, names)
    if factor is not None:
        return  # what was found is right
    _explain_labels(found, params, x, y)
    for mistaken in in_network_or_loss(params, x, y, other):
        recognise(_factor(found, mistaken) is not None, mistaken.mistake, mistaken.words)
    _explain_rows(found, exact)
    _explain_decay(found, exact, params)
    recognise(
        all(_in_bfloat16(leaf) or _in_float16(leaf) for leaf in found.values())
        and all(close(leaf, exact.leaf(name), 0.5) for name, leaf in found.items()),
        "half-precision",
        "These are the gradients in half precision: they have two or three digits only. Stay in "
        "float32.",
    )


def _in_bfloat16(leaf: np.ndarray) -> bool:
    return not (leaf.astype(np.float32).view(np.uint32) & 0xFFFF).any()


def _in_float16(leaf: np.ndarray) -> bool:
    with np.errstate(over="ignore"):
        return bool((leaf.astype(np.float16) == leaf).all())


def _factor(found: dict[str, np.ndarray], mistaken: Candidate) -> float | None:
    """The factor by which all that was found differs from a candidate; None if it is no factor."""
    factor = None
    for name in sorted(found, key=lambda name: found[name].size):  # small leaves rule most out
        leaf = mistaken.leaf(name)
        if factor is None and leaf.any():
            factor = float(np.vdot(leaf, found[name]) / np.vdot(leaf, leaf))
        if factor == 0 or not close(found[name], (factor or 0) * leaf, RTOL):
            return None
    return factor


def _explain_scale(factor: float, n: int) -> None:
    recognise(
        _is(factor, -1),
        "wrong-sign",
        "Every gradient has the right size and the wrong sign. The loss is minus the "
        "log-probability of the true class, and it is the loss that is differentiated.",
    )
    explain_factor(abs(factor), n, "gradient")


def explain_factor(factor: float, n: int, what: str) -> None:
    """Name what makes all gradients, or all norms, too large or too small by one factor."""
    recognise(
        _is(factor, 1 / n),
        "divided-by-the-batch-size",
        f"Every {what} is too small by the size of the batch: an example's own loss is not divided "
        "by the number of examples.",
    )
    recognise(
        _is(factor, 0.1),
        "divided-by-the-number-of-classes",
        f"Every {what} is too small by the number of classes: the cross-entropy of an example is a "
        "sum over the classes, not a mean.",
    )
    recognise(
        not _is(factor, 1),
        "off-by-a-factor",
        f"Every {what} is off by the same factor. An example's own loss is divided by nothing, and "
        "multiplied by nothing.",
    )


def _is(value: float, expected: float) -> bool:
    return abs(value / expected - 1) < RTOL


def _explain_missing(found: dict[str, np.ndarray], exact: Candidate, names: list[str]) -> None:
    """Some leaves are not there, or all zero; the others are right."""
    there = {name: leaf for name, leaf in found.items() if leaf.any()}
    absent = [name for name in names if name not in there]
    if not there or not absent or _factor(there, exact) is None:
        return
    recognise(
        all("'b'" in name for name in absent) and len(absent) == len(names) / 2,
        "biases-left-out",
        "The gradients for the weights are right, and those for the biases are zero or missing.",
    )
    recognise(
        absent,
        "leaves-left-out",
        f"The gradients for {', '.join(absent)} are zero or missing, and the others are right. "
        "Every weight and every bias has its own.",
    )


def _explain_labels(found: dict[str, np.ndarray], params: dict, x: np.ndarray, y: np.ndarray):
    """Which labels were used shows in the last bias: softmax - one-hot is negative there."""
    last = found.get("layer3['b']")
    if last is None:
        return
    used = np.where(last.any(axis=1), last.argmin(axis=1), -1)
    if (used == y).all() or _factor(found, candidate("", "", params, x, used)) is None:
        return
    guesses = mlp.forward(params, x).argmax(axis=-1)
    classes = {(int(a), int(b)) for a, b in zip(y, used)}
    if (used == guesses).all() or len(classes) == len(set(y.tolist())):
        return  # predicted, or other classes by a rule: those have candidates
    recognise(
        sorted(used) == sorted(y),
        "labels-of-other-examples",
        "These are the gradients for the images with each other's labels: `x[i]` and `y[i]` belong "
        "together.",
    )
    recognise(True, "labels-ignored", LABELS_IGNORED)


def _explain_rows(found: dict[str, np.ndarray], exact: Candidate) -> None:
    """The right rows, but in another order, mixed or rescaled."""
    leaves = {name: exact.leaf(name) for name in found}
    smallest = min(found, key=lambda name: found[name].size)
    a, b = found[smallest], leaves[smallest]
    n, scale = len(a), np.abs(b).max()
    share = _ratio(a[0], b.mean(axis=0))  # 1 for the mean gradient, n for the sum
    recognise(
        share
        and all(
            close(leaf, np.broadcast_to(share * leaves[name].mean(axis=0), leaf.shape), RTOL)
            for name, leaf in found.items()
        ),
        "gradient-of-the-whole-batch",
        "All rows are the same: each holds the gradient of the whole batch instead of its "
        "example's own.",
    )
    nearest = np.abs(a[:, None] - b[None]).reshape(n, n, -1).max(axis=-1)
    order = nearest.argmin(axis=1)
    recognise(
        nearest.min(axis=1).max() < RTOL * scale
        and sorted(order) == list(range(n))
        and all(close(leaf, leaves[name][order], RTOL) for name, leaf in found.items()),
        "rows-in-another-order",
        "These are the right gradients in another order. Row `i` belongs to example `i`, so leave "
        "them where they are.",
    )
    recognise(
        all(close(leaf, leaves[name] - leaves[name].mean(0), RTOL) for name, leaf in found.items()),
        "batch-mean-subtracted",
        "These are the gradients less the mean gradient of the batch. Each row is the gradient of "
        "its example's own loss, and depends on no other example.",
    )
    flat, exactly = a.reshape(n, -1), b.reshape(n, -1)
    factors = (flat * exactly).sum(axis=1) / (exactly**2).sum(axis=1)
    recognise(
        (factors > 0).all()
        and all(
            close(leaf, leaves[name] * factors.reshape(-1, *[1] * (leaf.ndim - 1)), RTOL)
            for name, leaf in found.items()
        ),
        "rows-are-rescaled",
        "Every row points where it should, and has another length: were the gradients clipped or "
        "normalised? The contract asks for them as they are.",
    )


def _ratio(found: np.ndarray, expected: np.ndarray) -> float:
    return float(np.vdot(expected, found) / np.vdot(expected, expected))


def _explain_decay(found: dict[str, np.ndarray], exact: Candidate, params: dict) -> None:
    """The same multiple of the weights in every row."""
    factor = None
    for name, leaf in found.items():
        own, extra = params[name[:6]][name[8]], leaf - exact.leaf(name)
        if "'b'" in name and close(leaf, exact.leaf(name), RTOL):
            continue  # biases are often left out of a penalty
        factor = _ratio(extra.mean(axis=0), own) if factor is None else factor
        if not factor or not close(extra, np.broadcast_to(factor * own, leaf.shape), 0.01):
            return
    recognise(
        factor,
        "weight-decay-in-the-loss",
        "Each row is the right gradient plus a multiple of the parameters: a penalty on large "
        "weights. The loss of an example is its cross-entropy and nothing else.",
    )


# --- which mistake made these norms ---------------------------------------------------------------


@dataclass(frozen=True)
class Norms:
    """Norms that were found for a batch, ``(n,)``.

    Attributes:
        found: the numbers.
        in_place: False compares them in order of size only.
    """

    found: np.ndarray
    in_place: bool = True

    def are(self, mistaken: np.ndarray) -> bool:
        factor = self.factor(mistaken)
        return factor is not None and _is(factor, 1)

    def factor(self, mistaken: np.ndarray) -> float | None:
        """The factor between these norms and others, None if it is no factor."""
        a, b = self.found, mistaken
        if not self.in_place:
            a, b = np.sort(a), np.sort(b)
        some = (a != 0) | (b != 0)  # where both are 0, any factor will do
        with np.errstate(all="ignore"):
            ratios = a[some] / b[some]
        if not ratios.size or not np.isfinite(ratios).all() or (ratios <= 0).any():
            return None
        middle = float(np.median(ratios))
        return middle if _near(ratios, middle, RTOL) else None


def _near(values: np.ndarray, expected: float, rtol: float) -> bool:
    return bool((np.abs(values / expected - 1) < rtol).all())


def explain_shape(array: np.ndarray, params: dict, x: np.ndarray, y: np.ndarray) -> None:
    """Name what was measured where there is not one number for each example."""
    if not is_floating(array):
        return
    whole = mlp.batch_grads(params, x, y)
    one = [mlp.global_norm(whole)]
    each = [np.linalg.norm(leaf) for leaf in all_leaves(whole)]
    recognise(
        any(
            array.size == len(lengths)
            and _near(array.ravel() / (factor * np.array(lengths)), 1, RTOL)
            for lengths in (one, each)
            for factor in (1, len(y))
        ),
        "gradient-of-the-whole-batch",
        "This is the norm of the gradient of the whole batch. Each example has its own gradient, "
        "and each of those one norm.",
    )
    recognise(
        array.shape in ((), (1,))
        and _near(array / np.linalg.norm(mlp.per_example_norms(params, x, y)), 1, RTOL),
        "one-norm-for-the-batch",
        "This is one norm over the gradients of all examples together. Each example has its own: "
        "keep the batch axis, and sum over the others.",
    )


def explain_norms(
    norms: Norms, params: dict, x: np.ndarray, y: np.ndarray, other: np.ndarray
) -> None:
    """Name the mistake behind norms that were found; ``other`` are labels from elsewhere."""
    recognise(not norms.found.any(), "gradients-are-zero", ZERO)
    exact = right(params, x, y)
    expected = exact.norms()
    if norms.are(expected):
        return
    _explain_norm_factor(norms, expected)
    _explain_formula(norms, exact, params, x, y)
    for mistaken in in_network_or_loss(params, x, y, other):
        recognise(norms.factor(mistaken.norms()), mistaken.mistake, mistaken.words)
    first = mlp.layers(params)[0]["w"].astype(np.float64)
    recognise(
        norms.factor(np.linalg.norm(exact.outs[0] @ first.T, axis=1)),
        "gradient-for-the-images",
        "These are norms of gradients with respect to the images. What is learned are `params`.",
    )
    _explain_subset(norms, exact)
    found_in_order, in_order = np.sort(norms.found), np.sort(expected)
    if norms.in_place and Norms(found_in_order).are(in_order):
        rises = np.diff(norms.found)
        recognise(
            (rises >= 0).all() or (rises <= 0).all(),
            "norms-are-sorted",
            "These are the right norms in sorted order. Norm `i` belongs to example `i`, so leave "
            "them where they are.",
        )
        recognise(
            not norms.are(expected),
            "rows-in-another-order",
            "These are the right norms in another order. Norm `i` belongs to example `i`, so leave "
            "them where they are.",
        )
    _explain_mixed(norms, exact, params)
    explain_rounding(norms.found, expected)


def explain_rounding(found: np.ndarray, expected: np.ndarray) -> None:
    """Say that norms were rounded, if they were."""
    recognise(
        any(_rounded(found, expected, digits) for digits in range(4)),
        "norms-are-rounded",
        "These are the right norms, rounded. Round when you print, not in the function: otherwise "
        "small norms vanish.",
    )


def explain_small(found: np.ndarray, expected: np.ndarray) -> None:
    """Name what covers up small norms and spoils no others."""
    extra = found**2 - expected**2
    recognise(
        (extra > 0).all() and _near(extra, float(np.median(extra)), 0.05),
        "epsilon-added",
        "A small number was added under the square root. It covers up small norms, and the square "
        "root needs none here.",
    )


def _explain_norm_factor(norms: Norms, expected: np.ndarray) -> None:
    factor, n = norms.factor(expected), len(expected)
    if factor is None:
        return
    recognise(
        any(_is(factor, 1 / whole) for whole in (expected.max(), expected.sum(), expected.mean()))
        or _is(factor, 1 / np.linalg.norm(expected)),
        "scaled-within-the-batch",
        "These norms are divided by the largest, or by the sum, of the batch. Norm `i` depends on "
        "example `i` alone.",
    )
    recognise(
        _is(factor, 1 / np.sqrt(ENTRIES)),
        "root-mean-square",
        "These are root mean squares. A norm adds the squares up and divides by nothing.",
    )
    recognise(
        _is(factor, 1 / np.sqrt(n)),
        "divided-by-the-batch-size",
        "The sums of squares were divided by the number of examples. A norm adds the squares up "
        "and divides by nothing.",
    )
    if not _near(np.array([factor]), 1, RTOL):
        explain_factor(factor, n, "norm")


def _explain_formula(
    norms: Norms, exact: Candidate, params: dict, x: np.ndarray, y: np.ndarray
) -> None:
    """Numbers other than the L2 norm, made of the right gradients."""
    leaves, expected = list(exact.leaf_norms().values()), exact.norms()
    recognise(
        norms.factor(expected**2),
        "norms-are-squared",
        "These are the squares of the norms: the square root is missing.",
    )
    recognise(
        norms.factor(sum(leaves)),
        "norms-of-leaves-added",
        "These are the norms of the leaves, added up or averaged. Add the squares of all entries "
        "over all leaves first, and take one square root at the end.",
    )
    recognise(
        norms.factor(np.sqrt(sum(leaves))),
        "leaf-norms-not-squared",
        "These are roots of sums of the leaves' norms. It is their squares that add up: the norm "
        "of a leaf has its own square root already.",
    )
    sizes = [np.size(mlp.layers(params)[int(name[5]) - 1][name[8]]) for name in exact.leaf_norms()]
    recognise(
        norms.are(root_of_squares(leaf / np.sqrt(size) for leaf, size in zip(leaves, sizes))),
        "root-mean-square",
        "These are made of the mean square of each leaf. A norm adds the squares of all entries "
        "up, and divides by nothing.",
    )
    recognise(
        norms.are(np.max(list(exact.leaf_norms(np.inf).values()), axis=0)),
        "largest-entry",
        "These are the largest entries of each gradient, not the L2 norms.",
    )
    recognise(
        norms.factor(sum(exact.leaf_norms(1).values())),
        "l1-norms",
        "These are sums of absolute values (L1 norms), not L2 norms.",
    )
    log_p = np.log(mlp.probabilities(mlp.forward(params, x)) + 1e-300)
    recognise(
        norms.are(-log_p[np.arange(len(y)), y]),
        "losses-instead-of-norms",
        "These are the losses of the examples, not the norms of their gradients.",
    )


def batch_norms(params: dict, x: np.ndarray, y: np.ndarray) -> list[float]:
    """The norm of the mean gradient, and that of the summed gradient."""
    whole = mlp.global_norm(mlp.batch_grads(params, x, y))
    return [whole, whole * len(y)]


def _explain_mixed(norms: Norms, exact: Candidate, params: dict) -> None:
    """Gradients that were changed before their norms were taken, alike or by each other."""
    expected, n = exact.norms(), len(norms.found)
    mean = [
        (np.einsum("bi,bj->ij", inputs, out) / n, out.mean(axis=0))
        for inputs, out in zip(exact.inputs, exact.outs)
    ]
    whole = np.sqrt(sum((w**2).sum() + (b**2).sum() for w, b in mean))
    alike = _near(norms.found, float(np.median(norms.found)), RTOL)
    recognise(
        alike and (_is(norms.found[0], whole) or _is(norms.found[0], n * whole)),
        "gradient-of-the-whole-batch",
        "All norms are that of the gradient of the whole batch. Each example has its own.",
    )
    recognise(
        alike and _is(norms.found[0], np.linalg.norm(expected)),
        "one-norm-for-the-batch",
        "All norms are the same: that of the gradients of all examples together.",
    )
    limit = norms.found.max()
    recognise(
        (alike and _is(limit, 1))
        or (limit < expected.max() and norms.are(np.minimum(expected, limit))),
        "rows-are-rescaled",
        "All norms, or all large ones, are the same: were the gradients clipped or normalised? The "
        "contract asks for their lengths as they are.",
    )
    apart = expected**2 - 2 * exact.times(mean) + whole**2
    recognise(
        norms.are(np.sqrt(np.maximum(apart, 0))),
        "batch-mean-subtracted",
        "The mean gradient of the batch was subtracted first. Norm `i` depends on no other "
        "example.",
    )
    for with_biases in (0, 1):
        own = [(layer["w"], with_biases * layer["b"]) for layer in mlp.layers(params)]
        slopes = exact.times([(w.astype(np.float64), b) for w, b in own])
        size = sum(float((w**2).sum() + np.sum(np.square(b))) for w, b in own)
        for factor in np.roots([size, 2 * slopes[0], expected[0] ** 2 - norms.found[0] ** 2]):
            if abs(factor.imag) > 0 or abs(factor) < 1e-6:
                continue
            squares = expected**2 + 2 * factor.real * slopes + factor.real**2 * size
            recognise(
                norms.in_place and norms.are(np.sqrt(np.maximum(squares, 0))),
                "weight-decay-in-the-loss",
                "These are norms of gradients with a penalty on large weights. The loss of an "
                "example is its cross-entropy and nothing else.",
            )


def _explain_subset(norms: Norms, exact: Candidate) -> None:
    """Norms over some of the six leaves."""
    parts = exact.leaf_norms()
    recognise(
        norms.are(root_of_squares(part for name, part in parts.items() if "'w'" in name)),
        "biases-left-out",
        "The norms count the weights and forget the biases. On ordinary digits that hardly shows; "
        "on faint ones, where the biases matter, it does.",
    )
    recognise(
        any(
            norms.are(root_of_squares(chosen))
            for count in range(1, len(parts))
            for chosen in combinations(parts.values(), count)
        ),
        "leaves-left-out",
        "These are norms over some of the six arrays only. All weights and all biases count.",
    )


def _rounded(found: np.ndarray, expected: np.ndarray, digits: int) -> bool:
    # what is left after rounding is at most half a unit of the last digit
    near = np.abs(found - expected) <= 0.5 * 10.0**-digits + RTOL * expected
    rounds = np.allclose(found, np.round(found, digits), rtol=1e-6, atol=0)
    return bool(rounds and near.all() and found.any())
