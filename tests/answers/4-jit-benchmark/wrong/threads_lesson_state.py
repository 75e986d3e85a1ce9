# feeds results back into the next step
# loses: any-step-with-any-arguments, every-call-gets-the-same-arguments
# fair: 75-96 %
# mistake: only-for-the-lessons-arguments, results-fed-back
import time

import jax


def benchmark(step, params, opt_state, x, y, n_steps=100):
    t0 = time.perf_counter()
    params, opt_state, loss = step(params, opt_state, x, y)
    jax.block_until_ready((params, opt_state, loss))
    first = time.perf_counter() - t0
    t0 = time.perf_counter()
    for _ in range(n_steps):
        params, opt_state, loss = step(params, opt_state, x, y)
    jax.block_until_ready((params, opt_state, loss))
    return {"first_call_s": first, "mean_step_s": (time.perf_counter() - t0) / n_steps}


def compare_jit(step_fn, *args, n_steps=100):
    jitted = benchmark(jax.jit(step_fn), *args, n_steps=n_steps)
    eager = benchmark(step_fn, *args, n_steps=n_steps)
    return {
        "jit_mean_s": jitted["mean_step_s"],
        "eager_mean_s": eager["mean_step_s"],
        "speedup": eager["mean_step_s"] / jitted["mean_step_s"],
        "compile_overhead_s": jitted["first_call_s"] - jitted["mean_step_s"],
    }
