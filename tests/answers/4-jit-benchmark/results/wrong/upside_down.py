# the speedup upside down
# loses: everything
# fair: 0-50 %
# mistake: speedup-upside-down
report = {"jit_mean_s": 0.002, "eager_mean_s": 0.016, "speedup": 0.125, "compile_overhead_s": 0.6}
