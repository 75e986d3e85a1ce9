# a class that holds step and arguments; bound methods are bound to the two names
import time

import jax


class Stepper:
    """Calls one step with one set of arguments and keeps the clock."""

    def __init__(self, step, args):
        self.step, self.args, self.times = step, args, []

    def __iter__(self):
        return self

    def __next__(self):
        start = time.perf_counter()
        result = self.step(*self.args)
        jax.block_until_ready(result)
        self.times.append(time.perf_counter() - start)
        return self.times[-1]

    @classmethod
    def benchmark(cls, step, *args, n_steps=100):
        stepper = cls(step, args)
        first = next(stepper)
        for _, _ in zip(range(n_steps), stepper):
            pass
        return {"first_call_s": first, "mean_step_s": sum(stepper.times[1:]) / n_steps}

    @classmethod
    def compare(cls, step_fn, *args, n_steps=100):
        jitted = cls.benchmark(jax.jit(step_fn), *args, n_steps=n_steps)
        eager = cls.benchmark(step_fn, *args, n_steps=n_steps)
        return {
            "jit_mean_s": jitted["mean_step_s"],
            "eager_mean_s": eager["mean_step_s"],
            "speedup": eager["mean_step_s"] / jitted["mean_step_s"],
            "compile_overhead_s": jitted["first_call_s"] - jitted["mean_step_s"],
        }


benchmark = Stepper.benchmark
compare_jit = Stepper.compare
