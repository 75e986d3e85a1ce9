# the speedup in percent
# loses: report-is-consistent
# fair: 40-60 %
# mistake: speedup-is-a-difference-or-a-percentage
report = {"jit_mean_s": 0.002, "eager_mean_s": 0.016, "speedup": 800.0, "compile_overhead_s": 0.6}
