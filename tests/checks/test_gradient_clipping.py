"""Hidden checks of exercise 5: clipping by global norm before Adam, and a loop that records norms.

Adam divides a gradient by its own running size, so a single step shows no clipping at all. Every
check of the optimizer therefore feeds it a sequence of large and small gradients.
"""

from functools import cache

import mlp_numpy as mlp
import numpy as np
import pytest

from jaxercise.checks import (
    as_array,
    assert_pure_optimizer,
    distance,
    float_array,
    kind_of,
    same_structure,
)
from jaxercise.exhibits import StandIn

# --- gradients to feed, and what should come of them ---------------------------------------------

SMALL = (6, 5, 4, 1)  # leaves of 30, 5, 20, 4, 4 and 1 elements; the last stands alone
ABOVE = (1.04, 0.4, 1.02, 0.4)  # just above a limit of 1, and between
LOUD_AND_QUIET = (100, 0.05, 2, 30, 0.02)  # global norms, step by step

# Measured over 20 seeds (scripts/measure_thresholds.py, jax 0.10.1) on LOUD_AND_QUIET at several
# limits: Optax is within 1.03e-5 of the NumPy Adam (sd 4e-8), a hand-written Adam that folds the
# bias correction into the learning rate, so that eps counts 30 times as much in step 1, within
# 6.0e-5 (sd 2e-6): a margin of 8. Not clipping the gradients of ABOVE makes a difference of 7e-2,
# weight decay at Optax's default and weights of 1000 one of 1e-1.
SAME_UPDATES = 5e-4


def params_of(value: float) -> dict:
    """Small parameters, all equal to ``value``."""
    return mlp.tree_map(lambda p: np.full_like(p, value), mlp.random_params(0, SMALL))


def spread_grads(seed: int, norms: tuple) -> list[dict]:
    """One gradient for each global norm, spread over all elements; none of them close to zero."""
    rng = np.random.default_rng(seed)
    like = params_of(0)

    def draw(leaf):
        return rng.choice([-1, 1], leaf.shape) * rng.uniform(0.5, 1.5, leaf.shape)

    trees = [mlp.tree_map(draw, like) for _ in norms]
    return [scaled(tree, norm / mlp.global_norm(tree)) for tree, norm in zip(trees, norms)]


def lone_grads(norms: tuple) -> list[dict]:
    """Gradients that are zero but for one element in a leaf of its own.

    Element, leaf and tree have the same norm here: clipping by the wrong norm does not show, so
    that it is punished once, where gradients are spread.
    """
    grads = []
    for i, norm in enumerate(norms):
        tree = params_of(0)
        tree["layer3"]["b"][0] = norm * (-1) ** (i // 2)
        grads.append(tree)
    return grads


def scaled(tree: dict, factor: float) -> dict:
    return mlp.tree_map(lambda leaf: (leaf * factor).astype(np.float32), tree)


def clipped(tree: dict, max_norm: float) -> dict:
    """Scaled down to the global norm ``max_norm`` if it is larger (arXiv:1211.5063)."""
    return scaled(tree, min(1.0, max_norm / mlp.global_norm(tree)))


def clipped_by_leaf(tree: dict, max_norm: float) -> dict:
    return mlp.tree_map(lambda leaf: clipped({"leaf": leaf}, max_norm)["leaf"], tree)


def clipped_by_element(tree: dict, max_norm: float) -> dict:
    return mlp.tree_map(lambda leaf: np.clip(leaf, -max_norm, max_norm), tree)


def normalised(tree: dict, max_norm: float) -> dict:
    return scaled(tree, max_norm / mlp.global_norm(tree))


def adam_updates(grads: list[dict], learning_rate: float) -> list[dict]:
    init, update = mlp.adam(learning_rate)
    state, updates = init(grads[0]), []
    for tree in grads:
        step, state = update(tree, state)
        updates.append(step)
    return updates


def updates_of(student, grads: list[dict], weight: float = 0.0, **settings) -> list[dict]:
    """What the student's optimizer makes of a sequence of gradients, at weights that stay put.

    Weights of zero hide weight decay, which is the business of one check.
    """
    params = params_of(weight)
    optimizer = student.optimizer("make_optimizer", **settings)
    state, updates = optimizer.init(params), []
    for tree in grads:
        step, state = optimizer.update(tree, state, params)
        assert same_structure(step, params), (
            "The first thing that `update` returns should be a pytree like the parameters, and it "
            f"is {kind_of(step)}."
        )
        updates.append(step)
    return updates


def agree(found: list[dict], expected: list[dict]) -> bool:
    return all(distance(flat(a), flat(b)) <= SAME_UPDATES for a, b in zip(found, expected))


def flat(tree: dict) -> np.ndarray:
    """All leaves of a tree in one float64 array."""
    leaves = [as_array(leaf, "An update") for leaf in mlp.tree_leaves(tree)]
    return np.concatenate([np.asarray(leaf, np.float64).ravel() for leaf in leaves])


def clips(student, found: list, grads: list, rule, max_norm: float, rate: float) -> bool:
    """Whether ``found`` are the updates for gradients clipped by ``rule``.

    They may be Adam's, or what the student's own optimizer without a limit makes of the clipped
    gradients: that it should be Adam is the business of another check. For an optimizer that
    cannot tell clipped gradients from others, the second way is closed.
    """
    by_rule = [rule(tree, max_norm) for tree in grads]
    if agree(found, adam_updates(by_rule, rate)):
        return True
    try:
        own = updates_of(student, by_rule, learning_rate=rate, max_norm=None)
        unclipped = updates_of(student, grads, learning_rate=rate, max_norm=None)
    except AssertionError:
        return False
    telling = not agree(own, unclipped) or agree(by_rule, grads)
    moves = all(np.abs(flat(step)).max() > 0 for step in own)
    return telling and moves and agree(found, own)


def leave_alone(tree: dict, max_norm: float) -> dict:
    return tree


# --- clip-purity: first, before anything has been traced -----------------------------------------


@pytest.mark.grade("clip-purity", points=2)
def test_the_optimizer_is_pure(student):
    """`init` and `update` are pure and compile: all that the optimizer remembers is in its state"""
    optimizer = student.optimizer("make_optimizer", learning_rate=1e-3, max_norm=1.0)
    # Two shapes of leaves only: an eager update compiles each of its operations for every shape.
    params = mlp.random_params(1, (4, 4, 4, 4))
    assert_pure_optimizer(optimizer, scaled(params, 10), params)
    (updates,) = updates_of(student, lone_grads((0.5,)), learning_rate=1e-3, max_norm=1.0)
    assert flat(updates).any(), "`update` turns every gradient into zeros, so nothing can be seen."


# --- clip-adam -----------------------------------------------------------------------------------


@pytest.mark.grade("clip-adam", points=1.5)
def test_without_a_limit_it_is_plain_adam(student):
    """With max_norm=None it is plain Adam, whatever the gradients and the weights"""
    grads = spread_grads(2, LOUD_AND_QUIET)
    # Weights of 1000: weight decay at Optax's default of 1e-4 moves the step by a tenth.
    found = updates_of(student, grads, weight=1000.0, learning_rate=1e-3, max_norm=None)
    plain = adam_updates(grads, 1e-3)
    if agree(found, plain):
        return
    at_zero = updates_of(student, grads, learning_rate=1e-3, max_norm=None)
    assert not agree(at_zero, plain), (
        "The updates depend on the weights themselves, as with weight decay (AdamW). Plain Adam "
        "looks at the gradients only."
    )
    assert agree(found[:1], plain[:1]) or not agree(found, [scaled(u, -1) for u in plain]), (
        "The updates have the wrong sign: Optax adds updates to the parameters, so they carry a "
        "minus sign."
    )
    assert not agree(found[:1], plain[:1]), (
        "The first update is Adam's; later ones are not. Are the gradients clipped although "
        "max_norm is None, or is something of Adam's state lost between steps?"
    )
    raise AssertionError("With max_norm=None, the updates are not those of Adam.")


@pytest.mark.grade("clip-adam", points=0.75)
def test_the_learning_rate_is_used(student):
    """The learning rate that is passed in scales the updates"""
    grads = lone_grads((0.05, 0.02, 0.04))  # below every limit that is used here
    fast = updates_of(student, grads, learning_rate=0.02, max_norm=5.0)
    if agree(fast, adam_updates(grads, 0.02)):
        return
    slow = updates_of(student, grads, learning_rate=1e-3, max_norm=1.0)
    moves = all(np.abs(flat(step)).max() > 0 for step in slow)
    assert moves and agree(fast, [scaled(step, 20) for step in slow]), (
        "A learning rate 20 times as large should give updates 20 times as large."
    )


@pytest.mark.grade("clip-adam", points=0.75)
def test_defaults_are_those_of_the_contract(student):
    """`make_optimizer()` uses the defaults: a learning rate of 1e-3 and no limit"""
    grads = lone_grads(LOUD_AND_QUIET)
    found = updates_of(student, grads)
    if agree(found, adam_updates(grads, 1e-3)):
        return
    spelled_out = updates_of(student, grads, learning_rate=1e-3, max_norm=None)
    moves = all(np.abs(flat(step)).max() > 0 for step in spelled_out)
    assert moves and agree(found, spelled_out), (
        "`make_optimizer()` behaves differently from `make_optimizer(learning_rate=1e-3, "
        "max_norm=None)`."
    )


# --- clip-norm -----------------------------------------------------------------------------------


@pytest.mark.grade("clip-norm", points=2)
def test_gradients_are_clipped_before_adam_sees_them(student):
    """A large gradient is scaled down before it reaches Adam"""
    grads = lone_grads(LOUD_AND_QUIET)
    found = updates_of(student, grads, learning_rate=1e-3, max_norm=1.0)
    if clips(student, found, grads, clipped, 1.0, 1e-3):
        return
    assert not agree(found, adam_updates(grads, 1e-3)), (
        "With max_norm=1.0, the updates are the same as without a limit. Adam's own updates are "
        "tiny, so clipping them changes nothing: the gradients are to be clipped, before Adam."
    )
    raise AssertionError(
        "After a gradient far above the limit, the updates are not those of Adam on clipped "
        "gradients. Is the gradient clipped first, once, and then handed to a single Adam?"
    )


@pytest.mark.grade("clip-norm", points=2.5)
def test_one_norm_over_all_leaves(student):
    """The norm is global: one number over all weights and biases, one scale for all of them"""
    grads = spread_grads(3, LOUD_AND_QUIET)
    found = updates_of(student, grads, learning_rate=1e-3, max_norm=1.0)
    if clips(student, found, grads, clipped, 1.0, 1e-3):
        return
    assert not agree(found, adam_updates([clipped_by_leaf(g, 1.0) for g in grads], 1e-3)), (
        "Each array is clipped by its own norm. The contract asks for one norm over all of them "
        "together."
    )
    assert not agree(found, adam_updates([clipped_by_element(g, 1.0) for g in grads], 1e-3)), (
        "Each element is clipped by itself, which turns the gradient in another direction. The "
        "contract asks for one scale for the whole gradient."
    )
    raise AssertionError(
        "For gradients spread over several arrays of unequal size, the updates are not those of a "
        "gradient scaled down to the global norm max_norm."
    )


@pytest.mark.grade("clip-norm", points=1)
def test_other_limits(student):
    """The limit that is passed in is the one that counts"""
    for max_norm, rate in ((5.0, 0.02), (0.1, 1e-3)):
        grads = lone_grads((30, 0.5, 80, 3, 0.06))
        found = updates_of(student, grads, learning_rate=rate, max_norm=max_norm)
        assert clips(student, found, grads, clipped, max_norm, rate), (
            f"With max_norm={max_norm:g} the updates are not those of gradients clipped to that "
            "norm."
        )


@pytest.mark.grade("clip-norm", points=0.75)
def test_small_gradients_are_untouched(student):
    """Gradients below the limit pass unchanged; they are never scaled up"""
    grads = lone_grads((0.9, 0.05, 0.3, 0.02, 0.5))
    found = updates_of(student, grads, learning_rate=1e-3, max_norm=1.0)
    if clips(student, found, grads, leave_alone, 1.0, 1e-3):
        return
    assert not agree(found, adam_updates([normalised(g, 1.0) for g in grads], 1e-3)), (
        "Gradients of different sizes, all below the limit, come out equally large. Clipping makes "
        "large gradients smaller and leaves the others alone; it never scales up."
    )
    raise AssertionError(
        "Gradients whose norm is below the limit should reach Adam as they are, and these did not."
    )


@pytest.mark.grade("clip-norm", points=0.75)
def test_both_sides_of_the_limit(student):
    """Just below the limit and at it nothing changes; just above it the gradient is scaled"""
    for norms in ((0.98, 1.0, 0.4), ABOVE):
        grads = lone_grads(norms)
        found = updates_of(student, grads, learning_rate=1e-3, max_norm=1.0)
        side = "just above" if max(norms) > 1 else "just below or exactly at"
        assert clips(student, found, grads, clipped, 1.0, 1e-3), (
            f"Gradients {side} the limit do not come out as the contract says: the scale is 1 up "
            "to the limit, and max_norm / norm above it."
        )


# --- clip-train ----------------------------------------------------------------------------------

N_BATCHES, BATCH = 4, 16
RATE = 0.1  # of SGD; the four steps turn the network enough to tell right from wrong
# Measured over 20 starts (jax 0.10.1): the reference's norms are within 1.1e-7 of the NumPy
# network's, and leaving out the biases changes them by 7e-3 or more. Its steps, with SGD and with
# momentum, are within 4.3e-6 of NumPy's in every leaf.
SAME_NORM = 5e-4
SAME_STEP = 0.05


def start() -> dict:
    return mlp.random_params(6)


@cache
def different_batches() -> list[tuple]:
    x, y = mlp.digits("train", N_BATCHES * BATCH)
    return [(x[i::N_BATCHES], y[i::N_BATCHES]) for i in range(N_BATCHES)]


def one_batch_again() -> list[tuple]:
    return different_batches()[:1] * N_BATCHES


@pytest.fixture(scope="module")
def run(student):
    """Calls ``train`` with an optimizer of ours; what was asked before is not run again."""

    @cache
    def call(learning_rate: float, momentum: float = 0.0):
        batches = one_batch_again() if momentum else different_batches()
        sgd = StandIn("sgd", {"learning_rate": learning_rate, "momentum": momentum})
        return student.watch("train", start(), sgd, batches)

    return call


def parts(result) -> tuple:
    """The parameters and the norms among what ``train`` returned, in whatever order.

    That they come as a pair in the right order is one check's business.
    """
    items = list(result) if isinstance(result, tuple | list) else [result]
    params = next((item for item in items if isinstance(item, dict)), None)
    norms = next((item for item in items if item is not params and is_flat(item)), None)
    return params, norms


def is_flat(value) -> bool:
    """Whether a value is an array, a number, or a non-empty list of them."""
    if isinstance(value, list | tuple):
        return len(value) > 0 and all(isinstance(v, np.ndarray | float | int) for v in value)
    return isinstance(value, np.ndarray | float | int)


def norms_of(called) -> np.ndarray:
    norms = as_array(parts(called.value)[1], "What `train` returns as the norms")
    return float_array(norms, "What `train` returns as the norms", (N_BATCHES,))


def step_of(called) -> dict:
    """How far ``train`` moved the parameters."""
    params, before = parts(called.value)[0], start()
    assert same_structure(params, before), (
        f"`train` should return parameters nested like those it was given, not {kind_of(params)}."
    )

    def moved(after, before):
        return float_array(after, "A trained parameter", before.shape) - before

    return mlp.tree_map(moved, params, before)


def sgd_steps(batches, rate: float, momentum: float = 0.0, begin: dict | None = None) -> dict:
    """How far SGD moves the parameters from ``begin``, which is ``start()`` if not given."""
    begin = begin or start()
    params = mlp.tree_map(lambda p: p.astype(np.float64), begin)
    velocity = mlp.tree_map(np.zeros_like, params)
    for x, y in batches:
        grads = mlp.batch_grads(params, x, y)
        velocity = mlp.tree_map(lambda v, g: momentum * v + g, velocity, grads)
        params = mlp.tree_map(lambda p, v: p - rate * v, params, velocity)
    return mlp.tree_map(np.subtract, params, begin)


def same_step(found: dict, expected: dict) -> bool:
    """Whether two steps agree, leaf by leaf, relative to the expected step of that leaf."""
    pairs = zip(mlp.tree_leaves(found), mlp.tree_leaves(expected))
    return all(np.linalg.norm(a - b) <= SAME_STEP * np.linalg.norm(b) for a, b in pairs)


@pytest.mark.grade("clip-train", points=0.5)
def test_train_returns_params_and_norms(student, run):
    """`train` returns a pair: the trained parameters, then the norms"""
    value = run(RATE).value
    assert isinstance(value, tuple | list) and len(value) == 2, (
        f"`train` should return a pair (params, grad_norms), and it returned {kind_of(value)}."
    )
    if not isinstance(value[0], dict) and isinstance(value[1], dict):
        raise AssertionError("`train` returns the norms first; the contract has the params first.")
    shapes = mlp.tree_map(np.shape, start())
    assert same_structure(value[0], start()) and mlp.tree_map(np.shape, value[0]) == shapes, (
        "The first thing that `train` returns should be parameters nested and shaped like those it "
        "was given."
    )


@pytest.mark.grade("clip-train", points=1.5)
def test_norms_are_global_gradient_norms(student, run):
    """One number a batch: the global norm of the gradient of the mean loss on that batch"""
    called = run(0.0)  # a learning rate of 0: every batch meets the same parameters
    norms = norms_of(called)
    params, grads = start(), [mlp.batch_grads(start(), x, y) for x, y in different_batches()]
    if not called.logs[0]["update"]:
        norms, grads = norms[:1], grads[:1]  # it has moved after all, as another check will say

    def are(other) -> bool:
        return bool(np.all(np.abs(norms - other) <= SAME_NORM * np.abs(other)))

    if are(np.array([mlp.global_norm(g) for g in grads])):
        return
    assert not are(np.full(len(grads), mlp.global_norm(params))), (
        "These are the norms of the parameters; the contract asks for those of the gradients."
    )
    assert norms.any(), (
        "With a learning rate of 0 all norms are 0: these seem to be norms of the updates. The "
        "contract asks for those of the gradients."
    )
    assert not are(np.array([leaf_norms(g).sum() for g in grads])), (
        "The norms of the arrays are added up. The global norm is the root of the sum of all "
        "squares."
    )
    assert not are(np.array([mlp.global_norm(g) ** 2 for g in grads])), (
        "These are squared norms: the root is missing."
    )
    assert not are(np.array([mlp.global_norm(g) * BATCH for g in grads])), (
        "These are norms of the gradient of the summed loss; the lesson's loss is the mean."
    )
    assert not are(np.full(len(grads), mlp.global_norm(grads[0]))), (
        "Every norm is that of the first batch. Does the compiled step get each batch as an "
        "argument?"
    )
    raise AssertionError(
        "The norms are not the global norms, over all weights and biases, of the gradient of the "
        "mean loss on each batch, in the order of the batches."
    )


def leaf_norms(tree: dict) -> np.ndarray:
    return np.array([np.linalg.norm(leaf) for leaf in mlp.tree_leaves(tree)])


@pytest.mark.grade("clip-train", points=0.75)
def test_norms_are_taken_before_clipping_and_before_the_update(student, run):
    """A step's norm is that of its own gradient, before clipping and before the update"""
    # The first gradient is the same whatever the optimizer then does with it.
    first = {rate: norms_of(run(rate))[0] for rate in (0.0, RATE)}
    assert first[0.0] > 0, "The first norm is 0, and the gradient is not."
    assert abs(first[RATE] - first[0.0]) <= SAME_NORM * abs(first[0.0]), (
        "The first norm depends on the learning rate, although no step has been made before it. "
        "Take the norm of the gradient that goes into this step, at the parameters before it."
    )
    # A limit far below any gradient here; the student's own optimizer, as the notebook uses it.
    own = StandIn("answer", {"function": "make_optimizer", "max_norm": 0.1})
    called = student.watch("train", start(), own, different_batches())
    assert abs(norms_of(called)[0] - first[0.0]) <= SAME_NORM * abs(first[0.0]), (
        "With a clipping optimizer the first norm is another than without. The contract asks for "
        "the norm before clipping."
    )


@pytest.mark.grade("clip-train", points=1.25)
def test_train_follows_the_optimizer_it_is_given(student, run):
    """`train` steps on every batch once, in order, with the optimizer that is passed in"""
    called = run(RATE)
    found, batches = step_of(called), different_batches()
    # A summed loss makes steps BATCH times as large: its norms show that, so it passes here.
    if any(same_step(found, sgd_steps(batches, RATE * factor)) for factor in (1, BATCH)):
        return
    assert called.logs[0]["update"], (
        "`train` never called the `update` of the optimizer that it was given."
    )
    assert not same_step(found, sgd_steps(batches, -RATE)), (
        "The parameters moved uphill: Optax's updates carry the minus sign already, so they are "
        "added (`optax.apply_updates`)."
    )
    assert not same_step(found, sgd_steps(one_batch_again(), RATE)), (
        "All steps were made on the first batch. Does the compiled step get each batch as an "
        "argument?"
    )
    raise AssertionError(
        "With SGD, the parameters do not end where one step on each batch, in the order given, "
        "leads."
    )


@pytest.mark.grade("clip-train", points=1.25)
def test_the_optimizer_state_is_carried_along(student, run):
    """What the optimizer remembers is carried from step to step"""
    # The same batch at every step, updates of either sign, mean loss or sum: other mistakes are
    # other checks' business. In four steps, momentum carries 2.3 times as far as plain SGD.
    found, batches = step_of(run(RATE / 4, 0.9)), one_batch_again()
    rates = [RATE / 4 * factor for factor in (1, -1, BATCH)]
    if any(same_step(found, sgd_steps(batches, rate, 0.9)) for rate in rates):
        return
    assert not any(same_step(found, sgd_steps(batches, rate)) for rate in rates), (
        "SGD with momentum moves as if it had none: the state that `update` returns is lost. Call "
        "`init` once, before the loop, and hand each step the state of the one before."
    )
    raise AssertionError(
        "With SGD and momentum, the parameters do not end where they should. `update` returns the "
        "updates and a new state; the next step needs that state."
    )


@pytest.mark.grade("clip-train", points=0.75)
def test_the_callers_arguments_survive(student, run):
    """`train` leaves the parameters and batches that it was given as they were"""
    moved = step_of(run(RATE))
    assert any(leaf.any() for leaf in mlp.tree_leaves(moved)), (
        "`train` returns the parameters that it was given, so nothing can be seen here."
    )
    assert "arguments" not in run(RATE).changed, (
        "After `train`, the parameters or batches that it was given are changed or gone. Return "
        "new parameters; do not write into the dict, and do not donate the caller's arrays "
        "(`donate_argnums`)."
    )


# --- clip-results --------------------------------------------------------------------------------

STEPS = 80  # batches in the notebook
# Measured over 20 starts (jax 0.10.1): from one start the first norms are equal to the last bit;
# from two starts they differ by 7.5 % on average, 0.14 % at the least. The furthest norms of two
# runs, with and without a limit, differ by a factor of 3 or more.
SAME_FIRST = 1e-3


def curve(student, name: str) -> np.ndarray:
    norms = float_array(as_array(student.value(name), f"`{name}`"), f"`{name}`", (STEPS,))
    assert (norms > 0).all(), f"`{name}` should hold norms, which are positive here."
    return norms


@pytest.mark.grade("clip-results", points=0.5, notebook=True)
def test_norms_plain(student):
    """`norms_plain` holds one finite, positive norm for each batch"""
    curve(student, "norms_plain")


@pytest.mark.grade("clip-results", points=0.5, notebook=True)
def test_norms_clipped(student):
    """`norms_clipped` holds one finite, positive norm for each batch"""
    curve(student, "norms_clipped")


@pytest.mark.grade("clip-results", points=0.5, notebook=True)
def test_both_runs_begin_alike(student):
    """Both runs begin with the same norm: same start, same first batch, measured before clipping"""
    plain, clipped = curve(student, "norms_plain")[0], curve(student, "norms_clipped")[0]
    assert abs(plain - clipped) <= SAME_FIRST * plain, (
        "The first norms of the two runs differ. Both start from `start` with the same batches, "
        "and norms are recorded before clipping."
    )


@pytest.mark.grade("clip-results", points=0.5, notebook=True)
def test_the_runs_are_two(student):
    """The two curves come from two runs, one with a limit and one without"""
    plain, clipped = curve(student, "norms_plain"), curve(student, "norms_clipped")
    assert np.abs(plain / clipped - 1).max() > SAME_FIRST, (
        "`norms_plain` and `norms_clipped` are the same numbers. One run has max_norm=None, the "
        "other max_norm=1.0."
    )
