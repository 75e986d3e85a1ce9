# lower and compile ahead of time; the overhead is the time of both
import time

import jax


def benchmark(step, *args, n_steps=100):
    start = time.perf_counter()
    jax.block_until_ready(step(*args))
    first = time.perf_counter() - start
    start = time.perf_counter()
    for _ in range(n_steps):
        jax.block_until_ready(step(*args))
    return {"first_call_s": first, "mean_step_s": (time.perf_counter() - start) / n_steps}


def compare_jit(step_fn, *args, n_steps=100):
    start = time.perf_counter()
    compiled = jax.jit(step_fn).lower(*args).compile()
    overhead = time.perf_counter() - start
    fast = benchmark(compiled, *args, n_steps=n_steps)["mean_step_s"]
    slow = benchmark(step_fn, *args, n_steps=n_steps)["mean_step_s"]
    return dict(
        jit_mean_s=fast, eager_mean_s=slow, speedup=slow / fast, compile_overhead_s=overhead
    )
