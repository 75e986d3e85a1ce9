# accuracies instead of losses, in percent
# loses: losses-by-depth
# fair: 40-60 %
# mistake: none named
deep_accuracy = 0.923
losses_by_depth = {1: 90.1, 2: 92.0, 3: 92.4, 5: 91.0, 11: 88.0, 20: 80.0}
