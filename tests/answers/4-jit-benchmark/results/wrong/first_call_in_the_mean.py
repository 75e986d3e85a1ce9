# the first call counts in the mean
# loses: jit-is-faster-on-the-lessons-step
# fair: 40-60 %
# mistake: none named
report = {"jit_mean_s": 0.014, "eager_mean_s": 0.0135, "speedup": 0.9643, "compile_overhead_s": 0.6}
