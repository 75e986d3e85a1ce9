# plausible numbers, typed in
# loses: everything
# fair: 0-5 %
# mistake: step-never-called
def benchmark(step, *args, n_steps=100):
    return {"first_call_s": 0.11, "mean_step_s": 0.0005}


def compare_jit(step_fn, *args, n_steps=100):
    return {
        "jit_mean_s": 0.0005,
        "eager_mean_s": 0.0036,
        "speedup": 7.2,
        "compile_overhead_s": 0.1095,
    }
