"""What you can see of the checks of exercise 5, gradient clipping."""

import jax
import jax.numpy as jnp
import numpy as np
import optax
from mlp import init_params, loss_fn

from visible_checks.helpers import agree, all_digits, nested_alike
from visible_checks.looking import Exercise

EXERCISE = Exercise(
    "5-gradient-clipping", ["optimizer-answer", "train-answer", "results-answer"], hidden=19
)

TREE = {"layer1": {"w": jnp.array([[3.0, -4.0]]), "b": jnp.array([12.0, 0.5])}}  # its norm is 13.01


def updates_for(optimizer, factors) -> list[dict]:
    """The updates for multiples of one gradient, in order. The parameters stay at zero."""
    params = jax.tree.map(jnp.zeros_like, TREE)
    state, collected = optimizer.init(params), []
    for factor in factors:
        gradient = jax.tree.map(lambda leaf, factor=factor: factor * leaf, TREE)
        updates, state = optimizer.update(gradient, state, params)
        collected.append(updates)
    return collected


def of_bias(updates) -> np.ndarray:
    return np.asarray(updates["layer1"]["b"])


def three_batches() -> tuple[dict, list]:
    """Parameters to start from and three batches of 50 digits."""
    digits = all_digits()
    parts = [slice(50 * i, 50 * (i + 1)) for i in range(3)]
    return init_params(jax.random.key(20)), [(digits.x_train[p], digits.y_train[p]) for p in parts]


@EXERCISE.check("clip-adam", "With `max_norm=None` it is plain Adam at the given learning rate")
def _(make_optimizer):
    """Without a limit the first update is Adam's"""
    (first,) = updates_for(make_optimizer(0.01), [1])
    assert jax.tree.structure(first) == jax.tree.structure(TREE), (
        "The updates are not nested like the gradients."
    )
    for part, gradient in TREE["layer1"].items():
        assert agree(first["layer1"][part], -0.01 * jnp.sign(gradient)), (
            "Adam's first update has the size of the learning rate in every element, and the sign "
            f"opposite to the gradient; for '{part}' yours is {first['layer1'][part]}."
        )


@EXERCISE.check(
    "clip-norm",
    "the gradient is first clipped by its global norm, and then handed to that same Adam",
)
def _(make_optimizer):
    """The gradient is clipped before Adam sees it"""
    updates = updates_for(make_optimizer(0.01, max_norm=1.0), (100, 1, 1, 1, 1, 1))
    assert agree(of_bias(updates[5]), of_bias(updates[0]), atol=1e-6), (
        "Six gradients above the limit point the same way, so after clipping they are equal, and "
        "so are Adam's updates; yours begin with "
        f"{of_bias(updates[0])[0]:.5f} and end with {of_bias(updates[5])[0]:.5f}."
    )


@EXERCISE.check("clip-norm", "One at the limit or below passes unchanged")
def _(make_optimizer):
    """Gradients below the limit pass unchanged"""
    small = (1, 0.1, 0.5)  # norms of 13, 1.3 and 6.5
    plain = updates_for(make_optimizer(0.01), small)
    limited = updates_for(make_optimizer(0.01, max_norm=14.0), small)
    assert agree(of_bias(limited[2]), of_bias(plain[2]), atol=1e-6), (
        "With a limit of 14, gradients with norms of 13, 1.3 and 6.5 give other updates than "
        "without a limit."
    )


@EXERCISE.check("clip-purity", "Both work under `jax.jit` as they do without it")
def _(make_optimizer):
    """Under `jax.jit` the updates are the same"""
    optimizer, tree = make_optimizer(0.01, max_norm=1.0), jax.tree.map(jnp.copy, TREE)
    state = optimizer.init(tree)
    plain, jitted = (u(tree, state, tree)[0] for u in (optimizer.update, jax.jit(optimizer.update)))
    assert agree(of_bias(plain), of_bias(jitted), atol=1e-6), (
        "They differ: does `update` read or change anything outside?"
    )


@EXERCISE.check("clip-train", "`grad_norms` has shape `(len(batches),)`, as an array or a list.")
def _(train):
    """`train` returns the parameters and a norm for each batch"""
    start, batches = three_batches()
    found = train(start, optax.sgd(0.1), batches)
    assert isinstance(found, tuple | list) and len(found) == 2, "Return `(params, grad_norms)`."
    trained, norms = found
    assert nested_alike(trained, start), "`params` come first."
    assert len(norms) == 3, f"3 batches, so 3 norms; you have {len(norms)}."


@EXERCISE.check("clip-train", "`train` steps with it and with nothing else")
def _(train):
    """The steps are those of `optimizer`"""
    start, batches = three_batches()
    still, _ = train(start, optax.sgd(0.0), batches)
    assert agree(still["layer3"]["w"], start["layer3"]["w"]), (
        "With a learning rate of 0 something moves all the same."
    )
    moved, _ = train(start, optax.sgd(0.1), batches)
    assert not agree(moved["layer3"]["w"], start["layer3"]["w"], 0, 1e-6), (
        "With a learning rate of 0.1 nothing moves."
    )


@EXERCISE.check("clip-train", "at the parameters before this step's update")
def _(train):
    """The first norm is that of the first gradient"""
    start, batches = three_batches()
    expected = optax.tree.norm(jax.grad(loss_fn)(start, *batches[0]))
    found = float(np.asarray(train(start, optax.sgd(0.1), batches)[1])[0])
    assert abs(found / float(expected) - 1) < 1e-3, (
        f"It should be {float(expected):.4f}, the norm of the loss's gradient; yours is "
        f"{found:.4f}."
    )


@EXERCISE.check("clip-train", "The caller's `params` and `batches` are left as they were")
def _(train):
    """The caller's parameters and batches are still there"""
    start, batches = three_batches()
    train(start, optax.sgd(0.1), batches)
    assert len(batches) == 3, "The list of batches was changed."
    assert not any(leaf.is_deleted() for leaf in jax.tree.leaves((start, batches))), (
        "They were given away (donated) to a compiled function."
    )


@EXERCISE.check("clip-results", "Each holds 80 finite, positive numbers.", finished=True)
def _(norms_plain, norms_clipped):
    """`norms_plain` and `norms_clipped` hold 80 finite numbers"""
    for name, values in (("norms_plain", norms_plain), ("norms_clipped", norms_clipped)):
        assert len(values) == 80, f"`{name}` holds {len(values)}."
        assert np.isfinite(np.asarray(values, float)).all(), f"One of `{name}` is not finite."
