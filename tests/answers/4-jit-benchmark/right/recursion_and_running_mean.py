# recursion over the steps with a running mean
import time

import jax


def clock(step, args):
    start = time.perf_counter()
    out = step(*args)
    jax.tree.map(jax.block_until_ready, out)
    return time.perf_counter() - start


def running_mean(step, args, left, done=0, mean=0.0):
    if left == 0:
        return mean
    mean += (clock(step, args) - mean) / (done + 1)
    return running_mean(step, args, left - 1, done + 1, mean)


def benchmark(step, *args, n_steps=100):
    first = clock(step, args)
    return {"first_call_s": first, "mean_step_s": running_mean(step, args, n_steps)}


def compare_jit(step_fn, *args, n_steps=100):
    fast = jax.jit(step_fn)
    j, e = benchmark(fast, *args, n_steps=n_steps), benchmark(step_fn, *args, n_steps=n_steps)
    s = e["mean_step_s"] / j["mean_step_s"]
    return dict(
        jit_mean_s=j["mean_step_s"],
        eager_mean_s=e["mean_step_s"],
        speedup=s,
        compile_overhead_s=max(j["first_call_s"] - j["mean_step_s"], 1e-9),
    )
