# arrays of JAX without axes
import jax.numpy as jnp

accuracy_without = jnp.mean(jnp.arange(100) < 93)
accuracy_with = jnp.float32(0.92)
