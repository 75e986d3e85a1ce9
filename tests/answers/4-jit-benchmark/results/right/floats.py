# floats
report = {"jit_mean_s": 0.002, "eager_mean_s": 0.016, "speedup": 8.0, "compile_overhead_s": 0.6}
