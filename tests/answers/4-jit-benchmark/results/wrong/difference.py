# the speedup as a difference
# loses: report-is-consistent
# fair: 40-60 %
# mistake: speedup-is-a-difference-or-a-percentage
report = {"jit_mean_s": 2.0, "eager_mean_s": 16.0, "speedup": 14.0, "compile_overhead_s": 600.0}
