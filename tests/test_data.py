"""The digits and the lesson's code."""

import importlib.util
import sys
from pathlib import Path

import jax
import numpy as np
import pytest

ROOT = Path(__file__).parents[1]


def load_module(path: Path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def mlp():
    return load_module(ROOT / "source" / "intro-to-jax" / "mlp.py")


@pytest.fixture(scope="module")
def digits(mlp):
    return mlp.load_mnist()


def test_the_stored_digits_are_what_the_script_makes():
    made = load_module(ROOT / "scripts" / "make_mnist.py").split_digits()
    with np.load(ROOT / "source" / "intro-to-jax" / "mnist.npz") as stored:
        assert set(stored) == set(made)
        for name in made:
            assert stored[name].dtype == np.uint8
            assert np.array_equal(stored[name], made[name])


def test_digits_are_shuffled_and_scaled(digits):
    assert [len(part) for part in digits] == [4000, 4000, 500, 500, 500, 500]
    for x, y in zip(digits[0::2], digits[1::2]):
        assert x.dtype == np.float32 and x.min() >= 0 and x.max() == 1
        assert y.dtype == np.int32
        counts = np.bincount(y, minlength=10)
        assert counts.min() > 0.6 * counts.mean()  # a subset sorted by class would have zeros


def test_without_a_network_the_full_set_says_what_to_do(mlp, monkeypatch):
    import sklearn.datasets

    def unreachable(*args, **kwargs):
        raise OSError("no route to host")

    monkeypatch.setattr(sklearn.datasets, "fetch_openml", unreachable)
    with pytest.raises(RuntimeError, match=r"load_mnist\(\), which reads the 5,000 digits"):
        mlp.load_mnist(full=True)


def test_the_full_set_is_split_like_the_small_one(mlp, monkeypatch):
    import sklearn.datasets

    pixels = np.arange(70_000)[:, None] % 256 * np.ones((1, 4))
    labels = (np.arange(70_000) % 10).astype(str)
    monkeypatch.setattr(sklearn.datasets, "fetch_openml", lambda *a, **k: (pixels, labels))
    full = mlp.load_mnist(full=True)
    assert [len(part) for part in full] == [55_000, 55_000, 5_000, 5_000, 10_000, 10_000]
    assert full.y_test[:3].tolist() == [0, 1, 2]


def test_the_network_learns_and_training_leaves_its_arguments_alone(mlp, digits, capsys):
    start = mlp.init_params(jax.random.key(0))
    before = jax.tree.map(np.array, start)
    loss = lambda p, x, y, key: mlp.loss_fn(p, x, y)  # noqa: E731
    trained = mlp.train(start, loss, digits.x_train, digits.y_train, jax.random.key(1), epochs=2)
    # 20 seeds of two epochs: mean 0.890, sd 0.0053, smallest 0.880; the limit is 9 sd below
    assert mlp.accuracy(mlp.forward(trained, digits.x_valid), digits.y_valid) > 0.84
    assert jax.tree.all(jax.tree.map(np.array_equal, start, before))
    printed = capsys.readouterr()
    assert printed.out.count("epoch") == 2 and printed.err == ""


def test_loss_of_one_example_is_a_term_of_the_mean(mlp, digits):
    params = mlp.init_params(jax.random.key(2))
    x, y = digits.x_valid[:8], digits.y_valid[:8]
    one_by_one = [mlp.loss_fn(params, a, b) for a, b in zip(x, y)]
    assert np.allclose(np.mean(one_by_one), mlp.loss_fn(params, x, y), rtol=1e-5)
