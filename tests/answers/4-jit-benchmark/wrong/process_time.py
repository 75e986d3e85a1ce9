# processor time, which does not see waiting
# loses: mean-step-is-the-time-of-a-step, uneven-steps-are-averaged, first-call-is-the-very-first, jit-mean-is-that-of-compiled-steps, eager-mean-is-that-of-warm-steps
# fair: 55-80 %
# mistake: clock-counts-processor-time
import time

import jax


def benchmark(step, *args, n_steps=100):
    t0 = time.process_time()
    jax.block_until_ready(step(*args))
    first = time.process_time() - t0
    t0 = time.process_time()
    for _ in range(n_steps):
        jax.block_until_ready(step(*args))
    return {"first_call_s": first, "mean_step_s": (time.process_time() - t0) / n_steps}


def compare_jit(step_fn, *args, n_steps=100):
    jitted = benchmark(jax.jit(step_fn), *args, n_steps=n_steps)
    eager = benchmark(step_fn, *args, n_steps=n_steps)
    return {
        "jit_mean_s": jitted["mean_step_s"],
        "eager_mean_s": eager["mean_step_s"],
        "speedup": eager["mean_step_s"] / jitted["mean_step_s"],
        "compile_overhead_s": jitted["first_call_s"] - jitted["mean_step_s"],
    }
