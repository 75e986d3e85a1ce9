# benchmark times the first call and leaves the mean for later
# loses: benchmark-returns-two-times, times-are-in-seconds, mean-step-is-the-time-of-a-step, uneven-steps-are-averaged, n-steps-says-how-many, every-call-gets-the-same-arguments, mean-leaves-out-the-first-call, every-step-is-waited-for, comparison-holds-four-numbers, both-loops-take-n-steps, jit-compiles-once-and-runs-the-program, eager-is-the-function-as-it-is, jit-mean-is-that-of-compiled-steps, eager-mean-is-that-of-warm-steps, speedup-is-eager-over-jit, overhead-holds-tracing-and-compiling, comparison-waits-for-results
# fair: 12-35 %
# mistake: an-entry-is-missing, not-answered
import time

import jax


def benchmark(step, *args, n_steps=100):
    start = time.perf_counter()
    jax.block_until_ready(step(*args))
    first = time.perf_counter() - start
    # TODO the loop
    return {"first_call_s": first}


def compare_jit(step_fn, *args, n_steps=100):
    raise NotImplementedError
