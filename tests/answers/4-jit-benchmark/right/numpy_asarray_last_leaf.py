# np.asarray of one leaf as the wait
import time

import jax
import numpy as np


def benchmark(step, *args, n_steps=100):
    def once():
        t = time.perf_counter()
        out = step(*args)
        for leaf in jax.tree.leaves(out)[-1:]:
            np.asarray(leaf)
        return time.perf_counter() - t

    first = once()
    return {"first_call_s": first, "mean_step_s": float(np.mean([once() for _ in range(n_steps)]))}


def compare_jit(step_fn, *args, n_steps=100):
    jitted = benchmark(jax.jit(step_fn), *args, n_steps=n_steps)
    eager = benchmark(step_fn, *args, n_steps=n_steps)
    return {
        "jit_mean_s": jitted["mean_step_s"],
        "eager_mean_s": eager["mean_step_s"],
        "speedup": eager["mean_step_s"] / jitted["mean_step_s"],
        "compile_overhead_s": jitted["first_call_s"] - jitted["mean_step_s"],
    }
