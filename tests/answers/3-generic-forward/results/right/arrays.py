# scalars of JAX and NumPy, keys of NumPy, a depth more
import jax.numpy as jnp
import numpy as np

deep_accuracy = jnp.float32(0.91)
losses_by_depth = {np.int64(d): jnp.float32(0.4) for d in (1, 2, 3, 5, 8, 11, 20)}
