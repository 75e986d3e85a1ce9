# losses before training
# loses: losses-by-depth
# fair: 40-60 %
# mistake: losses-of-untrained-networks
deep_accuracy = 0.923
losses_by_depth = {d: 2.3 for d in (1, 2, 3, 5, 20)}
