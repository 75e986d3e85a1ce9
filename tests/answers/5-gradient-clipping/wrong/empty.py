# nothing at all
# loses: the-optimizer-is-pure, without-a-limit-it-is-plain-adam, the-learning-rate-is-used, defaults-are-those-of-the-contract, gradients-are-clipped-before-adam-sees-them, one-norm-over-all-leaves, other-limits, small-gradients-are-untouched, both-sides-of-the-limit, train-returns-params-and-norms, norms-are-global-gradient-norms, norms-are-taken-before-clipping-and-before-the-update, train-follows-the-optimizer-it-is-given, the-optimizer-state-is-carried-along, the-callers-arguments-survive
# fair: 0-100 %
# mistake: none named
