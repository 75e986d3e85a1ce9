# the mean less the first call
# loses: overhead-holds-tracing-and-compiling
# fair: 80-98 %
# mistake: overhead-has-the-wrong-sign
import time

import jax


def benchmark(step, *args, n_steps=100):
    t0 = time.perf_counter()
    jax.block_until_ready(step(*args))
    first = time.perf_counter() - t0
    t0 = time.perf_counter()
    for _ in range(n_steps):
        jax.block_until_ready(step(*args))
    return {"first_call_s": first, "mean_step_s": (time.perf_counter() - t0) / n_steps}


def compare_jit(step_fn, *args, n_steps=100):
    j = benchmark(jax.jit(step_fn), *args, n_steps=n_steps)
    e = benchmark(step_fn, *args, n_steps=n_steps)
    return {
        "jit_mean_s": j["mean_step_s"],
        "eager_mean_s": e["mean_step_s"],
        "speedup": e["mean_step_s"] / j["mean_step_s"],
        "compile_overhead_s": j["mean_step_s"] - j["first_call_s"],
    }
