# frozen dataclasses with properties, handed back as dicts
import time
from dataclasses import asdict, dataclass

import jax


@dataclass(frozen=True)
class Timing:
    first_call_s: float
    mean_step_s: float


@dataclass(frozen=True)
class Comparison:
    jitted: Timing
    eager: Timing

    @property
    def speedup(self):
        return self.eager.mean_step_s / self.jitted.mean_step_s

    def report(self):
        return {
            "jit_mean_s": self.jitted.mean_step_s,
            "eager_mean_s": self.eager.mean_step_s,
            "speedup": self.speedup,
            "compile_overhead_s": self.jitted.first_call_s - self.jitted.mean_step_s,
        }


def measure(step, args, n_steps) -> Timing:
    begun = time.perf_counter()
    jax.block_until_ready(step(*args))
    after_first = time.perf_counter()
    for _ in range(n_steps):
        jax.block_until_ready(step(*args))
    done = time.perf_counter()
    return Timing(after_first - begun, (done - after_first) / n_steps)


def benchmark(step, *args, n_steps=100):
    return asdict(measure(step, args, n_steps))


def compare_jit(step_fn, *args, n_steps=100):
    return Comparison(
        measure(jax.jit(step_fn), args, n_steps), measure(step_fn, args, n_steps)
    ).report()
