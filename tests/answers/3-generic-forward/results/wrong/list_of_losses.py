# a list of losses
# loses: losses-by-depth
# fair: 40-70 %
# mistake: none named
deep_accuracy = 0.923
losses_by_depth = [0.36, 0.27, 0.25, 0.29, 0.41, 0.62]
