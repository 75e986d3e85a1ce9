# the right five, the largest last
# loses: hardest-are-the-five-largest
# fair: 70-90 %
# mistake: five-in-another-order
import jax
import jax.numpy as jnp
import numpy as np
from mlp import forward, load_mnist, loss_fn
from scipy.stats import spearmanr

digits = load_mnist()
with np.load("trained.npz") as stored:
    params = {
        f"layer{i}": {part: jnp.asarray(stored[f"layer{i}_{part}"]) for part in ("w", "b")}
        for i in (1, 2, 3)
    }
x32, y32 = digits.x_valid[:32], digits.y_valid[:32]
grads = jax.vmap(jax.grad(loss_fn), in_axes=(None, 0, 0))(params, x32, y32)
norms = jnp.sqrt(sum((leaf**2).reshape(32, -1).sum(axis=1) for leaf in jax.tree.leaves(grads)))
hardest = jnp.argsort(-norms)[:5]
p_true = jax.nn.softmax(forward(params, x32))[jnp.arange(32), y32]
rank_correlation = float(spearmanr(norms, p_true).statistic)
hardest = jnp.argsort(norms)[-5:]
