# an empty file
# loses: benchmark-returns-two-times, times-are-in-seconds, mean-step-is-the-time-of-a-step, uneven-steps-are-averaged, n-steps-says-how-many, any-step-with-any-arguments, every-call-gets-the-same-arguments, first-call-is-the-very-first, mean-leaves-out-the-first-call, every-step-is-waited-for, first-call-is-waited-for, comparison-holds-four-numbers, both-loops-take-n-steps, jit-compiles-once-and-runs-the-program, eager-is-the-function-as-it-is, jit-mean-is-that-of-compiled-steps, eager-mean-is-that-of-warm-steps, speedup-is-eager-over-jit, overhead-holds-tracing-and-compiling, comparison-waits-for-results
# fair: 0-100 %
# mistake: none named

