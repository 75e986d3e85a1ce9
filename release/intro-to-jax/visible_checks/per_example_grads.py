"""What you can see of the checks of exercise 2, per-example gradients."""

from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
from mlp import loss_fn

from visible_checks.helpers import agree, shape_of, some_digits
from visible_checks.looking import Exercise

EXERCISE = Exercise(
    "2-per-example-grads",
    ["grads-answer", "norms-answer", "hardest-answer", "results-answer"],
    hidden=17,
)


def trained_network() -> dict:
    """The parameters in trained.npz, as exercise 2 uses them."""
    with np.load(Path(__file__).parents[1] / "trained.npz") as stored:
        return {
            f"layer{i}": {part: jnp.asarray(stored[f"layer{i}_{part}"]) for part in ("w", "b")}
            for i in (1, 2, 3)
        }


@EXERCISE.check("per-example-grads", "It returns one pytree like `params`")
def _(per_example_grads):
    """The gradients form one pytree like `params`"""
    params = trained_network()
    grads = per_example_grads(params, *some_digits())
    assert hasattr(grads, "keys"), f"It is no dict of layers, but a {type(grads).__name__}."
    for layer, parts in params.items():
        for part in parts:
            assert layer in grads and part in grads[layer], f"There is no '{part}' of {layer}."


@EXERCISE.check("per-example-grads", "Every array has a leading axis of length `batch`")
def _(per_example_grads):
    """Every array has a leading axis for the examples"""
    params = trained_network()
    grads = per_example_grads(params, *some_digits())
    for layer in params:
        for part in ("w", "b"):
            due, found = (32, *params[layer][part].shape), shape_of(grads[layer][part])
            assert found == due, (
                f"For 32 examples '{part}' of {layer} should have shape {due}; it has {found}."
            )


@EXERCISE.check("per-example-grads", "is the gradient of each example's own loss")
def _(per_example_grads):
    """Their mean is the gradient of the batch, and they differ from each other"""
    params, (x, y) = trained_network(), some_digits()
    found = np.asarray(per_example_grads(params, x, y)["layer3"]["b"])
    assert agree(found.mean(axis=0), jax.grad(loss_fn)(params, x, y)["layer3"]["b"]), (
        "The mean of the 32 gradients is another. Compare sizes and signs."
    )
    assert not agree(found[0], found[1]), "Examples 0 and 1 have the same gradient."


@EXERCISE.check("per-example-norms", "It returns one array of shape `(batch,)`")
def _(per_example_grad_norms):
    """There is one norm for each example, for a batch of one too"""
    params, (x, y) = trained_network(), some_digits()
    for batch in (4, 1):
        found = np.shape(per_example_grad_norms(params, x[:batch], y[:batch]))
        assert found == (batch,), f"For {batch} of them the result has shape {found}."


@EXERCISE.check("per-example-norms", "the square root of the sum of the squares of **all** entries")
def _(per_example_grad_norms):
    """With all parameters zero they are what you can work out by hand"""
    # Every class gets probability 0.1, and only the last bias has a gradient, which is 0.1 for each
    # of the nine wrong classes and 0.1 - 1 for the true one.
    by_hand = (9 * 0.1**2 + 0.9**2) ** 0.5
    nothing, (x, y) = jax.tree.map(jnp.zeros_like, trained_network()), some_digits()
    found = np.asarray(per_example_grad_norms(nothing, x[:4], y[:4]))
    assert agree(found, np.full(4, by_hand)), f"Each should be {by_hand:.4f}; yours are {found}."


@EXERCISE.check("per-example-norms", "depends on no other example")
def _(per_example_grad_norms):
    """A norm does not depend on the other examples, nor on its place"""
    params, (x, y) = trained_network(), some_digits()
    alone = np.asarray(per_example_grad_norms(params, x[3:4], y[3:4]))
    together = np.asarray(per_example_grad_norms(params, x[:4], y[:4]))
    assert agree(alone[0], together[3]), (
        f"Digit 3 has the norm {alone[0]:.4g} alone, and {together[3]:.4g} among four."
    )


@EXERCISE.check("per-example-purity", "It works under `jax.jit` as well as without")
def _(per_example_grads):
    """Under `jax.jit` the gradients are the same"""
    params, (x, y) = trained_network(), some_digits()
    plain, jitted = (
        f(params, x[:4], y[:4]) for f in (per_example_grads, jax.jit(per_example_grads))
    )
    same = jax.tree.map(lambda a, b: agree(a, b), plain, jitted)
    assert all(jax.tree.leaves(same)), "They differ: is anything read or changed outside?"


@EXERCISE.check("per-example-results", "32 numbers in the order of the digits", finished=True)
def _(norms, p_true):
    """`norms` and `p_true` hold a number for each digit, probabilities between 0 and 1"""
    for name, values in (("norms", norms), ("p_true", p_true)):
        assert len(values) == 32, f"`{name}` holds {len(values)} numbers."
    assert all(0 <= p <= 1 for p in p_true), "A probability lies between 0 and 1."


@EXERCISE.check("per-example-results", "where the five largest norms stand", finished=True)
def _(hardest):
    """`hardest` holds five places"""
    assert len(hardest) == 5, f"It holds {len(hardest)}."
    assert all(0 <= int(place) < 32 for place in hardest), "Places go from 0 to 31."


@EXERCISE.check(
    "per-example-results", "norms rise as the probability falls, so it is negative", finished=True
)
def _(rank_correlation):
    """`rank_correlation` is one negative number"""
    assert -1 <= float(rank_correlation) < 0, f"It is {float(rank_correlation):.3f}."
