# overhead: tracing, lowering and compiling timed one by one ahead of time, then summed
import time

import jax


def seconds_of(thunk):
    start = time.perf_counter()
    value = jax.block_until_ready(thunk())
    return value, time.perf_counter() - start


def benchmark(step, *args, n_steps=100):
    _, first = seconds_of(lambda: step(*args))
    outputs, total = seconds_of(lambda: [step(*args) for _ in range(n_steps)])
    assert len(outputs) == n_steps
    return {"first_call_s": first, "mean_step_s": total / n_steps}


def compare_jit(step_fn, *args, n_steps=100):
    start = time.perf_counter()
    lowered = jax.jit(step_fn).lower(*args)
    lower_s = time.perf_counter() - start
    start = time.perf_counter()
    compiled = lowered.compile()
    compile_s = time.perf_counter() - start

    eager_mean = benchmark(step_fn, *args, n_steps=n_steps)["mean_step_s"]
    jit_mean = benchmark(compiled, *args, n_steps=n_steps)["mean_step_s"]
    return {
        "jit_mean_s": jit_mean,
        "eager_mean_s": eager_mean,
        "speedup": eager_mean / jit_mean,
        "compile_overhead_s": lower_s + compile_s,
        "lower_s": lower_s,
        "compile_s": compile_s,
    }
