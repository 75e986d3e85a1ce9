# 0-d arrays of JAX
import jax.numpy as jnp

accuracy_without = jnp.mean(jnp.arange(500) < 466)
accuracy_with = jnp.mean(jnp.arange(500) < 471)
