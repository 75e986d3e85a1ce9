"""Hidden checks of exercise 2: per-example gradients and their norms.

Most checks look at one batch of 32, called as it is, so that an answer which knows no other size
is judged on everything else; one check per function tries other sizes. Expected values come from
NumPy, in float64, and never from the student's own gradients.
"""

from functools import cache

import mlp_numpy as mlp
import numpy as np
import pytest

from jaxercise.checks import (
    all_leaves,
    as_array,
    assert_pure,
    close,
    float_array,
    join,
    kind_of,
    number,
    same_structure,
)

N = 32
# Over 20 seeds (scripts/measure_thresholds.py, jax 0.10.1) the reference in float32 differs from
# float64 by at most 6e-7 of a leaf's largest entry, and by 2e-7 of a norm, faint images included;
# unusual right answers by a few times that. Half precision is off by 6e-4 on ordinary norms: what
# it spoils has a check of its own.
GRAD_RTOL = 1e-3
NORM_RTOL = 1e-3
# Forgetting the biases changes these norms by 0.6 to 3.1 %. One check judges that, on faint
# images and with NORM_RTOL; those on ordinary images let it pass.
ORDINARY_RTOL = 0.05

IMAGES, LABELS = mlp.digits("valid", 500)
X, Y = IMAGES[100 : 100 + N], LABELS[100 : 100 + N]
PARAMS = mlp.random_params(7, bias=0.05)

# The same batch with another image and label at one place, and only another label at a second.
NEW_IMAGE, NEW_LABEL = 5, 9
CHANGED_X, CHANGED_Y = X.copy(), Y.copy()
CHANGED_X[NEW_IMAGE] = 1 - X[NEW_IMAGE]  # far brighter: the largest gradient of the batch
CHANGED_Y[[NEW_IMAGE, NEW_LABEL]] = (Y[[NEW_IMAGE, NEW_LABEL]] + 1) % 10
UNTOUCHED = np.delete(np.arange(N), [NEW_IMAGE, NEW_LABEL])


@cache
def expected_grads() -> dict:
    return mlp.per_example_grads(PARAMS, X, Y)


def predicted(params: dict, x: np.ndarray) -> np.ndarray:
    return mlp.forward(params, x).argmax(axis=-1)


def off(found: np.ndarray, expected: np.ndarray) -> np.ndarray:
    """Relative distance of each number from the expected one."""
    return np.abs(found / expected - 1)


@pytest.fixture(scope="module")
def answer(student):
    """The gradients of the batch, as they came."""
    return student.call("per_example_grads", PARAMS, X, Y)


@pytest.fixture(scope="module")
def changed_answer(student):
    return student.call("per_example_grads", PARAMS, CHANGED_X, CHANGED_Y)


@pytest.fixture(scope="module")
def norms_answer(student):
    """The norms of the batch, as they came."""
    return student.call("per_example_grad_norms", PARAMS, X, Y)


def gradients(value, n: int = N) -> list[np.ndarray]:
    """The leaves of an answer, ``(n, *shape)`` each, in the order of ``PARAMS``.

    A list of n trees, a tree that came with something beside it, or a batch axis at the end still
    get their values judged: how they are packed is the business of the check of the structure.
    """
    if isinstance(value, list | tuple):
        trees = [part for part in value if same_structure(part, PARAMS)]
        if len(trees) == n == len(value):
            value = mlp.tree_map(lambda *rows: np.stack(rows), *map(_with_arrays, trees))
        elif len(trees) == 1:
            value = trees[0]
    assert same_structure(value, PARAMS), (
        f"`per_example_grads` returned {kind_of(value)}, and not the layers of `params`, each with "
        "its 'w' and 'b'."
    )
    leaves = []
    for leaf, (name, shape) in zip(all_leaves(value), SHAPES.items(), strict=True):
        what = f"For a batch of {n}, the gradient for {name}"
        leaf = as_array(leaf, what)
        if leaf.shape == (*shape, n):
            leaf = np.moveaxis(leaf, -1, 0)
        leaves.append(float_array(leaf, what, (n, *shape)))
    return leaves


def _with_arrays(tree: dict) -> dict:
    return mlp.tree_map(lambda leaf: as_array(leaf, "A gradient"), tree)


# {"layer1['b']": (256,), ...} in the order of all_leaves
SHAPES = {
    f"{layer}['{part}']": PARAMS[layer][part].shape for layer in sorted(PARAMS) for part in "bw"
}


def agree(found: list[np.ndarray], expected: list[np.ndarray]) -> bool:
    return all(close(f, e, GRAD_RTOL) for f, e in zip(found, expected, strict=True))


def rows_that_differ(a: list[np.ndarray], b: list[np.ndarray]) -> np.ndarray:
    """Whether row i of two answers differs, ``(N,)``, relative to each leaf's largest entry."""
    differ = np.zeros(N, bool)
    for one, two in zip(a, b, strict=True):
        scale = max(np.abs(one).max(), np.abs(two).max())
        differ |= np.abs(one - two).reshape(N, -1).max(axis=1) > GRAD_RTOL * scale
    return differ


# --- per-example-purity: first, before anything has been traced -----------------------------------


@pytest.mark.grade("per-example-purity", points=2)
def test_per_example_grads_is_a_pure_function(student):
    """`per_example_grads` is pure: it depends on its arguments alone and changes nothing"""
    assert_pure(student, "per_example_grads", PARAMS, X[:2], Y[:2])


# --- per-example-grads ----------------------------------------------------------------------------


@pytest.mark.grade("per-example-grads", points=2)
def test_gradients_have_the_structure_of_params(answer):
    """The gradients form one pytree like `params`, with a leading batch axis on each leaf"""
    assert not isinstance(answer, list | tuple), (
        f"`per_example_grads` returned {kind_of(answer)} for {N} examples. The contract asks for "
        "one pytree like `params`, in which every array has a leading axis of length batch."
    )
    assert same_structure(answer, PARAMS), (
        f"`per_example_grads` returned {kind_of(answer)}. The contract asks for the same nested "
        "dict as `params`: the same layers, each with its 'w' and 'b'."
    )
    for leaf, (name, shape) in zip(all_leaves(answer), SHAPES.items(), strict=True):
        assert isinstance(leaf, np.ndarray), f"The gradient for {name} is {kind_of(leaf)}."
        assert leaf.shape != shape, (
            f"The gradient for {name} has the shape of the parameter itself, {shape}: those of the "
            "examples have been averaged or summed. Each example needs its own."
        )
        assert leaf.shape == (N, *shape), (
            f"The gradient for {name} has shape {leaf.shape}. The parameter has shape {shape}, and "
            f"for {N} examples the contract asks for a leading axis of length {N} before that."
        )


@pytest.mark.grade("per-example-grads", points=2)
def test_each_row_is_the_gradient_of_its_own_loss(answer):
    """Row i is the gradient of example i's own cross-entropy, for weights and biases"""
    found, expected = gradients(answer), all_leaves(expected_grads())
    wrong = [name for name, f, e in zip(SHAPES, found, expected) if not close(f, e, GRAD_RTOL)]
    if not wrong:
        return
    assert not agree([-f for f in found], expected), (
        "Every gradient has the right size and the wrong sign. The loss is minus the "
        "log-probability of the true class, and it is the loss that is differentiated."
    )
    assert not agree([N * f for f in found], expected), (
        "Every gradient is too small by the size of the batch: an example's own loss is not "
        "divided by the number of examples."
    )
    assert not agree(found, [np.broadcast_to(e.mean(axis=0), e.shape) for e in expected]), (
        "All rows are the same: each holds the gradient of the whole batch instead of its "
        "example's own."
    )
    guesses = mlp.per_example_grads(PARAMS, X, predicted(PARAMS, X))
    assert not agree(found, all_leaves(guesses)), (
        "These are gradients for the classes that the network predicts. The loss of an example "
        "compares the prediction with its label, so use the labels `y` that are passed in."
    )
    raise AssertionError(
        f"The gradients for {join(wrong)} are not those of each example's own cross-entropy. "
        "Compare a row with `jax.grad(loss_fn)` of that example alone."
    )


@pytest.mark.grade("per-example-grads", points=1)
def test_row_i_belongs_to_example_i_alone(answer, changed_answer):
    """Another example at one place changes the gradient at that place, and no other"""
    differ = rows_that_differ(gradients(answer), gradients(changed_answer))
    assert not differ[UNTOUCHED].any(), (
        "When two examples of a batch were replaced, the gradients of others changed too. Row i "
        "belongs to example i: it keeps its place, and depends on no other example."
    )
    assert differ[NEW_IMAGE], (
        f"When example {NEW_IMAGE} got another image and label, row {NEW_IMAGE} stayed the same."
    )


@pytest.mark.grade("per-example-grads", points=1)
def test_gradients_use_the_labels_given(answer, changed_answer):
    """Another label alone changes an example's gradient"""
    differ = rows_that_differ(gradients(answer), gradients(changed_answer))
    differ[NEW_IMAGE] = False
    assert differ.any(), (
        "When an example got another label and kept its image, its gradient stayed the same. "
        "The labels to learn from are those passed in as `y`, whatever the network predicts."
    )


@pytest.mark.grade("per-example-grads", points=1)
def test_gradients_of_other_batch_sizes(student, answer):
    """Batches of 1 and of 7 work like any other and keep their axis"""
    values_count = agree(gradients(answer), all_leaves(expected_grads()))
    for n in (1, 7):
        found = gradients(student.function("per_example_grads")(PARAMS, X[:n], Y[:n]), n)
        expected = [leaf[:n] for leaf in all_leaves(expected_grads())]
        assert agree(found, expected) or not values_count, (
            f"The gradients are right for a batch of {N} and wrong for a batch of {n}."
        )


# --- per-example-norms ----------------------------------------------------------------------------


def norms(value, n: int = N) -> np.ndarray:
    """The norms of an answer, ``(n,)``. A column, or norms with something beside them, still get
    their values judged: that they come alone and in one row is the business of its own check."""
    if isinstance(value, tuple):
        value = next((part for part in value if isinstance(part, np.ndarray)), value)
    array = as_array(value, "The result of `per_example_grad_norms`")
    if array.shape == (n, 1):
        array = array[:, 0]
    return float_array(array, f"For a batch of {n}, the result of `per_example_grad_norms`", (n,))


@pytest.mark.grade("per-example-norms", points=0.5)
def test_norms_are_one_number_an_example(norms_answer):
    """The norms come as one array of shape (batch,)"""
    array = as_array(norms_answer, "The result of `per_example_grad_norms`")
    assert array.shape == (N,), (
        f"For {N} examples, `per_example_grad_norms` returned {kind_of(array)}. The contract asks "
        "for shape (batch,): one number for each example, over all leaves together."
    )


@pytest.mark.grade("per-example-norms", points=2)
def test_norms_are_global_l2_norms(norms_answer):
    """Each norm is the L2 norm of the example's whole gradient, in the place of its example"""
    found, expected = norms(norms_answer), mlp.per_example_norms(PARAMS, X, Y)
    if (off(found, expected) < ORDINARY_RTOL).all():
        return
    for words, mistaken in usual_mistakes(expected).items():
        assert (off(found, mistaken) > ORDINARY_RTOL).any(), words
    raise AssertionError(
        "The norms are not the square roots of the sums of squares over all entries of each "
        "example's gradient. Work one example out by hand, leaf by leaf, and compare."
    )


def usual_mistakes(expected: np.ndarray) -> dict[str, np.ndarray]:
    """What the norms of the batch become through common mistakes, by the words that explain it."""
    leaves = [leaf.reshape(N, -1) for leaf in all_leaves(expected_grads())]
    leaf_norms = [np.sqrt((leaf**2).sum(axis=1)) for leaf in leaves]
    whole_batch = mlp.global_norm(mlp.batch_grads(PARAMS, X, Y))
    return {
        "These are the squares of the norms: the square root is missing.": expected**2,
        "These are the norms of the leaves added up. Add the squares of all entries over all "
        "leaves first, and take one square root at the end.": sum(leaf_norms),
        "These are root mean squares. A norm adds the squares up and divides by nothing.": (
            expected / np.sqrt(sum(leaf.shape[1] for leaf in leaves))
        ),
        "Every norm is too small by the size of the batch: an example's own loss is not divided "
        "by the number of examples.": expected / N,
        "These are the largest entries of each gradient, not the L2 norms.": np.max(
            [np.abs(leaf).max(axis=1) for leaf in leaves], axis=0
        ),
        "These are sums of absolute values (L1 norms), not L2 norms.": sum(
            np.abs(leaf).sum(axis=1) for leaf in leaves
        ),
        "All norms are that of the gradient of the whole batch.": np.full(N, whole_batch),
        "These are the norms for the classes that the network predicts, not for the labels `y`.": (
            mlp.per_example_norms(PARAMS, X, predicted(PARAMS, X))
        ),
        "These are the right norms in sorted order. Norm i belongs to example i, so leave them "
        "where they are.": np.sort(expected),
        "These are the right norms, sorted from the largest down. Norm i belongs to example i, so "
        "leave them where they are.": np.sort(expected)[::-1],
    }


@pytest.mark.grade("per-example-norms", points=1)
def test_norms_count_every_leaf(student):
    """Every leaf counts, the biases too"""
    # On faint images, norms without biases are 46 % or more too small, and without any one of the
    # three 9 % or more. Which norm stands where is not judged here.
    x = 0.05 * X
    found = np.sort(norms(student.call("per_example_grad_norms", PARAMS, x, Y)))
    if (off(found, np.sort(mlp.per_example_norms(PARAMS, x, Y))) < NORM_RTOL).all():
        return
    of_weights = mlp.per_example_norms(PARAMS, x, Y, biases=False)
    assert (off(found, np.sort(of_weights)) > NORM_RTOL).any(), (
        "The norms count the weights and forget the biases. On ordinary digits that hardly shows; "
        "on faint ones, where the biases matter, it does."
    )
    raise AssertionError(
        "On faint images, where the biases make up half of the gradient, the norms are not those "
        "over all leaves of `params`."
    )


@pytest.mark.grade("per-example-norms", points=0.5)
def test_norm_i_belongs_to_example_i_alone(student, norms_answer):
    """Another example at one place changes the norm at that place, and no other"""
    before = norms(norms_answer)
    after = norms(student.call("per_example_grad_norms", PARAMS, CHANGED_X, CHANGED_Y))
    differ = np.abs(after - before) > NORM_RTOL * np.maximum(np.abs(after), np.abs(before))
    assert not differ[UNTOUCHED].any(), (
        "When two examples of a batch were replaced, the norms at other places changed too. Norm i "
        "belongs to example i: it keeps its place, and depends on no other example."
    )
    assert differ[NEW_IMAGE], (
        f"When example {NEW_IMAGE} got another image and label, norm {NEW_IMAGE} stayed the same."
    )


# On these two fixed batches the reference is within 1.1 % and 1e-7 (float32 rounds 1 - p). Half
# precision makes 0 of small norms and inf of large ones; log(softmax) gives nan. A wrong scale has
# a check of its own, so norms are compared with what the answer makes of an ordinary batch.
SURE_FACTOR = 4


def sharpened(scale: float) -> dict:
    """The trained network with larger logits, so that it is surer of what it says."""
    params = trained_params()
    params["layer3"] = {part: np.float32(scale) * leaf for part, leaf in params["layer3"].items()}
    return params


def surely_right() -> tuple[dict, np.ndarray, np.ndarray]:
    """Parameters, and N images with their labels, whose gradients are small: 0.0002 to 0.005."""
    params = sharpened(4)
    small = mlp.per_example_norms(params, IMAGES, LABELS)
    chosen = np.flatnonzero((small > 2e-4) & (small < 5e-3))[:N]
    return params, IMAGES[chosen], LABELS[chosen]


def surely_wrong() -> tuple[dict, np.ndarray, np.ndarray]:
    """Parameters, and N images with labels that get less than exp(-120), below any float32."""
    params, other = sharpened(10), (LABELS + 1) % 10
    logits = mlp.forward(params, IMAGES)
    gap = logits.max(axis=1) - logits[np.arange(len(other)), other]
    chosen = np.flatnonzero(gap > 120)[:N]
    return params, IMAGES[chosen], other[chosen]


@pytest.mark.grade("per-example-norms", points=0.5)
def test_norms_where_the_network_is_surely_right(student, norms_answer):
    """Small norms stay exact where the network is very sure of the true class"""
    ratio = sure_ratio(student, norms_answer, *surely_right())
    assert (ratio > 1 / SURE_FACTOR).all(), (
        "Where the network is very sure of the true class, gradients are small, and some norms "
        "come out far too small or as 0. Squares of small numbers underflow in half precision: "
        "stay in float32."
    )
    assert (ratio < SURE_FACTOR).all(), (
        "Where the network is very sure of the true class, some norms come out far too large."
    )


@pytest.mark.grade("per-example-norms", points=0.5)
def test_norms_where_the_network_is_surely_wrong(student, norms_answer):
    """Norms stay finite where the network gives the true class next to nothing"""
    ratio = sure_ratio(student, norms_answer, *surely_wrong())
    assert ((ratio > 1 / SURE_FACTOR) & (ratio < SURE_FACTOR)).all(), (
        "Where the network gives the true class next to no probability, gradients are large, and "
        "some norms come out far from the right size."
    )


def sure_ratio(student, norms_answer, params: dict, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Norms by the right ones, with 1 for what the answer gives on an ordinary batch ``(N,)``."""
    usual = np.median(norms(norms_answer) / mlp.per_example_norms(PARAMS, X, Y))
    value = student.call("per_example_grad_norms", params, x, y)
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        assert np.isfinite(value).all(), (
            "Where the network is very sure, some norms are not finite. The probability of a class "
            "can be too small for a float: `log_softmax` copes with that, the logarithm of "
            "`softmax` does not. Half precision overflows too."
        )
    return np.sort(norms(value)) / np.sort(mlp.per_example_norms(params, x, y)) / usual


@pytest.mark.grade("per-example-norms", points=1)
def test_norms_of_other_batch_sizes(student, norms_answer):
    """Batches of 1 and of 7 give 1 and 7 norms"""
    expected = mlp.per_example_norms(PARAMS, X, Y)
    values_count = (off(norms(norms_answer), expected) < ORDINARY_RTOL).all()
    for n in (1, 7):
        found = norms(student.function("per_example_grad_norms")(PARAMS, X[:n], Y[:n]), n)
        assert (off(found, expected[:n]) < ORDINARY_RTOL).all() or not values_count, (
            f"The norms are right for a batch of {N} and wrong for a batch of {n}."
        )


# --- per-example-results --------------------------------------------------------------------------


def trained_params() -> dict:
    """The network that the notebook loads from trained.npz."""
    with np.load(mlp.DATA.with_name("trained.npz")) as stored:
        return {
            f"layer{i}": {part: stored[f"layer{i}_{part}"] for part in ("w", "b")}
            for i in (1, 2, 3)
        }


@cache
def expected_results() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Norms, probabilities of the true class, and all probabilities of the 32 digits."""
    params, x, y = trained_params(), IMAGES[:N], LABELS[:N]
    p = mlp.probabilities(mlp.forward(params, x))
    return mlp.per_example_norms(params, x, y), p[np.arange(N), y], p


@pytest.mark.grade("per-example-results", points=1.5, notebook=True)
def test_norms_of_the_32_digits(student):
    """`norms` holds the gradient norm of each of the 32 digits"""
    found = float_array(student.value("norms"), "`norms`", (N,))
    expected, _, _ = expected_results()
    # Float32 moves the smallest norms by up to 0.5 %, forgotten biases, which have a check of
    # their own, move them by 1.0 %.
    wrong = np.abs(found - expected) > np.maximum(0.02 * expected, 1e-3)
    assert not wrong.any(), (
        f"{wrong.sum()} of the {N} numbers in `norms` are not the gradient norms of the trained "
        "network at `x32`, `y32`. Is it `per_example_grad_norms(params, x32, y32)`, with the "
        "params from trained.npz and the order kept?"
    )


@pytest.mark.grade("per-example-results", points=1, notebook=True)
def test_hardest_are_the_five_largest(student):
    """`hardest` holds the places of the five largest norms, the largest first"""
    found = float_array(student.value("hardest"), "`hardest`", (5,))
    assert (found == np.round(found)).all() and ((found >= 0) & (found < N)).all(), (
        "`hardest` should hold places among the 32 digits, whole numbers from 0 to 31: where the "
        "largest norms stand, not how large they are."
    )
    # The fifth norm is 1.8 times the sixth, and the closest two of the five are 0.8 % apart.
    expected = np.argsort(expected_results()[0])[::-1][:5]
    if (found == expected).all():
        return
    assert sorted(found) != sorted(expected), (
        "These are the right five places, in another order: the largest norm comes first."
    )
    raise AssertionError("These are not the places of the five largest norms of the 32 digits.")


@pytest.mark.grade("per-example-results", points=1.25, notebook=True)
def test_p_true_is_the_probability_of_the_true_class(student):
    """`p_true` holds the probability that the network gives to each digit's true class"""
    found = float_array(student.value("p_true"), "`p_true`", (N,))
    _, expected, p = expected_results()
    if (np.abs(found - expected) < 1e-3).all():  # in float32: 3e-7
        return
    assert not np.allclose(found, p.max(axis=1), atol=1e-3), (
        "`p_true` holds the probability of the class that the network predicts. Take that of the "
        "true class, `y32`, for every digit."
    )
    assert ((found >= 0) & (found <= 1 + 1e-6)).all(), (
        "Some numbers in `p_true` are not between 0 and 1, so they are not probabilities. A "
        "softmax over the ten logits makes probabilities of them."
    )
    raise AssertionError(
        "`p_true` does not hold the probabilities that the trained network gives to the true "
        "classes `y32`."
    )


# From float64 and from float32 values the coefficient is -0.9967; Pearson's is -0.975, Kendall's
# -0.964. The network is a stored file, so nothing varies. (Had it been trained from other seeds:
# over 20, mean -0.990, sd 0.006, weakest -0.968.)
RANK_BELOW = -0.98


@pytest.mark.grade("per-example-results", points=1.25, notebook=True)
def test_norms_rise_as_the_probability_falls(student):
    """`rank_correlation` shows that norms rise as the probability of the true class falls"""
    value = number(student.value("rank_correlation"), "`rank_correlation`")
    assert -1 - 1e-6 <= value <= 1 + 1e-6, (
        f"A rank correlation lies between -1 and 1, and yours is {value:g}."
    )
    assert value < 0, (
        "`rank_correlation` is positive: it would say that norms rise with the probability. Is it "
        "computed between `norms` and `p_true`, each in the order of the digits?"
    )
    assert value < RANK_BELOW, (
        f"`rank_correlation` is {value:.3f}, which is weaker than Spearman's coefficient of these "
        f"norms and probabilities: that lies below {RANK_BELOW}. It is computed on the ranks of "
        "the numbers, not on the numbers themselves."
    )
