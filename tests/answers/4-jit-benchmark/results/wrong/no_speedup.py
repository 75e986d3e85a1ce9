# the speedup is missing
# loses: everything
# fair: 0-50 %
# mistake: an-entry-is-missing
report = {"jit_mean_s": 0.002, "eager_mean_s": 0.016, "compile_overhead_s": 0.6}
