"""What you can see of the checks of exercise 3, a forward pass of any depth."""

import jax
import jax.numpy as jnp
import numpy as np
from mlp import cross_entropy, forward, init_params

from visible_checks.helpers import agree, shape_of, some_digits
from visible_checks.looking import Exercise

EXERCISE = Exercise(
    "3-generic-forward", ["forward-answer", "deep-answer", "depths-answer"], hidden=13
)


@EXERCISE.check(
    "generic-layers", "The result is one float32 array, the logits, of shape `(batch, n_out)`"
)
def _(mlp_forward):
    """There is one row of logits for each image, for a batch of one too"""
    params, (x, _) = init_params(jax.random.key(1)), some_digits()
    for batch in (32, 1):
        found = shape_of(mlp_forward(params, x[:batch]))
        assert found == (batch, 10), f"For {batch} of them the result has shape {found}."


@EXERCISE.check("generic-layers", "Each layer computes `h @ w + b`.")
def _(mlp_forward):
    """With three layers it gives the logits of the lesson's `forward`"""
    x, _ = some_digits()
    lesson = jax.tree.map(lambda leaf: leaf + 0.01, init_params(jax.random.key(1)))
    assert agree(mlp_forward(lesson, x), forward(lesson, x)), "The logits are others."


@EXERCISE.check("generic-layers", "nothing after the last: neither ReLU nor softmax")
def _(mlp_forward):
    """A single layer is `x @ w + b`, without a ReLU"""
    x, _ = some_digits()
    single = init_params(jax.random.key(2), (784, 10))
    assert agree(mlp_forward(single, x), x @ single["layer1"]["w"]), (
        "With one layer whose biases are zero, the result is not x @ w."
    )


@EXERCISE.check("generic-relu", "A ReLU follows that sum in every layer but the last.")
def _(mlp_forward):
    """A network small enough to follow on paper gives what it should"""
    tiny = {
        "layer1": {"w": jnp.array([[1.0, -1.0]]), "b": jnp.array([-1.0, 0.0])},
        "layer2": {"w": jnp.array([[1.0], [1.0]]), "b": jnp.array([-5.0])},
    }
    found = np.asarray(mlp_forward(tiny, jnp.array([[3.0], [-2.0]])))
    # the sums of layer 1 are (3 - 1, -3) and (-2 - 1, 2); after the ReLU (2, 0) and (0, 2)
    assert agree(found, np.full((2, 1), -3.0)), (
        "For x of 3 and -2, weights (1, -1) and (1, 1), biases (-1, 0) and -5, both rows should "
        f"give 2 + 0 - 5 = -3; you get {found.ravel()}."
    )


@EXERCISE.check(
    "generic-order",
    "In which order the layers, or `w` and `b`, were put into the dicts means nothing.",
)
def _(mlp_forward):
    """The order of the dict means nothing"""
    x, _ = some_digits()
    four = init_params(jax.random.key(3), (784, 32, 32, 32, 10))
    shuffled = {name: four[name] for name in ("layer3", "layer1", "layer4", "layer2")}
    assert agree(mlp_forward(shuffled, x), mlp_forward(four, x)), (
        "The same layers, put into the dict in another order, give other logits."
    )


@EXERCISE.check("generic-order", "Layers run in the order of their numbers, each once.")
def _(mlp_forward):
    """Twelve layers give the same under `jax.jit`"""
    x, _ = some_digits()
    twelve = init_params(jax.random.key(4), (784, *[32] * 11, 10))
    assert agree(jax.jit(mlp_forward)(twelve, x), mlp_forward(twelve, x)), (
        "The logits differ. `jit` hands the dict over sorted: layer1, layer10, layer11, layer12, "
        "layer2, ..."
    )


@EXERCISE.check("generic-pure", "`params` and all else outside stay as they are")
def _(mlp_forward):
    """`params` stay as they were"""
    x, _ = some_digits()
    five = init_params(jax.random.key(5), (784, 32, 32, 32, 32, 10))
    names, copy = list(five), jax.tree.map(jnp.copy, five)
    mlp_forward(five, x)
    assert list(five) == names, f"The layers were {names}, and now they are {list(five)}."
    same = jax.tree.map(lambda new, old: bool((new == old).all()), five, copy)
    assert all(jax.tree.leaves(same)), "The call changed numbers in `params`."


@EXERCISE.check("generic-pure", "its gradients with respect to all weights and biases")
def _(mlp_forward):
    """Gradients reach every layer"""
    x, y = some_digits()
    five = init_params(jax.random.key(5), (784, 32, 32, 32, 32, 10))
    grads = jax.grad(lambda params: cross_entropy(mlp_forward(params, x), y))(five)
    for name, layer in grads.items():
        for part in ("w", "b"):
            assert (layer[part] != 0).any(), f"No gradient reaches '{part}' of {name}."


@EXERCISE.check("generic-results", "is the share of held-out digits", finished=True)
def _(deep_accuracy):
    """`deep_accuracy` is a share between 0 and 1"""
    assert 0 <= deep_accuracy <= 1, f"{deep_accuracy} is no share."


@EXERCISE.check("generic-results", "For each number of layers in `DEPTHS`", finished=True)
def _(losses_by_depth):
    """`losses_by_depth` has a loss for each depth"""
    for depth in (1, 2, 3, 5, 20):
        assert depth in losses_by_depth, f"There is none for {depth}."
        assert float(losses_by_depth[depth]) >= 0, f"That for {depth} is below zero."
