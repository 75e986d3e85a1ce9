# jit in both, so equally fast
# loses: jit-is-faster-on-the-lessons-step
# fair: 40-60 %
# mistake: none named
report = {"jit_mean_s": 0.002, "eager_mean_s": 0.00199, "speedup": 0.995, "compile_overhead_s": 0.6}
