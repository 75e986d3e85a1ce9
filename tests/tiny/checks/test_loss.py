"""Hidden checks of the tiny course's second exercise."""

import numpy as np
import pytest

from jaxercise.checks import close, number

W = np.array([0.5, -1.0], np.float32)
X = np.array([[1.0, 2.0], [0.0, 1.0], [-1.0, 3.0]], np.float32)
Y = np.array([0.0, 1.0, 2.0], np.float32)
ERROR = X @ W - Y


@pytest.mark.grade("loss-values", points=3)
def test_loss_is_the_mean_squared_error(student):
    """The mean of the squared errors"""
    found = number(student.call("loss", W, X, Y), "loss(w, x, y)")
    assert close(np.asarray(found), np.mean(ERROR**2)), "loss(w, x, y) is another number."


@pytest.mark.grade("loss-values", points=2)
def test_loss_of_one_row_is_a_number(student):
    """One number, for one row too"""
    number(student.call("loss", W, X[:1], Y[:1]), "loss(w, x, y)")
