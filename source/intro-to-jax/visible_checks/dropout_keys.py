"""What you can see of the checks of exercise 1, dropout with keys."""

import jax
import jax.numpy as jnp
import numpy as np
from mlp import forward, init_params

from visible_checks.helpers import agree, shape_of, some_digits
from visible_checks.looking import Exercise

EXERCISE = Exercise(
    "1-dropout-keys", ["dropout-answer", "forward-answer", "results-answer"], hidden=20
)

ONES = jnp.ones((100, 100))


@EXERCISE.check("dropout-mask", "It returns one array with the shape and dtype of `x`")
def _(dropout):
    """The result has the shape and dtype of `x`"""
    dropped = dropout(jax.random.key(1), ONES, 0.2)
    assert shape_of(dropped) == ONES.shape, f"`x` is {ONES.shape}, your result {dropped.shape}."
    assert dropped.dtype == ONES.dtype, f"`x` is {ONES.dtype}, your result {dropped.dtype}."


@EXERCISE.check("dropout-mask", "Elements that survive are divided by `1 - rate`.")
def _(dropout):
    """Survivors are divided by `1 - rate`"""
    dropped = np.asarray(dropout(jax.random.key(1), ONES, 0.2))
    survivors = dropped[dropped != 0]
    assert survivors.size, "At rate 0.2 nothing survived."
    assert agree(survivors, np.full(survivors.shape, 1.25)), (
        "At rate 0.2 a surviving 1 should become 1/(1 - 0.2) = 1.25; yours lie between "
        f"{survivors.min():.3f} and {survivors.max():.3f}."
    )


@EXERCISE.check("dropout-mask", "Each element becomes zero with probability `rate`")
def _(dropout):
    """The share of zeros is about the rate"""
    share = float((np.asarray(dropout(jax.random.key(1), ONES, 0.2)) == 0).mean())
    assert 0.17 < share < 0.23, f"At rate 0.2 about 20 % become zero; you have {share:.0%}."


@EXERCISE.check(
    "dropout-keys", "The same key always drops the same elements; another key drops others."
)
def _(dropout):
    """The same key drops the same elements, another key others"""
    one, again, other = (np.asarray(dropout(jax.random.key(k), ONES, 0.2)) for k in (1, 1, 2))
    assert (one == again).all(), "Two calls with one key dropped different elements."
    assert (one != other).any(), "Two keys dropped the same elements."


@EXERCISE.check("dropout-keys", "on its own, whatever happens to the others")
def _(dropout):
    """Rows and columns differ: each element is decided on its own"""
    dropped = np.asarray(dropout(jax.random.key(1), ONES, 0.2))
    assert (dropped[0] != dropped[1]).any(), "Rows 0 and 1 lost the same elements."
    assert (dropped[:, 0] != dropped[:, 1]).any(), "Columns 0 and 1 lost the same elements."


@EXERCISE.check("forward-dropout", "It returns the logits, one array of shape `(batch, 10)`")
def _(forward_dropout):
    """There is one row of ten logits for each image"""
    x, _ = some_digits()
    logits = forward_dropout(init_params(jax.random.key(3)), x, jax.random.key(4), rate=0.5)
    assert shape_of(logits) == (32, 10), f"For 32 images the result has shape {logits.shape}."


@EXERCISE.check(
    "forward-dropout", "With `train=False` (a Python bool) it is the plain forward pass."
)
def _(forward_dropout):
    """With `train=False` it is the plain forward pass"""
    params, (x, _) = init_params(jax.random.key(3)), some_digits()
    calm = forward_dropout(params, x, jax.random.key(4), rate=0.5, train=False)
    assert agree(calm, forward(params, x)), "These are not the logits of `forward(params, x)`."


@EXERCISE.check(
    "forward-dropout", "dropout follows each of the two hidden ReLUs, at the given `rate`"
)
def _(forward_dropout):
    """With `train=True` units are dropped"""
    params, (x, _) = init_params(jax.random.key(3)), some_digits()
    logits = forward_dropout(params, x, jax.random.key(4), rate=0.5)
    assert not agree(logits, forward(params, x)), (
        "At rate 0.5 the logits are those without dropout."
    )


@EXERCISE.check("dropout-purity", "the same arguments give the same result")
def _(forward_dropout):
    """Under `jax.jit` the same key gives the same logits"""
    params, (x, _) = init_params(jax.random.key(3)), some_digits()
    key, jitted = jax.random.key(4), jax.jit(forward_dropout, static_argnames=("rate", "train"))
    plain, compiled = (f(params, x, key, rate=0.5) for f in (forward_dropout, jitted))
    assert agree(compiled, plain), (
        "They differ. Is anything read or changed outside the function, or any randomness drawn "
        "that does not come from the key?"
    )


@EXERCISE.check("dropout-results", "numbers between 0 and 1", finished=True)
def _(accuracy_without, accuracy_with):
    """Both accuracies are shares between 0 and 1"""
    for share in (accuracy_without, accuracy_with):
        assert 0 <= share <= 1, f"{share} is no share."
