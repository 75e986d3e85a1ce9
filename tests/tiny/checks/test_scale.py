"""Hidden checks of the tiny course's first exercise."""

import numpy as np
import pytest

from jaxercise.checks import assert_unchanged, close, float_array, number, typed_key

X = np.array([[-2.0, 0.5], [3.0, 4.0]], np.float32)


@pytest.mark.grade("scale-double", points=1)
def test_every_number_is_doubled(student):
    """Every number comes back twice as large"""
    found = student.function("double", derivative=True)(X)
    found = float_array(found, "double(x)", X.shape)
    assert close(found, 2 * X), "double(x) is not twice x for all of four numbers."


@pytest.mark.grade("scale-double", points=1)
def test_double_has_its_gradient(student):
    """Gradients come back through it"""
    ones = np.ones(X.shape, np.float32)
    found = student.function("double", derivative=True).gradient(ones, 0, X)
    found = float_array(found, "The gradient for x", X.shape)
    assert close(found, 2 * ones), "The gradient for x is another one."


@pytest.mark.grade("scale-double", points=2)
def test_double_leaves_everything_as_it_was(student):
    """Nothing else is touched, and float32 stays float32"""
    called = student.watch("double", X)
    assert_unchanged(called.changed, "double")
    float_array(called.value, "double(x)", X.shape)
    assert called.value.dtype == np.float32, f"double(x) turned float32 into {called.value.dtype}."


@pytest.mark.grade("scale-noise", points=1)
def test_noise_comes_from_the_key(student):
    """The same key gives the same noise, another key another"""
    zeros = np.zeros(6, np.float32)
    one, same, other = (
        float_array(student.function("noise")(typed_key(seed), zeros), "noise(key, x)", (6,))
        for seed in (1, 1, 2)
    )
    assert close(same, one), "noise(key, x) gave two results with the same key."
    assert not close(other, one), "noise(key, x) gave the same noise with two keys."


@pytest.mark.grade("scale-noise", points=2)
def test_noise_is_added_and_spread_by_one(student):
    """What is added has mean 0 and standard deviation 1"""
    fives = np.full(4000, 5.0, np.float32)
    found = student.function("noise")(typed_key(3), fives)
    added = float_array(found, "noise(key, x)", fives.shape) - fives
    assert abs(added.mean()) < 0.1, "What noise(key, x) adds does not have mean 0."
    assert abs(added.std() - 1) < 0.1, "What noise(key, x) adds is not spread by 1."


@pytest.mark.grade("scale-total", points=3, notebook=True)
def test_total_is_the_sum_of_the_doubled(student):
    """The total of the doubled numbers"""
    assert number(student.value("total"), "total") == 21, "total is not the sum that was asked for."
