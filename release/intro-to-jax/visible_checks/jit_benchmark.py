"""What you can see of the checks of exercise 4, benchmarking jit."""

import time

import jax
import jax.numpy as jnp

from visible_checks.looking import Exercise

EXERCISE = Exercise(
    "4-jit-benchmark", ["benchmark-answer", "compare-answer", "report-answer"], hidden=22
)

# Times are compared with those that the check takes itself in the same moment, so that a busy
# machine makes no difference.

NAP_S = 0.02


def nap(x):
    time.sleep(NAP_S)
    return x


@EXERCISE.check("benchmark-mean", "two positive numbers, `first_call_s` and `mean_step_s`")
def _(benchmark):
    """The result holds `first_call_s` and `mean_step_s`"""
    found = benchmark(nap, jnp.ones(3), n_steps=2)
    for name in ("first_call_s", "mean_step_s"):
        assert name in found, f"There is no '{name}'; there is {list(found)}."


@EXERCISE.check(
    "benchmark-mean",
    "`mean_step_s` is the time of `n_steps` calls after that, divided by `n_steps`.",
)
def _(benchmark):
    """`mean_step_s` is the mean of the steps, in seconds"""
    began = time.perf_counter()
    mean = float(benchmark(nap, jnp.ones(3), n_steps=10)["mean_step_s"])
    took = time.perf_counter() - began
    assert mean > 0.75 * NAP_S, f"A step that sleeps {NAP_S} s takes longer than {mean:.4g} s."
    assert 10 * mean < 1.05 * took, (
        f"10 steps of {mean:.4g} s would take longer than the whole call took, {took:.4g} s."
    )


@EXERCISE.check("benchmark-calls", "`mean_step_s` is the time of `n_steps` calls after that")
def _(benchmark):
    """The step is called once, and then `n_steps` times"""
    calls = []
    benchmark(lambda x: calls.append(x) or x, jnp.ones(3), n_steps=7)
    assert len(calls) >= 8, f"A first call and 7 steps make 8 calls; there were {len(calls)}."


@EXERCISE.check(
    "benchmark-calls",
    "Every call is `step(*args)` with the same arguments; results are not fed back.",
)
def _(benchmark):
    """Every call gets the same arguments"""
    seen = []

    def take_notes(x, settings):
        seen.append(bool((x == 1).all()) and settings["shift"] == 1.0)
        return {"sum": x + settings["shift"], "x": x}

    benchmark(take_notes, jnp.ones(3), {"shift": 1.0}, n_steps=7)
    assert all(seen), "The arguments changed from call to call."


@EXERCISE.check("benchmark-first", "`first_call_s` is the time of the very first call of `step`")
def _(benchmark):
    """The first call is timed apart, and does not count in the mean"""
    calls = []

    def slow_at_first(x):
        time.sleep(NAP_S if calls else 20 * NAP_S)
        calls.append(x)
        return x

    began = time.perf_counter()
    found = benchmark(slow_at_first, jnp.ones(3), n_steps=5)
    took = time.perf_counter() - began
    first, mean = float(found["first_call_s"]), float(found["mean_step_s"])
    assert first > 15 * NAP_S, (
        f"The first call sleeps {20 * NAP_S:g} s, and `first_call_s` is {first:.3g} s. Time the "
        "very first one."
    )
    assert first + 5 * mean < 1.05 * took, (
        f"A first call of {first:.3g} s and 5 steps of {mean:.3g} s would take longer than all "
        f"calls took, {took:.3g} s. Is the first call in the mean as well?"
    )


@EXERCISE.check("benchmark-waits", "The clock stops only when the results are there")
def _(benchmark):
    """The clock stops when the results are there"""

    @jax.jit
    def many_products(m):
        return jax.lax.fori_loop(0, 100, lambda i, a: jnp.tanh(a @ m), m)

    matrix = jnp.full((300, 300), 0.01)
    times = []
    for _ in range(4):
        began = time.perf_counter()
        many_products(matrix).block_until_ready()
        times.append(time.perf_counter() - began)
    mean = float(benchmark(many_products, matrix, n_steps=5)["mean_step_s"])
    assert mean > 0.05 * min(times), (
        f"A call whose result takes {min(times):.4f} s is said to take {mean:.6f} s: wait for each "
        "result before you stop the clock."
    )


def wave(seen: list):
    """A step that writes down whether it was called with a tracer."""

    def step(x):
        seen.append(isinstance(x, jax.core.Tracer))
        for _ in range(20):
            x = jnp.sin(x) + jnp.cos(x)
        return x

    return step


@EXERCISE.check("compare-jit", "returns a dict with (at least) these four numbers")
def _(compare_jit):
    """The result holds the four numbers"""
    found = compare_jit(wave([]), jnp.ones((50, 50)), n_steps=3)
    for name in ("jit_mean_s", "eager_mean_s", "speedup", "compile_overhead_s"):
        assert name in found, f"There is no '{name}'; there is {list(found)}."


@EXERCISE.check("compare-jit", "The jitted function is made once")
def _(compare_jit):
    """`step_fn` is traced once or a few times, and called as it is `n_steps` times"""
    seen: list[bool] = []
    compare_jit(wave(seen), jnp.ones((50, 50)), n_steps=10)
    traced, plain = seen.count(True), seen.count(False)
    assert traced, "It never saw a tracer, so it was never compiled: call what `jax.jit` returns."
    assert traced < 10, f"It was traced {traced} times: make the jitted function once."
    assert plain >= 10, f"Without `jit` it was called {plain} times, and `n_steps` was 10."


@EXERCISE.check("compare-jit", "`speedup`, `eager_mean_s` divided by `jit_mean_s`")
def _(compare_jit):
    """`speedup` is `eager_mean_s` divided by `jit_mean_s`"""
    found = compare_jit(wave([]), jnp.ones((50, 50)), n_steps=10)
    ratio = float(found["eager_mean_s"]) / float(found["jit_mean_s"])
    assert abs(float(found["speedup"]) / ratio - 1) < 0.01, (
        f"It is {float(found['speedup']):.4g}, and your two means give {ratio:.4g}."
    )


@EXERCISE.check("compare-jit", "what tracing and compiling cost")
def _(compare_jit):
    """`compile_overhead_s` is positive"""
    overhead = float(compare_jit(wave([]), jnp.ones((50, 50)), n_steps=10)["compile_overhead_s"])
    assert overhead > 0, f"Compiling takes time, and yours is {overhead:.3g} s."


@EXERCISE.check("jit-report", "its `speedup` is above 1", finished=True)
def _(report):
    """`report` holds positive numbers, and a speedup above 1"""
    for name in ("jit_mean_s", "eager_mean_s", "speedup", "compile_overhead_s"):
        assert float(report[name]) > 0, f"'{name}' is {float(report[name]):.3g}."
    assert float(report["speedup"]) > 1, f"It is {float(report['speedup']):.3g}."
