# the speedup is a percentage
# loses: speedup-is-eager-over-jit
# fair: 75-97 %
# mistake: speedup-is-a-difference-or-a-percentage
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
        "speedup": 100 * (e["mean_step_s"] - j["mean_step_s"]) / e["mean_step_s"],
        "compile_overhead_s": j["first_call_s"] - j["mean_step_s"],
    }
