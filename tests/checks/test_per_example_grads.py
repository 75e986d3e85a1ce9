"""Hidden checks of exercise 2: per-example gradients and their norms.

Most checks look at one batch of 32, called as it is, so that an answer which knows no other size
is judged on everything else; one check per function tries other sizes. Expected values come from
NumPy, in float64, and never from the student's own gradients.
"""

from functools import cache

import mlp_numpy as mlp
import numpy as np
import per_example_grads_mistakes as mistakes
import pytest

from jaxercise.checks import (
    all_leaves,
    as_array,
    assert_pure,
    close,
    float_array,
    is_floating,
    join,
    kind_of,
    number,
    recognise,
    same_structure,
)
from jaxercise.student import AnswerError

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
NOTEBOOK_Y = LABELS[:N]  # y32: an answer may use it whatever it is called with

# The same batch with another image and label at one place, and only another label at a second.
NEW_IMAGE, NEW_LABEL = 5, 9
CHANGED_X, CHANGED_Y = X.copy(), Y.copy()
CHANGED_X[NEW_IMAGE] = 1 - X[NEW_IMAGE]  # far brighter: the largest gradient of the batch
CHANGED_Y[[NEW_IMAGE, NEW_LABEL]] = (Y[[NEW_IMAGE, NEW_LABEL]] + 1) % 10
UNTOUCHED = np.delete(np.arange(N), [NEW_IMAGE, NEW_LABEL])

SHAPES = mistakes.shapes_of(PARAMS)  # no two are the same


@cache
def expected_grads() -> dict[str, np.ndarray]:
    return dict(zip(SHAPES, all_leaves(mlp.per_example_grads(PARAMS, X, Y)), strict=True))


def off(found: np.ndarray, expected: np.ndarray) -> np.ndarray:
    """Relative distance of each number from the expected one."""
    return np.abs(found / expected - 1)


def call(student, name: str, params: dict, x: np.ndarray, y: np.ndarray):
    with mistakes.errors_explained(student, name, params, x, y):
        return student.call(name, params, x, y)


@pytest.fixture(scope="module")
def answer(student):
    """The gradients of the batch, as they came."""
    return call(student, "per_example_grads", PARAMS, X, Y)


@pytest.fixture(scope="module")
def changed_answer(student):
    return call(student, "per_example_grads", PARAMS, CHANGED_X, CHANGED_Y)


@pytest.fixture(scope="module")
def norms_answer(student):
    """The norms of the batch, as they came."""
    return call(student, "per_example_grad_norms", PARAMS, X, Y)


def gradients(value, n: int = N) -> dict[str, np.ndarray]:
    """The gradients in an answer, ``(n, *shape)`` by name, as far as they are there.

    A list of n trees, leaves under other names or beside something else, one long vector an
    example or a batch axis at the end still get their values judged: how gradients are packed is
    the business of the check of the structure.
    """
    if isinstance(value, list | tuple) and n == len(value) == len(
        [part for part in value if same_structure(part, PARAMS)]
    ):
        arrays = [[as_array(leaf, "A gradient") for leaf in all_leaves(tree)] for tree in value]
        value = [np.stack(rows) for rows in zip(*arrays)]
    found: dict[str, np.ndarray] = {}
    for leaf in all_leaves(value):
        if not isinstance(leaf, np.ndarray):
            continue
        if leaf.shape == (n, mistakes.ENTRIES):
            found |= _cut(leaf)
        for name, shape in SHAPES.items():
            if leaf.shape in ((n, *shape), (n, 1, *shape)):
                found.setdefault(name, leaf.reshape(n, *shape))
            elif leaf.shape == (*shape, n):
                found.setdefault(name, np.moveaxis(leaf, -1, 0))
    what = f"For a batch of {n}, the gradient for "
    return {
        name: float_array(found[name], what + name, (n, *shape))
        for name, shape in SHAPES.items()
        if name in found
    }


def _cut(rows: np.ndarray) -> dict[str, np.ndarray]:
    """The leaves of gradients that were made one vector each, in JAX's order of leaves."""
    ends = np.cumsum([int(np.prod(shape)) for shape in SHAPES.values()])
    parts = np.split(rows, ends[:-1], axis=1)
    return {
        name: part.reshape(len(rows), *shape) for (name, shape), part in zip(SHAPES.items(), parts)
    }


def rows(value, n: int = N) -> list[np.ndarray]:
    """What an answer holds of each example: gradients, or else any arrays with a batch axis."""
    found = list(gradients(value, n).values())
    arrays = [leaf for leaf in all_leaves(value) if isinstance(leaf, np.ndarray)]
    found = found or [leaf for leaf in arrays if leaf.ndim > 1 and len(leaf) == n]
    if not found:
        assert_gradients(value, n)
    return [leaf.astype(np.float64) for leaf in found]


def assert_gradients(value, n: int = N) -> None:
    """Whether there is any gradient of ``n`` examples."""
    mistakes.assert_returned(value, "per_example_grads")
    shapes = [leaf.shape for leaf in all_leaves(value) if isinstance(leaf, np.ndarray)]
    recognise(
        n == N and mistakes.of_the_batch(value, PARAMS, X, Y),
        "gradient-of-the-whole-batch",
        f"For {n} examples, there is one gradient, that of the whole batch: those of the examples "
        "have been averaged or summed. Each example needs its own.",
    )
    recognise(
        shapes == [(n, X.shape[1])],
        "gradient-for-the-images",
        f"`per_example_grads` returned {kind_of(value)}: that is the gradient with respect to the "
        "images. The parameters are what is learned, so it is with respect to `params`.",
    )
    assert gradients(value, n), (
        f"`per_example_grads` returned {kind_of(value)}, and in it no gradients of {n} examples: "
        "the layers of `params`, each with its 'w' and 'b'."
    )


def is_packed(value, n: int) -> bool:
    """Whether a value has the structure of ``PARAMS``, each array with a batch axis of ``n``."""
    leaves = all_leaves(value)
    return same_structure(value, PARAMS) and all(
        isinstance(leaf, np.ndarray) and leaf.shape == (n, *shape)
        for leaf, shape in zip(leaves, SHAPES.values(), strict=True)
    )


def agree(found: dict[str, np.ndarray], expected: dict[str, np.ndarray]) -> bool:
    return bool(found) and all(
        close(leaf, expected[name], GRAD_RTOL) for name, leaf in found.items()
    )


def explain_gradients(found: dict[str, np.ndarray]) -> None:
    mistakes.explain_gradients(found, PARAMS, X, Y, NOTEBOOK_Y, list(SHAPES))


def rows_that_differ(a: list[np.ndarray], b: list[np.ndarray]) -> np.ndarray:
    """Whether row i of two answers differs, ``(N,)``, relative to each leaf's largest entry."""
    differ = np.zeros(N, bool)
    for one, two in zip(a, b, strict=True):
        scale = max(np.abs(one).max(), np.abs(two).max())
        differ |= np.abs(one - two).reshape(N, -1).max(axis=1) > GRAD_RTOL * scale
    return differ


# --- per-example-purity: first, before anything has been traced -----------------------------------


@pytest.mark.grade("per-example-purity", points=2)
def test_per_example_grads_is_a_pure_function(student, request):
    """`per_example_grads` is pure: it depends on its arguments alone and changes nothing"""
    small = (PARAMS, X[:2], Y[:2])
    try:
        assert_pure(student, "per_example_grads", *small)
    except AnswerError as error:
        if error.kind != "raised":
            raise
        # An answer may know no other size than the lesson's, which costs a check of its own.
        with mistakes.errors_explained(student, "per_example_grads", PARAMS, X, Y):
            assert_pure(student, "per_example_grads", PARAMS, X, Y)
    mistakes.assert_returned(request.getfixturevalue("answer"), "per_example_grads")


# --- per-example-grads ----------------------------------------------------------------------------


@pytest.mark.grade("per-example-grads", points=2)
def test_gradients_have_the_structure_of_params(answer):
    """The gradients form one pytree like `params`, with a leading batch axis on each leaf"""
    if is_packed(answer, N):
        return
    assert_gradients(answer)
    mistakes.explain_structure(answer, gradients(answer), PARAMS, N)
    assert same_structure(answer, PARAMS), (
        f"`per_example_grads` returned {kind_of(answer)} for {N} examples. The contract asks for "
        "one pytree like `params`: the same layers, each with its 'w' and 'b'."
    )
    for leaf, (name, shape) in zip(all_leaves(answer), SHAPES.items(), strict=True):
        assert np.shape(leaf) == (N, *shape), (
            f"The gradient for {name} is {kind_of(leaf)}. The parameter has shape {shape}, and "
            f"for {N} examples the contract asks for a leading axis of length {N} before that."
        )


@pytest.mark.grade("per-example-grads", points=2)
def test_each_row_is_the_gradient_of_its_own_loss(answer):
    """Row i is the gradient of example i's own cross-entropy, for weights and biases"""
    assert_gradients(answer)
    found, expected = gradients(answer), expected_grads()
    wrong = [name for name in SHAPES if not agree({name: found.get(name, np.zeros(()))}, expected)]
    if not wrong:
        return
    explain_gradients(found)
    raise AssertionError(
        f"The gradients for {join(wrong)} are not those of each example's own cross-entropy. "
        "Compare a row with `jax.grad(loss_fn)` of that example alone."
    )


@pytest.mark.grade("per-example-grads", points=1)
def test_row_i_belongs_to_example_i_alone(answer, changed_answer):
    """Another example at one place changes the gradient at that place, and no other"""
    differ = rows_that_differ(rows(answer), rows(changed_answer))
    if differ[NEW_IMAGE] and not differ[UNTOUCHED].any():
        return
    explain_gradients(gradients(answer))
    mistakes.explain_stale(differ)
    assert not differ[UNTOUCHED].any(), (
        "When two examples of a batch were replaced, the gradients of others changed too. Row i "
        "belongs to example i: it keeps its place, and depends on no other example."
    )
    raise AssertionError(
        f"When example {NEW_IMAGE} got another image and label, row {NEW_IMAGE} stayed the same."
    )


@pytest.mark.grade("per-example-grads", points=1)
def test_gradients_use_the_labels_given(answer, changed_answer):
    """Another label alone changes an example's gradient"""
    differ = rows_that_differ(rows(answer), rows(changed_answer))
    if np.delete(differ, NEW_IMAGE).any():
        return
    explain_gradients(gradients(answer))
    mistakes.explain_stale(differ)
    raise AssertionError(
        "When an example got another label and kept its image, its gradient stayed the same. "
        "The labels to learn from are those passed in as `y`, whatever the network predicts."
    )


@pytest.mark.grade("per-example-grads", points=1)
def test_gradients_of_other_batch_sizes(student, answer):
    """Batches of 1 and of 7 work like any other and keep their axis"""
    rows(answer)
    values_count = agree(gradients(answer), expected_grads())
    function = student.function("per_example_grads")
    for n in (1, 7):
        with mistakes.size_explained(n, N):
            value = function(PARAMS, X[:n], Y[:n])
        found = gradients(value, n)
        if not found:
            leaves = [leaf for leaf in all_leaves(value) if isinstance(leaf, np.ndarray)]
            mistakes.explain_size([leaf.shape for leaf in leaves], list(SHAPES.values()), n, N)
            rows(value, n)
        assert is_packed(value, n) or not is_packed(answer, N), (
            f"For a batch of {n}, the gradients lack the structure of `params`, with a leading "
            f"axis of length {n} on each array; a batch of {N} has it."
        )
        if not values_count:
            continue
        expected = {name: leaf[:n] for name, leaf in expected_grads().items()}
        scaled = {name: leaf * n / N for name, leaf in found.items()}
        recognise(
            not agree(found, expected) and agree(scaled, expected),
            "one-batch-size-only",
            f"The gradients are right for a batch of {N}. For one of {n} they are off by a factor "
            "that belongs to that other size. Any batch size works, so none is written down.",
        )
        assert agree(found, expected), (
            f"The gradients are right for a batch of {N} and wrong for a batch of {n}."
        )


# --- per-example-norms ----------------------------------------------------------------------------


def norms(value, n: int = N, finite: bool = True) -> np.ndarray:
    """The norms of an answer, ``(n,)``.

    A column or a row, norms with something beside them, or one for each leaf still get their
    values judged: that they come alone and one an example is the business of other checks.
    """
    mistakes.assert_returned(value, "per_example_grad_norms")
    what = f"For a batch of {n}, the result of `per_example_grad_norms`"
    if isinstance(value, tuple) and not _numbers(value):
        value = next((part for part in value if isinstance(part, np.ndarray)), value)
    if of_leaves(value, n) is not None:
        return of_leaves(value, n)
    array = as_array(value, "The result of `per_example_grad_norms`")
    if array.shape in ((n, 1), (1, n)):
        array = array.reshape(n)
    if array.shape != (n,) and n == N:
        mistakes.explain_shape(array, PARAMS, X, Y)
    elif array.shape != (n,):
        mistakes.explain_size([array.shape], [()], n, N)
    if not finite and array.shape == (n,) and is_floating(array):
        return array.astype(np.float64)
    return float_array(array, what, (n,))


def _numbers(value) -> bool:
    return all(isinstance(part, int | float) or np.shape(part) == () for part in value)


def of_leaves(value, n: int) -> np.ndarray | None:
    """Norms made of one for each leaf and example; None if the answer is something else."""
    parts = all_leaves(value)
    if isinstance(value, dict | list | tuple):
        if not all(isinstance(part, np.ndarray) for part in parts):
            return None
        if len(parts) == len(SHAPES) and all(part.shape == (n,) for part in parts):
            return mistakes.root_of_squares(part.astype(np.float64) for part in parts)
        return None
    if isinstance(value, np.ndarray) and value.shape in ((n, len(SHAPES)), (len(SHAPES), n)):
        axis = value.shape.index(len(SHAPES))
        return np.sqrt((value.astype(np.float64) ** 2).sum(axis=axis))
    return None


def explain_norms(
    found: np.ndarray,
    params: dict,
    x: np.ndarray,
    y: np.ndarray,
    in_place: bool = True,
) -> None:
    seen = mistakes.Norms(found, in_place)
    mistakes.explain_norms(seen, params, x, y, NOTEBOOK_Y)


@pytest.mark.grade("per-example-norms", points=0.5)
def test_norms_are_one_number_an_example(norms_answer):
    """The norms come as one array of shape (batch,)"""
    norms(norms_answer)  # so that what is no array at all is told so
    recognise(
        of_leaves(norms_answer, N) is not None,
        "norms-of-each-leaf",
        "There is one norm for each of the six arrays of an example's gradient. The contract asks "
        "for one number an example, over all arrays together.",
    )
    recognise(
        isinstance(norms_answer, tuple) and not _numbers(norms_answer),
        "something-beside-the-norms",
        "`per_example_grad_norms` returned the norms with something beside them. The contract asks "
        "for one array of shape (batch,).",
    )
    array = as_array(norms_answer, "The result of `per_example_grad_norms`")
    recognise(
        array.shape in ((N, 1), (1, N)),
        "norms-in-a-column-or-row",
        f"For {N} examples, `per_example_grad_norms` returned {kind_of(array)}. The contract asks "
        "for shape (batch,), without an axis of length one.",
    )
    assert array.shape == (N,), (
        f"For {N} examples, `per_example_grad_norms` returned {kind_of(array)}. The contract asks "
        "for shape (batch,): one number for each example, over all leaves together."
    )


@pytest.mark.grade("per-example-norms", points=2)
def test_norms_are_global_l2_norms(norms_answer):
    """Each norm is the L2 norm of the example's whole gradient, in the place of its example"""
    found = norms(norms_answer)
    recognise(
        of_leaves(norms_answer, N) is not None,
        "norms-of-each-leaf",
        "These are norms of the six arrays of an example's gradient, each by itself. The global "
        "norm is over all of them: add the squares, and take one square root.",
    )
    if (off(found, mlp.per_example_norms(PARAMS, X, Y)) < ORDINARY_RTOL).all():
        return
    explain_norms(found, PARAMS, X, Y)
    raise AssertionError(
        "The norms are not the square roots of the sums of squares over all entries of each "
        "example's gradient. Work one example out by hand, leaf by leaf, and compare."
    )


@pytest.mark.grade("per-example-norms", points=1)
def test_norms_count_every_leaf(student):
    """Every leaf counts, the biases too"""
    # On faint images, norms without biases are 46 % or more too small, and without any one of the
    # three 9 % or more. Which norm stands where is not judged here.
    x = 0.05 * X
    found = norms(call(student, "per_example_grad_norms", PARAMS, x, Y))
    in_order = np.sort(mlp.per_example_norms(PARAMS, x, Y))
    if (off(np.sort(found), in_order) < NORM_RTOL).all():
        return
    explain_norms(found, PARAMS, x, Y, in_place=False)
    raise AssertionError(
        "On faint images, where the biases make up half of the gradient, the norms are not those "
        "over all leaves of `params`."
    )


@pytest.mark.grade("per-example-norms", points=0.5)
def test_norm_i_belongs_to_example_i_alone(student, norms_answer):
    """Another example at one place changes the norm at that place, and no other"""
    before = norms(norms_answer)
    after = norms(call(student, "per_example_grad_norms", PARAMS, CHANGED_X, CHANGED_Y))
    differ = np.abs(after - before) > NORM_RTOL * np.maximum(np.abs(after), np.abs(before))
    if differ[NEW_IMAGE] and not differ[UNTOUCHED].any():
        return
    explain_norms(before, PARAMS, X, Y)
    mistakes.explain_stale(differ)
    assert not differ[UNTOUCHED].any(), (
        "When two examples of a batch were replaced, the norms at other places changed too. Norm i "
        "belongs to example i: it keeps its place, and depends on no other example."
    )
    raise AssertionError(
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
    params, x, y = surely_right()
    value, found, ratio = sure_norms(student, norms_answer, params, x, y)
    if ratio is None:
        return
    expected = mlp.per_example_norms(params, x, y)
    mistakes.explain_half_precision(value)
    mistakes.explain_small(found, expected)
    assert not (ratio < 1 / SURE_FACTOR).any(), (
        "Where the network is very sure of the true class, gradients are small, and some norms "
        "come out far too small or as 0. Squares of small numbers underflow in half precision: "
        "stay in float32."
    )
    raise AssertionError(
        "Where the network is very sure of the true class, some norms come out far too large, or "
        "not finite."
    )


@pytest.mark.grade("per-example-norms", points=0.5)
def test_norms_where_the_network_is_surely_wrong(student, norms_answer):
    """Norms stay finite where the network gives the true class next to nothing"""
    value, found, ratio = sure_norms(student, norms_answer, *surely_wrong())
    if ratio is None:
        return
    mistakes.explain_half_precision(value)
    recognise(
        np.isnan(found).any() or (ratio < 1e-3).any(),
        "unstable-cross-entropy",
        "Where the network gives the true class next to no probability, norms come out as nan, or "
        "vanish. That probability is too small for a float, and `exp` of a logit may be too large: "
        "`log_softmax` copes with both, the logarithm of a softmax does not, and clipping loses "
        "the gradient.",
    )
    raise AssertionError(
        "Where the network gives the true class next to no probability, gradients are large, and "
        "some norms come out far from the right size, or not finite."
    )


def sure_norms(student, norms_answer, params: dict, x: np.ndarray, y: np.ndarray):
    """The answer for a batch of which the network is sure: as it came, norms, and their ratio.

    The ratio to the right norms is None where all are near enough, as they are or by the scale
    that the answer has on an ordinary batch.
    """
    before = norms(norms_answer)
    usual = np.median(before / mlp.per_example_norms(PARAMS, X, Y))
    value = call(student, "per_example_grad_norms", params, x, y)
    found = norms(value, finite=False)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.sort(found) / np.sort(mlp.per_example_norms(params, x, y))
        for scale in (1, usual):
            if (np.abs(np.log(ratio / scale)) < np.log(SURE_FACTOR)).all():
                return value, found, None
    explain_norms(before, PARAMS, X, Y)  # a mistake that shows on any batch is told as such
    mistakes.explain_rounding(before, mlp.per_example_norms(PARAMS, X, Y))
    return value, found, ratio


@pytest.mark.grade("per-example-norms", points=1)
def test_norms_of_other_batch_sizes(student, norms_answer):
    """Batches of 1 and of 7 give 1 and 7 norms"""
    expected = mlp.per_example_norms(PARAMS, X, Y)
    values_count = (off(norms(norms_answer), expected) < ORDINARY_RTOL).all()
    function = student.function("per_example_grad_norms")
    for n in (1, 7):
        with mistakes.size_explained(n, N):
            value = function(PARAMS, X[:n], Y[:n])
        found = norms(value, n)
        if not values_count:
            continue
        recognise(
            (off(found * n / N, expected[:n]) < NORM_RTOL).all(),
            "one-batch-size-only",
            f"The norms are right for a batch of {N}. For one of {n} they are off by a factor that "
            "belongs to that other size. Any batch size works, so none is written down.",
        )
        assert (off(found, expected[:n]) < ORDINARY_RTOL).all(), (
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
    in_order = np.sort(expected_results()[0])[::-1]
    recognise(
        np.allclose(np.sort(found)[::-1], in_order[:5], rtol=0.02),
        "norms-instead-of-places",
        "`hardest` holds the five largest norms. It should hold where they stand: whole numbers "
        "from 0 to 31.",
    )
    assert (found == np.round(found)).all() and ((found >= 0) & (found < N)).all(), (
        "`hardest` should hold places among the 32 digits, whole numbers from 0 to 31: where the "
        "largest norms stand, not how large they are."
    )
    # The fifth norm is 1.8 times the sixth, and the closest two of the five are 0.8 % apart.
    expected = np.argsort(expected_results()[0])[::-1][:5]
    if (found == expected).all():
        return
    recognise(
        sorted(found) == sorted(expected),
        "five-in-another-order",
        "These are the right five places, in another order: the largest norm comes first.",
    )
    recognise(
        sorted(found) == sorted(np.argsort(expected_results()[0])[:5]),
        "smallest-instead-of-largest",
        "These are the places of the five smallest norms: `argsort` puts the smallest first.",
    )
    raise AssertionError("These are not the places of the five largest norms of the 32 digits.")


@pytest.mark.grade("per-example-results", points=1.25, notebook=True)
def test_p_true_is_the_probability_of_the_true_class(student):
    """`p_true` holds the probability that the network gives to each digit's true class"""
    found = float_array(student.value("p_true"), "`p_true`", (N,))
    _, expected, p = expected_results()
    if (np.abs(found - expected) < 1e-3).all():  # in float32: 3e-7
        return
    recognise(
        np.allclose(found, p.max(axis=1), atol=1e-3),
        "probability-of-the-predicted-class",
        "`p_true` holds the probability of the class that the network predicts. Take that of the "
        "true class, `y32`, for every digit.",
    )
    recognise(
        np.allclose(found, 1 - expected, atol=1e-3),
        "probability-of-the-wrong-classes",
        "`p_true` holds the probability of all classes but the true one.",
    )
    recognise(
        np.allclose(found, np.log(expected), atol=1e-3),
        "log-probabilities",
        "`p_true` holds logarithms of probabilities: `exp` makes probabilities of them.",
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
    recognise(
        abs(value - pearson()) < 1e-3,
        "pearson-instead-of-spearman",
        "`rank_correlation` is the correlation of the numbers. Spearman's is that of their ranks.",
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


def pearson() -> float:
    found, p_true, _ = expected_results()
    return float(np.corrcoef(found, p_true)[0, 1])
