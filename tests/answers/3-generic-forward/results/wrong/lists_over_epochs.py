# a list of losses for each depth
# loses: losses-by-depth
# fair: 40-70 %
# mistake: none named
deep_accuracy = 0.923
losses_by_depth = {d: [0.9, 0.5, 0.4] for d in (1, 2, 3, 5, 20)}
